import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask.testing import FlaskClient

from corpus.rulings import Authority, load_rulings
from corpus.rulings.model import wording
from index.layers.ruling_store import RulingStore
from service.ops.keys import KeyRing
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service import test_pages
from tests.service.harbour import Harbour, Indexes, german, library
from tests.service.test_pages import assert_sound, page

GAME, LIST, NEW = "sternenhafen", "/rulings/sternenhafen", "/rulings/new"
OWN = {"Origin": "http://localhost"}
ANCHOR = "sternenhafen-de-1.0/ankern"
RULINGS: list[dict[str, Any]] = [
    {
        "id": "leuchtturm-nebel",
        "question": "Leuchtet der Leuchtturm <b>doppelt</b>?",
        "answer": "Nein, nie doppelt.\nAuch nicht bei Nebel.",
        "language": "de",
        "cards": ["Leuchtturm"],
        "date": "2031-03-02",
        "authority": "publisher",
        "source": "Verlagsforum",
        "url": "https://hafen.example/1",
        "rests_on": [{"entry": ANCHOR}, {"number": "9.9"}],
    },
    {
        "id": "ancora",
        "answer": "Si paga due volte.",
        "language": "it",
        "date": "2031-04-01",
        "authority": "designer",
    },
    {
        "id": "alt",
        "answer": "Früher einmal.",
        "language": "de",
        "authority": "head-judge",
        "superseded_by": "ancora",
    },
]


@pytest.fixture
def home(tmp_path) -> Path:
    home = tmp_path / "mine"
    (home / "rulebooks").mkdir(parents=True)
    (home / "rulings" / GAME).mkdir(parents=True)
    (home / "rulings" / GAME / "forum.yaml").write_text(
        yaml.safe_dump(RULINGS, allow_unicode=True), encoding="utf-8"
    )
    return home


@pytest.fixture
def served(home) -> Indexes:
    """An index that was built from the rulings as they are at first."""
    return Indexes(
        Harbour(library(), rulings=RulingStore.build({GAME: load_rulings(GAME, home).rulings}))
    )


@pytest.fixture
def reader(served) -> FlaskClient:
    return create_app(served, Settings.model_construct()).test_client()


@pytest.fixture
def editor(served, home) -> FlaskClient:
    return create_app(served, Settings.model_construct(home=home)).test_client()


def sent(**fields):
    """What the form sends where somebody fills it in."""
    typed = {
        "game": GAME,
        "question": "Darf ich im Dunkeln ankern?",
        "answer": "Ja – mit Laterne.",
        "language": "de",
        "date": "2031-05-01",
    }
    return {**typed, "cards": "", "source": "", "author": "Hinnerk", "do": "keep", **fields}


def house(home):
    return yaml.safe_load((home / "rulings" / GAME / "house.yaml").read_text(encoding="utf-8"))


ADDRESSES = [
    "/rulings",
    LIST,
    f"{LIST}?q=xyzzy",
    f"{LIST}/leuchtturm-nebel",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_page_is_sound_for_readers(reader, address):
    assert_sound(reader, address)


@pytest.mark.parametrize("address", [LIST, NEW, f"{NEW}?q=Darf+ich+ankern%3F&entry={ANCHOR}"])
def test_every_page_is_sound_for_editors(editor, address):
    assert_sound(editor, address)


def test_readers_see_rulings_newest_first_with_who_and_when_and_where(reader):
    shown = page(reader, LIST)
    assert "3 Antworten" in shown.text
    places = [
        shown.text.index(words)
        for words in ("Si paga due volte.", "Nein, nie doppelt.", "Früher einmal.")
    ]
    assert places == sorted(places)
    assert "Leuchtet der Leuchtturm <b>doppelt</b>?" in shown.text
    assert "Offizielle Antwort · 2. März 2031" in shown.text
    assert "forum.yaml" not in shown.text  # that is for who edits the file
    assert "überholt" in shown.text
    assert {
        "https://hafen.example/1",
        f"/e/{ANCHOR}",
        f"{LIST}/leuchtturm-nebel",
        f"{LIST}/ancora",
    } <= set(shown.links())
    assert NEW not in "".join(shown.links())
    assert LIST in page(reader, "/browse").links()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("authority=publisher", {"leuchtturm-nebel"}),
        ("card=LEUCHTTURM", {"leuchtturm-nebel"}),
        ("card=turm", set()),
        ("q=FR%C3%9CHER", {"alt"}),
        ("q=zweimal", set()),
        ("authority=nonsense", {"leuchtturm-nebel", "ancora", "alt"}),
    ],
)
def test_the_list_is_filtered(reader, query, expected):
    assert {
        attributes["id"] for attributes in page(reader, f"{LIST}?{query}").all("article")
    } == expected


def test_the_exported_file_can_be_read_again(reader, tmp_path):
    response = reader.get(f"/rulings/export?game={GAME}&authority=publisher")
    assert response.mimetype == "application/yaml"
    assert response.headers["Content-Disposition"] == f'attachment; filename="rulings-{GAME}.yaml"'
    folder = tmp_path / "other" / "rulings" / GAME
    folder.mkdir(parents=True)
    (folder / "shared.yaml").write_bytes(response.data)
    (found,) = load_rulings(GAME, tmp_path / "other").rulings
    assert (found.id, found.answer.text, found.authority) == (
        f"{GAME}/leuchtturm-nebel",
        RULINGS[0]["answer"],
        Authority.PUBLISHER,
    )


@pytest.mark.parametrize(
    "address",
    ["/rulings/no-such", f"{LIST}/no-such", "/rulings/export", "/rulings/export?game=..%2F.."],
)
def test_what_is_not_there_is_not_found(reader, address):
    assert reader.get(address).status_code == 404


def test_a_ruling_is_written_with_what_it_rests_on_and_shown_as_waiting(editor, home):
    response = editor.post(
        NEW,
        data=sent(cards="Leuchtturm; Boje", source="Stammtisch", rests_on=[ANCHOR]),
        headers=OWN,
    )
    assert (response.status_code, response.headers["Location"]) == (
        303,
        f"{LIST}/darf-ich-im-dunkeln-ankern",
    )
    says = wording(p for p in german().rulebook().passages if p.entry == ANCHOR)
    assert house(home) == {
        "game": GAME,
        "rulings": [
            {
                "id": "darf-ich-im-dunkeln-ankern",
                "question": "Darf ich im Dunkeln ankern?",
                "answer": "Ja – mit Laterne.",
                "language": "de",
                "cards": ["Leuchtturm", "Boje"],
                "date": "2031-05-01",
                "authority": "house",
                "source": "Stammtisch",
                "rests_on": [{"entry": ANCHOR, "wording": says}],
                "author": "Hinnerk",
            }
        ],
    }
    assert not load_rulings(GAME, home).faults
    shown = page(editor, response.headers["Location"])
    assert "noch nicht in den Antworten" in shown.text
    assert "Hinnerk" in shown.text


def test_the_next_ruling_leaves_the_file_as_it_is_and_gets_an_id_of_its_own(editor, home):
    path = home / "rulings" / GAME / "house.yaml"
    path.write_text(
        "# ours 🛶\n- id: own # kept\n  answer: |\n    Zwei\n    Zeilen.\n  language: de\n  "
        "authority: house\n",
        encoding="utf-8",
    )
    before = path.read_text(encoding="utf-8")
    for _ in range(2):
        assert (
            editor.post(NEW, data=sent(answer="Eins: zwei\n- drei # vier"), headers=OWN).status_code
            == 303
        )
    assert path.read_text(encoding="utf-8").startswith(before)
    found = {each.id: each.answer.text for each in load_rulings(GAME, home).rulings}
    assert found[f"{GAME}/own"] == "Zwei\nZeilen.\n"
    assert (
        found[f"{GAME}/darf-ich-im-dunkeln-ankern"]
        == found[f"{GAME}/darf-ich-im-dunkeln-ankern-2"]
        == "Eins: zwei\n- drei # vier"
    )


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"question": ""}, "Schreib die Frage"),
        ({"question": "x" * 2_001}, "Schreib die Frage"),
        ({"answer": " \n"}, "Schreib die Antwort"),
        ({"answer": "x" * 10_001}, "Schreib die Antwort"),
        ({"answer": "Ja\x1b[2J"}, "Schreib die Antwort"),
        ({"date": "2031-02-30"}, "ein Datum wie"),
        ({"language": "Deutsch"}, "Wähle eine Sprache"),
        ({"game": "../.."}, "Wähle ein Spiel"),
        ({"cards": ";".join(map(str, range(60)))}, "Bitte höchstens 50 Karten"),
        ({"source": "x" * 301}, "höchstens 300 Zeichen"),
        ({"rests_on": ["sternenhafen-de-1.0/no-such"]}, "Wähle höchstens 20 Stellen"),
    ],
)
def test_what_does_not_fit_is_told_and_what_was_typed_stays(editor, home, fields, told):
    response = editor.post(NEW, data=sent(**fields), headers={**OWN, **test_pages.GERMAN})
    assert response.status_code == 422
    assert told in response.text
    assert "Hinnerk" in response.text
    assert not (home / "rulings" / GAME / "house.yaml").exists()


def test_passages_are_looked_up_without_losing_what_was_typed(editor, home):
    response = editor.post(
        NEW,
        data=sent(do="look", question="Wo kann ein Schiff ankern?", rests_on=[ANCHOR]),
        headers=OWN,
    )
    shown = test_pages.Page(response.text)
    boxes = {a["value"]: "checked" in a for a in shown.all("input") if a.get("name") == "rests_on"}
    assert boxes[ANCHOR]
    assert "sternenhafen-de-1.0/flaute" in boxes
    assert "Ja – mit Laterne." in shown.text
    assert not (home / "rulings" / GAME / "house.yaml").exists()


def test_open_answers_and_entries_lead_to_the_form(home, served):
    served.index.settles = False
    editor = create_app(served, Settings.model_construct(home=home)).test_client()
    assert any(link.startswith(f"{NEW}?q=") for link in page(editor, "/?q=Hund+ankern").links())
    assert f"{NEW}?entry={ANCHOR}" in page(editor, f"/e/{ANCHOR}").links()
    shown = page(editor, f"{NEW}?entry={ANCHOR}")
    assert [
        a["value"] for a in shown.all("input") if a.get("name") == "rests_on" and "checked" in a
    ] == [ANCHOR]


@pytest.mark.parametrize("address", [NEW, LIST])
def test_another_site_writes_nothing(editor, home, address):
    headers = {"Origin": "https://foreign.example"}
    file = (io.BytesIO(b"- {id: a, answer: Ja., language: de, authority: house}"), "a.yaml")
    data = sent() if address == NEW else {"file": file}
    assert editor.post(address, data=data, headers=headers).status_code == 403
    assert [path.name for path in (home / "rulings" / GAME).iterdir()] == ["forum.yaml"]


def test_with_keys_an_editors_key_is_wanted_and_names_the_author(home, served, tmp_path):
    ring = KeyRing(tmp_path / "keys.toml")
    tokens = {name: ring.make(name, editor=name == "anna") for name in ("anna", "reader")}
    client = create_app(
        served, Settings.model_construct(home=home, keys=tmp_path / "keys.toml")
    ).test_client()
    assert (
        client.get(NEW).status_code == client.post(NEW, data=sent(), headers=OWN).status_code == 403
    )
    assert client.get(LIST).status_code == 200
    assert (
        client.get(NEW, headers={"Authorization": f"Bearer {tokens['reader']}"}).status_code == 403
    )
    key = {"Authorization": f"Bearer {tokens['anna']}"}
    assert (
        client.post(NEW, data=sent(author="somebody else"), headers={**OWN, **key}).status_code
        == 303
    )
    assert house(home)["rulings"][0]["author"] == "anna"


def test_without_a_workspace_there_is_nothing_to_write(reader):
    assert (
        reader.get(NEW).status_code == reader.post(NEW, data=sent(), headers=OWN).status_code == 404
    )


def test_a_full_disk_loses_neither_the_file_nor_what_was_typed(editor, home, monkeypatch):
    editor.post(NEW, data=sent(), headers=OWN)
    before = (home / "rulings" / GAME / "house.yaml").read_bytes()

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    response = editor.post(NEW, data=sent(answer="Noch eine."), headers=OWN)
    assert response.status_code == 409
    assert "No space left" in response.text
    assert "Noch eine." in response.text
    assert (home / "rulings" / GAME / "house.yaml").read_bytes() == before


def test_a_file_that_only_its_author_can_add_to_stays(editor, home):
    path = home / "rulings" / GAME / "house.yaml"
    mine = "same: &all [{id: a, answer: Ja., language: de, authority: house}]\nrulings: *all\n"
    path.write_text(mine, encoding="utf-8")
    assert editor.post(NEW, data=sent(), headers=OWN).status_code == 409
    assert path.read_text(encoding="utf-8") == mine


def upload(client, name, content):
    response = client.post(
        LIST, data={"file": (io.BytesIO(content), name)}, headers={**OWN, **test_pages.GERMAN}
    )
    return response.status_code, test_pages.Page(response.text).text


def test_a_shared_file_is_taken_in_and_its_faults_are_told(editor, home):
    rows = [
        {"id": "geteilt", "answer": "Geteilt.", "language": "de", "authority": "house"},
        {"id": "kaputt"},
        {**RULINGS[1]},
    ]
    status, text = upload(
        editor, "../../House.yaml", yaml.safe_dump({"game": GAME, "rulings": rows}).encode()
    )
    assert status == 200
    assert "1 neu, 0 geändert, 0 weggefallen" in text
    assert "shared/house.yaml#/rulings/1" in text
    assert "is already read from forum.yaml" in text
    assert "Geteilt." in text
    assert sorted(path.name for path in home.rglob("*.yaml")) == ["forum.yaml", "house.yaml"]
    status, text = upload(
        editor, "House.yaml", yaml.safe_dump([{**rows[0], "answer": "Neu geteilt."}]).encode()
    )
    assert "0 neu, 1 geändert, 0 weggefallen" in text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.yaml", b"- &a [*a]"),
        ("a.yaml", b"[" * 100_000),
        ("a.csv", b"\xff\xfe"),
        ("a.exe", b"MZ"),
        (
            "a.yaml",
            b"game: another\nrulings: [{id: a, answer: Ja., language: de, authority: house}]",
        ),
        ("a.yaml", b""),
    ],
)
def test_a_hostile_file_is_refused_and_nothing_is_written(editor, home, name, content):
    status, text = upload(editor, name, content)
    assert status == 409
    assert "Es wurde nichts geschrieben" in text or "Nichts wurde geschrieben" in text
    assert [path.name for path in (home / "rulings" / GAME).iterdir() if path.name[0] != "."] == [
        "forum.yaml"
    ]


def test_a_huge_file_is_refused(editor):
    assert (
        editor.post(
            LIST, data={"file": (io.BytesIO(b"x" * 3_000_000), "a.yaml")}, headers=OWN
        ).status_code
        == 413
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("card=leuchtturm", ["leuchtturm-nebel"]),
        ("", ["ancora", "leuchtturm-nebel", "alt"]),
        ("card=Leuchtturm&product=Hafenpack", []),
        ("number=12", ["leuchtturm-nebel"]),
    ],
)
def test_programs_get_loaded_rulings_beside_the_printed_ones(reader, query, expected):
    body = reader.get(f"/v1/rulings?{query}").json
    assert [each["id"].partition("/")[2] for each in body["loaded"]] == expected


def test_a_loaded_ruling_is_quoted_with_its_place(reader, home):
    (found,) = reader.get("/v1/rulings?card=Leuchtturm").json["loaded"]
    source = found["answer"]["source"]
    assert (source["file"], source["pointer"]) == ("forum.yaml", "/0/answer")
    written = yaml.safe_load((home / "rulings" / GAME / "forum.yaml").read_text(encoding="utf-8"))[
        0
    ]
    assert (
        found["answer"]["text"]
        == "\n".join(written["answer"][a:b] for a, b in source["spans"])
        == RULINGS[0]["answer"]
    )
    assert (found["authority"], found["date"], found["published"]) == (
        "publisher",
        "2031-03-02",
        "https://hafen.example/1",
    )
    assert found["rests_on"][0] == {"entry": ANCHOR, "number": None, "wording": None}
    assert reader.get(found["url"]).status_code == 200


@pytest.mark.parametrize("scope", ["", "&game=sternenhafen", "&edition=sternenhafen-de-1.0"])
def test_an_open_question_leads_an_editor_to_a_house_ruling_on_it(editor, served, scope):
    served.index.settles = False
    (link,) = [
        link
        for link in page(editor, f"/?q=Darf+ich+bei+Flaute+ankern%3F{scope}").links()
        if link.startswith(f"{NEW}?")
    ]
    form = page(editor, link)
    assert next(a for a in form.all("option") if "selected" in a)["value"] == GAME
    assert "Darf ich bei Flaute ankern?" in form.text
