"""Finds shapes that a PDF draws beside its text: list bullets, as browsers print them, and lines
below underlined words.
"""

from __future__ import annotations

import bisect
import ctypes
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpus.formats.pdf.characters import Blank, PageFrame, PrintedCharacter
from corpus.formats.pdf.lines import PrintedLine, Segment

_MOST_OBJECTS = 20_000  # on a page; with more, it is a picture
_MOST_SHAPES = 2_000  # small ones
_DRAWN = (pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE)
_SMALLEST, _LARGEST = 1.0, 12.0  # points
# In units of the font size of the text:
_LEAST, _MOST = 0.15, 0.7  # width and height of a bullet
_FLAT = 0.25  # largest height of a dash
_DASH, _LONGEST = 0.3, 1.0  # the width of a dash
_NEAR = 2.5  # largest distance to its text
_ALONE = 1.0  # least distance from the text before it
_BESIDE = 0.6  # a shape so near to another is part of a picture or of dot leaders
_TOP, _BOTTOM = 0.8, 0.02  # height of its middle above the baseline
_ALIKE = 0.3  # points by which two bullets may differ in size
_BULLETS = 2  # on a page, at least
_THIN = 2.0  # largest height of a line in points
# In units of the font size of the underlined text:
_ABOVE, _BELOW = 0.1, 0.4  # distance above and below the baseline
_LOOSE = 0.4  # difference between the ends of line and text


class Shape(NamedTuple):
    """A drawn shape, in points from the top left corner of the page."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height."""
        return self.right - self.left, self.bottom - self.top

    @property
    def middle(self) -> float:
        """The vertical middle."""
        return (self.top + self.bottom) / 2


def drawn_bullets(shapes: Sequence[Shape], parts: Sequence[Segment]) -> Iterator[Segment]:
    """Yield a bullet or dash for each of the ``shapes`` of a page that looks like the bullet of one
    of its text ``parts``: the page has several alike, and nothing else is beside it.
    """
    shapes = sorted(each for each in shapes if max(each.size) <= _LARGEST)
    if not _BULLETS <= len(shapes) <= _MOST_SHAPES:
        return
    by_level = sorted(parts, key=lambda part: part.baseline)
    levels = [part.baseline for part in by_level]
    found: dict[int, tuple[Shape, Segment]] = {}
    for shape in shapes:
        first = bisect.bisect_left(levels, shape.middle)
        last = bisect.bisect_right(levels, shape.middle + _LARGEST / _LEAST)
        beside = [each for each in by_level[first:last] if _is_level(shape, each)]
        right = [each for each in beside if each.left >= shape.right - _ALIKE]
        text = min(right, key=lambda each: each.left, default=None)
        if text is None or not _fits(shape, text.size):
            continue
        left = max((each.right for each in beside if each.left < shape.left), default=-math.inf)
        near = text.left - shape.right <= _NEAR * text.size
        if near and shape.left - left >= _ALONE * text.size:
            found.setdefault(id(text), (shape, text))
    for shape, text in found.values():
        alike = sum(
            abs(a - b) < _ALIKE
            for other, _ in found.values()
            for a, b in [max(zip(shape.size, other.size, strict=True), key=_apart)]
        )
        if alike >= _BULLETS and not any(_is_near(shape, each, text.size) for each in shapes):
            yield _bullet(shape, text)


def is_underlined(line: PrintedLine, shapes: Sequence[Shape]) -> bool:
    """Return whether lines among ``shapes`` underline all of ``line`` and nothing beside it."""
    loose = _LOOSE * line.size
    end = line.left
    for each in shapes:
        low = -_ABOVE * line.size <= each.middle - line.baseline <= _BELOW * line.size
        if not low or each.size[1] > _THIN or each.right < line.left or each.left > line.right:
            continue
        if each.left < line.left - loose or each.right > line.right + loose:
            return False
        if each.left <= end + loose:
            end = max(end, each.right)
    return end > line.left and end >= line.right - loose


def drawn_shapes(page: pdfium.PdfPage, frame: PageFrame) -> list[Shape]:
    """Return the small or thin shapes drawn on ``page``, from left to right."""
    found: set[Shape] = set()
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for at in range(min(pdfium_c.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        each = pdfium_c.FPDFPage_GetObject(page, at)
        if pdfium_c.FPDFPageObj_GetType(each) not in _DRAWN:
            continue
        if not pdfium_c.FPDFPageObj_GetBounds(each, left, bottom, right, top):
            continue
        sides = left.value, bottom.value, right.value, top.value
        if not all(map(math.isfinite, sides)):
            continue
        corners = frame.shown(*sides[:2]), frame.shown(*sides[2:])
        (x0, x1), (y0, y1) = (
            sorted(round(each, 2) for each in axis) for axis in zip(*corners, strict=True)
        )
        thin = y1 - y0 <= _THIN
        if x1 - x0 >= _SMALLEST and (thin or max(x1 - x0, y1 - y0) <= _LARGEST):
            found.add(Shape(x0, y0, x1, y1))
    return sorted(found)


def _is_level(shape: Shape, part: Segment) -> bool:
    return _BOTTOM * part.size <= part.baseline - shape.middle <= _TOP * part.size


def _fits(shape: Shape, size: float) -> bool:
    width, height = shape.size
    if height <= _FLAT * size:
        return _DASH * size <= width <= _LONGEST * size
    return all(_LEAST * size <= each <= _MOST * size for each in (width, height))


def _apart(pair: tuple[float, float]) -> float:
    return abs(pair[0] - pair[1])


def _is_near(shape: Shape, other: Shape, size: float) -> bool:
    """Return whether ``other`` is close beside ``shape``, without overlapping it."""
    gap = max(other.left - shape.right, shape.left - other.right)
    return 0 <= gap < _BESIDE * size and abs(shape.middle - other.middle) < _BESIDE * size


def _bullet(shape: Shape, text: Segment) -> Segment:
    sign = "–" if shape.bottom - shape.top <= _FLAT * text.size else "•"
    first = text.characters[0]
    text.characters[0] = first._replace(spaced=Blank.WRITTEN)
    right = min(shape.right, text.left)
    drawn = PrintedCharacter(sign, shape.left, right, text.baseline, first.style, Blank.NONE)
    return Segment([drawn], shape.left, right, text.baseline, text.size, text.order)
