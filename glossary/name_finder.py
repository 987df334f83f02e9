"""Finds names of concepts in running text by the stems of their words: exact except for endings,
without guesses at misspellings.

`glossary.recognition` reads what players type and guesses generously; a check of print must not,
and has no time to load its tables.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from corpus.languages import get_language
from glossary import normalization
from glossary.aliases import AliasKind, aliases_of
from glossary.concepts import Concept
from glossary.normalization import Token

_stem = lru_cache(maxsize=50_000)(
    normalization.stem
)  # a rulebook has a few thousand words, each many times


class NameUse(NamedTuple):
    """The words ``first`` to ``last`` (exclusive) of a text that name ``concepts``: ids, each with
    its name in the data file.
    """

    first: int
    last: int
    concepts: tuple[tuple[str, str], ...]


class NameFinder:
    """The official names of concepts in one language, found in text in any form of their words; the
    longest name wins.

    Names that are everyday words ("dann", "poi") are left out unless ``ordinary`` ones are wanted
    too.
    """

    def __init__(self, concepts: Iterable[Concept], language: str, ordinary: bool = False):
        self.language = language
        self.ordinary: set[str] = set()
        self._names: dict[tuple[str, ...], dict[str, list[tuple[str, tuple[str, ...]]]]] = (
            defaultdict(lambda: defaultdict(list))
        )
        self._lengths: dict[str, list[int]] = defaultdict(
            list
        )  # of the names that begin with a stem, longest first
        self._short: dict[str, dict[str, str]] = defaultdict(dict)
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
        """Let ``name`` name ``concept`` too."""
        self._add(concept, name, tuple(word.text for word in normalization.tokenize(name)))

    def _add(self, concept: str, name: str, parts: tuple[str, ...]) -> None:
        if stems := self.stems(parts):
            self._names[stems][concept].append((name, parts))
            self._lengths[stems[0]] = sorted({*self._lengths[stems[0]], len(stems)}, reverse=True)

    def stems(self, parts: Iterable[str]) -> tuple[str, ...]:
        """The stems of some words, as names are compared."""
        return tuple(_stem(part, self.language) for part in parts)

    def find(self, tokens: Sequence[Token]) -> list[NameUse]:
        """The names among ``tokens``, in order, none within another."""
        stems = self.stems(token.text for token in tokens)
        found: list[NameUse] = []
        at = 0
        while at < len(tokens):
            if (known := self._short.get(tokens[at].text)) is not None:
                found.append(NameUse(at, at + 1, tuple(known.items())))
                at += 1
                continue
            for length in self._lengths.get(stems[at], ()):
                # A slice at the end may be shorter than asked for, and a name of that length.
                if at + length <= len(tokens) and (
                    named := self._matching(stems[at : at + length], tokens[at : at + length])
                ):
                    found.append(NameUse(at, at + length, named))
                    at += length
                    break
            else:
                at += 1
        return found

    def _matching(
        self, stems: tuple[str, ...], tokens: Sequence[Token]
    ) -> tuple[tuple[str, str], ...]:
        named = []
        for id, names in self._names.get(stems, {}).items():
            form = next(
                (text for text, parts in names if _inflected(tokens, parts, self.language)), None
            )
            if form is not None:
                named.append((id, form))
        return tuple(named)


@cache
def _endings(language: str) -> re.Pattern[str] | None:
    endings = get_language(language).forms.endings
    return re.compile(endings) if endings is not None else None


def _inflected(tokens: Sequence[Token], parts: Sequence[str], language: str) -> bool:
    """Whether words differ from a name in endings alone: "Spieler" has the stem of "spielen" and is
    none of its forms.
    """
    forms, inflection = get_language(language).forms, _endings(language)
    if inflection is None:
        return True
    for token, part in zip(tokens, parts, strict=True):
        if part.endswith(forms.verb_endings):
            continue
        one, other = normalization.fold_umlauts(token.text), normalization.fold_umlauts(part)
        shared = next(
            (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
            min(len(one), len(other)),
        )
        endings = one[shared:], other[shared:]
        if endings in forms.derivations or endings[::-1] in forms.derivations:
            return False
        if not all(map(inflection.fullmatch, endings)):
            return False
    return True
