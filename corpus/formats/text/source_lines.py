"""The lines of a text, whatever divides them, and how far to the right they begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from corpus.blocks import Block, BlockKind
from corpus.spans import Span

_TAB = 4  # columns


class SourceLine(NamedTuple):
    """A line without the white space at its ends. ``page`` counts form feeds from 1; an empty line
    has an empty ``text``.
    """

    start: int
    end: int
    text: str
    indent: int = 0
    page: int = 1

    @property
    def width(self) -> int:
        """The column behind its last character."""
        return self.indent + len(self.text)


def byte_order_mark(text: str) -> tuple[Block, ...]:
    """A block for the byte order mark that ``text`` begins with; none where it begins with none."""
    return (Block(Span(0, 1), BlockKind.FURNITURE),) if text.startswith("\ufeff") else ()


def source_lines(text: str) -> Iterator[SourceLine]:
    """The lines of ``text``, divided by whatever Unicode has for it: CR, LF or both, form feeds,
    line and paragraph separators.

    A byte order mark belongs to none of them.
    """
    start, page = len(byte_order_mark(text)), 1
    for piece in text[start:].splitlines(keepends=True):
        yield trimmed(piece, start, page)
        start += len(piece)
        page += piece.endswith("\f")


def trimmed(piece: str, start: int, page: int = 1) -> SourceLine:
    """The line ``piece``, which begins at ``start``."""
    bare = piece.lstrip()
    before = len(piece) - len(bare)
    bare = bare.rstrip()
    indent = len(piece[:before].expandtabs(_TAB)) if bare else 0
    return SourceLine(start + before, start + before + len(bare), bare, indent, page)


def wrap_width(lines: Sequence[SourceLine]) -> int:
    """The column that a line and the first word of the next one pass where the line is broken; 0
    where every line is a paragraph.

    It is learnt from the lines that go on with a small letter.
    """
    pairs = [
        (line, following)
        for line, following in pairwise(lines)
        if line.width >= 40 and following.text
    ]
    widths = sorted(line.width for line, _ in pairs)
    if len(widths) < 3:
        return 0
    width = widths[int(0.95 * (len(widths) - 1))]
    full = sum(0.8 * width <= each <= 1.1 * width for each in widths)
    if width > 160 or full < 0.5 * len(widths):
        return 0
    sure = sorted(
        _with_next_word(line, following) for line, following in pairs if following.text[0].islower()
    )
    if len(sure) < 10:
        return int(0.85 * width)
    return max(sure[len(sure) // 20] - 1, int(0.6 * width))


def _with_next_word(line: SourceLine, following: SourceLine) -> int:
    """How wide ``line`` would be with the first word of the ``following`` one."""
    return line.width + 1 + len(following.text.partition(" ")[0])


def continues(line: SourceLine, previous: SourceLine, width: int) -> bool:
    """Whether ``line`` goes on with the sentence of the ``previous`` one: its first word did not
    fit there, or it begins small.
    """
    if line.text[0].islower() and previous.text[-1] not in ".!?:;" and len(previous.text) >= 30:
        return True
    return bool(width) and _with_next_word(previous, line) > width
