"""PDFs of other programs: rulebooks as TeX and word processors print them."""

from __future__ import annotations

import io

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

from corpus.formats.pdf import PDF


def test_ligatures_and_accents_of_their_own_are_letters() -> None:
    pdfmetrics.registerFont(TTFont("ligatures", "Vera.ttf"))
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=(420, 300), invariant=1)
    page.setFont("ligatures", 11)
    page.drawString(40, 250, "Every of\ufb01cer \ufb01nds the \ufb02ag within \ufb01ve \ufb02ares.")
    page.setFont("Times-Roman", 12)
    text = page.beginText(40, 220)
    text.textOut("Nessuno pu")
    at = text.getX()
    text.textOut("`")
    text.setTextOrigin(at + 0.3, 220)  # the letter is printed below its accent
    text.textOut("o passare il molo.")
    page.drawText(text)
    page.setFont("Times-Roman", 12)
    page.drawString(40, 190, "E vietato.")
    page.drawString(41.5, 193, "`")
    page.save()
    text_of = PDF.extract(file.getvalue()).text
    assert "Every officer finds the flag within five flares." in text_of
    assert "Nessuno può passare il molo." in text_of
    assert "È vietato." in text_of


def test_running_heads_that_change_with_the_chapter_are_no_text() -> None:
    file = io.BytesIO()
    pages = canvas.Canvas(file, pagesize=(420, 595), invariant=1)
    names = ["Groynes", "Spades", "Channels", "Dunes", "Tides", "Shells"]
    for at, name in enumerate(names, 1):
        pages.setFont("Times-Roman", 9)
        pages.drawString(40, 560, f"{at} CHAPTER {at}. {name.upper()}" if at % 2 == 0 else f"{at}.1. {name} {at}")
        pages.setFont("Helvetica-Bold", 16)
        pages.drawString(40, 520, f"{at}.1 {name}")
        pages.setFont("Times-Roman", 11)
        for line in range(6):
            pages.drawString(40, 490 - 14 * line, f"Line {line} of the rules of {name.lower()} says what to dig on the shore.")
        pages.showPage()
    pages.save()
    extracted = PDF.extract(file.getvalue())
    assert "CHAPTER" not in extracted.text[: extracted.body]
    assert [line for line in extracted.text[: extracted.body].split("\n\n") if "Spades" in line] == ["2.1 Spades"]
    assert extracted.text[extracted.body :].count("CHAPTER") == 3


def test_numbers_that_begin_with_a_letter_begin_paragraphs() -> None:
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=(420, 595), invariant=1)
    page.setFont("Times-Roman", 11)
    for at, number in enumerate(["A.1.1)", "A.1.1.a)", "A.1.1.b)", "A.1.2)", "4.1.1.a)", "4.1.1.b)"]):
        page.drawString(40, 560 - 13 * at, f"{number} Nobody digs channels on {at + 3} shores at once")
    page.save()
    assert [text.split()[0] for text in PDF.extract(file.getvalue()).text.split("\n\n")] == [
        "A.1.1)", "A.1.1.a)", "A.1.1.b)", "A.1.2)", "4.1.1.a)", "4.1.1.b)",
    ]  # fmt: skip
