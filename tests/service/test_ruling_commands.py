import json
import shutil

import pytest
import yaml

from corpus.rulings import load_rulings
from corpus.rulings.loading import SAMPLE as SAMPLE_DATA
from tests.conftest import SAMPLE
from tests.corpus.ruling_files import described, written

GAME, BOOK = "pegelwacht", "pegelwacht-de-1.1.txt"


@pytest.fixture
def regula(regula, home):
    shutil.copy(SAMPLE / BOOK, home / "rulebooks" / BOOK)
    return regula


def ids(home):
    return [each.id.partition("/")[2] for each in load_rulings(GAME, home).rulings]


def test_a_file_is_added_under_its_name_and_then_updated(regula, home, tmp_path):
    rows = [described(id="a"), described(id="b"), described(id="c")]
    file = written(tmp_path, "forum.yaml", yaml.safe_dump({"game": GAME, "rulings": rows}))
    added = regula("rulings", "add", file)
    assert (added.status, added.err) == (0, "")
    assert added.out.splitlines() == [
        f"{home / 'rulings' / GAME / 'forum.yaml'}: 3 new", *(f"  + {GAME}/{id}" for id in "abc")
    ]  # fmt: skip
    written(
        tmp_path,
        "forum.yaml",
        yaml.safe_dump(
            {
                "game": GAME,
                "rulings": [rows[0], described(id="b", answer="Nein."), described(id="d")],
            }
        ),
    )
    assert (
        regula("rulings", "add", file)
        .out.splitlines()[0]
        .endswith("forum.yaml: 1 new, 1 changed, 1 gone")
    )
    assert ids(home) == ["a", "b", "d"]
    assert (
        regula("rulings", "add", file).out.splitlines()[0].endswith("forum.yaml: no ruling changed")
    )


def test_a_folder_is_added_and_files_that_left_it_leave_the_workspace(regula, home, tmp_path):
    folder = tmp_path / "forum"
    shutil.copytree(SAMPLE_DATA / "rulings" / GAME, folder)
    assert regula("rulings", "add", folder, "--game", GAME).status == 0
    assert len(ids(home)) == len(load_rulings(GAME, None).rulings)
    (folder / "autrice.yaml").unlink()
    assert "4 gone" in regula("rulings", "add", folder, "--game", GAME).out
    assert not (home / "rulings" / GAME / "forum" / "autrice.yaml").exists()


def test_what_does_not_fit_is_told_and_the_rest_is_added(regula, home, tmp_path):
    file = written(
        tmp_path,
        "forum.yaml",
        yaml.safe_dump([described(id="a"), described(id="b", date="gestern")]),
    )
    added = regula("rulings", "add", file, "--game", GAME)
    assert added.status == 0
    assert added.err.startswith("forum.yaml#/1: date: ")
    assert "1 new; 1 faults" in added.out
    checked = regula("rulings", "check")
    assert checked.status == 1
    assert "forum.yaml#/1: date" in checked.out


@pytest.mark.parametrize(
    ("name", "content", "arguments", "status", "told"),
    [
        ("forum.yaml", yaml.safe_dump([described(id="a")]), (), 2, "name the game"),
        (
            "forum.yaml",
            yaml.safe_dump([described(id="a")]),
            ("--game", "no-such"),
            2,
            "no game 'no-such'",
        ),
        ("forum.yaml", "- {id: b}", ("--game", GAME), 1, "no ruling could be read"),
        ("house.yaml", yaml.safe_dump([described(id="a")]), ("--game", GAME), 1, "another name"),
        ("forum.exe", "MZ", ("--game", GAME), 1, "no ruling could be read"),
    ],
)
def test_what_cannot_be_added_changes_nothing(
    regula, home, tmp_path, name, content, arguments, status, told
):
    ended = regula("rulings", "add", written(tmp_path, name, content), *arguments)
    assert ended.status == status
    assert told in ended.err
    assert not list((home / "rulings").rglob("*.*"))


def test_a_card_database_may_be_added_for_its_rulings(regula, home, tmp_path):
    file = written(
        tmp_path,
        "faq.json",
        json.dumps([{"code": "01001", "text": "Ja.", "updated": {"date": "2025-03-02 10:00:00"}}]),
    )
    assert regula("rulings", "add", file, "--game", "marvel-champions").status == 0
    listed = json.loads(regula("rulings", "list", "--json").out)
    assert (listed["cards"], listed["date"], listed["answer"]["text"]) == (
        ["01001"],
        "2025-03-02",
        "Ja.",
    )
    assert listed["answer"]["source"]["pointer"] == "/0/text"
    assert listed["answer"]["source"]["spans"] == [[0, 3]]


def test_an_outdated_ruling_is_listed_until_it_is_confirmed(regula, home, tmp_path):
    rows = [
        described(
            id="changed", rests_on=[{"entry": "pegelwacht-de-1.0/flink", "wording": "0" * 64}]
        ),
        described(id="gone", rests_on=[{"entry": "pegelwacht-de-1.0/gezeitenwuerfel"}]),
        described(id="free"),
    ]
    file = written(home / "rulings" / GAME, "r.yaml", yaml.safe_dump(rows))
    before = file.read_bytes()
    first = regula("rulings", "check")
    assert first.status == 0
    assert (
        "pegelwacht/changed: it rests on pegelwacht-de-1.0/flink, which has changed since"
        in first.out
    )
    assert (
        "pegelwacht/gone: it rests on pegelwacht-de-1.0/gezeitenwuerfel, which is no longer there"
        in first.out
    )
    assert "pegelwacht: 3 rulings, 0 faults, 2 outdated" in first.out
    found = json.loads(regula("check", "--json").out)
    assert [each["printed"] for each in found if each["sort"] == "ruling-outdated"] == [
        "pegelwacht/gone",
        "pegelwacht/changed",
    ]
    assert regula("rulings", "confirm", "changed", "pegelwacht/free").status == 0
    assert regula("rulings", "confirm", "gone").status == 1
    assert regula("rulings", "confirm", "no-such").status == 2
    assert "pegelwacht: 3 rulings, 0 faults, 1 outdated" in regula("rulings", "check").out
    assert file.read_bytes() == before


def test_rulings_are_listed_newest_first_and_shared_as_a_file(regula, home, tmp_path):
    rows = [
        described(id="old", date="2024-01-01", cards=["Otter"]),
        described(
            id="new", question="Wirklich?", date="2025-01-01", authority="publisher", source="Forum"
        ),
    ]
    written(home / "rulings" / GAME, "r.yaml", yaml.safe_dump(rows))
    listed = regula("rulings", "list").out
    assert listed.index("pegelwacht/new") < listed.index("pegelwacht/old")
    assert "2025-01-01, publisher, Forum" in listed
    assert "pegelwacht/new" not in regula("rulings", "list", "--card", "otter").out
    assert regula("rulings", "list", "--authority", "god").status == 2
    assert regula("rulings", "list", "--game", "no-such").status == 2
    output = tmp_path / "shared.yaml"
    assert regula("rulings", "export", "--authority", "publisher", "--output", output).status == 0
    assert yaml.safe_load(output.read_text(encoding="utf-8")) == {
        "game": GAME,
        "rulings": [rows[1]],
    }


def test_without_a_workspace_the_sample_is_listed_and_nothing_can_be_added(
    regula, tmp_path, monkeypatch
):
    monkeypatch.delenv("REGULA_HOME")
    listed = regula("rulings", "list", "--authority", "designer")
    assert "pegelwacht/gull-call-no-sailor" in listed.out
    assert "the rulings of the sample" in listed.err
    added = regula(
        "rulings",
        "add",
        written(tmp_path, "r.yaml", yaml.safe_dump([described(id="a")])),
        "--game",
        GAME,
    )
    assert added.status == 2
    assert "no workspace is named" in added.err


def test_names_of_cards_and_rules_that_nothing_here_has_are_told_with_the_nearest(
    regula, home, tmp_path
):
    assert regula("cards", "add", SAMPLE_DATA / "cards" / GAME).status == 0
    rows = [
        described(
            id="right",
            cards=[
                "Teerjacke",
                "cerata",
                "01015",
                "grappling-iron-01015",
                "Nebelhorn - Stimme der Mole",
            ],
        ),
        described(id="slip", cards=["Teerjake"]),
        described(id="nobody", cards=["Qwxzv"]),
        described(id="entry", cards=[], rests_on=[{"entry": "pegelwacht-de-1.1/gerat"}]),
        described(id="edition", cards=[], rests_on=[{"entry": "pegelwach-de-1.1/geraet"}]),
        described(id="number", cards=[], rests_on=[{"number": "99.9"}]),
        described(id="rule", cards=[], rests_on=[{"entry": "pegelwacht-de-1.1/geraet"}]),
    ]
    regula("rulings", "add", written(tmp_path, "forum.yaml", yaml.safe_dump(rows)), "--game", GAME)
    done = regula("rulings", "check")
    assert done.status == 0
    assert done.out.splitlines() == [
        f"{GAME}/slip: no loaded card is called 'Teerjake'; is 'Teerjacke' meant?",
        f"{GAME}/nobody: no loaded card is called 'Qwxzv'",
        f"{GAME}/entry: no edition here has the entry 'pegelwacht-de-1.1/gerat' that it rests on; "
        "is 'pegelwacht-de-1.1/geraet' meant?",
        f"{GAME}/edition: no edition here has the entry 'pegelwach-de-1.1/geraet' that it rests "
        "on; is 'pegelwacht-de-1.1/geraet' meant?",
        f"{GAME}/number: no edition here has the rule with the number '99.9' that it rests on",
        f"{GAME}: 7 rulings, 0 faults, 0 outdated, 5 unknown names",
    ]
