"""Lines that are printed over each other, and sheets with two pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen import canvas

from corpus import Document, Role, Rulebook, identify, read
from corpus.formats.pdf import PDF
from service.editions.findings import findings_text
from service.editions.recognised_rulebook import GivenFields, recognise_rulebook
from service.editions.recognition_screen import doubts

SMALL = Path(__file__).parent / "small"
DRAW = [
    "Jede Person zieht zu Beginn vier Karten vom Stapel und legt",
    "zwei davon offen vor sich auf den Tisch, bevor die Runde",
    "der Reihe nach beginnt.",
]
HARBOUR = [
    "Der Hafen ist nur offen für Schiffe mit blauer Flagge und",
    "kostet bei jeder Einfahrt eine Marke, die auf den Vorrat",
    "zurückgelegt wird.",
]
FOG = ["Nebel: Kein Schiff darf ausfahren, solange Nebel liegt."]


def small(name: str) -> Rulebook:
    document = Document.from_bytes(name, (SMALL / name).read_bytes())
    return read(document, identify(document))


def served(rulebook: Rulebook) -> list[str]:
    return [passage.display for passage in rulebook.passages if passage.role is Role.TEXT]


class Page(canvas.Canvas):
    """A page on which lines can be printed over each other."""

    def __init__(self) -> None:
        self.file = io.BytesIO()
        super().__init__(self.file, pagesize=(420, 595), invariant=1)

    def lines(
        self, y: float, lines: list[str], x: float = 60, size: float = 11, font: str = "Helvetica"
    ) -> None:
        self.setFont(font, size)
        for at, each in enumerate(lines):
            self.drawString(x, y - 14 * at, each)

    def read(self) -> tuple[list[str], str, tuple[str, ...]]:
        """Return its paragraphs, what is left out, and the notes for its owner."""
        self.save()
        found = PDF.extract(self.file.getvalue())
        body = found.text[: found.body].strip()
        return body.split("\n\n"), found.text[found.body :], found.notes


def test_lines_printed_over_each_other_stand_by_themselves_and_are_doubted() -> None:
    rulebook = small("overlap.pdf")
    assert served(rulebook)[1:4] == [
        "120 Karten mit Fragen, je zwei Tipps und den Loesungen",
        "Bitte lesen und fuer spaeter gut aufheben.",
        "30 Holzmarken",
    ]
    found = recognise_rulebook(rulebook.document, GivenFields(), lambda _: None)
    doubt = "lines are printed over each other, and each was read by itself (page 1)"
    assert any(doubt in line for line in doubts(found))
    assert doubt in findings_text(rulebook, ())


@pytest.mark.parametrize("apart", [0.5, 3.0, 7.0])
def test_paragraphs_printed_over_each_other_are_read_one_after_the_other(apart: float) -> None:
    page = Page()
    page.lines(500, DRAW)
    page.lines(500 - apart, HARBOUR)
    page.lines(440, ["30 Holzmarken"])
    assert page.read()[0] == [" ".join(DRAW), " ".join(HARBOUR), "30 Holzmarken"]


@pytest.mark.parametrize("first", [True, False])
def test_a_line_printed_over_a_paragraph_does_not_tear_it(first: bool) -> None:
    page = Page()
    if first:
        page.lines(485.6, FOG)
    page.lines(500, DRAW)
    if not first:
        page.lines(485.6, FOG)
    assert page.read()[0] == [*FOG, " ".join(DRAW)]


def print_letters_in_turn(page: Page) -> None:
    for at in range(50):
        for text in (DRAW[0], HARBOUR[0]):
            page.lines(480, [text[at]], x=60 + stringWidth(text[:at], "Helvetica", 11))


def print_on_the_same_baseline(page: Page) -> None:
    page.lines(480, DRAW[:1])
    page.lines(480, HARBOUR[:1])


@pytest.mark.parametrize("draw", [print_letters_in_turn, print_on_the_same_baseline])
def test_text_that_nobody_can_read_is_said_and_not_served(draw: Callable[[Page], None]) -> None:
    page = Page()
    page.lines(500, ["Material"], size=15)
    draw(page)
    page.lines(460, ["30 Holzmarken"])
    paragraphs, left_out, notes = page.read()
    assert paragraphs == ["Material", "30 Holzmarken"]
    assert len(left_out) > 80
    assert [note for note in notes if "cannot be read" in note and "page 1" in note]


@pytest.mark.parametrize("shift", [0.3, 1.2])
def test_a_shadow_or_a_second_print_is_read_once(shift: float) -> None:
    page = Page()
    page.lines(500, DRAW)
    page.lines(500 - shift, DRAW, x=60 + shift)
    assert page.read() == ([" ".join(DRAW)], "", ())


def test_raised_and_lowered_signs_and_initials_stay_in_their_lines() -> None:
    page = Page()
    page.lines(500, ["Jede Person zieht vier Karten"])
    page.lines(
        504, ["1"], x=60 + stringWidth("Jede Person zieht vier Karten", "Helvetica", 11), size=6
    )
    page.lines(470, ["Das Ganze ist 1   Marke wert."])
    half = 60 + stringWidth("Das Ganze ist 1 ", "Helvetica", 11)
    page.lines(474, ["1"], x=half, size=6)
    page.lines(466, ["2"], x=half, size=6)
    page.lines(384, ["J"], size=40, font="Times-Bold")
    page.lines(
        410,
        ["ede Person zieht zu Beginn vier", "Karten vom Stapel und legt", "zwei davon weg."],
        x=84,
    )
    paragraphs, _, notes = page.read()
    assert paragraphs == [
        "Jede Person zieht vier Karten1",
        "Das Ganze ist 1 12 Marke wert.",
        "Jede Person zieht zu Beginn vier Karten vom Stapel und legt zwei davon weg.",
    ]
    assert not notes


def test_a_watermark_tears_no_paragraph_and_is_no_text() -> None:
    page = Page()
    for text in ([*FOG, *DRAW], HARBOUR, DRAW):
        page.setFillGray(0.8)
        page.lines(452, ["ENTWURF"], size=70)
        page.setFillGray(0)
        page.lines(480, text)
        page.showPage()
    paragraphs, left_out, notes = page.read()
    assert paragraphs == [*FOG, " ".join(DRAW), " ".join(HARBOUR), " ".join(DRAW)]
    assert left_out.split() == ["ENTWURF"] * 3
    assert not notes
