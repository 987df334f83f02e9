"""Documents: the text files of rulebooks as their owner supplied them, never altered."""

from __future__ import annotations

import bisect
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from corpus.errors import RegulaError

LARGEST = 20_000_000  # bytes; the largest rulebook seen has 0.3 million


class UnreadableDocument(RegulaError, ValueError):
    """A file that cannot be a rulebook. The message is one line that says why and what to do."""


class Line(NamedTuple):
    """One line of a document: its number from 1, the span of its text, and the text without the line's end."""

    number: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Document:
    """The text of a rulebook. ``file`` is its file name; it has no influence on how the document is read."""

    file: str
    sha256: str
    text: str = field(repr=False)

    @classmethod
    def from_bytes(cls, file: str, raw: bytes) -> Document:
        """Decode ``raw`` without changing a newline.

        Raises `UnreadableDocument` where the bytes are empty, larger than `LARGEST`, binary, or not UTF-8.
        """
        if len(raw) > LARGEST:
            raise UnreadableDocument(f"{file}: {len(raw):,} bytes is more than a rulebook can have ({LARGEST:,}); left out")
        if not raw.strip():
            raise UnreadableDocument(f"{file}: empty; left out")
        if b"\0" in raw:
            raise UnreadableDocument(f"{file}: binary, not text; export the rulebook as plain text in UTF-8; left out")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UnreadableDocument(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8; left out") from error
        return cls(file, hashlib.sha256(raw).hexdigest(), text)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines, separated by newline characters only, so that their numbers are those of text editors."""
        lines, start = [], 0
        for number, match in enumerate(re.finditer(r"\n|\Z", self.text), 1):
            end = match.start()
            lines.append(Line(number, start, end, self.text[start:end]))
            start = match.end()
        if len(lines) > 1 and not lines[-1].text:  # a newline at the end of the text does not begin another line
            lines.pop()
        return tuple(lines)

    @cached_property
    def _starts(self) -> list[int]:
        return [line.start for line in self.lines]

    def line(self, number: int) -> Line:
        """The line with ``number``, counted from 1."""
        return self.lines[number - 1]

    def line_at(self, offset: int) -> int:
        """The number of the line that contains the character at ``offset``."""
        return bisect.bisect_right(self._starts, offset)


def documents(folder: Path) -> Iterator[Document | UnreadableDocument]:
    """Every file of ``folder`` in order of names: a `Document`, or the `UnreadableDocument` error that says why it cannot be read.

    Hidden files are skipped. Links that lead out of the folder, anything that is not a plain file, and files larger than
    `LARGEST` are not opened. Raises `OSError` where the folder itself cannot be listed.
    """
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        try:
            yield _document(folder, path)
        except UnreadableDocument as error:
            yield error
        except OSError as error:
            yield UnreadableDocument(f"{_printable(path.name)}: cannot be read ({error.strerror}); left out")


def _document(folder: Path, path: Path) -> Document:
    """Read the file ``path`` in ``folder``. Raises `UnreadableDocument` and `OSError`."""
    name = path.name
    if name != os.fsencode(name).decode("utf-8", "replace"):
        raise UnreadableDocument(f"{_printable(name)}: its name is not UTF-8; rename it; left out")
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise UnreadableDocument(f"{name}: a link that leads out of the folder; put the file itself here; left out")
    if path.is_dir():
        raise UnreadableDocument(f"{name}: a directory, not a rulebook; left out")
    if not path.is_file():
        raise UnreadableDocument(f"{name}: not a plain file; left out")
    if path.stat().st_size > LARGEST:
        raise UnreadableDocument(f"{name}: {path.stat().st_size:,} bytes is more than a rulebook can have ({LARGEST:,}); left out")
    return Document.from_bytes(name, path.read_bytes())


def _printable(name: str) -> str:
    """The ``name`` of a file, with escapes for bytes that are not UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
