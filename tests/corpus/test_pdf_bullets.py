import io
from collections.abc import Callable

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from corpus.blocks import BlockKind
from corpus.display import display
from corpus.formats.pdf import PDF

Draw = Callable[[Canvas, float, float], None]

ITEMS = (
    ["jede Bewegung einer Barke über mehr als drei Felder, wenn die Laterne dunkel ist und",
     "niemand sie angezündet hat"],
    ["das Anlegen an einem fremden Steg, auch wenn er gerade leer steht und keine Fässer hat"],
    ["ein Tausch"],
)  # fmt: skip


def disc(canvas, x, y):
    canvas.circle(x, y + 3, 1.8, fill=1, stroke=0)


def ring(canvas, x, y):
    canvas.circle(x, y + 3, 1.8, fill=0)
    canvas.circle(x, y + 3, 1.7, fill=0)


def square(canvas, x, y):
    canvas.rect(x - 2, y + 1, 4, 4, fill=1, stroke=0)


def picture(canvas, x, y):
    canvas.drawImage(ImageReader(Image.new("RGB", (8, 8))), x - 2, y + 1, 4, 4)


def dash(canvas, x, y):
    canvas.line(x - 2, y + 3, x + 3, y + 3)


def letter(text):
    def draw(canvas, x, y):
        if "Wingdings" not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont("Wingdings", "Vera.ttf"))
        canvas.setFont("Wingdings", 9)
        canvas.drawString(x - 2, y, text)

    return draw


def printed(draw):
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(420, 300), invariant=1)
    y = 250
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(
        40, y, "Nicht erlaubt sind, solange der Nebel auf dem Hafen liegt und nichts zu sehen ist:"
    )
    for item in ITEMS:
        draw(canvas, 46, y - 11)
        canvas.setFont("Times-Roman", 9)
        for text in item:
            y -= 11
            canvas.drawString(54, y, text)
    canvas.drawString(
        40, y - 22, "Wer es dennoch tut, setzt eine Runde aus und zahlt zwei Münzen an die Wache."
    )
    canvas.save()
    return file.getvalue().replace(b"+BitstreamVeraSans-Roman", b"+Wingdings-Regular")


@pytest.mark.parametrize(
    ("draw", "mark"),
    [
        (disc, "•"),
        (ring, "•"),
        (square, "•"),
        (picture, "•"),
        (dash, "–"),
        (letter("l"), "●"),
        (letter("§"), "▪"),
        (letter("J"), "•"),
    ],
)
def test_drawn_bullets_and_letters_of_symbol_fonts_begin_items(draw, mark):
    extracted = PDF.extract(printed(draw))
    items = [
        display(extracted.text[slice(*block.span)])
        for block in extracted.blocks
        if block.kind is BlockKind.ITEM
    ]
    assert items == [f"{mark} {' '.join(lines)}" for lines in ITEMS]


def leaders(canvas, x, y):
    for at in range(4):
        canvas.circle(x - 4 * at, y + 3, 0.8, fill=1, stroke=0)


def rule(canvas, x, y):
    canvas.line(x - 6, y + 12, x + 300, y + 12)
    canvas.line(x + 6, y - 2, x + 6, y + 10)


@pytest.mark.parametrize("draw", [leaders, rule])
def test_dots_and_rules_are_no_bullets(draw):
    extracted = PDF.extract(printed(draw))
    assert not any(block.kind is BlockKind.ITEM for block in extracted.blocks)
    assert "•" not in extracted.text
    assert "–" not in extracted.text
