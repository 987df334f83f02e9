"""Find cards by name as people type it (misspelt, without umlauts, partial, shortened, as a number,
with type or product), and find the cards that a question names.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from corpus.languages import FALLBACK, LANGUAGES, words_of
from glossary.card_names import begins_sentence, follows_card_type, is_quoted, scan
from glossary.normalization import Token, fold, fold_umlauts, tokenize
from glossary.word_tables import WordTables
from index.analysis import folded
from index.cards.card_names import (
    CardMentionTables,
    CardNameTables,
    NameForm,
    codes_in,
    compared_words,
    gram_weight,
    grams,
)

_LONGEST_QUERY = 200  # characters of a query that are compared; no name is half as long
_MOST_WORDS = 16
_CANDIDATES = 150  # names that are compared word by word
_NEAREST = 20  # names by n-grams, among which one with a typo is sought
_LEAST_ALIKE = 0.65  # similarity from which two words may be the same
_LEAST_SCORE = 0.45
_SHORTENED = 0.8  # similarity of a shortened word to the whole: "Dr.", "Capt."
_BEGUN = 0.85
_LETTER = 0.6  # "B. Panther"
_CONTEXT = 0.95  # weight of a word that distinguishes a card from others of its name
_CONTEXT_ALIKE = 0.75  # the same for a word that is similar to such a word, or begins it
_LEAST_CONTEXT = 0.8  # similarity of words beside names
_SHORTEST_LIKE = 4  # letters of such a word
_CODE_WEIGHT = 12.0  # weight of a card's number; words of names weigh up to 11
_FEW_OF_A_NUMBER = 20  # cards that may share a number, one in each product
_SHARED = 0.9, 0.5  # certainty of a number that few cards share, and of one that many share
_INITIALS = 0.8
_VOWELS = frozenset("aeiou")


class CardMatch(NamedTuple):
    """The number of a card, the similarity from 0 to 1 of the query to one of its names, and that
    name (None if the card was found by its printed number).
    """

    card: int
    score: float
    form: NameForm | None


class CardFinder:
    """Finds cards by name in ``tables``."""

    def __init__(self, tables: CardNameTables):
        self._tables = tables
        words = tables.context_words
        self._context = [words.string(number) for number in range(len(words))]
        self._sorted_context = sorted((word, number) for number, word in enumerate(self._context))

    def find(
        self, text: str, cards: Container[int], language: str | None, k: int
    ) -> list[CardMatch]:
        """Return up to ``k`` of ``cards`` that ``text`` may mean, the best first; of equal scores,
        names in ``language`` come first.
        """
        text = text[:_LONGEST_QUERY]
        words = compared_words(text)[:_MOST_WORDS]
        if not words:
            return []
        query = _Query(words, self._tables, [self._context_like(word) for word in words])

        def order(match: CardMatch) -> tuple[float, bool, int]:
            foreign = match.form is None or match.form.language != language
            return -match.score, foreign, match.card

        found: dict[int, CardMatch] = {}
        for match in (*self._by_name(query, cards), *self._by_code(text, query, cards)):
            found[match.card] = min(found.get(match.card, match), match, key=order)
        best = sorted(found.values(), key=order)
        return [match for match in best[:k] if match.score >= _LEAST_SCORE]

    def called(self, name: str) -> list[int]:
        """Return the cards whose whole name is ``name``, ascending."""
        words = compared_words(name[:_LONGEST_QUERY])
        numbers = self._tables.joined.numbers("".join(words)).tolist()
        forms = (self._tables.forms[number] for number in numbers)
        return sorted({card for form in forms if form.words == words for card in form.cards})

    def nearly_called(self, name: str, cards: Container[int], least: float) -> list[int]:
        """Return those of ``cards`` that have the name most like ``name``, blanks aside, ascending;
        none if no name is ``least`` alike, in percent.
        """
        typed = compared_words(name[:_LONGEST_QUERY])
        likenesses = (
            (fuzz.ratio("".join(typed), "".join(form.words)), form)
            for form in map(self._tables.forms.__getitem__, self._alike(typed)[:_NEAREST])
            if any(card in cards for card in form.cards)
        )
        likeness, form = max(likenesses, key=itemgetter(0), default=(0.0, None))
        return self.called(form.name) if form and likeness >= least else []

    def with_ability(self, name: str) -> list[int]:
        """Return the cards that have an ability called ``name``, ascending."""
        words = compared_words(name[:_LONGEST_QUERY])
        return self._tables.abilities.numbers("".join(words)).tolist()  # type: ignore[no-any-return]

    def numbered(self, code: str) -> list[int]:
        """Return the cards with the printed ``code`` or number, ascending."""
        return self._tables.codes.numbers(code).tolist()  # type: ignore[no-any-return]

    def _context_like(self, word: str) -> dict[int, float]:
        """Return the numbers of the context words that ``word`` may be, each with its certainty.
        Digits and short words match only themselves.
        """
        found: dict[int, float] = {}
        compared = len(word) >= _SHORTEST_LIKE and not word.isdigit()
        if compared:
            alike = process.extract(
                word,
                self._context,
                scorer=OSA.normalized_similarity,
                score_cutoff=_LEAST_CONTEXT,
                limit=None,
            )
            found = dict.fromkeys((number for _, _, number in alike), _CONTEXT_ALIKE)
        for other, number in self._sorted_context[bisect_left(self._sorted_context, (word, -1)) :]:
            if other == word:
                found[number] = _CONTEXT
            elif compared and other.startswith(word):
                found[number] = _CONTEXT_ALIKE
            else:
                break
        return found

    def _by_name(self, query: _Query, cards: Container[int]) -> Iterator[CardMatch]:
        tables = self._tables
        joined = "".join(query.words)
        short = set(tables.initials.numbers(joined).tolist())
        numbers = (*tables.joined.numbers(joined).tolist(), *short, *self._alike(query.words))
        for number in dict.fromkeys(numbers):
            form = tables.forms[number]
            score_with = query.compare(form.words)
            alike = fuzz.ratio(joined, "".join(form.words)) / 100
            least = max(alike * alike, _INITIALS if number in short else 0.0)
            for card in form.cards:
                if card in cards:
                    yield CardMatch(card, round(max(score_with(card), least), 4), form)

    def _alike(self, words: tuple[str, ...]) -> list[int]:
        """Return the numbers of the names most similar to ``words`` by weighted n-grams, best
        first.
        """
        tables = self._tables
        sums = np.zeros(len(tables.lengths), dtype=np.float32)
        for gram in grams(words):
            if len(numbers := tables.grams.numbers(gram)):
                sums[numbers] += gram_weight(len(numbers), len(tables.forms)) ** 2
        sums /= np.maximum(tables.lengths, 1e-6)
        few = np.arange(len(sums))
        if len(sums) > _CANDIDATES:
            few = np.argpartition(-sums, _CANDIDATES)[:_CANDIDATES]
        best = few[np.argsort(-sums[few], kind="stable")]
        return best[sums[best] > 0].tolist()  # type: ignore[no-any-return]

    def _by_code(self, text: str, query: _Query, cards: Container[int]) -> Iterator[CardMatch]:
        for code in codes_in(text):
            having = [card for card in self.numbered(code) if card in cards]
            sure = 1.0 if len(having) == 1 else _SHARED[len(having) > _FEW_OF_A_NUMBER]
            own = set(compared_words(code))
            for card in having:
                told, most = _CODE_WEIGHT, _CODE_WEIGHT
                for word, weight, like in zip(
                    query.words, query.weights, query.context_likeness(card), strict=True
                ):
                    if word not in own:
                        told, most = told + weight * like, most + weight
                yield CardMatch(card, round(sure * told / most, 4), None)


class _Query:
    """The words of a query; ``beside`` has for each word the numbers of the context words that it
    may be, with certainty.
    """

    def __init__(
        self, words: tuple[str, ...], tables: CardNameTables, beside: Sequence[dict[int, float]]
    ):
        self.words = words
        self.weights = [tables.word_weight(word) for word in words]
        self._tables, self._beside = tables, beside

    def context_likeness(self, card: int) -> list[float]:
        """Return for each word its similarity to the nearest context word of ``card``."""
        if not any(self._beside):
            return [0.0] * len(self.words)
        own = self._tables.context.row(card).tolist()
        return [
            max((like[number] for number in own if number in like), default=0.0)
            for like in self._beside
        ]

    def compare(self, name: tuple[str, ...]) -> Callable[[int], float]:
        """Pair each word of the query with the most similar word of ``name``. Return a function
        that scores a card with this name from 0 to 1.
        """
        pairs = [
            (likeness(word, other), i, j)
            for i, word in enumerate(self.words)
            for j, other in enumerate(name)
        ]
        mine, theirs = [0.0] * len(self.words), [0.0] * len(name)
        for like, i, j in sorted(pairs, key=lambda pair: (-pair[0], abs(pair[1] - pair[2]))):
            if like and not mine[i] and not theirs[j]:
                mine[i] = theirs[j] = like
        weights = [self._tables.word_weight(word) for word in name]
        covered = sum(w * like for w, like in zip(weights, theirs, strict=True)) / sum(weights)
        exact = 1.0 if self.words[: len(name)] == name else 0.99

        def score(card: int) -> float:
            liked = map(max, mine, self.context_likeness(card))
            asked = sum(w * like for w, like in zip(self.weights, liked, strict=True))
            return asked / (sum(self.weights) or 1.0) * (0.5 + 0.5 * covered) * exact

        return score


def likeness(word: str, other: str) -> float:
    """Return the similarity, from 0 to 1, of a typed ``word`` to the word ``other`` of a name."""
    if word == other:
        return 1.0
    # The first and last letters, without vowels: "Dr", "Mr".
    is_shortened = (
        1 < len(word) <= 3 < len(other)
        and word[0] == other[0]
        and word[-1] == other[-1]
        and _VOWELS.isdisjoint(word)
    )
    if other.startswith(word):
        if len(word) == 1:
            return _LETTER
        return _BEGUN if len(word) > 2 or is_shortened else 0.0
    alike = OSA.normalized_similarity(word, other, score_cutoff=_LEAST_ALIKE)
    return alike or (_SHORTENED if is_shortened else 0.0)


_LIKELY = LANGUAGES[: LANGUAGES.index(FALLBACK) + 1]
_SMALL = words_of("function_words.in_card_names")
_CACHED_WORDS = 4_000  # words whose spelling is cached
_LONG = 3  # words from which even ordinary words are a name, not a coincidence
_LONG_WORD = 5  # letters from which a lower-case word can be a name
# Part of a name in lower case has at least `_PARTS` words with at least `_LETTERS` letters.
_PARTS, _LETTERS = 2, 4
_LONG_SLIP = 6  # letters from which a word can be a misspelt name: not "Magic" for "Magik"
_SLIP = 0.15  # certainty lost by a typo
_ALONE = 0.7  # certainty of a name that is the whole question


class NamedCards(NamedTuple):
    """A place in a question that names one of ``cards``, given by number; ``certainty`` is from 0
    to 1.
    """

    start: int
    end: int
    cards: tuple[int, ...]
    certainty: float


class MentionFinder:
    """Finds the places in questions that name cards, by the tables ``names``.

    ``terms`` are the folded names of a game's concepts. A term, or an ordinary word, names a card
    only in quotation marks, after a card type ("the ally Spark"), or with a capital that nothing
    else requires. An ordinary word also names a card if it is the whole question.
    """

    def __init__(self, names: CardMentionTables, tables: WordTables, terms: Collection[str] = ()):
        self._names, self._tables, self._terms = names, tables, terms
        # This function does not refer to ``self``: a reference cycle would keep the object alive.
        self._spelling = lru_cache(maxsize=_CACHED_WORDS)(partial(_spelling, names, tables))

    def find(
        self, question: str, cards: Container[int], language: str | None = None
    ) -> list[NamedCards]:
        """Return the places in ``question`` that name any of ``cards``, in order; the ``language``
        is detected if it is None.
        """
        tokens = tokenize(question)
        spoken = language or self._tables.language_of(question, folded(question)) or FALLBACK
        meant = [self._spelling(token.text, spoken) for token in tokens]

        def judge(first: int, last: int) -> list[NamedCards]:
            known, whole = self._names.cards([word for word, _ in meant[first:last]])
            named = tuple(card for card in known if card in cards)
            if not named:
                return []
            certainty = self._certainty(
                question, tokens[first:last], meant[first:last], whole, spoken
            )
            if whole and not certainty and last - first == len(tokens) and not self._is_term(meant):
                certainty = _ALONE
            place = tokens[first].start, tokens[last - 1].end
            return [NamedCards(*place, named, round(certainty, 2))] if certainty else []

        return sorted(scan([self._names.longest(word) for word, _ in meant], judge))

    def _certainty(
        self,
        question: str,
        tokens: Sequence[Token],
        meant: Sequence[tuple[str, bool]],
        whole: bool,
        language: str,
    ) -> float:
        """Return the certainty, from 0 to 1, that ``tokens`` are a card's name and not ordinary
        words. ``meant`` are the tokens corrected; ``whole``: they are a whole name.
        """
        start, end = tokens[0].start, tokens[-1].end
        word = tokens[0].text
        slip = _SLIP * any(misspelt for _, misspelt in meant)
        if slip and len(tokens) == 1 and len(word) < _LONG_SLIP:
            return 0.0
        ordinary = [self._is_ordinary(token.text, language) for token in tokens]
        typed = len(tokens) == 1 and follows_card_type(question, start)
        term = self._is_term(meant)
        if is_quoted(question, start, end) or (
            typed and (whole or (not term and (not ordinary[0] or word[0].isupper())))
        ):
            return (1.0 if whole else 0.8) - slip
        shouted = question.isupper()
        if len(tokens) > 1:
            large = [token for token in tokens if fold_umlauts(token.text) not in _SMALL]
            raised = not shouted and (
                any(
                    token.text[0].isupper() and not self._is_noun(token.text, language)
                    for token in tokens[begins_sentence(question, start) :]
                )
                # Two nouns follow one another only in a name: "Tante May".
                or (
                    len(large) > 1
                    and all(token.text[0].isupper() for token in large)
                    and self._is_noun(word, language)
                )
            )
            everywhere = all(
                any(self._is_ordinary(token.text, each) for each in _LIKELY) for token in tokens
            )
            # "doesn't", "ich hab"
            few = sum(len(token.text) >= _LETTERS for token in tokens) < _PARTS
            if term or all(ordinary) or ((everywhere or few) and not whole and not raised):
                if not whole or term:
                    return 0.0
                long = len(tokens) >= _LONG and not few  # "ich bin zäh" is said by chance
                return (0.7 if raised or long else 0.4) - slip
            return (1.0 if whole else 0.8) - slip
        raised = word[0].isupper() and not shouted
        if term or ordinary[0]:
            named = whole and raised and not slip and not term
            if named and not begins_sentence(question, start) and not self._is_noun(word, language):
                return 0.5 if _is_title(question) else 0.6
            return 0.0
        if raised:
            return (1.0 if whole else 0.6) - slip
        return 0.8 - slip if whole and len(word) >= _LONG_WORD else 0.0

    def _is_term(self, meant: Sequence[tuple[str, bool]]) -> bool:
        return " ".join(word for word, _ in meant) in self._terms

    def _is_ordinary(self, word: str, language: str) -> bool:
        tables = self._tables[language]
        return (
            word.isdigit()
            or fold_umlauts(word) in _SMALL
            or fold(word) in tables.folded_stop_words
            or tables.knows(word)
        )

    def _is_noun(self, word: str, language: str) -> bool:
        """Return whether the language has ``word`` only with a capital letter: German nouns."""
        tables = self._tables[language]
        return tables.has(word.capitalize()) and not tables.has(word.lower())


def _is_title(question: str) -> bool:
    """Return whether all long words of ``question`` are capitalised: "How Does Retaliate Work?"."""
    return all(t.text[0].isupper() for t in tokenize(question) if len(t.text) >= _LETTERS)


def _spelling(
    names: CardMentionTables, tables: WordTables, word: str, language: str
) -> tuple[str, bool]:
    """Return the word of a card name that ``word`` stands for, or ``word`` itself, and whether
    ``word`` misspells it. Words of the language are not misspellings.
    """
    if (known := names.written(word)) is not None:
        return known, False
    plain = fold_umlauts(word)
    meant = None if tables[language].knows(word) else names.nearest(plain)
    return (plain, False) if meant is None else (meant, True)
