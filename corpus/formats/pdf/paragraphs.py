"""Lines of a column as paragraphs, items of lists, rows of tables and lines of contents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from corpus.blocks import BlockKind
from corpus.formats.pdf.baseline_segments import PrintedLine
from corpus.formats.pdf.marks import (
    begins_small,
    contents_page,
    ends_sentence,
    hyphenated,
    is_bullet,
    mark,
    trailing_page,
)

_GAP = 1.3  # of the usual distance of lines: from there on a new paragraph begins
_LEAST_GAP = 1.12  # the same, where lines are set exactly
_EXACT = 0.8  # of the distances between both are the same where lines are set exactly
_GOING_ON = 0.1  # of the lines at such a distance may go on with a sentence
_INDENT = 0.7  # of the size: what differs less stands at the same place
_SIZE = 0.06  # of the size: what differs more is another font size
_USUAL = 0.15  # of the distances between lines of a size: the smallest so frequent is the usual one
_FOOTNOTE = 0.9  # of the size of the text
_ALIGNED = 3  # lines with cells at the same place are a table


@dataclass
class PrintedParagraph:
    """Lines that belong together. ``left`` and ``right`` are the edges of their column, ``start``
    that of the text after the mark.
    """

    lines: list[PrintedLine]
    left: float
    right: float
    kind: BlockKind = BlockKind.PARAGRAPH
    mark: str = ""
    start: float = 0.0
    table: int = 0  # rows of a table have the same number, which is not 0
    level: int = 0
    footnote: bool = False

    @property
    def indent(self) -> float:
        """The distance of its first line from the left edge of the column."""
        return round(max(self.lines[0].left - self.left, 0.0), 1)

    @property
    def size(self) -> float:
        """The size of most of its characters."""
        sizes: Counter[float] = Counter()
        for line in self.lines:
            sizes[line.size] += len(line.text)
        return sizes.most_common(1)[0][0]


class LineSpacing(NamedTuple):
    """The ``usual`` distance between baselines of a paragraph, and the ``gap`` from which on
    another one begins, in points.
    """

    usual: float
    gap: float


def spacings(columns: Iterable[Sequence[PrintedLine]]) -> Mapping[float, LineSpacing]:
    """The distances of lines of each size."""
    distances: dict[float, Counter[float]] = defaultdict(Counter)
    going_on: dict[float, Counter[float]] = defaultdict(
        Counter
    )  # of those the distances between lines of a sentence
    for lines in columns:
        for above, below in pairwise(lines):
            if (
                above.size == below.size
                and 0.8 * below.size < (apart := below.baseline - above.baseline) < 2.2 * below.size
            ):
                distances[below.size][round(apart * 4) / 4] += 1
                going_on[below.size][round(apart * 4) / 4] += _goes_on(above, below)
    return {size: _spacing(counts, going_on[size]) for size, counts in distances.items()}


def _spacing(counts: Counter[float], going_on: Counter[float]) -> LineSpacing:
    """The spacing of lines whose distances are ``counts``.

    A distance between the usual one and `_GAP` of it divides paragraphs if hardly any sentence goes
    on after it: then lines are set exactly, and it is no accident.
    """
    total = counts.total()
    usual = min(
        apart
        for apart, count in counts.items()
        if count >= _USUAL * total or count == max(counts.values())
    )
    small = {
        apart: count
        for apart, count in counts.items()
        if _LEAST_GAP * usual < apart <= _GAP * usual
    }
    most = max(small, key=lambda apart: small[apart], default=0.0)
    near = [apart for apart in small if abs(apart - most) <= 0.25]
    count = sum(counts[apart] for apart in near)
    if (
        count >= _EXACT * sum(small.values()) > 0
        and sum(going_on[apart] for apart in near) <= _GOING_ON * count
    ):
        return LineSpacing(usual, (usual + most) / 2)
    return LineSpacing(usual, _GAP * usual)


def _goes_on(above: PrintedLine, below: PrintedLine) -> bool:
    return hyphenated(above.text) or (begins_small(below.text) and not ends_sentence(above.text))


def paragraphs(
    lines: Sequence[PrintedLine], spacing: Mapping[float, LineSpacing], body: float
) -> list[PrintedParagraph]:
    """The ``lines`` of a column as paragraphs. ``body`` is the font size of most of the
    document.
    """
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    tables, contents = _tables(lines), _contents(lines)
    found: list[PrintedParagraph] = []
    for at, line in enumerate(lines):
        begin = _mark(line)
        last = found[-1] if found else None
        if tables[at] and contents_page(line.text) is None:
            if last and last.table == tables[at] and _continues_row(line, last, spacing):
                last.lines.append(line)
            else:
                found.append(PrintedParagraph([line], left, right, BlockKind.ROW, table=tables[at]))
        elif contents[at]:
            if last and last.kind is BlockKind.PARAGRAPH and _leads_in(last, line, spacing):
                last.lines.append(line)
                last.kind = BlockKind.CONTENTS
            else:
                found.append(PrintedParagraph([line], left, right, BlockKind.CONTENTS, begin))
        elif (
            last is None
            or last.kind in (BlockKind.ROW, BlockKind.CONTENTS)
            or _begins(line, begin, last, spacing)
        ):
            found.append(_paragraph(line, begin, left, right, body))
        else:
            last.lines.append(line)
    _nest(found)
    return found


def _mark(line: PrintedLine) -> str:
    gap = len(line.edges) > 3 and line.edges[2] - line.edges[1] > 0.45 * line.size
    return mark(line.text, gap)


def _paragraph(
    line: PrintedLine, begin: str, left: float, right: float, body: float
) -> PrintedParagraph:
    listed = begin and (is_bullet(begin) or not (line.bold or line.size > (1 + _SIZE) * body))
    text = len(begin) + 1 if begin and len(line.text) > len(begin) else 0
    note = line.size < _FOOTNOTE * body and line.text[0] in "0123456789*†‡¹²³"
    kind = BlockKind.ITEM if listed else BlockKind.PARAGRAPH
    return PrintedParagraph([line], left, right, kind, begin, line.edges[text], footnote=note)


def _distance(line: PrintedLine, spacing: Mapping[float, LineSpacing]) -> float:
    return spacing[line.size].usual if line.size in spacing else 1.25 * line.size


def _fits(line: PrintedLine, above: PrintedLine, right: float) -> bool:
    """Whether the first word of ``line`` would have had room at the end of the line ``above``."""
    return above.right + 0.6 * above.size + line.first_word < right


def _begins(
    line: PrintedLine, begin: str, last: PrintedParagraph, spacing: Mapping[float, LineSpacing]
) -> bool:
    """Whether a paragraph begins with ``line``, whose mark is ``begin``, after the paragraph
    ``last``.
    """
    above = last.lines[-1]
    apart = line.baseline - above.baseline
    if (
        apart > (spacing[line.size].gap if line.size in spacing else _GAP * 1.25 * line.size)
        or apart < 0
    ):
        return True
    if abs(line.size - above.size) > _SIZE * max(line.size, above.size):
        return True
    runs_on = _goes_on(above, line)
    room = _fits(line, above, last.right)
    if begin and _is_mark(line, begin, last, room):
        return True
    full = not room and not ends_sentence(above.text)
    if (
        line.bold != above.bold
        and not runs_on
        and (all(each.bold for each in last.lines) or (line.bold and not full))
    ):
        return True
    near = _INDENT * line.size
    if last.mark and len(last.lines) == 1 and abs(line.left - last.start) <= near:
        return False
    first = last.lines[1] if len(last.lines) > 1 else above
    if len(last.lines) == 1 and (full or _centred(line, above, last)) and line.bold == above.bold:
        return False
    if abs(line.left - first.left) > near and not runs_on and _moved(line, last, near):
        return True
    return (
        room
        and not runs_on
        and (ends_sentence(above.text) or line.text[0].isupper() or not line.text[0].isalnum())
    )


def _centred(line: PrintedLine, above: PrintedLine, last: PrintedParagraph) -> bool:
    """Whether ``line`` and the one ``above`` have the same middle, and the first word of ``line``
    had no room above.
    """
    together = above.right - above.left + 0.3 * above.size + line.first_word
    return (
        abs(line.left + line.right - above.left - above.right) < _INDENT * line.size
        and together > last.right - last.left
    )


def _moved(line: PrintedLine, last: PrintedParagraph, near: float) -> bool:
    """Whether ``line`` is indented or outdented against the lines of ``last``, after its first, as
    only a new paragraph is.
    """
    if len(last.lines) > 1:
        return True
    if last.mark:
        return line.left < last.lines[0].left - near
    return (
        line.left > last.lines[0].left + near
    )  # a line further to the left follows every indented first line


def _is_mark(line: PrintedLine, begin: str, last: PrintedParagraph, room: bool) -> bool:
    """Whether ``begin`` is a mark and not a number or dash that happens to stand at the beginning
    of a line.
    """
    above = last.lines[-1]
    if room or ends_sentence(above.text):
        return True
    near = _INDENT * line.size
    if is_bullet(begin) and begin not in "-–—*":
        return True
    if (
        last.mark
        and abs(line.left - last.start) <= near
        and abs(last.start - last.lines[0].left) > near
    ):
        return False  # where the text of the item goes on
    if last.mark and abs(line.left - last.lines[0].left) <= near:
        return True
    return abs(line.left - above.left) > near or (
        begin.count(".") > 1 and not hyphenated(above.text)
    )


def _tables(lines: Sequence[PrintedLine]) -> list[int]:
    """For each line the number of the table that it is a row of, 0 for none."""
    cells = [tuple(line.edges[at] for at in _cells(line)) for line in lines]
    numbers = [0] * len(lines)
    number, at = 0, 0
    while at < len(lines):
        end = at
        while (
            end < len(lines)
            and cells[end]
            and (end == at or _aligned(cells[end - 1], cells[end], lines[end].size))
        ):
            end += 1
            while (
                end < len(lines)
                and not cells[end]
                and any(abs(lines[end].left - x) < lines[end].size for x in cells[end - 1])
            ):
                cells[end] = cells[end - 1]  # a cell goes on in a line of its own
                end += 1
        if end - at >= _ALIGNED or (end - at == 2 and min(len(cells[at]), len(cells[at + 1])) > 1):
            number += 1
            numbers[at:end] = [number] * (end - at)
        at = max(end, at + 1)
    return numbers


def _cells(line: PrintedLine) -> tuple[int, ...]:
    """Where cells begin in ``line``: after wide gaps, but for one after a bullet or number."""
    first = line.text[: line.cells[0]].strip() if line.cells else ""
    return line.cells[1:] if first and mark(f"{first} x") == first else line.cells


def _aligned(above: Sequence[float], below: Sequence[float], size: float) -> bool:
    return any(abs(a - b) < size for a in above for b in below)


def _continues_row(
    line: PrintedLine, last: PrintedParagraph, spacing: Mapping[float, LineSpacing]
) -> bool:
    apart = line.baseline - last.lines[-1].baseline
    return (
        not line.cells
        and line.left > last.lines[0].left + line.size
        and apart <= 1.15 * _distance(line, spacing)
    )


def _contents(lines: Sequence[PrintedLine]) -> list[bool]:
    """Which lines are lines of a table of contents: dots lead to a page, or a page stands far to
    the right on several lines.
    """
    found = [contents_page(line.text) is not None for line in lines]
    pages = [
        trailing_page(line.text) if line.cells and line.text[line.cells[-1] :].isdigit() else None
        for line in lines
    ]
    at = 0
    while at < len(lines):
        end = at
        while (
            end < len(lines)
            and pages[end] is not None
            and (end == at or (pages[end] or 0) >= (pages[end - 1] or 0))
        ):
            end += 1
        if (
            end - at >= _ALIGNED
            and abs(lines[at].right - lines[end - 1].right) < lines[at].size
            and _numbers_alone(lines[at:end])
        ):
            found[at:end] = [True] * (end - at)
        at = max(end, at + 1)
    return found


def _numbers_alone(lines: Sequence[PrintedLine]) -> bool:
    """Whether nothing but a page number and maybe the number of the title stands apart from the
    titles.
    """
    return all(len(_cells(line)) == 1 for line in lines)


def _leads_in(
    last: PrintedParagraph, line: PrintedLine, spacing: Mapping[float, LineSpacing]
) -> bool:
    """Whether ``line`` ends an item of contents that began in the line before."""
    above = last.lines[-1]
    near = (
        line.baseline - above.baseline <= 1.15 * _distance(line, spacing)
        and line.size == above.size
    )
    return (
        near and len(last.lines) == 1 and begins_small(line.text) and not ends_sentence(above.text)
    )


def _nest(found: Sequence[PrintedParagraph]) -> None:
    """Set the level of items by their indentation against the items before them."""
    stack: list[float] = []
    for each in found:
        near = _INDENT * each.lines[0].size
        left = each.lines[0].left
        if each.kind is not BlockKind.ITEM:
            if stack and left < stack[0] + near:
                stack = []
            continue
        while stack and left < stack[-1] - near:
            stack.pop()
        if not stack or left > stack[-1] + near:
            stack.append(left)
        each.level = len(stack)


def append(blocks: list[PrintedParagraph], following: Sequence[PrintedParagraph]) -> None:
    """Add what follows ``blocks`` in the next column or on the next page; a paragraph that runs on
    becomes one, before footnotes.
    """
    last = next((each for each in reversed(blocks) if not each.footnote), None)
    first = next((each for each in following if not each.footnote), None)
    if last is None or first is None or not _runs_on(last, first):
        blocks += following
        return
    last.lines += first.lines
    blocks += [each for each in following if each is not first]


def _runs_on(last: PrintedParagraph, first: PrintedParagraph) -> bool:
    above, line = last.lines[-1], first.lines[0]
    plain = (BlockKind.PARAGRAPH, BlockKind.ITEM)
    if (
        first.mark
        or last.kind not in plain
        or first.kind not in plain
        or above.bold != line.bold
        or above.angle
        or line.angle
    ):
        return False
    if abs(above.size - line.size) > _SIZE * line.size:
        return False
    if ends_sentence(above.text):  # an abbreviation, or a bracket within the sentence
        return begins_small(line.text) and not _fits(line, above, last.right)
    return (
        hyphenated(above.text)
        or begins_small(line.text)
        or above.text.endswith(",")
        or _full(last, line)
    )


def _full(last: PrintedParagraph, line: PrintedLine) -> bool:
    """Whether the last line of ``last`` has no room for the first word of ``line``; a paragraph of
    one line may be a heading.
    """
    return (
        len(last.lines) > 1
        and not _fits(line, last.lines[-1], last.right)
        and last.lines[-1].text[-1].isalnum()
    )
