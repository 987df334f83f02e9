"""Plain text: paragraphs, items of lists, underlined headings, tables drawn with signs, tables of
contents, page furniture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from corpus.blocks import Block, BlockKind
from corpus.formats.format import TextFormat
from corpus.formats.text.ascii_tables import table_at
from corpus.formats.text.list_marks import ListMark, follows, list_mark
from corpus.formats.text.page_furniture import page_furniture
from corpus.formats.text.printed_contents import contents_lines
from corpus.formats.text.source_lines import (
    SourceLine,
    byte_order_mark,
    continues,
    source_lines,
    wrap_width,
)
from corpus.spans import Span

_RULE = re.compile(r"([-=~_*+#.·•\s])*")  # a line that only divides
_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}")
_DASHES = "–—·"  # bullets that stand in sentences too
_ENDS = (*".:;!?…", "")  # of sentences
_HEADING = 120  # characters of an underlined heading


def score(text: str) -> float:
    """Plain text is what nothing else fits better, and what has the signs of another format only
    now and then.
    """
    return 0.3


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of ``text``. Numbers and capitals make no headings here: only lines do that are
    underlined.
    """
    lines = list(source_lines(text))
    return byte_order_mark(text) + tuple(
        PlainReader(lines, wrap_width(lines), contents_lines(lines), page_furniture(lines)).blocks()
    )


class PlainReader:
    """Makes blocks of lines. ``width`` is where lines are broken (`wrap_width`); ``contents`` and
    ``furniture`` are numbers of lines.

    Lines that are ``joined`` are one paragraph; only a bullet or a number begins another.
    """

    def __init__(
        self,
        lines: Sequence[SourceLine],
        width: int,
        contents: Set[int] = frozenset(),
        furniture: Set[int] = frozenset(),
        joined: bool = False,
    ):
        self._lines = lines
        self._width = width
        self._contents = contents
        self._furniture = furniture
        self._joined = joined
        self._adornments: list[str] = []  # of headings, in the order of their levels
        self._nesting: list[int] = []  # the columns of the lists around a line, outermost first

    def blocks(self) -> Iterator[Block]:
        """The blocks of all lines, in their order."""
        at = 0
        while at < len(self._lines):
            count, made = self._at(at)
            yield from made
            at += count

    def _at(self, at: int) -> tuple[int, list[Block]]:
        """The blocks that begin with line ``at``, and the number of their lines."""
        line = self._lines[at]
        if not line.text:
            return 1, []
        if at in self._furniture:
            return 1, [Block(_span([line]), BlockKind.FURNITURE, page=line.page)]
        if at in self._contents:
            return 1, [Block(_span([line]), BlockKind.CONTENTS, indent=float(line.indent))]
        if self._joined:
            return self._paragraph(at)
        if heading := self._heading(at):
            self._nesting = []
            return heading
        count, rows = table_at(self._lines, at)
        if count:
            return count, rows
        if _RULE.fullmatch(line.text) and list_mark(line.text) is None:
            return 1, [Block(_span([line]), BlockKind.FURNITURE)]
        return self._paragraph(at)

    def _heading(self, at: int) -> tuple[int, list[Block]] | None:
        """A heading with a line of signs below it, and maybe one above it."""
        over = _adornment(self._lines[at])
        title = at + 1 if over else at
        if title + 1 >= len(self._lines) or title + 1 in self._furniture or title in self._contents:
            return None
        line, under = self._lines[title], _adornment(self._lines[title + 1])
        if (
            not under
            or not line.text
            or len(line.text) > _HEADING
            or _adornment(line)
            or (over and over != under)
        ):
            return None
        if not (
            0.6 * len(line.text) - 2 <= len(self._lines[title + 1].text) <= 1.6 * len(line.text) + 6
        ):
            return None
        if (
            not over
            and at
            and self._lines[at - 1].text
            and at - 1 not in self._furniture
            and not _RULE.fullmatch(self._lines[at - 1].text)
        ):
            return None  # the last line of a paragraph
        key = under + (over or "")
        if key not in self._adornments:
            self._adornments.append(key)
        mark = list_mark(line.text)
        heading = Block(
            _span([line]),
            BlockKind.HEADING,
            self._adornments.index(key) + 1,
            mark.text if mark and mark.numbered else "",
            indent=float(line.indent),
        )
        rules = [
            Block(_span([self._lines[each]]), BlockKind.FURNITURE)
            for each in ([at, title + 1] if over else [title + 1])
        ]
        return title + 2 - at, [*rules[:-1], heading, rules[-1]]

    def _paragraph(self, at: int) -> tuple[int, list[Block]]:
        """The paragraph or item that begins with line ``at``."""
        first = self._lines[at]
        mark = list_mark(first.text)
        end = at + 1
        if (
            mark is not None
            and mark.end >= len(first.text)
            and end + 1 < len(self._lines)
            and not self._lines[end].text
        ):
            end += 1  # a bullet on a line of its own, and its text below an empty line
        while end < len(self._lines) and self._lines[end].text and not self._begins(at, end, mark):
            end += 1
        while not self._lines[end - 1].text:
            end -= 1
        span = _span(self._lines[at:end])
        if mark is None:
            while self._nesting and first.indent <= self._nesting[-1]:
                self._nesting.pop()
            return end - at, [Block(span, indent=float(first.indent))]
        while self._nesting and first.indent < self._nesting[-1]:
            self._nesting.pop()
        if not self._nesting or first.indent > self._nesting[-1]:
            self._nesting.append(first.indent)
        return end - at, [
            Block(span, BlockKind.ITEM, len(self._nesting), mark.text, indent=float(first.indent))
        ]

    def _begins(self, first: int, at: int, mark: ListMark | None) -> bool:
        """Whether a block begins with line ``at``, which stands directly below others of a block
        from line ``first`` on.
        """
        line, previous = self._lines[at], self._lines[at - 1]
        if at in self._furniture or at in self._contents or line.page != previous.page:
            return True
        if not self._joined and len(line.text) > 2 and _RULE.fullmatch(line.text):
            return True
        if not previous.text:
            return list_mark(line.text) is not None
        if (own := list_mark(line.text)) is not None:
            expected = not own.numbered or (mark is not None and follows(own.text, mark.text))
            if expected and own.text not in _DASHES:
                return True
            return previous.text.rstrip('"”»’)]*_')[-1:] in _ENDS or not self._wrapped(
                line, previous
            )
        if self._joined:
            return False
        if mark is not None and line.indent > self._lines[first].indent:
            return False
        if at - first >= 2 and line.indent > previous.indent + 1:
            return True  # the first line of a paragraph is indented
        if line.text.startswith("|") and line.text.endswith("|") and len(line.text) > 1:
            return True
        return not self._wrapped(line, previous)

    def _wrapped(self, line: SourceLine, previous: SourceLine) -> bool:
        return continues(line, previous, self._width)


def _adornment(line: SourceLine) -> str:
    """The sign that ``line`` consists of, at least three times; "" where it has others."""
    match = _ADORNMENT.fullmatch(line.text)
    return match.group(1) if match else ""


def _span(lines: Sequence[SourceLine]) -> Span:
    return Span(lines[0].start, lines[-1].end)


PLAIN = TextFormat("text", score, blocks)
