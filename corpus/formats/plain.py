"""Reads plain text: paragraphs, list items, underlined headings, drawn tables, tables of contents
and page furniture.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from corpus.blocks import Block, BlockKind
from corpus.formats import TextFormat
from corpus.formats.contents import contents_lines
from corpus.formats.lines import (
    ListMark,
    SourceLine,
    byte_order_mark,
    cites,
    continues,
    follows,
    front_matter,
    list_mark,
    source_lines,
    span_of,
    wrap_width,
)
from corpus.formats.plain_tables import aligned_tables, drawn_table
from corpus.languages import any_of

_RULE = re.compile(r"([-=~_*+#.·•\s])*")  # a separator line
_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}")
_DASHES = "–—·"  # bullets that also occur in sentences
_ENDS = (*".:;!?…", "")  # of sentences
_HEADING = 120  # characters of an underlined heading

_EDGE = 2  # lines at the top and the bottom of a page that can be furniture
_LEAST = 3  # pages
_LONGEST = 150  # characters of a running head
_LEAST_HEADS = 8  # running heads that have page numbers
_STARTS = 30  # the first running head is one of so many lines
_MISSING = 3  # most pages from one running head to the next
_SHARE = 0.1  # least share of the pages that repeats a running head
_HEAD = re.compile(r"(?P<first>\d{1,4})\s\D.{2,}|.{2,}\D\s(?P<last>\d{1,4})")
_PAGE_NUMBER = re.compile(
    rf"[-–—|\[(]?\s?(?:{any_of('references.page')}\s?)?(\d{{1,4}})"
    rf"(?:\s?(?:/|\||{any_of('references.of_pages')})\s?\d{{1,4}})?\s?[-–—|\])]?",
    re.IGNORECASE,
)


def _score(text: str) -> float:
    return 0.3  # chosen unless another format's markup is frequent


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of ``text``. Only underlined lines become headings here, not numbered or
    capitalised ones.
    """
    lines = list(source_lines(text))
    front = front_matter(text) if text.startswith(("---", "\ufeff---")) else 0
    furniture = _page_furniture(lines) | {at for at, line in enumerate(lines) if line.end <= front}
    reader = PlainReader(lines, wrap_width(lines), contents_lines(lines), furniture)
    return (*byte_order_mark(text), *reader.blocks())


class PlainReader:
    """Makes blocks from ``lines``. ``width`` is the column at which they are wrapped
    (`wrap_width`); ``contents`` and ``furniture`` are indices of lines.

    With ``joined``, all lines are one paragraph, and only a bullet or a number begins another
    block.
    """

    def __init__(
        self,
        lines: Sequence[SourceLine],
        width: int,
        contents: Set[int],
        furniture: Set[int] = frozenset(),
        joined: bool = False,
    ):
        self._lines = lines
        self._width = width
        self._contents = contents
        self._furniture = furniture
        self._joined = joined
        self._adornments: list[str] = []  # characters that underline headings, by level
        self._tables = {} if joined else aligned_tables(lines, contents | furniture)
        self._nesting: list[int] = []  # indentations of the enclosing lists, outermost first

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of all lines in order."""
        at = 0
        while at < len(self._lines):
            count, made = self._blocks_at(at)
            yield from made
            at += count

    def _blocks_at(self, at: int) -> tuple[int, list[Block]]:
        line = self._lines[at]
        if not line.text:
            return 1, []
        if at in self._furniture:
            return 1, [Block(line.span, BlockKind.FURNITURE, page=line.page)]
        if at in self._contents:
            return 1, [Block(line.span, BlockKind.CONTENTS, indent=float(line.indent))]
        if self._joined:
            return self._paragraph(at)
        if heading := self._heading(at):
            self._nesting = []
            return heading
        if table := self._tables.get(at) or drawn_table(self._lines, at):
            return table.lines, table.blocks
        if _RULE.fullmatch(line.text) and list_mark(line.text) is None:
            return 1, [Block(line.span, BlockKind.FURNITURE)]
        return self._paragraph(at)

    def _heading(self, at: int) -> tuple[int, list[Block]] | None:
        over = _adornment(self._lines[at])
        title = at + 1 if over else at
        if title + 1 >= len(self._lines) or title + 1 in self._furniture or title in self._contents:
            return None
        line, below = self._lines[title], self._lines[title + 1]
        under, length = _adornment(below), len(line.text)
        if not under or not 0 < length <= _HEADING or _adornment(line) or (over and over != under):
            return None
        if not 0.6 * length - 2 <= len(below.text) <= 1.6 * length + 6:
            return None
        before = self._lines[at - 1].text if at and at - 1 not in self._furniture else ""
        if not over and not _RULE.fullmatch(before):
            return None  # the last line of a paragraph
        if under + over not in self._adornments:
            self._adornments.append(under + over)
        mark = list_mark(line.text)
        heading = Block(
            line.span,
            BlockKind.HEADING,
            self._adornments.index(under + over) + 1,
            mark.text if mark and mark.numbered else "",
            indent=float(line.indent),
        )
        above = [Block(self._lines[at].span, BlockKind.FURNITURE)] if over else []
        return title + 2 - at, [*above, heading, Block(below.span, BlockKind.FURNITURE)]

    def _paragraph(self, at: int) -> tuple[int, list[Block]]:
        first = self._lines[at]
        mark = list_mark(first.text)
        end = at + 1
        alone = mark is not None and mark.end >= len(first.text)
        if alone and end + 1 < len(self._lines) and not self._lines[end].text:
            end += 1  # a bullet on a line of its own, and its text below an empty line
        while end < len(self._lines) and self._lines[end].text and not self._begins(at, end, mark):
            end += 1
        while not self._lines[end - 1].text:
            end -= 1
        span, indent = span_of(self._lines[at:end]), float(first.indent)
        if mark is None:
            while self._nesting and first.indent <= self._nesting[-1]:
                self._nesting.pop()
            return end - at, [Block(span, indent=indent)]
        while self._nesting and first.indent < self._nesting[-1]:
            self._nesting.pop()
        if not self._nesting or first.indent > self._nesting[-1]:
            self._nesting.append(first.indent)
        item = Block(span, BlockKind.ITEM, len(self._nesting), mark.text, indent=indent)
        return end - at, [item]

    def _begins(self, first: int, at: int, mark: ListMark | None) -> bool:
        line, previous = self._lines[at], self._lines[at - 1]
        skipped = at in self._furniture or at in self._contents or at in self._tables
        if skipped or line.page != previous.page:
            return True
        if not self._joined and len(line.text) > 2 and _RULE.fullmatch(line.text):
            return True
        own = list_mark(line.text)
        if not previous.text:
            return own is not None
        if cites(previous.text, line.text):
            return False
        if own is not None:
            expected = not own.numbered or (mark is not None and follows(own.text, mark.text))
            if expected and own.text not in _DASHES:
                return True
            if previous.text.rstrip('"”»’)]*_')[-1:] in _ENDS:
                return True
            return not continues(line, previous, self._width)
        if self._joined:
            return False
        if mark is not None and line.indent > self._lines[first].indent:
            return False
        if at - first >= 2 and line.indent > previous.indent + 1:
            return True  # the first line of a paragraph is indented
        if line.text.startswith("|") and line.text.endswith("|") and len(line.text) > 1:
            return True
        return not continues(line, previous, self._width)


def _adornment(line: SourceLine) -> str:
    """Return the character of which ``line`` consists (at least three times), or ""."""
    match = _ADORNMENT.fullmatch(line.text)
    return match.group(1) if match else ""


def _page_furniture(lines: Sequence[SourceLine]) -> set[int]:
    """Return the indices of the ``lines`` that are running heads, footers and page numbers."""
    return _repeated(lines) | _page_numbers(lines) | _numbered_heads(lines)


def _repeated(lines: Sequence[SourceLine]) -> set[int]:
    """Return the lines at page edges that other pages repeat, except for their numbers."""
    if not lines or lines[-1].page < _LEAST:
        return set()
    pages: dict[int, list[int]] = {}
    for at, line in enumerate(lines):
        if line.text:
            pages.setdefault(line.page, []).append(at)
    keys = {
        at: re.sub(r"\d+", "#", lines[at].text.casefold())
        for page in pages.values()
        for at in (*page[:_EDGE], *page[-_EDGE:])
        if len(lines[at].text) <= _LONGEST
    }
    counts = Counter(keys.values())
    return {at for at, key in keys.items() if counts[key] >= max(_LEAST, _SHARE * len(pages))}


def _page_numbers(lines: Sequence[SourceLine]) -> set[int]:
    """Return the lines between empty lines that consist of ascending page numbers."""
    best: list[int] = []
    chain: list[int] = []
    last = -1
    for at, line in enumerate(lines):
        if not 0 < len(line.text) <= 30 or any(each.text for each in lines[max(at - 1, 0) : at]):
            continue
        if any(each.text for each in lines[at + 1 : at + 2]):
            continue
        if match := _PAGE_NUMBER.fullmatch(line.text):
            number = int(match.group(1))
            if number != last + 1:
                chain = []
            chain.append(at)
            last = number
            if len(chain) > len(best):
                best = chain
    return set(best) if len(best) > _LEAST else set()


def _numbered_heads(lines: Sequence[SourceLine]) -> set[int]:
    """Return running heads in capitals with a page number at one end: "12 CHAPTER 1. BOATS", "1.2.
    SAILS 13".
    """
    found = [
        (at, int(match["first"] or match["last"]))
        for at, line in enumerate(lines)
        if line.text.isupper() and len(line.text) <= _LONGEST
        if (match := _HEAD.fullmatch(line.text))
    ]
    best: list[int] = []
    for start in range(min(len(found), _STARTS)):
        chain, last = [found[start][0]], found[start][1]
        for at, page in found[start + 1 :]:
            if last < page <= last + _MISSING:
                chain.append(at)
                last = page
        best = max(best, chain, key=len)
    return set(best) if len(best) >= _LEAST_HEADS else set()


PLAIN = TextFormat("text", _score, blocks)
