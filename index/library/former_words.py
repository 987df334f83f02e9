"""The words of passages that the index no longer has, so that what a link cited long ago can still
be shown and compared with what is printed now.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from corpus.blocks import Lines
from index.library.former_file import WORDS, FormerChange, FormerRecords

MOST_BYTES = 200_000_000  # of records; the five rulebooks have some 4 MB, the oldest go first

_DELETE_OLDEST = """DELETE FROM former WHERE kept IN (SELECT kept FROM (
    SELECT kept, SUM(LENGTH(record)) OVER (ORDER BY kept DESC) AS bytes FROM former)
    WHERE bytes > ?)"""
_LOG = logging.getLogger("regula")


@dataclass(frozen=True, slots=True)
class FormerPassage:
    """A passage as it was in an index: ``id``, the `quotation_hash` of its words, these, and how it
    was cited.

    ``source`` names its edition with title and version, the publication of a ruling, or the card;
    ``effective`` is the day from which that holds, "" where unknown. ``title`` and ``number`` are
    those of its entry; ``page`` is the printed one, or None without pages, ``paged`` says that the
    document has them. ``authority`` is that of a ruling, else "". ``index`` had it last.
    """

    id: str
    hash: str
    text: str
    display: str
    lead_in: str
    game: str
    language: str
    source: str
    version: str
    effective: str
    title: str
    number: str
    lines: Lines
    page: int | str | None
    paged: bool
    authority: str
    index: str


def quotation_hash(display: str) -> str:
    """Return twelve hexadecimal digits that stay the same as long as what readers see of a passage
    does, to the sign, however its lines break.
    """
    words = " ".join(display.split()).encode("utf-8", "surrogatepass")
    return hashlib.sha256(words).hexdigest()[:12]


class FormerWords(FormerRecords[FormerPassage]):
    """The former passages in ``folder``, that of the indexes."""

    table, parsed = WORDS, TypeAdapter(FormerPassage)

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES):
        super().__init__(folder)
        self._most_bytes = most_bytes

    def keep(self, passages: Iterable[FormerPassage], change: FormerChange | None = None) -> None:
        """Add ``passages`` that are not there yet, as part of ``change`` if there is one; of too
        many the oldest go. Raises `OSError` where they cannot be written.
        """
        rows = (
            (each.id, each.hash, json.dumps(asdict(each), ensure_ascii=False)) for each in passages
        )
        with self._file.changing(change) as file:
            file.executemany(
                "INSERT OR IGNORE INTO former (passage, hash, record) VALUES (?, ?, ?)", rows
            )
            file.execute(_DELETE_OLDEST, (self._most_bytes,))

    def _add(self, found: Iterable[FormerPassage], change: FormerChange | None) -> None:
        self.keep(found, change)

    def find(self, passage: str, hash: str) -> FormerPassage | None:
        """Return the passage that was called ``passage`` and had these words, or the last one that
        was called so for an empty ``hash``; None where it is not kept, or cannot be read.
        """
        which, values = "WHERE passage = ? ORDER BY kept DESC LIMIT 1", [passage]
        if hash:
            which, values = "WHERE passage = ? AND hash = ?", [passage, hash]
        found = self._file.records(WORDS, which, *values)
        try:
            record = next(found, None)
            return self.parsed.validate_json(record) if record else None
        except ValueError:
            _LOG.warning("what was kept of %s (%s) cannot be read", passage, hash)
            return None
