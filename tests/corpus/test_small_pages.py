import io
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen import canvas

from corpus import Role
from corpus.formats.pdf import PDF
from service.editions.findings import findings_text
from service.editions.recognised_rulebook import GivenFields, recognise_rulebook
from service.editions.recognition_screen import doubts, place, summary
from tests.corpus.reading import small

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


def served(rulebook):
    return [passage.display for passage in rulebook.passages if passage.role is Role.TEXT]


class Page(canvas.Canvas):
    """A page on which lines can be printed over each other."""

    def __init__(self):
        self.file = io.BytesIO()
        super().__init__(self.file, pagesize=(420, 595), invariant=1)

    def lines(self, y, lines, x=60, size=11, font="Helvetica"):
        self.setFont(font, size)
        for at, each in enumerate(lines):
            self.drawString(x, y - 14 * at, each)

    def read(self):
        """Return its paragraphs, what is left out, and the notes for its owner."""
        self.save()
        found = PDF.extract(self.file.getvalue())
        body = found.text[: found.body].strip()
        return body.split("\n\n"), found.text[found.body :], tuple(map(str, found.notes))


def test_lines_printed_over_each_other_stand_by_themselves_and_are_doubted():
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
def test_paragraphs_printed_over_each_other_are_read_one_after_the_other(apart):
    page = Page()
    page.lines(500, DRAW)
    page.lines(500 - apart, HARBOUR)
    page.lines(440, ["30 Holzmarken"])
    assert page.read()[0] == [" ".join(DRAW), " ".join(HARBOUR), "30 Holzmarken"]


@pytest.mark.parametrize("first", [True, False])
def test_a_line_printed_over_a_paragraph_does_not_tear_it(first):
    page = Page()
    if first:
        page.lines(485.6, FOG)
    page.lines(500, DRAW)
    if not first:
        page.lines(485.6, FOG)
    assert page.read()[0] == [*FOG, " ".join(DRAW)]


def print_letters_in_turn(page):
    for at in range(50):
        for text in (DRAW[0], HARBOUR[0]):
            page.lines(480, [text[at]], x=60 + stringWidth(text[:at], "Helvetica", 11))


def print_on_the_same_baseline(page):
    page.lines(480, DRAW[:1])
    page.lines(480, HARBOUR[:1])


@pytest.mark.parametrize("draw", [print_letters_in_turn, print_on_the_same_baseline])
def test_text_that_nobody_can_read_is_said_and_not_served(draw):
    page = Page()
    page.lines(500, ["Material"], size=15)
    draw(page)
    page.lines(460, ["30 Holzmarken"])
    paragraphs, left_out, notes = page.read()
    assert paragraphs == ["Material", "30 Holzmarken"]
    assert len(left_out) > 80
    assert [note for note in notes if "cannot be read" in note and "page 1" in note]


@pytest.mark.parametrize("shift", [0.3, 1.2])
def test_a_shadow_or_a_second_print_is_read_once(shift):
    page = Page()
    page.lines(500, DRAW)
    page.lines(500 - shift, DRAW, x=60 + shift)
    assert page.read() == ([" ".join(DRAW)], "", ())


CHAPTERS = {
    "I Vom Anlegen": [*HARBOUR[:2], "bevor ein zweites Schiff", "anlegt oder wieder ausläuft."],
    "II Vom Nebel": [*DRAW[:2], "die Laternen am Kai noch", "brennen, was selten vorkommt."],
    "III Vom Ende": [
        "Gewonnen hat, wer zuletzt, wenn alle Laternen aus sind, noch",
        "einen Kahn und den Lotsen und, falls noch offen, den Hafen",
        "bei sich hat und wer das",
        "auch noch weiß.",
    ],
}


def test_heads_with_the_title_of_a_short_chapter_stand_in_no_sentence():
    page, told = Page(), []
    for title, text in CHAPTERS.items():
        page.lines(500, [title], size=18)
        page.lines(460, text[:2])
        page.showPage()
        page.lines(570, [title])
        page.lines(535, text[2:])
        page.showPage()
        told += [title, " ".join(text)]
    paragraphs, left_out, _ = page.read()
    assert paragraphs == told
    assert left_out.split("\n\n") == list(CHAPTERS)


def test_titles_in_plain_type_on_top_of_pages_are_no_heads_though_the_contents_have_them():
    page = Page()
    page.lines(535, CHAPTERS)
    page.showPage()
    for title, text in CHAPTERS.items():
        page.lines(535, [title])
        page.lines(500, text)
        page.showPage()
    assert page.read()[1] == ""


def test_the_foot_of_a_browser_is_left_out_though_the_address_has_digits():
    page = Page()
    for at, text in enumerate(CHAPTERS.values(), 1):
        page.lines(540, text)
        page.lines(20, [f"https://hafen.example/v3/regeln.html {at}/3"], size=8)
        page.showPage()
    paragraphs, left_out, _ = page.read()
    assert paragraphs == [" ".join(text) for text in CHAPTERS.values()]
    assert all(f"{at}/3" in left_out for at in (1, 2, 3))


def test_an_item_goes_on_in_a_larger_line_below_its_text():
    page = Page()
    page.lines(520, ["Regatta"], size=18)
    page.lines(480, ["•"])
    page.lines(480, ["An den Stegen 1 und 4 darf jeder Lotse gratis einen Becher"], x=72)
    page.lines(465, ["Grog trinken, der zwei Minuten einbringt."], x=72, size=12.8)
    page.lines(451, ["•"])
    page.lines(451, ["Gewertet wird am Abend im Hafen."], x=72)
    page.lines(400, DRAW)
    paragraphs = page.read()[0]
    assert any(
        each.endswith("gratis einen Becher Grog trinken, der zwei Minuten einbringt.")
        for each in paragraphs
    )


def test_raised_and_lowered_signs_and_initials_stay_in_their_lines():
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
        "Jede Person zieht vier Karten¹",
        "Das Ganze ist 1 ¹2 Marke wert.",
        "Jede Person zieht zu Beginn vier Karten vom Stapel und legt zwei davon weg.",
    ]
    assert not notes


def test_a_watermark_tears_no_paragraph_and_is_no_text():
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


def test_a_booklet_is_read_in_the_order_of_its_pages_without_their_numbers():
    rulebook = small("spread.pdf")
    texts = served(rulebook)
    assert texts[0] == "Spielanleitung"
    assert texts[-1].endswith("Nein, Marken werden nie getauscht.")
    assert "Jede Person bekommt fuenf Karten und zwei Marken." in texts
    assert not [text for text in texts if text[-1].isdigit()]
    raw = (SMALL / "spread.pdf").read_bytes()
    found = recognise_rulebook(rulebook.document, GivenFields(), lambda _: None)
    taken = "sheet 1 is p. 4–1, sheet 2 is p. 2–3 (printed on the pages)"
    assert any(taken in line for line in summary(found, "spread.pdf", raw))
    document = rulebook.document
    assert place(document, document.text.index("Nein, Marken")) == "page 4"
    pages = rulebook.document.pages
    assert pages
    assert [[n.text for n in sheet] for sheet in pages.numbers] == [
        ["4", "1"],
        ["2", "3"],
    ]


BOOKLET = [(8, 1), (2, 7), (6, 3), (4, 5)]
SPREADS = [(1, 2), (3, 4), (5, 6), (7, 8)]


@pytest.mark.parametrize("sheets", [BOOKLET, SPREADS])
@pytest.mark.parametrize("numbered", [range(1, 9), range(2, 8)])
def test_sheets_with_two_pages_are_read_by_numbers(sheets, numbered):
    page = Page()
    page.setPageSize((842, 595))
    names = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht"]
    for sheet in sheets:
        for number, left in zip(sheet, (60, 480), strict=True):
            page.lines(500, [f"Hier steht die Regel {names[number]}."], x=left)
            if number in numbered:
                page.lines(40, [str(number)], x=left + 150)
        page.showPage()
    paragraphs, _, _ = page.read()
    assert paragraphs == [f"Hier steht die Regel {name}." for name in names[1:]]


def numbers_of(page):
    page.save()
    found = PDF.extract(page.file.getvalue()).pages
    assert found
    return [[number.text for number in sheet] for sheet in found.numbers]


def print_book(numbers, labels=False):
    page = Page()
    words = ["Muschel", "Möwe", "Anker", "Boje", "Segel", "Ruder", "Mast", "Kiel", "Bug", "Heck"]
    for at, number in enumerate(numbers):
        page.lines(500, [f"Die Regel von {words[at]} gilt", f"überall, wo {words[-at]} liegt."])
        page.lines(30, [number] if number else [], x=200, size=8)
        if labels:
            page.addPageLabel(at, style="ROMAN_LOWER" if at < 3 else "ARABIC", start=1 + at % 3)
        page.showPage()
    return page


def test_the_printed_number_of_a_page_is_kept():
    assert numbers_of(print_book(["", "ii", "iii", "iv", "", "2", "3", "4"])) == [
        [], ["ii"], ["iii"], ["iv"], ["1"], ["2"], ["3"], ["4"],
    ]  # fmt: skip
    assert numbers_of(print_book(["", "", "1", "2", "", "4", "5"])) == [
        [], [], ["1"], ["2"], ["3"], ["4"], ["5"],
    ]  # fmt: skip


def test_page_labels_number_pages_on_which_nothing_is_printed():
    assert numbers_of(print_book([""] * 5, labels=True)) == [["i"], ["ii"], ["iii"], ["1"], ["2"]]
