from pathlib import Path

import pytest

from corpus import read_folder
from index.library.library import assemble_library
from service.answers.verify import verification_out
from tests.service.harbour import Harbour

GERMAN = """# Gestaltwandler
Version 1.0

## Gestalt wechseln
Jeder Spieler darf ein Mal pro Runde die Gestalt wechseln.

Wer wechselt, zieht eine einzige Karte vom Stapel.

Nur der erste Angriff einer Runde verursacht Schaden.

Ein erschöpfter Held darf angreifen, außer er ist betäubt.

Ein Held kann fliehen, wenn kein Gegner im Spiel ist. Dann endet die Runde.

Die Wache darf mindestens eine Karte aus dem Lager nehmen.
"""
ITALIAN = """# Mutaforma
Versione 1.0

## Cambiare forma
Ogni giocatore può cambiare forma una sola volta durante il proprio turno di gioco.

Chi cambia forma pesca un'unica carta dal mazzo.

Ciascun eroe attacca i nemici al massimo per tre turni.
"""
ATTACK = "Nur der erste Angriff einer Runde verursacht Schaden."


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Harbour:
    folder: Path = tmp_path_factory.mktemp("books")
    (folder / "gestalt.md").write_text(GERMAN)
    (folder / "forma.md").write_text(ITALIAN)
    return Harbour(assemble_library(read_folder(folder).rulebooks), id="shapes")


@pytest.mark.parametrize(
    ("quoted", "word"),
    [
        ("Jeder Spieler darf […] die Gestalt wechseln.", "ein Mal"),
        ("Jeder Spieler darf ein Mal […] die Gestalt wechseln.", "pro"),
        ("Wer wechselt, zieht […] vom Stapel.", "einzige"),
        ("Nur der […] Angriff einer Runde verursacht Schaden.", "erste"),
        ("Die Wache darf […] Karte aus dem Lager nehmen.", "mindestens"),
        ("Ogni giocatore può cambiare forma […] durante il proprio turno di gioco.", "una sola"),
        ("Chi cambia forma pesca […] dal mazzo.", "unica"),
        ("[…] eroe attacca i nemici al massimo per tre turni.", "Ciascun"),
    ],
)
def test_an_ellipsis_that_hides_a_limit_is_named(index, quoted, word):
    (found,) = verification_out(index, f"„{quoted}“").quotations
    assert (found.status, found.misleading) == ("altered", True)
    assert any(word in each for left in found.left_out for each in left.words)


@pytest.mark.parametrize(
    "quoted",
    [
        "Ein erschöpfter Held darf angreifen",
        "Ein Held kann fliehen",
        "Ein Held kann fliehen,",
    ],
)
def test_a_sentence_that_ends_before_its_exception_or_condition_is_altered(index, quoted):
    body = verification_out(index, f"Das Heft sagt „{quoted}“ dazu.")
    assert (body.verdict, body.quotations[0].misleading) == ("altered", True)
    said = verification_out(index, f"Das Heft sagt „{quoted}“, aber nicht immer.")
    assert said.verdict == "exact"


@pytest.mark.parametrize(
    "form",
    [
        "**{}**",
        "__{}__",
        "**{}** So ist es.",
        "<b>{}</b>",
        "<strong>{}</strong>",
        "<cite>{}</cite>",
        "<td>{}</td>",
        "<h2>{}</h2>",
        "## {}",
        "## {} ##",
        "# Frage: „{}“",
        "| Regel | Wortlaut |\n|---|---|\n| 4 | {} |",
        "| „{}“ |\n|---|",
        "> **{}**",
        '[Regel](https://example.org "{}")',
    ],
)
def test_sentences_that_are_set_off_are_quotations(index, form):
    for words, verdict in ((ATTACK, "exact"), (ATTACK.replace("Nur der", "Jeder"), "altered")):
        assert verification_out(index, form.format(words)).verdict == verdict, (form, words)


@pytest.mark.parametrize(
    "text",
    [
        "**Ja, das darfst du in jeder Runde.** Frag sonst nach.",
        "## Wie viele Karten darf ich denn nun ziehen?",
        "**Antwort:** nein. **Grund:** die Karte ist weg.",
        "| Spalte | Wert |\n|---|---|\n| Karten auf der Hand | drei |",
    ],
)
def test_what_a_writer_sets_off_of_his_own_is_no_quotation(index, text):
    assert verification_out(index, text).quotations == []


def test_a_mark_in_a_block_quote_that_nothing_closes_is_part_of_what_is_quoted(index):
    assert verification_out(index, f'> niemals: "{ATTACK}').verdict != "exact"
    assert verification_out(index, f'> Im Heft: "{ATTACK}"').verdict == "exact"
