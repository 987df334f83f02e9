"""Print rulebooks with known text as PDF: in columns, with running heads, page numbers, hyphens and
lines of contents.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen import canvas

from corpus.document import Document, Line
from corpus.model import Entry, Kind, Role, Rulebook

WIDTH, HEIGHT = 595.0, 842.0
MARGIN, GUTTER = 54.0, 18.0
_LEADING = 1.25
_FOLDER = Path("/usr/share/fonts/truetype/dejavu")
_FILES = {  # each with its substitute from reportlab
    "serif": ("DejaVuSerif.ttf", "Vera.ttf"),
    "serif-bold": ("DejaVuSerif-Bold.ttf", "VeraBd.ttf"),
    "serif-italic": ("DejaVuSerif-Italic.ttf", "VeraIt.ttf"),
    "sans-bold": ("DejaVuSans-Bold.ttf", "VeraBd.ttf"),
}
_VOWELS = frozenset("aeiouyäöüàèéìòù")

_EMPHASIS = re.compile(
    r"\*\*(?=\S)(?P<bold>[^*\n]+?)(?<=\S)\*\*|(?<![\w*])\*(?=\S)(?P<italic>[^*\n]+?)(?<=\S)\*(?![\w*])"
)
_LINK = re.compile(r"\[([^\[\]\n]+)\]\([^()\n]*\)")
_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)|<[^<>\n]+>|[-*_=]{3,}")
_BULLET = re.compile(r"(?P<bullet>[-*•✦➤>–▪○])\s+(?=\S)")
_NUMBER = re.compile(
    r"(?:\*\*)?(?P<number>\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+|[a-z][.)])(?:\*\*)?\s+(?=\S)"
)
_PLAIN_BULLETS = "-*•–▪"

Word = tuple[str, str]  # its text and font


@dataclass(frozen=True)
class PrintForm:
    """The style in which a rulebook is printed.

    Attributes:
        size: The size of the text in points.
        enlarged: The points by which a heading of the lowest level is larger than the text; 0 for
            one that is only bold.
        bullet: The replacement for plain bullets.
        leaders: Whether lines of the contents end with dots and page numbers.
        chapters: Whether odd pages have the chapter as running head instead of the title.
        footer: A pattern with the fields ``page`` and ``pages``.
        spaced: Whether empty lines of the text are printed as empty space; otherwise first lines
            are indented.
    """

    columns: int = 1
    size: float = 10.0
    justified: bool = False
    hyphens: bool = True
    enlarged: float = 2.0
    bullet: str = "•"
    leaders: bool = False
    chapters: bool = False
    footer: str = "{page}"
    spaced: bool = True


FORMS = {
    "two": PrintForm(columns=2, size=9.0),
    "one-bold": PrintForm(size=11.0, justified=True, enlarged=0.0, chapters=True, leaders=True),
    "two-busy": PrintForm(
        columns=2,
        size=9.0,
        justified=True,
        bullet="–",
        leaders=True,
        chapters=True,
        footer="Seite {page} von {pages}",
    ),
    "one-dense": PrintForm(
        size=9.0, enlarged=0.0, spaced=False, hyphens=False, footer="{page}/{pages}"
    ),
}


class Run(NamedTuple):
    """Words in the same style."""

    text: str
    bold: bool = False
    italic: bool = False


@dataclass(frozen=True)
class Element:
    """A heading (``level`` from 1), an item of a list (``mark``, ``depth`` from 1), a line of the
    contents, or a paragraph.

    ``space`` means that there is an empty line above it; ``line`` is the number of its first line
    in the text.
    """

    runs: tuple[Run, ...]
    line: int
    level: int = 0
    mark: str = ""
    depth: int = 0
    contents: bool = False
    space: bool = False

    @property
    def text(self) -> str:
        """Its text, without its mark."""
        return "".join(run.text for run in self.runs)


def manuscript(rulebook: Rulebook) -> list[Element]:
    """Return the elements of ``rulebook`` to print, without Markdown characters."""
    document = rulebook.document
    headings = _heading_lines(rulebook)
    listed = {
        n
        for p in rulebook.passages
        if p.role is Role.LISTING
        for n in range(p.lines.first, p.lines.last + 1)
    }
    found: list[Element] = []
    space, above = False, 0  # `above`: the number of the previous line, if it belongs to a heading
    for line in document.lines:
        text = line.text.strip()
        if not text or _PICTURE.fullmatch(text):
            space = True
            continue
        if line.number in headings:
            level, entry = headings[line.number]
            plain = _without_signs(text)
            if found and above == entry and found[-1].level:
                found[-1] = replace(found[-1], runs=(Run(f"{found[-1].text} {plain}"),))
            else:
                found.append(Element((Run(plain),), line.number, level, space=space))
            above = entry
        else:
            found.append(_element(line, space, line.number in listed))
            above = 0
        space = False
    return found


def _heading_lines(rulebook: Rulebook) -> dict[int, tuple[int, int]]:
    """Return for each line of a heading its level and the first line of the heading."""
    depths: dict[str, int] = {}
    found: dict[int, tuple[int, int]] = {}
    for entry in rulebook.entries:
        depths[entry.id] = depths.get(entry.parent or "", 0) + 1
        for line, first in _lines_of(entry, rulebook.document):
            found[line] = min(depths[entry.id], 3), first
    for each in rulebook.furniture:
        if each.why == "title page":
            first = rulebook.document.line_at(each.span.start)
            if rulebook.document.line(first).text.startswith("#"):
                found[first] = 1, first
    return found


def _lines_of(entry: Entry, document: Document) -> Iterator[tuple[int, int]]:
    if entry.kind is Kind.RULE and not entry.heading_spans:
        return
    first = 0
    for start, end in entry.heading_spans:
        for number in range(document.line_at(start), document.line_at(end - 1) + 1):
            first = first or number
            yield number, first


def _without_signs(text: str) -> str:
    text = re.sub(r"^#{1,6}\s+", "", text)
    return _LINK.sub(r"\1", re.sub(r"\*+", "", text) if text.count("*") > 1 else text).strip()


def _element(line: Line, space: bool, contents: bool) -> Element:
    """Return the paragraph or item of a list in ``line``."""
    text, mark, depth = line.text.strip(), "", 0
    indent = len(line.text.expandtabs(4)) - len(line.text.expandtabs(4).lstrip())
    if bullet := _BULLET.match(text):
        mark, depth = (
            bullet["bullet"],
            1 + (indent + 1) // 2 + (0 if bullet["bullet"] in _PLAIN_BULLETS else 1),
        )
        text = text[bullet.end() :]
        if inner := _BULLET.match(text):
            mark, text, depth = inner["bullet"], text[inner.end() :], depth + 1
    if number := _NUMBER.match(text):
        mark, text, depth = number["number"], text[number.end() :], max(depth, 1)
    runs = tuple(_runs(_LINK.sub(r"\1", text)))
    return Element(
        runs, line.number, mark=mark, depth=min(depth, 4), contents=contents, space=space
    )


def _runs(text: str) -> Iterator[Run]:
    at = 0
    for match in _EMPHASIS.finditer(text):
        if match.start() > at:
            yield Run(text[at : match.start()])
        yield Run(match["bold"], bold=True) if match["bold"] else Run(match["italic"], italic=True)
        at = match.end()
    if at < len(text):
        yield Run(text[at:])


def printed(rulebook: Rulebook, form: str) -> bytes:
    """Return ``rulebook`` as PDF in one of `FORMS`. It is printed twice, since only then the page
    numbers for contents and footers are known.
    """
    known = pdfmetrics.getRegisteredFontNames()
    for name, (file, instead) in _FILES.items():
        if name not in known:
            try:
                pdfmetrics.registerFont(TTFont(name, str(_FOLDER / file)))
            except TTFError:
                pdfmetrics.registerFont(
                    TTFont(name, str(Path(reportlab.__file__).parent / "fonts" / instead))
                )
    elements, title = manuscript(rulebook), rulebook.edition.title
    first = _Press(FORMS[form], title, {}, 0)
    first.print(elements)
    second = _Press(FORMS[form], title, first.pages, first.page)
    return second.print(elements)


class _Press:
    """Prints elements one below the other. ``pages`` has the page numbers of headings by their
    text.
    """

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
        """Print ``elements`` and return the PDF."""
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
        self._canvas.setFont("serif-italic", 8)
        if self._form.chapters and self.page % 2:
            self._canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 36, self._chapter or self._title)
        else:
            self._canvas.drawString(MARGIN, HEIGHT - 36, self._title)
        self._canvas.setFont("serif", 8)
        self._canvas.drawCentredString(
            WIDTH / 2, 30, self._form.footer.format(page=self.page, pages=self._total)
        )

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
        lines = _broken(
            [(word, "sans-bold") for word in each.text.split()], size, self._width, 0.0, False
        )
        self._need(_LEADING * (len(lines) * size + 2 * form.size) + 0.8 * size)
        self._gap(0.8 * size)
        if each.level == 1:
            self._chapter = each.text[:60]
        self.pages.setdefault(each.text.strip("- "), self.page)
        for line in lines:
            self._line(line, size, 0.0, None)
        self._gap(0.2 * size)

    def _contents(self, each: Element) -> None:
        """Print a line of the contents, with dots up to the page of its heading."""
        form, indent = self._form, 8.0 * max(each.depth - 1, 0)
        text = f"{each.mark} {each.text}".strip()
        page = self._known.get(text, self._known.get(each.text, 0))
        if not page or _width(f"{text} ..... {page}", "serif", form.size) > self._width - indent:
            self._text(each)
            return
        dots = int(
            (self._width - indent - _width(f"{text}  {page}", "serif", form.size))
            / _width(".", "serif", form.size)
        )
        self._need(_LEADING * form.size)
        self._line([(f"{text} {'.' * dots} {page}", "serif")], form.size, indent, None)

    def _text(self, each: Element) -> None:
        form = self._form
        if form.spaced and each.space:
            self._gap(0.6 * form.size)
        mark = form.bullet if each.mark in ("-", "*", "•") else each.mark
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
            self._line(
                line,
                form.size,
                left,
                self._width if form.justified and at < len(lines) - 1 else None,
            )

    def _line(self, words: Sequence[Word], size: float, left: float, full: float | None) -> None:
        """Print a line of ``words`` from ``left`` on, justified up to ``full`` if that is given."""
        self._y -= _LEADING * size
        x = self._left + left
        gaps = len(words) - 1
        stretch = 0.0
        if full is not None and gaps:
            used = sum(_width(text, font, size) for text, font in words) + sum(
                _width(" ", font, size) for _, font in words[:-1]
            )
            stretch = min((full - left - used) / gaps, 2 * size)
        text = self._canvas.beginText(x, self._y)
        run: list[str] = []
        for at, (word, font) in enumerate(words):
            run.append(word)
            follows = words[at + 1][1] if at < gaps else ""
            if stretch or follows != font:
                text.setFont(font, size)
                text.textOut(" ".join(run) + (" " if at < gaps else ""))
                x += _width(" ".join(run) + (" " if at < gaps else ""), font, size) + (
                    stretch if at < gaps else 0.0
                )
                text.setTextOrigin(x, self._y)
                run = []
        self._canvas.drawText(text)


def _words(runs: Sequence[Run]) -> list[Word]:
    """Return the words of ``runs``; a word in which a run ends has the style of its beginning."""
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


def _broken(
    words: Sequence[Word], size: float, width: float, hang: float, hyphens: bool
) -> list[list[Word]]:
    """Return ``words`` broken into lines of ``width``. If ``hang`` is positive, all lines but the
    first are narrower by it; if negative, the first line is.
    """
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
        if not lines[-1]:  # a word wider than the line
            at = max(
                next(
                    (
                        k
                        for k in range(len(text) - 1, 0, -1)
                        if _width(text[:k], font, size) <= room
                    ),
                    1,
                ),
                1,
            )
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
    """Return where to divide ``word``, after a vowel, so that its beginning and a hyphen fit into
    ``room``; 0 where it cannot be divided.
    """
    letters = word.rstrip(".,;:!?)“”»\"'")
    if len(letters) < 8 or not letters.isalpha() or letters.isupper():
        return 0
    for at in range(len(letters) - 3, 2, -1):
        inside = word[at - 1].casefold() in _VOWELS and word[at].casefold() not in _VOWELS
        if inside and _width(word[:at] + "-", font, size) <= room:
            return at
    return 0


@lru_cache(maxsize=100_000)
def _width(text: str, font: str, size: float) -> float:
    return float(pdfmetrics.stringWidth(text, font, size))
