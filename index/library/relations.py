"""What belongs together in a library, by number: the passages, children and references of each entry, the entries of each edition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.model import Edition, Entry, Passage, Role
from glossary.model import Reference
from glossary.string_trie import UNKNOWN
from index.files.name_tables import IdTable
from index.files.quantized import load_mapped
from index.files.ragged import RaggedArray

_ROWS = ("entries", "carded", "printed", "pointing", "passages", "children", "references", "referring")
_ARRAYS = ("owners", "searchable", "bounds", "fallbacks")


@dataclass(frozen=True)
class Relations:
    """The look-ups of a library whose editions, entries, passages and references are numbered in their order, from 0.

    ``ids`` are those of the entries. Rows by edition: its ``entries``, those of these with a card (``carded``), its
    passages (``printed``), its references in the order of its entries (``pointing``). Rows by entry: its ``passages``, ``children``
    and ``references``, and the entries ``referring`` to it.
    ``owners``, shape (passages,), are the entries that passages stand in, -1 for none. ``searchable`` are the passages of running
    text; ``bounds``, shape (editions + 1,), say where those of each edition begin among these. ``fallbacks``, shape (editions,),
    are the passages that say what to do where nothing settles a question, -1 for none.
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
    def of(
        cls, editions: Sequence[Edition], entries: Iterable[Entry], passages: Iterable[Passage], references: Iterable[Reference]
    ) -> Relations:
        """Those of a library, each part of which is looked through once."""
        known = {edition.id: number for number, edition in enumerate(editions)}
        names, editions_of, parents, carded = [], [], [], []
        helping: dict[int, list[int]] = {}  # entries that may hold the fallback of an edition
        for number, entry in enumerate(entries):
            edition = known[entry.edition]
            names.append(entry.id)
            editions_of.append(edition)
            parents.append(entry.parent or "")
            if entry.card:
                carded.append(number)
            if entry.heading == editions[edition].fallback:
                helping.setdefault(edition, []).append(number)
        ids = IdTable.from_ids(names)
        edition_of = np.array(editions_of, dtype=np.int32)
        printed = [(ids.number(p.entry), p.role is Role.TEXT) for p in passages]
        owners = np.array([owner for owner, _ in printed], dtype=np.int32)
        searchable = np.flatnonzero([text for _, text in printed]).astype(np.int32)
        home = np.where(owners < 0, UNKNOWN, np.r_[edition_of, UNKNOWN][owners])
        of_entry = RaggedArray.from_owners(owners, np.arange(len(owners)), len(names))
        pairs = np.array([(ids.number(r.entry), ids.number(r.target or "")) for r in references], dtype=np.int32).reshape(-1, 2)
        pointing = RaggedArray.from_owners(pairs[:, 0], np.arange(len(pairs)), len(names))
        return cls(
            ids,
            RaggedArray.from_owners(edition_of, np.arange(len(names)), len(editions)),
            RaggedArray.from_owners(edition_of[carded], carded, len(editions)),
            RaggedArray.from_owners(home, np.arange(len(home)), len(editions)),
            RaggedArray.from_owners(edition_of[pairs[pointing.values, 0]], pointing.values, len(editions)),
            of_entry,
            RaggedArray.from_owners([ids.number(parent) for parent in parents], np.arange(len(names)), len(names)),
            pointing,
            _referring(pairs, len(names)),
            owners,
            searchable,
            np.cumsum(np.r_[0, np.bincount(home[searchable][home[searchable] >= 0], minlength=len(editions))]),
            np.array([_fallback(editions, n, helping, of_entry) for n in range(len(editions))], dtype=np.int32),
        )

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        self.ids.save(folder / "ids")
        for name in _ROWS:
            getattr(self, name).save(folder / name)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))

    @classmethod
    def load(cls, folder: Path) -> Relations:
        """What is kept in ``folder``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged."""
        entries, carded, printed, pointing, passages, children, references, referring = (RaggedArray.load(folder / name) for name in _ROWS)
        arrays = (load_mapped(folder / f"{name}.npy") for name in _ARRAYS)
        ids = IdTable.load(folder / "ids")
        return cls(ids, entries, carded, printed, pointing, passages, children, references, referring, *arrays)


def _referring(pairs: NDArray[np.int32], entries: int) -> RaggedArray:
    """The entries that refer to each entry, each once, by references from entry to entry, shape (n, 2), -1 for none."""
    from_, to = pairs[:, 0], pairs[:, 1]
    apart = pairs[(from_ >= 0) & (to >= 0) & (from_ != to)]
    first = np.sort(np.unique(apart, axis=0, return_index=True)[1])
    return RaggedArray.from_owners(apart[first, 1], apart[first, 0], entries)


def _fallback(editions: Sequence[Edition], number: int, helping: dict[int, list[int]], passages: RaggedArray) -> int:
    """The first passage of the entry with the heading that edition ``number`` names for it, or that a sister edition names."""
    here = editions[number]
    sisters = [n for n, e in enumerate(editions) if e.game == here.game and n in helping]
    for sister in sorted(sisters, key=lambda n: (n != number, editions[n].language != here.language, editions[n].id)):
        for entry in helping[sister]:
            if len(row := passages.row(entry)):
                return int(row[0])
    return UNKNOWN
