"""Pages of a PDF: their lines, in columns, without what stands at the edges of many pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpus.formats.format import UnreadableFile
from corpus.formats.pdf.baseline_segments import PrintedLine, line, rows, segments
from corpus.formats.pdf.characters import PrintedCharacter, characters, frame
from corpus.formats.pdf.columns import regions
from corpus.formats.pdf.furniture import edge_rows, furniture
from corpus.formats.pdf.ligatures import join
from corpus.formats.pdf.targets import links, mark_targets

MOST_PAGES = 5_000
MOST_CHARACTERS = 3_000_000  # the largest rulebook known has 0.8 million
_REPEATED = 3  # pages that have the same turned text: a watermark, not a caption


@dataclass
class PrintedPage:
    """A page: its ``number`` from 1, its width and height in points, its lines by columns in the
    order of reading, and those at its edges.

    ``turned`` are lines that do not run from left to right. ``image`` says that it has no text but
    an image.
    """

    number: int
    size: tuple[float, float]
    columns: list[list[PrintedLine]] = field(default_factory=list)
    turned: list[PrintedLine] = field(default_factory=list)
    edges: list[PrintedLine] = field(default_factory=list)
    image: bool = False

    @property
    def upright(self) -> list[PrintedLine]:
        """The lines of all columns."""
        return [line for column in self.columns for line in column]


def read_pages(document: pdfium.PdfDocument) -> list[PrintedPage]:
    """All pages of ``document``. Raises `UnreadableFile` where it has more than a rulebook can
    have.
    """
    if len(document) > MOST_PAGES:
        raise UnreadableFile(
            f"{len(document):,} pages are more than a rulebook can have ({MOST_PAGES:,}); divide it"
        )
    pages: list[PrintedPage] = []
    total = 0
    for number in range(1, len(document) + 1):
        try:
            page = document[number - 1]
        except pdfium.PdfiumError:
            pages.append(PrintedPage(number, (0.0, 0.0)))  # damaged
            continue
        pages.append(_read_page(document, page, number, MOST_CHARACTERS - total))
        total += sum(len(line.text) for line in pages[-1].upright)
        page.close()
    _set_edges_apart(pages)
    return pages


def _read_page(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, number: int, most: int
) -> PrintedPage:
    shown = frame(page)
    by_angle: dict[int, list[PrintedCharacter]] = defaultdict(list)
    for count, each in enumerate(characters(page, shown)):
        if count > most:
            raise UnreadableFile(
                f"more than {MOST_CHARACTERS:,} characters, more than a rulebook can have; divide it"
            )
        by_angle[each.style.angle].append(each)
    columns = [
        [line(row, number) for row in column]
        for column in regions(segments(join(by_angle.pop(0, []))))
    ]
    turned = [
        line(row, number)
        for _, signs in sorted(by_angle.items())
        for row in rows(segments(join(signs)))
    ]
    found = PrintedPage(number, shown.size, columns, turned)
    if not columns and not turned:
        found.image = _has_image(page)
    mark_targets(found.upright, list(links(document, page, shown)))
    return found


def _has_image(page: pdfium.PdfPage) -> bool:
    """Whether anything but text is on ``page``: an image, or letters drawn as curves."""
    return bool(pdfium_c.FPDFPage_CountObjects(page) > 0)


def _set_edges_apart(pages: Sequence[PrintedPage]) -> None:
    """Move running heads, page numbers, footers and watermarks from the columns to the edges of
    their pages.
    """
    rows_of_pages = [edge_rows(page.upright) for page in pages]
    for page, rows_of_page, apart in zip(
        pages,
        rows_of_pages,
        furniture(rows_of_pages, [page.size[1] for page in pages]),
        strict=True,
    ):
        page.edges = [line for at in sorted(apart) for line in rows_of_page[at].lines]
        outer = {id(line) for line in page.edges}
        page.columns = [
            kept
            for column in page.columns
            if (kept := [line for line in column if id(line) not in outer])
        ]
    repeated = Counter(text for page in pages for text in {line.text for line in page.turned})
    for page in pages:
        page.edges += [line for line in page.turned if repeated[line.text] >= _REPEATED]
        page.turned = [line for line in page.turned if repeated[line.text] < _REPEATED]
