import json
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest
import yaml

from corpus import read_folder
from corpus.file_changes import ChangeScope
from corpus.rulings import Authority, load_rulings
from corpus.rulings.described import RulingFields
from corpus.rulings.source_files import SourceFile
from corpus.workspace import use_workspace
from glossary.comparison.concept_proposals import ConceptProposal
from glossary.comparison.reviews import KEY_DIGITS, Review, ReviewedSide, ReviewState
from service.cli import main, workspace_commands
from service.editions import concept_edits
from service.editions.recognised_rulebook import corrected_fields
from service.ops import comparison_reviews
from service.ops.comparison_reviews import load_reviews
from service.ops.workspace import (
    NotKept,
    WorkspaceDataFile,
    make_workspace,
)
from service.ops.workspace_layers import add_rulings, write_house_ruling
from tests.service.test_workspace import GERMAN
from tests.tasks import ended, forked

pytestmark = pytest.mark.acceptance

PROCESSES, TURNS = 8, 6
GAME = "kutter"
EDITION = """\
id: kutter-de-1
game: kutter
language: de
version: '1'
title: Kutter
layout: outline
document: '0000000000000000000000000000000000000000000000000000000000000000'
"""
NUMBERS = [process * TURNS + turn for process in range(PROCESSES) for turn in range(TURNS)]


@pytest.fixture
def home(tmp_path) -> Path:
    make_workspace(tmp_path / "home")
    use_workspace(tmp_path / "home")
    return tmp_path / "home"


def propose_or_edit(home, number):
    """By turns, `regula concepts propose --write` finds something, and somebody adds a concept on a
    page.
    """
    if number % 2:
        found = ConceptProposal(
            f"c-{number}", True, {"de": "Anker"}, {"kutter-de-1": "Anker"}, {"kutter-de-1": 0.5}
        )
        concept_edits.game_proposals = lambda *_: [found]
        workspace_commands.write_proposals(home, GAME, [])
    else:
        WorkspaceDataFile.of_concepts(home, GAME).change(
            lambda text: f"{text}c-{number}:\n  de: [Horn]\n"
        )


def concepts(home):
    return {
        int(name.partition("-")[2])
        for name in yaml.safe_load(WorkspaceDataFile.of_concepts(home, GAME).read())
    }


def rule(home, number):
    """By turns, a ruling is written on a page, and a file of one is added."""
    if number % 2:
        fields = RulingFields(
            id="new",
            question=f"Frage {number}?",
            answer="Ja.",
            language="de",
            authority=Authority.HOUSE,
        )
        write_house_ruling(home, GAME, fields)
    else:
        row = {
            "id": f"frage-{number}",
            "question": f"Frage {number}?",
            "answer": "Ja.",
            "language": "de",
            "authority": "house",
        }
        add_rulings(
            home,
            GAME,
            f"{number}.yaml",
            [SourceFile.of(f"{number}.yaml", json.dumps({"rulings": [row]}).encode())],
        )


def rulings(home):
    found = load_rulings(GAME, home)
    assert found.faults == ()
    return {int(ruling.id.rpartition("-")[2]) for ruling in found.rulings}


def review(home, number):
    """A difference is reviewed on a page."""
    left, right = (
        ReviewedSide.of(edition, language, "anker", f"{number}")
        for edition, language in (("a-de-1", "de"), ("a-it-1", "it"))
    )
    key = f"{number:0{KEY_DIGITS}x}"
    reviewed = Review(
        key=key,
        left=left,
        right=right,
        state=ReviewState.REVIEWED,
        reviewer="Anna",
        date="2026-11-28",
    )
    comparison_reviews._change(home, GAME, lambda book: [reviewed])


def reviews(home):
    return {int(key, 16) for key in load_reviews(home, GAME).reviews}


def add(home, number):
    """Rulebooks are added by commands, each with the file of its edition."""
    if number % TURNS == 0:
        file = home.parent / f"kutter{number}-de.md"
        file.write_text(GERMAN.replace("Nebelkutter", f"Kutter {number}"), encoding="utf-8")
        with pytest.raises(SystemExit) as end:
            main(
                [
                    "add",
                    str(file),
                    "--yes",
                    "--home",
                    str(home),
                    "--game",
                    GAME,
                    "--version",
                    f"7.{number}",
                ]
            )
        assert end.value.code == 0


def added(home):
    books = read_folder(home / "rulebooks").rulebooks
    assert all(book.edition.known for book in books)
    return {
        int(book.edition.version.partition(".")[2]) + turn
        for book in books
        for turn in range(TURNS)
    }


def phrase(home, number):
    """By turns, a draft is written, and a tool writes what it has found in the file."""
    if number % 2:
        WorkspaceDataFile.of_phrasings(home, "kutter-de-1").change(
            lambda text: f'{text}"{number:012x}": {{at: "a#{number}"}}\n'
        )
        return
    path = home / "phrasings" / "kutter-de-1.yaml"
    with ChangeScope.around(path).changing() as changes:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        changes.write(path, f'{before}"{number:012x}": {{at: "a#{number}"}}\n'.encode())


def phrasings(home):
    return {
        int(name, 16)
        for name in yaml.safe_load(WorkspaceDataFile.of_phrasings(home, "kutter-de-1").read())
    }


def describe(home, number):
    """By turns, 'regula add' corrects a title, and something is added to the names in the same
    file.
    """
    file = WorkspaceDataFile.of_edition(home, "kutter-de-1")
    if number % 2:
        file.change(
            lambda text: corrected_fields(
                text, {"title": f"{yaml.safe_load(text)['title']} {number}"}
            )
        )
    else:
        file.change(
            lambda text: corrected_fields(
                text, {"version": f"{yaml.safe_load(text)['version']} {number}"}
            )
        )


def described(home):
    found = yaml.safe_load(WorkspaceDataFile.of_edition(home, "kutter-de-1").read())
    return {int(each) for name in ("title", "version") for each in found[name].split()[1:]}


KINDS: dict[str, tuple[Callable[[Path, int], object], Callable[[Path], set[int]]]] = {
    "concepts": (propose_or_edit, concepts),
    "rulings": (rule, rulings),
    "phrasings": (phrase, phrasings),
    "editions": (describe, described),
    "reviews": (review, reviews),
    "rulebooks": (add, added),
}


@pytest.mark.parametrize(
    ("change", "number"),
    [(propose_or_edit, 0), (propose_or_edit, 1), (rule, 0), (rule, 1), (phrase, 1), (review, 0)],
)
def test_who_cannot_have_the_lock_is_told_and_changes_nothing(home, change, number, monkeypatch):
    monkeypatch.setattr(
        concept_edits, "game_proposals", concept_edits.game_proposals
    )  # which is another one afterwards
    monkeypatch.setattr("corpus.file_changes.try_lock", lambda *_, **__: False)
    monkeypatch.setattr("corpus.file_changes.time.monotonic", count(step=6.0).__next__)
    with pytest.raises(NotKept, match=r"another process|somebody else"):
        change(home, number)
    assert [
        path for path in home.rglob("[!.]*") if path.is_file() and path.name != "README.md"
    ] == []


@pytest.mark.parametrize("kind", KINDS)
def test_of_many_changes_at_once_none_is_lost(home, kind):
    change, there = KINDS[kind]
    (home / "editions" / "kutter-de-1.yaml").write_text(EDITION)

    def work(process):
        for turn in range(TURNS):
            change(home, process * TURNS + turn)

    children = [forked(partial(work, process)) for process in range(PROCESSES)]
    assert [ended(child) for child in children] == [0] * PROCESSES
    assert there(home) == set(NUMBERS)
    assert list(home.rglob("*.new")) == []
