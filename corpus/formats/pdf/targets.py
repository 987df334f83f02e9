"""Where the links and bookmarks of a PDF lead, and its title."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpus.blocks import Bookmark, Box
from corpus.formats.pdf.baseline_segments import PrintedLine
from corpus.formats.pdf.characters import PageFrame

_MOST_LINKS = 2_000  # of a page
_MOST_BOOKMARKS = 20_000
_LONGEST = 2_000  # characters of an address
_FILE_NAME = re.compile(
    r"\.(docx?|indd|odt|pdf|pages|qxp|rtf|tex)\b|^(microsoft word|untitled|senza titolo|unbenannt)",
    re.IGNORECASE,
)


def links(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, frame: PageFrame
) -> Iterator[tuple[Box, str]]:
    """The boxes of links on ``page`` and their targets: an address, or "page:12@72,300" within the
    document.
    """
    position, annotation = ctypes.c_int(0), pdfium_c.FPDF_LINK()
    for _ in range(_MOST_LINKS):
        if not pdfium_c.FPDFLink_Enumerate(page, position, annotation):
            return
        rectangle = pdfium_c.FS_RECTF()
        if not pdfium_c.FPDFLink_GetAnnotRect(annotation, rectangle) or not (
            target := _target(document, annotation)
        ):
            continue
        one, other = (
            frame.shown(rectangle.left, rectangle.bottom),
            frame.shown(rectangle.right, rectangle.top),
        )
        yield (
            Box(
                min(one[0], other[0]),
                min(one[1], other[1]),
                max(one[0], other[0]),
                max(one[1], other[1]),
            ),
            target,
        )


def _target(document: pdfium.PdfDocument, annotation: pdfium_c.FPDF_LINK) -> str:
    """Where the link ``annotation`` leads to, "" where it leads nowhere."""
    destination = pdfium_c.FPDFLink_GetDest(document, annotation)
    if not destination and (action := pdfium_c.FPDFLink_GetAction(annotation)):
        if pdfium_c.FPDFAction_GetType(action) == pdfium_c.PDFACTION_URI:
            length = min(pdfium_c.FPDFAction_GetURIPath(document, action, None, 0), _LONGEST)
            buffer = ctypes.create_string_buffer(max(length, 1))
            pdfium_c.FPDFAction_GetURIPath(document, action, buffer, length)
            return buffer.value.decode("utf-8", "replace").strip()
        destination = pdfium_c.FPDFAction_GetDest(document, action)
    if not destination:
        return ""
    page = pdfium_c.FPDFDest_GetDestPageIndex(document, destination)
    return f"page:{page + 1}{_place(document, destination, page)}" if page >= 0 else ""


def _place(document: pdfium.PdfDocument, destination: pdfium_c.FPDF_DEST, page: int) -> str:
    """The place on ``page``, counted from 0, that ``destination`` leads to, "" where it names
    none.
    """
    has_x, has_y, has_zoom = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    x, y, zoom = ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
    found = pdfium_c.FPDFDest_GetLocationInPage(destination, has_x, has_y, has_zoom, x, y, zoom)
    size = pdfium_c.FS_SIZEF()
    if not found or not has_y.value or not pdfium_c.FPDF_GetPageSizeByIndexF(document, page, size):
        return ""
    left, top = x.value if has_x.value else 0.0, size.height - y.value
    return f"@{left:.0f},{top:.0f}" if math.isfinite(left + top) else ""


def mark_targets(lines: Sequence[PrintedLine], found: Sequence[tuple[Box, str]]) -> None:
    """Set ``targets`` of the ``lines`` of a page whose characters stand in the boxes that were
    ``found``.
    """
    for box, target in found:
        for line in lines:
            middle = line.baseline - 0.3 * line.size
            if (
                line.angle
                or not box.top <= middle <= box.bottom
                or line.right < box.left
                or line.left > box.right
            ):
                continue
            inside = [
                at
                for at, sign in enumerate(line.text)
                if not sign.isspace()
                and box.left <= (line.edges[at] + line.edges[at + 1]) / 2 <= box.right
            ]
            if inside:
                line.targets.append((inside[0], inside[-1] + 1, target))


def bookmarks(document: pdfium.PdfDocument) -> tuple[Bookmark, ...]:
    """The outline of the PDF; what leads to no page has page 0."""
    found: list[Bookmark] = []
    try:
        for each in islice(document.get_toc(max_depth=12), _MOST_BOOKMARKS):
            title = re.sub(r"[\s\0]+", " ", each.get_title()).strip()
            destination = each.get_dest()
            page = destination.get_index() if destination else None
            if title:
                found.append(
                    Bookmark(
                        title, each.level + 1, page + 1 if page is not None and page >= 0 else 0
                    )
                )
    except (pdfium.PdfiumError, UnicodeDecodeError, ValueError):
        return tuple(found)  # of a damaged file: what could be read
    return tuple(found)


def title(document: pdfium.PdfDocument) -> str:
    """The title that the PDF gives itself, "" where that is a name of a file or of a program."""
    try:
        given = re.sub(r"[\s\0]+", " ", document.get_metadata_value("Title")).strip()
    except (pdfium.PdfiumError, UnicodeDecodeError, ValueError):
        return ""
    return "" if _FILE_NAME.search(given) or len(given) > 200 else given
