import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from corpus.cards import files
from corpus.cards.read import read_cards

GAME = "pegelwacht"
FORMS = Path(__file__).parent / "card_forms"

BAD_VALUES: dict[str, Any] = {
    "a number": 7,
    "null": None,
    "a list": [1, 2],
    "no code": {"name": "Boje", "pack_code": "core"},
    "code of a wrong type": {"code": ["x"], "name": "Boje", "pack_code": "core"},
    "code with a slash": {"code": "../../x", "name": "Boje", "pack_code": "core"},
    "no name": {"code": "09001", "pack_code": "core"},
    "blank name": {"code": "09001", "name": " \t", "pack_code": "core"},
    "name of a wrong type": {"code": "09001", "name": {"de": "x"}, "pack_code": "core"},
    "text of a wrong type": {"code": "09001", "name": "Boje", "pack_code": "core", "text": 3},
    "huge text": {"code": "09001", "name": "Boje", "pack_code": "core", "text": "x" * 10_000_000},
    "huge name": {"code": "09001", "name": "x" * 1_000_000, "pack_code": "core"},
    "lone surrogate": {"code": "09001", "name": "\ud800", "pack_code": "core"},
    "a code that is there": {"code": "01007", "name": "Boje", "pack_code": "core"},
    "again what is not there": {"code": "09001", "duplicate_of": "99999", "pack_code": "core"},
    "flag of a wrong type": {
        "code": "09001",
        "name": "Boje",
        "pack_code": "core",
        "is_unique": "no",
    },
}


@pytest.fixture
def marvelsdb(tmp_path) -> Path:
    return Path(shutil.copytree(FORMS / "marvelsdb", tmp_path / "marvelsdb"))


@pytest.fixture
def lorcanajson(tmp_path) -> Path:
    return Path(shutil.copytree(FORMS / "lorcanajson", tmp_path / "lorcanajson"))


def change(path, changed):
    path.write_text(
        json.dumps(changed(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8"
    )


def names(found):
    return sorted(card.faces[0].names["en"] for card in found.cards)


def check_lines(found):
    for fault in found.faults:
        line = str(fault)
        assert line.isprintable()
        assert len(line) < 1_000


@pytest.mark.parametrize("bad", BAD_VALUES)
def test_a_bad_record_is_one_line_and_all_others_are_read(marvelsdb, bad):
    whole = names(read_cards(marvelsdb, GAME))
    change(
        marvelsdb / "pack" / "core.json",
        lambda records: [*records[:3], BAD_VALUES[bad], *records[3:]],
    )
    found = read_cards(marvelsdb, GAME)
    assert names(found) == whole
    check_lines(found)
    [fault] = found.faults
    assert fault.file == "pack/core.json"
    position = fault.pointer.split("/")[1]
    assert position == "3" or (bad == "a code that is there" and int(position) > 0)


@pytest.mark.parametrize(
    "broken",
    [
        b'{"code": "09001", "name": "Boje", "cost": NaN}',
        b'{"code": "09001", "name": "Boje", "cost": -Infinity}',
        b'{"code": "09001", "name": "Boje", "cost": ' + b"9" * 5_000 + b"}",
        b'{"code": "09001", "name": "Boje", "meta": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"code": "09001", "name": "Bo' + b"\xff\xfe" + b'je", "pack_code": "core"}',
        b'{"code": "09001" "name": "Boje"}',
        b"{'code': '09001'}",
        b"nonsense",
        b"",
    ],
)
def test_a_broken_part_of_a_file_is_one_line_and_the_rest_of_the_file_is_read(marvelsdb, broken):
    path = marvelsdb / "pack" / "core.json"
    whole = names(read_cards(marvelsdb, GAME))
    records = [json.dumps(each).encode() for each in json.loads(path.read_text(encoding="utf-8"))]
    path.write_bytes(b"[" + b",\n".join([*records[:2], broken, *records[2:]]) + b"]")
    found = read_cards(marvelsdb, GAME)
    assert names(found) == whole
    check_lines(found)
    [fault] = found.faults
    assert (fault.file, fault.pointer.split("/")[1]) == ("pack/core.json", "2")


def test_of_a_file_that_was_cut_what_is_whole_is_read(marvelsdb):
    path = marvelsdb / "pack" / "core.json"
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    found = read_cards(marvelsdb, GAME)
    assert "Oilskin" in names(found)
    assert "The Quiet Bay" not in names(found)
    assert any(
        fault.file == "pack/core.json" and "not JSON" in fault.what for fault in found.faults
    )
    check_lines(found)


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe\x00", b"[", b"null", b"{}", b'"text"', b"[" * 300_000]
)
def test_a_file_that_is_no_list_is_a_line(marvelsdb, raw):
    (marvelsdb / "pack" / "zzz.json").write_bytes(raw)
    whole = names(read_cards(FORMS / "marvelsdb", GAME))
    found = read_cards(marvelsdb, GAME)
    assert names(found) == whole
    assert [fault.file for fault in found.faults] == ["pack/zzz.json"]


def test_backs_that_lead_in_a_circle_or_belong_to_several_end(marvelsdb):
    def circle(records):
        for record in records:
            if record["code"] == "04033b":
                record["back_link"] = "04033a"
            if record["code"] == "04020":
                record["back_link"] = "04033b"
            if record["code"] == "04035":
                record["back_link"] = "nowhere"
            if record["code"] == "04041":
                record["back_link"] = "04041"
        return records

    change(marvelsdb / "pack" / "siel.json", circle)
    found = read_cards(marvelsdb, GAME)
    assert len(found.cards) == 25
    assert [len(card.faces) for card in found.cards if card.id == "04033a"] == [2]
    assert sorted(fault.pointer.rpartition("/")[2] for fault in found.faults) == ["back_link"] * 4


def test_a_chain_of_backs_ends(marvelsdb):
    made = [
        {"code": f"chain{n}", "name": "Kette", "pack_code": "core", "back_link": f"chain{n + 1}"}
        for n in range(5_000)
    ]
    (marvelsdb / "pack" / "zzz.json").write_text(json.dumps(made), encoding="utf-8")
    found = read_cards(marvelsdb, GAME)
    assert max(len(card.faces) for card in found.cards) == 11
    assert sorted(fault.what for fault in found.faults) == [
        "more than 10 backs; left out",
        "no card chain5000 to be the back of chain4999",
    ]


def test_texts_and_files_made_to_take_long_do_not(marvelsdb):
    hostile = [
        " " * 19_000,
        "\n" * 19_000,
        "<br " * 4_000,
        "[[" * 9_000,
        "<b " * 6_000,
        "[a]" * 6_000,
        "&a" * 9_000,
        " \n" * 9_000,
    ]
    made = [
        {"code": f"h{n}", "name": "✦", "pack_code": "core", "text": hostile[n % 8] + "x"}
        for n in range(400)
    ]
    (marvelsdb / "pack" / "zzz.json").write_text(json.dumps(made), encoding="utf-8")
    (marvelsdb / "pack" / "zzzz.json").write_text('["' + '\\"' * 500_000, encoding="utf-8")
    begun = time.process_time()
    assert len(read_cards(marvelsdb, GAME).cards) == 425
    assert time.process_time() - begun < 30  # some seconds, with room for a busy machine


def test_links_out_of_the_folder_and_what_is_no_file_are_not_read(marvelsdb, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text(
        '[{"code": "66666", "name": "Secret", "pack_code": "core"}]', encoding="utf-8"
    )
    (marvelsdb / "pack" / "aaa.json").symlink_to(secret)
    (marvelsdb / "pack" / "bbb.json").symlink_to("/dev/zero")
    os.mkfifo(marvelsdb / "pack" / "ccc.json")
    (marvelsdb / "pack" / "ddd.json").mkdir()
    (marvelsdb / "pack" / "eee.json").symlink_to(marvelsdb / "nowhere.json")
    (marvelsdb / "further").symlink_to(tmp_path)
    (marvelsdb / "pack" / "fff.json").symlink_to(marvelsdb / "pack" / "fff.json")
    found = read_cards(marvelsdb, GAME)
    assert names(found) == names(read_cards(FORMS / "marvelsdb", GAME))
    assert sorted(fault.file for fault in found.faults) == [
        "further",
        *(f"pack/{name}.json" for name in ("aaa", "bbb", "ccc", "eee", "fff")),
    ]


def test_a_link_within_the_folder_is_read(lorcanajson):
    (lorcanajson / "kept").mkdir()
    (lorcanajson / "allCards.de.json").rename(lorcanajson / "kept" / "german.json")
    (lorcanajson / "allCards.de.json").symlink_to("kept/german.json")
    found = read_cards(lorcanajson, GAME)
    assert not found.faults
    assert any(list(card.texts("de")) for card in found.cards)


def test_files_and_folders_that_are_too_large_are_left_out(marvelsdb, monkeypatch):
    with (marvelsdb / "pack" / "zzz.json").open("wb") as file:
        file.truncate(files.LARGEST_FILE + 1)
    found = read_cards(marvelsdb, GAME)
    assert len(found.cards) == 25
    assert [str(fault) for fault in found.faults] == ["pack/zzz.json: larger than 64 MB; left out"]
    monkeypatch.setattr(files, "LARGEST_FOLDER", 4_000)
    assert any("larger than" in fault.what for fault in read_cards(marvelsdb, GAME).faults)
    monkeypatch.setattr(files, "MOST_FILES", 3)
    assert any("more than 3 files" in fault.what for fault in read_cards(marvelsdb, GAME).faults)


def test_of_very_many_faults_the_number_is_told(marvelsdb):
    (marvelsdb / "pack" / "zzz.json").write_text(
        json.dumps([None] * (files.MOST_FAULTS + 500)), encoding="utf-8"
    )
    found = read_cards(marvelsdb, GAME)
    assert len(found.faults) == files.MOST_FAULTS + 1
    assert str(found.faults[-1]) == ": 500 further faults"


@pytest.mark.parametrize(
    "bad",
    [
        7,
        {"id": 900},
        {"id": "900", "name": "Boje"},
        {"id": True, "name": "Boje"},
        {"id": -1, "name": "Boje"},
        {"id": 900, "name": ["Boje"]},
        {"id": 900, "name": "Boje", "fullText": {"a": 1}},
        {"id": 900, "name": "Boje", "fullText": "x" * 10_000_000},
        {"id": 900, "name": "Boje", "allowedInFormats": {"Core": {"allowed": "yes"}}},
        {"id": 900, "name": "Boje", "historicData": [{"usedUntil": "tomorrow"}]},
        {"id": 1, "name": "Boje"},
    ],
)
def test_a_bad_printing_is_one_line_and_all_others_are_read(lorcanajson, bad):
    whole = names(read_cards(lorcanajson, GAME))
    change(lorcanajson / "allCards.en.json", lambda data: {**data, "cards": [*data["cards"], bad]})
    found = read_cards(lorcanajson, GAME)
    assert names(found) == whole
    [fault] = found.faults
    assert fault.pointer.startswith(f"/cards/{len(whole) + 1}")
    check_lines(found)


def test_strange_links_between_printings_and_strange_values_end_nothing(lorcanajson):
    def strange(data):
        data["cards"][0] |= {
            "promoIds": "all",
            "baseId": [None, {}],
            "variantIds": [10**30, -1, "x"],
            "cost": [1],
        }
        data["sets"] = ["no", "sets"]
        data["metadata"] = 5
        return data

    change(lorcanajson / "allCards.en.json", strange)
    found = read_cards(lorcanajson, GAME)
    assert len(found.cards) == 25
    assert {fault.pointer for fault in found.faults} == {"/metadata/language", "/cards/0/cost"}


def test_a_second_file_of_a_language_and_a_file_that_is_none_of_cards_are_lines(lorcanajson):
    shutil.copyfile(lorcanajson / "allCards.de.json", lorcanajson / "copy.json")
    (lorcanajson / "package.json").write_text('{"version": 1}', encoding="utf-8")
    change(lorcanajson / "names.json", lambda data: {**data, "Oilskin": {"it": ["no", "name"]}})
    found = read_cards(lorcanajson, GAME)
    assert sorted(fault.file for fault in found.faults) == [
        "copy.json",
        "names.json",
        "package.json",
    ]
    assert len(found.cards) == 25


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cards: [{id: '1', names: {de: A}}, {id: '2'}]", "/cards/1: card 2 has no name"),
        (
            "cards: [{id: '1', names: {de: A}}, {id: 2, names: {de: B}}]",
            "/cards/1/id: Input should be a valid string",
        ),
        (
            "cards: [{id: '1', names: {de: A}}, {id: '2', names: {de: B}, colour: red}]",
            "/cards/1/colour: Extra inputs",
        ),
        ("cards: [{id: '1', names: {de: A}}, {id: '2', names: {no: B}}]", "/cards/1/names"),
        (
            "cards: [{id: '1', names: {de: A}}, {id: '2', names: {de: B}, formats: {Flotte: "
            "perhaps}}]",
            "/cards/1/formats/Flotte",
        ),
        (
            "cards: [{id: '1', names: {de: A}}, {id: '2', names: {de: B}, stats: {cost: 1.5}}]",
            "/cards/1/stats/cost",
        ),
        ("cards: [{id: '1', names: {de: A}}, {id: '1', names: {de: B}}]", "/cards/1: card 1 again"),
        ("cards: [{id: '1', names: {de: A}}]\nrulings: []", "/rulings: is neither"),
    ],
)
def test_a_bad_card_of_the_plain_form_is_one_line_and_the_others_are_read(tmp_path, text, told):
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    found = read_cards(tmp_path, GAME)
    assert [card.id for card in found.cards] == ["1"]
    [fault] = found.faults
    assert str(fault).startswith(f"a.yaml#{told}")


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"cards: [", "not YAML"),
        (b"cards: \xff\xfe", "not YAML"),
        (b"a: &a [x]\ncards: [*a, *a]", "aliases"),
        (b"cards: " + b"[" * 100_000, "nested more than"),
        (b"{a: " * 5_000 + b"}" * 5_000, "nested more than"),
        (b"cards: [{id: '1', names: {de: A}, date: 2024-13-45}]", "month"),
        (b"- 1\n- 2", "no list of 'cards'"),
        (b"", "no list of 'cards'"),
        (b"cards: 7", "a number instead of a list"),
        (b"!!python/object/apply:os.system ['true']", "not YAML"),
    ],
)
def test_a_bad_file_of_yaml_is_one_line(tmp_path, raw, told):
    (tmp_path / "a.yaml").write_bytes(raw)
    (tmp_path / "b.yaml").write_text("cards: [{id: '1', names: {de: A}}]", encoding="utf-8")
    found = read_cards(tmp_path, GAME)
    assert [card.id for card in found.cards] == ["1"]
    [fault] = found.faults
    assert fault.file == "a.yaml"
    assert told in fault.what


HEAD = "id;name.de;text.de;code\n1;Boje;Liegt.;\n"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("2;;;\n", "/1: card 2 has no name"),
        ("1;Kahn;;\n", "/1: card 1 again"),
        ("2;Kahn;;;;;\n", "/1: 7 cells in a table of 4 columns"),
        ("a b;Kahn;;\n", "/1/id: "),
        (f"2;Kahn;{'x' * 200_000};\n", "/1: line 3: not CSV"),
        (f"2;Kahn;{'x' * 30_000};\n", "/1/text.de: "),
        ('2;"Kahn" x;;\n', "/1: line 3: not CSV"),
        ("2;Ka\udcffhn;;\n", "/1/name.de: "),
    ],
)
def test_a_bad_row_is_one_line_and_the_others_are_read(tmp_path, rows, told):
    (tmp_path / "a.csv").write_bytes(
        (HEAD + rows + "9;Mole;Steht.;\n").encode("utf-8", "surrogateescape")
    )
    found = read_cards(tmp_path, GAME)
    assert [card.id for card in found.cards] == ["1", "9"]
    assert [text.quoted.source.pointer for card in found.cards for text in card.texts()] == [
        "/0/text.de",
        "/2/text.de",
    ]
    [fault] = found.faults
    assert str(fault).startswith(f"a.csv#{told}")


def test_unknown_columns_and_tables_without_ids_are_told(tmp_path):
    (tmp_path / "a.csv").write_text(
        "id,name.de,colour,name.de\n1,Boje,rot,Tonne\n", encoding="utf-8"
    )
    (tmp_path / "b.csv").write_text("name.de\nBoje\n", encoding="utf-8")
    found = read_cards(tmp_path, GAME)
    assert [card.name("de") for card in found.cards] == ["Boje"]
    assert [fault.what.split(";")[0] for fault in found.faults] == [
        "column 'colour' is unknown",
        "column 'name.de' is there twice",
        "no card file: it has no column 'id'",
    ]


def test_names_that_are_no_addresses_have_addresses_of_their_own(tmp_path):
    made = [
        {"id": id, "names": {"de": name}}
        for id, name in (("a-b", "✦"), ("a.b", "✦"), ("ä-b", "☠" * 300), ("x", "../../etc"))
    ]
    (tmp_path / "a.yaml").write_text(json.dumps({"cards": made}), encoding="utf-8")
    slugs = [card.slug for card in read_cards(tmp_path, GAME).cards]
    assert len(set(slugs)) == 4
    assert all(slug.replace("-", "").isalnum() and slug.isascii() for slug in slugs)


def test_an_empty_folder_has_no_cards_and_what_is_no_folder_is_an_error(tmp_path):
    assert read_cards(tmp_path, GAME).cards == ()
    with pytest.raises(OSError, match="nowhere"):
        read_cards(tmp_path / "nowhere", GAME)


@pytest.mark.parametrize("content", ["null", "7", "[]"])
def test_a_file_without_cards_beside_a_database_is_told(lorcanajson, content):
    (lorcanajson / "further.json").write_text(content, encoding="utf-8")
    found = read_cards(lorcanajson, GAME)
    assert found.cards
    assert [str(fault) for fault in found.faults if "further.json" in str(fault)] == [
        "further.json: no card file: neither cards nor names; left out"
    ]
