import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from corpus import Document, Edition, Rulebook, read
from glossary.check import Certainty, Finding, FindingKind, Origin, Why, because
from glossary.check.origins import judge_origins
from service.cli import cli
from tests.conftest import SAMPLE

Make = Callable[..., Rulebook]

SENTENCES = [
    f"In der {n}. Runde sammelt jeder Imker Honig und trägt ihn in den Stock zurück."
    for n in range(1, 40)
]
BADLY = "Ein Imker (☎) weckt \\u00fcber Nacht eine Biene."  # what a bad extraction leaves


def rulebook(*texts, id="wiese-de-1", language="de"):
    text = "\n\n".join(["# Wiese", *SENTENCES, *texts])
    return read(
        Document.from_bytes("wiese.md", text.encode()),
        Edition(id, "wiese", language, "1", "Wiese", "outline"),
    )


def found(kind, printed, meant=None, why=Why.NO_TARGET):
    return Finding("wiese-de-1", 3, kind, printed, meant, Certainty.LIKELY, because(why))


def origin(book, *findings, others=()):
    judged = judge_origins(book, [book, *others], findings)
    assert all(each.origin_why for each in judged)
    return judged[0].origin


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (FindingKind.MISSING, Origin.PRINT),
        (FindingKind.WRONG_NUMBER, Origin.PRINT),
        (FindingKind.UNDEFINED_TERM, Origin.PRINT),
        (FindingKind.LOST, Origin.EXTRACTION),
        (FindingKind.NUMBER_LOST, Origin.EXTRACTION),
        (FindingKind.TORN, Origin.EXTRACTION),
        (FindingKind.ESCAPE, Origin.EXTRACTION),
        (FindingKind.NO_PHRASINGS, Origin.UNCLEAR),
    ],
)
def test_most_kinds_come_from_one_place(kind, expected):
    for book in (rulebook(), rulebook(BADLY, BADLY)):
        assert origin(book, found(kind, "Honig")) is expected


@pytest.mark.parametrize(
    ("printed", "meant", "in_a_good_text", "in_a_bad_text"),
    [
        ("Irnker", "Imker", Origin.PRINT, Origin.EXTRACTION),  # rn for m
        ("Bicne", "Biene", Origin.PRINT, Origin.EXTRACTION),
        ("Bieene", "Biene", Origin.PRINT, Origin.UNCLEAR),
        ("Wespe", "Biene", Origin.PRINT, Origin.PRINT),
        ("Bi ene", "Biene", Origin.EXTRACTION, Origin.EXTRACTION),
        ("(☎)", "(Honigsymbol)", Origin.EXTRACTION, Origin.EXTRACTION),
        ("(1)", "(Honigsymbol)", Origin.EXTRACTION, Origin.EXTRACTION),
    ],
)
def test_a_wrong_word_is_judged_by_its_letters_and_its_company(
    printed, meant, in_a_good_text, in_a_bad_text
):
    finding = found(FindingKind.MISSPELLED, printed, meant)
    assert origin(rulebook(), finding) is in_a_good_text
    assert origin(rulebook(BADLY, BADLY), finding) is in_a_bad_text


def test_a_misprint_that_comes_again_and_again_in_a_bad_text_is_no_slip_of_the_pen():
    finding = found(FindingKind.MISSPELLED, "Bieene", "Biene")
    assert origin(rulebook(BADLY, BADLY), finding, finding, finding) is Origin.EXTRACTION


def test_what_another_edition_in_the_language_prints_too_is_no_fault_of_a_scan():
    finding = found(FindingKind.MISSPELLED, "Irnker", "Imker")
    same = rulebook("Ein Irnker weckt eine Biene.", id="wiese-de-2")
    other = rulebook("Ein Irnker weckt eine Biene.", id="wiese-it-1", language="it")
    assert origin(rulebook(BADLY, BADLY), finding, others=[same]) is Origin.PRINT
    assert origin(rulebook(BADLY, BADLY), finding, others=[other]) is Origin.EXTRACTION


def test_quotation_marks_lost_one_after_the_other_are_lost_by_a_scan():
    finding = found(FindingKind.UNPAIRED, 'Honig"', why=Why.NOTHING_OPENS)
    assert origin(rulebook(), finding) is Origin.PRINT
    assert origin(rulebook(), *[finding] * 5) is Origin.EXTRACTION


def test_the_command_shows_the_origin_and_filters_by_it(monkeypatch):
    monkeypatch.setenv("REGULA_RULEBOOKS", str(SAMPLE))
    told = {each: CliRunner().invoke(cli, ["check", "--json", "--origin", each]) for each in Origin}
    bodies = {each: json.loads(done.stdout) for each, done in told.items()}
    assert all({body["origin"] for body in bodies[each]} <= {each.value} for each in Origin)
    assert len(bodies[Origin.PRINT]) > 10 < len(bodies[Origin.EXTRACTION])
    usual, everything = (
        json.loads(CliRunner().invoke(cli, ["check", "--json", *more]).stdout)
        for more in ([], ["--origin", "all"])
    )
    assert {body["origin"] for body in usual} == {Origin.PRINT, Origin.UNCLEAR}
    assert len(everything) == len(usual) + len(bodies[Origin.EXTRACTION])
    assert (
        "[print]"
        in CliRunner()
        .invoke(cli, ["check", "--origin", "print", "--edition", "pegelduell-de-2.0"])
        .output
    )
    wrong = CliRunner().invoke(cli, ["check", "--origin", "nix"])
    assert wrong.exit_code == 2


def test_a_number_glued_to_a_noun_in_small_letters_is_typed():
    book = rulebook(BADLY, "Die Karten hier, die Karten dort.")
    for printed, expected in (("2karten,", Origin.PRINT), ("ist,löst", Origin.EXTRACTION)):
        assert origin(book, found(FindingKind.GLUED, printed, why=Why.NO_BLANK_AFTER)) is expected
