"""What small documents are: title, version, date and game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpus import Document, identify, similarity
from tests.corpus.pdf_maker import PrintedRulebook

SMALL = Path(__file__).parent / "small"


def small(name: str) -> Document:
    return Document.from_bytes(name, (SMALL / name).read_bytes())


@pytest.mark.parametrize(
    ("name", "version", "date"),
    [
        ("fassung.md", "2.1", ""),
        ("stand.md", "2.1", "2025-03-01"),
        ("ganzlizenz.txt", "", ""),  # the version is that of its licence
    ],
)
def test_the_version_and_the_date_are_those_of_the_document(
    name: str, version: str, date: str
) -> None:
    edition = identify(small(name))
    assert (edition.version, edition.effective) == (version, date)


def title(text: str, name: str = "a.md") -> str:
    return identify(Document.from_bytes(name, text.encode())).title


RULES = "Wer am Zug ist, würfelt und zieht weiter. Danach ist die Person links an der Reihe.\n"


def test_a_rulebook_in_numbers_has_the_title_above_its_licence() -> None:
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
    ],
)
def test_what_stands_around_the_title_is_none(head: str, expected: str) -> None:
    assert title(f"{head}{RULES}\n## Ende\n\n{RULES}") == expected


def test_the_name_of_a_club_in_the_largest_print_is_no_title() -> None:
    printed = PrintedRulebook()
    printed.heading("Segelverein Grünau e.V.", 24)
    printed.heading("Wettfahrtordnung", 18)
    for number in range(1, 4):
        printed.heading(f"§ {number} Start", 13)
        printed.paragraph(RULES * 3)
    assert identify(Document.from_bytes("a.pdf", printed.printed())).title == "Wettfahrtordnung"


def test_a_document_in_the_folder_of_a_game_is_no_version_of_another_game(tmp_path: Path) -> None:
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
