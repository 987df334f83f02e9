"""Groups the characters of a page into printed lines, in columns in reading order."""

from __future__ import annotations

import bisect
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, groupby, pairwise

from corpus.formats.pdf.characters import FontStyle, PrintedCharacter
from corpus.formats.pdf.letter_spacing import blanks
from corpus.formats.pdf.table_runs import CELL, rows_of_tables
from corpus.superscripts import superscripts

# In units of the font size:
_BREAK = 0.9  # a wider gap begins a new segment
_BLANK = 0.2  # a gap between a large initial and its word
_EQUAL = 0.12  # largest difference between the gaps of a justified line
_WIDEST = 4.0  # such a gap in a narrow column
_LEVEL = 0.2  # largest difference between the baselines of a line
_SAME = 0.12  # a letter so near to an equal one is a repetition that makes it bold
_GUTTER = 0.6  # the narrowest gutter between columns
_LEAST_WIDTH = 8.0  # of a column; list numbers and table cells are narrower
_RAISED = 8  # characters of a superscript or subscript at most
_SMALL = 0.85  # the largest superscript
_HIGHER = 0.15  # the least height of a superscript
_OVER = 1.2  # least overlap of texts printed over each other
_SAME_LEVEL = 0.02  # largest difference between equal baselines
_CLOSE = 0.8  # least distance of lines not printed over each other
_NEXT = 1.6  # largest distance of lines in a paragraph
_SHADOW = 0.4  # largest distance between two prints of the same text
_INITIAL = 1.8  # how much larger a drop cap is than the text
_INITIAL_HEIGHT = 0.75  # of a drop cap, in units of its own size
_PART = 3  # least characters of text printed over other text
_COVERED = 0.35  # least overlap with the next letter, as a share of the narrower
_MOST_COVERED = 8  # covered letters of a line, at least, and at least this share:
_MIXED = 0.3

_CROSSING = 0.35  # highest share of rows across a gutter, such as captions
_FILLED = 0.5  # mean share of a column's width that lines fill; cells of tables fill less
_LISTED = 0.2  # the same if the file has one column after the other, unlike a table
# Changes of side per row, in file order; a table written row by row has two.
_CHANGES = 0.25
_LEAST_ROWS = 3
_APART = 1.5  # distance of lines, in units of the font size, at which two texts may be separated
_DEPTH = 3
_STEP = 2.0  # points
_STRAY = 0.03  # share of rows with stray text in a gutter, such as page numbers
_MARGIN = 0.12  # share of the width at each edge that has no gutter


@dataclass(slots=True)
class Segment:
    """Adjacent characters on a baseline. ``size`` is that of the first, ``order`` the position in
    file order; ``covered`` means that other text is printed over them.
    """

    characters: list[PrintedCharacter]
    left: float
    right: float
    baseline: float
    size: float
    order: int
    covered: bool = False


Row = list[Segment]


@dataclass
class PrintedLine:
    """A line as printed.

    Attributes:
        page: Its page, counted from 1.
        edges: The left edges of the characters of ``text`` and the right edge of the last one.
        cells: Offsets into ``text`` after wide gaps.
        targets: Links, as first character, end and target.
        covered: Whether it is illegible because other text is printed over it.
        order: The positions of its first and its last segment in file order.
    """

    page: int
    text: str
    edges: tuple[float, ...]
    baseline: float
    size: float
    bold: bool
    italic: bool
    angle: int = 0
    cells: tuple[int, ...] = ()
    targets: list[tuple[int, int, str]] = field(default_factory=list)
    covered: bool = False
    order: tuple[int, int] = (0, 0)

    @property
    def left(self) -> float:
        """The left edge."""
        return self.edges[0]

    @property
    def right(self) -> float:
        """The right edge."""
        return self.edges[-1]

    @property
    def top(self) -> float:
        """The upper edge, including accents on capitals."""
        return self.baseline - 0.88 * self.size

    @property
    def bottom(self) -> float:
        """The lower edge, including descenders."""
        return self.baseline + 0.24 * self.size

    @cached_property
    def first_word(self) -> float:
        """The width of the first word."""
        return self.edges[len(self.text.split(" ", 1)[0])] - self.left

    def part(self, start: int, end: int) -> PrintedLine:
        """Return the characters from ``start`` to ``end`` as a line."""
        targets = [
            (max(first, start) - start, min(last, end) - start, target)
            for first, last, target in self.targets
            if first < end and start < last
        ]
        text, edges = self.text[start:end], self.edges[start : end + 1]
        return replace(self, text=text, edges=edges, cells=(), targets=targets)

    def pieces(self, cells: Sequence[int]) -> list[PrintedLine]:
        """Return the line split at the offsets ``cells``, without the blanks before them."""
        ends = [at - (self.text[at - 1] == " ") for at in cells] + [len(self.text)]
        return [self.part(*each) for each in zip([0, *cells], ends, strict=True)]


def segments(characters: Iterable[PrintedCharacter]) -> list[Segment]:
    """Group adjacent ``characters`` on a baseline, keeping their order."""
    found: list[Segment] = []
    current: Segment | None = None
    for each in characters:
        size = each.style.size
        if (
            current is None
            or abs(each.baseline - current.baseline) > 0.05 * size
            or not -0.5 * size <= each.left - current.right <= _BREAK * size
            or each.style.angle != current.characters[-1].style.angle
            or not 0.7 <= size / current.size <= 1.43
        ):
            current = Segment([each], each.left, each.right, each.baseline, size, len(found))
            found.append(current)
        else:
            current.characters.append(each)
            current.right = max(current.right, each.right)
    return found


def rows(parts: Iterable[Segment]) -> list[Row]:
    """Group ``parts`` by baseline, from top to bottom; superscripts and subscripts belong to the
    line that they touch.

    Text printed over different text becomes a line of its own; a second print of the same text is
    dropped.
    """
    found: list[Row] = []
    levels: list[float] = []  # the baselines of `found`, ascending
    for part in sorted(parts, key=lambda s: (-min(len(s.characters), _RAISED + 1), s.baseline)):
        at = bisect.bisect_left(levels, part.baseline)
        near_rows = range(max(at - 3, 0), min(at + 3, len(levels)))
        below = [each for near in near_rows for each in found[near] if _is_over(part, each)]
        if any(_is_shadow(part, each) for each in below):
            continue
        for each in below:
            apart = abs(part.baseline - each.baseline)
            if apart <= _SAME_LEVEL * part.size and 0.5 <= part.size / each.size <= 2:
                part.covered = each.covered = True
        best = min(
            (
                near
                for near in near_rows
                if _belongs(part, found[near], levels[near])
                and not any(each is other for each in found[near] for other in below)
            ),
            key=lambda near: (
                abs(levels[near] - part.baseline),
                abs(found[near][-1].order - part.order),
            ),
            default=None,
        )
        if best is None:
            levels.insert(at, part.baseline)
            found.insert(at, [part])
        else:
            found[best].append(part)
    return found


def _belongs(part: Segment, row: Row, level: float) -> bool:
    apart, size = abs(part.baseline - level), row[0].size
    if apart <= _LEVEL * max(part.size, size):
        return True
    if len(part.characters) > _RAISED or part.size > 0.85 * size or apart > 0.55 * size:
        return False
    return any(
        part.left - each.right < 0.4 * each.size and each.left - part.right < 0.4 * each.size
        for each in row
    )


def _with_initials(lines: list[Row]) -> list[Row]:
    """Return the rows, with each drop cap moved to the first of the lines beside it."""
    for initial in [part for row in lines for part in row if len(part.characters) == 1]:
        if not initial.characters[0].text.isupper():
            continue
        top = initial.baseline - _INITIAL_HEIGHT * initial.size
        beside = [
            start
            for row in lines
            if (parts := [part for part in row if part is not initial])
            and (start := min(parts, key=lambda part: part.left)).size * _INITIAL <= initial.size
            and top < start.baseline <= initial.baseline + _LEVEL * start.size
            and 0 <= start.left - initial.right + _BLANK * start.size <= CELL * start.size
        ]
        if len(beside) < 2:
            continue
        start, following = beside[0], beside[0].characters[0]
        right = initial.right if following.spaced else following.left
        start.characters.insert(
            0,
            initial.characters[0]._replace(
                left=min(initial.left, right),
                right=right,
                baseline=start.baseline,
                style=following.style,
            ),
        )
        start.left = initial.left
        left_over = ([part for part in row if part is not initial] for row in lines)
        lines = [row for row in left_over if row]
    return lines


def _is_over(one: Segment, other: Segment) -> bool:
    """Return whether one text is printed over the other; accents and dot leaders do not count."""
    over = min(one.right, other.right) - max(one.left, other.left)
    return over >= _OVER * min(one.size, other.size) and all(
        len(each.characters) >= _PART and any(c.text not in ".…·" for c in each.characters)
        for each in (one, other)
    )


def _is_shadow(one: Segment, other: Segment) -> bool:
    """Return whether ``other`` contains all characters of ``one`` at nearly the same position."""
    most = _SHADOW * one.size
    if abs(one.baseline - other.baseline) > most:
        return False
    places: dict[str, list[float]] = defaultdict(list)
    for each in other.characters:
        bisect.insort(places[each.text], each.left)
    for each in one.characters:
        lefts = places[each.text]
        at = bisect.bisect_left(lefts, each.left - most)
        if at == len(lefts) or lefts[at] > each.left + most:
            return False
    return True


def _in_layers(lines: Sequence[Row]) -> list[Row]:
    """Return the rows of a column; texts printed over each other come one after the other, each in
    file order.
    """
    found: list[Row] = []
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and (
            _collide(lines[end - 1], lines[end])
            or (end > at + 1 and end + 1 < len(lines) and _collide(lines[end], lines[end + 1]))
        ):
            end += 1
        layers: list[list[Row]] = []
        for row in sorted(lines[at:end], key=_order):
            fitting = (
                layer
                for layer in reversed(layers)
                if row[0].baseline - layer[-1][0].baseline >= _CLOSE * row[0].size
            )
            if (layer := next(fitting, None)) is None:
                layers.append([row])
            else:
                layer.append(row)
        begun = next((each for each in layers if found and _follows(found[-1], each[0])), None)
        ends = end == len(lines)
        going = next((each for each in layers if not ends and _follows(each[-1], lines[end])), None)
        others = [each for each in layers if each is not begun and each is not going]
        place = len(found)
        if begun is None or begun is not going:
            others = [*([begun] if begun else []), *others, *([going] if going else [])]
        else:  # its paragraph must not be interrupted
            found += begun
            place -= 1
            while place and _follows(found[place - 1], found[place]):
                place -= 1
        found[place:place] = [row for layer in others for row in layer]
        at = end
    return found


def _collide(above: Row, below: Row) -> bool:
    size = min(above[0].size, below[0].size)
    if below[0].baseline - above[0].baseline >= _CLOSE * size:
        return False
    return any(_is_over(one, other) for one in above for other in below)


def _follows(above: Row, below: Row) -> bool:
    """Return whether ``below`` continues the paragraph of ``above``, both in file and on page."""
    size, apart = below[0].size, below[0].baseline - above[0].baseline
    next_in_file = _order(below) == max(part.order for part in above) + 1
    return next_in_file and above[0].size == size and 0 < apart <= _NEXT * size


def _order(row: Row) -> int:
    return min(part.order for part in row)


def line(row: Row, page: int) -> PrintedLine:
    """Return the segments of ``row`` as a line, with missing blanks between words added and raised
    digits as superscripts.
    """
    signs, covered = _once(sorted((c for part in row for c in part.characters), key=_left))
    text: list[str] = []
    edges: list[float] = []
    cells: list[int] = []
    gaps: list[float] = []  # between words
    size = Counter(each.style.size for each in signs).most_common(1)[0][0]
    baseline = Counter(each.baseline for each in signs).most_common(1)[0][0]
    letters: list[FontStyle] = []  # their styles
    before: PrintedCharacter | None = None
    for each, blank in zip(signs, blanks(signs), strict=True):
        if before is not None and blank:
            gap = (each.left - before.right) / each.style.size
            gaps.append(gap)
            if gap > CELL:
                cells.append(len(text) + 1)
            text.append(" ")
            edges.append(round(before.right, 1))
        raised = each.style.size < _SMALL * size and baseline - each.baseline > _HIGHER * size
        _append(each._replace(text=superscripts(each.text)) if raised else each, text, edges)
        if each.text[0].isalnum():
            letters.append(each.style)
        before = each
    edges.append(round(max(c.right for c in signs), 1))
    width = sum(each.right - each.left for each in signs) / signs[0].style.size
    # A line without letters is bold if all its characters are.
    looks = letters or [each.style for each in signs]
    return PrintedLine(
        page=page,
        text="".join(text),
        edges=tuple(edges),
        baseline=round(baseline, 1),
        size=size,
        bold=all(style.bold for style in looks),
        italic=all(style.italic for style in looks),
        angle=signs[0].style.angle,
        cells=() if _is_justified(gaps, width) else tuple(cells),
        covered=any(part.covered for part in row)
        or covered >= max(_MOST_COVERED, _MIXED * sum(len(part.characters) for part in row)),
        order=(min(part.order for part in row), max(part.order for part in row)),
    )


def _left(each: PrintedCharacter) -> float:
    return each.left


def _once(signs: Sequence[PrintedCharacter]) -> tuple[list[PrintedCharacter], int]:
    """Return ``signs``, from left to right, without repetitions at the same position, and the
    number of letters covered by the next one.
    """
    found = [signs[0]]
    covered = 0
    for each in signs[1:]:
        before, size = found[-1], each.style.size
        if (
            each.text == before.text
            and each.left - before.left < _SAME * size
            and abs(each.baseline - before.baseline) < _LEVEL * size
        ):
            continue
        narrower = min(each.right - each.left, before.right - before.left)
        covered += before.right - each.left > _COVERED * narrower > 0
        found.append(each)
    return found, covered


def _is_justified(gaps: Sequence[float], width: float) -> bool:
    """Return whether the ``gaps`` between words (in units of the font size) are those of a
    justified line, not of table cells.

    They must be about equal and not too wide, and their sum less than the ``width`` of the text.
    The first gap may differ, after a bullet or number.
    """
    return sum(gaps) < width and any(
        len(each) > 1 and max(each) - min(each) < _EQUAL and CELL < max(each) < _WIDEST
        for each in (gaps, gaps[1:])
    )


def _append(each: PrintedCharacter, text: list[str], edges: list[float]) -> None:
    """Add a character; an accent is combined with the letter before, and a ligature becomes several
    letters of equal width.
    """
    if text and unicodedata.combining(each.text[0]):
        joined = unicodedata.normalize("NFC", text[-1] + each.text)
        if len(joined) == 1:
            text[-1] = joined
            return
    signs = unicodedata.normalize("NFC", each.text)
    step = (each.right - each.left) / len(signs)
    text += signs
    edges += [round(each.left + at * step, 1) for at in range(len(signs))]


def columns(parts: Sequence[Segment], depth: int = _DEPTH) -> list[list[Row]]:
    """Return the columns of ``parts`` in reading order, each as its rows from top to bottom.

    Columns are separated by gutters that few rows cross; rows across a gutter and tables are
    returned as columns of their own.
    """
    lines = _with_initials(rows(parts))
    tables = {id(lines[at]) for at in (rows_of_tables(lines) if depth else ())}
    gutter = _gutter([row for row in lines if id(row) not in tables]) if depth else None
    if gutter is None:
        return [_in_layers(lines)] if lines else []
    found: list[list[Row]] = []
    wide: list[Row] = []  # rows over all columns
    for crosses, band in _bands(lines, gutter, tables):
        on_left = [(s.left + s.right) / 2 < gutter for row in band for s in row]
        alone = all(on_left) or not any(on_left)
        if crosses or len(band) < 2 or alone or _are_labels(band, gutter):
            wide += band
            continue
        if wide:
            found.append(_in_layers(wide))
            wide = []
        for piece in _written_apart(band, gutter):
            parts = [s for row in piece for s in row]
            found += columns([s for s in parts if (s.left + s.right) / 2 < gutter], depth - 1)
            found += columns([s for s in parts if (s.left + s.right) / 2 >= gutter], depth - 1)
    return [*found, _in_layers(wide)] if wide else found


def _are_labels(band: Sequence[Row], gutter: float) -> bool:
    """Return whether the text left of the ``gutter`` in the rows ``band`` is only rule numbers or
    letters ("6.1.3", "b)") beside their text.
    """
    for row in band:
        label = [each for s in row if s.right <= gutter for each in s.characters]
        alone = all(s.right <= gutter for s in row)
        if label and (alone or sum(each.text.isalpha() for each in label) > 1):
            return False
    return True


def _written_apart(band: Sequence[Row], gutter: float) -> Iterator[list[Row]]:
    """Split the rows ``band`` at gaps where both columns end in file order, for example between a
    table of contents and the text below it, each in two columns.
    """
    first = [min(s.order for s in row) for row in band]
    below = list(accumulate(reversed(first), min))[::-1]  # from this row on
    start, last = 0, -1
    for at, row in enumerate(band):
        above = band[at - 1][0]
        if below[at] > last and row[0].baseline - above.baseline > _APART * above.size:
            if _has_columns(band[start:at], gutter):
                yield list(band[start:at])
                start = at
            elif at - start >= _LEAST_ROWS:
                break  # written row by row
        last = max(last, *(s.order for s in row))
    yield list(band[start:])


def _has_columns(band: Sequence[Row], gutter: float) -> bool:
    # One column follows the other in the file, except for a running head above both.
    in_order = sorted((s for row in band for s in row), key=lambda s: s.order)
    changes = sum((a.left >= gutter) != (b.left >= gutter) for a, b in pairwise(in_order))
    left = sum(any(s.left < gutter for s in row) for row in band)
    right = sum(any(s.left >= gutter for s in row) for row in band)
    return changes <= 3 and min(left, right) >= _LEAST_ROWS


def _bands(
    lines: Sequence[Row], gutter: float, tables: Set[int] = frozenset()
) -> Iterator[tuple[bool, list[Row]]]:
    def crosses(row: Row) -> bool:
        return id(row) in tables or any(s.left < gutter < s.right for s in row)

    for across, band in groupby(lines, crosses):
        yield across, list(band)


def _gutter(lines: Sequence[Row]) -> float | None:
    """Return the middle of the gutter that most rows leave free, or None for a single column."""
    parts = [s for row in lines for s in row]
    if len(lines) < _LEAST_ROWS or not parts:
        return None
    left, right = min(s.left for s in parts), max(s.right for s in parts)
    size = sorted(s.size for s in parts)[len(parts) // 2]
    count = int((right - left) / _STEP) + 2
    changes = [0] * (count + 1)
    for each in parts:
        changes[int((each.left - left) / _STEP)] += 1
        changes[min(int((each.right - left) / _STEP) + 1, count)] -= 1
    cover, covers = 0, []
    for change in changes[:count]:
        cover += change
        covers.append(cover)
    best, score = None, 0
    inner = int(_MARGIN * count)
    for first, end in _low(covers[: count - inner], _CROSSING * len(lines), inner):
        low = min(covers[first:end]) + max(2, _STRAY * len(lines))
        start, stop = _longest(_low(covers[:end], low, first))
        middle = left + (start + stop) / 2 * _STEP
        sided = _sided(lines, middle, size) if (stop - start) * _STEP >= _GUTTER * size else 0
        if sided > score:
            best, score = middle, sided
            # The widest free strip, beside ragged lines.
            free = _longest(_low(covers[:stop], min(covers[start:stop]), start))
            middle = left + sum(free) / 2 * _STEP
            if (sided := _sided(lines, middle, size)) >= score:
                best, score = middle, sided
    return best


def _longest(runs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    return max(runs, key=lambda run: run[1] - run[0])


def _low(covers: Sequence[int], most: float, begin: int) -> Iterator[tuple[int, int]]:
    for low, run in groupby(range(begin, len(covers)), lambda at: covers[at] <= most):
        if low:
            places = list(run)
            yield places[0], places[-1] + 1


def _sided(lines: Sequence[Row], gutter: float, size: float) -> int:
    """Return the number of rows with text on both sides of the ``gutter``, or 0 if the sides are
    not columns.
    """
    left: list[tuple[float, float]] = []
    right: list[tuple[float, float]] = []
    both = changes = 0
    for crosses, band in _bands(lines, gutter):
        if crosses:
            continue
        in_order = sorted((s for row in band for s in row), key=lambda s: s.order)
        changes += sum((a.left >= gutter) != (b.left >= gutter) for a, b in pairwise(in_order)) - 1
        before = [part for row in band if (part := [s for s in row if s.right <= gutter])]
        behind = [part for row in band if (part := [s for s in row if s.left >= gutter])]
        left += [(min(s.left for s in row), max(s.right for s in row)) for row in before]
        right += [(min(s.left for s in row), max(s.right for s in row)) for row in behind]
        both += min(len(before), len(behind))
    if both < _LEAST_ROWS:
        return 0
    listed = changes <= _CHANGES * both
    filled, width = (_LISTED, _LEAST_WIDTH / 2) if listed else (_FILLED, _LEAST_WIDTH)
    for side in (left, right):
        reach = max(b for _, b in side) - min(a for a, _ in side)
        mean = sum(b - a for a, b in side) / len(side)
        if mean < max(filled * reach, width * size):
            return 0
    return both
