"""Names of concepts and cards as rulebooks print them, found by their stems: quick, and without guessing what players mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from corpus.model import Entry
from glossary import words
from glossary.aliases import unqualified
from glossary.concepts import Concept
from glossary.words import Word


class Named(NamedTuple):
    """Words ``start`` to ``end`` (exclusive) of a text that are a name, and the concepts that it may stand for.

    ``ordinary`` says that the name is an everyday word of all of them.
    """

    start: int
    end: int
    concepts: frozenset[str]
    ordinary: bool


class Names:
    """The official names and abbreviations of concepts, and the names of cards, by language.

    For rulebooks, which use them as they are: `glossary.recognition` finds what players write instead.
    """

    def __init__(self, concepts: Iterable[Concept]):
        self._names: dict[str, dict[tuple[str, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
        self._longest: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))  # words of a name, by its first
        self._short: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._ordinary: set[str] = set()
        for concept in concepts:
            if concept.ordinary:
                self._ordinary.add(concept.id)
            for language, abbreviations in concept.abbreviations.items():
                for abbreviation in abbreviations:
                    self._short[language][abbreviation].add(concept.id)
            for language, names in concept.names.items():
                short = set(map(words.fold, concept.abbreviations.get(language, ())))
                for form in dict.fromkeys(form for name in names for form in (name, unqualified(name))):
                    if words.fold(form) not in short:
                        self.add(form, language, concept.id)

    def add(self, name: str, language: str, concept: str) -> None:
        """Let ``name`` in ``language`` stand for ``concept`` too."""
        stems = tuple(words.stem(word.text, language) for word in words.words(name))
        if stems:
            self._names[language][stems].add(concept)
            self._longest[language][stems[0]] = max(self._longest[language][stems[0]], len(stems))

    def add_cards(self, entries: Iterable[Entry], languages: Mapping[str, str], tied: Mapping[str, str]) -> None:
        """Add the card of each tied ruling and erratum; ``languages`` are by edition id, ``tied`` concept ids by entry id."""
        for entry in entries:
            if entry.card and entry.id in tied:
                self.add(entry.card, languages[entry.edition], tied[entry.id].rpartition(f"-{entry.kind.value}")[0])

    def found(self, text: Sequence[Word], stems: Sequence[str], language: str) -> Iterator[Named]:
        """The names in ``text``, whose words have these ``stems``, in order of place; the longest wins."""
        names, longest, short = self._names[language], self._longest[language], self._short[language]
        start = 0
        while start < len(stems):
            end, meant = start + 1, short.get(text[start].text)
            for stop in range(min(start + longest.get(stems[start], 0), len(stems)), start, -1):
                if (called := names.get(tuple(stems[start:stop]))) is not None:
                    end, meant = stop, called if stop > start + 1 or meant is None else called | meant
                    break
            if meant:
                yield Named(start, end, frozenset(meant), meant <= self._ordinary)
            start = end
