import io
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    FrameBreak,
    PageTemplate,
    Paragraph,
)
from reportlab.platypus import Table as PrintedTable

from corpus.model import Role
from tests.corpus.test_tables import BONUS, BONUS_READ, displays, rulebook

TEXT = (
    "Ogni squadra consegna la formazione prima della partita e riceve i punti secondo la tabella. "
    "Chi arriva tardi perde un turno, ma conserva le carte che ha in mano. "
)
CARDS = (("Spieler", "Karten"), ("2", "10"), ("3", "8"), ("4", "7"))
PENALTIES = (
    ("Infrazione", "Prima volta", "Seconda volta"),
    (
        "Ritardo di oltre dieci minuti alla partita",
        "Ammonizione scritta da parte della giuria",
        "Partita persa a tavolino e multa di cinque punti",
    ),
    ("Linguaggio offensivo verso l'arbitro", "Multa", "Squalifica per due giornate"),
    ("Formazione doppia", "Vale la prima consegnata", "Vale la peggiore delle due"),
)
STYLES = getSampleStyleSheet()


def text(words=TEXT):
    """A paragraph."""
    return Paragraph(words, STYLES["BodyText"])


def heading(words):
    """A heading."""
    return Paragraph(words, STYLES["Heading2"])


def grid(table, widths, ruled=False, **options):
    """A table; its cells go on in further lines where ``wrapped``."""
    wrapped = options.pop("wrapped", False)
    cells = [[text(cell) if wrapped else cell for cell in row] for row in table]
    style: list[Any] = [("VALIGN", (0, 0), (-1, -1), "TOP")]
    if ruled:
        style.append(("GRID", (0, 0), (-1, -1), 0.5, "black"))
    return PrintedTable(cells, widths, style=style, hAlign="LEFT", **options)


def pdf(*story, frames=()):
    """What is in ``story`` on pages that are divided into ``frames``: left, bottom, width, height."""
    file = io.BytesIO()
    document = BaseDocTemplate(file, pagesize=A4)
    places = [Frame(*each, 0, 0, 0, 0) for each in frames or [(50, 50, 495, 740)]]
    document.addPageTemplates([PageTemplate(frames=places)])
    document.build(list(story))
    return file.getvalue()


COLUMNS = ((50, 50, 235, 740), (310, 50, 235, 740))


def test_the_rows_of_a_table_of_short_cells_stay_rows():
    raw = (Path(__file__).parent / "small" / "table.pdf").read_bytes()
    found = displays(raw, "table.pdf")
    assert found[2] == "Rigore parato: Portiere 3, Difensore 3, Mediano 3, Punta 3"
    assert len(found) == 8
    assert not any("EventoPortiere" in p.text for p in rulebook(raw, "table.pdf").passages)


@pytest.mark.parametrize("ruled", [True, False])
def test_tables_are_read_with_and_without_rules(ruled):
    raw = pdf(
        heading("1. Bonus"), text(), grid(BONUS, [99] * 5, ruled),
        heading("2. Sanzioni"), text(), grid(PENALTIES, [160] * 3, ruled, wrapped=True),
        heading("3. Karten"), text(), grid(CARDS, [60, 60], ruled),
    )  # fmt: skip
    assert displays(raw, "rules.pdf") == [
        *BONUS_READ,
        "Ritardo di oltre dieci minuti alla partita: Prima volta: Ammonizione scritta da parte "
        "della giuria; Seconda volta: Partita persa a tavolino e multa di cinque punti",
        "Linguaggio offensivo verso l'arbitro: Prima volta Multa, Seconda volta Squalifica per "
        "due giornate",
        "Formazione doppia: Prima volta Vale la prima consegnata, Seconda volta Vale la peggiore "
        "delle due",
        "Spieler 2: Karten 10",
        "Spieler 3: Karten 8",
        "Spieler 4: Karten 7",
    ]


def test_a_table_stands_in_a_column_of_text():
    raw = pdf(
        heading("1. Generale"), text(TEXT * 20), text(TEXT * 8), heading("2. Carte"),
        grid(CARDS, [60, 60]), text("Qui finisce."), text(TEXT * 9), frames=COLUMNS,
    )  # fmt: skip
    found = rulebook(raw, "rules.pdf")
    assert [p.display for p in found.passages if p.row and p.role is Role.TEXT] == [
        "Spieler 2: Karten 10",
        "Spieler 3: Karten 8",
        "Spieler 4: Karten 7",
    ]
    words = " ".join(p.display for p in found.passages if not p.row)
    assert words.count(TEXT.strip()) == 37
    assert "Qui finisce." in words


def test_a_table_stands_below_two_columns_of_text():
    raw = pdf(
        heading("1. Testo"), text(TEXT * 6), FrameBreak(), heading("2. Altro"), text(TEXT * 6),
        FrameBreak(), heading("3. Bonus"), text("I punti:"), grid(BONUS, [99] * 5),
        grid(PENALTIES, [160] * 3, wrapped=True), text(),
        frames=((50, 480, 235, 300), (310, 480, 235, 300), (50, 50, 495, 420)),
    )  # fmt: skip
    found = rulebook(raw, "rules.pdf")
    assert displays(raw, "rules.pdf")[:3] == BONUS_READ
    assert len(displays(raw, "rules.pdf")) == 6
    words = " ".join(p.display for p in found.passages if not p.row)
    assert words.count(TEXT.strip()) == 13


def test_a_table_goes_on_over_the_page_below_its_header():
    table = [("Carta", "Effetto", "Costo")]
    table += [(f"Carta {n}", f"Muovi {n} pedine", str(n)) for n in range(1, 61)]
    raw = pdf(heading("1. Carte"), text(), grid(table, [120, 200, 80], repeatRows=1))
    found = displays(raw, "rules.pdf")
    assert found == [f"Carta {n}: Effetto Muovi {n} pedine, Costo {n}" for n in range(1, 61)]
    raw = pdf(heading("1. Carte"), text(), grid(table, [120, 200, 80]))
    assert displays(raw, "rules.pdf") == found


def test_a_cell_that_fills_its_column_is_not_one_word_with_the_next():
    raw = pdf(heading("1. Bonus"), text(), grid(BONUS, [66, 50, 56, 50, 44]))
    assert "Rigore parato: " in displays(raw, "rules.pdf")[1]
    assert "parato3" not in rulebook(raw, "rules.pdf").document.text
