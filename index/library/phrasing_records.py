"""The phrasings that an index was built with, passage by passage: what packs for asking offline are
made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from glossary.query_variants.model import QueryVariant
from index.files.records import MappedRecords, write_records

PHRASINGS = "phrasings"  # the folder of an index that has them
_FILE = "phrasing"

PhrasingRecords = MappedRecords[
    tuple[QueryVariant, ...]
]  # those of each searchable passage, by its number


def save_phrasings(phrasings: Iterable[Sequence[QueryVariant]], folder: Path) -> None:
    """Write the ``phrasings`` of each searchable passage, in order, to ``folder``."""
    folder.mkdir(parents=True)
    write_records(folder / _FILE, phrasings)


def load_query_variants(folder: Path) -> PhrasingRecords:
    """What `save_phrasings` wrote to ``folder``. Raises `OSError` or `ValueError` where it is
    damaged.
    """
    return MappedRecords.load(folder / _FILE, _parse, cached=1)


def _parse(record: Any) -> tuple[QueryVariant, ...]:
    return tuple(QueryVariant(*each) for each in record)
