"""The characters of a PDF page: what they say, where they stand and how they look."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_BOLD_NAMES = ("bold", "black", "heavy", "-bd", "semibd", "demi")
_TEX_BOLD = re.compile(
    r"(?:\A|\+)(?:cm|sf|ec|la|tc)(?:ss|cs|i)?(?:bx|bm|sx|so)|-medi(?:ital)?\Z"
)  # CMBX10, NimbusRomNo9L-Medi
_ITALIC_NAMES = ("italic", "oblique", "kursiv")
_ITALIC_FLAG, _FORCE_BOLD_FLAG = 1 << 6, 1 << 18  # PDF 32000-1, table 123
_BOLD_WEIGHT = 600
_SMALLEST, _LARGEST = (
    0.5,
    1_000.0,
)  # points; what is smaller cannot be read, what is larger is damaged
_SYMBOLS = {  # of Symbol and Wingdings, which word processors use for bullets
    0xF0B7: "•", 0xF0A7: "▪", 0xF06E: "■", 0xF0A8: "□", 0xF0D8: "➢", 0xF0FC: "✓", 0xF076: "❖", 0xF02D: "–", 0xF0E0: "→", 0xF0B0: "°",
    0xAD: "-", 0x02: "-", 0xFFFE: "-",  # what PDFium makes of a hyphen at the end of a line
}  # fmt: skip
_SPACES = frozenset(
    (0x09, 0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
)
_IGNORED = frozenset((0x0A, 0x0D, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))

Mapping = Callable[[float, float], tuple[float, float]]


class FontStyle(NamedTuple):
    """How characters look: ``size`` in points, and the ``angle`` of their baseline in degrees,
    clockwise as the page is shown.
    """

    size: float
    bold: bool
    italic: bool
    angle: int


class PrintedCharacter(NamedTuple):
    """A character on a page, in points from its left top corner as it is shown; ``spaced`` says
    that a blank stands before it.

    Where text is turned, ``left``, ``right`` and ``baseline`` are those after the page has been
    turned until the text is upright.
    """

    text: str
    left: float
    right: float
    baseline: float
    style: FontStyle
    spaced: bool


class PageFrame(NamedTuple):
    """What is shown of a page: its box in the coordinates of the PDF, and how many quarters it is
    turned clockwise.
    """

    left: float
    bottom: float
    right: float
    top: float
    quarters: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in points as it is shown."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.quarters % 2 else (width, height)

    def shown(self, x: float, y: float) -> tuple[float, float]:
        """The point at ``x``, ``y`` of the PDF, from the left top corner of the page as it is
        shown.
        """
        if self.quarters == 1:
            return y - self.bottom, x - self.left
        if self.quarters == 2:
            return self.right - x, y - self.bottom
        if self.quarters == 3:
            return self.top - y, self.right - x
        return x - self.left, self.top - y


def frame(page: pdfium.PdfPage) -> PageFrame:
    """What is shown of ``page``."""
    box = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDF_GetPageBoundingBox(page, box):
        width, height = page.get_size()
        return PageFrame(0.0, 0.0, width, height, 0)
    return PageFrame(box.left, box.bottom, box.right, box.top, page.get_rotation() // 90 % 4)


def characters(page: pdfium.PdfPage, shown: PageFrame) -> Iterator[PrintedCharacter]:
    """The characters of ``page`` that can be seen, in the order in which the file has them; without
    blanks.
    """
    text = page.get_textpage()
    try:
        yield from _characters(text, shown)
    finally:
        text.close()


def _characters(text: pdfium.PdfTextPage, shown: PageFrame) -> Iterator[PrintedCharacter]:
    styles: dict[int, FontStyle | None] = {}
    width, height = shown.size
    spaced, box, x, y = False, pdfium_c.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    for at in range(pdfium_c.FPDFText_CountChars(text)):
        code = pdfium_c.FPDFText_GetUnicode(text, at)
        if code in _IGNORED or (code in _SPACES):
            spaced = spaced or code in _SPACES
            continue
        owner = pdfium_c.FPDFText_GetTextObject(text, at)
        key = ctypes.cast(owner, ctypes.c_void_p).value or 0
        if key not in styles:
            styles[key] = _style(text, at, owner, shown)
        style = styles[key]
        if (
            style is None
            or not pdfium_c.FPDFText_GetLooseCharBox(text, at, box)
            or not pdfium_c.FPDFText_GetCharOrigin(text, at, x, y)
        ):
            continue
        if not all(
            map(math.isfinite, (box.left, box.right, box.top, box.bottom, x.value, y.value))
        ):
            continue
        middle = shown.shown((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        if not (0 <= middle[0] <= width and 0 <= middle[1] <= height):
            continue  # it cannot be seen: printers' marks beside the page, texts that were moved out of it
        sign = _sign(code)
        if style.angle == 0 and shown.quarters == 0:
            yield PrintedCharacter(
                sign,
                box.left - shown.left,
                box.right - shown.left,
                shown.top - y.value,
                style,
                spaced,
            )
        else:
            yield _turned(sign, box, (x.value, y.value), style, shown, spaced)
        spaced = False


def _sign(code: int) -> str:
    """The character with ``code``, ligatures expanded; the replacement character where it says
    nothing.
    """
    if code in _SYMBOLS:
        return _SYMBOLS[code]
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return "\ufffd"
    sign = chr(code)
    return (
        unicodedata.normalize("NFKC", sign)
        if 0xFB00 <= code <= 0xFB06 or 0x1C4 <= code <= 0x1CC or 0x132 <= code <= 0x133
        else sign
    )


def _turned(
    sign: str,
    box: pdfium_c.FS_RECTF,
    origin: tuple[float, float],
    style: FontStyle,
    shown: PageFrame,
    spaced: bool,
) -> PrintedCharacter:
    """A character of a page or text that is turned, in the coordinates in which it is upright."""
    corners = [
        turn(*shown.shown(x, y), -style.angle)
        for x in (box.left, box.right)
        for y in (box.bottom, box.top)
    ]
    baseline = turn(*shown.shown(*origin), -style.angle)[1]
    return PrintedCharacter(
        sign, min(x for x, _ in corners), max(x for x, _ in corners), baseline, style, spaced
    )


def turn(x: float, y: float, degrees: int) -> tuple[float, float]:
    """The point ``x``, ``y`` turned by ``degrees`` clockwise around the left top corner of the
    page.
    """
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return x * cosine - y * sine, x * sine + y * cosine


def _style(
    text: pdfium.PdfTextPage, at: int, owner: pdfium_c.FPDF_PAGEOBJECT, shown: PageFrame
) -> FontStyle | None:
    """How the text object ``owner`` looks, whose first character is ``at``; None where it cannot be
    read.
    """
    matrix = pdfium_c.FS_MATRIX(1, 0, 0, 1, 0, 0)
    pdfium_c.FPDFText_GetMatrix(text, at, matrix)
    size = pdfium_c.FPDFText_GetFontSize(text, at) * math.hypot(matrix.c, matrix.d)
    if not _SMALLEST <= size <= _LARGEST:
        return None
    angle = round(math.degrees(math.atan2(matrix.b, matrix.a)))
    bold, italic = _weight(owner)
    slanted = abs(matrix.c) > 0.15 * abs(matrix.d) > 0 and not matrix.b
    angle = (shown.quarters * 90 - angle) % 360
    return FontStyle(round(size, 1), bold, italic or slanted, 0 if angle in (359, 1) else angle)


def _weight(owner: pdfium_c.FPDF_PAGEOBJECT) -> tuple[bool, bool]:
    """Whether the text object ``owner`` is bold and italic, by name, flags and weight of its font,
    or by a stroke around its letters.
    """
    if not owner or not (font := pdfium_c.FPDFTextObj_GetFont(owner)):
        return False, False
    buffer = ctypes.create_string_buffer(256)
    length = pdfium_c.FPDFFont_GetBaseFontName(font, buffer, 256)
    name = buffer.raw[: min(max(length - 1, 0), 256)].decode("utf-8", "replace").casefold()
    flags = max(pdfium_c.FPDFFont_GetFlags(font), 0)
    stroked = (
        pdfium_c.FPDFTextObj_GetTextRenderMode(owner) == pdfium_c.FPDF_TEXTRENDERMODE_FILL_STROKE
    )
    bold = (
        stroked
        or any(word in name for word in _BOLD_NAMES)
        or bool(_TEX_BOLD.search(name))
        or bool(flags & _FORCE_BOLD_FLAG)
    )
    return bold or pdfium_c.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT, any(
        w in name for w in _ITALIC_NAMES
    ) or bool(flags & _ITALIC_FLAG)
