"""A ruling sheet as a PDF file of one page: type gets smaller where there is much, and what has no room all the same is named."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from corpus.model import Span
from service.core.i18n import N_, translate
from service.editions.sheets.qr_code import qr_rows
from service.editions.sheets.sheet_message import TITLE
from service.editions.sheets.sheet_view import NOW, THEN, SheetItem, SheetQuotation, SheetView

if TYPE_CHECKING:
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Paragraph

SIZES = (11.0, 10.0, 9.0, 8.0, 7.25, 6.5)  # points of the type, the largest that fits is taken
CONTINUED = N_("Further passages of this sheet, at its permanent link: %(passages)s")
PERMANENT_LINK = N_("Permanent link")
QUESTION = N_("Question")
_NEAREST = N_("Nearest entry")
_UNPRINTABLE = N_("□ stands for signs that the type of this file does not have: %(signs)s")
_MISSING = "□"
_MARGIN = 42.5  # points, 15 mm
_QR = 93.0  # points, 33 mm with the white around it
_FONTS = Path(__file__).parent / "fonts"  # DejaVu has the arrows, suits and figures that rulebooks print
_PLAIN, _BOLD = "DejaVuSansCondensed", "DejaVuSansCondensed-Bold"


@dataclass
class _Signs:
    """What of all texts the type lacks, collected while they are written."""

    has: Callable[[int], bool]
    missing: set[str] = field(default_factory=set)

    def shown(self, text: str) -> str:
        """``text`` as markup of a paragraph, with `_MISSING` for what cannot be drawn."""
        drawn = []
        for sign in text:
            if sign in "\n\t " or self.has(ord(sign)):
                drawn.append(sign)
            elif unicodedata.category(sign) not in ("Cf", "Mn", "Cc"):  # these are not seen by themselves
                self.missing.add(sign)
                drawn.append(_MISSING)
        lines = escape("".join(drawn)).split("\n")
        return "<br/>".join("\u00a0" * (len(line) - len(line.lstrip())) + line.lstrip() for line in lines)


def sheet_pdf(view: SheetView, language: str, address: str | None, letter: bool = False) -> bytes:
    """Return ``view`` as a PDF on A4, or on US Letter, with the QR code of ``address`` if there is one."""
    from reportlab.lib.pagesizes import A4, LETTER
    from reportlab.pdfgen.canvas import Canvas

    size: tuple[float, float] = LETTER if letter else A4
    content = BytesIO()
    canvas = Canvas(content, pagesize=size, invariant=1, lang=language)
    canvas.setTitle(view.link.question or translate(language, TITLE))
    canvas.setCreator("Regula")
    _draw(canvas, size, _Writer(view, language), address)
    canvas.showPage()
    canvas.save()
    return content.getvalue()


class _Writer:
    """The paragraphs of a sheet in a size of type."""

    def __init__(self, view: SheetView, language: str):
        self._view = view
        self._language = language
        self.items = view.items
        self.signs = _Signs(_glyphs().__contains__)

    def head(self, size: float) -> list[Paragraph]:
        """What stands beside the code: title and day, question, verdict, what has changed."""
        view = self._view
        said = " · ".join(filter(None, (translate(self._language, TITLE), view.made, f"Regula {view.index}")))
        found = [self._paragraph(said, size * 0.8, color="#566064", after=4)]
        if view.before:
            found.append(self._paragraph(" ".join(view.before), size * 0.95, color="#566064", after=2))
        if view.link.question:
            found.append(self._paragraph(view.link.question, size * 1.15, bold=True, after=4))
        found += [self._paragraph(text, size * 0.95, bold=True, after=3) for text in (view.verdict_text, view.summary) if text]
        return found

    def item(self, item: SheetItem, size: float) -> list[Paragraph]:
        """One passage with what has become of it."""
        found = [self._paragraph(note, size * 0.85, bold=True, color="#8a4b08", before=4) for note in item.notes]
        if item.then:
            found += self._quotation(item.then, size, THEN if item.now else None, "strike")
        for quotation in item.now:
            found += self._quotation(quotation, size, NOW if item.then else None, "u")
        if item.nearest:
            found.append(self._paragraph(f"{translate(self._language, _NEAREST)}: {item.nearest[0]}", size * 0.85))
        if item.newer_note:
            found.append(self._paragraph(item.newer_note, size * 0.85, bold=True, color="#8a4b08", before=2))
        for quotation in item.newer:
            found += self._quotation(quotation, size, None, "u")
        return found

    def foot(self, left_out: Sequence[SheetItem], size: float) -> list[Paragraph]:
        """What has no room, by name, and what signs stand for."""
        found = []
        if left_out:
            names = "; ".join(item.label for item in left_out)
            found.append(self._paragraph(translate(self._language, CONTINUED) % {"passages": names}, size * 0.9, bold=True, before=6))
        if self.signs.missing:
            signs = ", ".join(f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".strip() for sign in sorted(self.signs.missing))
            found.append(self._paragraph(translate(self._language, _UNPRINTABLE) % {"signs": signs}, size * 0.75, before=4))
        return found

    def _quotation(self, quotation: SheetQuotation, size: float, title: str | None, tag: str) -> Iterator[Paragraph]:
        head = f"<b>{self.signs.shown(quotation.heading)}</b>"
        if title:
            head = f"{self.signs.shown(translate(self._language, title))}: {head}"
        yield self._markup(head, size, before=6, bold=False)
        if quotation.lead_in:
            yield self._paragraph(quotation.lead_in, size * 0.9, color="#566064", indent=8)
        yield self._markup(_tagged(quotation.text, quotation.marks, tag, self.signs.shown), size, indent=8, after=1)
        yield self._paragraph(" · ".join((quotation.kind, *quotation.place)), size * 0.85, color="#566064", indent=8)

    def _paragraph(self, text: str, size: float, **style: Any) -> Paragraph:
        return self._markup(self.signs.shown(text), size, **style)

    @staticmethod
    def _markup(
        markup: str, size: float, bold: bool = False, color: str = "#1c2326", before: float = 0, after: float = 0, indent: float = 0
    ) -> Paragraph:
        from reportlab.platypus import Paragraph

        return Paragraph(markup, _style(round(size, 2), bold, color, before, after, indent))


def _draw(canvas: Any, page: tuple[float, float], writer: _Writer, address: str | None) -> None:
    """Draw the sheet in the largest size of type that it fits the ``page`` in; in the smallest, as many passages as fit."""
    width, height = page[0] - 2 * _MARGIN, page[1] - 2 * _MARGIN
    beside = width - (_QR + 12 if address else 0)
    for size in SIZES:
        head = writer.head(size)
        top = max(_height(head, beside), _QR + 14 if address else 0)
        shown = [writer.item(item, size) for item in writer.items]
        foot = writer.foot((), size)
        if top + sum(_height(each, width) for each in (*shown, foot)) <= height:
            break
    else:
        while len(shown) > 1 and top + sum(_height(each, width) for each in (*shown, foot)) > height:
            shown.pop()
            foot = writer.foot(writer.items[len(shown) :], size)
    y = _column(canvas, head, _MARGIN, page[1] - _MARGIN, beside)
    if address:
        _code(canvas, address, page[0] - _MARGIN - _QR, page[1] - _MARGIN - _QR)
    y = min(y, page[1] - _MARGIN - top)
    for paragraphs in (*shown, foot):
        y = _column(canvas, paragraphs, _MARGIN, y, width)


def _height(paragraphs: Iterable[Paragraph], width: float) -> float:
    return float(sum(p.wrap(width, 100_000)[1] + p.getSpaceBefore() + p.getSpaceAfter() for p in paragraphs))


def _column(canvas: Any, paragraphs: Iterable[Paragraph], x: float, y: float, width: float) -> float:
    """Draw ``paragraphs`` one below the other from ``y`` down; where the last one ends."""
    for paragraph in paragraphs:
        _, taken = paragraph.wrap(width, 100_000)
        y -= paragraph.getSpaceBefore() + taken
        paragraph.drawOn(canvas, x, y)
        y -= paragraph.getSpaceAfter()
    return y


def _code(canvas: Any, address: str, x: float, y: float) -> None:
    """Draw the QR code of ``address``, which leads there on a screen too."""
    rows = qr_rows(address)
    module = _QR / len(rows)
    canvas.setFillColorRGB(0, 0, 0)
    path = canvas.beginPath()
    for down, row in enumerate(rows):
        for right, black in enumerate(row):
            if black:
                path.rect(x + right * module, y + _QR - (down + 1) * module, module, module)
    canvas.drawPath(path, stroke=0, fill=1)
    canvas.linkURL(address, (x, y, x + _QR, y + _QR))


def _tagged(text: str, marks: Sequence[Span], tag: str, shown: Callable[[str], str]) -> str:
    parts, last = [], 0
    for start, end in marks:
        parts += [shown(text[last:start]), f"<{tag}><b>{shown(text[start:end])}</b></{tag}>"]
        last = end
    return "".join([*parts, shown(text[last:])])


@cache
def _style(size: float, bold: bool, color: str, before: float, after: float, indent: float) -> ParagraphStyle:
    from reportlab.lib.styles import ParagraphStyle

    return ParagraphStyle(
        f"{size}{bold}{color}{before}{after}{indent}",
        fontName=_BOLD if bold else _PLAIN,
        fontSize=size,
        leading=size * 1.28,
        textColor=color,
        spaceBefore=before,
        spaceAfter=after,
        leftIndent=indent,
        splitLongWords=1,
    )


@cache
def _glyphs() -> dict[int, int]:
    """The glyphs of the type by character; it is loaded once."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    plain, bold = (TTFont(name, str(_FONTS / f"{name}.ttf")) for name in (_PLAIN, _BOLD))
    for font in (plain, bold):
        pdfmetrics.registerFont(font)
    pdfmetrics.registerFontFamily(_PLAIN, normal=_PLAIN, bold=_BOLD, italic=_PLAIN, boldItalic=_BOLD)
    glyphs: dict[int, int] = plain.face.charToGlyph
    return glyphs
