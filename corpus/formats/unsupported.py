"""Files that are known and not read: what to make of them instead."""

from __future__ import annotations

import re

from corpus.blocks import ExtractedText
from corpus.formats.format import ExtractedFormat, UnreadableFile
from corpus.formats.shared.zip_package import MAGIC

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_BEGINNINGS = (
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
    (
        re.compile(rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\x1f\x8b\x08|BZh[1-9]1AY"),
        "an archive; unpack it and add what is in it",
    ),
)
_ARCHIVES = (
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
)


def _reason(raw: bytes) -> str | None:
    """Why ``raw`` is not read and what to do; None for any other file."""
    if raw.startswith(_OLE):
        return (
            "encrypted; save it without a password"
            if _ENCRYPTED in raw
            else "an old Office document; save it as DOCX or PDF"
        )
    if raw.startswith(MAGIC):
        known = (reason for pattern, reason in _ARCHIVES if pattern.search(raw))
        return next(known, "an archive; unpack it and add what is in it")
    return next((reason for pattern, reason in _BEGINNINGS if pattern.match(raw)), None)


def fits(raw: bytes) -> bool:
    """Whether ``raw`` is a file that is known and not read. Archives that are documents have to be
    told before.
    """
    return _reason(raw) is not None


def extract(raw: bytes) -> ExtractedText:
    """Raise `UnreadableFile` with what to do."""
    raise UnreadableFile(_reason(raw) or "not a document that is read; save it as PDF")


UNSUPPORTED = ExtractedFormat("unsupported", fits, extract)
