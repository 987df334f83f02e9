"""Small documents, each of one kind that real rulebooks have, through what a user uses: what is
right of each. Details are in tests/corpus/test_small_*; numbers that are asked for in
test_asked_numbers.py, `regula add` of a game like another in test_workspace.py, links that outlive
a version in test_old_addresses.py.
"""

from pathlib import Path

import pytest

import service
from corpus import Rulebook, read_folder
from glossary.references import find
from service.editions.findings import check_editions, findings_text
from tests.service import small_documents as documents
from tests.service.command_line import regula


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return documents.write(tmp_path_factory.mktemp("read") / "books")


@pytest.fixture(scope="module")
def books(folder) -> dict[str, Rulebook]:
    found = read_folder(folder)
    assert not found.left_out
    return {Path(each.document.file).name: each for each in found.rulebooks}


def numbers(rulebook):
    return [entry.number for entry in rulebook.entries if entry.number]


def referred(rulebook):
    named = {entry.id: entry.number or entry.title for entry in rulebook.entries}
    return [named.get(each.target or "", "?") for each in find(rulebook)]


def shown(rulebook):
    return [passage.display for passage in rulebook.passages]


@pytest.mark.parametrize(
    ("file", "references"),
    [
        ("artikel.md", ["Art. 2", "Art. 3", "Art. 4", "Art. 2", "Art. 3", "Art. 4", "Art. 3"]),
        ("bereich-de.md", ["§ 2", "§ 3", "§ 4", "§ 1", "§ 3", "§ 4", "§ 2"]),
        ("bereich-en.md", ["Article 2", "Article 3", "Article 4", "Article 1", "Article 3", "Article 4"]),
        ("doppelt.md", ["Kosten", "Ablauf"]),
        ("liste.md", ["§ 1 (3)"]),
    ],
)  # fmt: skip
def test_each_rule_that_is_referred_to_is_a_reference(books, file, references):
    assert sorted(referred(books[file])) == sorted(references)


def test_names_with_signs_are_referred_to(books):
    assert {"Wache: Nachtschicht", "„Halt! Wer da?“", "Süßwasserbärin"} <= set(
        referred(books["namen.md"])
    )


def test_numbers_are_those_that_are_printed(books):
    assert numbers(books["elf.pdf"]) == [str(number) for number in range(1, 12)]
    assert {"§ 1 (1) 3.", "§ 1 (2)", "§ 1 (3)"} <= set(numbers(books["liste.md"]))
    code = numbers(books["codice.txt"])
    assert [each for each in code if each.startswith("Art")] == [f"Art. {n}" for n in range(1, 7)]
    assert {"Capitolo 1", "1.1", "1.2", "1.2.1", "2.1"} <= set(code)


def test_versions_are_those_of_the_document(books):
    files = ("fassung.md", "stand.md", "ganzlizenz.txt")
    editions = [books[file].edition for file in files]
    assert [(e.version, e.effective) for e in editions] == [
        ("2.1", ""),
        ("2.1", "2025-03-01"),
        ("", ""),
    ]


def test_what_is_printed_is_read_line_by_line_and_page_by_page(books):
    over = shown(books["overlap.pdf"])
    assert {"Bitte lesen und fuer spaeter gut aufheben.", "30 Holzmarken"} <= set(over)
    assert "Rigore parato: Portiere 3, Difensore 3, Mediano 3, Punta 3" in shown(books["table.pdf"])
    spread = shown(books["spread.pdf"])
    assert spread[0] == "Spielanleitung"
    assert spread[-1].endswith("Nein, Marken werden nie getauscht.")
    assert not any(each[-1].isdigit() for each in spread)
    assert "Navigation ausblenden" not in shown(books["shy.html"])


@pytest.mark.parametrize(
    ("file", "question", "answer"),
    [
        ("doppelt.md", "Ablauf der Verteidigung", "Der Verteidiger stellt einen Schild auf"),
        ("faq.md", "Was passiert, wenn zwei Personen die gleiche Antwort geben?", "„Teilung“"),
        ("fligatur.md", "Wer befindet sich auf dem Fluss?", "findet dort eine flache Insel"),
        ("liste.md", "§ 1 (3)", "Die Würfel sind rot"),
        ("namen.md", "„Halt! Wer da?“", "Beim Ruf bleiben alle Figuren"),
        ("namen.md", "eowyns schwur", "Wer diesen Schwur leistet"),
        ("overlap.pdf", "Wie viele Holzmarken?", "30 Holzmarken"),
        ("spread.pdf", "Darf man Marken tauschen?", "Marken werden nie getauscht"),
        ("sprache.md", "Wie kann ich aus der Runde austreten?", "Der Austritt"),
        ("sprache.md", "Wohin kommt eine Ausbau-Karte nach dem Kauf?", "„Ballon“"),
        ("table.pdf", "Rigore parato", "Portiere 3, Difensore 3"),
    ],
)
def test_the_answer_is_first(small_documents, file, question, answer):
    found = service.ask(small_documents, question, document=file)
    assert answer in found.passages[0].display
    assert found.settled != "open"


def test_answers_are_marked_and_abbreviations_end_no_sentence(small_documents):
    question = "Was passiert, wenn zwei Personen die gleiche Antwort geben?"
    first = service.ask(small_documents, question, document="faq.md").passages[0]
    marked = [first.text[start:end] for start, end in first.highlights]
    assert marked
    assert not any("gleiche Antwort geben?" in each for each in marked)
    first = service.ask(
        small_documents, "Was zählt jede Perle am Ende?", document="shy.html"
    ).passages[0]
    assert not any(
        first.text[start:end].endswith(("lt.", "Nr.", "bzw.")) for start, end in first.highlights
    )


def test_an_article_makes_no_question_english(small_documents):
    assert service.ask(small_documents, "I giocatori possono parlare?").language == "it"


def test_contents_without_the_word_before_a_number_are_no_misprints(books):
    for file in ("parts.pdf", "teile.md"):
        edition = books[file].edition.id
        ((_, found),) = check_editions(list(books.values()), edition)
        assert "contents" not in findings_text(books[file], found).lower()


def test_changes_tell_inserted_rules(folder):
    out = regula("changes", "kran-de-1.1", rulebooks=folder).stdout
    assert "split" not in out
    assert "renumbered: 2.1 → 2.2" in out
    assert "new: 2.1" in out
    assert "2.2: what it meant is 2.3 now" in out
