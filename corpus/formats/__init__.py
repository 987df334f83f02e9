"""Front ends, which read files of every format as one text and a list of blocks (`corpus.blocks`).

A text file (plain text, Markdown, reStructuredText) is its own canonical text. From all other
formats the text is extracted in a separate process (`corpus.formats.isolated`). Formats are
imported when the first file is read, because their libraries take 9 MB that answering does not
need.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from corpus.blocks import Block, ExtractedText
from corpus.errors import RegulaError

ZIP_MAGIC = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ARCHIVE = "an archive; unpack it and add what is in it"
_UNREAD = [  # beginnings of unsupported files, and the messages for them
    (re.compile(rb"\s{0,20}\{\\rtf"), "RTF, which is not read; save it as DOCX or PDF"),
    (
        re.compile(rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF....WEBP", re.DOTALL),
        "an image; save it as PDF and run OCR on it",
    ),
    (re.compile(rb"%!PS"), "PostScript, which is not read; save it as PDF"),
    (
        re.compile(rb".{60}BOOKMOBI", re.DOTALL),
        "a Kindle book, which is not read; save it as EPUB or PDF",
    ),
    (re.compile(rb"AT&TFORM"), "DjVu, which is not read; save it as PDF"),
    (re.compile(rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\x1f\x8b\x08|BZh[1-9]1AY"), _ARCHIVE),
]
_UNREAD_ZIP = [  # the same for archives, anywhere in the file
    (
        re.compile(rb"Index/Document\.iwa|Index\.zip|index\.apxl"),
        "a Pages document, which is not read; save it as DOCX or PDF",
    ),
    (
        re.compile(rb"xl/workbook\.xml|mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet"),
        "a spreadsheet; save it as HTML or PDF",
    ),
    (
        re.compile(
            rb"ppt/presentation\.xml|mimetypeapplication/vnd\.oasis\.opendocument\.presentation"
        ),
        "slides; save them as PDF",
    ),
]


class UnreadableFile(RegulaError, ValueError):
    """A file whose text cannot be extracted; the message says why, but not the file name."""


@dataclass(frozen=True)
class TextFormat:
    """A format of text files. ``score`` rates from 0.0 to 1.0 how well a text fits; ``blocks``
    splits it.
    """

    name: str
    score: Callable[[str], float]
    blocks: Callable[[str], tuple[Block, ...]]


@dataclass(frozen=True)
class ExtractedFormat:
    """A format whose text is extracted. ``fits`` recognises the bytes of a file; ``extract`` raises
    `UnreadableFile`, and may crash, hang or take too much memory.
    """

    name: str
    fits: Callable[[bytes], bool]
    extract: Callable[[bytes], ExtractedText]


@cache
def extracted_formats() -> tuple[ExtractedFormat, ...]:
    """Return all formats whose text is extracted; the first that fits a file is used."""
    from corpus.formats.docx import DOCX
    from corpus.formats.epub import EPUB
    from corpus.formats.html import HTML
    from corpus.formats.odt import ODT
    from corpus.formats.pdf import PDF

    unread = ExtractedFormat("unsupported", lambda raw: bool(_why_unread(raw)), _refuse)
    return PDF, EPUB, ODT, DOCX, HTML, unread


@cache
def text_formats() -> tuple[TextFormat, ...]:
    """Return all text formats; if several fit equally well, the first wins."""
    from corpus.formats.markdown import MARKDOWN
    from corpus.formats.plain import PLAIN
    from corpus.formats.restructured import RESTRUCTURED

    return PLAIN, MARKDOWN, RESTRUCTURED


def recognise_file(raw: bytes) -> ExtractedFormat | None:
    """Return the format of the file ``raw``, or None if it is a text file."""
    return next((each for each in extracted_formats() if each.fits(raw)), None)


def recognise_text(text: str) -> TextFormat:
    """Return the text format that fits ``text`` best."""
    return max(text_formats(), key=lambda each: each.score(text))


def _why_unread(raw: bytes) -> str | None:
    if raw.startswith(_OLE):
        if _ENCRYPTED in raw:
            return "encrypted; save it without a password"
        return "an old Office document; save it as DOCX or PDF"
    if raw.startswith(ZIP_MAGIC):
        known = (reason for pattern, reason in _UNREAD_ZIP if pattern.search(raw))
        return next(known, _ARCHIVE)
    return next((why for pattern, why in _UNREAD if pattern.match(raw)), None)


def _refuse(raw: bytes) -> ExtractedText:
    raise UnreadableFile(_why_unread(raw) or "not a document that is read; save it as PDF")
