import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml

from corpus.blocks import BlockKind
from corpus.formats import UnreadableFile, recognise_file
from corpus.formats.docx import DOCX
from corpus.formats.odt import ODT
from tests.corpus.test_html import assert_whole, headings, links, texts

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
NUMBERING = f"""<w:numbering {W}><w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/>\
</w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText \
w:val="&#xF0B7;"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId \
w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num></w:numbering>"""


def listed(text, id, level):
    numbers = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{id}"/></w:numPr>'
    return f"<w:p {W}><w:pPr>{numbers}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def field(instruction, result):
    def sign(type):
        return f'<w:r><w:fldChar w:fldCharType="{type}"/></w:r>'

    return (
        f"{sign('begin')}<w:r><w:instrText>{instruction}</w:instrText></w:r>"
        f"{sign('separate')}{result}{sign('end')}"
    )


def word():
    """A document with everything that the tests look at."""
    document = docx.Document()
    document.core_properties.title = "Pegel"
    document.sections[0].header.paragraphs[0].text = "Pegel und Lot, Fassung 3"
    document.add_paragraph("Pegel und Lot", style="Title")
    document.add_heading("Flut", 1)
    document.add_heading("Ebbe", 2)
    paragraph = document.add_paragraph("Jeder ")
    paragraph.add_run("Kahn").bold = True
    paragraph.add_run(" steigt.")
    document.add_paragraph().add_run("Ganz fett").bold = True
    body = document.element.body
    inline = f"""<w:p {W}><w:bookmarkStart w:id="5" w:name="lot"/><w:r><w:t>Siehe</w:t></w:r><w:r>\
<w:t xml:space="preserve"> </w:t></w:r>
    <w:hyperlink w:anchor="flut"><w:r><w:t>Flut</w:t></w:r></w:hyperlink><w:del><w:r><w:delText>\
alt</w:delText></w:r></w:del><w:ins><w:r>
    <w:t>neu</w:t></w:r></w:ins><w:r><w:br/><w:t>Zeile</w:t></w:r>\
{field("REF kahn", "<w:r><w:t>Kahn</w:t></w:r>")}</w:p>"""
    contents = f"<w:p {W}>{field('TOC', '<w:r><w:t>Flut</w:t><w:tab/><w:t>3</w:t></w:r>')}</w:p>"
    box = (
        f"<w:p {W}><w:r><w:t>Davor</w:t><w:pict><w:txbxContent><w:p><w:r><w:t>Kasten</w:t>"
        f"</w:r></w:p></w:txbxContent></w:pict></w:r></w:p>"
    )
    lists = [
        ("eins", 1, 0),
        ("eins-eins", 1, 1),
        ("a", 1, 2),
        ("b", 1, 2),
        ("zwei", 1, 0),
        ("zwei-eins", 1, 1),
        ("Punkt", 2, 0),
        ("sieben", 3, 0),
    ]
    for each in (inline, contents, box, *(listed(*item) for item in lists)):
        body.insert(len(body) - 1, parse_xml(each))
    table = document.add_table(3, 2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells),
        ["Tiefe", "Folge", "1", "Lot", "", "Grund"],
        strict=True,
    ):
        cell.text = text
    document.add_table(1, 1).rows[0].cells[0].text = "Rahmen"
    written = io.BytesIO()
    document.save(written)
    return replaced(written.getvalue(), {"word/numbering.xml": NUMBERING.encode()})


def replaced(raw, parts):
    """The archive ``raw`` with other ``parts``."""
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(raw)) as old,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in [*old.namelist(), *(name for name in parts if name not in old.namelist())]:
            new.writestr(
                name,
                parts[name] if name in parts else old.read(name),
                zipfile.ZIP_STORED if name == "mimetype" else None,
            )
    return written.getvalue()


NAMES = "".join(
    f' xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("style", "style"),
        ("fo", "xsl-fo-compatible"),
    )
) + (
    ' xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
)
CONTENT = f"""<office:document-content{NAMES}><office:automatic-styles>
<style:style style:name="F" style:family="text"><style:text-properties fo:font-weight="bold"/>\
</style:style>
<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" \
style:num-suffix="."/>
<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" \
text:start-value="3"/></text:list-style>
</office:automatic-styles><office:body><office:text><text:tracked-changes><text:p>\
Geloescht</text:p></text:tracked-changes>
<text:table-of-content><text:index-body><text:index-title><text:p>Inhalt</text:p></text:index-title>
<text:p><text:a xlink:href="#1.Flut|outline">Flut<text:tab/>3</text:a></text:p></text:index-body>\
</text:table-of-content>
<text:h text:outline-level="1"><text:bookmark text:name="flut"/>Flut</text:h>
<text:h text:outline-level="2">Ebbe</text:h>
<text:p>Der <text:span text:style-name="F">Kahn</text:span><text:s text:c="90000000"/>\
steigt<text:note>
<text:note-citation>1</text:note-citation><text:note-body><text:p>Fast immer.</text:p>\
</text:note-body></text:note>.<text:line-break
/>Zeile <text:a xlink:href="#flut">Flut</text:a></text:p>
<text:list text:style-name="L"><text:list-item><text:p>eins</text:p><text:p>weiter</text:p>
<text:list><text:list-item><text:p>innen</text:p>
</text:list-item></text:list></text:list-item><text:list-item><text:p>zwei</text:p>\
</text:list-item></text:list>
<text:list text:style-name="L" text:continue-numbering="true"><text:list-item><text:p>\
drei</text:p></text:list-item></text:list>
<text:section text:display="none"><text:p>Verborgen</text:p></text:section>
<table:table><table:table-row><table:table-cell><text:p>Tiefe</text:p></table:table-cell>
<table:table-cell><text:p>Folge</text:p></table:table-cell>
</table:table-row><table:table-row><table:table-cell table:number-columns-repeated="1000000"/>
<table:table-cell><text:p>Lot</text:p><text:p>sinkt</text:p>
</table:table-cell></table:table-row></table:table></office:text></office:body>\
</office:document-content>"""
STYLES = f"""<office:document-styles{NAMES}><office:styles><text:outline-style>
<text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/>
<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>\
</text:outline-style></office:styles>
<office:master-styles><style:master-page>
<style:header><text:p>Pegel und Lot</text:p></style:header></style:master-page>\
</office:master-styles>
</office:document-styles>"""


def open_document(content=CONTENT):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        new.writestr("mimetype", "application/vnd.oasis.opendocument.text", zipfile.ZIP_STORED)
        new.writestr("content.xml", content)
        new.writestr("styles.xml", STYLES)
    return written.getvalue()


def test_word_documents_become_what_word_prints():
    raw = word()
    assert recognise_file(raw) is DOCX
    found = DOCX.extract(raw)
    assert_whole(found)
    assert found.title == "Pegel"
    assert headings(found) == [(1, "Pegel und Lot"), (1, "Flut"), (2, "Ebbe")]
    assert texts(found, BlockKind.ITEM) == [
        *(
            "1. eins",
            "1.1 eins-eins",
            "(a) a",
            "(b) b",
            "2. zwei",
            "2.1 zwei-eins",
            "• Punkt",
            "7. sieben",
        )
    ]
    assert texts(found, BlockKind.ROW) == ["Tiefe | Folge", "1 | Lot", "| Grund"]
    assert texts(found, BlockKind.CONTENTS) == ["Flut 3"]
    assert texts(found, BlockKind.FURNITURE) == ["Pegel und Lot, Fassung 3"]
    assert texts(found, BlockKind.PARAGRAPH) == [
        "Jeder Kahn steigt.",
        "Ganz fett",
        "Siehe Flutneu\nZeileKahn",
        "Davor",
        "Kasten",
        "Rahmen",
    ]
    assert links(found) == [("Flut", "#flut"), ("Kahn", "#kahn")]
    assert [found.text[slice(*block.span)] for block in found.blocks if "lot" in block.anchors] == [
        "Siehe Flutneu\nZeileKahn"
    ]
    assert [
        found.text[slice(*block.span)]
        for block in found.blocks
        if block.bold and block.kind is BlockKind.PARAGRAPH
    ] == ["Ganz fett"]


def test_open_documents_become_what_is_printed():
    raw = open_document()
    assert recognise_file(raw) is ODT
    found = ODT.extract(raw)
    assert_whole(found)
    assert headings(found) == [(1, "1. Flut"), (2, "1.1 Ebbe")]
    assert texts(found, BlockKind.ITEM) == ["1. eins", "c) innen", "2. zwei", "3. drei"]
    assert texts(found, BlockKind.ROW) == ["Tiefe | Folge", "| Lot\nsinkt"]
    assert texts(found, BlockKind.CONTENTS) == ["Flut 3"]
    assert texts(found, BlockKind.PARAGRAPH) == [
        "Inhalt",
        "Der Kahn steigt[1].\nZeile Flut",
        "[1] Fast immer.",
        "weiter",
    ]
    assert texts(found, BlockKind.FURNITURE) == ["Pegel und Lot"]
    assert links(found) == [("Flut 3", "#1.Flut|outline"), ("Flut", "#flut")]
    assert next(block for block in found.blocks if block.kind is BlockKind.HEADING).anchors == (
        "flut",
        "1.Flut|outline",
    )


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "save it as DOCX or PDF"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "save it without a password",
        ),
        (rb"{\rtf1\ansi Der Kahn}", "save it as DOCX or PDF"),
        (b"PK\x03\x04" + bytes(50) + b"Index/Document.iwa", "save it as DOCX or PDF"),
        (b"PK\x03\x04" + bytes(50) + b"regeln.txt", "unpack it"),
        (b"PK\x03\x04" + bytes(50) + b"word/document.xml", "damaged"),
    ],
)
def test_what_is_not_read_is_said_with_what_to_do(raw, message):
    found = recognise_file(raw)
    assert found is not None
    with pytest.raises(UnreadableFile, match=message):
        found.extract(raw)


def test_an_encrypted_open_document_is_refused():
    locked = '<m:manifest xmlns:m="x"><m:encryption-data/></m:manifest>'
    with pytest.raises(UnreadableFile, match="password"):
        ODT.extract(replaced(open_document(), {"META-INF/manifest.xml": locked.encode()}))
