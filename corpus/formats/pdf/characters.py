"""The characters of a PDF page: their text, position and style."""

from __future__ import annotations

import bisect
import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_BOLD_NAMES = ("bold", "black", "heavy", "-bd", "semibd", "demi")
_TEX_BOLD = re.compile(  # CMBX10, NimbusRomNo9L-Medi
    r"(?:\A|\+)(?:cm|sf|ec|la|tc)(?:ss|cs|i)?(?:bx|bm|sx|so)|-medi(?:ital)?\Z"
)
_ITALIC_NAMES = ("italic", "oblique", "kursiv")
_ITALIC_FLAG, _FORCE_BOLD_FLAG = 1 << 6, 1 << 18  # PDF 32000-1, table 123
_BOLD_WEIGHT = 600
_SMALLEST, _LARGEST = 0.5, 1_000.0  # points; smaller text is illegible, larger text damaged
_SYMBOLS = dict(  # from Symbol and Wingdings, which word processors use for bullets
    zip("\uf0b7\uf0a7\uf06e\uf0a8\uf0d8\uf0fc\uf076\uf02d\uf0e0\uf0b0", "•▪■□➢✓❖–→°", strict=True)
) | dict.fromkeys("\xad\x02\ufffe", "-")  # PDFium's codes for a hyphen at a line end
# The pictures that letters show in symbol fonts.
_SYMBOL_FONT = re.compile(r"wingdings|webdings|dingbats|marlett")
_DINGBATS = dict(zip("lmnopqrstuvw§¨Øüûàèðþý34", "●❍■□❑❑❒▪◆◆❖◆▪□➢✓✗→➔⇨☑☒✓✓", strict=True))
_SPACES = frozenset("\t \xa0\u1680\u2028\u2029\u202f\u205f\u3000") | set(
    map(chr, range(0x2000, 0x200B))
)
_IGNORED = frozenset("\n\r\u200b\u200c\u200d\u2060\ufeff")
_COMPATIBILITY = re.compile("[\ufb00-\ufb06\u01c4-\u01cc\u0132\u0133]")  # ligatures, digraphs
# PDFium returns these codes for TeX fonts (encoding T1) without a mapping to letters.
_TEX_LIGATURES = dict(zip("\x1b\x1c\x1d\x1e\x1f", ("ff", "fi", "fl", "ffi", "ffl"), strict=True))
_SAYS_NOTHING = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")

_ACCENTS = dict(  # an accent as a separate sign, and as a combining character
    zip(
        "`\u00b4\u02c6^\u02dc~\u00af\u02d8\u02d9\u00a8\u02da\u02dd\u02c7\u00b8",
        "\u0300\u0301\u0302\u0302\u0303\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327",
        strict=True,
    )
)
_DOUBLE = "ft"  # letters with a ligature of two of them
_WIDE = 0.45  # least width of these, in units of the font size
_AFTER_F = "fijlt"  # letters with a ligature behind an f
_ROUNDED = 0.01  # points
_OVER = 0.5  # least overlap of accent and letter, as a share of the narrower
_HEIGHT = 0.6  # how much higher the accent of a capital is, in units of the font size
_WIDEST = 2.0  # largest distance from the left of a letter to its accent, likewise


class FontStyle(NamedTuple):
    """The style of a character: ``size`` in points, and the ``angle`` of the baseline in degrees,
    clockwise on the displayed page. ``symbols`` means that the font has pictures instead of
    letters.
    """

    size: float
    bold: bool
    italic: bool
    angle: int
    symbols: bool = False


class Blank(IntEnum):
    """The blank before a character: none, guessed by PDFium from positions, or in the file."""

    NONE = 0
    GUESSED = 1
    WRITTEN = 2


class PrintedCharacter(NamedTuple):
    """A character on a page, in points from the top left corner of the displayed page; ``spaced``
    says whether a blank precedes it.

    For rotated text, ``left``, ``right`` and ``baseline`` refer to the page turned until the text
    is upright.
    """

    text: str
    left: float
    right: float
    baseline: float
    style: FontStyle
    spaced: Blank


class PageFrame(NamedTuple):
    """The visible part of a page: its box in PDF coordinates, and its clockwise quarter turns."""

    left: float
    bottom: float
    right: float
    top: float
    quarters: int

    @classmethod
    def of(cls, page: pdfium.PdfPage) -> PageFrame:
        """Return the frame of ``page``."""
        box = pdfium_c.FS_RECTF()
        if not pdfium_c.FPDF_GetPageBoundingBox(page, box):
            width, height = page.get_size()
            return cls(0.0, 0.0, width, height, 0)
        return cls(box.left, box.bottom, box.right, box.top, page.get_rotation() // 90 % 4)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the displayed page in points."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.quarters % 2 else (width, height)

    def shown(self, x: float, y: float) -> tuple[float, float]:
        """Convert PDF coordinates to points from the top left corner of the displayed page."""
        return (
            (x - self.left, self.top - y),
            (y - self.bottom, x - self.left),
            (self.right - x, y - self.bottom),
            (self.top - y, self.right - x),
        )[self.quarters]


def turn(x: float, y: float, degrees: int) -> tuple[float, float]:
    """Rotate the point ``x``, ``y`` clockwise around the top left corner of the page."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return x * cosine - y * sine, x * sine + y * cosine


def characters(page: pdfium.PdfPage, frame: PageFrame) -> Iterator[PrintedCharacter]:
    """Yield the visible characters of ``page`` in file order, without blanks."""
    text = page.get_textpage()
    try:
        yield from _characters(text, frame)
    finally:
        text.close()


def _characters(text: pdfium.PdfTextPage, frame: PageFrame) -> Iterator[PrintedCharacter]:
    styles: dict[int, FontStyle | None] = {}
    width, height = frame.size
    spaced, box, x, y = Blank.NONE, pdfium_c.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    for at in range(pdfium_c.FPDFText_CountChars(text)):
        code = pdfium_c.FPDFText_GetUnicode(text, at)
        sign = chr(code) if code <= 0x10FFFF else "\ufffd"
        if sign in _IGNORED or sign in _SPACES:
            if sign in _SPACES:
                guessed = pdfium_c.FPDFText_IsGenerated(text, at) == 1
                spaced = max(spaced, Blank.GUESSED if guessed else Blank.WRITTEN)
            continue
        owner = pdfium_c.FPDFText_GetTextObject(text, at)
        key = ctypes.cast(owner, ctypes.c_void_p).value or 0
        if key not in styles:
            styles[key] = _style(text, at, owner, frame)
        style = styles[key]
        if (
            style is None
            or not pdfium_c.FPDFText_GetLooseCharBox(text, at, box)
            or not pdfium_c.FPDFText_GetCharOrigin(text, at, x, y)
        ):
            continue
        left, right, bottom, top = box.left, box.right, box.bottom, box.top
        if not all(map(math.isfinite, (left, right, top, bottom, x.value, y.value))):
            continue
        middle = frame.shown((left + right) / 2, (top + bottom) / 2)
        if not (0 <= middle[0] <= width and 0 <= middle[1] <= height):
            continue  # printers' marks and other text outside the page
        if style.angle == 0 and frame.quarters == 0:
            left, right, baseline = left - frame.left, right - frame.left, frame.top - y.value
        else:
            corners = [
                turn(*frame.shown(a, b), -style.angle) for a in (left, right) for b in (bottom, top)
            ]
            left, right = min(corners)[0], max(corners)[0]
            baseline = turn(*frame.shown(x.value, y.value), -style.angle)[1]
        yield PrintedCharacter(_shown_sign(sign, style), left, right, baseline, style, spaced)
        spaced = Blank.NONE


def _shown_sign(sign: str, style: FontStyle) -> str:
    """Return the text of a character: ligatures are expanded, unknown characters are U+FFFD."""
    if style.symbols and sign < "\u0100":
        return _DINGBATS.get(sign, "\ufffd")
    if sign in _SYMBOLS:
        return _SYMBOLS[sign]
    if sign in _TEX_LIGATURES:
        return _TEX_LIGATURES[sign]
    if _SAYS_NOTHING.match(sign):
        return "\ufffd"
    return unicodedata.normalize("NFKC", sign) if _COMPATIBILITY.match(sign) else sign


def _style(
    text: pdfium.PdfTextPage, at: int, owner: pdfium_c.FPDF_PAGEOBJECT, frame: PageFrame
) -> FontStyle | None:
    """Return the style of the text object ``owner``, whose first character has index ``at``, or
    None if its size is implausible.

    Bold and italic are recognised by name, flags and weight of the font, slant, and stroked
    letters.
    """
    matrix = pdfium_c.FS_MATRIX(1, 0, 0, 1, 0, 0)
    pdfium_c.FPDFText_GetMatrix(text, at, matrix)
    size = pdfium_c.FPDFText_GetFontSize(text, at) * math.hypot(matrix.c, matrix.d)
    if not _SMALLEST <= size <= _LARGEST:
        return None
    angle = (frame.quarters * 90 - round(math.degrees(math.atan2(matrix.b, matrix.a)))) % 360
    bold = symbols = False
    italic = abs(matrix.c) > 0.15 * abs(matrix.d) > 0 and not matrix.b
    if owner and (font := pdfium_c.FPDFTextObj_GetFont(owner)):
        buffer = ctypes.create_string_buffer(256)
        length = pdfium_c.FPDFFont_GetBaseFontName(font, buffer, 256)
        name = buffer.raw[: min(max(length - 1, 0), 256)].decode("utf-8", "replace").casefold()
        flags = max(pdfium_c.FPDFFont_GetFlags(font), 0)
        mode = pdfium_c.FPDFTextObj_GetTextRenderMode(owner)
        bold = (
            mode == pdfium_c.FPDF_TEXTRENDERMODE_FILL_STROKE
            or any(word in name for word in _BOLD_NAMES)
            or bool(_TEX_BOLD.search(name) or flags & _FORCE_BOLD_FLAG)
            or pdfium_c.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT
        )
        symbols = bool(_SYMBOL_FONT.search(name))
        named = any(word in name for word in _ITALIC_NAMES)
        italic = italic or named or bool(flags & _ITALIC_FLAG)
    return FontStyle(round(size, 1), bold, italic, 0 if angle in (359, 1) else angle, symbols)


def join(characters: Sequence[PrintedCharacter]) -> list[PrintedCharacter]:
    """Return the ``characters`` of a page with ligatures and accented letters joined to one
    character each.

    PDFium returns an "fi" glyph as two characters in the same box, or in one half each. Accents may
    be characters of their own: before the letter in older TeX fonts, after it in other programs.
    PDFium moves some of these to the end of the line or into another word.
    """
    found: list[PrintedCharacter] = []
    for each in characters:
        one = (_ligature(found[-1], each) or _accented(found[-1], each)) if found else None
        if one is None:
            found.append(each)
        else:
            found[-1] = one
    alone = [at for at, each in enumerate(found) if each.text in _ACCENTS]
    if not alone:
        return found
    letters = sorted(
        (at for at, each in enumerate(found) if each.text[:1].isalpha()),
        key=lambda at: found[at].left,
    )
    lefts = [found[at].left for at in letters]
    moved: set[int] = set()
    for at in alone:
        accent = found[at]
        first = bisect.bisect_left(lefts, accent.left - _WIDEST * accent.style.size)
        last = bisect.bisect_left(lefts, accent.right)
        under = [each for each in letters[first:last] if _accented(accent, found[each])]
        if not under:
            continue
        letter = min(under, key=lambda each: abs(found[each].baseline - accent.baseline))
        if (one := _accented(accent, found[letter])) is not None:
            found[letter] = one._replace(spaced=found[letter].spaced)
            moved.add(at)
    return [each for at, each in enumerate(found) if at not in moved]


def _ligature(first: PrintedCharacter, second: PrintedCharacter) -> PrintedCharacter | None:
    if second.spaced or not second.text.isalpha() or not first.text.isalpha():
        return None
    if _are_parts(first, second):
        return first._replace(text=first.text + second.text, right=second.right)
    if first[1:4] != second[1:4]:  # another place
        return None
    wide = first.right - first.left >= _WIDE * first.style.size
    if first.text == second.text and not (first.text in _DOUBLE and wide):
        return None  # a letter printed twice to make it bold
    return first._replace(text=first.text + second.text)


def _are_parts(first: PrintedCharacter, second: PrintedCharacter) -> bool:
    """Return whether the box of one glyph was divided equally between the letters."""
    width = second.right - second.left
    return (
        first.text in ("f", "ff")
        and second.text in _AFTER_F
        and first[3:5] == second[3:5]
        and abs(second.left - first.right) < _ROUNDED
        and abs(first.right - first.left - len(first.text) * width) < _ROUNDED
    )


def _accented(accent: PrintedCharacter, letter: PrintedCharacter) -> PrintedCharacter | None:
    """Return ``letter`` combined with ``accent``, or None if this is no accent above the letter."""
    mark = _ACCENTS.get(accent.text)
    if mark is None or not letter.text[:1].isalpha() or accent.style.angle != letter.style.angle:
        return None
    over = min(accent.right, letter.right) - max(accent.left, letter.left)
    narrower = min(accent.right - accent.left, letter.right - letter.left)
    higher = abs(accent.baseline - letter.baseline)
    if over < _OVER * narrower or higher > _HEIGHT * letter.style.size:
        return None
    base = {"\u0131": "i", "\u0237": "j"}.get(letter.text[0], letter.text[0])
    composed = unicodedata.normalize("NFC", base + mark)
    if len(composed) > 1:
        return None
    spaced = max(accent.spaced, letter.spaced)
    return letter._replace(text=composed + letter.text[1:], spaced=spaced)
