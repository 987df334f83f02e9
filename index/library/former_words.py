"""The words of passages that the index no longer has, so that a passage cited long ago can still be
shown and compared with the present text.
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

MOST_BYTES = 200_000_000  # of records; the five rulebooks have 4 MB, the oldest are removed first

_DELETE_OLDEST = """DELETE FROM former WHERE kept IN (SELECT kept FROM (
    SELECT kept, SUM(LENGTH(record)) OVER (ORDER BY kept DESC) AS bytes FROM former)
    WHERE bytes > ?)"""
_LOG = logging.getLogger("regula")


@dataclass(frozen=True, slots=True)
class FormerPassage:
    """A passage as it was in an index, with its citation there.

    Attributes:
        hash: The `quotation_hash` of its words.
        source: Its edition with title and version, the publication of a ruling, or the card.
        effective: The day from which the source is valid, "" if unknown.
        title, number: Those of its entry.
        page: The printed page, None without pages.
        paged: Whether the document has pages.
        authority: The authority of a ruling, else "".
        index: The last index that had it.
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
    """Return twelve hexadecimal digits that change only if a character of the passage that readers
    see changes; line breaks do not count.
    """
    words = " ".join(display.split()).encode("utf-8", "surrogatepass")
    return hashlib.sha256(words).hexdigest()[:12]


class FormerWords(FormerRecords[FormerPassage]):
    """The former passages in ``folder``, the folder of the indexes."""

    table, parsed = WORDS, TypeAdapter(FormerPassage)

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES):
        super().__init__(folder)
        self._most_bytes = most_bytes

    def keep(self, passages: Iterable[FormerPassage], change: FormerChange | None = None) -> None:
        """Add ``passages`` that are not stored yet, as part of ``change`` if there is one; if there
        are too many, the oldest are removed. Raises `OSError` if they cannot be written.
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
        """Return the former passage with the id ``passage`` and the words with this ``hash``; for
        an empty ``hash``, the last one with that id. None if it is not kept, or cannot be read.
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
