import io
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import docx
import pytest

from corpus import Document, identify, read, similarity
from corpus.blocks import BlockKind
from tests.corpus.pdf_maker import BODY, BOLD, PrintedRulebook

SMALL = Path(__file__).parent / "small"


def small(name):
    return Document.from_bytes(name, (SMALL / name).read_bytes())


@pytest.mark.parametrize(
    ("name", "version", "date"),
    [
        ("fassung.md", "2.1", ""),
        ("stand.md", "2.1", "2025-03-01"),
        ("ganzlizenz.txt", "", ""),  # the version is that of its licence
    ],
)
def test_the_version_and_the_date_are_those_of_the_document(name, version, date):
    edition = identify(small(name))
    assert (edition.version, edition.effective) == (version, date)


def blocks(page):
    """Return what ``page`` says, and what stands around that on every page of its site."""
    document = Document.from_bytes("a.html", page.encode())
    text: list[str] = []
    furniture: list[str] = []
    for block in document.blocks:
        of_page = block.kind is BlockKind.FURNITURE
        (furniture if of_page else text).append(document.text[slice(*block.span)])
    return text, furniture


def test_what_stands_around_the_text_of_a_page_is_no_text():
    text, furniture = blocks((SMALL / "shy.html").read_text())
    assert furniture == ["Navigation ausblenden", "Zum Seitenanfang"]
    assert text[:2] == ["Wattlauf", "Gezeiten"]
    (rulebook,) = [read(document, identify(document)) for document in [small("shy.html")]]
    shown = [each.display for each in rulebook.passages]
    assert [each.split(".")[0] for each in shown] == [
        "Die Gezeitenmarke steigt in jeder Runde um ein Feld",
        "Am Ende zählt jede Muschel bzw",
    ]


@pytest.mark.parametrize(
    "control",
    [
        "<a href='#main'>Skip to main content</a>",
        "<div class='skip'><a href='#text'>Vai al contenuto</a></div>",
        "<p>Sie sind hier: <a href='/'>Start</a> &gt; Regeln</p>",
        "<div class='breadcrumb'><a href='/'>Club</a> / Rules</div>",
        "<p><a href='/'>Club</a> » <a href='/r'>Regeln</a> » Wattlauf</p>",
        "<p><a href='a.html'>Inhalt</a> | <a href='b.html'>Nächste Seite</a></p>",
        "<div class='brand'><a href='/'>Wattlauf</a></div>",
        "<h1>Wattlauf</h1>",
        "<label for='n'><div class='sr-only'>Toggle navigation</div></label>",
    ],
)
def test_controls_above_the_title_are_no_text(control):
    rest = "<h1>Wattlauf</h1><h2>Start</h2><p>Alle starten zugleich.</p>"
    text, _ = blocks(f"<html><body>{control}{rest}</body></html>")
    assert text == ["Wattlauf", "Start", "Alle starten zugleich."]


@pytest.mark.parametrize(
    "control",
    [
        "<p><a href='#'>Torna su ↑</a></p>",
        "<p>nach oben</p>",
        "<p><a href='javascript:print()'>Drucken</a> <a href='/s'>Teilen</a></p>",
        "<p>Stampa questa pagina</p>",
        "<p>Diese Website verwendet Cookies, um besser zu werden.</p>",
        "<div class='cookie-note'><p>We keep crumbs.</p></div>",
        "<a href='/edit'>Diesen Abschnitt bearbeiten</a>",
    ],
)
def test_controls_below_the_text_are_no_text(control):
    rest = "<h1>Wattlauf</h1><h2>Start</h2><p>Alle starten zugleich.</p>"
    text, _ = blocks(f"<html><body>{rest}{control}</body></html>")
    assert text == ["Wattlauf", "Start", "Alle starten zugleich."]


def test_rules_that_look_like_controls_are_text():
    rules = [
        "<h2>Teilen</h2>",
        "<p>Teilen</p>",
        "<p><b>Drucken</b></p>",
        "<div class='menu'><p>Jede Speise kostet zwei Münzen.</p></div>",
        "<p>Zurück, siehe <a href='#s'>Start</a>.</p>",
        "<p>Wer Cookies backt, verwendet Zucker.</p>",
    ]
    page = f"<html><body><h1>Wattlauf</h1>{''.join(rules)}<p>Ende.</p></body></html>"
    assert len(blocks(page)[0]) == len(rules) + 2


@pytest.mark.parametrize("edit", ["[<a href='/e'>Bearbeiten</a>]", "<a href='/e'>[modifica]</a>"])
def test_headings_of_a_wiki_lose_the_links_to_edit_them(edit):
    text, _ = blocks(f"<html><body><h1>Wattlauf</h1><h2>Start {edit}</h2><p>Los.</p></body></html>")
    assert text == ["Wattlauf", "Start", "Los."]


def title(text, name="a.md"):
    return identify(Document.from_bytes(name, text.encode())).title


RULES = "Wer am Zug ist, würfelt und zieht weiter. Danach ist die Person links an der Reihe.\n"


def test_a_rulebook_in_numbers_has_the_title_above_its_licence():
    assert identify(small("ganzlizenz.txt")).title == "Muschelspiel"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("![Bild](a.png)\n\n# Lotse\n\n## Zug\n\n", "Lotse"),
        ("Seite 1\n\nLizenz: CC0 1.0\n\n**Hausregeln Skat**\n\n## Geben\n\n", "Hausregeln Skat"),
        ("Turnverein Au e.V.\n\n# Satzung\n\n## § 1 Name\n\n", "Satzung"),
        ("# Turnverein Au e.V.\n\n## Satzung\n\n### § 1 Name\n\n", "Satzung"),
        ("TURNVEREIN AU\nMühlweg 3, 12345 Au\n\nSATZUNG\n\n§ 1 Name\n\n", "SATZUNG"),
        ("FEDERAZIONE DELLE BOCCE\n\nStatuto\n\nArt. 1 - Nome\n\n", "Statuto"),
        ("Rowing Union\n\nRace Rules\nEdition 4\n\n1. Entries\n\n", "Race Rules"),
        ("Fassung 2.1\n\nFischmarkt\n\n1. Aufbau\n\n", "Fischmarkt"),
        ("# Regolamento (rev. 7)\n\n## Turni\n\n", "Regolamento"),
        ("Inhaltsverzeichnis\n\n1. Aufbau\n2. Zug\n\n", "Unbekanntes Regelwerk"),
        ("# Vorbemerkung\n\n# Kassenordnung\n\n## § 1 Kasse\n\n", "Kassenordnung"),
        ("**Premessa**\n\n**Regolamento**\n\n## Art. 1 Barche\n\n", "Regolamento"),
        ("„Wer den Fisch fängt, muss ihn auch essen“\n\nFischmarkt\n\n1. Aufbau\n\n", "Fischmarkt"),
        ('"Wer den Fisch fängt, muss ihn auch essen"\n\n- Opa -\n\n', "Unbekanntes Regelwerk"),
        ("–ANNA MUSTERFRAU–\n\nFischmarkt\n\n1. Aufbau\n\n", "Fischmarkt"),
        (
            "This game is free software: you can redistribute it and/or modify\n\n"
            "it under the terms of the GNU General Public License\n\n## Aufbau\n\n",
            "Unbekanntes Regelwerk",
        ),
    ],
)
def test_what_stands_around_the_title_is_none(head, expected):
    assert title(f"{head}{RULES}\n## Ende\n\n{RULES}") == expected


def test_the_title_stands_below_the_contents_of_a_page():
    names = ["Lotse", "Zug", "Wertung", "Anhang"]
    links = "".join(f"<li><a href='#{name}'>{name}</a></li>" for name in names)
    text = "".join(
        f"<h{1 if name in ('Lotse', 'Anhang') else 2} id={name}>{name}</h1><p>{RULES}</p>"
        for name in names
    )
    page = f"<html><head><title></title></head><body><ul>{links}</ul>{text}</body></html>"
    assert title(page, "a.html") == "Lotse"


def test_a_preface_in_the_largest_print_is_no_title():
    printed = PrintedRulebook()
    for name in ("Vorbemerkung", "Wettfahrtordnung"):
        printed.heading(name, 18)
        printed.paragraph(RULES * 3)
    assert identify(Document.from_bytes("a.pdf", printed.printed())).title == "Wettfahrtordnung"


def test_the_name_of_a_club_in_the_largest_print_is_no_title():
    printed = PrintedRulebook()
    printed.heading("Segelverein Grünau e.V.", 24)
    printed.heading("Wettfahrtordnung", 18)
    for number in range(1, 4):
        printed.heading(f"§ {number} Start", 13)
        printed.paragraph(RULES * 3)
    assert identify(Document.from_bytes("a.pdf", printed.printed())).title == "Wettfahrtordnung"


@pytest.mark.parametrize(
    ("lines", "expected", "version"),
    [
        (
            [
                ("Amtliche Bekanntmachung", 26),
                ("Auhausen, 3.6.2024", 18),
                ("Ruderordnung der Jugend vom", 16),
                ("13.05.2024", 16),
                (
                    "Erlassen aufgrund des Gesetzes über die Gewässer des Landes (Wassergesetz) vom "
                    "16. September 2014, in Kraft am 1. Oktober 2014.",
                    10,
                ),
            ],
            "Ruderordnung der Jugend",
            "13.05.2024",
        ),
        ([("SATZUNG", 36), ("der", 28), ("Ruderjugend Au", 28)], "Satzung der Ruderjugend Au", ""),
        (
            [
                (
                    "Ordnung für die Pflege, Ausleihe und Lagerung der Boote, Riemen und Skulls des "
                    "Rudervereins der Stadt Auhausen am See",
                    20,
                ),
                ("Veröffentlichung: 18.06.2014", 14),
            ],
            "Ordnung für die Pflege, Ausleihe und Lagerung der Boote, Riemen und Skulls des "
            "Rudervereins der Stadt Auhausen am See",
            "18.06.2014",
        ),
        ([("Inhalt", 20), ("1 Start . . . . . . 1", 10), ("Bootsregeln", 20)], "Bootsregeln", ""),
    ],
)
def test_gazettes_dates_and_contents_are_no_titles(lines, expected, version):
    printed = PrintedRulebook()
    for text, size in lines:
        printed.paragraph(text, BODY if size == 10 else BOLD, size)
    for number in range(1, 4):
        printed.paragraph(f"§ {number} Start", BOLD, 12)
        printed.paragraph(RULES * 3)
    document = Document.from_bytes("a.pdf", printed.printed())
    edition = identify(document)
    assert (edition.title, edition.version) == (expected, version)
    headings = {entry.heading for entry in read(document, edition).entries}
    assert not headings & {"der", "13.05.2024", "Veröffentlichung: 18.06.2014"}


def test_a_document_in_the_folder_of_a_game_is_no_version_of_another_game(tmp_path):
    older = small("trickregeln.md")
    hashes = " ".join(similarity.sketch(similarity.compared_text(older)))
    (tmp_path / "trick.yaml").write_text(
        "id: trick-de-1\ngame: trick\nlanguage: de\nversion: '1'\ntitle: Trick\n"
        f"layout: outline\nrecognise: [Trick]\nsketch: {hashes}\n"
    )
    newer = small("elf.pdf")
    assert identify(newer, [tmp_path]).succeeds == "trick-de-1"
    assert identify(replace(newer, folder="trick"), [tmp_path]).succeeds == "trick-de-1"
    other = identify(replace(newer, folder="elf"), [tmp_path])
    assert (other.game, other.succeeds, other.title) == ("elf", None, "Muschelspiel")


def word(title, *paragraphs):
    """A document of a word processor with properties, written in 2013."""
    made = docx.Document()
    made.core_properties.title = title
    made.core_properties.created = datetime(2013, 12, 23)
    made.core_properties.revision = 7
    for paragraph in paragraphs:
        made.add_paragraph(paragraph)
    file = io.BytesIO()
    made.save(file)
    return Document.from_bytes("a.docx", file.getvalue())


TEXT = "Alle Laternen stehen zu Beginn am Ufer des Hafens und sind dunkel."


@pytest.mark.parametrize(
    ("document", "title", "version"),
    [
        (word("Laternenspiel, Version 2.1", TEXT), "Laternenspiel, Version 2.1", "2.1"),
        (word("Laternenspiel", TEXT), "Laternenspiel", ""),
        (word("Vorlage, Version 2.1", "Laternenspiel", TEXT), "Laternenspiel", ""),
        (word("Laternenspiel, Version 2.1", "Laternenspiel", TEXT), "Laternenspiel", "2.1"),
        (
            word("Laternenspiel, Version 2.1", "Laternenspiel", "Fassung 3", TEXT),
            "Laternenspiel",
            "3",
        ),
    ],
)
def test_properties_of_a_file_say_its_version_where_nothing_is_printed(document, title, version):
    edition = identify(document)
    assert (edition.title, edition.version, edition.effective) == (title, version, "")


@pytest.mark.parametrize(
    ("lines", "version"),
    [
        (
            [
                "Beschlossen am 1.11.2015 in Kiel.",
                "Zuletzt geändert durch den Vorstand am 2.9.2016.",
            ],
            "2.9.2016",
        ),
        (["Zuletzt geändert am 2.9.2016.", "Stand: 1.11.2015"], "2.9.2016"),
        (["August 14, 2026"], "August 14, 2026"),
        (["März 2025"], "März 2025"),
        (["2025"], ""),
        (["Laternen 2025"], ""),
        (["3 B 5 5 L 3", "5 U 3 3 V 5"], ""),
        (["Saison 2020 v1.1"], "1.1"),
    ],
)
def test_the_last_date_and_a_date_alone_are_those_of_the_version(lines, version):
    text = "\n\n".join(["# Laternenspiel", *lines, TEXT])
    assert identify(Document.from_bytes("a.md", text.encode())).version == version
