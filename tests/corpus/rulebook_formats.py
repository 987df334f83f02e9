"""Write an invented rulebook in every supported format, as small files with typical contents:
headings, lists, tables, links.
"""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import docx
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

TITLE = "The Lantern Harbour"
CHAPTERS = ("Lanterns", "Barges", "Fog", "Unloading", "The watchtower", "End of the game")
SENTENCES = (
    "Every keeper lights one lantern before the harbour opens.",
    "A barge that carries sandstone counts as heavy (see 2.1).",
    "Whoever extinguishes a foreign lantern pays three kopeks to the watchtower.",
    "Between two rounds the navigators compare their instruments, see “Fog”.",
    "Goods that remain aboard after sunset belong to the customs officer.",
)
ROWS = (("Load", "Crew", "Fee"), ("Sandstone", "4", "3"), ("Herring", "2", "1"))


class Line(NamedTuple):
    """A paragraph of the rulebook: its kind ("heading", "rule", "item", "row"), its number and its
    text.
    """

    sort: str
    number: str
    text: str


def lines() -> Iterator[Line]:
    """Yield the rulebook, paragraph by paragraph."""
    for chapter, name in enumerate(CHAPTERS, 1):
        yield Line("heading", str(chapter), name)
        for rule in range(1, 5):
            at = chapter + rule
            yield Line(
                "rule", f"{chapter}.{rule}", f"{SENTENCES[at % 5]} {SENTENCES[(at * 3 + 1) % 5]}"
            )
        for at in range(3):
            yield Line("item", "", SENTENCES[(chapter + at) % 5])
        if chapter % 2:
            for row in ROWS:
                yield Line("row", "", "\t".join(row))


def as_pdf(compressed: bool = False, bookmarks: bool = True) -> bytes:
    """Return the rulebook as PDF with running heads, page numbers, bookmarks and links; streams are
    readable unless ``compressed``.
    """
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A5, invariant=1, pageCompression=int(compressed))
    left, top = 40.0, A5[1] - 50.0
    height, page = top, 1
    for line in lines():
        if height < 60 or (line.sort == "heading" and height < 120):
            canvas.showPage()
            height, page = top, page + 1
        if height == top:
            canvas.setFont("Times-Italic", 8)
            canvas.drawString(left, A5[1] - 28, TITLE)
            canvas.drawCentredString(A5[0] / 2, 22, str(page))
        heading = line.sort == "heading"
        canvas.setFont("Helvetica-Bold" if heading else "Times-Roman", 14 if heading else 10)
        height -= 26 if heading else 15
        if heading and bookmarks:
            canvas.bookmarkPage(line.number)
            canvas.addOutlineEntry(line.text, line.number, level=0)
        if line.sort == "row":
            for at, cell in enumerate(line.text.split("\t")):
                canvas.drawString(left + 90 * at, height, cell)
            continue
        said = f"{line.number or '•'} {line.text}"
        while said:  # sixty letters fit into a line
            cut = len(said) if len(said) <= 60 else said.rfind(" ", 0, 60)
            canvas.drawString(left, height, said[:cut])
            said, height = said[cut:].strip(), height - (12 if said[cut:].strip() else 0)
        if line.number == "1.2":
            canvas.linkRect("", "2", (left, height, left + 200, height + 10))
    canvas.save()
    return file.getvalue()


def as_docx() -> bytes:
    """Return the rulebook as DOCX with heading styles, lists and a table."""
    document = docx.Document()
    document.core_properties.title = TITLE
    document.sections[0].header.paragraphs[0].text = TITLE
    table = None
    for line in lines():
        if line.sort != "row":
            table = None
        if line.sort == "heading":
            document.add_heading(f"{line.number} {line.text}", 1)
        elif line.sort == "rule":
            document.add_paragraph(f"{line.number} ").add_run(line.text).italic = True
        elif line.sort == "item":
            document.add_paragraph(line.text, style="List Bullet")
        else:
            table = table or document.add_table(0, len(ROWS[0]))
            for cell, text in zip(table.add_row().cells, line.text.split("\t"), strict=True):
                cell.text = text
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def as_html(doctype: str = "<!DOCTYPE html>") -> bytes:
    """Return the rulebook as HTML with anchors and links."""
    return (
        f"{doctype}<html><head><title>{TITLE}</title></head><body>{_body()}</body></html>".encode()
    )


def _body() -> str:
    tags = {
        "heading": '<h2 id="c{n}">{n} {t}</h2>',
        "rule": '<p><b>{n}</b> {t} <a href="#c2">Barges</a></p>',
        "item": "<ul><li>{t}</li></ul>",
    }
    written = [
        f"<table><tr>{''.join(f'<td>{cell}</td>' for cell in line.text.split(chr(9)))}</tr></table>"
        if line.sort == "row"
        else tags[line.sort].format(n=line.number, t=html.escape(line.text))
        for line in lines()
    ]
    return f"<h1>{TITLE}</h1>\n" + "\n".join(written)


def as_markdown() -> bytes:
    """Return the rulebook as Markdown."""
    signs = {"heading": "## {n}. {t}\n", "rule": "{n} {t}\n", "item": "- **{t}**", "row": "| {t} |"}
    written = [
        signs[line.sort].format(n=line.number, t=line.text.replace("\t", " | ")) for line in lines()
    ]
    return f"# {TITLE}\n\n{chr(10).join(written)}\n".encode()


def as_odt() -> bytes:
    """Return the rulebook as ODT."""
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    names = (
        f'xmlns:office="{urn}:office:1.0" xmlns:text="{urn}:text:1.0" xmlns:table="{urn}:table:1.0"'
    )
    tags = {
        "heading": '<text:h text:outline-level="1">{t}</text:h>',
        "rule": "<text:p>{t}</text:p>",
        "item": "<text:list><text:list-item><text:p>{t}</text:p></text:list-item></text:list>",
        "row": "<table:table><table:table-row>{t}</table:table-row></table:table>",
    }
    body = "".join(
        tags[line.sort].format(
            t="".join(
                f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>"
                for cell in line.text.split("\t")
            )
            if line.sort == "row"
            else f"{line.number} {line.text}"
        )
        for line in lines()
    )
    content = (
        f"<office:document-content {names}><office:body><office:text>{body}</office:text>"
        f"</office:body></office:document-content>"
    )
    return packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def as_epub() -> bytes:
    """Return the rulebook as EPUB with one chapter and a table of contents."""
    page = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{_body()}</body></html>'
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
        'media-type="application/xhtml+xml"/>'
        '<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        "</manifest>"
        '<spine><itemref idref="a"/></spine></package>'
    )
    contents = f'<nav><ol><li><a href="a.xhtml#c1">{CHAPTERS[0]}</a></li></ol></nav>'
    nav = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{contents}</body></html>'
    roots = '<rootfiles><rootfile full-path="O/b.opf"/></rootfiles>'
    container = (
        f'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{roots}</container>'
    )
    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "O/b.opf": opf,
            "O/a.xhtml": page,
            "O/n.xhtml": nav,
        }
    )


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """Return an archive of ``parts``; the file with the type is stored uncompressed."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part, zipfile.ZIP_STORED if name == "mimetype" else None)
    return written.getvalue()


MAKERS: Mapping[str, Callable[[], bytes]] = {
    "a.pdf": as_pdf,
    "b.pdf": lambda: as_pdf(compressed=True),
    "c.docx": as_docx,
    "d.html": as_html,
    "e.odt": as_odt,
    "f.epub": as_epub,
    "g.md": as_markdown,
}
"""How to make each original, by file name."""
