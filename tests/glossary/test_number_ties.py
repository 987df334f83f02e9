from dataclasses import replace

import pytest

from corpus import identify
from corpus.document import Document
from corpus.model import DocumentKind, Rulebook
from corpus.read import read
from glossary.comparison import compare_editions
from glossary.matching.printed_ties import tie_numbers

TEXTS = {
    "de": [
        "Jede Seite legt {} Kufen an den Rand.",
        "Der Lotse Brendan zieht {} Felder weit.",
        "Danach sind {} Fässer verloren.",
    ],
    "it": [
        "Ogni parte posa {} pattini sul bordo.",
        "Il pilota Brendan avanza di {} caselle.",
        "Poi {} barili sono perduti.",
    ],
}


def rulebook(language, chapters=4, shift=0):
    """Numbered rules, each with another number in its text; with a ``shift``, other rules stand
    under the numbers.
    """
    name = {"de": "Kufenrennen: die Regeln", "it": "Corsa dei pattini: le regole"}[language]
    lines = [name, ""]
    for chapter in range(1, chapters + 1):
        lines += [f"{chapter}. {'Abschnitt' if language == 'de' else 'Sezione'} {chapter}", ""]
        for rule in range(1, 7):
            moved = chapter * 20 + (rule + shift) % 7 * 3
            lines += [f"{chapter}.{rule}. {TEXTS[language][(rule + shift) % 3].format(moved)}", ""]
    document = Document("kufen.txt", f"{language}{shift}", "\n".join(lines), folder="kufen")
    return read(document, identify(document))


@pytest.fixture
def pair() -> tuple[Rulebook, Rulebook]:
    return rulebook("de"), rulebook("it")


def numbers_of(rulebook, tied):
    return {tied[e.id]: str(e.number).rstrip(".") for e in rulebook.entries if e.id in tied}


def test_equal_numbers_of_editions_that_are_numbered_alike_are_one_rule(pair):
    tied = tie_numbers(pair)
    here, there = (numbers_of(book, tied) for book in pair)
    assert len(here) >= 24
    assert here == there
    assert here["number-2-3"] == "2.3"
    found = compare_editions(pair[0], pair[1], tied, {}, [])
    both = [p for p in found.pairs if p.left and p.right]
    assert len(both) >= 24
    assert all(
        str(p.left[0].number).rstrip(".") == str(p.right[0].number).rstrip(".") for p in both
    )


def test_where_other_rules_stand_under_the_numbers_nothing_is_tied(pair):
    assert tie_numbers([pair[0], rulebook("it", shift=2)]) == {}


def test_few_numbers_and_one_language_say_nothing(pair):
    assert tie_numbers([rulebook("de", chapters=1), rulebook("it", chapters=1)]) == {}
    assert tie_numbers([pair[0], rulebook("de", chapters=3)]) == {}


def of_kind(kind, book):
    return replace(book, edition=replace(book.edition, kind=kind))


def test_rules_and_policies_are_tied_among_themselves_alone(pair):
    policies = [of_kind(DocumentKind.POLICY, book) for book in pair]
    assert tie_numbers([pair[0], policies[1]]) == {}
    assert set(tie_numbers(pair).values()).isdisjoint(tie_numbers(policies).values())
    assert len(tie_numbers(policies)) == len(tie_numbers(pair))


def test_numbers_of_cards_are_none_of_rules(sample):
    assert tie_numbers(sample.rulebooks) == {}
