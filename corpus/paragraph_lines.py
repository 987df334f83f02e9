"""Lines of a document as layouts read them: a paragraph of extracted text is one line, though words
in it are hyphenated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from corpus.blocks import Block, BlockKind, TextLine
from corpus.document import Document, Line
from corpus.languages import any_of, letters

CLOSED = "\u00ad"  # stands for signs that a reader of the line should not see; what is made of its text leaves them out

_STEP = 2  # blanks of indentation for each level of a list
_CLOSE = 1.12  # times the usual distance of lines: what is further below has space above it
_MOST_CLOSE = (
    0.9  # of the blocks that look like the one above: where more are close, space divides none
)

_AND = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_SUSPENDED = re.compile(rf"{_AND}\b")
_SMALL = re.compile(rf"[{letters()}]")


def paragraph_lines(document: Document) -> Sequence[Line]:
    """The lines of ``document``; those that are divided by a hyphen are one, with the number of the
    first.

    ``indent`` and ``close`` of a line are as its page shows it. Its text is as long as what it
    spans: `CLOSED` stands in the place of the end of a printed line, and of a hyphen that the word
    has only there.
    """
    if document.extracted is None:
        return document.lines
    looks = _looks(document)
    found: list[Line] = []
    for line in document.lines:
        if found and line.text.strip() and not document.begins_paragraph(line.number):
            found[-1] = _joined(found[-1], line)
        else:
            indent, close = looks.get(line.start, (0, False))
            found.append(line._replace(indent=indent, close=close))
    return found


def paragraph_text(document: Document) -> str:
    """The text of ``document`` with its lines as `paragraph_lines` has them; it is as long as the
    text itself.
    """
    text = document.text
    return (
        text
        if document.extracted is None
        else "\n".join(line.text for line in paragraph_lines(document)) + "\n" * text.endswith("\n")
    )


def closed(text: str) -> str:
    """``text`` of such lines for readers."""
    return text.replace(CLOSED, "")


def _looks(document: Document) -> dict[int, tuple[int, bool]]:
    """For each block of ``document`` by its first character: how far an item of a list is indented,
    and whether it is close.
    """
    blocks = [block for block in document.blocks if block.span.start < len(document.text)]
    close = _close(document, blocks)
    return {
        block.span.start: (
            _STEP * max(block.level - 1, 0) if block.kind is BlockKind.ITEM else 0,
            block.span.start in close,
        )
        for block in blocks
    }


def _close(document: Document, blocks: Sequence[Block]) -> frozenset[int]:
    """First characters of blocks that stand no further below the one before than lines of a
    paragraph stand apart, and look alike.

    None where all do: then indentation divides paragraphs, or nothing.
    """
    if document.pages is None:
        return frozenset()
    lines = document.pages.lines
    starts = {line.span.start: at for at, line in enumerate(lines)}
    first = [starts.get(block.span.start) for block in blocks]
    leading = Counter(
        _apart(lines[at - 1], lines[at]) for at in set(range(1, len(lines))) - set(first)
    )
    usual = leading.most_common(1)[0][0] if leading else 0.0
    alike, close = 0, set()
    for (above, block), at in zip(pairwise(blocks), first[1:], strict=True):
        if (
            not at
            or lines[at].page != lines[at - 1].page
            or (apart := _apart(lines[at - 1], lines[at])) <= 0
        ):
            continue
        if (above.size, above.bold) != (block.size, block.bold):
            continue
        alike += 1
        if apart <= _CLOSE * usual:
            close.add(block.span.start)
    return frozenset(close if len(close) <= _MOST_CLOSE * alike else ())


def _apart(above: TextLine, line: TextLine) -> float:
    return round(4 * (line.bottom - above.bottom)) / 4


def _joined(line: Line, following: Line) -> Line:
    """``line``, which ends with a hyphen, and the ``following`` one, in which its last word goes
    on.
    """
    if _SUSPENDED.match(following.text):
        text = line.text + " "
    elif _SMALL.match(following.text):
        text = line.text[:-1] + 2 * CLOSED
    else:
        text = line.text + CLOSED
    return line._replace(end=following.end, text=text + following.text)
