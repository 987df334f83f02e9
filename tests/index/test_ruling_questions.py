"""The questions that rulings are measured on: each names rulings that exist, is asked once, and in
other words than theirs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from corpus.rulings.loading import load_rulings
from corpus.rulings.model import Ruling
from glossary.card_names import name_words
from tests.conftest import ROOT, card_folders

BENCH = ROOT / "tests" / "bench"
FILES = ("ruling_questions.jsonl", "ruling_negatives.jsonl")
LANGUAGES = {"de", "it", "en"}
KINDS = {"other-matter", "rule-only", "other-card"}
MOST = 5  # words in a row that a question may share with a ruling


@cache
def rows(name: str) -> tuple[dict[str, Any], ...]:
    return tuple(
        json.loads(line) for line in (BENCH / name).read_text(encoding="utf-8").splitlines()
    )


def all_rows() -> list[dict[str, Any]]:
    return [row for name in FILES for row in rows(name)]


@pytest.fixture(scope="module", params=sorted({row["game"] for row in all_rows()}))
def rulings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Ruling]:
    """The rulings of a game by id: those of the sample, or of a real card database. Skips where
    that is not here.
    """
    home: Path | None = None
    if request.param != "pegelwacht":
        folder = card_folders().get(request.param)
        if folder is None:
            pytest.skip("the real card databases are not here")
        home = tmp_path_factory.mktemp("home")
        (home / "cards").mkdir()
        (home / "cards" / request.param).symlink_to(folder, target_is_directory=True)
    return {ruling.id: ruling for ruling in load_rulings(request.param, home).rulings}


def of_game(rulings: dict[str, Ruling]) -> list[dict[str, Any]]:
    games = {ruling.game for ruling in rulings.values()}
    return [row for row in all_rows() if row["game"] in games]


def test_questions_name_rulings_that_exist(rulings: dict[str, Ruling]) -> None:
    named = {id for row in of_game(rulings) for id in (*row["rulings"], *row.get("near", ()))}
    assert named
    assert not named - rulings.keys()


def test_every_official_ruling_that_holds_is_asked_for(rulings: dict[str, Ruling]) -> None:
    asked = {id for row in of_game(rulings) for id in row["rulings"]}
    assert (
        not {
            id
            for id, ruling in rulings.items()
            if ruling.authority.official and not ruling.superseded_by
        }
        - asked
    )


def test_questions_are_in_other_words_than_the_rulings(rulings: dict[str, Ruling]) -> None:
    names = {name_words(card) for ruling in rulings.values() for card in ruling.cards}
    taken: set[tuple[str, ...]] = set()
    for ruling in rulings.values():
        for text in (ruling.answer.text, ruling.question.text if ruling.question else ""):
            taken.update(_runs(name_words(text)))
    copied = {
        row["question"]
        for row in of_game(rulings)
        for run in _runs(name_words(row["question"]))
        if run in taken and not _named(run, names)
    }
    assert not copied


def test_no_question_is_asked_twice() -> None:
    asked = [(row["game"], name_words(row["question"])) for row in all_rows()]
    assert len(set(asked)) == len(asked)


def test_every_question_says_its_language_and_negatives_what_comes_near() -> None:
    assert {row["language"] for row in all_rows()} == LANGUAGES
    for row in rows(FILES[1]):
        assert row["kind"] in KINDS, row
        assert row["near"], row
        assert not row["rulings"], row


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The runs of one word more than may be shared."""
    return (tuple(words[at : at + MOST + 1]) for at in range(len(words) - MOST))


def _named(run: tuple[str, ...], names: set[tuple[str, ...]]) -> bool:
    """Whether half of ``run`` or more is the name of a card."""
    return any(
        run[at : at + len(name)] == name
        for name in names
        if len(name) * 2 >= len(run)
        for at in range(len(run))
    )
