"""Reads the pages of a PDF: their lines in columns, without furniture; also links, bookmarks and
title.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpus.blocks import Bookmark, Box
from corpus.formats import UnreadableFile
from corpus.formats.pdf.boards import boards
from corpus.formats.pdf.characters import PageFrame, PrintedCharacter, characters, join
from corpus.formats.pdf.drawn_shapes import Shape, drawn_bullets, drawn_shapes, is_underlined
from corpus.formats.pdf.furniture import furniture
from corpus.formats.pdf.lines import PrintedLine, Segment, columns, line, rows, segments
from corpus.formats.pdf.paragraphs import most_common_size
from corpus.formats.pdf.spreads import Leaf, in_order, may_be_spread

MOST_PAGES = 5_000
MOST_CHARACTERS = 3_000_000  # the largest rulebook known has 0.8 million
_REPEATED = 3  # pages with the same turned or large text: a watermark
_LARGE = 3.0  # in units of the font size of the text
_MOST_LINKS = 2_000  # of a page
_MOST_BOOKMARKS = 20_000
_LONGEST = 2_000  # characters of an address
_FILE_NAME = re.compile(
    r"\.(docx?|indd|odt|pdf|pages|qxp|rtf|tex)\b"
    r"|^(microsoft word|untitled|senza titolo|unbenannt)",
    re.IGNORECASE,
)
_UNREADABLE = (pdfium.PdfiumError, UnicodeDecodeError, ValueError)


@dataclass
class PrintedPage:
    """A page, with its lines by columns in reading order.

    Attributes:
        number: The number of its sheet, from 1.
        size: Width and height of the sheet in points.
        left: The left edge of the page, if its sheet has two pages.
        printed: The printed page number, if its sheet has two pages.
        turned: Lines that do not run from left to right.
        edges: Furniture and watermarks.
        covered: Lines that are illegible because other text is printed over them.
        board: Lines of a grid of letters or numbers.
        image: Whether it has no text but an image, or letters drawn as curves.
    """

    number: int
    size: tuple[float, float]
    columns: list[list[PrintedLine]] = field(default_factory=list)
    turned: list[PrintedLine] = field(default_factory=list)
    edges: list[PrintedLine] = field(default_factory=list)
    covered: list[PrintedLine] = field(default_factory=list)
    board: list[PrintedLine] = field(default_factory=list)
    image: bool = False
    left: float = 0.0
    printed: int | None = None

    @property
    def upright(self) -> list[PrintedLine]:
        """The lines of all columns."""
        return [line for column in self.columns for line in column]

    @property
    def overlapping(self) -> bool:
        """Whether readable lines of similar size are printed over each other."""
        return any(
            abs(below.baseline - above.baseline) < 0.5 * min(above.size, below.size)
            and 0.5 < below.size / above.size < 2
            and min(above.right, below.right) - max(above.left, below.left) > below.size
            for column in self.columns
            for above, below in pairwise(sorted(column, key=lambda line: line.baseline))
        )


def read_pages(document: pdfium.PdfDocument) -> list[PrintedPage]:
    """Return all pages of ``document``. Raises `UnreadableFile` for more than `MOST_PAGES`."""
    if len(document) > MOST_PAGES:
        raise UnreadableFile(
            f"{len(document):,} pages are more than a rulebook can have ({MOST_PAGES:,}); divide it"
        )
    sheets: list[_Sheet] = []
    left = MOST_CHARACTERS
    for number in range(1, len(document) + 1):
        try:
            page = document[number - 1]
        except pdfium.PdfiumError:
            sheets.append(_Sheet(number, (0.0, 0.0)))  # damaged
            continue
        sheets.append(_read_sheet(document, page, number, left))
        left -= sum(len(part.characters) for part in sheets[-1].parts)
        if not may_be_spread(*sheets[-1].size):
            sheets[-1].lay_out()  # its characters take much memory
        page.close()
    leaves = in_order([(*sheet.size, sheet.parts) for sheet in sheets])
    if leaves is None:
        pages = [sheet.page or sheet.lay_out() for sheet in sheets]
    else:
        pages = [sheets[leaf.sheet - 1].page_of(leaf) for leaf in leaves]
    edges = furniture([page.upright for page in pages], [page.size[1] for page in pages])
    large = _LARGE * most_common_size(line for page in pages for line in page.upright)
    stamped = [
        [line for line in (*page.turned, *page.upright) if line.angle or line.size > large]
        for page in pages
    ]
    repeated = Counter(stamp for lines in stamped for stamp in {_stamp(line) for line in lines})
    for page, outer, stamps in zip(pages, edges, stamped, strict=True):
        outer += page.edges
        ids = set(map(id, outer))
        watermarks = [
            line for line in stamps if repeated[_stamp(line)] >= _REPEATED and id(line) not in ids
        ]
        page.edges = outer + watermarks
        ids |= set(map(id, watermarks))
        page.covered = [line for line in page.upright if line.covered and id(line) not in ids]
        ids |= set(map(id, page.covered))
        kept = ([line for line in each if id(line) not in ids] for each in page.columns)
        page.columns = [column for column in kept if column]
        page.turned = [line for line in page.turned if id(line) not in ids]
    return pages


def _stamp(line: PrintedLine) -> tuple[str, float]:
    """Return a key that is equal for the same watermark on different pages."""
    return line.text, 0.0 if line.angle else round(line.baseline, -1)


@dataclass
class _Sheet:
    """The raw content of a PDF page: segments of upright text, turned lines, links and shapes."""

    number: int
    size: tuple[float, float]
    parts: list[Segment] = field(default_factory=list)
    turned: list[PrintedLine] = field(default_factory=list)
    links: list[tuple[Box, str]] = field(default_factory=list)
    image: bool = False
    shapes: list[Shape] = field(default_factory=list)
    page: PrintedPage | None = None

    def lay_out(self) -> PrintedPage:
        """Return the sheet as one page, and release its segments."""
        self.page = self._page(self.parts)
        self.parts = []
        return self.page

    def _page(self, parts: list[Segment]) -> PrintedPage:
        grid = boards(parts)
        fields = set(map(id, grid))
        text = columns([part for part in parts if id(part) not in fields])
        laid_out = [[line(row, self.number) for row in column] for column in text]
        found = PrintedPage(self.number, self.size, laid_out, self.turned, image=self.image)
        found.board = [line(row, self.number) for row in rows(grid)]
        self.turned = []  # they go to the first page of a sheet
        for box, target in self.links:
            for printed in found.upright:
                middle = printed.baseline - 0.3 * printed.size
                if not box.top <= middle <= box.bottom:
                    continue
                inside = [
                    at
                    for at, sign in enumerate(printed.text)
                    if not sign.isspace()
                    and box.left <= (printed.edges[at] + printed.edges[at + 1]) / 2 <= box.right
                ]
                if inside:
                    printed.targets.append((inside[0], inside[-1] + 1, target))
        for printed in found.upright:  # like bold, but for links
            printed.bold |= not printed.targets and is_underlined(printed, self.shapes)
        return found

    def page_of(self, leaf: Leaf) -> PrintedPage:
        """Return one of the pages on this sheet, without its page number."""
        if self.page:
            return self.page
        numbers = {id(part) for row in leaf.number_rows for part in row}
        found = self._page([part for part in leaf.parts if id(part) not in numbers])
        found.left, found.printed = leaf.left, leaf.printed
        found.edges = [line(row, self.number) for row in leaf.number_rows]
        return found


def _read_sheet(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, number: int, most: int
) -> _Sheet:
    frame = PageFrame.of(page)
    by_angle: dict[int, list[PrintedCharacter]] = defaultdict(list)
    for count, each in enumerate(characters(page, frame)):
        if count > most:
            raise UnreadableFile(
                f"more than {MOST_CHARACTERS:,} characters, more than a rulebook can have; "
                "divide it"
            )
        by_angle[each.style.angle].append(each)
    parts = segments(join(by_angle.pop(0, [])))
    shapes = drawn_shapes(page, frame)
    parts += list(drawn_bullets(shapes, parts))
    turned = [
        line(row, number)
        for _, signs in sorted(by_angle.items())
        for row in rows(segments(join(signs)))
    ]
    links = list(_links(document, page, frame))
    image = not parts and not turned and pdfium_c.FPDFPage_CountObjects(page) > 0
    return _Sheet(number, frame.size, parts, turned, links, image, shapes)


def _links(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, frame: PageFrame
) -> Iterator[tuple[Box, str]]:
    """Yield the box and the target of each link on ``page``: a web address, or "page:12@72,300"
    within the document.
    """
    position, annotation = ctypes.c_int(0), pdfium_c.FPDF_LINK()
    for _ in range(_MOST_LINKS):
        if not pdfium_c.FPDFLink_Enumerate(page, position, annotation):
            return
        box = pdfium_c.FS_RECTF()
        if pdfium_c.FPDFLink_GetAnnotRect(annotation, box) and (
            target := _target(document, annotation)
        ):
            corners = frame.shown(box.left, box.bottom), frame.shown(box.right, box.top)
            (left, right), (top, bottom) = map(sorted, zip(*corners, strict=True))
            yield Box(left, top, right, bottom), target


def _target(document: pdfium.PdfDocument, annotation: pdfium_c.FPDF_LINK) -> str:
    destination = pdfium_c.FPDFLink_GetDest(document, annotation)
    if not destination and (action := pdfium_c.FPDFLink_GetAction(annotation)):
        if pdfium_c.FPDFAction_GetType(action) == pdfium_c.PDFACTION_URI:
            length = min(pdfium_c.FPDFAction_GetURIPath(document, action, None, 0), _LONGEST)
            buffer = ctypes.create_string_buffer(max(length, 1))
            pdfium_c.FPDFAction_GetURIPath(document, action, buffer, length)
            return buffer.value.decode("utf-8", "replace").strip()
        destination = pdfium_c.FPDFAction_GetDest(document, action)
    page = pdfium_c.FPDFDest_GetDestPageIndex(document, destination) if destination else -1
    if page < 0:
        return ""
    has_x, has_y, has_zoom = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    x, y, zoom = ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
    size = pdfium_c.FS_SIZEF()
    if (
        pdfium_c.FPDFDest_GetLocationInPage(destination, has_x, has_y, has_zoom, x, y, zoom)
        and has_y.value
        and pdfium_c.FPDF_GetPageSizeByIndexF(document, page, size)
    ):
        left, top = x.value if has_x.value else 0.0, size.height - y.value
        if math.isfinite(left + top):
            return f"page:{page + 1}@{left:.0f},{top:.0f}"
    return f"page:{page + 1}"


def bookmarks(document: pdfium.PdfDocument) -> tuple[Bookmark, ...]:
    """Return the outline of the PDF, as far as it is readable; items without a page have page 0."""
    found: list[Bookmark] = []
    try:
        for each in islice(document.get_toc(max_depth=12), _MOST_BOOKMARKS):
            title = re.sub(r"[\s\0]+", " ", each.get_title()).strip()
            destination = each.get_dest()
            page = destination.get_index() if destination else None
            if title:
                page = 0 if page is None or page < 0 else page + 1
                found.append(Bookmark(title, each.level + 1, page))
    except _UNREADABLE:
        pass
    return tuple(found)


def title(document: pdfium.PdfDocument) -> str:
    """Return the title in the metadata of the PDF, or "" if it is a file or program name."""
    try:
        given = re.sub(r"[\s\0]+", " ", document.get_metadata_value("Title")).strip()
    except _UNREADABLE:
        return ""
    return "" if _FILE_NAME.search(given) or len(given) > 200 else given
