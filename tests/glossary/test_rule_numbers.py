from collections import Counter

import pytest

from corpus.document import Document
from corpus.model import Correction, Edition, Fault, Rulebook
from corpus.read import read
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from glossary.references.rule_numbers import find
from tests.conftest import rulebook_of

BODY = """1. WOLKEN

1.1. Allgemeines

1.1.1. Regen
1.1.1.1. Wolken ziehen.
1.1.1.2. Wolken bleiben.
1.1.1.3. {here}
1.1.2. Es gilt noch mehr.
1.1.2.1. Nachts.
1.1.2.2. Morgens.

1.2. Schnee

1.2.1. Es schneit.

2. DER WIND

2.1. Sturm

2.1.1. Er tobt.
"""
LINE = 8


def parse(text, *corrections):
    return read(
        Document.from_bytes("x.txt", text.encode()),
        Edition("wolken-de", "wolken", "de", "1", "Wolken", "numbered", corrections),
    )


def told(here, *corrections):
    """What is printed and which entry it leads to, for a rule with the text ``here``."""
    return [
        (reference.raw, _number(reference.target)) for reference in references(here, *corrections)
    ]


def references(here, *corrections):
    return find(parse(BODY.replace("{here}", here), *corrections))


def _number(target):
    return target.removeprefix("wolken-de/") if target else None


@pytest.mark.parametrize(
    ("here", "expected"),
    [
        ("Es regnet (siehe 1.2).", [("1.2", "1.2")]),
        ("Es regnet (siehe 1.2.1.).", [("1.2.1", "1.2.1")]),
        ("Mehr dazu in Abschnitt 2.", [("2", "2")]),
        ("Mehr dazu in den Abschnitten 1 und 2.", [("1", "1"), ("2", "2")]),
        ("Wie in 1.1.1.1 und 1.2.1 beschrieben.", [("1.1.1.1", "1.1.1.1"), ("1.2.1", "1.2.1")]),
        ("Der Schritt [regnen \\(1.2.1.\\)](#) fällt aus.", [("1.2.1", "1.2.1")]),
        ("Das steht in 1.1.1.1/1.1.1.2 schon.", [("1.1.1.1", "1.1.1.1"), ("1.1.1.2", "1.1.1.2")]),
        ("Vedi 1.2 e sezione 2.", [("1.2", "1.2"), ("2", "2")]),
        ("Siehe auch 2.1.1!", [("2.1.1", "2.1.1")]),
    ],
)
def test_numbers_lead_to_their_rule_or_section(here, expected):
    assert told(here) == expected


@pytest.mark.parametrize(
    "here",
    [
        "Die Karte misst 6,3 cm x 8,8 cm.",
        "Es sind 2.5 Grad.",
        "Es sind 1.2 cm und 1.2% Regen.",
        "Seit Version 1.2.1 regnet es.",
        "Seit der Fassung 1.2 regnet es.",
        "Am 1.2.2031 schneit es.",
        "Zieht 2 Karten in Phase 1.",
        "Abschnitt um Abschnitt.",
        "Der Wert steigt um +1.2 am Tag.",
        "Abschnitt 12 gibt es nicht.",
    ],
)
def test_measures_dates_and_versions_are_no_references(here):
    assert told(here) == []


def test_the_number_a_rule_begins_with_is_no_reference_and_its_own_number_later_is_one():
    assert told("Das gilt trotz 1.1.1.3 nicht.") == [("1.1.1.3", "1.1.1.3")]


@pytest.mark.parametrize("between", [" bis ", "–", "-", " bis einschließlich ", " a ", " al "])
def test_both_ends_of_a_range_are_references(between):
    found = references(f"Siehe 1.1.1.1{between}1.1.1.3.")
    assert [(r.raw, _number(r.target), r.kind) for r in found] == [
        ("1.1.1.1", "1.1.1.1", ReferenceKind.RANGE),
        ("1.1.1.3", "1.1.1.3", ReferenceKind.RANGE),
    ]


@pytest.mark.parametrize(
    ("here", "raw"),
    [
        ("Siehe 1.2, „Schnee“.", "1.2, „Schnee“"),
        ("Siehe 1.2 „schnee“ dazu.", "1.2 „schnee“"),
        ("Siehe Abschnitt 2. „Der Wind“ dazu.", "2. „Der Wind“"),
        ("Siehe 1.2, „**Schnee**“.", "1.2, „**Schnee**“"),
        ("Vedi 1.2, «Schnee».", "1.2, «Schnee»"),
        ("Es regnet (siehe 1.1.1, „Regen“).", "1.1.1, „Regen“"),
    ],
)
def test_a_title_behind_the_number_is_part_of_the_reference(here, raw):
    (found,) = references(here)
    assert (found.raw, found.problem, found.meant) == (raw, None, None)


def test_words_of_the_sentence_in_quotation_marks_are_no_title():
    assert told("Das ist eine Ausnahme zu 1.2. „Regen“ ist gemeint.") == [("1.2. „Regen“", "1.1.1")]
    assert told("Das ist eine Ausnahme zu 1.2. „Nebel“ gibt es nicht.") == [("1.2", "1.2")]


@pytest.mark.parametrize(
    ("here", "number", "problem"),
    [
        ("Siehe 1.2, „Hagel“.", "1.2", ReferenceProblem.TITLE_DIFFERS),
        ("Siehe 1.1.1, „Niesel“.", "1.1.1", ReferenceProblem.TITLE_DIFFERS),
        ("Siehe 1.2, „Sturm“.", "2.1", ReferenceProblem.WRONG_NUMBER),
        ("Siehe 9.9 „Sturm“ dazu.", "2.1", ReferenceProblem.WRONG_NUMBER),
        ("Siehe 1.1.3.", "1.1.1.3", ReferenceProblem.WRONG_NUMBER),
    ],
)
def test_what_is_wrong_in_print_is_said_and_the_reader_still_gets_there(here, number, problem):
    (found,) = references(here)
    assert (_number(found.target), _number(found.meant), found.problem) == (number, number, problem)


def test_a_number_without_entry_that_could_mean_several_means_the_one_in_the_same_rule():
    text = (
        BODY.replace("{here}", "Siehe 1.1.2.")
        .replace("1.1.2. Es gilt noch mehr.\n", "")
        .replace("Er tobt.", "Er tobt (siehe 1.1.2).")
    )
    inside, outside = find(parse(text))
    assert (_number(inside.target), inside.problem) == ("1.1.1.2", ReferenceProblem.WRONG_NUMBER)
    assert (outside.target, outside.problem) == (None, ReferenceProblem.MISSING)


def test_a_number_that_means_nothing_is_missing():
    (found,) = references("Siehe 7.7.7.")
    assert (found.target, found.problem, found.meant) == (None, ReferenceProblem.MISSING, None)


def test_both_ends_of_a_range_that_lacks_a_level_are_put_right():
    found = references("Siehe 1.1.1 bis 1.1.3.")
    assert [(r.raw, _number(r.target), r.problem) for r in found] == [
        ("1.1.1", "1.1.1.1", ReferenceProblem.WRONG_NUMBER),
        ("1.1.3", "1.1.1.3", ReferenceProblem.WRONG_NUMBER),
    ]


def test_corrections_put_right_what_a_look_up_finds_wrongly():
    wrong = Correction(LINE, Fault.REFERENCE, "1.2.1", "2.1.1", "misprint", LINE)
    (found, other) = references("Siehe 1.2.1 und 1.2.", wrong)
    assert (_number(found.target), found.problem) == ("2.1.1", ReferenceProblem.WRONG_NUMBER)
    assert (_number(other.target), other.problem) == ("1.2", None)
    outside = Correction(LINE, Fault.REFERENCE, "1.2.1", None, "another booklet", LINE)
    (found,) = references("Siehe 1.2.1.", outside)
    assert (found.target, found.problem) == (None, ReferenceProblem.OUTSIDE)


def test_contents_tables_hold_no_references():
    table = (
        "INHALT\n\n1. WOLKEN\n - 1.1. Allgemeines\n - 1.2. Schnee\n 2. DER WIND\n - 2.1. Sturm\n\n"
    )
    assert find(parse(table + BODY.replace("{here}", "Es regnet."))) == []


GLOSSARY = (
    "GLOSSAR\n\nNebel\n\nSiehe Wolke.\n\nWolke\n\nWasser (siehe 1.2).\n\nSiehe auch: Nebel, "
    "Hagel\n\n"
)
LOG = (
    "Änderungen\n\n3. Mai 2031\n\n- 1.2.1. Neu.\n- 1.1.1.1./1.1.1.2. Neu.\n\nNeues im Glossar\n\n- "
    "**Wolke:** Neu.\n- Nebel: Neu.\n"
)


def test_change_logs_point_to_rules_and_to_terms_of_the_glossary():
    book = parse(BODY.replace("{here}", "Es regnet.") + "\n" + GLOSSARY + LOG)
    found = [(r.raw, _number(r.target), r.kind.value, r.problem) for r in find(book)]
    assert found == [
        ("Wolke", "wolke", "see", None),
        ("1.2", "1.2", "inline", None),
        ("Nebel", "nebel", "see-also", None),
        ("Hagel", None, "see-also", ReferenceProblem.MISSING),
        ("1.2.1", "1.2.1", "inline", None),
        ("1.1.1.1", "1.1.1.1", "inline", None),
        ("1.1.1.2", "1.1.1.2", "inline", None),
        ("Wolke", "wolke", "inline", None),
        ("Nebel", "nebel", "inline", None),
    ]


# The real rulebook: facts without its sentences


@pytest.fixture(scope="module")
def real_book(real) -> Rulebook:
    return rulebook_of(real, "lorcana-de-2.1.0")


@pytest.fixture(scope="module")
def real_references(real_book) -> list[Reference]:
    return find(real_book)


def test_all_references_of_the_real_rulebook_are_found(real_references):
    assert Counter(r.kind.value for r in real_references) == {"inline": 138, "range": 16}
    assert Counter(r.problem for r in real_references) == {
        None: 139,
        ReferenceProblem.WRONG_NUMBER: 10,
        ReferenceProblem.TITLE_DIFFERS: 5,
    }
    assert [r for r in real_references if r.target is None] == []


def test_every_reference_of_the_real_rulebook_stands_where_it_says(real_book, real_references):
    document = real_book.document
    assert [
        r
        for r in real_references
        if document.text[slice(*r.span)] != r.raw or document.line_at(r.span.start) != r.line
    ] == []


@pytest.mark.parametrize(
    ("line", "printed", "meant"),
    [
        (222, "1.8.1.5", "1.8.1.4"), (358, "1.9.1", "1.8.1"), (513, "5.1.7", "5.1.1.7"), (513, "5.1.6", "5.1.1.6"),
        (523, "5.1.1", "5.1.1.1"), (523, "5.1.12", "5.1.1.12"), (536, "10.10", "8.10"), (1581, "6.7", "7.7"),
        (1620, "5.1.11", "5.1.1.11"), (1620, "5.1.12", "5.1.1.12"),
    ],
)  # fmt: skip
def test_wrong_numbers_of_the_real_rulebook_lead_where_they_should(
    real_book, real_references, line, printed, meant
):
    (found,) = [r for r in real_references if r.line == line and r.raw.split()[0] == printed]
    assert found.problem is ReferenceProblem.WRONG_NUMBER
    assert found.target == found.meant == f"{real_book.edition.id}/{meant}"


@pytest.mark.parametrize(
    ("line", "number"), [(105, "1.10"), (304, "3"), (598, "3.2.2"), (1439, "3.3"), (1495, "1.8")]
)
def test_titles_that_differ_in_the_real_rulebook_are_named(
    real_book, real_references, line, number
):
    (found,) = [r for r in real_references if r.line == line]
    assert (found.problem, found.target) == (
        ReferenceProblem.TITLE_DIFFERS,
        f"{real_book.edition.id}/{number}",
    )


@pytest.mark.parametrize("line", [110, 155, 325, 349, 710])
def test_capitals_and_a_lost_colon_are_no_other_title(real_references, line):
    assert [r.problem for r in real_references if r.line == line] == [None]


@pytest.mark.parametrize("line", [5, 7, 151, 411, 413, 1180, 1605])
def test_versions_dates_and_measures_of_the_real_rulebook_are_no_references(real_references, line):
    assert [r for r in real_references if r.line == line] == []
