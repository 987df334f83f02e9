from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from corpus.rulings.loading import load_rulings
from corpus.rulings.model import Ruling
from tests.conftest import ROOT, card_folders

BENCH = ROOT / "tests" / "bench"
FILES = ("ruling_questions.jsonl", "ruling_negatives.jsonl")


@cache
def rows(name):
    return tuple(
        json.loads(line) for line in (BENCH / name).read_text(encoding="utf-8").splitlines()
    )


def all_rows():
    return [row for name in FILES for row in rows(name)]


@pytest.fixture(scope="module", params=sorted({row["game"] for row in all_rows()}))
def rulings(request, tmp_path_factory) -> dict[str, Ruling]:
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


def of_game(rulings):
    games = {ruling.game for ruling in rulings.values()}
    return [row for row in all_rows() if row["game"] in games]


def test_questions_name_rulings_that_exist(rulings):
    named = {id for row in of_game(rulings) for id in (*row["rulings"], *row.get("near", ()))}
    assert named
    assert not named - rulings.keys()


def test_every_official_ruling_that_holds_is_asked_for(rulings):
    asked = {id for row in of_game(rulings) for id in row["rulings"]}
    assert (
        not {
            id
            for id, ruling in rulings.items()
            if ruling.authority.official and not ruling.superseded_by
        }
        - asked
    )
