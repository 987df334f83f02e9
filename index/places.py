"""Where every searchable passage stands: its edition, its entry, its concept, as arrays and look-ups by its number."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from corpus.divide import LONGEST
from corpus.model import Edition
from glossary.words import fold
from index.library import Library


@dataclass(frozen=True)
class Places:
    """The searchable passages of ``editions``, numbered from 0, those of edition i from ``bounds[i]`` up to ``bounds[i + 1]``.

    ``entries``, shape (n,), are numbers of entries; ``beginnings``, shape (n,), says which passages are the first of theirs;
    ``lengths``, shape (n,), is how long each is on a logarithmic scale, 1 for the longest that there may be. Passages by the id
    of their entry (``of_entry``), by the number it has in print (``of_rule``), by the concept that it or an entry around it is
    about (``of_concept``); rulings and errata by the printed number of their card (``of_card``).
    """

    editions: tuple[Edition, ...]
    bounds: NDArray[np.int64]
    entries: NDArray[np.int64]
    beginnings: NDArray[np.bool_]
    lengths: NDArray[np.float32]
    of_entry: Mapping[str, Sequence[int]]
    of_rule: Mapping[str, Sequence[int]]
    of_concept: Mapping[str, NDArray[np.int64]]
    of_card: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, library: Library) -> Places:
        """Those of the searchable passages of ``library``."""
        of_entry: dict[str, list[int]] = {}
        for number, passage in enumerate(library.searchable):
            of_entry.setdefault(passage.entry, []).append(number)
        known = {entry: number for number, entry in enumerate(of_entry)}
        of_rule: dict[str, list[int]] = {}
        of_concept: dict[str, list[int]] = {}
        for id, numbers in of_entry.items():
            if printed := library.entry[id].number:
                of_rule.setdefault(printed, []).extend(numbers)
            for around in library.path(library.entry[id]):
                if around.id in library.concepts:
                    of_concept.setdefault(library.concepts[around.id], []).extend(numbers)
        of_card: dict[str, list[str]] = {}
        for entry in library.entries:
            for number in re.findall(r"\w+", fold(entry.number or "")) if entry.card else ():  # "1B-3B" is asked for by either
                of_card.setdefault(number, []).append(entry.id)
        return cls(
            library.editions,
            np.array(library.bounds),
            np.array([known[p.entry] for p in library.searchable], dtype=np.int64),
            np.array([p.ordinal == 0 for p in library.searchable], dtype=np.bool_),
            lengths(np.array([len(p.text) for p in library.searchable])),
            of_entry,
            of_rule,
            {concept: np.array(numbers, dtype=np.int64) for concept, numbers in of_concept.items()},
            of_card,
        )

    def __len__(self) -> int:
        return len(self.entries)

    def edition(self, number: int) -> Edition:
        """The edition that a passage is in."""
        return self.editions[int(np.searchsorted(self.bounds, number, side="right")) - 1]

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The place of each edition in ``editions``, by id."""
        return {edition.id: number for number, edition in enumerate(self.editions)}

    @cached_property
    def printed_in(self) -> dict[str, NDArray[np.bool_]]:
        """Which passages are printed in each language."""
        languages = np.array([edition.language for edition in self.editions])
        return {str(spoken): np.repeat(languages == spoken, np.diff(self.bounds)) for spoken in np.unique(languages)}


def lengths(characters: NDArray[np.integer]) -> NDArray[np.float32]:
    """How long texts of so many characters are on a logarithmic scale, 1 for the longest passage that there may be."""
    return np.asarray(np.log1p(characters.astype(np.float32)) / np.log1p(LONGEST), dtype=np.float32)


def within(numbers: NDArray[np.int64], wanted: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Where those of ``wanted`` stand that are among ``numbers``, which ascend."""
    found = np.asarray(wanted, dtype=np.int64)
    places = np.searchsorted(numbers, found)
    there = places < len(numbers)
    there[there] = numbers[places[there]] == found[there]
    return np.asarray(places[there])
