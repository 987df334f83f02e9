import io

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from corpus.blocks import BlockKind
from corpus.display import display
from corpus.document import Document
from corpus.formats.pdf import PDF
from index.analysis import words

FONT, SIZE = "Times-Roman", 10
END = "Danach legt jede Person ihre Karten vor sich auf den Tisch, und die Runde beginnt."


class Page:
    """A page on which text can be put at any place."""

    def __init__(self):
        self._file = io.BytesIO()
        self.canvas = Canvas(self._file, pagesize=(420, 300), invariant=1, pageCompression=0)

    def text(self, x, y, text, size=SIZE):
        """Print ``text`` and return where it ends."""
        self.canvas.setFont(FONT, size)
        self.canvas.drawString(x, y, text)
        return x + float(stringWidth(text, FONT, size))

    def printed(self):
        """The PDF, with a paragraph below all else."""
        self.text(40, 100, END)
        self.canvas.save()
        return self._file.getvalue()


def paragraphs(raw):
    """Return the paragraphs above the last one, for readers."""
    extracted = PDF.extract(raw)
    found = [
        display(extracted.text[slice(*block.span)])
        for block in extracted.blocks
        if block.kind is not BlockKind.FURNITURE
    ]
    assert found.pop() == END
    return found


def spaced_out(spacing, parts):
    """Print ``parts``, every second one of which has its letters set apart."""
    page = Page()
    text = page.canvas.beginText(40, 200)
    text.setFont(FONT, SIZE)
    for at, part in enumerate(parts):
        text.setCharSpace(spacing if at % 2 else 0)
        text.textOut(part)
    text.setCharSpace(0)
    page.canvas.drawText(text)
    return page.printed()


@pytest.mark.parametrize("spacing", [1.5, 2.5, 4.0])
def test_letters_that_are_set_apart_are_words(spacing):
    parts = ["Das Wort ", "gesperrt wird", " hier betont, und die ", "Mannschaft", " gewinnt."]
    assert paragraphs(spaced_out(spacing, parts)) == ["".join(parts)]
    assert paragraphs(spaced_out(spacing, ["", "ENDE DES SPIELS"])) == ["ENDE DES SPIELS"]


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("Das ist v e r b o t e n und bleibt es.", "Das ist verboten und bleibt es."),
        ("Die Felder A B C D E sind frei.", "Die Felder A B C D E sind frei."),
        ("Wer 1 2 4 3 5 würfelt, ist frei.", "Wer 1 2 4 3 5 würfelt, ist frei."),
        ("Er wählt aus a e i o u einen aus.", "Er wählt aus a e i o u einen aus."),
    ],
)
def test_blanks_between_letters_are_told_from_lists(printed, shown):
    page = Page()
    page.text(40, 200, printed)
    assert paragraphs(page.printed()) == [shown]


@pytest.mark.parametrize("gap", [1.0, 1.5, 1.8])
def test_words_are_apart_where_a_narrow_gap_is_printed_for_a_blank(gap):
    page, x = Page(), 40.0
    sentence = "Wer zuerst am Ziel ist gewinnt alle Runden"
    for word in sentence.split():
        x = page.text(x, 200, word) + gap
    assert paragraphs(page.printed()) == [sentence]


def test_no_blank_is_read_behind_a_ligature_whose_box_is_divided_between_its_letters():
    # Browsers draw "fi" as one sign; PDFium gives each letter half of it, and the next one a gap.
    page, x = Page(), 40.0
    page.canvas.setFont("Courier", SIZE)
    for part in ("Ai fi", "ni del presente regolamento si fi", "ssa il luogo d'uffi", "cio"):
        page.canvas.drawString(x, 200, part)
        x += stringWidth(part, "Courier", SIZE) + 1.0
    (shown,) = paragraphs(page.printed())
    assert shown == "Ai fini del presente regolamento si fissa il luogo d'ufficio"


def test_the_cells_of_a_table_that_nearly_touch_are_not_one_word():
    page = Page()
    for at, (name, kind) in enumerate([("Lotse", "Figur"), ("Barke", "Schiff"), ("Öl", "Ware")]):
        page.text(140 - stringWidth(name, FONT, SIZE), 200 - 13 * at, name)
        page.text(141.2, 200 - 13 * at, kind)
        page.text(220, 200 - 13 * at, str(at))
    shown = " ".join(paragraphs(page.printed()))
    assert "Lotse Figur" in shown
    assert "Barke Schiff" in shown


def test_accents_printed_after_their_word_join_their_letters():
    page = Page()
    end = page.text(40, 200, "La citta")
    page.text(end - 4, 200, "`")
    page.text(end, 200, " e grande, perche")
    page.text(end + stringWidth(" e grande, perche", FONT, SIZE) - 4, 200, "´")
    page.text(40, 186, "no.")
    assert paragraphs(page.printed()) == ["La città e grande, perché no."]


def test_an_accent_of_another_word_tears_none():
    page = Page()
    # The capital at the beginning of the line gets its accent in the middle of a word.
    end = page.text(40, 200, "E vietato giocare (disciplin")
    page.text(41.5, 202, "`")
    page.text(end, 200, "ato sotto) ancora.")
    assert paragraphs(page.printed()) == ["È vietato giocare (disciplinato sotto) ancora."]


def test_raised_digits_are_no_digits_of_their_word():
    page = Page()
    x = page.text(40, 200, "Jeder Spieler")
    x = page.text(x, 204, "3", 6)
    x = page.text(x, 200, " zieht 10")
    x = page.text(x, 204, "12", 6)
    page.text(x, 200, " Karten.")
    (shown,) = paragraphs(page.printed())
    assert shown == "Jeder Spieler³ zieht 10¹² Karten."
    assert words(shown) == ["Jeder", "Spieler", "zieht", "10", "Karten"]


@pytest.mark.parametrize(
    "text",
    [
        "<p>Jeder Spieler<sup>3</sup> zieht 10<sup>12</sup> Karten.</p>",
        '<p>Jeder Spieler<sup><a href="#n3">3</a></sup> zieht 10<sup>12 </sup>Karten.</p>',
    ],
)
def test_raised_digits_of_web_pages_are_no_digits_of_their_word(text):
    page = f"<!doctype html><html><body>{text}<p>{END}</p></body></html>"
    shown = " ".join(Document.from_bytes("a.html", page.encode()).text.split("\n")[0].split())
    assert shown == "Jeder Spieler³ zieht 10¹² Karten."


def test_raised_digits_in_markdown_are_shown_as_such():
    assert display("Jeder Spieler<sup>3</sup> zieht.") == "Jeder Spieler³ zieht."


def test_ligatures_of_which_a_font_of_tex_gives_only_the_code_are_letters():
    page = Page()
    page.text(40, 200, "Die EFekte der WaFen Cndet der Spieler im Ein5uss der P5anzen.")
    raw = page.printed()
    for letter, code in ((b"F", rb"\033"), (b"C", rb"\034"), (b"5", rb"\035")):
        raw = raw.replace(b"E" + letter + b"ekte", b"E" + code + b"ekte")
        raw = raw.replace(b"Wa" + letter + b"en", b"Wa" + code + b"en")
        raw = raw.replace(letter + b"ndet", code + b"ndet")
        raw = raw.replace(b"Ein" + letter + b"uss", b"Ein" + code + b"uss")
        raw = raw.replace(b"P" + letter + b"anzen", b"P" + code + b"anzen")
    shown = "Die Effekte der Waffen findet der Spieler im Einfluss der Pflanzen."
    assert paragraphs(raw) == [shown]
