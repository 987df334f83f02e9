"""Passages paired by hand: said on a page, kept by what they say, shown by every export."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from lxml import etree

from corpus.workspace import VARIABLE
from glossary.comparison.pairings import load_pairings
from service.editions.exported_files import comparison_file_work
from service.editions.exports.formats import ExportOptions
from service.editions.known_requests import works_of
from service.ops.keys import KeyRing
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes
from tests.service.test_compare_page import BOTH, ITALIAN, NEW, OLD
from tests.service.test_pages import assert_sound, page

GAME = "pegelwacht"
OWN = {"Origin": "http://localhost"}
ENTRY = f"{NEW}/auftauchen"
# The alignment puts #2 and #4 into one row with the Italian #2, and leaves #5 alone.
GERMAN, ALSO, LEFT_OVER = (f"{ENTRY}#{n}" for n in (2, 4, 5))
COUNTERPART = f"{ITALIAN}/affiorare#2"
ELSEWHERE = f"{ITALIAN}/capacita#4"


@pytest.fixture(scope="module")
def index(sample_library) -> Harbour:
    return Harbour(sample_library, id="sample")


@pytest.fixture
def home(tmp_path) -> Path:
    home = tmp_path / "mine"
    (home / "rulebooks").mkdir(parents=True)
    return home


@pytest.fixture
def editor(index, home) -> FlaskClient:
    return create_app(Indexes(index), Settings.model_construct(home=home)).test_client()


@pytest.fixture
def reader(index, home) -> FlaskClient:
    client = create_app(Indexes(index), Settings.model_construct(home=home)).test_client()
    client.environ_base["REMOTE_ADDR"] = "192.0.2.7"
    return client


def pair(client, left=(), right=(), both=BOTH, **values):
    form = {"left": list(left), "right": list(right), "reviewer": "Anna", "back": both, **values}
    return client.post(f"{both}/pairings", data=form, headers=OWN)


def rows(client, left=NEW, entry=ENTRY):
    """The rows of an entry: the ids of the passages of both sides."""
    body = client.get(f"/v1/compare/{left}/{ITALIAN}").get_json()
    (found,) = [e for e in body["entries"] if any(s["entry"] == entry for s in e["left"])]
    return [
        ([p["passage"] for p in r["left"]], [p["passage"] for p in r["right"]], r.get("by_hand"))
        for r in found["rows"]
    ]


def said(home):
    return load_pairings(home, GAME).pairings


def test_a_pairing_changes_the_row_everywhere(editor, reader, index, home):
    before = reader.get(f"/v1/compare/{NEW}/{ITALIAN}")
    assert ([GERMAN, ALSO], [COUNTERPART], None) in rows(reader)
    assert pair(editor, [GERMAN], [COUNTERPART]).status_code == 303
    after = reader.get(
        f"/v1/compare/{NEW}/{ITALIAN}", headers={"If-None-Match": before.headers["ETag"]}
    )
    assert after.status_code == 200
    assert ([GERMAN], [COUNTERPART], True) in rows(reader)
    assert ([ALSO], [], None) in rows(reader)
    texts = {id: index.library.passage(id).display for id in (GERMAN, ALSO, COUNTERPART)}
    shown = page(reader, f"{BOTH}?entry={ENTRY}")
    assert "Von Hand zugeordnet" in shown.text
    assert "Von Hand zugeordnet" in page(reader, f"/v1/compare/{NEW}/{ITALIAN}/html").text

    table = csv.DictReader(
        io.StringIO(reader.get(f"/v1/compare/{NEW}/{ITALIAN}/csv").data.decode("utf-8-sig"))
    )
    cells = {row["left"]: row["right"] for row in table}
    assert cells[texts[GERMAN]] == texts[COUNTERPART]
    assert cells[texts[ALSO]] == ""

    root = etree.fromstring(reader.get(f"/v1/compare/{NEW}/{ITALIAN}/xliff").data)
    units = {
        tuple(
            " ".join("".join(each.itertext()) for each in unit.iter(f"{{*}}{side}"))
            for side in ("source", "target")
        )
        for unit in root.iter("{*}unit")
    }
    (target,) = {target for source, target in units if source and source in texts[GERMAN]}
    assert target
    assert target in texts[COUNTERPART]
    assert {target for source, target in units if source and source in texts[ALSO]} == {""}


def test_several_passages_make_one_row_and_others_stand_alone(editor, reader):
    pair(editor, [LEFT_OVER, GERMAN], [COUNTERPART])
    assert ([GERMAN, LEFT_OVER], [COUNTERPART], True) in rows(reader)
    pair(editor, [GERMAN])
    assert ([GERMAN], [], True) in rows(reader)
    assert ([LEFT_OVER], [COUNTERPART], True) not in rows(reader)  # a row is said as a whole


def test_a_passage_of_another_entry_comes_into_the_row(editor, reader):
    pair(editor, [LEFT_OVER], [ELSEWHERE])
    assert ([LEFT_OVER], [ELSEWHERE], True) in rows(reader)
    other = f"{NEW}/faehigkeit-kartenfaehigkeit"
    assert not any(ELSEWHERE in right for _, right, _ in rows(reader, entry=other))
    assert "von Hand einem anderen zugeordnet" in page(reader, f"{BOTH}?entry={other}").text
    table = reader.get(f"/v1/compare/{NEW}/{ITALIAN}/csv").data.decode("utf-8-sig")
    (row,) = [
        r for r in csv.DictReader(io.StringIO(table)) if 'Beim Auftauchen" wirken' in r["left"]
    ]
    assert row["right heading"] == "CAPACITÀ"


def test_the_last_of_two_that_contradict_wins_and_can_be_taken_back(editor, reader, home):
    before = rows(reader)
    pair(editor, [GERMAN], [COUNTERPART])
    pair(editor, [ALSO], [COUNTERPART])
    assert ([ALSO], [COUNTERPART], True) in rows(reader)
    assert ([GERMAN], [], None) in rows(reader)
    (kept,) = said(home)
    # A file may hold both, written by hand or merged.
    path = home / "pairings" / f"{GAME}.jsonl"
    line = path.read_text(encoding="utf-8")
    pair(editor, [GERMAN], [COUNTERPART])
    path.write_text(line + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert ([GERMAN], [COUNTERPART], True) in rows(reader)
    keys = {each.key for each in said(home)}
    shown = editor.get(BOTH).text
    assert keys == set(re.findall(r'name="undo" value="([^"]*)"', shown))
    for key in keys:
        assert pair(editor, undo=key).status_code == 303
    assert pair(editor, undo=kept.key).status_code == 404
    assert rows(reader) == before


def test_a_pairing_holds_in_a_new_version(editor, reader, home):
    older = f"/compare/{OLD}/{ITALIAN}"
    entry = f"{OLD}/auftauchen"
    pair(editor, [f"{entry}#1"], [COUNTERPART], older)
    assert ([f"{entry}#1"], [COUNTERPART], True) in rows(reader, OLD, entry)
    assert ([f"{ENTRY}#1"], [COUNTERPART], True) in rows(reader)


def test_a_pairing_whose_text_has_changed_is_kept_listed_and_ignored(editor, reader, index, home):
    older = f"/compare/{OLD}/{ITALIAN}"
    now = {p.display for p in index.library.passages if p.id.startswith(NEW)}
    gone = next(
        p.id
        for p in index.library.passages
        if p.id.startswith(f"{OLD}/") and p.role == "text" and p.display not in now
    )
    before = rows(reader)
    pair(editor, [gone], [COUNTERPART], older)
    assert rows(reader) == before
    assert "gilt nicht mehr" not in page(reader, older).text
    assert "gilt nicht mehr" in page(reader, BOTH).text
    assert len(said(home)) == 1


def test_a_damaged_file_is_told_and_what_held_before_holds(editor, reader, home):
    pair(editor, [GERMAN], [COUNTERPART])
    good = rows(reader)
    path = home / "pairings" / f"{GAME}.jsonl"
    path.write_text("{by hand\n", encoding="utf-8")
    assert rows(reader) == good
    response = pair(editor, [ALSO], [COUNTERPART])
    assert response.status_code == 409
    assert "line 1 is no pairing" in response.text
    assert path.read_text(encoding="utf-8") == "{by hand\n"


@pytest.mark.parametrize(
    ("left", "right", "values", "status"),
    [
        ([], [], {}, 404),
        ([f"{ENTRY}#99"], [COUNTERPART], {}, 404),
        ([COUNTERPART], [GERMAN], {}, 404),
        ([GERMAN], [COUNTERPART], {"reviewer": " "}, 422),
        ([GERMAN], [COUNTERPART], {"reviewer": "x" * 101}, 422),
    ],
)
def test_what_cannot_be_paired_is_refused(editor, home, left, right, values, status):
    assert pair(editor, left, right, **values).status_code == status
    assert not said(home)


def test_nobody_else_may_pair(editor, reader, index, home, tmp_path):
    assert pair(reader, [GERMAN], [COUNTERPART]).status_code == 403
    form = {"left": GERMAN, "right": COUNTERPART, "reviewer": "Anna"}
    for headers in ({"Origin": "https://elsewhere.example"}, {}):
        assert editor.post(f"{BOTH}/pairings", data=form, headers=headers).status_code == 403
    ring = KeyRing(tmp_path / "keys.toml")
    token, other = ring.make("robot", editor=True), ring.make("reader")
    settings = Settings.model_construct(home=home, keys=tmp_path / "keys.toml")
    program = create_app(Indexes(index), settings).test_client()

    def send(key):
        headers = {"Authorization": f"Bearer {key}"}
        return program.post(f"{BOTH}/pairings", data=form, headers=headers)

    assert send(other).status_code == 403
    assert not said(home)
    response = send(token)
    (kept,) = said(home)
    assert (response.get_json(), kept.by) == ({"key": kept.key}, "robot")


def test_the_form_is_sound_and_offers_what_can_be_ticked(editor):
    pair(editor, [LEFT_OVER], [ELSEWHERE])
    address = f"{BOTH}?entry={ENTRY}&pair=3&with={ITALIAN}/capacita"
    for each in (address, BOTH):
        assert_sound(editor, each)
    boxes = [a for a in page(editor, address).all("input") if a.get("type") == "checkbox"]
    assert {a["value"] for a in boxes} >= {GERMAN, COUNTERPART, f"{ITALIAN}/capacita#0"}
    assert {a["value"] for a in boxes if "checked" in a} == {GERMAN, ALSO, COUNTERPART}
    back = {a["value"] for a in page(editor, address).all("input") if a.get("name") == "back"}
    assert back == {f"{BOTH}?entry={ENTRY.replace('/', '%2F')}"}  # where the form is closed again


def test_what_is_published_has_the_pairings_of_the_workspace(editor, index, home, monkeypatch):
    pair(editor, [GERMAN], [COUNTERPART])
    monkeypatch.setenv(VARIABLE, str(home))
    book = load_pairings(home, GAME)
    names = {work.name for work in works_of(index)}
    assert ("comparison", NEW, ITALIAN, book.digest) in names
    options = ExportOptions(pairings=book)
    assert comparison_file_work(NEW, ITALIAN, "csv", options).name in names


def test_the_file_names_no_words_of_the_rulebooks(editor, index, home):
    pair(editor, [GERMAN], [COUNTERPART])
    line = json.loads((home / "pairings" / f"{GAME}.jsonl").read_text(encoding="utf-8"))
    assert line["left"]["passages"][0]["entry"] == "auftauchen"
    assert index.library.passage(GERMAN).display[:20] not in json.dumps(line, ensure_ascii=False)
