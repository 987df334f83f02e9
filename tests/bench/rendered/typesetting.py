"""Prints a manuscript as PDF with reportlab, in columns, with running heads, page numbers and hyphens."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen import canvas

from tests.bench.rendered.forms import PrintForm
from tests.bench.rendered.manuscript import Element, Run

WIDTH, HEIGHT = 595.0, 842.0
MARGIN, GUTTER = 54.0, 18.0
_LEADING = 1.25
_FOLDER = Path("/usr/share/fonts/truetype/dejavu")
_FILES = {  # each with the one that comes with reportlab in its place
    "serif": ("DejaVuSerif.ttf", "Vera.ttf"),
    "serif-bold": ("DejaVuSerif-Bold.ttf", "VeraBd.ttf"),
    "serif-italic": ("DejaVuSerif-Italic.ttf", "VeraIt.ttf"),
    "sans-bold": ("DejaVuSans-Bold.ttf", "VeraBd.ttf"),
}
_VOWELS = frozenset("aeiouyäöüàèéìòù")

Word = tuple[str, str]  # its text and font


def register_fonts() -> None:
    """Make the fonts known to reportlab."""
    known = pdfmetrics.getRegisteredFontNames()
    for name, (file, instead) in _FILES.items():
        if name not in known:
            try:
                pdfmetrics.registerFont(TTFont(name, str(_FOLDER / file)))
            except TTFError:
                pdfmetrics.registerFont(TTFont(name, str(Path(reportlab.__file__).parent / "fonts" / instead)))


@lru_cache(maxsize=100_000)
def _width(text: str, font: str, size: float) -> float:
    return float(pdfmetrics.stringWidth(text, font, size))


def typeset(elements: Sequence[Element], form: PrintForm, title: str) -> bytes:
    """The PDF of ``elements``, printed twice: only then are the pages known that contents and footers name."""
    register_fonts()
    first = _Press(form, title, {}, 0)
    first.print(elements)
    second = _Press(form, title, first.pages, first.page)
    return second.print(elements)


class _Press:
    """Prints elements one below the other. ``pages`` are those of headings by their text."""

    def __init__(self, form: PrintForm, title: str, pages: dict[str, int], total: int):
        self._form, self._title, self._known, self._total = form, title, pages, total
        self._file = io.BytesIO()
        self._canvas = canvas.Canvas(self._file, pagesize=(WIDTH, HEIGHT), invariant=1)
        self._canvas.setTitle(title)
        self.pages: dict[str, int] = {}
        self.page = 0
        self._chapter = ""
        self._width = (WIDTH - 2 * MARGIN - (form.columns - 1) * GUTTER) / form.columns
        self._begin_page()

    def print(self, elements: Sequence[Element]) -> bytes:
        """Print ``elements``. Returns the PDF."""
        for each in elements:
            if each.level:
                self._heading(each)
            elif each.contents and self._form.leaders:
                self._contents(each)
            else:
                self._text(each)
        self._canvas.save()
        return self._file.getvalue()

    def _begin_page(self) -> None:
        self.page += 1
        self._column, self._y = 0, HEIGHT - MARGIN - 12
        if self._form.heads:
            even = self._form.heads == "title" or self.page % 2 == 0
            self._canvas.setFont("serif-italic", 8)
            text = self._title if even else self._chapter or self._title
            self._canvas.drawString(MARGIN, HEIGHT - 36, text) if even else self._canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 36, text)
        self._canvas.setFont("serif", 8)
        self._canvas.drawCentredString(WIDTH / 2, 30, self._form.footer.format(page=self.page, pages=self._total))

    @property
    def _left(self) -> float:
        return MARGIN + self._column * (self._width + GUTTER)

    @property
    def _on_top(self) -> bool:
        return self._y > HEIGHT - MARGIN - 13

    def _need(self, height: float) -> None:
        if self._y - height >= MARGIN:
            return
        self._column, self._y = self._column + 1, HEIGHT - MARGIN - 12
        if self._column >= self._form.columns:
            self._canvas.showPage()
            self._begin_page()

    def _gap(self, height: float) -> None:
        if not self._on_top:
            self._y -= height

    def _heading(self, each: Element) -> None:
        form = self._form
        size = form.size + (form.enlarged + (3 - each.level) * 2 if form.enlarged else 0)
        lines = _broken([(word, "sans-bold") for word in each.text.split()], size, self._width, 0.0, False)
        self._need(_LEADING * (len(lines) * size + 2 * form.size) + 0.8 * size)
        self._gap(0.8 * size)
        if each.level == 1:
            self._chapter = each.text[:60]
        self.pages.setdefault(each.text.strip("- "), self.page)
        for line in lines:
            self._line(line, size, 0.0, None)
        self._gap(0.2 * size)

    def _contents(self, each: Element) -> None:
        """A line of the contents with dots up to the page of its heading."""
        form, indent = self._form, 8.0 * max(each.depth - 1, 0)
        text = f"{each.mark} {each.text}".strip()
        page = self._known.get(text, self._known.get(each.text, 0))
        if not page or _width(f"{text} ..... {page}", "serif", form.size) > self._width - indent:
            self._text(each)
            return
        dots = int((self._width - indent - _width(f"{text}  {page}", "serif", form.size)) / _width(".", "serif", form.size))
        self._need(_LEADING * form.size)
        self._line([(f"{text} {'.' * dots} {page}", "serif")], form.size, indent, None)

    def _text(self, each: Element) -> None:
        form = self._form
        if form.spaced and each.space:
            self._gap(0.6 * form.size)
        mark = form.bullet if each.mark in ("-", "*", "•") and not form.signs else each.mark
        indent = 10.0 * each.depth
        hang = _width(f"{mark} ", "serif", form.size) if mark else 0.0
        first = 12.0 if not form.spaced and not mark and not each.contents else 0.0
        words = ([(mark, "serif")] if mark else []) + _words(each.runs)
        lines = _broken(words, form.size, self._width - indent, hang or -first, form.hyphens)
        for at, line in enumerate(lines):
            if at == 0 and len(lines) > 1:
                self._need(2 * _LEADING * form.size)
            self._need(_LEADING * form.size)
            left = indent + ((hang if at else 0.0) if mark else (0.0 if at else first))
            self._line(line, form.size, left, self._width if form.justified and at < len(lines) - 1 else None)

    def _line(self, words: Sequence[Word], size: float, left: float, full: float | None) -> None:
        """Print a line of ``words``, from ``left`` on, up to ``full`` if that is given."""
        self._y -= _LEADING * size
        x = self._left + left
        gaps = len(words) - 1
        stretch = 0.0
        if full is not None and gaps:
            used = sum(_width(text, font, size) for text, font in words) + sum(_width(" ", font, size) for _, font in words[:-1])
            stretch = min((full - left - used) / gaps, 2 * size)
        text = self._canvas.beginText(x, self._y)
        run: list[str] = []
        for at, (word, font) in enumerate(words):
            run.append(word)
            follows = words[at + 1][1] if at < gaps else ""
            if stretch or follows != font:
                text.setFont(font, size)
                text.textOut(" ".join(run) + (" " if at < gaps else ""))
                x += _width(" ".join(run) + (" " if at < gaps else ""), font, size) + (stretch if at < gaps else 0.0)
                text.setTextOrigin(x, self._y)
                run = []
        self._canvas.drawText(text)


def _words(runs: Sequence[Run]) -> list[Word]:
    """The words of ``runs``; where a run ends inside a word, the word has the look of its beginning."""
    found: list[Word] = []
    joined = False
    for run in runs:
        font = "serif-bold" if run.bold else "serif-italic" if run.italic else "serif"
        words = run.text.split()
        if joined and words and not run.text[:1].isspace():
            found[-1] = (found[-1][0] + words.pop(0), found[-1][1])
        found += [(word, font) for word in words]
        joined = bool(found) and not run.text[-1:].isspace()
    return found


def _broken(words: Sequence[Word], size: float, width: float, hang: float, hyphens: bool) -> list[list[Word]]:
    """``words`` in lines of ``width``; all but the first are narrower by ``hang``, or the first by what it is below 0."""
    lines: list[list[Word]] = [[]]
    used = 0.0
    rest = list(reversed(words))
    while rest:
        text, font = rest.pop()
        room = width - (max(hang, 0.0) if len(lines) > 1 else max(-hang, 0.0))
        blank = _width(" ", font, size) if lines[-1] else 0.0
        need = _width(text, font, size)
        if used + blank + need <= room:
            lines[-1].append((text, font))
            used += blank + need
            continue
        at = _hyphenation(text, font, size, room - used - blank) if hyphens and lines[-1] else 0
        if not lines[-1]:  # a word that is wider than the line
            at = max(next((k for k in range(len(text) - 1, 0, -1) if _width(text[:k], font, size) <= room), 1), 1)
            lines[-1].append((text[:at], font))
            rest.append((text[at:], font))
        elif at:
            lines[-1].append((text[:at] + "-", font))
            rest.append((text[at:], font))
        else:
            rest.append((text, font))
        lines.append([])
        used = 0.0
    return [line for line in lines if line]


def _hyphenation(word: str, font: str, size: float, room: float) -> int:
    """Where ``word`` may be divided so that its beginning and a hyphen fit into ``room``: behind a vowel; 0: nowhere."""
    letters = word.rstrip(".,;:!?)“”»\"'")
    if len(letters) < 8 or not letters.isalpha() or letters.isupper():
        return 0
    for at in range(len(letters) - 3, 2, -1):
        inside = word[at - 1].casefold() in _VOWELS and word[at].casefold() not in _VOWELS
        if inside and _width(word[:at] + "-", font, size) <= room:
            return at
    return 0
