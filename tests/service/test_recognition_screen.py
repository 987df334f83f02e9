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
