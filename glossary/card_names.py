"""Recognise the cards that a question names, in whole or in part and with small typos, among the
cards with rulings or errata.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple, TypeVar

from corpus.languages import words_of
from corpus.model import Kind
from glossary.model import RulebookView
from glossary.normalization import SpellingCorrector, Token, fold, fold_umlauts, tokenize
from glossary.word_tables import LanguageTables, WordTables

T = TypeVar("T")

_SEVERAL = re.compile(r"/+")
STAGES = re.compile(r"(?:(?<!\s)\s+|/)[IVX]+$")  # "Venom I/II/III" is called "Venom"
_QUOTES = "\"„“”«»‚‘’'"
_SMALL = words_of("function_words.in_card_names")
_CARD_TYPES = words_of("questions.card_types")
_SHORTEST_ALONE = 4  # letters of a part of a name that is recognised alone
_CACHED_WORDS = 4_000  # words whose spelling is cached
_FREQUENT = 2  # passages of other entries that use an ordinary word, at least


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of ``name``, folded and without umlauts: "Zähe Haut" → ("zahe", "haut")."""
    return tuple(fold_umlauts(word.text) for word in tokenize(name))


def names_of(card: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the words of each name of a ``card``, and whether it is a whole name: "Tigra/Greer
    Grant Nelson" has two whole names; "Greer Nelson" is a part.
    """
    one = card
    while (shorter := STAGES.sub("", one)) != one:
        one = shorter
    spellings = [card, one, *_SEVERAL.split(one)]
    spellings += [each.replace("-", "") for each in spellings]  # "Spider-Man", "Spiderman"
    for name in dict.fromkeys(filter(None, map(name_words, spellings))):
        yield name, True
        while len(name) > 1 and name[0] in _SMALL:
            name = name[1:]
            yield name, True
        for length in range(len(name) - 1, 0, -1):
            for first in range(len(name) - length + 1):
                part = name[first : first + length]
                large = sum(word not in _SMALL for word in part)
                if (
                    part[0] not in _SMALL
                    and part[-1] not in _SMALL
                    and (large > 1 or len(part[0]) >= _SHORTEST_ALONE)
                ):
                    yield part, False
        if len(name) > 2:
            yield (name[0], name[-1]), False


def is_quoted(question: str, start: int, end: int) -> bool:
    """Return whether a span of ``question`` is directly between quotation marks."""
    around = question[start - 1 : start] if start else "", question[end : end + 1]
    return all(sign and sign in _QUOTES for sign in around)


def begins_sentence(text: str, start: int) -> bool:
    """Return whether a sentence or line of ``text`` begins at ``start``, perhaps with a quote."""
    before = text[max(start - 4, 0) : start]
    words = before.rstrip()
    if words.endswith(('"', "„", "“", "«")):
        words = words[:-1].rstrip()
    return start == 0 or words.endswith((".", "?", "!", ":")) or "\n" in before[len(words) :]


def follows_card_type(question: str, start: int) -> bool:
    """Return whether the word before ``start`` announces a card: "die Karte Warnung"."""
    before = tokenize(question[max(start - 30, 0) : start])
    return bool(before) and fold(before[-1].text) in _CARD_TYPES


def scan(longest: Sequence[int], judge: Callable[[int, int], list[T]]) -> list[T]:
    """Find names in a text of ``len(longest)`` words; no word is in two names, longer names win.

    ``longest`` has for each word the length of the longest name that may begin with it, 0 for none.
    ``judge`` gets the indices of the first word of a possible name and of the first word after it,
    and returns what it finds.
    """
    begin = [(i, min(most, len(longest) - i)) for i, most in enumerate(longest) if most]
    found: list[T] = []
    covered: set[int] = set()
    for length in range(max((most for _, most in begin), default=0), 0, -1):
        for first, most in begin:
            places = range(first, first + length)
            if (
                length <= most
                and covered.isdisjoint(places)
                and (here := judge(first, first + length))
            ):
                found.extend(here)
                covered.update(places)
    return found


class CardMention(NamedTuple):
    """A place in a question that names a card; ``entries`` are its rulings and errata.
    ``certainty`` is from 0 to 1.
    """

    start: int
    end: int
    card: str
    entries: tuple[str, ...]
    certainty: float


class _CardName(NamedTuple):
    """A name of a card, whole or a part of it."""

    card: str
    whole: bool


class CardRecogniser:
    """Recognises the cards that ``rulebooks`` (of one game) have rulings or errata for.

    ``ordinary`` are the everyday words among the words of the cards' names; if not given, they are
    computed, which takes time.
    """

    def __init__(
        self,
        rulebooks: Iterable[RulebookView],
        tables: WordTables,
        ordinary: Iterable[str] | None = None,
    ):
        rulebooks = tuple(rulebooks)
        if ordinary is None:
            ordinary = chain.from_iterable(
                _ordinary_words(rulebook, tables[rulebook.edition.language])
                for rulebook in rulebooks
            )
        self.everyday_words = frozenset(ordinary)
        self.entries: dict[str, list[str]] = defaultdict(list)
        self.names: dict[tuple[str, ...], list[_CardName]] = defaultdict(list)
        for entry in (entry for rulebook in rulebooks for entry in rulebook.entries if entry.card):
            # The card's name as readers see it, without product and number.
            card = re.sub(r"\([^()]*\)\s*:?$", "", entry.title).strip(' :"„“”«»')
            if not name_words(card):
                card = entry.card or entry.title
            self.entries[card].append(entry.id)
            for spelling in dict.fromkeys((card, entry.card or card)):
                for name, whole in names_of(spelling):
                    if _CardName(card, whole) not in self.names[name]:
                        self.names[name].append(_CardName(card, whole))
        self._longest_by_first_word: dict[str, int] = {}
        for name in self.names:
            longest = self._longest_by_first_word.get(name[0], 0)
            self._longest_by_first_word[name[0]] = max(longest, len(name))
        words = frozenset(word for name in self.names for word in name)
        # A function that does not refer to this object, so that no cycle keeps it.
        self._spelling = lru_cache(maxsize=_CACHED_WORDS)(
            partial(_spelling, words, self.everyday_words, SpellingCorrector(words))
        )

    def __len__(self) -> int:
        """Return the number of cards."""
        return len(self.entries)

    def mentions(self, question: str) -> tuple[CardMention, ...]:
        """Return the cards named in ``question``, in order of place. The longest name wins; several
        cards may share a place.
        """
        if not self.entries:
            return ()
        tokens = tokenize(question)
        meant = [self._spelling(token.text) for token in tokens]
        spelt = [word for word, _ in meant]

        def judge(first: int, last: int) -> list[CardMention]:
            names = self.names.get(tuple(spelt[first:last]))
            if not names:
                return []
            return self._judge(names, question, tokens[first:last], meant[first:last])

        found = scan([self._longest_by_first_word.get(word, 0) for word in spelt], judge)
        return tuple(sorted(found, key=lambda n: (n.start, -n.certainty, n.card)))

    def _judge(
        self,
        names: Sequence[_CardName],
        question: str,
        tokens: Sequence[Token],
        meant: Sequence[tuple[str, bool]],
    ) -> list[CardMention]:
        """Return a mention of each card that ``tokens`` name, with its certainty.

        ``names`` are the card names with these words; ``meant`` has for each token the word that it
        means, and whether it is misspelt.
        """
        start, end = tokens[0].start, tokens[-1].end
        whole = [name for name in names if name.whole]
        misspelt = any(typo for _, typo in meant)
        certainty = 1.0 if whole else 0.8
        if len(tokens) == 1 and not (
            is_quoted(question, start, end) or follows_card_type(question, start)
        ):
            ordinary = meant[0][0] in self.everyday_words
            raised = tokens[0].text[0].isupper() and not question.isupper()
            within = not begins_sentence(question, start)
            if ordinary and (misspelt or not whole or not raised or not within):
                return []
            if not whole and not raised:
                return []
            certainty = 0.5 if ordinary else 1.0 if whole else 0.6
        certainty = round(certainty - 0.15 * misspelt, 2)
        return [
            CardMention(start, end, name.card, tuple(self.entries[name.card]), certainty)
            for name in whole or names
        ]


def _spelling(
    known: frozenset[str], ordinary: frozenset[str], speller: SpellingCorrector, word: str
) -> tuple[str, bool]:
    """Return the ``known`` word that ``word`` means, and whether ``word`` is misspelt; ``word``
    itself, folded, if no known word fits.
    """
    plain = fold_umlauts(word)
    for form in (plain, plain.removesuffix("s")):  # German genitive
        if form in known:
            return form, False
    meant = None if plain in ordinary else speller.nearest(plain)
    return (plain, False) if meant is None else (meant, True)


def _ordinary_words(rulebook: RulebookView, tables: LanguageTables) -> set[str]:
    """Return the everyday words in card names: words that are also used in glossary headings, in
    other text, or in spaCy's tables for the language.
    """
    cards = {entry.id: set(name_words(entry.card)) for entry in rulebook.entries if entry.card}
    if not cards:
        return set(_SMALL)
    of_names = set().union(*cards.values())
    having: Counter[str] = Counter()
    for passage in rulebook.passages:
        # Lower case only, or every card that another ruling speaks of would be an ordinary word.
        small = (word.text for word in tokenize(passage.text) if word.text.islower())
        having.update((set(map(fold_umlauts, small)) & of_names) - cards.get(passage.entry, set()))
    found = {word for word, count in having.items() if count >= _FREQUENT} | _SMALL
    for entry in rulebook.entries:
        if entry.kind in (Kind.TERM, Kind.REDIRECT):
            found |= of_names.intersection(name_words(entry.heading))
        for word in tokenize(entry.card or ""):
            if tables.knows(word.text):
                found.add(fold_umlauts(word.text))
    return found
