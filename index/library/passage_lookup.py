"""Where every searchable passage stands: its edition, its entry, its concept, as arrays and look-ups by its number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.model import Edition
from corpus.split import LONGEST
from glossary.normalization import fold
from index.files.name_tables import Rows
from index.files.quantized import mapped
from index.library.library import Library

_ARRAYS = ("bounds", "entries", "beginnings", "lengths")
_ROWS = ("of_entry", "of_rule", "of_concept", "of_card")


@dataclass(frozen=True)
class Places:
    """The searchable passages of ``editions``, numbered from 0, those of edition i from ``bounds[i]`` up to ``bounds[i + 1]``.

    ``entries``, shape (n,), are numbers of entries; ``beginnings``, shape (n,), says which passages are the first of theirs;
    ``lengths``, shape (n,), is how long each is on a logarithmic scale, 1 for the longest that there may be. Passages by the id
    of their entry (``of_entry``), by the number it has in print (``of_rule``), by the concept that it or an entry around it is
    about (``of_concept``), by the printed number of the card that it is a ruling or an erratum of (``of_card``).
    """

    editions: tuple[Edition, ...]
    bounds: NDArray[np.int64]
    entries: NDArray[np.int64]
    beginnings: NDArray[np.bool_]
    lengths: NDArray[np.float32]
    of_entry: Rows
    of_rule: Rows
    of_concept: Rows
    of_card: Rows

    @classmethod
    def of(cls, library: Library) -> Places:
        """Those of the searchable passages of ``library``."""
        entries = library.ties.owners[library.ties.searchable].astype(np.int64)
        of_entry: dict[str, list[int]] = {}
        begins, sizes = np.empty(len(entries), dtype=np.bool_), np.empty(len(entries), dtype=np.int64)
        for number, passage in enumerate(library.searchable):
            of_entry.setdefault(passage.entry, []).append(number)
            begins[number], sizes[number] = passage.ordinal == 0, len(passage.text)
        of_rule: dict[str, list[int]] = {}
        of_concept: dict[str, list[int]] = {}
        of_card: dict[str, list[int]] = {}
        for id, numbers in of_entry.items():
            entry = library.entry[id]
            if entry.number:
                of_rule.setdefault(entry.number, []).extend(numbers)
            for printed in re.findall(r"\w+", fold(entry.number or "")) if entry.card else ():  # "1B-3B" is asked for by either
                of_card.setdefault(printed, []).extend(numbers)
            for around in library.path(entry):
                if around.id in library.concepts:
                    of_concept.setdefault(library.concepts[around.id], []).extend(numbers)
        rows = (Rows.gathered(groups) for groups in (of_entry, of_rule, of_concept, of_card))
        return cls(library.editions, library.ties.bounds, entries, begins, lengths(sizes), *rows)

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        folder.mkdir(parents=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))
        for name in _ROWS:
            getattr(self, name).save(folder / name)

    @classmethod
    def load(cls, folder: Path, editions: tuple[Edition, ...]) -> Places:
        """What is kept in ``folder``, of ``editions``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError` where it is
        damaged."""
        bounds, entries, begins, sizes = (mapped(folder / f"{name}.npy") for name in _ARRAYS)
        return cls(editions, bounds, entries, begins, sizes, *(Rows.load(folder / name) for name in _ROWS))

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


def within(numbers: NDArray[np.int64], wanted: NDArray[np.integer] | Sequence[int]) -> NDArray[np.integer]:
    """Where those of ``wanted`` stand that are among ``numbers``, which ascend."""
    found = wanted if isinstance(wanted, np.ndarray) else np.array(wanted, dtype=np.int64)
    if len(numbers) and (last := numbers.item(-1)) - (first := numbers.item(0)) == len(numbers) - 1:  # none is left out between them
        return np.asarray(found[(found >= first) & (found <= last)] - first)
    places = np.searchsorted(numbers, found)
    there = places < len(numbers)
    there[there] = numbers[places[there]] == found[there]
    return np.asarray(places[there])
