"""Groups the lines of a column into paragraphs, list items, table rows and lines of contents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from corpus.blocks import BlockKind
from corpus.formats.lines import MEASURE, cites
from corpus.formats.pdf.lines import PrintedLine
from corpus.formats.pdf.tables import PrintedRow, is_header, table_rows

_GAP = 1.3  # times the usual distance of lines; a larger one begins a paragraph
_LEAST = 0.5  # least distance of lines in a paragraph, in units of the font size
_LEAST_GAP = 1.12  # the same as `_GAP` if lines are set exactly
_EXACT = 0.8  # share of the distances in between that are then equal
_GOING_ON = 0.1  # highest share of lines after such a distance that continue a sentence
_WIDE = (0.3, 4)  # a larger distance with this share and number of them is within text
_INDENT = 0.7  # in units of the font size: a smaller difference is none
_SIZE = 0.06  # relative difference that makes another font size
_MIXED = 0.1  # the same if a sentence continues from a full line (12 and 13 points in one text)
_HANGING = 0.2  # the same if the line is below the text of an item
_USUAL = 0.15  # least share of the distances in a font size that makes one the usual one
_FOOTNOTE = 0.9  # in units of the font size of the text
_ALIGNED = 3  # least lines of a table, with cells at the same position
_ROWS = 4.0  # largest distance of table rows, in units of the font size
_LONGEST = 400  # characters of a line of contents

_BULLETS = "•●○◦▪▫■□▶►▸➤➢➔✦✓❖»*·‣⁃–—◆◇★☆❍❑❒◻✗⇨☐☑☒✔-"
_MARK = re.compile(
    rf"(?P<bullet>[{re.escape(_BULLETS)}\ue000-\uf8ff])(?=\s|$)"
    r"|(?P<whole>(?:\d{1,4}(?:\.\d{1,4})+(?:\.?[a-z]{1,2})?"
    r"|[A-Z]{1,2}\d{0,2}(?:\.\d{1,4})+(?:\.[a-z])?)[.:)]?)(?=\s|$)"
    r"|(?P<number>(?:\d{1,3}[a-z]?[.)]|\(\d{1,3}\)|\(?[a-zA-Z]\)|[a-zA-Z]\.|[ivxIVX]{1,5}[.)]"
    r"|§\s?\d{1,4}[a-z]?\.?))(?=\s+\S)"
)
_LEADERS = re.compile(
    r"(?<![.…·_])(?<![.…·_]\s)(?>(?:[.…·_]\s?){3,})\s*(?P<page>\d{1,4}|[ivxl]{1,6})?\Z"
)
_TWO_LEADERS = re.compile(r"(?<!…)(?<!…\s)(?>(?:…\s?){2,})[.\s]*+(?P<page>\d{1,4})\Z")
_TITLE = re.compile(r"[^\W_]")
_TRAILING = re.compile(r"(?<=\s)\d{1,4}\Z")
_LETTER = re.compile(r"[^\W\d]")
_END = re.compile(r"""[.!?:;…][)\]"'”’“»«*]*$""")
_SMALL = re.compile(r"""["'“„«»(\[]*([^\W\d_])""")


def hyphenated(text: str) -> bool:
    """Return whether ``text`` ends with a hyphen after a letter."""
    return len(text) > 1 and text[-1] in "-\u00ad\u2010" and text[-2].isalpha()


def _is_bullet(mark: str) -> bool:
    return not any(sign.isalnum() for sign in mark) or mark == "o"


def ends_sentence(text: str) -> bool:
    """Return whether ``text`` ends with punctuation of a sentence, possibly before closing quotes
    or brackets.
    """
    return _END.search(text) is not None


def begins_small(text: str) -> bool:
    """Return whether ``text`` begins in lower case, possibly after opening punctuation."""
    found = _SMALL.match(text)
    return bool(found and found.group(1).islower())


@dataclass
class PrintedParagraph:
    """Lines that belong together. ``left`` and ``right`` are the edges of their column; ``start``
    is the left edge of the text after the list mark.
    """

    lines: list[PrintedLine]
    left: float
    right: float
    kind: BlockKind = BlockKind.PARAGRAPH
    mark: str = ""
    start: float = 0.0
    table: int = 0  # the number of a row's table, from 1
    # In a table row, ``lines`` are parts of cells: the first and last column of each.
    columns: list[tuple[int, int]] = field(default_factory=list)
    level: int = 0
    footnote: bool = False

    @property
    def indent(self) -> float:
        """The distance of the first line from the left edge of the column."""
        return round(max(self.lines[0].left - self.left, 0.0), 1)

    @property
    def size(self) -> float:
        """The font size of most characters."""
        return most_common_size(self.lines)


def most_common_size(lines: Iterable[PrintedLine]) -> float:
    """Return the font size of most characters of ``lines``, or 0.0 if there are none."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


class LineSpacing(NamedTuple):
    """Distances between baselines in points: the ``usual`` one within a paragraph, and the ``gap``
    above which a new paragraph begins. ``wide`` are larger distances within paragraphs, in parts of
    a document with another spacing.
    """

    usual: float
    gap: float
    wide: tuple[float, ...] = ()

    def parts(self, apart: float, full: bool) -> bool:
        """Return whether a paragraph begins at the distance ``apart`` below a line; ``full`` means
        that the line is filled.
        """
        return apart > self.gap and not (full and any(abs(apart - w) <= 0.5 for w in self.wide))


def spacings(columns: Iterable[Sequence[PrintedLine]]) -> Mapping[float, LineSpacing]:
    """Return the line spacing for each font size."""
    distances: dict[float, Counter[float]] = defaultdict(Counter)
    going_on: dict[float, Counter[float]] = defaultdict(Counter)  # distances within a sentence
    for lines in columns:
        for above, below in pairwise(lines):
            size, apart = below.size, below.baseline - above.baseline
            if above.size == size and 0.8 * size < apart < 2.2 * size:
                distances[size][round(apart * 4) / 4] += 1
                going_on[size][round(apart * 4) / 4] += _goes_on(above, below)
    return {size: _spacing(counts, going_on[size]) for size, counts in distances.items()}


def _spacing(counts: Counter[float], going_on: Counter[float]) -> LineSpacing:
    """Return the spacing of lines with the distances ``counts``.

    A distance between the usual one and `_GAP` times that separates paragraphs if hardly any
    sentence continues after it, because lines are then set exactly and the distance is intended.
    """
    frequent = min(_USUAL * counts.total(), max(counts.values()))
    usual = min(apart for apart, count in counts.items() if count >= frequent)
    small = {
        apart: count
        for apart, count in counts.items()
        if _LEAST_GAP * usual < apart <= _GAP * usual
    }
    most = max(small, key=lambda apart: small[apart], default=0.0)
    near = [apart for apart in small if abs(apart - most) <= 0.25]
    count = sum(counts[apart] for apart in near)
    exact = count >= _EXACT * sum(small.values()) > 0
    exact = exact and sum(going_on[apart] for apart in near) <= _GOING_ON * count
    gap = (usual + most) / 2 if exact else _GAP * usual
    share, least = _WIDE
    wide = [apart for apart in counts if apart > gap and going_on[apart] >= share * counts[apart]]
    return LineSpacing(usual, gap, tuple(apart for apart in wide if going_on[apart] >= least))


def _goes_on(above: PrintedLine, below: PrintedLine) -> bool:
    small = begins_small(below.text) and not ends_sentence(above.text)
    return hyphenated(above.text) or small


class ColumnReader:
    """Makes paragraphs from columns. ``spacing`` is that of the document by font size, ``body`` the
    most common font size.
    """

    def __init__(self, spacing: Mapping[float, LineSpacing], body: float):
        self._spacing = spacing
        self._body = body

    def paragraphs(self, lines: Sequence[PrintedLine]) -> list[PrintedParagraph]:
        """Return the ``lines`` of a column as paragraphs."""
        left, right = min(line.left for line in lines), max(line.right for line in lines)
        tables, contents = _tables(lines), _contents(lines)
        found: list[PrintedParagraph] = []
        end = 0  # of the last table
        for at, (line, listed) in enumerate(zip(lines, contents, strict=True)):
            if at in tables:
                count, rows = tables[at]
                end = at + count
                number = len([start for start in tables if start <= at])
                for row in rows:
                    row_found = PrintedParagraph(row.lines, left, right, BlockKind.ROW)
                    row_found.table, row_found.columns = number, row.columns
                    found.append(row_found)
            if at < end:
                continue
            mark = _mark(line)
            last = found[-1] if found else None
            if listed:
                if last and last.kind is BlockKind.PARAGRAPH and self._leads_in(last, line):
                    last.lines.append(line)
                    last.kind = BlockKind.CONTENTS
                else:
                    found.append(PrintedParagraph([line], left, right, BlockKind.CONTENTS, mark))
            elif (
                last is None
                or last.kind in (BlockKind.ROW, BlockKind.CONTENTS)
                or self._begins(line, mark, last)
            ):
                found.append(self._begun(line, mark, left, right))
            else:
                last.lines.append(line)
        _nest(found)
        return found

    def _begun(self, line: PrintedLine, mark: str, left: float, right: float) -> PrintedParagraph:
        large = line.bold or line.size > (1 + _SIZE) * self._body
        listed = mark and (_is_bullet(mark) or not large)
        text = len(mark) + 1 if mark and len(line.text) > len(mark) else 0
        note = line.size < _FOOTNOTE * self._body and (
            line.text[0].isdigit() or line.text[0] in "*†‡"
        )
        kind = BlockKind.ITEM if listed else BlockKind.PARAGRAPH
        return PrintedParagraph([line], left, right, kind, mark, line.edges[text], footnote=note)

    def _is_close(self, line: PrintedLine, above: PrintedLine) -> bool:
        known = self._spacing.get(line.size)
        usual = known.usual if known else 1.25 * line.size
        return line.baseline - above.baseline <= 1.15 * usual

    def _leads_in(self, last: PrintedParagraph, line: PrintedLine) -> bool:
        above = last.lines[-1]
        return (
            self._is_close(line, above)
            and line.size == above.size
            and len(last.lines) == 1
            and begins_small(line.text)
            and not ends_sentence(above.text)
        )

    def _begins(self, line: PrintedLine, mark: str, last: PrintedParagraph) -> bool:
        above = last.lines[-1]
        known = self._spacing.get(line.size)
        spacing = known or LineSpacing(1.25 * line.size, _GAP * 1.25 * line.size)
        room = _fits(line, above, last.right)
        apart = line.baseline - above.baseline
        # Closer lines are printed over each other.
        if apart < _LEAST * line.size or spacing.parts(apart, not room):
            return True
        ended = ends_sentence(above.text)
        inside = not room and not ended and line.bold == above.bold
        hanging = last.mark and abs(line.left - last.start) <= _INDENT * line.size
        mixed = _SIZE if not inside else _HANGING if hanging else _MIXED
        if abs(line.size - above.size) > mixed * max(line.size, above.size):
            return True
        runs_on = _goes_on(above, line)
        if cites(above.text, line.text):
            return False
        if mark and (room or ended or _is_mark(line, mark, last)):
            return True
        full = not room and not ended
        same = line.bold == above.bold
        all_bold = all(each.bold for each in last.lines)
        if not same and not runs_on and (all_bold or (line.bold and not full)):
            return True
        near = _INDENT * line.size
        alone = len(last.lines) == 1
        if alone and last.mark and abs(line.left - last.start) <= near:
            return False
        if alone and same and (full or _is_centred(line, above, last)):
            return False
        first = above if alone else last.lines[1]
        if abs(line.left - first.left) > near and not runs_on and _is_moved(line, last, near):
            return True
        sentence = ended or line.text[0].isupper() or not line.text[0].isalnum()
        return room and not runs_on and sentence


def _fits(line: PrintedLine, above: PrintedLine, right: float) -> bool:
    """Return whether the first word of ``line`` would have fit at the end of the line ``above``."""
    return above.right + 0.6 * above.size + line.first_word < right


def _is_centred(line: PrintedLine, above: PrintedLine, last: PrintedParagraph) -> bool:
    together = above.right - above.left + 0.3 * above.size + line.first_word
    apart = abs(line.left + line.right - above.left - above.right)
    return apart < _INDENT * line.size and together > last.right - last.left


def _is_moved(line: PrintedLine, last: PrintedParagraph, near: float) -> bool:
    """Return whether ``line`` is indented or outdented like a new paragraph, compared to the lines
    of ``last`` after the first.
    """
    if len(last.lines) > 1:
        return True
    if last.mark:
        return line.left < last.lines[0].left - near
    # The line after an indented first line is always further to the left.
    return line.left > last.lines[0].left + near


def _mark(line: PrintedLine) -> str:
    gap = line.edges[2] - line.edges[1] if len(line.edges) > 3 else 0.0
    if line.text.startswith("o ") and gap > 0.45 * line.size:
        return "o"  # word processors' bullet of the second level
    found = _MARK.match(line.text)
    return found.group() if found and not MEASURE.fullmatch(found.group()) else ""


def _is_mark(line: PrintedLine, mark: str, last: PrintedParagraph) -> bool:
    """Return whether ``mark`` is a list mark, not a number or dash at a chance line beginning."""
    above, near = last.lines[-1], _INDENT * line.size
    if _is_bullet(mark) and mark not in "-–—*":
        return True
    if last.mark:
        first = last.lines[0].left
        if abs(line.left - last.start) <= near and abs(last.start - first) > near:
            return False  # aligned with the text of the item
        if abs(line.left - first) <= near:
            return True
    if abs(line.left - above.left) > near:
        return True
    return mark.count(".") > 1 and not hyphenated(above.text)


def _tables(lines: Sequence[PrintedLine]) -> dict[int, tuple[int, list[PrintedRow]]]:
    """Return the tables of a column: number of lines and rows, by the index of the first line."""
    cells = [
        tuple(line.edges[at] for at in _cells(line)) if _contents_page(line.text) is None else ()
        for line in lines
    ]
    found: dict[int, tuple[int, list[PrintedRow]]] = {}
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and cells[end]:
            if end > at and not _near(cells[end - 1], cells[end], lines[end].size):
                break
            end += 1
            while end < len(lines) and not cells[end]:
                alone = _near(cells[end - 1], [lines[end].left], lines[end].size)
                if not alone and not _is_within(lines, cells, at, end):
                    break
                cells[end] = cells[end - 1]  # a line that only continues a cell
                end += 1
        if end - at >= _ALIGNED or (end - at == 2 and min(len(cells[at]), len(cells[at + 1])) > 1):
            run = lines[at:end]
            above = lines[at - 1] if at and not cells[at - 1] else None
            if above and run[0].baseline - above.baseline < _ROWS * above.size:
                at -= is_header(above, run)
            found[at] = end - at, table_rows(lines[at:end])
        at = max(end, at + 1)
    return found


def _is_within(
    lines: Sequence[PrintedLine], cells: Sequence[Sequence[float]], start: int, at: int
) -> bool:
    """Return whether line ``at``, without cells, is in the first column of a continued table."""
    line, above = lines[at], lines[at - 1]
    return (
        abs(line.left - lines[start].left) < line.size
        and line.right < min(cells[at - 1])
        and line.baseline - above.baseline < _ROWS * line.size
        and at + 1 < len(lines)
        and lines[at + 1].baseline - line.baseline < _ROWS * line.size
        and _near(cells[at - 1], cells[at + 1], line.size)
    )


def _cells(line: PrintedLine) -> tuple[int, ...]:
    """Return the offsets at which cells of ``line`` begin: after wide gaps, except the gap after a
    bullet or number.
    """
    first = line.text[: line.cells[0]].strip() if line.cells else ""
    mark = _MARK.match(f"{first} x") if first else None
    return line.cells[1:] if mark and mark.group() == first else line.cells


def _near(above: Sequence[float], below: Sequence[float], size: float) -> bool:
    return any(abs(a - b) < size for a in above for b in below)


def _contents(lines: Sequence[PrintedLine]) -> list[bool]:
    """Return which lines belong to a table of contents: dots lead to a page number, or several
    lines have one at the right.
    """
    found = [_contents_page(line.text) is not None for line in lines]
    pages = [_trailing_page(line) for line in lines]
    at = 0
    while at < len(lines):
        end, last = at, 0
        while end < len(lines) and (page := pages[end]) is not None and page >= last:
            end, last = end + 1, page
        run = lines[at:end]
        # Only a page number, and maybe the number of the title, is separated by a gap.
        alone = all(len(_cells(line)) == 1 for line in run)
        if len(run) >= _ALIGNED and abs(run[0].right - run[-1].right) < run[0].size and alone:
            found[at:end] = [True] * len(run)
        at = max(end, at + 1)
    return found


def _contents_page(text: str) -> str | None:
    """Return the page number after dot leaders in ``text``, "" if no number follows them, or None
    if it is not a line of contents.
    """
    if len(text) > _LONGEST:
        return None
    found = _TWO_LEADERS.search(text) or _LEADERS.search(text)
    title = text[: found.start()].rstrip() if found else ""
    if not found or not _TITLE.search(title):
        return None
    if not found["page"] and len(text) - len(title) < 6:
        return None  # an ellipsis
    return found["page"] or ""


def _trailing_page(line: PrintedLine) -> int | None:
    """Return the number after text and a gap at the end of ``line``, or None."""
    text = line.text
    if not line.cells or not text[line.cells[-1] :].isdigit() or len(text) > _LONGEST:
        return None
    found = _TRAILING.search(text)
    return int(found.group()) if found and _LETTER.search(text, 0, found.start()) else None


def _nest(found: Sequence[PrintedParagraph]) -> None:
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
    """Append the paragraphs of the next column or page to ``blocks``; if the last paragraph (before
    footnotes) continues there, it is joined.
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
    plain = {BlockKind.PARAGRAPH, BlockKind.ITEM}
    if first.mark or not {last.kind, first.kind} <= plain or above.bold != line.bold:
        return False
    if abs(above.size - line.size) > _SIZE * line.size:
        return False
    fits = _fits(line, above, last.right)
    if ends_sentence(above.text):  # an abbreviation, or a bracket within the sentence
        return begins_small(line.text) and not fits
    # A paragraph of one line may be a heading.
    full = len(last.lines) > 1 and not fits and above.text[-1].isalnum()
    return hyphenated(above.text) or begins_small(line.text) or above.text.endswith(",") or full
