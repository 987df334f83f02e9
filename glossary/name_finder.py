"""Find names of concepts in running text by the stems of their words: exact except for endings,
without guessing at misspellings.

`glossary.recognition` reads what players type and guesses generously; checks of the print must not
guess, and have no time to load word tables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from corpus.languages import get_language
from glossary.aliases import AliasKind, aliases_of
from glossary.concepts import Concept
from glossary.normalization import Token, fold_umlauts, stem, tokenize

# A rulebook has a few thousand words, each many times.
_stem = lru_cache(maxsize=50_000)(stem)


class NameUse(NamedTuple):
    """The words ``first`` to ``last`` (exclusive) of a text that name ``concepts``: pairs of id and
    name in the data file.
    """

    first: int
    last: int
    concepts: tuple[tuple[str, str], ...]


class NameFinder:
    """The official names of concepts in one language, found in text in any form of their words; the
    longest name wins.

    Names that are everyday words ("dann", "poi") are left out unless ``ordinary`` is true.
    """

    def __init__(self, concepts: Iterable[Concept], language: str, ordinary: bool = False):
        self.language = language
        self.ordinary: set[str] = set()
        # By stems and concept: each name with its words.
        self._names: dict[tuple[str, ...], dict[str, list[tuple[str, tuple[str, ...]]]]] = (
            defaultdict(lambda: defaultdict(list))
        )
        # Numbers of words of the names that begin with a stem, longest first.
        self._lengths: dict[str, list[int]] = defaultdict(list)
        self._short: dict[str, dict[str, str]] = defaultdict(dict)
        self._phrases: dict[str, list[list[str]]] = defaultdict(list)
        for phrase in get_language(language).sentences.set_phrases:
            self._phrases[phrase.split()[0].casefold()].append(phrase.casefold().split())
        for alias in (alias for concept in concepts for alias in aliases_of(concept)):
            if (
                (alias.ordinary and not ordinary)
                or alias.language != language
                or alias.kind in (AliasKind.SLANG, AliasKind.SYMBOL)
            ):
                continue
            if alias.ordinary:
                self.ordinary.add(alias.concept)
            if alias.kind is AliasKind.ABBREVIATION:
                self._short[alias.text].setdefault(alias.concept, alias.text)
            else:
                self._add(alias.concept, alias.text, alias.words)

    def add(self, concept: str, name: str) -> None:
        """Add ``name`` as a name of ``concept``."""
        self._add(concept, name, tuple(word.text for word in tokenize(name)))

    def _add(self, concept: str, name: str, words: tuple[str, ...]) -> None:
        if stems := self.stems(words):
            self._names[stems][concept].append((name, words))
            self._lengths[stems[0]] = sorted({*self._lengths[stems[0]], len(stems)}, reverse=True)

    def stems(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the stems of some words, in the form used to compare names."""
        return tuple(_stem(word, self.language) for word in words)

    def find(self, tokens: Sequence[Token]) -> list[NameUse]:
        """Return the names among ``tokens``, in order, without overlaps."""
        stems = self.stems(token.text for token in tokens)
        found: list[NameUse] = []
        at = 0
        while at < len(tokens):
            if phrase := self._phrase(tokens, at):
                at += phrase
                continue
            if (known := self._short.get(tokens[at].text)) is not None:
                found.append(NameUse(at, at + 1, tuple(known.items())))
                at += 1
                continue
            for length in self._lengths.get(stems[at], ()):
                # At the end, the slice may be shorter than ``length`` and match a shorter name.
                if at + length <= len(tokens) and (
                    named := self._matching(stems[at : at + length], tokens[at : at + length])
                ):
                    found.append(NameUse(at, at + length, named))
                    at += length
                    break
            else:
                at += 1
        return found

    def _phrase(self, tokens: Sequence[Token], at: int) -> int:
        """Return the number of tokens of the set phrase at token ``at``; 0 if there is none."""
        for phrase in self._phrases.get(tokens[at].text.casefold(), ()):
            if [t.text.casefold() for t in tokens[at : at + len(phrase)]] == phrase:
                return len(phrase)
        return 0

    def _matching(
        self, stems: tuple[str, ...], tokens: Sequence[Token]
    ) -> tuple[tuple[str, str], ...]:
        named = {}
        for id, names in self._names.get(stems, {}).items():
            for text, words in names:
                if id not in named and _inflected(tokens, words, self.language):
                    named[id] = text
        return tuple(named.items())


@cache
def _endings(language: str) -> re.Pattern[str] | None:
    endings = get_language(language).forms.endings
    return re.compile(endings) if endings is not None else None


def _inflected(tokens: Sequence[Token], words: Sequence[str], language: str) -> bool:
    """Return whether ``tokens`` differ from ``words``, those of a name, only in endings: "Spielers"
    is a form of "Spieler"; "spielen" has the same stem, but is none.
    """
    forms, inflection = get_language(language).forms, _endings(language)
    if inflection is None:
        return True
    for token, word in zip(tokens, words, strict=True):
        if word.endswith(forms.verb_endings):
            continue
        one, other = fold_umlauts(token.text), fold_umlauts(word)
        shared = 0
        while one[shared : shared + 1] == other[shared : shared + 1] != "":
            shared += 1
        endings = one[shared:], other[shared:]
        if endings in forms.derivations or endings[::-1] in forms.derivations:
            return False
        if not all(map(inflection.fullmatch, endings)):
            return False
    return True
