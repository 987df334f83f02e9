import io

import pytest
from reportlab.pdfgen.canvas import Canvas

from corpus.blocks import BlockKind
from corpus.display import display
from corpus.formats.pdf import PDF

NAMES = ["Laterne", "Boot", "Steg", "Fass", "Öl", "Tau", "Netz", "Mast"]
ABOVE = "Die Runde beginnt, sobald alle Laternen am Ufer leuchten und jede Barke beladen ist."
BELOW = "Der Plan hat acht Reihen und acht Linien, und auf jedem Feld liegt höchstens ein Fass."
LETTERS = "HUEMSCASIUHGSUUSNEHETNACFBKAISNONREMDBESGIOKOTNMUOHLAIFLUDGIKDCS"


def printed(field, labels=False):
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(420, 400), invariant=1)
    canvas.setFont("Helvetica", 10)
    for row in range(8):
        if labels:
            canvas.drawString(40, 300 - 20 * row, NAMES[row])
        for column in range(8):
            if text := field(row, column):
                canvas.drawCentredString(90 + 20 * column, 300 - 20 * row, text)
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(40, 340, ABOVE)
    canvas.drawString(40, 120, BELOW)
    canvas.save()
    return file.getvalue()


def read(raw):
    """Return the text for readers without furniture, and the notes for the owner."""
    extracted = PDF.extract(raw)
    shown = [
        display(extracted.text[slice(*block.span)])
        for block in extracted.blocks
        if block.kind is not BlockKind.FURNITURE
    ]
    return shown, tuple(map(str, extracted.notes))


@pytest.mark.parametrize(
    "field",
    [
        lambda row, column: LETTERS[8 * row + column],
        lambda row, column: LETTERS[8 * row + column] if (3 * row + column) % 4 < 2 else "",
        lambda row, column: str(8 * row + column + 1),
        lambda row, column: ["3W", "2L", "", "2W"][(row * column + row) % 4],
        lambda row, column: ".XO"[(row * row + column) % 3],
        lambda row, column: "1bcdefgh"[column] if row == 7 else str(8 - row) if not column else "",
    ],
    ids=["letters", "crossword", "track", "bonuses", "stones", "coordinates"],
)
def test_a_board_is_left_out_and_said(field):
    shown, notes = read(printed(field))
    assert shown == [ABOVE, BELOW]
    assert [note for note in notes if "grid" in note and "(page 1)" in note]


def test_a_table_of_figures_with_names_before_its_rows_is_text():
    shown, notes = read(printed(lambda row, column: str((row * column) % 9), labels=True))
    assert not notes
    assert len(shown) == 10
    assert any("Laterne" in row for row in shown)
