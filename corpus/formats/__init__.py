"""Front ends: files of every format as one text and a stream of blocks (`corpus.blocks`).

Text formats (plain text, Markdown, reStructuredText) are their own canonical text, and their blocks
are made when they are first asked for; of all others the text is extracted, in a process of its
own. `corpus.formats.all_formats` is loaded when the first file is read: its libraries take 9 MB,
which a process that only answers does not need.
"""

from __future__ import annotations

from corpus.formats.format import ExtractedFormat, TextFormat, UnreadableFile

__all__ = ["ExtractedFormat", "TextFormat", "UnreadableFile", "recognise_file", "recognise_text"]


def recognise_file(raw: bytes) -> ExtractedFormat | None:
    """The format of the file ``raw``; None where it is text."""
    from corpus.formats.all_formats import EXTRACTED

    return next((each for each in EXTRACTED if each.fits(raw)), None)


def recognise_text(text: str) -> TextFormat:
    """The text format that fits ``text`` best."""
    from corpus.formats.all_formats import TEXT

    return max(TEXT, key=lambda each: each.score(text))
