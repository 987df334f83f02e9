"""The phrasings that an index was built with, passage by passage: what packs for asking offline are
made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from glossary.phrasings.model import Phrasing
from index.files.records import MappedRecords, write_records

PHRASINGS = "phrasings"  # the folder of an index that has them
_FILE = "phrasing"

PhrasingRecords = MappedRecords[
    tuple[Phrasing, ...]
]  # those of each searchable passage, by its number


def save_phrasings(phrasings: Iterable[Sequence[Phrasing]], folder: Path) -> None:
    """Write the ``phrasings`` of each searchable passage, in order, to ``folder``."""
    folder.mkdir(parents=True)
    write_records(folder / _FILE, phrasings)


def load_phrasings(folder: Path) -> PhrasingRecords:
    """What `save_phrasings` wrote to ``folder``. Raises `OSError` or `ValueError` where it is
    damaged.
    """
    return MappedRecords.load(folder / _FILE, _parse, cached=1)


def _parse(record: Any) -> tuple[Phrasing, ...]:
    return tuple(Phrasing(*each) for each in record)
