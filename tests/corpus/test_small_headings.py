"""What stands alone or in bold like a heading and heads nothing is none."""

import pytest

from corpus import Document, identify, read
from tests.corpus.pdf_maker import BOLD, PrintedRulebook

TEXT = "Jede Person nimmt drei Muscheln und legt sie offen vor sich hin, so dass alle sie sehen. "
REMARKS = [
    "Die erste Regel heißt Überleben. Viel Erfolg euch allen!!!",
    "Lizenz: CC BY-SA 4.0",
    "Stand: März 2025",
    "Abb. 1: Der Spielplan",
    "Mühlweg 3, 24103 Kiel",
    "Tel.: 0431 123456",
    "info@muschel.example",
]
SIGNED = ["Kiel, den 3. Juni 2023", "Der Vorstand", "Anna Beispiel", "Erste Vorsitzende"]


def headings(name: str, raw: bytes) -> list[str]:
    document = Document.from_bytes(name, raw)
    return [entry.heading for entry in read(document, identify(document)).entries]


def test_a_label_of_another_language_begins_no_part() -> None:
    parts = ["## Aufbau", TEXT, "**Partie 1**", TEXT, "**Partie 2**", TEXT, "## Wertung", TEXT]
    text = "\n\n".join(["# Muschelspiel", *parts])
    assert headings("a.md", text.encode()) == ["Muschelspiel", "Aufbau", "Wertung"]


@pytest.mark.parametrize("remark", REMARKS)
def test_a_remark_that_stands_alone_heads_nothing(remark: str) -> None:
    parts = ["AUFBAU", TEXT, remark, TEXT, "ABLAUF", TEXT, TEXT, "WERTUNG", TEXT, TEXT]
    text = "\n\n".join(["Muschelspiel", *parts])
    assert headings("a.txt", text.encode()) == ["Muschelspiel", "AUFBAU", "ABLAUF", "WERTUNG"]
    marked = (
        f"# Muschelspiel\n\n## Aufbau\n\n{TEXT}\n\n**{remark}**\n\n{TEXT}\n\n## Wertung\n\n{TEXT}"
    )
    assert headings("a.md", marked.encode()) == ["Muschelspiel", "Aufbau", "Wertung"]
    printed = PrintedRulebook()
    printed.heading("Muschelspiel", 20)
    for name in ("Aufbau", "Wertung"):
        printed.paragraph(name, BOLD, 10)
        printed.paragraph(TEXT * 3)
        printed.paragraph(remark, BOLD, 10)
        printed.paragraph(TEXT * 3)
    assert headings("a.pdf", printed.printed()) == ["Muschelspiel", "Aufbau", "Wertung"]


def test_bold_words_in_a_list_or_a_paragraph_head_nothing() -> None:
    text = (
        f"# Muschelspiel\n\n## Aufbau\n\n{TEXT}\n\n- **Karten**: je Person fünf\n- **Würfel**\n\n"
        f"**Niemand nimmt zwei Muscheln.**\n\n{TEXT}**Nie zwei.**\n\n## Wertung\n\n{TEXT}\n"
    )
    assert headings("a.md", text.encode()) == ["Muschelspiel", "Aufbau", "Wertung"]


def test_signatures_head_nothing() -> None:
    text = f"SATZUNG\n\n§ 1 Name\n\n{TEXT}\n\n§ 2 Sitz\n\n{TEXT}\n\n" + "\n\n".join(SIGNED)
    assert headings("a.txt", text.encode()) == ["SATZUNG", "§ 1 Name", "§ 2 Sitz"]


@pytest.mark.parametrize("heading", ["Lizenzen", "Software", "Illustration", "Kontakt", "Figuren"])
def test_headings_on_the_same_subjects_stay(heading: str) -> None:
    text = "\n\n".join(
        ["Muschelspiel", "AUFBAU", TEXT, TEXT, "ABLAUF", TEXT, TEXT, heading, TEXT, TEXT]
    )
    assert headings("a.txt", text.encode()) == ["Muschelspiel", "AUFBAU", "ABLAUF", heading]


def test_short_lines_in_bold_below_marked_headings_head_the_text_below() -> None:
    parts = ["## Tiere", TEXT, "### Im Hafen", TEXT]
    for name in ("Möwen und Enten", "Hunde", "Seehunde (nur im Winter)"):
        parts += [f"**{name}**", TEXT * 3]
    text = "\n\n".join(["# Hafenordnung", "**Der Hafenrat**", *parts, "## Schluss", TEXT])
    document = Document.from_bytes("a.md", text.encode())
    entries = read(document, identify(document)).entries
    titles = {entry.id: entry.title for entry in entries}
    below = [entry.title for entry in entries if titles.get(entry.parent or "") == "Im Hafen"]
    assert below == ["Möwen und Enten", "Hunde", "Seehunde (nur im Winter)"]
    assert "Der Hafenrat" not in titles.values()


def test_a_larger_line_within_a_sentence_heads_nothing() -> None:
    line = (
        "Wer die Muschel hält, darf sie bis zum Abend nicht ablegen, und wer sie findet, zahlt eine"
    )
    printed = PrintedRulebook()
    printed.heading("Muschelspiel", 20)
    for name in ("Aufbau", "Wertung"):
        printed.paragraph(name, BOLD, 12)
        printed.paragraph(TEXT * 3, size=7)
        printed.paragraph(line, size=8)
        printed.paragraph("kleine Gabe an alle anderen, die noch im Spiel sind. " + TEXT, size=7)
    assert headings("a.pdf", printed.printed()) == ["Muschelspiel", "Aufbau", "Wertung"]
