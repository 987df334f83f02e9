"""Relations between the contents of a library, by number, and their places on the pages of
documents, in files mapped into memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.blocks import Box, PageBoxes, Span
from corpus.model import Edition, Entry, Passage, Role, Rulebook
from glossary.model import Reference
from glossary.string_trie import UNKNOWN
from index.files.arrays import RaggedArray, load_mapped
from index.files.records import IdTable
from index.library.document_texts import PARTS_OF_POINT, hundredths

_ROWS = (  # also names of files
    "entries",
    "carded",
    "printed",
    "pointing",
    "passages",
    "children",
    "references",
    "referring",
)
_ARRAYS = ("owners", "searchable", "bounds", "fallbacks")
_BOX = 5  # numbers of a box: page, left, top, right, bottom


@dataclass(frozen=True)
class Relations:
    """Relations in a library whose editions, entries, passages and references are numbered in their
    order, from 0.

    Attributes:
        ids: The ids of the entries.
        entries: By edition, its entries.
        carded: By edition, its entries about a card.
        printed: By edition, its passages.
        pointing: By edition, its references in the order of its entries.
        passages: By entry, its passages.
        children: By entry, the entries directly inside it.
        references: By entry, the references printed in it.
        referring: By entry, the entries that refer to it.
        owners: The entry of each passage, -1 for none.
        searchable: The passages of running text.
        bounds: The passages of edition i are ``searchable[bounds[i]:bounds[i + 1]]``.
        fallbacks: For each edition the passage that says what to do if the rules settle nothing, -1
            for none.
    """

    ids: IdTable
    entries: RaggedArray
    carded: RaggedArray
    printed: RaggedArray
    pointing: RaggedArray
    passages: RaggedArray
    children: RaggedArray
    references: RaggedArray
    referring: RaggedArray
    owners: NDArray[np.int32]
    searchable: NDArray[np.int32]
    bounds: NDArray[np.int64]
    fallbacks: NDArray[np.int32]

    @classmethod
    def build(
        cls,
        editions: Sequence[Edition],
        entries: Iterable[Entry],
        passages: Iterable[Passage],
        references: Iterable[Reference],
    ) -> Relations:
        """Compute the relations of a library in one pass over each of its parts."""
        edition_numbers = {edition.id: number for number, edition in enumerate(editions)}
        names, editions_of, parents, carded = [], [], [], []
        fallback_entries: dict[int, list[int]] = {}  # by edition, under the heading of its fallback
        for number, entry in enumerate(entries):
            edition = edition_numbers[entry.edition]
            names.append(entry.id)
            editions_of.append(edition)
            parents.append(entry.parent or "")
            if entry.card:
                carded.append(number)
            if entry.heading == editions[edition].fallback:
                fallback_entries.setdefault(edition, []).append(number)
        ids = IdTable.from_ids(names)
        edition_of = np.array(editions_of, dtype=np.int32)
        owned = [(ids.number(p.entry), p.role is Role.TEXT) for p in passages]
        owners = np.array([owner for owner, _ in owned], dtype=np.int32)
        searchable = np.flatnonzero([is_text for _, is_text in owned]).astype(np.int32)
        edition_of_passage = np.where(owners < 0, UNKNOWN, np.r_[edition_of, UNKNOWN][owners])
        pairs = np.array(
            [(ids.number(r.entry), ids.number(r.target or "")) for r in references], dtype=np.int32
        ).reshape(-1, 2)
        searched = edition_of_passage[searchable]
        counts = np.bincount(searched[searched >= 0], minlength=len(editions))

        def by_entry(owners: Sequence[int] | NDArray[np.integer]) -> RaggedArray:
            return RaggedArray.from_owners(owners, np.arange(len(owners)), len(names))

        def by_edition(
            owners: NDArray[np.integer], values: Sequence[int] | NDArray[np.integer]
        ) -> RaggedArray:
            return RaggedArray.from_owners(owners, values, len(editions))

        of_entry, pointing = by_entry(owners), by_entry(pairs[:, 0])
        return cls(
            ids=ids,
            entries=by_edition(edition_of, np.arange(len(names))),
            carded=by_edition(edition_of[carded], carded),
            printed=by_edition(edition_of_passage, np.arange(len(edition_of_passage))),
            pointing=by_edition(edition_of[pairs[pointing.values, 0]], pointing.values),
            passages=of_entry,
            children=by_entry([ids.number(parent) for parent in parents]),
            references=pointing,
            referring=_referring(pairs, len(names)),
            owners=owners,
            searchable=searchable,
            bounds=np.cumsum(np.r_[0, counts]),
            fallbacks=np.array(
                [_fallback(editions, n, fallback_entries, of_entry) for n in range(len(editions))],
                dtype=np.int32,
            ),
        )

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        self.ids.save(folder / "ids")
        for name in _ROWS:
            getattr(self, name).save(folder / name)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path) -> Relations:
        """Map the relations in ``folder``.

        Raises `OSError`, `ValueError` or `RuntimeError` if they are damaged.
        """
        fields: dict[str, Any] = {"ids": IdTable.load(folder / "ids")}
        fields |= {name: RaggedArray.load(folder / name) for name in _ROWS}
        fields |= {name: load_mapped(folder / f"{name}.npy") for name in _ARRAYS}
        return cls(**fields)


def _referring(pairs: NDArray[np.int32], entries: int) -> RaggedArray:
    """Return for each entry the entries that refer to it, each once. ``pairs`` are all references
    between entries, shape (n, 2), -1 for none.
    """
    from_, to = pairs[:, 0], pairs[:, 1]
    between = pairs[(from_ >= 0) & (to >= 0) & (from_ != to)]
    first = np.sort(np.unique(between, axis=0, return_index=True)[1])
    return RaggedArray.from_owners(between[first, 1], between[first, 0], entries)


def _fallback(
    editions: Sequence[Edition],
    number: int,
    fallback_entries: dict[int, list[int]],
    passages: RaggedArray,
) -> int:
    """Return the first passage under the heading that edition ``number``, or a sister edition,
    names as its fallback.
    """
    edition = editions[number]
    sisters = [n for n in fallback_entries if editions[n].game == edition.game]
    for sister in sorted(
        sisters,
        key=lambda n: (n != number, editions[n].language != edition.language, editions[n].id),
    ):
        for entry in fallback_entries[sister]:
            if len(row := passages.row(entry)):
                return int(row[0])
    return UNKNOWN


def page_boxes(things: Sequence[tuple[Rulebook, Iterable[Span]]]) -> RaggedArray:
    """Return a row for each of ``things``: the boxes of its spans on pages, if there are any."""
    owners: list[int] = []
    values: list[int] = []
    for number, (book, spans) in enumerate(things):
        for page, boxes in book.document.pages.boxes(spans) if book.document.pages else ():
            for box in boxes:
                owners += [number] * _BOX
                values += [page, *hundredths(box)]
    return RaggedArray.from_owners(owners, values, len(things))


def boxes_by_page(rows: RaggedArray, number: int) -> tuple[PageBoxes, ...]:
    """Return row ``number`` of the result of `page_boxes`, by page."""
    boxes = rows.row(number).reshape(-1, _BOX).tolist() if number < len(rows) else []
    return tuple(
        PageBoxes(page, tuple(Box(*(v / PARTS_OF_POINT for v in box[1:])) for box in found))
        for page, found in groupby(boxes, key=lambda box: int(box[0]))
    )
