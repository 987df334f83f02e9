from collections import Counter

import pytest

from corpus.document import Document
from corpus.model import Correction, Edition, Fault, Rulebook
from corpus.read import read
from glossary import references
from glossary.model import Reference, ReferenceKind, ReferenceProblem
from tests.conftest import rulebook_of

CONTENTS = (
    "Das Imker-FAQ\n\nGrundlagen:\nSchwarm\nOrte und Personen\nDer Stock\nHonigraum\nGrosse "
    "Wabe\nLeihbiene\n\n"
)
SECTIONS = {
    "Schwarm": "Ein Schwarm zieht weiter.",
    "Orte und Personen": "Sie bleiben liegen.",
    "Stock": "Er steht.",
    "Honigraum (HR)": "Dort liegt der Honig.",
    "Große Wabe": "Sie ist groß.",
    "Flugregel": "Jede Biene fliegt nur einmal am Tag aus dem Stock.",
}


def faq(text, *corrections, names=None):
    """An FAQ whose last section, 'Fragen', holds ``text`` from line 49 on."""
    body = "".join(
        f"-----{title}-----\n\n{told}\n\n!!hoch!!\n\n" for title, told in SECTIONS.items()
    )
    edition = Edition(
        "imker-de",
        "imker",
        "de",
        "",
        "Das Imker-FAQ",
        "dashed",
        corrections=corrections,
        names=names or {},
    )
    return read(
        Document.from_bytes("faq.txt", f"{CONTENTS}{body}-----Fragen-----\n\n{text}\n".encode()),
        edition,
    )


def found(book):
    headings = {e.id: e.heading for e in book.entries}
    return [(r.line, r.raw, headings.get(r.target or ""), r.problem) for r in references.find(book)]


def in_text(text, *corrections, names=None):
    return [row[1:] for row in found(faq(text, *corrections, names=names)) if row[0] >= LINE]


LINE = 1 + CONTENTS.count("\n") + 6 * len(SECTIONS) + 2


def correct(line, printed, meant):
    return Correction(line, Fault.REFERENCE, printed, meant, "invented", line)


# The rulebook itself
# -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fan_faq(real) -> Rulebook:
    return rulebook_of(real, "behind-de-4.15c")


@pytest.fixture(scope="module")
def printed(fan_faq) -> tuple[Reference, ...]:
    return references.find(fan_faq)


def lines_of(book, reference):
    return next((e.lines.first for e in book.entries if e.id == reference.target), None)


def test_every_line_of_the_contents_leads_to_its_section(fan_faq, printed):
    contents = [r for r in printed if r.kind is ReferenceKind.CONTENTS]
    terms = {e.id for e in fan_faq.entries if e.kind == "term"}
    assert len(contents) == 65
    assert {r.target for r in contents} == terms


@pytest.mark.parametrize(
    ("line", "raw", "target", "problem"),
    [
        (8, "Ablauf eines Turniers", 110, None),
        (9, "BEHIND-Karten", 186, None),
        (16, 'Gedanken zu "dauerhaften Effekten"', 1967, None),
        (31, "Spielzug", 884, None),
        (32, "Starzonenrespawn", 905, ReferenceProblem.TITLE_DIFFERS),
        (43, "Regeneration", 1066, ReferenceProblem.TITLE_DIFFERS),
        (50, "Du lebst?", 1172, None),
        (82, "die Handkartenregel", 459, None),
        (88, "-!-Hier-!-", None, ReferenceProblem.OUTSIDE),
        (103, "den jeweiligen Szenariobeschreibungen", None, ReferenceProblem.OUTSIDE),
        (895, "die Handlungsrahmenregel", 495, None),
        (1099, "der Handlungsrahmen", 495, None),
        (1239, "Das Rückwirkungsverbot", 1617, None),
        (1505, "Handlungsrahmen beachten", 495, None),
        (1510, "Regelheft zum Szenario Pack", None, ReferenceProblem.OUTSIDE),
        (1586, "das Timing", 1591, None),
        (
            1587,
            '"spezielle Fähigkeiten von Charakteren und Helfern"',
            2142,
            ReferenceProblem.TITLE_DIFFERS,
        ),
        (1918, "Der Kartentext ist geändert worden", 539, None),
        (2014, "der Regel zum unendlichen Einflussduell", 2006, None),
        (2119, '"Orten und Personen"', 1784, None),
        (2119, '"Spielchip-Karten"', 1840, None),
    ],
)
def test_a_reference_of_the_fan_faq_leads_where_it_should(
    fan_faq, printed, line, raw, target, problem
):
    assert (line, raw, target, problem) in [
        (r.line, r.raw, lines_of(fan_faq, r), r.problem) for r in printed
    ]


def test_one_rule_of_two_with_its_name_is_meant_everywhere(fan_faq, printed):
    targets = [
        (r.line, lines_of(fan_faq, r)) for r in printed if r.raw.endswith("Rückwirkungsverbot")
    ]
    wanted = [325, 388, 626, 951, 955, 961, 1192, 1239, 1586, 1626, 1667, 1759, 2029, 2115]
    assert targets == [(line, 1617) for line in wanted]


def test_references_of_the_fan_faq_are_printed_as_they_say(fan_faq, printed):
    for reference in printed:
        assert fan_faq.document.text[slice(*reference.span)] == reference.raw
        assert fan_faq.document.line_at(reference.span.start) == reference.line
        assert (reference.target is None) == (
            reference.problem in (ReferenceProblem.OUTSIDE, ReferenceProblem.MISSING)
        )
    assert Counter(r.problem for r in printed if r.problem) == {
        ReferenceProblem.OUTSIDE: 5,
        ReferenceProblem.TITLE_DIFFERS: 3,
    }


# Contents
# ------------------------------------------------------------------------------------------------------------


def test_contents_and_sections_may_be_spelled_differently():
    assert [row for row in found(faq("Keine.")) if row[0] < 10] == [
        (4, "Schwarm", "Schwarm", None),
        (5, "Orte und Personen", "Orte und Personen", None),
        (6, "Der Stock", "Stock", None),
        (7, "Honigraum", "Honigraum (HR)", None),
        (8, "Grosse Wabe", "Große Wabe", None),
        (9, "Leihbiene", None, ReferenceProblem.MISSING),
    ]


def test_a_misspelled_line_of_the_contents_leads_to_its_section_and_says_so():
    book = faq("Keine.")
    text = book.document.text.replace("Honigraum\n", "Honigruam\n", 1)
    damaged = read(Document.from_bytes("faq.txt", text.encode()), book.edition)
    assert (7, "Honigruam", "Honigraum (HR)", ReferenceProblem.TITLE_DIFFERS) in found(damaged)


# Running text
# --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            'Siehe "Schwarm" und "Große Wabe".',
            [('"Schwarm"', "Schwarm", None), ('"Große Wabe"', "Große Wabe", None)],
        ),
        ("Er zieht weiter (siehe Schwarm).", [("Schwarm", "Schwarm", None)]),
        ("Er zieht weiter, siehe unten.", []),
        (
            "Das steht anderswo, siehe Bienenkunde.",
            [("Bienenkunde", None, ReferenceProblem.MISSING)],
        ),
        (
            'Näheres steht bei "Orten und Personen" oder "Schwärmen".',
            [
                ('"Orten und Personen"', "Orte und Personen", None),
                ('"Schwärmen"', None, ReferenceProblem.MISSING),
            ],
        ),
        ("Die Flugregel gilt auch nachts.", [("Die Flugregel", "Flugregel", None)]),
        ("Das zählt zur Flugregel.", [("Flugregel", "Flugregel", None)]),
        ("Eine Flugregel braucht es nicht.", []),
        ("Sie darf ausfliegen (Flugregel beachten).", [("Flugregel beachten", "Flugregel", None)]),
        ("Dabei sind der Stock und das Wetter zu beachten.", [("der Stock", "Stock", None)]),
        ("Der Stock ist dabei ohne Belang.", []),
        ('Eine "Große Wabe" liegt im Stock.', []),
        (
            "Bilder gibt es auf https://imker.example/bilder.htm.",
            [("https://imker.example/bilder.htm", None, ReferenceProblem.OUTSIDE)],
        ),
        ("-!-Dort-!- gibt es Bilder.", [("-!-Dort-!-", None, ReferenceProblem.OUTSIDE)]),
    ],
)
def test_what_points_somewhere_is_told_from_what_only_names_it(text, wanted):
    assert in_text(text) == wanted


def test_a_rule_does_not_refer_to_itself():
    assert in_text("Flug-Regel:\nDie Flugregel steht hier noch einmal.") == []


def test_a_short_name_that_the_edition_knows_means_the_rule():
    assert in_text("Der Ausflug zählt mit.") == []
    assert in_text("Der Ausflug zählt mit.", names={"Ausflug": "Flugregel"}) == [
        ("Der Ausflug", "Flugregel", None)
    ]


def test_a_head_on_its_own_line_is_meant_rather_than_one_inside_a_paragraph():
    text = (
        "Bettelverbot: Hier bekommt keine Drohne etwas von den anderen.\n\n"
        "Das Bettelverbot ist zu beachten.\n\n-----Drohnen-----\n\nBettelverbot:\nSie gehen leer "
        "aus."
    )
    book = faq(text)
    (reference,) = [r for r in references.find(book) if r.raw == "Das Bettelverbot"]
    assert lines_of(book, reference) == LINE + 6


# Corrections
# ---------------------------------------------------------------------------------------------------------


def test_a_correction_points_out_what_no_rule_finds_several_times_a_line():
    text = "Das gilt wie im ersten Teil und wie im Beiheft."
    corrections = [correct(LINE, "im ersten Teil", "Schwarm"), correct(LINE, "Beiheft", None)]
    assert in_text(text, *corrections) == [
        ("im ersten Teil", "Schwarm", None),
        ("Beiheft", None, ReferenceProblem.OUTSIDE),
    ]


def test_a_title_quoted_wrongly_is_a_fault_and_leads_to_what_is_meant():
    book = faq('Das steht in "Kleine Wabe".', correct(LINE, '"Kleine Wabe"', "Große Wabe"))
    (reference,) = [r for r in references.find(book) if r.line == LINE]
    assert (reference.problem, reference.meant) == (
        ReferenceProblem.TITLE_DIFFERS,
        reference.target,
    )


def test_a_title_quoted_rightly_is_no_fault():
    assert in_text('"Große Wabe" gilt auch hier.', correct(LINE, '"Große Wabe"', "Große Wabe")) == [
        ('"Große Wabe"', "Große Wabe", None)
    ]


def test_a_correction_comes_before_what_a_rule_finds():
    assert in_text("Die Flugregel gilt.", correct(LINE, "Die Flugregel", "Stock")) == [
        ("Die Flugregel", "Stock", None)
    ]


def test_a_correction_that_does_not_fit_is_left_alone():
    assert in_text("Nichts.", correct(LINE, "Etwas", "Stock")) == []
