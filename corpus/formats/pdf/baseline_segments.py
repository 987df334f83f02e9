"""Characters of a page as segments (what stands together on a baseline), and segments as printed
lines.
"""

from __future__ import annotations

import bisect
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from corpus.formats.pdf.characters import PrintedCharacter

_BREAK = 0.9  # of the size: a gap from which on a new segment begins
_BLANK = 0.2  # of the size: a gap that is a blank though the PDF has none
_CELL = 1.8  # of the size: a gap that divides cells of a row
_EQUAL = 0.12  # of the size: what gaps of a justified line differ by
_WIDEST = 4.0  # of the size: such a gap in a narrow column
_LEVEL = 0.2  # of the size: how much baselines of a line differ
_SAME = 0.12  # of the size: a letter so near to an equal one is printed over it, to make it bold
_RAISED = 8  # characters of a superscript or subscript at most


@dataclass(slots=True)
class BaselineSegment:
    """Characters that stand together on a baseline. ``size`` is that of the first, ``order`` the
    place in the order of the file.
    """

    characters: list[PrintedCharacter]
    left: float
    right: float
    baseline: float
    size: float
    order: int


def segments(characters: Iterable[PrintedCharacter]) -> list[BaselineSegment]:
    """What of ``characters`` stands together, in their order."""
    found: list[BaselineSegment] = []
    current: BaselineSegment | None = None
    for each in characters:
        size = each.style.size
        if (
            current is None
            or abs(each.baseline - current.baseline) > 0.05 * size
            or not -0.5 * size <= each.left - current.right <= _BREAK * size
            or each.style.angle != current.characters[-1].style.angle
            or not 0.7 <= size / current.size <= 1.43
        ):
            current = BaselineSegment(
                [each], each.left, each.right, each.baseline, size, len(found)
            )
            found.append(current)
        else:
            current.characters.append(each)
            current.right = max(current.right, each.right)
    return found


@dataclass
class PrintedLine:
    """A line as printed. ``edges`` are the left edges of the characters of ``text`` and the right
    edge of the last one.

    ``cells`` are offsets into ``text`` at which something begins after a wide gap. ``page`` counts
    from 1.
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
    targets: list[tuple[int, int, str]] = field(
        default_factory=list
    )  # links: first character, end, target

    @property
    def left(self) -> float:
        """Its left edge."""
        return self.edges[0]

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.edges[-1]

    @property
    def top(self) -> float:
        """Its upper edge: that of capitals with accents."""
        return self.baseline - 0.88 * self.size

    @property
    def bottom(self) -> float:
        """Its lower edge: that of letters that reach below the baseline."""
        return self.baseline + 0.24 * self.size

    @cached_property
    def first_word(self) -> float:
        """The width of its first word."""
        return self.edges[len(self.text.split(" ", 1)[0])] - self.left


def rows(parts: Iterable[BaselineSegment]) -> list[list[BaselineSegment]]:
    """``parts`` by baseline from top to bottom; raised and lowered signs belong to the line that
    they touch.
    """
    found: list[list[BaselineSegment]] = []
    levels: list[float] = []  # the baselines of `found`, ascending
    for part in sorted(parts, key=lambda s: (-min(len(s.characters), _RAISED + 1), s.baseline)):
        at = bisect.bisect_left(levels, part.baseline)
        best = None
        for near in range(max(at - 2, 0), min(at + 2, len(levels))):
            if _belongs(part, found[near], levels[near]) and (
                best is None
                or abs(levels[near] - part.baseline) < abs(levels[best] - part.baseline)
            ):
                best = near
        if best is None:
            levels.insert(at, part.baseline)
            found.insert(at, [part])
        else:
            found[best].append(part)
    return found


def _belongs(part: BaselineSegment, row: Sequence[BaselineSegment], level: float) -> bool:
    apart = abs(part.baseline - level)
    if apart <= _LEVEL * max(part.size, row[0].size):
        return True
    if (
        len(part.characters) > _RAISED
        or part.size > 0.85 * row[0].size
        or apart > 0.55 * row[0].size
    ):
        return False
    return any(
        part.left - each.right < 0.4 * each.size and each.left - part.right < 0.4 * each.size
        for each in row
    )


def line(row: Sequence[BaselineSegment], page: int) -> PrintedLine:
    """The segments of ``row`` as a line, blanks put between words where the PDF has none."""
    signs = sorted((c for part in row for c in part.characters), key=lambda c: c.left)
    text: list[str] = []
    edges: list[float] = []
    cells: list[int] = []
    gaps: list[float] = []  # between words
    sizes: Counter[float] = Counter()
    letters = bold = italic = 0
    level: Counter[float] = Counter()
    before: PrintedCharacter | None = None
    for each in signs:
        size = each.style.size
        if before is not None:
            gap = each.left - before.right
            if (
                each.text == before.text
                and each.left - before.left < _SAME * size
                and abs(each.baseline - before.baseline) < _LEVEL * size
            ):
                continue
            if gap > _BLANK * size or (each.spaced and gap > -0.1 * size):
                gaps.append(gap / size)
                if gap > _CELL * size:
                    cells.append(len(text) + 1)
                text.append(" ")
                edges.append(round(before.right, 1))
        _append(each, text, edges)
        sizes[size] += 1
        level[each.baseline] += 1
        if each.text[0].isalnum():
            letters += 1
            bold += each.style.bold
            italic += each.style.italic
        before = each
    edges.append(round(max(c.right for c in signs), 1))
    none = letters == 0  # such a line is bold where all of its signs are
    return PrintedLine(
        page=page,
        text="".join(text),
        edges=tuple(edges),
        baseline=round(level.most_common(1)[0][0], 1),
        size=sizes.most_common(1)[0][0],
        bold=all(c.style.bold for c in signs) if none else bold == letters,
        italic=all(c.style.italic for c in signs) if none else italic == letters,
        angle=signs[0].style.angle,
        cells=() if _is_justified(gaps) else tuple(cells),
    )


def _is_justified(gaps: Sequence[float]) -> bool:
    """Whether the ``gaps`` between words, of the size, are those of a justified line, not of cells:
    all are equal and not too wide.

    The first one may follow the bullet or number of an item.
    """
    return any(
        len(each) > 1 and max(each) - min(each) < _EQUAL and _CELL < max(each) < _WIDEST
        for each in (gaps, gaps[1:])
    )


def _append(each: PrintedCharacter, text: list[str], edges: list[float]) -> None:
    """Add a character; an accent joins the letter before it, a ligature is several letters of equal
    width.
    """
    if text and unicodedata.combining(each.text[0]):
        joined = unicodedata.normalize("NFC", text[-1] + each.text)
        if len(joined) == 1:
            text[-1] = joined
            return
    signs = unicodedata.normalize("NFC", each.text)
    step = (each.right - each.left) / len(signs)
    for at, sign in enumerate(signs):
        text.append(sign)
        edges.append(round(each.left + at * step, 1))
