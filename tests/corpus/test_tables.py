import html
import io
from collections.abc import Callable, Sequence

import docx
import pytest

from corpus.model import Role
from tests.corpus.reading import book
from tests.corpus.rulebook_formats import packed

Table = Sequence[Sequence[str]]

BONUS = (
    ("Evento", "Portiere", "Difensore", "Mediano", "Punta"),
    ("Rete fatta", "5", "4", "3", "2"),
    ("Rigore parato", "3", "3", "3", "3"),
    ("Autorete", "-2", "-2", "", "-3"),
)
BONUS_READ = [
    "Rete fatta: Portiere 5, Difensore 4, Mediano 3, Punta 2",
    "Rigore parato: Portiere 3, Difensore 3, Mediano 3, Punta 3",
    "Autorete: Portiere -2, Difensore -2, Punta -3",
]


def as_html(table):
    """The table in a page."""
    rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in table)
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return f"<!DOCTYPE html><body><h1>Lega</h1><table>{body}</table><p>Fine.</p>".encode()


def as_docx(table):
    """The table in a document of Word."""
    document = docx.Document()
    document.add_heading("Lega", 1)
    written = document.add_table(len(table), len(table[0]))
    for row, cells in enumerate(table):
        for column, text in enumerate(cells):
            written.cell(row, column).text = text
    document.add_paragraph("Fine.")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def as_odt(table):
    """The table in an OpenDocument text."""
    names = "urn:oasis:names:tc:opendocument:xmlns"
    cells = (
        "".join(
            f"<table:table-cell><text:p>{html.escape(cell)}</text:p></table:table-cell>"
            for cell in row
        )
        for row in table
    )
    rows = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    content = (
        f'<office:document-content xmlns:office="{names}:office:1.0" '
        f'xmlns:text="{names}:text:1.0" xmlns:table="{names}:table:1.0"><office:body>'
        '<office:text><text:h text:outline-level="1">Lega</text:h>'
        f"<table:table>{rows}</table:table><text:p>Fine.</text:p>"
        "</office:text></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    return packed({"mimetype": kind, "content.xml": content})


def as_markdown(table):
    """The table in Markdown."""
    lines = [f"| {' | '.join(row)} |" for row in table]
    lines.insert(1, "|---" * len(table[0]) + "|")
    return ("# Lega\n\n" + "\n".join(lines) + "\n\nFine.\n").encode()


def as_tags(table):
    """The table in Markdown, in tags."""
    rows = "\n".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in table)
    return f"# Lega\n\n<table>\n{rows}\n</table>\n\nFine.\n".encode()


def as_tabs(table):
    """The table in plain text, tabs between the cells."""
    lines = "\n".join("\t".join(row) for row in table)
    return f"Lega\n====\n\nI punti:\n{lines}\n\nFine.\n".encode()


def _aligned(table):
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    rows = ([cell.ljust(width) for cell, width in zip(r, widths, strict=True)] for r in table)
    return ["  ".join(row).rstrip() for row in rows], widths


def as_blanks(table):
    """The table in plain text, aligned by blanks."""
    lines, _ = _aligned(table)
    body = "\n".join(f"   {line}" for line in lines)
    return f"Lega\n====\n\nI punti:\n{body}\n\nFine.\n".encode()


def as_simple(table):
    """The table as a simple table of reStructuredText."""
    lines, widths = _aligned(table)
    rule = "  ".join("=" * width for width in widths)
    body = "\n".join([rule, lines[0], rule, *lines[1:], rule])
    return f"Lega\n====\n\n.. _punti:\n\n{body}\n\nFine.\n".encode()


def as_grid(table):
    """The table as a grid table of reStructuredText; the words of its first cells in two lines."""
    split = [[cell.split(" ") for cell in row] for row in table]
    widths = [max(len(w) for row in split for w in row[at]) for at in range(len(table[0]))]
    lines = []
    for row in split:
        lines.append("+".join(["", *("-" * (width + 2) for width in widths), ""]))
        for at in range(max(map(len, row))):
            words = (cell[at] if at < len(cell) else "" for cell in row)
            padded = (f" {w.ljust(width)} " for w, width in zip(words, widths, strict=True))
            lines.append("|".join(["", *padded, ""]))
    lines.append(lines[0])
    under = next(at for at, line in enumerate(lines) if at and line.startswith("+"))
    lines[under] = lines[under].replace("-", "=")
    body = "\n".join(lines)
    return f"Lega\n====\n\n.. _punti:\n\n{body}\n\nFine.\n".encode()


FORMATS: dict[str, Callable[[Table], bytes]] = {
    "rules.html": as_html,
    "rules.docx": as_docx,
    "rules.odt": as_odt,
    "rules.md": as_markdown,
    "tags.md": as_tags,
    "tabs.txt": as_tabs,
    "blanks.txt": as_blanks,
    "simple.rst": as_simple,
    "grid.rst": as_grid,
}


def rulebook(raw, name="rules.md"):
    """What is read of a file."""
    return book(name, raw)


def rows(raw, name="rules.md"):
    """The rows of all tables in a file that can settle a question."""
    return [p for p in rulebook(raw, name).passages if p.row and p.role is Role.TEXT]


def displays(raw, name="rules.md"):
    """These rows as readers see them."""
    return [passage.display for passage in rows(raw, name)]


@pytest.mark.parametrize("name", FORMATS)
def test_a_row_is_a_passage_and_says_what_each_value_is(name):
    found = rulebook(FORMATS[name](BONUS), name)
    read_rows = [p for p in found.passages if p.row and p.role is Role.TEXT]
    assert [p.display for p in read_rows] == BONUS_READ
    for passage, printed in zip(read_rows, BONUS[1:], strict=True):
        spans = passage.row.cells if passage.row else ()
        assert tuple(passage.display[slice(*span)] for span in spans) == printed
        assert all(word in passage.text for cell in printed for word in cell.split())
        assert all(name in passage.lead_in for name in BONUS[0])
    assert [p.role for p in found.passages if "Portiere" in p.text] == [Role.HEADER]
    assert found.passages[-1].display == "Fine."


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((("Spieler", "Karten"), ("2", "10"), ("4", "7")), ["Spieler 2: Karten 10", "Spieler 4: Karten 7"]),
        (
            (("Spieler", "2", "3", "4"), ("Karten", "10", "8", "7")),
            ["Karten: Spieler 2: 10; Spieler 3: 8; Spieler 4: 7"],
        ),
        (
            (("Vergehen", "Strafe", "Folge"), ("Foul", "Zwei Minuten draußen, ohne Ersatz.", "Freiwurf")),
            ["Foul: Strafe: Zwei Minuten draußen, ohne Ersatz. Folge: Freiwurf"],
        ),
        (
            (("Zeit", "Feld 1", "Feld 2"), ("Samstag", "", ""), ("9:00", "Rot", "Blau")),
            ["Samstag, Zeit 9:00: Feld 1: Rot; Feld 2: Blau"],
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["rules.md", "rules.docx"])
def test_how_a_row_is_read_depends_on_what_it_has(table, expected, name):
    assert displays(FORMATS[name](table), name) == expected


@pytest.mark.parametrize("name", ["rules.docx", "rules.html"])
def test_a_table_without_header_is_read_without_one(name):
    sheet = (("Spieler", "2 bis 4"), ("Dauer", "30 Minuten"), ("Alter", "ab 8"))
    assert displays(FORMATS[name](sheet), name) == [
        "Spieler: 2 bis 4",
        "Dauer: 30 Minuten",
        "Alter: ab 8",
    ]
    figures = (("Rete fatta", "5", "4"), ("Autorete", "-2", "-3"))
    assert displays(FORMATS[name](figures), name) == ["Rete fatta: 5, 4", "Autorete: -2, -3"]


def test_merged_heads_are_said_with_each_value():
    page = (
        b"<!DOCTYPE html><body><h1>Punti</h1><table><tr><th rowspan=2>Giocatori<th colspan=2>Carte"
        b"<tr><th>coperte<th>scoperte<tr><td>2<td>5<td>3<tr><td>3<td colspan=2>4</table>"
    )
    assert displays(page, "p.html") == [
        "Giocatori 2: Carte coperte 5, Carte scoperte 3",
        "Giocatori 3: 4",
    ]


def test_what_leads_in_to_a_table_stands_before_its_header():
    text = b"# Carte\n\nOgnuno riceve:\n\n" + as_markdown(BONUS).partition(b"\n\n")[2]
    found = rows(text)
    assert all(passage.lead_in.startswith("Ognuno riceve:\n\n| Evento") for passage in found)
    assert found[0].row
    assert found[0].lead_in[found[0].row.header :].startswith("| Evento")


def test_tables_of_one_column_are_text():
    assert rows(as_html([("Solo questo.",), ("E questo.",)]), "p.html") == []
    assert rows(as_docx([("Solo questo.",)]), "p.docx") == []


def test_a_long_row_is_divided_between_its_cells():
    text = as_markdown([("A", "B", "C"), ("Foul", "rot " * 300, "blau " * 200)])
    found = [p for p in rulebook(text).passages if p.role is Role.TEXT and p.display != "Fine."]
    assert [p.text.count("rot") for p in found] == [300, 0]


def test_rows_may_have_fewer_cells_or_more_than_the_header():
    page = b"<!DOCTYPE html><h1>A</h1><table><tr><th>X<th>Y<th>Z<tr><td>Rot<td>1<tr>"
    page += b"<td>Blau<td>1<td>2<td>3<tr><td>Gelb" + b"<td>4" * 500 + b"</table>"
    found = displays(page, "p.html")
    assert found[:2] == ["Rot: Y 1", "Blau: Y 1, Z 2, 3"]
