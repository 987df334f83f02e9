import pytest

from corpus.blocks import BlockKind
from corpus.formats import UnreadableFile, recognise_file
from corpus.formats.html import HTML
from tests.corpus.reading import book

PAGE = """<!DOCTYPE html><html><head><title>Pegel  und Lot</title><style>.loud{font-weight:700} \
.off{display:none}</style></head><body>
<header><nav><a href="/">Start</a> <a href="/shop">Laden</a></nav></header><main>
<h1 id="top">Pegel und Lot<a href="#top">¶</a></h1>
<ul><li><a href="#flut">Flut</a><ul><li><a href="#ebbe">Ebbe</a></li></ul></li><li><a \
href="#kahn">Kahn</a></li></ul>
<h2 id="flut">Flut</h2><p>Jeder <b>Kahn</b>&nbsp;steigt, siehe <a href="#ebbe"> Ebbe</a>.<br>\
Zweite Zeile<br><br>Neuer Absatz</p>
<p><strong>Ganz fett</strong></p><p class="loud">Laut</p><p class="off">Verborgen</p><p hidden>\
Auch verborgen</p><!-- Notiz -->
<section id="ebbe"><h3>Ebbe</h3><ol start="3" type="a"><li><p>erstens</p><p>weiter</p></li>
<li value="9">neuntens<ol type="I"><li>innen</ol></li></ol>
<ol reversed><li>zwei<li>eins</ol></section>
<h2><a name="kahn"></a>Kahn</h2><ul><li>1.1. Eigene Nummer<li>Schlicht</ul>
<table><tr><th>Tiefe<th>Folge<tr><td>1<td><p>Lot</p><p>sinkt</p><tr><td><td>Grund</table>
<table><tr><td><h4>Anordnung</h4><p>kein Wert</p></td><td>daneben</td></tr></table>
<dl><dt>Lot<dd>Ein Gewicht.</dl><pre>A
   B</pre><details><summary>Mehr</summary>Im Kasten</details></main>
<footer>Impressum</footer><script>document.write("<p>Skript</p>")</script></body></html>"""


def read(page):
    return HTML.extract(page.encode() if isinstance(page, str) else page)


def texts(found, kind):
    return [
        found.text[a:b] for (a, b) in (block.span for block in found.blocks if block.kind is kind)
    ]


def headings(found):
    return [
        (block.level, found.text[slice(*block.span)])
        for block in found.blocks
        if block.kind is BlockKind.HEADING
    ]


def links(found):
    return [
        (found.text[slice(*link.span)], link.target)
        for block in found.blocks
        for link in block.links
    ]


def assert_whole(found):
    """Every character that is not white space belongs to one block, and blocks have no white space
    around them.
    """
    end = 0
    for block in found.blocks:
        assert not found.text[end : block.span.start].strip()
        assert found.text[slice(*block.span)].strip() == found.text[slice(*block.span)] != ""
        assert all(block.span.start <= a < b <= block.span.end for (a, b), _ in block.links)
        end = block.span.end
    assert not found.text[end:].strip()


def test_a_page_becomes_what_a_browser_shows():
    found = read(PAGE)
    assert_whole(found)
    assert found.title == "Pegel und Lot"
    assert headings(found) == [
        (1, "Pegel und Lot"),
        (2, "Flut"),
        (3, "Ebbe"),
        (2, "Kahn"),
        (4, "Anordnung"),
    ]
    items = [
        "c. erstens",
        "i. neuntens",
        "I. innen",
        "2. zwei",
        "1. eins",
        "1.1. Eigene Nummer",
        "• Schlicht",
    ]
    assert texts(found, BlockKind.ITEM) == items
    assert texts(found, BlockKind.ROW) == ["Tiefe | Folge", "1 | Lot\nsinkt", "| Grund"]
    assert texts(found, BlockKind.CODE) == ["A\n   B"]
    paragraphs = texts(found, BlockKind.PARAGRAPH)
    assert {
        "Jeder Kahn\u00a0steigt, siehe Ebbe.\nZweite Zeile",
        "Neuer Absatz",
        "Im Kasten",
    } <= set(paragraphs)
    assert not [word for word in ("erborgen", "Skript", "Notiz", "¶") if word in found.text]


def test_navigation_stands_behind_the_text_and_contents_are_told():
    found = read(PAGE)
    assert texts(found, BlockKind.FURNITURE) == ["Start Laden", "Impressum"]
    assert found.text[found.body :].split() == ["Start", "Laden", "Impressum"]
    assert texts(found, BlockKind.CONTENTS) == ["• Flut", "• Ebbe", "• Kahn"]


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("<aside>", "<main>"),
        ("<div id=sidebar><aside><div>", "</aside></div><main>"),
        ("<header>", "<main>"),
        ("<nav>", "<main>"),
        ("<nav>", ""),
        ("<div role=navigation><div>", "</nav>"),
    ],
)
def test_a_page_is_read_though_an_end_tag_is_missing_before_its_text(begin, end):
    menu = "".join(f"<a href=/{name}>{name}</a> " for name in ("Start", "Verein", "Kontakt"))
    rules = "".join(f"<h2>§ {at} Kahn</h2><p>{'Der Kahn fährt. ' * 20}</p>" for at in (1, 2, 3))
    found = read(f"<!DOCTYPE html><html><body>{begin}{menu}{end}<h1>Satzung</h1>{rules}")
    assert headings(found) == [(1, "Satzung"), *((2, f"§ {at} Kahn") for at in (1, 2, 3))]
    assert found.text[: found.body].count("Der Kahn fährt.") == 60


def test_links_and_anchors_have_their_places():
    found = read(PAGE)
    assert ("Ebbe", "#ebbe") in links(found)
    anchors = {
        anchor: found.text[slice(*block.span)] for block in found.blocks for anchor in block.anchors
    }
    assert anchors == {"top": "Pegel und Lot", "flut": "Flut", "ebbe": "Ebbe", "kahn": "Kahn"}
    assert [found.text[slice(*block.span)] for block in found.blocks if block.bold] == [
        "Ganz fett",
        "Laut",
        "Lot",
    ]


def test_a_list_of_references_is_no_table_of_contents():
    names = [f"Begriff {letter}" for letter in "ABCDEFGHIJKLMNOP"]
    entries = "".join(f'<h2 id="{name[-1]}">{name}</h2><p>Text.</p>' for name in names)
    related = (
        '<p>Verwandt</p><ul><li><a href="#C">Begriff C</a><li><a href="#I">Begriff I</a>'
        '<li><a href="#P">Begriff P</a></ul>'
    )
    assert not texts(read(f"<html><body><h1>Spiel</h1>{related}{entries}"), BlockKind.CONTENTS)


@pytest.mark.parametrize(
    ("raw", "is_html"),
    [
        (PAGE.encode(), True),
        (PAGE.encode("utf-16"), True),
        (b"<?xml version='1.0'?><html><body><p>x</p></body></html>", True),
        (b"<!-- saved --><HTML><p>x", True),
        (b"<h2>Flut</h2>\n<p>Der Kahn steigt.</p>\n<ul><li>so</li></ul>", True),
        (b"# Spiel\n\nEin <b>Kahn</b> und <i>Lot</i>.\n\n<br>\n\n- Punkt\n", False),
        (
            b'<p align="center">Spiel</p>\n\n# Spiel\n\n'
            b"Text, der kein Element hat, und noch viel mehr davon.\n\n## Flut\n\nMehr.",
            False,
        ),
        (b"<div>\n\n# Spiel\n\n- eins\n- zwei\n\n</div>\n", False),
        (b"Wenn a < b und b > c, gilt <b>alles</b>.", False),
    ],
)
def test_html_is_told_by_its_content(raw, is_html):
    assert (recognise_file(raw) is HTML) is is_html


@pytest.mark.parametrize(
    "raw",
    [
        '<html><head><meta charset="iso-8859-1"></head><p>Öl „für“ Kähne'.encode("cp1252"),
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1252">'
        "<p>Öl „für“ Kähne".encode("cp1252"),
        "<html><p>Öl „für“ Kähne".encode(),
        "<html><p>Öl „für“ Kähne".encode("utf-16"),
        "<html><p>Öl „für“ Kähne und viele größere Schiffe über der Brücke".encode("cp1252"),
        b"<html><p>&Ouml;l &bdquo;f&uuml;r&ldquo; K&auml;hne",
    ],
)
def test_encodings_are_those_of_the_page(raw):
    assert read(raw).text.startswith("Öl „für“ Kähne")


def test_saved_pages_lead_to_themselves():
    page = "<html><!-- saved from url=(0026)https://spiel.example/regel -->"
    page += '<h1 id="a">A</h1><p><a href="https://spiel.example/regel#a">zu A</a>'
    assert [link.target for block in read(page).blocks for link in block.links] == ["#a"]


def test_deep_nesting_is_read_or_refused_and_never_cut_short():
    assert "tief" in read("<html><body>" + "<div>" * 500 + "tief").text
    for tag in ("div", "b", "table><tr><td", "ul><li"):
        with pytest.raises(UnreadableFile, match="nested"):
            read("<html><body>" + f"<{tag}>" * 100_000 + "tief")


def test_a_page_without_text_is_said_to_be_so():
    with pytest.raises(UnreadableFile, match="without text"):
        read(
            "<html><body><script>alert(1)</script><img src='http://x.example/a.png'></body></html>"
        )


def test_a_page_without_html_may_begin_with_a_comment():
    raw = b"<!-- made by hand -->\n\n<h2>Boote</h2>\n<p>Alle rudern.</p>\n<ul><li>Ruder</li></ul>\n"
    assert HTML.fits(raw)
    assert "<" not in HTML.extract(raw).text


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        (
            "a.html",
            "<dl><dt>Lot</dt><dd>Ein Gewicht.</dd><dt>Kahn</dt><dd><p>Ein Boot.</p></dd></dl>",
        ),
        ("a.html", "<dl><dt><span>Lot</span><dd>Ein Gewicht.<dt>Kahn<dd>Ein Boot.</dl>"),
        ("a.rst", "Lot\n  Ein Gewicht.\n\nKahn\n  Ein Boot.\n"),
    ],
)
def test_a_term_and_its_definition_are_one_passage(name: str, listed: str) -> None:
    head = (
        "Pegel\n=====\n\nGeräte\n------\n\n" if name == "a.rst" else "<h1>Pegel</h1><h2>Geräte</h2>"
    )
    rulebook = book(name, head + listed)
    found = [" ".join(p.display.split()) for p in rulebook.passages]
    assert found[-2:] == ["Lot Ein Gewicht.", "Kahn Ein Boot."]
