"""`regula add` shows in one screen what it recognised and what to check."""

from pathlib import Path

import pytest

from corpus.document import Document
from service.editions.recognised_rulebook import GivenFields, recognise_rulebook
from service.editions.recognition_screen import LINES, WIDTH, doubts, summary
from tests.conftest import SAMPLE
from tests.corpus.pdf_maker import PrintedRulebook

SENTENCE = "Der Vorstand lädt die Mitglieder zwei Wochen vorher schriftlich ein."
SMALL = Path(__file__).parents[1] / "corpus" / "small"


def shown(document):
    found = recognise_rulebook(document, GivenFields(), lambda _: None)
    return list(summary(found, document.file, document.raw or document.text.encode()))


def doubted(text):
    document = Document.from_bytes("a.md", text.encode())
    return list(doubts(recognise_rulebook(document, GivenFields(), lambda _: None)))


def test_a_secretary_sees_what_was_read_where_and_what_to_check():
    printed = PrintedRulebook(head="TV Au – Satzung")
    printed.heading("Satzung", 20)
    printed.paragraph("Fassung 2.1 – Stand: März 2025")
    for number in (*range(1, 7), *range(8, 12)):
        printed.heading(f"§ {number} Ordnung", 13)
        printed.paragraph(f"{SENTENCE} " * 4)
    printed.paragraph("Einzelheiten stehen in § 30.")
    screen = "\n".join(shown(Document.from_bytes("satzung.pdf", printed.printed())))
    for line in (
        "title     Satzung (page 1)",
        "language  German (de)",
        "version   2.1 (page 1: Fassung 2.1 – Stand: März 2025)",
        "effective 2025-03-01 (page 1: ",
        "numbers   10: § 1 to § 11",
        "running heads and page numbers: “TV Au – Satzung”",
        "please check",
        "§ 7 is missing between § 6 and § 8 (page 2)",
        "outline   § 1 Ordnung; § 2 Ordnung",
    ):
        assert line in screen


@pytest.mark.parametrize(
    "path", [*sorted(SMALL.iterdir()), *sorted(SAMPLE.iterdir())], ids=lambda path: path.name
)
def test_it_is_one_screen(path):
    lines = shown(Document.from_bytes(path.name, path.read_bytes()))
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [
        ("1 2 4 5", ["§ 3 is missing between § 2 and § 4 (line 11)"]),
        ("1 2 5 6", ["§ 3 to § 4 are missing between § 2 and § 5 (line 11)"]),
        ("1 2 3 1 2 3", []),
        ("1 3 2 4", []),
        ("1 2 30 31", []),
    ],
)
def test_numbers_that_are_missing_are_named(numbers, missing):
    rules = "".join(f"## § {number} Ordnung\n\n{SENTENCE}\n\n" for number in numbers.split())
    assert [each for each in doubted(f"# Satzung\n\n{rules}") if "missing" in each] == missing


@pytest.mark.parametrize(
    ("file", "text", "left_out"),
    [
        ("a.md", "---\nlayout: page\ntitle: Ordnung\n---\n\n", "4 front matter: “---”"),
        ("a.md", "\ufeff> # Ordnung\n>\n\n---\n\n", "nothing"),
        ("a.rst", "Ordnung\n#######\n\n.. _ziel:\n\n", "nothing"),
        ("a.txt", "Ordnung\n=======\n\n----------\n\n", "nothing"),
    ],
)
def test_markup_is_no_running_head(file, text, left_out):
    raw = f"{text}Kür\n---\n\n{SENTENCE}\n\nPflicht\n-------\n\n{SENTENCE}\n"
    screen = shown(Document.from_bytes(file, raw.encode()))
    (line,) = [line for line in screen if "left out" in line]
    assert line.split("left out")[1].strip().startswith(left_out)
    if file == "a.md" and "layout" in text:
        assert "  title     Ordnung (as the file says)" in screen


def test_a_title_from_the_name_of_the_file_is_found_in_no_line():
    rules = f"**Artículo 1 – Reglas**\n\n{SENTENCE} Villa Premi.\n\nPremi es una villa.\n"
    screen = shown(Document.from_bytes("premi.md", rules.encode()))
    assert "  title     Premi" in screen
    (line,) = [
        line
        for line in shown(Document.from_bytes("a.md", f"Zur Kür\n\n# Kür\n\n{SENTENCE}".encode()))
        if "title " in line
    ]
    assert line.split() == ["title", "Kür", "(line", "3)"]
