import json
import shutil
from pathlib import Path

import pytest

from corpus.cards.read import SAMPLE

GAME = "pegelwacht"
FORMS = Path(__file__).resolve().parent.parent / "corpus" / "card_forms"


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    made = tmp_path / "mine"
    monkeypatch.setenv("REGULA_HOME", str(made))
    return made


@pytest.fixture
def folder(tmp_path) -> Path:
    return Path(shutil.copytree(SAMPLE / GAME, tmp_path / GAME))


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_folder_is_copied_and_told(regula, home, folder):
    done = regula("cards", "add", folder)
    assert done.status == 0
    assert done.out.startswith(
        f"pegelwacht: 25 cards in de, en, it (plain), in {home / 'cards' / GAME}\n"
    )
    assert content(home / "cards" / GAME) == content(folder)
    listed = json.loads(regula("cards", "list", "--json").out)
    assert [(row["game"], row["cards"], row["languages"], row["faults"]) for row in listed] == [
        (GAME, 25, ["de", "en", "it"], 0)
    ]
    assert "pegelwacht: 25 cards (de, en, it), 0 faults, plain" in regula("cards", "list").out
    assert regula("cards", "check").out == "pegelwacht: 25 cards, 0 faults\n"


def test_what_changed_is_told_and_what_was_there_is_kept(regula, home, folder):
    regula("cards", "add", folder)
    before = content(folder)
    text = (folder / "cards.yaml").read_text(encoding="utf-8")
    (folder / "cards.yaml").write_text(
        text.replace("Blende ein Wrack. Du darfst", "Blende zwei Wracks. Du darfst").replace(
            'id: "04041"', 'id: "04042"'
        ),
        encoding="utf-8",
    )
    out = regula("cards", "add", folder).out.splitlines()
    assert "  new: 1: Oil from Overseas (04042)" in out
    assert "  gone: 1: Oil from Overseas (04041)" in out
    assert "  changed: 1: Signal Fire (01012)" in out
    assert "    texts: of 1" in out
    assert content(home / "cards" / ".pegelwacht.before") == before
    assert "  nothing has changed" in regula("cards", "add", folder).out.splitlines()
    assert next(iter(json.loads(regula("cards", "list", "--json").out)[0])) == "game"


def test_the_game_is_that_of_the_form_where_none_is_named(regula, home):
    assert regula("cards", "add", FORMS / "marvelsdb").out.startswith("marvel-champions: 25 cards")
    assert regula("cards", "add", FORMS / "lorcanajson").out.startswith("lorcana: 25 cards")
    done = regula("cards", "add", FORMS / "csv", "--game", "../../elsewhere")
    assert done.status == 2
    assert "can be no game's id" in done.err
    assert sorted(path.name for path in (home / "cards").iterdir() if path.name[0] != ".") == [
        "lorcana",
        "marvel-champions",
    ]


def test_faults_are_told_and_the_rest_is_taken_in(regula, folder):
    (folder / "further.yaml").write_text(
        "cards: [7, {id: x}, {id: '9', names: {de: Tonne}}]", encoding="utf-8"
    )
    out = regula("cards", "add", folder).out
    assert "26 cards" in out
    assert "  2 faults; the rest was read" in out
    assert "    further.yaml#/cards/0: a number instead of an object; left out" in out
    rows = json.loads(regula("cards", "check", "--game", GAME, "--json").out)
    assert [(row["game"], row["file"], row["pointer"]) for row in rows] == [
        (GAME, "further.yaml", "/cards/0"),
        (GAME, "further.yaml", "/cards/1"),
    ]


def test_links_out_of_the_folder_are_not_copied(regula, home, folder, tmp_path):
    (tmp_path / "secret.json").write_text('{"password": "x"}', encoding="utf-8")
    (folder / "more.json").symlink_to(tmp_path / "secret.json")
    out = regula("cards", "add", folder).out
    assert "more.json: a link that leads out of the folder; left out" in out
    assert sorted(content(home / "cards" / GAME)) == ["cards.yaml"]


def test_a_folder_without_cards_changes_nothing(regula, home, folder, tmp_path):
    regula("cards", "add", folder)
    before = content(home / "cards")
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "a.yaml").write_text("cards: [", encoding="utf-8")
    done = regula("cards", "add", tmp_path / "none", "--game", GAME)
    assert done.status == 2
    assert "no cards in it (a.yaml: line " in done.err
    assert len(done.err.splitlines()) == 1
    assert content(home / "cards") == before


def test_a_folder_of_the_workspace_is_refused(regula, home, folder):
    regula("cards", "add", folder)
    for own in (home / "cards" / GAME, home / "cards"):
        done = regula("cards", "add", own)
        assert done.status == 2
        assert "is in the workspace already" in done.err
    assert regula("cards", "check").out == "pegelwacht: 25 cards, 0 faults\n"


def test_wrong_use_is_told_in_a_line(regula, home, folder, tmp_path, monkeypatch):
    assert regula("cards", "add", tmp_path / "nowhere").status == 2
    assert "no cards of 'nothing' here" in regula("cards", "check", "--game", "nothing").err
    assert regula("cards", "list").out == "no cards yet; add some with: regula cards add FOLDER\n"
    assert regula("cards", "add", folder, "--home", tmp_path / "elsewhere").status == 2
    monkeypatch.delenv("REGULA_HOME")
    assert "regula init" in regula("cards", "add", folder).err
    listed = regula("cards", "list")
    assert listed.out.startswith("pegelwacht: 25 cards")
    assert "sample game" in listed.err
