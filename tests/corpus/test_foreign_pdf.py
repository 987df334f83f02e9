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
