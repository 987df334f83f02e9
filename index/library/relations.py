"""What belongs together in a library, by number: the entries of each edition, the passages,
children and references of each entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.model import Edition, Entry, Passage, Role
from glossary.model import Reference
from glossary.string_trie import UNKNOWN
from index.files.name_tables import IdTable
from index.files.quantized import load_mapped
from index.files.ragged import RaggedArray

_ROWS = (
    "entries",
    "carded",
    "printed",
    "pointing",
    "passages",
    "children",
    "references",
    "referring",
)  # also names of files
_ARRAYS = ("owners", "searchable", "bounds", "fallbacks")


@dataclass(frozen=True)
class Relations:
    """What belongs together in a library whose editions, entries, passages and references are
    numbered in their order, from 0.

    ``ids`` are those of the entries. Rows by edition: its ``entries``, those of them about a card
    (``carded``), its passages (``printed``), its references in the order of its entries
    (``pointing``). Rows by entry: its ``passages``, ``children`` and ``references``, and the
    entries ``referring`` to it. ``owners``, shape (passages,), is the entry of each passage, -1 for
    none. ``searchable`` are the passages of running text; those of edition i are at ``bounds[i]``
    up to ``bounds[i + 1]`` in it. ``fallbacks``, shape (editions,), is the passage that says what
    to do where nothing settles a question, -1 for none.
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
        """The relations of a library; each part is gone through once."""
        edition_numbers = {edition.id: number for number, edition in enumerate(editions)}
        names, editions_of, parents, carded = [], [], [], []
        fallback_entries: dict[
            int, list[int]
        ] = {}  # by edition: entries with the heading of its fallback
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
        owners_and_roles = [(ids.number(p.entry), p.role is Role.TEXT) for p in passages]
        owners = np.array([owner for owner, _ in owners_and_roles], dtype=np.int32)
        searchable = np.flatnonzero([is_text for _, is_text in owners_and_roles]).astype(np.int32)
        edition_of_passage = np.where(owners < 0, UNKNOWN, np.r_[edition_of, UNKNOWN][owners])
        of_entry = RaggedArray.from_owners(owners, np.arange(len(owners)), len(names))
        pairs = np.array(
            [(ids.number(r.entry), ids.number(r.target or "")) for r in references], dtype=np.int32
        ).reshape(-1, 2)
        pointing = RaggedArray.from_owners(pairs[:, 0], np.arange(len(pairs)), len(names))
        searchable_editions = edition_of_passage[searchable]
        counts = np.bincount(searchable_editions[searchable_editions >= 0], minlength=len(editions))
        return cls(
            ids=ids,
            entries=RaggedArray.from_owners(edition_of, np.arange(len(names)), len(editions)),
            carded=RaggedArray.from_owners(edition_of[carded], carded, len(editions)),
            printed=RaggedArray.from_owners(
                edition_of_passage, np.arange(len(edition_of_passage)), len(editions)
            ),
            pointing=RaggedArray.from_owners(
                edition_of[pairs[pointing.values, 0]], pointing.values, len(editions)
            ),
            passages=of_entry,
            children=RaggedArray.from_owners(
                [ids.number(parent) for parent in parents], np.arange(len(names)), len(names)
            ),
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
        """The relations in ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where they are damaged.
        """
        fields: dict[str, Any] = {"ids": IdTable.load(folder / "ids")}
        fields |= {name: RaggedArray.load(folder / name) for name in _ROWS}
        fields |= {name: load_mapped(folder / f"{name}.npy") for name in _ARRAYS}
        return cls(**fields)


def _referring(pairs: NDArray[np.int32], entries: int) -> RaggedArray:
    """The entries that refer to each entry, each once, from references between entries, shape (n,
    2), -1 for none.
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
    """The first passage under the heading that edition ``number`` names as its fallback, or that a
    sister edition names.
    """
    edition = editions[number]
    sisters = [
        n for n, e in enumerate(editions) if e.game == edition.game and n in fallback_entries
    ]
    for sister in sorted(
        sisters,
        key=lambda n: (n != number, editions[n].language != edition.language, editions[n].id),
    ):
        for entry in fallback_entries[sister]:
            if len(row := passages.row(entry)):
                return int(row[0])
    return UNKNOWN
