from collections.abc import Callable
from dataclasses import replace

import pytest

from corpus import Rulebook
from glossary.check import Certainty, FindingKind, Reason, Why, because, renderings, terms
from glossary.check.model import Finding
from glossary.check.renderings import RenderingKind, collect_renderings
from glossary.concepts import Concept
from glossary.references import find
from tests.conftest import rulebook_of

Make = Callable[..., Rulebook]


def checked(rulebook, said=False):
    return list(
        terms.find_terminology_faults(
            rulebook, [rulebook], find(rulebook, [rulebook]), collect_renderings(rulebook), said
        )
    )


def told(rulebook, sort):
    return [(f.line, f.printed, f.meant) for f in checked(rulebook) if f.kind is sort]


def concept(id, *names, language="de"):
    return Concept(id, "spiel", {language: names}, {}, {}, (), False, {})


@pytest.fixture
def known(monkeypatch) -> Callable[..., None]:
    """Makes concepts those of the invented game, tied by what they are called."""

    def describe(*made):
        for module in (renderings, terms):
            monkeypatch.setattr(
                module, "load_concepts", lambda game: made if game == "spiel" else ()
            )

    return describe


HIVE = ("term", "BIENENSTOCK", "Im Bienenstock ist Platz.")


def test_a_misread_name_is_told_once_with_all_its_lines(book):
    rulebook = book(
        HIVE,
        (
            "term",
            "WABE",
            "Jeder Bienenstock hat Waben.",
            "Ein Bienemstock ruht.",
            "Dem Bienemstock schadet das nicht.",
        ),
    )
    (found,) = [f for f in checked(rulebook) if f.kind is FindingKind.SEVERAL_RENDERINGS]
    assert (found.line, found.printed, found.meant, found.certainty) == (
        5,
        "Bienemstock",
        "bienenstock",
        Certainty.LIKELY,
    )
    assert Reason(Why.ALSO_AT, {"count": 1, "lines": "6"}) in found.why


def test_inflected_and_compounded_names_are_no_other_rendering(book):
    text = "Die Bienenstöcke des Bienenstocks, der Bienenstockdeckel; bienenstockartig ist nichts."
    assert told(book(HIVE, ("term", "WABE", text)), FindingKind.SEVERAL_RENDERINGS) == []


def test_a_word_that_makes_no_sense_in_a_list_of_terms_is_a_term_misread(book):
    lists = [
        *["Wähle Imker, Stapel oder Blume."] * 3,
        "Wähle Imker, Stapelt oder Blume.",
        "Er stapelt sie.",
        "Imker, Strauß oder Blume",
    ]
    rulebook = book(
        ("term", "IMKER", "Er ruht."), ("term", "STAPEL", *lists), ("term", "BLUME", "Sie blüht.")
    )
    assert told(rulebook, FindingKind.SEVERAL_RENDERINGS) == [(7, "Stapelt", "STAPEL")]


def test_a_second_name_is_told_and_a_made_up_one_is_not(book, known):
    known(concept("hive", "Bienenstock", "Korb", "Bienenhaus"))
    text = ["Im Bienenstock ist Platz.", "Ein Korb ist rund.", "Ein Bienenhaus ist eckig."]
    rulebook = book(("term", "WABE", *text))
    assert told(rulebook, FindingKind.SEVERAL_RENDERINGS) == [(3, "Korb", "Bienenstock")]


def test_terms_that_only_a_qualifier_tells_apart_are_told(book):
    rulebook = book(
        ("term", "FLUG (BIENE)", "Hoch."),
        ("term", "WABE (BIENE)", "Voll."),
        ("term", "FLUG (DROHNE)", "Tief."),
    )
    (found,) = [f for f in checked(rulebook) if f.kind is FindingKind.ONE_WORD_SEVERAL_CONCEPTS]
    assert (found.line, found.printed, found.certainty) == (1, "FLUG", Certainty.POSSIBLE)
    assert found.why == because(Why.SAME_NAME, names=("FLUG (DROHNE)",), lines="5")


def test_abbreviations_nobody_spells_out_are_told(book):
    assert told(book(("term", "WABE", "Zahle 2 HV und ruhe.")), FindingKind.UNDEFINED_TERM) == [
        (2, "HV", None)
    ]
    for text in (
        "Der Honigvorrat (HV) wächst. Zahle 2 HV.",
        "Der Honig im Vorrat (HV) wächst.",
        "HV: der Vorrat.",
        "Zahle II.",
        "DAS IST HV",
    ):
        assert told(book(("term", "WABE", text)), FindingKind.UNDEFINED_TERM) == []
    (late,) = [
        f
        for f in checked(book(("term", "WABE", "Zahle 2 HV.", "Der Honigvorrat (HV) wächst.")))
        if f.kind is FindingKind.UNDEFINED_TERM
    ]
    assert late.why[0] == Reason(Why.SPELLED_OUT_LATER, {"line": 3, "times": 2})


@pytest.mark.parametrize(
    ("heading", "reference", "is_other"),
    [
        ("WABEN", "Wabe", True),
        ("AUS DEM STOCK ENTFERNT", "Aus dem Stock entfernen", True),
        ("IMKER UND STOCK", "Imker/Stock", True),
        ("WABE", "Wabe", False),
        ("WABE, ZELLE", "Zelle", False),
        ("WABE (LEER)", "Wabe", False),
        ("HONIG X", "Honig", False),
    ],
)
def test_headings_spelled_otherwise_than_references(book, heading, reference, is_other):
    rulebook = book(
        ("term", heading, "Voll."), ("term", "BIENE", "Fleißig.", f"Siehe auch: {reference}")
    )
    assert [
        (line, printed) for line, printed, _ in told(rulebook, FindingKind.HEADING_SPELLING)
    ] == ([(5, reference)] if is_other else [])


# The real rulebooks: facts that their readers know.


@pytest.fixture(scope="module")
def of_real(real) -> dict[str, list[Finding]]:
    return {
        b.edition.id: list(
            terms.find_terminology_faults(
                b,
                real.rulebooks,
                find(b, real.rulebooks),
                collect_renderings(b),
                with_corrected=True,
            )
        )
        for b in real.rulebooks
    }


def of(findings, sort, certainty):
    return {(f.line, f.printed) for f in findings if f.kind is sort and f.certainty is certainty}


def test_the_upgrade_of_the_real_italian_glossary_is_found_in_all_its_spellings(real):
    italian = rulebook_of(real, "marvel-champions-it-1.7")
    found = collect_renderings(italian, find(italian, real.rulebooks)).by_concept["upgrade"]
    lines = {line for r in found if r.kind is RenderingKind.SLIP for line in r.lines}
    assert {
        208,
        423,
        536,
        1118,
        1248,
        1424,
        1460,
        1503,
        1507,
        1508,
        1716,
        1901,
        2682,
        3398,
        3434,
        3590,
        3734,
    } <= lines
    assert {
        (r.form, line) for r in found if r.kind is RenderingKind.REFERENCE for line in r.lines
    } >= {
        ("Miglione", 541),
        ("Miglitoria", 215),
    }
    # and nearly all of it without the corrections
    bare = replace(italian, edition=replace(italian.edition, corrections=()))
    by_code = {
        line
        for r in collect_renderings(bare).by_concept["upgrade"]
        if r.kind in (RenderingKind.SLIP, RenderingKind.MIXED_UP)
        for line in r.lines
    }
    assert {
        208,
        423,
        536,
        1118,
        1248,
        1424,
        1503,
        1507,
        1508,
        1716,
        1901,
        2682,
        3590,
        3734,
    } <= by_code


def test_misread_terms_of_the_real_german_glossary(of_real):
    found = of_real["marvel-champions-de-1.5"]
    misread = {line for line, _ in of(found, FindingKind.SEVERAL_RENDERINGS, Certainty.LIKELY)}
    assert misread == {132, 2494, 2530, 2579, 3013}
    assert (2683, "Grundwert") in of(found, FindingKind.SEVERAL_RENDERINGS, Certainty.POSSIBLE)
    assert (2014, "TEAMWORK") in of(
        found, FindingKind.ONE_WORD_SEVERAL_CONCEPTS, Certainty.POSSIBLE
    )  # a false friend
    assert (795, "Set-Symbol") in of(found, FindingKind.UNDEFINED_TERM, Certainty.POSSIBLE)


def test_names_left_in_english_in_the_real_numbered_rules(of_real):
    found = of(of_real["lorcana-de-2.1.0"], FindingKind.SEVERAL_RENDERINGS, Certainty.LIKELY)
    assert {(1060, "Boost"), (1110, "Shift"), (799, "Behütetheit"), (872, "Unterstützung")} <= found


def test_headings_spelled_otherwise_in_the_real_glossaries(of_real):
    german = of(of_real["marvel-champions-de-1.5"], FindingKind.HEADING_SPELLING, Certainty.LIKELY)
    assert {line for line, _ in german} == {119, 743, 1019, 1270, 2089, 2123, 2424}
    italian = of(of_real["marvel-champions-it-1.7"], FindingKind.HEADING_SPELLING, Certainty.LIKELY)
    assert italian == {(1511, "Proprietà e Controllo"), (2396, "Parole Chiave")}
