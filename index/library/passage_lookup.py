"""Which edition, entry, rule, concept and card every searchable passage belongs to, as arrays by
its number and the reverse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.draft import LONGEST
from corpus.model import Edition
from glossary.normalization import fold
from glossary.references.numbers import dotted_numbers
from index.files.name_tables import NameIndex
from index.files.quantized import load_mapped
from index.library.library import Library

_LABELLED = re.compile(r"(?:§+|[^\W\d]+\.?)\s*(\d+[a-zA-Z]?)")  # § 3, Art. 5

_RULE_DIGITS = 3  # of a whole number that is that of a rule


@dataclass(frozen=True)
class PassageLookup:
    """Facts about the searchable passages of ``editions``, by passage number from 0, and passage
    numbers by what they belong to.

    The passages of edition i are those from ``bounds[i]`` up to ``bounds[i + 1]``. Arrays of shape
    (n,): ``entries``, the number of the entry of each passage; ``is_first``, whether it is the
    first of its entry; ``lengths``, its length on a logarithmic scale, 1 for the longest possible
    passage. Passages by the id of their entry (``of_entry``), by the printed number of that, and by
    that of an entry around it without a text of its own before it (``of_rule``), by the concept
    that it or an entry around it is about (``of_concept``), and by the printed number of the card
    that it is a ruling or an erratum of (``of_card``).
    """

    editions: tuple[Edition, ...]
    bounds: NDArray[np.int64]
    entries: NDArray[np.int64]
    is_first: NDArray[np.bool_]
    lengths: NDArray[np.float32]
    of_entry: NameIndex
    of_rule: NameIndex
    of_concept: NameIndex
    of_card: NameIndex

    @classmethod
    def build(cls, library: Library) -> PassageLookup:
        """The look-ups of the searchable passages of ``library``."""
        entries = library.relations.owners[library.relations.searchable].astype(np.int64)
        is_first, sizes = (
            np.empty(len(entries), dtype=np.bool_),
            np.empty(len(entries), dtype=np.int64),
        )
        of_entry: dict[str, list[int]] = {}
        for number, passage in enumerate(library.searchable):
            of_entry.setdefault(passage.entry, []).append(number)
            is_first[number], sizes[number] = passage.ordinal == 0, len(passage.text)
        of_rule: dict[str, list[int]] = {}
        of_concept: dict[str, list[int]] = {}
        of_card: dict[str, list[int]] = {}
        for form, id in _rule_numbers(library):
            told = (
                id
                if id in of_entry or _is_chapter(form)
                else _first_with_text(library, id, of_entry)
            )
            if told in of_entry:
                of_rule.setdefault(form, []).extend(of_entry[told])
        for id, numbers in of_entry.items():
            entry = library.entry[id]
            for printed in (
                re.findall(r"\w+", fold(entry.number or "")) if entry.card else ()
            ):  # "1B-3B" is found by either number
                of_card.setdefault(printed, []).extend(numbers)
            for around in library.path(entry):
                if around.id in library.concepts:
                    of_concept.setdefault(library.concepts[around.id], []).extend(numbers)
        return cls(
            editions=library.editions,
            bounds=library.relations.bounds,
            entries=entries,
            is_first=is_first,
            lengths=length_scores(sizes),
            of_entry=NameIndex.from_groups(of_entry),
            of_rule=NameIndex.from_groups(
                {form: sorted(set(numbers)) for form, numbers in of_rule.items()}
            ),
            of_concept=NameIndex.from_groups(of_concept),
            of_card=NameIndex.from_groups(of_card),
        )

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        np.save(folder / "bounds.npy", self.bounds)
        np.save(folder / "entries.npy", self.entries)
        np.save(folder / "beginnings.npy", self.is_first)
        np.save(folder / "lengths.npy", self.lengths)
        self.of_entry.save(folder / "of_entry")
        self.of_rule.save(folder / "of_rule")
        self.of_concept.save(folder / "of_concept")
        self.of_card.save(folder / "of_card")

    @classmethod
    def load(cls, folder: Path, editions: tuple[Edition, ...]) -> PassageLookup:
        """The look-ups in ``folder``, of ``editions``, mapped into memory.

        Raises `OSError`, `ValueError` or `RuntimeError` where they are damaged.
        """
        return cls(
            editions=editions,
            bounds=load_mapped(folder / "bounds.npy"),
            entries=load_mapped(folder / "entries.npy"),
            is_first=load_mapped(folder / "beginnings.npy"),
            lengths=load_mapped(folder / "lengths.npy"),
            of_entry=NameIndex.load(folder / "of_entry"),
            of_rule=NameIndex.load(folder / "of_rule"),
            of_concept=NameIndex.load(folder / "of_concept"),
            of_card=NameIndex.load(folder / "of_card"),
        )

    def __len__(self) -> int:
        return len(self.entries)

    def edition_number(self, number: int) -> int:
        """The number of the edition of passage ``number``."""
        return int(np.searchsorted(self.bounds, number, side="right")) - 1

    def edition(self, number: int) -> Edition:
        """The edition of passage ``number``."""
        return self.editions[self.edition_number(number)]

    @cached_property
    def in_language(self) -> dict[str, NDArray[np.bool_]]:
        """Which passages are printed in each language."""
        languages = np.array([edition.language for edition in self.editions])
        return {
            str(spoken): np.repeat(languages == spoken, np.diff(self.bounds))
            for spoken in np.unique(languages)
        }


def _rule_numbers(library: Library) -> Iterator[tuple[str, str]]:
    """The forms in which the number of an entry is asked for, each with the id of the entry."""
    for rulebook in library.rulebooks:
        dotted = dotted_numbers(rulebook.entries)
        for entry in rulebook.entries:
            if entry.number and not entry.card:  # whose number is that of the card
                for form in sorted(
                    {entry.number, _bare(entry.number), *filter(None, [dotted.get(entry.id)])}
                ):
                    yield form, entry.id


def _is_chapter(number: str) -> bool:
    """Whether ``number`` is that of a chapter rather than of a rule, so that it may stand in a
    question by chance.
    """
    return "." not in number and len(number) < _RULE_DIGITS


def _first_with_text(
    library: Library, id: str, of_entry: Mapping[str, Sequence[int]]
) -> str | None:
    """The entry ``id`` if it has a text of its own, else the first inside it that has one: who asks
    for rule 601 wants 601.1.
    """
    if id in of_entry:
        return id
    inside = (
        _first_with_text(library, child.id, of_entry) for child in library.children_of.get(id, ())
    )
    return next(filter(None, inside), None)


def _bare(number: str) -> str:
    """A printed ``number`` of a rule as it is asked for: without a label before its digits, in
    small letters.
    """
    return (match[1] if (match := _LABELLED.fullmatch(number)) else number).lower()


def length_scores(characters: NDArray[np.integer]) -> NDArray[np.float32]:
    """The lengths of texts, given in ``characters``, on a logarithmic scale: 1 for the longest
    possible passage; the same shape.
    """
    return np.asarray(np.log1p(characters.astype(np.float32)) / np.log1p(LONGEST), dtype=np.float32)


def positions(
    numbers: NDArray[np.int64], wanted: NDArray[np.integer] | Sequence[int]
) -> NDArray[np.integer]:
    """The positions in ``numbers``, which ascend, of those of ``wanted`` that are among them."""
    sought = wanted if isinstance(wanted, np.ndarray) else np.array(wanted, dtype=np.int64)
    if (
        len(numbers) and (last := numbers.item(-1)) - (first := numbers.item(0)) == len(numbers) - 1
    ):  # numbers without a gap
        return np.asarray(sought[(sought >= first) & (sought <= last)] - first)
    places = np.searchsorted(numbers, sought)
    present = places < len(numbers)
    present[present] = numbers[places[present]] == sought[present]
    return np.asarray(places[present])
