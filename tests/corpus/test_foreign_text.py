"""Documents as they come from elsewhere: regulations in Markdown, pages of sites, with numbers and
contents of their own kinds.
"""

import io
import zipfile

import docx
import pytest

from corpus.blocks import BlockKind
from corpus.document import Document
from corpus.formats import UnreadableFile
from corpus.formats.html import HTML
from corpus.model import Kind, Rulebook
from tests.corpus.reading import book

REGULATIONS = """# Fährordnung

## <article-1><boats><boats> Abschnitt 1: Boote

- 1a) Jedes Boot braucht einen Namen.
    - 1a1) Der Name darf nur einmal vorkommen.
        - 1a1a) Ausgenommen sind Beiboote.
        - 1a1b) Farben: höchstens drei
    - 1a2) Der Name wird am Bug angeschlagen.
- 1c) Ein 3x3x3 großer Laderaum ist erlaubt.

## Artikel A: Wettfahrten

- A1) Eine Wettfahrt dauert zwei Stunden.
    - A1a) Sie kann unterbrochen werden.
    - A1b) Sie kann abgesagt werden.
- A4) Der Starter gibt das Zeichen.

## Artikel B: Proteste

- B1) Proteste werden schriftlich eingelegt.
"""

PAGE = """<!DOCTYPE html><html lang="en"><head><title>Ferry rules</title></head><body>
<h1>Ferry rules</h1><p class="date">Spring edition</p>
<div id="toc"><div class="title" style="font-weight:bold;font-size:11pt">Contents</div>
<ul><li><a href="#a">1. Crew</a></li><li><a href="#b">2. Cargo</a></li><li><a href="#c">3. Fog</a>\
</li>
<li><a href="#d">4. Tolls</a></li></ul></div>
<h2 id="a">1. Crew</h2><p>Every ferry has a crew of three.</p><h3>1.1. Pilot</h3><p>The pilot \
steers.</p>
<h2 id="b">2. Cargo</h2><p>Cargo is stowed below.</p><h2 id="c">3. Fog</h2><p>In fog the bell is \
rung.</p>
<h2 id="d">4. Tolls</h2><p>Tolls are paid on landing.</p></body></html>"""


def rulebook(text: str | bytes, name: str = "rules.md") -> Rulebook:
    """``text`` as a rulebook of no known edition."""
    return book(name, text)


def outline(found: Rulebook) -> list[tuple[int, str]]:
    """The headings of ``found`` with their depth, in order."""
    parents = {entry.id: entry.parent for entry in found.entries}

    def depth(id: str | None) -> int:
        return 0 if id is None else 1 + depth(parents[id])

    return [(depth(entry.id), entry.heading) for entry in found.entries]


def test_numbers_of_letters_and_digits_in_turn_are_rules() -> None:
    found = rulebook(REGULATIONS)
    numbers = [entry.number for entry in found.entries if entry.kind is Kind.RULE]
    assert numbers == ["1a", "1a1", "1a1a", "1a1b", "1a2", "1c", "A1", "A1a", "A1b", "A4", "B1"]
    parents = {entry.number: entry.parent for entry in found.entries}
    ids = {entry.number: entry.id for entry in found.entries}
    assert parents["1a1a"] == ids["1a1"]
    assert parents["1a1"] == ids["1a"]
    titles = {entry.id: entry.title for entry in found.entries}
    assert titles[str(parents["B1"])] == "Artikel B: Proteste"
    assert titles[str(parents["1c"])] == "Abschnitt 1: Boote"


def test_an_item_that_only_has_no_full_stop_keeps_its_text_as_a_passage() -> None:
    found = rulebook(REGULATIONS)
    assert "Farben: höchstens drei" in next(
        p.text for p in found.passages if p.entry.endswith("/1a1b")
    )


def test_a_heading_above_the_contents_does_not_end_the_title_of_the_page() -> None:
    levels = {heading: depth for depth, heading in outline(rulebook(PAGE, "rules.html"))}
    assert levels["Ferry rules"] == 1
    assert levels["1. Crew"] == levels["2. Cargo"] == levels["4. Tolls"] == 2
    assert levels["1.1. Pilot"] == 3


@pytest.mark.parametrize("title", ["Ferry rules", "Regole del traghetto"])
def test_the_title_of_markdown_is_an_entry_with_all_chapters_in_it(title: str) -> None:
    text = (
        f"# {title}\n\n## 1) Crew\nA crew of three.\n\n### 1.1 Pilot\n- Steers the boat.\n\n"
        f"## 2) Cargo\n- Stowed below.\n"
    )
    text += "\n## 3) Fog\nRing the bell.\n"
    assert outline(rulebook(text)) == [
        (1, title),
        (2, "1) Crew"),
        (3, "1.1 Pilot"),
        (2, "2) Cargo"),
        (2, "3) Fog"),
    ]


def test_bold_lines_are_headings_below_the_only_heading_of_a_page() -> None:
    page = (
        "<html><body><h1>Harbour rules</h1><p><b>Entering</b></p><p>Wait for the green light.</p>"
    )
    page += (
        "<p><b>Leaving</b></p><p>Sound the horn.</p><p><b>Note:</b></p><p>It is loud.</p>"
        "</body></html>"
    )
    assert outline(rulebook(page, "rules.html")) == [
        (1, "Harbour rules"),
        (2, "Entering"),
        (2, "Leaving"),
    ]


@pytest.mark.parametrize("fence", ["---\n", ""])
def test_front_matter_is_no_heading_and_gives_the_title(fence: str) -> None:
    text = (
        f'{fence}title: "Ferry rules"\nversion: "6.1"\n# a comment\n---\n\n# Crew\n\n'
        f"Three.\n\n# Cargo\n\nStowed below.\n\n# Fog\n\nRing.\n"
    )
    if not fence:
        text = text.replace("# a comment\n", "")
    found = rulebook(text)
    assert found.edition.title == "Ferry rules"
    assert found.edition.version == "6.1"
    assert outline(found) == [(1, "Crew"), (1, "Cargo"), (1, "Fog")]


def test_front_matter_with_empty_lines_is_no_heading() -> None:
    front = "---\ntitle: Ferry rules\ntags:\n- ferry\n\npermalink: /ferry\n\n---\n"
    found = rulebook(f"{front}\n# Crew\n\nThree.\n\n# Cargo\n\nStowed below.\n")
    assert found.edition.title == "Ferry rules"
    assert outline(found) == [(1, "Crew"), (1, "Cargo")]


def test_front_matter_with_the_history_of_all_changes_is_no_text() -> None:
    changes = "".join(f"- title: Change {at}\n  date: 1. May {at}\n" for at in range(1900, 2020))
    found = rulebook(f"---\ntitle: Ferry rules\nchanges:\n{changes}\n---\n# Crew\n\nThree.\n")
    assert outline(found) == [(1, "Crew")]
    assert [passage.display for passage in found.passages] == ["Three."]


def test_a_heading_between_two_rules_is_no_front_matter() -> None:
    found = rulebook("---\n\n# Crew\n\n---\n\nThree.\n\n# Cargo\n\nStowed.\n")
    assert outline(found) == [(1, "Crew"), (1, "Cargo")]


def test_signs_without_a_title_head_nothing() -> None:
    found = rulebook("# Crew\n\n#####\n\nThree.\n\n##\n\n# Cargo\n\nStowed below.\n")
    assert outline(found) == [(1, "Crew"), (1, "Cargo")]


def test_entities_in_headings_are_decoded() -> None:
    found = rulebook("# Crew &amp; cargo\n\nThree.\n\n# The pilot&#8217;s house\n\nRing.\n")
    assert outline(found) == [(1, "Crew & cargo"), (1, "The pilot’s house")]


def test_a_date_is_no_version() -> None:
    for line in (
        "Version: 01. Januar 2024",
        "Version : 1er janvier 2024",
        "Versión: 1 de enero de 2024",
    ):
        assert (
            rulebook(f"# Ferry rules\n\n{line}\n\n## Crew\n\nA crew of three.\n").edition.version
            == ""
        )


def test_a_list_of_contents_that_lists_itself_is_no_entry() -> None:
    names = ["Crew", "Cargo", "Fog", "Tolls", "Night"]
    text = "Table of Contents\n=================\n\n- [Table of Contents](#table-of-contents)\n"
    text += "".join(f"  - [{name}](#{name.lower()})\n" for name in names)
    text += "".join(f"\n## {name}\n\nThe rule of {name.lower()}.\n" for name in names)
    assert outline(rulebook(text)) == [(1, "Table of Contents"), *((2, name) for name in names)]


SHEET = (
    ".title {font-size: 24pt; font-weight: bold} .chapter {font-size: 1.5em; font-weight: "
    "bold} .text {line-height: 115%}"
)


def epub(chapter: str, contents: str) -> bytes:
    """A book of one ``chapter`` with a style sheet of its own, and with the items ``contents`` in
    its navigation.
    """
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": (
            '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
        ),
        "OPS/book.opf": """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="n.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
<spine><itemref idref="a"/></spine></package>""",
        "OPS/style.css": SHEET,
        "OPS/n.xhtml": f"<html><body><nav><ol>{contents}</ol></nav></body></html>",
        "OPS/a.xhtml": (
            f'<html><head><link rel="stylesheet" href="style.css"/></head><body>'
            f"{chapter}</body></html>"
        ),
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return written.getvalue()


def test_headings_of_a_book_that_only_its_style_sheet_shows() -> None:
    chapter = '<p class="title">Ferry rules</p>'
    for name in ("Crew", "Cargo", "Fog"):
        chapter += (
            f'<p class="chapter">{name}</p><p class="text">The rule of {name.lower()} is '
            f"printed here, and it is a long one.</p>"
        )
    found = rulebook(epub(chapter, '<li><a href="a.xhtml">Ferry rules</a></li>'), "rules.epub")
    assert outline(found) == [(1, "Ferry rules"), (2, "Crew"), (2, "Cargo"), (2, "Fog")]


def test_a_bookmark_means_the_heading_that_it_leads_to() -> None:
    chapter = (
        "<h1>Rules</h1><p>One.</p><h2>Boats</h2><p>Two.</p><h3>Fog</h3><p>Three.</p><h2 "
        "id='late'>Fog</h2><p>Four.</p>"
    )
    found = rulebook(
        epub(
            chapter,
            '<li><a href="a.xhtml">Rules</a><ol><li><a href="a.xhtml#late">Fog</a></li></ol></li>',
        ),
        "rules.epub",
    )
    assert outline(found) == [(1, "Rules"), (2, "Boats"), (3, "Fog"), (2, "Fog")]


def test_bold_lines_are_no_headings_where_the_format_marks_all() -> None:
    page = "<html><head><style>.small {font-size: 9pt}</style></head><body><h1>Ferry rules</h1>"
    for name in ("Crew", "Cargo", "Fog"):
        page += f"<h2>{name}</h2><p><b>At a glance</b></p><p>{'The rule is long. ' * 9}</p>"
    assert outline(rulebook(page + "</body></html>", "rules.html")) == [
        (1, "Ferry rules"),
        (2, "Crew"),
        (2, "Cargo"),
        (2, "Fog"),
    ]


def rows(found: Rulebook) -> list[str]:
    """The rows of the tables in the document of ``found``."""
    return [
        found.document.text[block.span.start : block.span.end]
        for block in found.document.blocks
        if block.kind is BlockKind.ROW
    ]


TABLE = [
    "Boat | Toll",
    "Boat | by day | by night",
    "Ferry | 1 | 2",
    "Ferry | 3 | 4",
    "Ferry | 5 | 4",
    "Closed",
    "Raft | | 7",
]


def test_every_row_of_a_page_has_the_cells_that_reach_over_it() -> None:
    page = """<html><body><h1>Tolls</h1><table><thead><tr><th rowspan="2">Boat</th><th \
colspan="2">Toll</th></tr>
<tr><th>by day</th><th>by night</th></tr></thead><tr><td rowspan="3">Ferry</td><td>1</td><td>\
2</td></tr>
<tr><td>3</td><td rowspan="2">4</td></tr><tr><td>5</td></tr><tr><td colspan="3">Closed</td></tr>\
<tr><td>Raft</td><td></td><td>7</td></tr>
</table></body></html>"""
    found = rulebook(page, "tolls.html")
    assert rows(found) == TABLE
    assert [passage.text for passage in found.passages] == TABLE


def test_every_row_of_a_word_document_has_the_cells_that_reach_over_it() -> None:
    document = docx.Document()
    document.add_heading("Tolls", 1)
    table = document.add_table(7, 3)
    cells: list[list[object]] = [
        ["Boat", "Toll"],
        ["", "by day", "by night"],
        ["Ferry", 1, 2],
        ["", 3, 4],
        ["", 5],
        ["Closed"],
        ["Raft", "", 7],
    ]
    for row, texts in enumerate(cells):
        for column, text in enumerate(texts):
            table.cell(row, column).text = str(text)
    for first, last in (
        ((0, 0), (1, 0)),
        ((0, 1), (0, 2)),
        ((2, 0), (4, 0)),
        ((3, 2), (4, 2)),
        ((5, 0), (5, 2)),
    ):
        table.cell(*first).merge(table.cell(*last))
    written = io.BytesIO()
    document.save(written)
    assert rows(rulebook(written.getvalue(), "tolls.docx")) == TABLE


def test_a_page_of_more_tags_than_memory_has_room_for_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(UnreadableFile, match=r"has 1,400,\d+ tags, more than a rulebook can have"):
        HTML.extract(b"<!DOCTYPE html><html><body>" + b"<i>a</i>" * 700_000)


def test_running_heads_with_page_numbers_in_the_flow_of_a_text_are_furniture() -> None:
    names = ["Crew", "Cargo", "Fog", "Tolls", "Night", "Ice", "Flood", "Bells", "Ropes", "Locks"]
    text = "Ferry rules\n\nContents\n" + "".join(
        f"1.{at} {name} . . . . . . . {at + 4}\n" for at, name in enumerate(names, 1)
    )
    for at, name in enumerate(names, 1):
        text += (
            f"1.{at} {name}\nThe rule of {name.lower()} is printed here, over the end of a "
            f"page, and it\n"
        )
        text += (
            f"{at + 4} CHAPTER 1. THE FERRY\n" if at % 2 else f"1.{at}. {name.upper()} {at + 4}\n"
        )
        text += (
            "goes on there until it ends. What is not printed here, no ferry does, by day or "
            "night.\n" + "It waits. " * 9 + "\n"
        )
    document = Document.from_bytes("rules.txt", text.encode())
    heads = [
        document.text[block.span.start : block.span.end]
        for block in document.blocks
        if block.kind is BlockKind.FURNITURE
    ]
    assert heads[:3] == ["5 CHAPTER 1. THE FERRY", "1.2. CARGO 6", "7 CHAPTER 1. THE FERRY"]
    assert len(heads) == len(names)


def test_a_heading_that_is_a_whole_rule_is_a_passage_and_keeps_its_title() -> None:
    sentence = "The pilot chooses the berth before the ferry leaves, and tells the crew so."
    found = rulebook(
        f"# Ferry rules\n\n## 1. Crew\n\n### 1.1. {sentence}\n\n### 1.2. Night\n\n"
        f"Ring the bell.\n\n### 1.3. Fog\n\nWait.\n"
    )
    entry = next(entry for entry in found.entries if entry.number == "1.1")
    assert entry.heading == f"1.1. {sentence}"
    assert any(sentence in passage.text for passage in found.passages if passage.entry == entry.id)


def test_rubrics_are_headings_below_their_section_and_containers_show_nothing() -> None:
    text = (
        "Ferry rules\n===========\n\nA ferry.\n\nCrew\n----\n\n.. container:: wide box\n\n"
        "   .. rubric:: At night\n      :name: night\n\n"
    )
    text += "   Ring the bell, as in `Fog`_.\n\nFog\n---\n\n.. note:: Wait for the light.\n"
    found = rulebook(text, "rules.rst")
    assert outline(found) == [(1, "Ferry rules"), (2, "Crew"), (3, "At night"), (2, "Fog")]
    assert not any("wide" in passage.text or "name:" in passage.text for passage in found.passages)


@pytest.mark.parametrize(
    ("matter", "title"),
    [
        ("title: |\n    Rules of the\n    great ferry\n", "Rules of the great ferry"),
        ("Titel: Fährordnung (2. Fassung)\nebene: gemeinde\n", "Fährordnung (2. Fassung)"),
        ("lang: it\ntitolo: >-\n  Regole\n  del traghetto\n", "Regole del traghetto"),
        ("title: Ferry: the rules\n", "Ferry: the rules"),  # no valid YAML
        ("title: Ferry rules # a draft\n", "Ferry rules"),
        (f"tags: {'[' * 3000}\ntitle: Ferry rules\n", "Ferry rules"),
    ],
)
def test_the_title_in_front_matter_is_read_as_yaml(matter: str, title: str) -> None:
    found = rulebook(f"---\n{matter}---\n\n# Crew\n\nThree.\n\n# Cargo\n\nStowed below.\n")
    assert found.edition.title == title
    assert outline(found) == [(1, "Crew"), (1, "Cargo")]
