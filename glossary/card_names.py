"""Cards named in questions: those that a rulebook has rulings or errata for, whole or in part, with
small slips.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

from corpus.languages import words_of
from corpus.model import Entry, Kind
from glossary import normalization
from glossary.card_name_forms import (
    begins_sentence,
    follows_card_type,
    is_quoted,
    name_words,
    names_of,
    scan,
)
from glossary.fuzzy import SpellingCorrector
from glossary.model import RulebookView
from glossary.normalization import Token
from glossary.word_tables import LanguageTables, WordTables

_SMALL = words_of("function_words.in_card_names")
_CACHED_WORDS = 4_000  # words whose spelling is cached
_FREQUENT = 2  # a word that so many other entries have in their text is an ordinary one


class CardMention(NamedTuple):
    """A place in a question where a card is named; ``entries`` are its rulings and errata.
    ``certainty`` is from 0 to 1.
    """

    start: int
    end: int
    card: str
    entries: tuple[str, ...]
    certainty: float


class _CardName(NamedTuple):
    """A card under one of its names: whole, or a part of it."""

    card: str
    whole: bool


class CardRecogniser:
    """Recognises the cards that ``rulebooks`` (of one game) have rulings or errata for.

    ``ordinary`` are the everyday words among the words of their names; finding them takes time
    where they are not given.
    """

    def __init__(
        self,
        rulebooks: Iterable[RulebookView],
        tables: WordTables,
        ordinary: Iterable[str] | None = None,
    ):
        rulebooks = tuple(rulebooks)
        self.entries: dict[str, list[str]] = defaultdict(list)
        self.names: dict[tuple[str, ...], list[_CardName]] = defaultdict(list)
        self.everyday_words = frozenset(
            ordinary
            if ordinary is not None
            else chain.from_iterable(
                _ordinary_words(rulebook, tables[rulebook.edition.language])
                for rulebook in rulebooks
            )
        )
        for rulebook in rulebooks:
            card_entries = [entry for entry in rulebook.entries if entry.card]
            for entry in card_entries:
                card = _display_name(entry)
                self.entries[card].append(entry.id)
                for spelling in dict.fromkeys(
                    (card, entry.card or card)
                ):  # as readers see it, and as it is printed
                    for name, whole in names_of(spelling):
                        if _CardName(card, whole) not in self.names[name]:
                            self.names[name].append(_CardName(card, whole))
        self._longest_by_first_word: dict[str, int] = {}
        for name in self.names:
            self._longest_by_first_word[name[0]] = max(
                self._longest_by_first_word.get(name[0], 0), len(name)
            )
        self._words = frozenset(word for name in self.names for word in name)
        # A function that does not refer to this object, so that no cycle keeps it.
        self._spelling = lru_cache(maxsize=_CACHED_WORDS)(
            partial(_spelling, self._words, self.everyday_words, SpellingCorrector(self._words))
        )

    def __len__(self) -> int:
        """How many cards these are."""
        return len(self.entries)

    def mentions(self, question: str) -> tuple[CardMention, ...]:
        """The cards named in ``question``, in order of place; the longest name wins a place,
        several cards may share it.
        """
        if not self.entries:
            return ()
        tokens = normalization.tokenize(question)
        meant = [self._spelling(token.text) for token in tokens]
        spelt = [word for word, _ in meant]

        def judge(first: int, last: int) -> list[CardMention]:
            names = self.names.get(tuple(spelt[first:last]))
            return (
                list(self._judge(names, question, tokens[first:last], meant[first:last]))
                if names
                else []
            )

        found = scan([self._longest_by_first_word.get(word, 0) for word in spelt], judge)
        return tuple(sorted(found, key=lambda n: (n.start, -n.certainty, n.card)))

    def _judge(
        self,
        names: Sequence[_CardName],
        question: str,
        tokens: Sequence[Token],
        meant: Sequence[tuple[str, bool]],
    ) -> Iterator[CardMention]:
        """The cards that ``tokens`` name, as one of ``names``, when read as ``meant``, and how sure
        that is.
        """
        start, end = tokens[0].start, tokens[-1].end
        whole = [name for name in names if name.whole]
        misspelt = any(slip for _, slip in meant)
        certainty = 1.0 if whole else 0.8
        if len(tokens) == 1 and not (
            is_quoted(question, start, end) or follows_card_type(question, start)
        ):
            ordinary = meant[0][0] in self.everyday_words
            raised = tokens[0].text[0].isupper() and not question.isupper()
            within = not begins_sentence(question, start)
            if ordinary and (misspelt or not whole or not raised or not within):
                return
            if not whole and not raised:
                return
            certainty = 0.5 if ordinary else 1.0 if whole else 0.6
        for name in whole or names:
            yield CardMention(
                start,
                end,
                name.card,
                tuple(self.entries[name.card]),
                round(certainty - 0.15 * misspelt, 2),
            )


def _spelling(
    known: frozenset[str], ordinary: frozenset[str], speller: SpellingCorrector, word: str
) -> tuple[str, bool]:
    """The one of the ``known`` words of names that ``word`` is, else the word itself, and whether
    it is misspelt for it.
    """
    plain = normalization.fold_umlauts(word)
    if plain in known:
        return plain, False
    if plain.removesuffix("s") in known:  # German genitive
        return plain.removesuffix("s"), False
    meant = None if plain in ordinary else speller.nearest(plain)
    return (plain, False) if meant is None else (meant, True)


def _display_name(entry: Entry) -> str:
    """The card's name as readers see it, without product and number."""
    bare = re.sub(r"\([^()]*\)\s*:?$", "", entry.title).strip(' :"„“”«»')
    return bare if name_words(bare) else entry.card or entry.title


def _ordinary_words(rulebook: RulebookView, tables: LanguageTables) -> set[str]:
    """Which words of the names are everyday words: the glossary or the text has them elsewhere, or
    spaCy's tables for the language.
    """
    cards = {entry.id: set(name_words(entry.card)) for entry in rulebook.entries if entry.card}
    if not cards:
        return set(_SMALL)
    of_names = set().union(*cards.values())
    having: Counter[str] = Counter()
    for passage in rulebook.passages:
        # Lower case only, or every card that another ruling speaks of would be an ordinary word.
        here = {
            normalization.fold_umlauts(word.text)
            for word in normalization.tokenize(passage.text)
            if word.text.islower()
        }
        having.update((here & of_names) - cards.get(passage.entry, set()))
    glossary = {
        word
        for entry in rulebook.entries
        if entry.kind in (Kind.TERM, Kind.REDIRECT)
        for word in name_words(entry.heading)
    }
    printed = {
        word.text
        for entry in rulebook.entries
        if entry.card
        for word in normalization.tokenize(entry.card)
    }
    common = {normalization.fold_umlauts(word) for word in printed if tables.knows(word)}
    return (
        {word for word, count in having.items() if count >= _FREQUENT}
        | (glossary & of_names)
        | common
        | _SMALL
    )
