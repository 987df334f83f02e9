import io
import zipfile

import pytest

from corpus.blocks import BlockKind, Bookmark
from corpus.formats import UnreadableFile, recognise_file
from corpus.formats.epub import EPUB
from tests.corpus.test_html import assert_whole, texts

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OPS/book.opf"/></rootfiles></container>"""
OPF = """<package xmlns="http://www.idpf.org/2007/opf" \
xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>Pegel und Lot</dc:title></metadata><manifest><item id="b" href="text/b.xhtml" \
media-type="application/xhtml+xml"/>
<item id="a" href="text/a%20x.xhtml" media-type="application/xhtml+xml"/>
<item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
</manifest><spine><itemref idref="cover"/><itemref idref="nav"/><itemref idref="a"/><itemref \
idref="b"/></spine></package>"""
HEAD = (
    '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:epub="http://www.idpf.org/2007/ops">'
)
PARTS = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OPS/book.opf": OPF,
    "OPS/cover.xhtml": f'{HEAD}<body><img src="cover.png"/></body></html>',
    "OPS/nav.xhtml": f"""{HEAD}<body><nav epub:type="toc"><ol>
<li><a href="text/a%20x.xhtml">Flut</a><ol><li><a href="text/a%20x.xhtml#ebbe">Ebbe</a></li>
</ol></li><li><a href="text/b.xhtml#kahn">Kahn</a></li></ol></nav></body></html>""",
    "OPS/text/a x.xhtml": f"""{HEAD}<body><h1>Flut</h1><p>Zum <a href="b.xhtml#kahn">Kahn</a>, <a \
href="#ebbe">Ebbe</a>,
<a href="https://spiel.example/">Seite</a>.</p><h2 id="ebbe">Ebbe</h2><aside epub:type="footnote">\
<p>Anmerkung</p></aside></body></html>""",
    "OPS/text/b.xhtml": (
        f'{HEAD}<body><section id="kahn"><h1>Kahn</h1><p>Ein Boot.</p></section></body></html>'
    ),
}
NCX = """<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>\
Flut</text></navLabel>
<content src="text/a%20x.xhtml"/>
<navPoint><navLabel><text>Ebbe</text></navLabel><content src="text/a%20x.xhtml#ebbe"/></navPoint>\
</navPoint></navMap></ncx>"""


def book(**others):
    """The book with ``others`` instead of some parts; dots and slashes in their names are written
    as underscores.
    """
    changed = {
        name.replace("/", "_").replace(".", "_").replace("-", "_"): name
        for name in [*PARTS, "OPS/toc.ncx", "META-INF/encryption.xml"]
    }
    parts = PARTS | {changed[name]: text for name, text in others.items()}
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, text in parts.items():
            if text:
                archive.writestr(
                    name, text, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
                )
    return written.getvalue()


def test_chapters_come_in_the_order_of_reading():
    raw = book()
    assert recognise_file(raw) is EPUB
    found = EPUB.extract(raw)
    assert_whole(found)
    assert found.title == "Pegel und Lot"
    assert texts(found, BlockKind.HEADING) == ["Flut", "Ebbe", "Kahn"]
    assert texts(found, BlockKind.CONTENTS) == ["1. Flut", "1. Ebbe", "2. Kahn"]
    assert texts(found, BlockKind.PARAGRAPH) == ["Zum Kahn, Ebbe, Seite.", "Anmerkung", "Ein Boot."]
    assert not texts(found, BlockKind.FURNITURE)


def test_links_lead_from_chapter_to_chapter():
    found = EPUB.extract(book())
    anchors = {
        anchor: found.text[slice(*block.span)] for block in found.blocks for anchor in block.anchors
    }
    paragraph = next(block for block in found.blocks if block.kind is BlockKind.PARAGRAPH)
    led = [
        (found.text[slice(*link.span)], anchors.get(link.target, link.target))
        for link in paragraph.links
    ]
    assert led == [("Kahn", "Kahn"), ("Ebbe", "Ebbe"), ("Seite", "https://spiel.example/")]


@pytest.mark.parametrize("others", [{}, {"OPS_nav_xhtml": "", "OPS_toc_ncx": NCX}])
def test_its_table_of_contents_becomes_bookmarks(others):
    bookmarks = EPUB.extract(book(**others)).bookmarks
    assert bookmarks[:2] == (
        Bookmark("Flut", 1, 0, "text/a x.xhtml"),
        Bookmark("Ebbe", 2, 0, "text/a x.xhtml#ebbe"),
    )


def test_protected_and_incomplete_books_are_told():
    locked = '<encryption xmlns:e="x"><e:CipherReference URI="OPS/text/b.xhtml"/></encryption>'
    with pytest.raises(UnreadableFile, match="DRM"):
        EPUB.extract(book(META_INF_encryption_xml=locked))
    found = EPUB.extract(book(OPS_text_b_xhtml=""))
    assert list(map(str, found.notes)) == ["the chapter text/b.xhtml is missing"]
    with pytest.raises(UnreadableFile, match="damaged"):
        EPUB.extract(book(OPS_book_opf=""))
