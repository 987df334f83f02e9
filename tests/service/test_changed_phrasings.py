import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpus.document import Document
from corpus.editions import identify
from corpus.model import Rulebook
from corpus.read import read
from glossary.comparison.rewording import SubstanceChange, changed_phrasings, substance_changes
from service.cli import cli
from service.editions.phrasing_edits import changed_json, changed_text
from tests.conftest import SAMPLE

NEW = "pegelwacht-de-1.2"


def new_text():
    """The older version of the sample, printed as the next one."""
    text = (SAMPLE / "pegelwacht-de-1.0.txt").read_text(encoding="utf-8")
    assert "VERSION 1.0DE" in text
    return text.replace("VERSION 1.0DE", "VERSION 1.2DE")


@pytest.fixture
def newer() -> Rulebook:
    document = Document.from_bytes("neu.txt", new_text().encode())
    return read(document, identify(document))


@pytest.fixture
def folder(tmp_path) -> Path:
    """Rulebooks: the version that phrasings are written for, and the one after it."""
    shutil.copy(SAMPLE / "pegelwacht-de-1.1.txt", tmp_path)
    (tmp_path / "neu.txt").write_text(new_text(), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Ziehe 2 Karten.", "Ziehe 3 Karten.", {SubstanceChange.NUMBERS}),
        ("Ziehe zwei Karten.", "Ziehe 2 Karten.", set()),
        ("4.2. Siehe 4.1.3. Ziehe 2 Karten.", "5.2. Siehe 5.1.3. Ziehe 2 Karten.", set()),
        ("Der Kahn sinkt.", "Der Kahn sinkt nicht.", {SubstanceChange.NEGATION}),
        ("Vor dem Angriff sinkt er.", "Nach dem Angriff sinkt er.", {SubstanceChange.NEGATION}),
        (
            "Der Kahn sinkt.",
            "Der Kahn sinkt, falls ihn niemand geflickt hat.",
            {SubstanceChange.CONDITIONS, SubstanceChange.ADDED},
        ),
        (
            "Der Kahn sinkt, falls ihn niemand geflickt hat.",
            "Der Kahn sinkt.",
            {SubstanceChange.CONDITIONS, SubstanceChange.REMOVED},
        ),
        ("Der Kahn sinkt am Ende.", "Das Boot sinkt am Ende.", set()),
        (
            "Er kann nicht betäubt oder verwirrt werden.",
            "Er kann nicht betäubt werden.",
            {SubstanceChange.REMOVED},
        ),
        ("Du ziehst höchstens drei.", "Du ziehst drei.", {SubstanceChange.CONDITIONS}),
        ("Sobald er kommt, ziehe.", "Wenn er kommt, ziehe.", set()),
        ("1. Ziehen. 2. Werfen.", "1. Werfen. 2. Ziehen.", {SubstanceChange.ORDER}),
        ("Die Wasserstandsmarke sinkt.", "Die Wasserstands marke sinkt.", set()),
        ("Lege sie ab. (Siehe: Wrack)", "Lege sie ab.", set()),
    ],
)
def test_numbers_negations_and_conditions_are_substance_and_other_words_are_not(old, new, found):
    assert set(substance_changes(old, new, "de")) == found


def test_a_term_in_the_place_of_another_is_substance_and_a_renamed_one_is_not():
    old, new = "Falls ein Matrose sinkt, hilf ihm.", "Falls ein Lotse sinkt, hilf ihm."
    terms = {"matros", "lots"}
    assert substance_changes(old, new, "de", terms) == (SubstanceChange.TERMS,)
    assert substance_changes(old, new, "de", terms, [(("Matrose",), ("Lotse",))]) == ()


def test_both_texts_stand_side_by_side_and_what_changed_in_substance_comes_first(newer, sample):
    found = changed_phrasings([newer], sample.rulebooks)
    changes = {each.passage.id.partition("/")[2]: each.changes for each in found}
    assert changes["spielerdecks#3"] == (SubstanceChange.NUMBERS, SubstanceChange.CONDITIONS)
    assert SubstanceChange.REMOVED in changes["wasserdicht#0"]
    assert changes["rundenuebersicht#5"] == ()
    assert list(changes)[-1] == "rundenuebersicht#5"
    deck = next(each for each in found if each.passage.id.endswith("spielerdecks#3"))
    assert "[bis 45]" in changed_text(deck)
    assert "[genau]" in changed_text(deck)
    assert changed_json(deck)["phrasings"][0]["language"] == "de"


def test_without_the_old_text_the_new_one_is_shown_with_the_phrasings(newer):
    found = changed_phrasings([newer], [newer])
    assert len(found) == 6
    assert {each.old for each in found} == {None}
    shown = changed_text(found[0])
    assert "the old text is not here" in shown
    assert "?" in shown
    assert changed_json(found[0])["changes"] == []


def test_the_command_lists_them_for_programs(folder):
    arguments = [
        "phrasings",
        "changed",
        "--rulebooks",
        str(folder),
        "--index",
        str(folder / "index"),
        "--edition",
        NEW,
        "--json",
    ]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["evidence"] for row in rows} == {"sketch", "place"}
    assert all(row["old"] and row["new"] and row["new_fingerprint"] for row in rows)


def test_the_report_on_a_new_version_names_those_whose_passage_changed_in_substance(folder):
    done = CliRunner().invoke(
        cli,
        ["changes", NEW, "--rulebooks", str(folder), "--index", str(folder / "index"), "--json"],
    )
    assert done.exit_code == 0, done.output
    named = [
        item["what"]
        for item in json.loads(done.stdout)["attention"]
        if item["care"] == "phrasings-changed"
    ]
    assert any("spielerdecks#3: numbers" in what for what in named)
    assert not any("rundenuebersicht#5" in what for what in named)
