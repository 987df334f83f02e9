"""PDF: characters as lines, lines in columns in the order of reading, columns as paragraphs,
without running heads and page numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpus.blocks import ExtractedText
from corpus.formats.format import ExtractedFormat, UnreadableFile
from corpus.formats.pdf.legibility import illegible
from corpus.formats.pdf.pages import PrintedPage, read_pages
from corpus.formats.pdf.paragraphs import PrintedParagraph, append, paragraphs, spacings
from corpus.formats.pdf.targets import bookmarks, title
from corpus.formats.pdf.writing import CanonicalText

_OCR = "run OCR on it (for example: ocrmypdf --force-ocr in.pdf out.pdf)"


def fits(raw: bytes) -> bool:
    """Whether the file ``raw`` is a PDF; a few bytes may stand before it."""
    return raw.lstrip()[:5] == b"%PDF-" or (b"%PDF-" in raw[:1024] and b" obj" in raw)


def extract(raw: bytes) -> ExtractedText:
    """The text of the PDF ``raw``. Raises `UnreadableFile` where it is encrypted, damaged, has no
    text, or none that can be read.
    """
    document = _open(raw)
    try:
        pages = read_pages(document)
        outline, name = bookmarks(document), title(document)
    finally:
        document.close()
    texts = [line.text for page in pages for line in (*page.upright, *page.turned)]
    images = [page.number for page in pages if page.image]
    if not any(texts):
        raise UnreadableFile(
            f"its pages are images without text; {_OCR}" if images else "it has no text"
        )
    if illegible(texts):
        raise UnreadableFile(
            f"its text cannot be read, because its fonts do not say which letters they show; {_OCR}"
        )
    written = CanonicalText([page.size for page in pages])
    for each in _paragraphs(pages):
        written.paragraph(each)
    body = written.length
    if any(page.edges for page in pages):
        written.furniture(pages)
    text = written.text
    body += len(text[body:]) - len(text[body:].lstrip())
    return ExtractedText(
        text, tuple(written.blocks), body, outline, written.pages, name, _notes(images, len(pages))
    )


def _open(raw: bytes) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(raw)
        if len(document) > 0:
            return document
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium_c.FPDF_ERR_PASSWORD:
            raise UnreadableFile(
                "encrypted; open it with its password and save it without one"
            ) from error
        raise UnreadableFile("the PDF is damaged; open it in a viewer and save it again") from error
    document.close()
    raise UnreadableFile("the PDF has no pages")


def _paragraphs(pages: Sequence[PrintedPage]) -> list[PrintedParagraph]:
    """All paragraphs in the order of reading; footnotes after the text of their page, and after a
    paragraph that runs on.
    """
    spacing = spacings(column for page in pages for column in page.columns)
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.upright:
            sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    found: list[PrintedParagraph] = []
    tables = 0
    for page in pages:
        notes: list[PrintedParagraph] = []
        for column in page.columns:
            blocks = paragraphs(column, spacing, body)
            for each in blocks:
                each.table += tables if each.table else 0
            tables = max([tables, *(each.table for each in blocks)])
            first_note = next(
                (at for at in range(len(blocks), 0, -1) if not _is_note(blocks[at - 1], page)), 0
            )
            notes += blocks[first_note:]
            append(found, blocks[:first_note])
        for each in notes:
            each.footnote = True
        found += notes
        found += [PrintedParagraph([line], line.left, line.right) for line in page.turned]
    return found


def _is_note(each: PrintedParagraph, page: PrintedPage) -> bool:
    """Whether ``each`` is a footnote: it looks like one and stands in the lower half of
    ``page``.
    """
    return each.footnote and each.lines[0].top > page.size[1] / 2


def _notes(images: Sequence[int], pages: int) -> tuple[str, ...]:
    if not images:
        return ()
    listed = ", ".join(map(str, images[:10])) + (" …" if len(images) > 10 else "")
    return (
        f"{len(images)} of {pages} pages have no text, only images (page {listed}); if there are rules on them, run OCR on the file",
    )


PDF = ExtractedFormat("pdf", fits, extract)
