"""Documents: the files of rulebooks, unaltered, and their text."""

from __future__ import annotations

import bisect
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from corpus.blocks import Block, Bookmark, ExtractedText, PageMap
from corpus.errors import RegulaError
from corpus.formats import UnreadableFile, isolated, recognise_file, recognise_text
from corpus.formats.encodings import UndecodableText, decode

LARGEST = 20_000_000  # bytes; the largest rulebook seen has 0.3 million
MOST_LINES = 2 * isolated.MOST_BLOCKS  # of a text file, with an empty line between paragraphs

Kept = Callable[[str], ExtractedText | None]
"""A cache of extractions: returns the text extracted before from the file with a SHA-256, or
None.
"""


class UnreadableDocument(RegulaError, ValueError):
    """A file that cannot be read as a rulebook; the message says in one line why and what to do."""


class Line(NamedTuple):
    """One line of a document: its number from 1, its span, and its text without the line end.

    Only lines of pages have ``indent``, the indentation in blanks, and ``close``, which is true if
    the line belongs close below the previous one despite an empty line between them
    (`corpus.paragraphs`).
    """

    number: int
    start: int
    end: int
    text: str
    indent: int = 0
    close: bool = False


@dataclass(frozen=True)
class Document:
    """The text of a rulebook.

    Attributes:
        file: The file name; it has no influence on how the document is read.
        sha256: The SHA-256 of the file.
        text: The canonical text, into which spans are offsets: the content of a text file, or the
            text extracted from another file.
        extracted: The blocks and pages of extracted text.
        raw: The bytes of the file, unless they are ``text`` in UTF-8.
        folder: The subfolder of the file, named after its game, or "".
        drafts: Cache of `corpus.draft.DraftRulebook` objects made to recognise the layout, by
            layout, title and language.
    """

    file: str
    sha256: str
    text: str = field(repr=False)
    extracted: ExtractedText | None = field(default=None, repr=False, compare=False)
    raw: bytes | None = field(default=None, repr=False, compare=False)
    folder: str = ""
    drafts: dict[tuple[str, str, str], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def from_bytes(
        cls, file: str, raw: bytes, extract: bool = True, kept: Kept | None = None
    ) -> Document:
        """Decode ``raw`` without changing newlines; for a format other than text, extract the text,
        which may take a minute.

        Without ``extract``, the text of such a file stays empty, and it is not checked whether it
        can be read. Text cached in ``kept`` is not extracted again. Raises `UnreadableDocument` if
        the bytes are empty, larger than `LARGEST`, in no known format, or unreadable.
        """

        def unreadable(why: object) -> UnreadableDocument:
            return UnreadableDocument(f"{file}: {why}; left out")

        if len(raw) > LARGEST:
            raise unreadable(_too_large(len(raw)))
        if not raw.strip():
            raise unreadable("empty")
        sha256 = hashlib.sha256(raw).hexdigest()
        if format := recognise_file(raw):
            if not extract:
                return cls(file, sha256, "", None, raw)
            try:
                extracted = (kept(sha256) if kept else None) or isolated.extract(format.name, raw)
            except UnreadableFile as error:
                raise unreadable(error) from error
            return cls(file, sha256, extracted.text, extracted, raw)
        try:
            text, _ = decode(raw)
        except UndecodableText as error:
            raise unreadable(error) from error
        for many, what, most in (
            (len(text), "characters", isolated.MOST_CHARACTERS),
            (text.count("\n"), "lines", MOST_LINES),
        ):
            if many > most:
                raise unreadable(
                    f"has {many:,} {what}, more than a rulebook can have ({most:,}); divide it"
                )
        return cls(file, sha256, text, raw=None if text.encode("utf-8") == raw else raw)

    @cached_property
    def text_sha256(self) -> str:
        """The SHA-256 of the canonical text in UTF-8; equals ``sha256`` for a text file in
        UTF-8.
        """
        if self.extracted is None and self.raw is None:
            return self.sha256
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the text, in reading order."""
        if self.extracted is None:
            return recognise_text(self.text).blocks(self.text)
        return self.extracted.blocks

    @property
    def bookmarks(self) -> tuple[Bookmark, ...]:
        """The built-in outline of the file, () if it has none."""
        return self.extracted.bookmarks if self.extracted else ()

    @property
    def pages(self) -> PageMap | None:
        """The positions of the text on its pages, or None for a document without pages."""
        return self.extracted.pages if self.extracted else None

    @cached_property
    def body(self) -> Document:
        """The document without running heads, page numbers and footers at its end; spans stay the
        same.
        """
        if self.extracted is None or not self.text[self.extracted.body :].strip():
            return self
        return replace(self, text=self.text[: self.extracted.body])

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines, divided only at newline characters, and so numbered as in text editors."""
        lines, start = [], 0
        for number, match in enumerate(re.finditer(r"\n|\Z", self.text), 1):
            lines.append(Line(number, start, match.start(), self.text[start : match.start()]))
            start = match.end()
        if len(lines) > 1 and not lines[-1].text:
            lines.pop()  # a newline at the end of the text does not begin another line
        return tuple(lines)

    @cached_property
    def _starts(self) -> list[int]:
        return [line.start for line in self.lines]

    def line(self, number: int) -> Line:
        """Return the line with ``number``, counted from 1."""
        return self.lines[number - 1]

    def begins_paragraph(self, number: int) -> bool:
        """Return whether the line with ``number`` has text and, in extracted text, does not
        continue a paragraph split at a hyphen.
        """
        if not self.line(number).text.strip():
            return False
        divided = self.extracted is not None and number > 1
        return not (divided and self.line(number - 1).text.endswith(("-", "\u00ad")))

    def line_at(self, offset: int) -> int:
        """Return the number of the line that contains the character at ``offset``."""
        return bisect.bisect_right(self._starts, offset)


def documents(
    folder: Path, extract: bool = True, kept: Kept | None = None
) -> Iterator[Document | UnreadableDocument]:
    """Yield every file of ``folder`` in order of names: a `Document`, or an `UnreadableDocument`
    error if it cannot be read.

    The files in a subfolder, which stands for a game, are named "game/file". Hidden files are
    skipped. Links that lead out of the folder, anything that is not a plain file, and files larger
    than `LARGEST` are not opened. ``extract`` and ``kept`` are passed to `Document.from_bytes`.
    Raises `OSError` if ``folder`` cannot be listed.
    """
    for path in _visible(folder):
        yield from _documents_at(folder, path, "", extract, kept)


def _documents_at(
    folder: Path, path: Path, game: str, extract: bool, kept: Kept | None
) -> Iterator[Document | UnreadableDocument]:
    """Yield the document at ``path``, or all documents in it if it is a subfolder."""
    name = f"{game}/{path.name}" if game else path.name
    shown = os.fsencode(name).decode("utf-8", "backslashreplace")
    try:
        if name != os.fsencode(name).decode("utf-8", "replace"):
            raise UnreadableDocument(f"{shown}: its name is not UTF-8; rename it; left out")
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(
            os.path.realpath(folder)
        ):
            raise UnreadableDocument(
                f"{name}: a link that leads out of the folder; put the file itself here; left out"
            )
        if path.is_dir():
            if game:
                raise UnreadableDocument(
                    f"{name}: a folder within that of a game; put its files beside it; left out"
                )
            inside = _visible(path)
            if not inside:
                raise UnreadableDocument(f"{name}: a folder without a file; left out")
            for each in inside:
                yield from _documents_at(folder, each, name, extract, kept)
            return
        if not path.is_file():
            raise UnreadableDocument(f"{name}: not a plain file; left out")
        if (size := path.stat().st_size) > LARGEST:
            raise UnreadableDocument(f"{name}: {_too_large(size)}; left out")
        document = Document.from_bytes(name, path.read_bytes(), extract, kept)
        yield replace(document, folder=game) if game else document
    except UnreadableDocument as error:
        yield error
    except OSError as error:
        yield UnreadableDocument(f"{shown}: cannot be read ({error.strerror}); left out")


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _too_large(size: int) -> str:
    return f"{size:,} bytes is more than a rulebook can have ({LARGEST:,})"
