"""What stands alone or in bold like a heading and heads nothing is none."""

import io

import docx
import pytest

from corpus.model import Kind
from tests.corpus.pdf_maker import BODY, BOLD, PrintedRulebook, _fill
from tests.corpus.reading import book, shown

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


def headings(name: str, raw: str | bytes) -> list[str]:
    return [entry.heading for entry in book(name, raw).entries]


def test_a_label_of_another_language_begins_no_part() -> None:
    parts = ["## Aufbau", TEXT, "**Partie 1**", TEXT, "**Partie 2**", TEXT, "## Wertung", TEXT]
    text = "\n\n".join(["# Muschelspiel", *parts])
    assert headings("a.md", text) == ["Muschelspiel", "Aufbau", "Wertung"]


@pytest.mark.parametrize("remark", REMARKS)
def test_a_remark_that_stands_alone_heads_nothing(remark: str) -> None:
    parts = ["AUFBAU", TEXT, remark, TEXT, "ABLAUF", TEXT, TEXT, "WERTUNG", TEXT, TEXT]
    text = "\n\n".join(["Muschelspiel", *parts])
    assert headings("a.txt", text) == ["Muschelspiel", "AUFBAU", "ABLAUF", "WERTUNG"]
    marked = (
        f"# Muschelspiel\n\n## Aufbau\n\n{TEXT}\n\n**{remark}**\n\n{TEXT}\n\n## Wertung\n\n{TEXT}"
    )
    assert headings("a.md", marked) == ["Muschelspiel", "Aufbau", "Wertung"]
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
    assert headings("a.md", text) == ["Muschelspiel", "Aufbau", "Wertung"]


def test_signatures_head_nothing() -> None:
    text = f"SATZUNG\n\n§ 1 Name\n\n{TEXT}\n\n§ 2 Sitz\n\n{TEXT}\n\n" + "\n\n".join(SIGNED)
    assert headings("a.txt", text) == ["SATZUNG", "§ 1 Name", "§ 2 Sitz"]


@pytest.mark.parametrize("heading", ["Lizenzen", "Software", "Illustration", "Kontakt", "Figuren"])
def test_headings_on_the_same_subjects_stay(heading: str) -> None:
    text = "\n\n".join(
        ["Muschelspiel", "AUFBAU", TEXT, TEXT, "ABLAUF", TEXT, TEXT, heading, TEXT, TEXT]
    )
    assert headings("a.txt", text) == ["Muschelspiel", "AUFBAU", "ABLAUF", heading]


def test_short_lines_in_bold_below_marked_headings_head_the_text_below() -> None:
    parts = ["## Tiere", TEXT, "### Im Hafen", TEXT]
    for name in ("Möwen und Enten", "Hunde", "Seehunde (nur im Winter)"):
        parts += [f"**{name}**", TEXT * 3]
    text = "\n\n".join(["# Hafenordnung", "**Der Hafenrat**", *parts, "## Schluss", TEXT])
    entries = book("a.md", text).entries
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


def test_chapters_in_large_bold_are_headings_beside_lists_with_the_same_numbers() -> None:
    printed = PrintedRulebook()
    printed.heading("Muschelspiel", 20)
    for chapter, name in enumerate(("Aufbau", "Ablauf", "Wertung"), 1):
        printed.paragraph(f"{chapter}. {name}", BOLD, 15)
        printed.paragraph(TEXT)
        for part in (1, 2):
            printed.paragraph(f"{chapter}.{part} {name} am Tag {part}", BOLD, 13)
            printed.paragraph(TEXT)
    printed.paragraph("Anhang", BOLD, 15)
    for number in range(1, 8):
        printed.paragraph(f"{number}. {TEXT}")
    entries = book("a.pdf", printed.printed()).entries
    found = {entry.heading: entry.kind for entry in entries}
    assert found["2. Ablauf"] is found["2.1 Ablauf am Tag 1"] is Kind.SECTION


def test_lines_of_contents_without_dots_between_others_head_nothing() -> None:
    printed = PrintedRulebook(columns=2)
    printed.heading("Muschelordnung", 20)
    printed.paragraph("Inhalt", BOLD, 14)
    names = ["Name", "Sitz", "Ebbe", "Flut", "Strand", "Boote"]
    for number, name in enumerate(names, 1):
        if number == 4:
            printed.item("§ 4", "Bekanntgabe der Flut und Ebbe . .")
        elif number == 5:
            printed.item("§ 5", "Bekanntgabe der Strandmuschel-")
            printed.contents("sammlung", 2)
        else:
            printed.contents(f"§ {number} {name}", 2)
    printed.next_page()
    for number, name in enumerate(names, 1):
        printed.paragraph(f"§ {number} {name}", BOLD, 12)
        printed.paragraph(TEXT)
    found = headings("a.pdf", printed.printed())
    assert [each for each in found if each.startswith(("§ 4", "§ 5"))] == ["§ 4 Flut", "§ 5 Strand"]


def test_a_paragraph_in_two_sizes_of_type_is_one_passage() -> None:
    printed = PrintedRulebook()
    printed.heading("Muschelordnung", 20)
    for name in ("Name", "Sitz", "Boote"):
        printed.paragraph(name, BOLD, 14)
        printed.paragraph(TEXT * 4, size=12)
    words = (TEXT * 3).split()
    printed.paragraph("Ebbe", BOLD, 14)
    for size in (12, 13, 12, 13, 12):
        line = _fill(words, BODY, size, printed.width, hyphens=True) if words else ""
        printed._lines(line, BODY, size, 0.0, 0.0)
    found = book("a.pdf", printed.printed())
    (ebbe,) = (entry for entry in found.entries if entry.title == "Ebbe")
    shown = [passage.display for passage in found.passages if passage.entry == ebbe.id]
    assert shown == [(TEXT * 3).strip()]


def test_old_markdown_has_no_blank_behind_the_signs_of_a_heading() -> None:
    text = (
        f"#Muschelspiel\n\n##Aufbau\n{TEXT}\n\n###\ufffc\ufffc§1 Muscheln\n{TEXT}\n\n"
        f"#strand\n\n##Wertung\n{TEXT}\n"
    )
    assert headings("a.md", text) == ["Muschelspiel", "Aufbau", "§1 Muscheln", "Wertung"]
    tagged = f"# Muschelspiel\n\n#strand #ebbe\n\n{TEXT}\n\n## Wertung\n\n{TEXT}\n"
    assert headings("a.md", tagged) == ["Muschelspiel", "Wertung"]


def word(parts: list[tuple[str, bool]]) -> bytes:
    document = docx.Document()
    for text, underlined in parts:
        document.add_paragraph().add_run(text).underline = underlined or None
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def test_underlined_lines_are_headings_like_those_in_bold() -> None:
    names = ["Aufbau", "Ablauf", "Wertung"]
    printed = PrintedRulebook()
    printed.heading("Muschelspiel", 20)
    printed.paragraph(TEXT * 2)
    for name in names:
        printed.underlined(name)
        printed.paragraph(TEXT * 3)
        printed.paragraph("Nicht bei Ebbe")
        printed.rule()
        printed.paragraph(TEXT)
    assert headings("a.pdf", printed.printed()) == ["Muschelspiel", *names]
    page = "".join(f"<p><u>{name}</u></p><p>{TEXT}</p><p>{TEXT}</p>" for name in names)
    assert headings("a.html", f"<h1>Muschelspiel</h1><p>{TEXT}</p>{page}") == [
        "Muschelspiel",
        *names,
    ]
    parts = [(each, under) for name in names for each, under in ((name, True), (TEXT * 3, False))]
    assert headings("a.docx", word(parts)) == names


def test_the_title_below_a_line_of_the_title_page_is_one_entry() -> None:
    page = f"<p>Strandverein Kiel e.V.</p><h1>Satzung</h1><h2>§ 1 Name</h2><p>{TEXT}</p>"
    assert headings("a.html", page) == ["Satzung", "§ 1 Name"]


def test_numbered_lines_right_above_marked_headings_are_headings_around_them() -> None:
    parts = [
        "*I. Einzel*",
        "*II. Ranglisten*",
        "*III. Mannschaften*",
        "**1.** Meldung",
        "**2.** Ablauf",
        "**3.** Wertung",
    ]
    text = "# Spielordnung\n\n## A. Spielbetrieb\n\n"
    for at, part in enumerate(parts, 1):
        below = "" if part.startswith("*III") else f"### § {at} Muscheln {at}\n\n{TEXT}\n\n"
        text += f"{part}\n\n{below}"
    text += (
        f"## B. Schluss\n\n### § 7 Dauer\n\n1. Ebbe\n2. Flut\n3. Wind\n\n### § 8 Ende\n\n{TEXT}\n"
    )
    found = book("a.md", text)
    parents = {entry.id: entry for entry in found.entries}
    around = {e.number: parents[e.parent].number for e in found.entries if e.number and e.parent}
    assert around["§ 1"] == "A. I."
    assert around["A. III."] == "A"
    assert around["§ 5"] == "A. III. 2."
    assert around["§ 7"] == "B"
    assert around["§ 7 3."] == "§ 7"


def test_letters_of_appendices_are_no_part_of_the_last_chapter() -> None:
    printed = PrintedRulebook()
    printed.heading("Muschelspiel", 24)
    for name in ("1 Aufbau", "2 Ablauf", "3 Wertung"):
        printed.paragraph(name, BOLD, 14)
        printed.paragraph(TEXT * 3)
    printed.paragraph("Weitere Listen", BOLD, 18)
    for name in ("A. Gebühren", "B. Karten"):
        printed.paragraph(name, BOLD, 14)
        printed.paragraph(TEXT * 3)
    entries = book("a.pdf", printed.printed()).entries
    assert [entry.number for entry in entries if entry.number] == ["1", "2", "3", "A", "B"]


TYPED = """Aufbau:

Vor dem ersten Zug liegt alles bereit.

{0}

{1}

Kaufen von Karten:

Gekauftes kommt auf den Stapel.

Wetter:

Bei Regen setzen alle aus.
"""


@pytest.mark.parametrize(
    "items", [("3x Holz", "1 x Stein"), ("-Holz", "-9 Steine"), ("+2 Punkte", "–Turm")]
)
def test_items_that_are_typed_without_a_bullet_are_no_headings_and_lines_with_a_colon_are(items):
    read = book("wetter.txt", TYPED.format(*items))
    assert [entry.heading for entry in read.entries] == ["Aufbau:", "Kaufen von Karten:", "Wetter:"]
    assert shown(read, "Aufbau:") == ["Vor dem ersten Zug liegt alles bereit.", *items]


def test_a_frame_of_dashes_is_no_list_and_a_colon_beside_headings_is_text():
    text = "-- Aufbau --\n\nMan baut.\n\n-- Zug --\n\nMan zieht.\n\nBeispiel:\n\nEins.\n\n-- Ende --\n\nAus."
    read = book("bau.txt", text)
    assert [entry.title for entry in read.entries] == ["Aufbau", "Zug", "Ende"]
