"""Print invented rulebooks as PDF: columns, running heads, page numbers, hyphens at line ends, two
fonts, bookmarks, links.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

WIDTH, HEIGHT = 420.0, 595.0
MARGIN, GUTTER = 40.0, 16.0
BODY, BOLD, ITALIC = "Times-Roman", "Helvetica-Bold", "Times-Italic"


class PrintedRulebook:
    """A rulebook being printed. Each addition goes below the previous one, or to the next column if
    the column is full.
    """

    def __init__(self, columns: int = 1, head: str = "", numbers: bool = True, password: str = ""):
        self._file = io.BytesIO()
        self._canvas = canvas.Canvas(
            self._file,
            pagesize=(WIDTH, HEIGHT),
            invariant=1,
            encrypt=StandardEncryption(password) if password else None,
        )
        self._columns, self._head, self._numbers = columns, head, numbers
        self.leading = 1.2  # line spacing, relative to the size
        self.on_second_page = ""  # a running head of the second page only
        self.width = (WIDTH - 2 * MARGIN - (columns - 1) * GUTTER) / columns
        self.page = 0
        self._begin_page()

    def heading(self, text: str, size: float = 14.0) -> None:
        """Print a heading in the other font, with a bookmark."""
        self._need(4 * size)
        self._y -= 0.7 * size
        self._canvas.bookmarkPage(f"{text} {self.page}")
        self._canvas.addOutlineEntry(text, f"{text} {self.page}", level=0)
        self._lines(text, BOLD, size, 0.0, 0.0, hyphens=False)

    def paragraph(self, text: str, font: str = BODY, size: float = 10.0) -> None:
        """Print a paragraph, with a gap before it."""
        self._y -= 0.6 * size
        self._lines(text, font, size, 0.0, 0.0)

    def underlined(self, text: str) -> None:
        """Print a paragraph of one line that is underlined."""
        self.paragraph(text)
        right = self._left + pdfmetrics.stringWidth(text, BODY, 10)
        self._canvas.rect(self._left, self._y - 2, right - self._left, 0.6, stroke=0, fill=1)

    def rule(self) -> None:
        """Draw a line from edge to edge below the last line."""
        self._canvas.line(self._left, self._y - 2, self._left + self.width, self._y - 2)

    def item(self, mark: str, text: str, level: int = 1) -> None:
        """Print an item of a list without a gap above; its lines are indented behind its mark."""
        left = 12.0 * (level - 1)
        hang = pdfmetrics.stringWidth(mark + " ", BODY, 10)
        self._lines(f"{mark} {text}", BODY, 10.0, left, hang)

    def contents(self, title: str, page: int) -> None:
        """Print a line of contents, with dots up to the page number and a link to the page."""
        dots = 1
        while pdfmetrics.stringWidth(f"{title} {'.' * (dots + 1)} {page}", BODY, 10) <= self.width:
            dots += 1
        self._lines(f"{title} {'.' * dots} {page}", BODY, 10.0, 0.0, 0.0)

    def row(self, cells: Sequence[str]) -> None:
        """Print a row of a table."""
        self._need(12.0)
        self._y -= 12.0
        self._canvas.setFont(BODY, 10)
        for at, cell in enumerate(cells):
            self._canvas.drawString(self._left + at * self.width / len(cells), self._y, cell)

    def link(self, text: str, target: str) -> None:
        """Print a paragraph of one line that links to ``target``, an address or the text of a
        heading.
        """
        self.paragraph(text)
        box = (
            self._left,
            self._y - 3,
            self._left + pdfmetrics.stringWidth(text, BODY, 10),
            self._y + 8,
        )
        if target.startswith("http"):
            self._canvas.linkURL(target, box)
        else:
            self._canvas.linkAbsolute("", target, box)

    def top(self, name: str) -> None:
        """Define ``name`` as a link target at the top of the page."""
        self._canvas.bookmarkHorizontal(name, 0, HEIGHT - MARGIN)

    def picture(self) -> None:
        """Draw a picture without text."""
        self._canvas.rect(MARGIN, MARGIN, 200, 300, fill=1)

    def next_page(self, turned: int = 0) -> None:
        """Begin a new page; the finished one is displayed rotated clockwise by ``turned``
        degrees.
        """
        if turned:
            self._canvas.setPageRotation(turned)
        self._canvas.showPage()
        self._begin_page()

    def printed(self) -> bytes:
        """Return the PDF."""
        self._canvas.save()
        return self._file.getvalue()

    def _begin_page(self) -> None:
        self.page += 1
        self._column, self._y = 0, HEIGHT - MARGIN - 10
        if self._head:
            self._canvas.setFont(ITALIC, 8)
            self._canvas.drawString(MARGIN, HEIGHT - 28, self._head)
        if self.page == 2 and self.on_second_page:
            self._canvas.setFont(BODY, 10)
            self._canvas.drawString(MARGIN, HEIGHT - 20, self.on_second_page)
        if self._numbers:
            self._canvas.setFont(BODY, 8)
            self._canvas.drawCentredString(WIDTH / 2, 22, f"– {self.page} –")

    @property
    def _left(self) -> float:
        return MARGIN + self._column * (self.width + GUTTER)

    def _need(self, height: float) -> None:
        """Move to the next column where less than ``height`` is left."""
        if self._y - height >= MARGIN:
            return
        self._column, self._y = self._column + 1, HEIGHT - MARGIN - 10
        if self._column >= self._columns:
            self.next_page()

    def _lines(
        self, text: str, font: str, size: float, left: float, hang: float, hyphens: bool = True
    ) -> None:
        words, first = text.split(), True
        while words:
            room = self.width - left - (0.0 if first else hang)
            line = _fill(words, font, size, room, hyphens)
            self._need(self.leading * size)
            self._y -= self.leading * size
            self._canvas.setFont(font, size)
            self._canvas.drawString(self._left + left + (0.0 if first else hang), self._y, line)
            first = False


def _fill(words: list[str], font: str, size: float, room: float, hyphens: bool) -> str:
    """Take as many of ``words`` as fit into a line; the last one may be divided after its fourth
    letter.
    """
    line = words.pop(0)
    while words and pdfmetrics.stringWidth(f"{line} {words[0]}", font, size) <= room:
        line = f"{line} {words.pop(0)}"
    if hyphens and words and len(words[0]) > 7 and words[0].isalpha():
        start = words[0][:4]
        if pdfmetrics.stringWidth(f"{line} {start}-", font, size) <= room:
            line, words[0] = f"{line} {start}-", words[0][4:]
    return line


def private_font() -> str:
    """Return the name of a font that can print characters of the private use area."""
    if "private" not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(TTFont("private", "Vera.ttf"))
    return "private"
