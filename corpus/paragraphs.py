"""Groups the lines of a document into paragraphs. In extracted text each line is a paragraph,
unless a hyphen at a line end splits a paragraph into several lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from corpus.blocks import Block, BlockKind, Span
from corpus.document import Document, Line
from corpus.languages import any_of, letters

# Replaces characters that layout readers should not see; `closed` removes it.
CLOSED = "\u00ad"

_STEP = 2  # blanks of indentation for each level of a list
_CLOSE = 1.12  # times the usual distance of lines; a block further below has space above it
# Share of blocks close to the one above; if more are, space does not separate paragraphs
_MOST_CLOSE = 0.9

_AND = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_SUSPENDED = re.compile(rf"{_AND}\b")
_SMALL = re.compile(rf"[{letters()}]")


class Paragraph(NamedTuple):
    """The lines of a paragraph: several if hyphens at line ends split it, in a text file one."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The lines as printed."""
        return "\n".join(line.text for line in self.lines)

    @property
    def span(self) -> Span:
        """The span of the paragraph in the document."""
        return Span(self.lines[0].start, self.lines[-1].end)


def paragraphs(document: Document) -> tuple[Paragraph, ...]:
    """Return the non-empty paragraphs of ``document``, without running heads and page numbers."""
    found: list[list[Line]] = []
    for line in document.body.lines:
        if document.begins_paragraph(line.number) or (not found and line.text.strip()):
            found.append([line])
        elif line.text.strip():
            found[-1].append(line)
    return tuple(Paragraph(tuple(lines)) for lines in found)


def paragraph_lines(document: Document) -> Sequence[Line]:
    """Return the lines of ``document`` for layout readers: lines split at a hyphen are joined under
    the number of the first.

    ``indent`` and ``close`` of a line are as on its page. Its text keeps its length: `CLOSED`
    replaces the line end, and a hyphen that is there only because of it.
    """
    if document.extracted is None:
        return document.lines
    blocks = [block for block in document.blocks if block.span.start < len(document.text)]
    close = _close(document, blocks)
    items = {
        block.span.start: _STEP * max(block.level - 1, 0)
        for block in blocks
        if block.kind is BlockKind.ITEM
    }
    found: list[Line] = []
    for line in document.lines:
        if not found or not line.text.strip() or document.begins_paragraph(line.number):
            indent = items.get(line.start, 0)
            found.append(line._replace(indent=indent, close=line.start in close))
            continue
        text = found[-1].text
        if _SUSPENDED.match(line.text):
            text += " "
        elif _SMALL.match(line.text):
            text = text[:-1] + 2 * CLOSED
        else:
            text += CLOSED
        found[-1] = found[-1]._replace(end=line.end, text=text + line.text)
    return found


def paragraph_text(document: Document) -> str:
    """Return the text of ``document`` made of its `paragraph_lines`, as long as the original."""
    text = document.text
    if document.extracted is None:
        return text
    return "\n".join(line.text for line in paragraph_lines(document)) + "\n" * text.endswith("\n")


def closed(text: str) -> str:
    """Return ``text`` without the `CLOSED` characters that `paragraph_lines` inserts."""
    return text.replace(CLOSED, "")


def _close(document: Document, blocks: Sequence[Block]) -> set[int]:
    """Return the start offsets of blocks that look like the block above and are as close to it as
    lines within a paragraph.

    Empty if nearly all blocks are: then space does not separate paragraphs.
    """
    if document.pages is None:
        return set()
    lines = document.pages.lines
    starts = {line.span.start: at for at, line in enumerate(lines)}

    def apart(at: int) -> float:
        return round(4 * (lines[at].bottom - lines[at - 1].bottom)) / 4

    first = {starts.get(block.span.start) for block in blocks}
    leading = Counter(apart(at) for at in range(1, len(lines)) if at not in first)
    usual = leading.most_common(1)[0][0] if leading else 0.0
    alike, close = 0, set()
    for above, block in pairwise(blocks):
        at = starts.get(block.span.start)
        if (
            at
            and lines[at].page == lines[at - 1].page
            and apart(at) > 0
            and (above.size, above.bold) == (block.size, block.bold)
        ):
            alike += 1
            if apart(at) <= _CLOSE * usual:
                close.add(block.span.start)
    return close if len(close) <= _MOST_CLOSE * alike else set()
