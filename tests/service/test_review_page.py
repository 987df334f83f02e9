from pathlib import Path

import pytest
import yaml
from flask.testing import FlaskClient

from glossary.query_variants import fingerprint, load_query_variants
from service.ops.keys import KeyRing
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service import test_pages
from tests.service.harbour import german
from tests.service.test_pages import GERMAN, Page, assert_sound, page

DE = "sternenhafen-de-1.0"
REVIEW = f"/review/{DE}"
OWN = {"Origin": "http://localhost"}
PASSAGES = [passage for passage in german().rulebook().passages if passage.role == "text"]
ANCHOR, COIN, CARD = (fingerprint(passage.text) for passage in PASSAGES[1:4])

FILE = f'''\
# mine 🛶
"{ANCHOR}":
  at: "ankern#0"
  drafted: toy, 2031-01-01
  players:
  - darf man überall parken
  - "<script>alert(1)</script>?"
  gist: Only the own harbour will do.
  others:
    it: [dove ancorare]
"{COIN}":
  at: "ankern#1"
  drafted: toy, 2031-01-01
  players: [was kostet parken, wo bleiben]
  review: {{was kostet parken: does not find its passage, wo bleiben: could be answered by Flaute}}
"{CARD}": {{at: "ankern#2", players: [written by hand]}}
'''


@pytest.fixture
def home(tmp_path) -> Path:
    for name in ("rulebooks", "phrasings"):
        (tmp_path / "mine" / name).mkdir(parents=True)
    (tmp_path / "mine" / "phrasings" / f"{DE}.yaml").write_text(FILE, encoding="utf-8")
    return tmp_path / "mine"


@pytest.fixture
def editor(home, indexes) -> FlaskClient:
    return create_app(indexes, Settings.model_construct(home=home)).test_client()


def file(home):
    return (home / "phrasings" / f"{DE}.yaml").read_bytes().decode()


def form_of(client, fingerprint, address=REVIEW):
    """What the form of a passage would send, as it was made."""
    html = client.get(address).text
    start = html.index(f'id="p-{fingerprint}"')
    shown = Page(html[html.rindex("<form", 0, start) : html.index("</form>", start) + 7])
    values = {
        a["name"] or "": a["value"] or "" for a in shown.all("input") if a.get("type") == "hidden"
    }
    texts = html[start : html.index("</form>", start)].split("<textarea ")[1:]
    for text in texts:
        name = text.split('name="')[1].split('"')[0]
        values[name] = text.split(">", 1)[1].split("</textarea>")[0]
    return values


@pytest.mark.parametrize(
    "address", ["/review", REVIEW, f"{REVIEW}?page=9", "/review/sternenhafen-it-1.1"]
)
def test_every_page_is_sound(editor, address):
    assert_sound(editor, address)


def test_the_worst_comes_first_with_its_reasons_and_the_rulebooks_text(editor):
    shown = page(editor, REVIEW)
    assert "0 von 2 durchgesehen" in shown.text
    assert "Tasten: j und k" in shown.text
    assert "written by hand" not in shown.text
    assert shown.text.index("was kostet parken") < shown.text.index("darf man überall parken")
    assert "findet seine Stelle nicht" in shown.text
    assert "könnte auch Flaute meinen" in shown.text
    assert "Ein betäubtes Schiff kann nicht ankern." in shown.text
    assert "entworfen von toy, 2031-01-01" in shown.text
    assert "<script>alert" not in editor.get(REVIEW).text
    assert "0 von 2 durchgesehen" in page(editor, "/review").text
    assert REVIEW in page(editor, "/review").links()
    assert "/review" in page(editor, "/").links()


def test_pages_are_kept_by_no_browser_and_tell_forms_origin(editor):
    response = editor.get(REVIEW)
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert "Regula-Index" not in response.headers


def test_what_is_kept_edited_and_dropped_is_written_and_nothing_else(editor, home):
    sent = form_of(editor, ANCHOR)
    sent |= {"text.players.0": " wo  darf\nich parken ", "drop.players.1": "1", "do": "keep"}
    response = editor.post(f"{REVIEW}/{ANCHOR}", data=sent, headers=OWN)
    assert response.status_code == 303
    assert response.headers["Location"] == REVIEW
    before, after = yaml.safe_load(FILE), yaml.safe_load(file(home))
    assert after.pop(ANCHOR) == {
        **before.pop(ANCHOR),
        "players": ["wo darf ich parken"],
        "reviewed": True,
    }
    assert after == before
    assert file(home).startswith("# mine 🛶\n")
    assert file(home).endswith(FILE[FILE.index(f'"{COIN}"') :])
    assert all(
        each.reviewed == (each.fingerprint == ANCHOR)
        for each in load_query_variants(DE, home / "phrasings")
    )
    shown = page(editor, REVIEW)
    assert "1 von 2 durchgesehen" in shown.text
    assert f"regula build --home {home}" in shown.text


def test_a_passage_that_is_dropped_keeps_its_place_so_that_it_is_not_drafted_again(editor, home):
    sent = {
        "version": form_of(editor, COIN)["version"],
        "do": "drop",
        "next": "https://foreign.example/",
    }
    response = editor.post(f"{REVIEW}/{COIN}", data=sent, headers=OWN)
    assert response.headers["Location"] == "/"
    assert yaml.safe_load(file(home))[COIN] == {
        "at": "ankern#1",
        "drafted": "toy, 2031-01-01",
        "reviewed": True,
    }


def test_confirming_takes_the_reasons_away(editor, home):
    sent = {**form_of(editor, COIN), "do": "keep"}
    assert editor.post(f"{REVIEW}/{COIN}", data=sent, headers=OWN).status_code == 303
    found = yaml.safe_load(file(home))[COIN]
    assert found["players"] == ["was kostet parken", "wo bleiben"]
    assert "review" not in found
    assert found["reviewed"]


def test_what_users_add_later_is_to_be_reviewed_again(editor, home):
    assert (
        editor.post(
            f"{REVIEW}/{ANCHOR}", data={**form_of(editor, ANCHOR), "do": "keep"}, headers=OWN
        ).status_code
        == 303
    )
    added = "  review: {dove ancorare: asked by users}\n  reviewed: true"
    (home / "phrasings" / f"{DE}.yaml").write_text(
        file(home).replace("  reviewed: true", added), encoding="utf-8"
    )
    shown = page(editor, REVIEW)
    assert "0 von 2 durchgesehen" in shown.text
    assert "asked by users" in shown.text


def test_who_comes_second_sees_both_and_overwrites_nothing(editor, home):
    sent = form_of(editor, ANCHOR)
    other = {**sent, "text.players.0": "kann ich hier halten", "do": "keep"}
    assert editor.post(f"{REVIEW}/{ANCHOR}", data=other, headers=OWN).status_code == 303
    mine = {**sent, "text.players.0": "darf ich dort stehen", "do": "keep"}
    response = editor.post(f"{REVIEW}/{ANCHOR}", data=mine, headers={**OWN, **GERMAN})
    assert response.status_code == 409
    assert "kann ich hier halten" in response.text
    assert "darf ich dort stehen" in response.text
    assert "darf ich dort stehen" not in file(home)
    test_pages.Page(response.text)
    # another passage is another matter
    assert (
        editor.post(
            f"{REVIEW}/{COIN}", data={**form_of(editor, COIN), "do": "keep"}, headers=OWN
        ).status_code
        == 303
    )


def test_nobody_edits_without_a_workspace(client):
    assert "Betreiber" in page(client, REVIEW, 404).text
    assert client.post(f"{REVIEW}/{ANCHOR}", headers=OWN).status_code == 404
    assert "/review" not in page(client, "/").links()


@pytest.mark.parametrize(
    ("environment", "headers"),
    [
        ({"REMOTE_ADDR": "192.0.2.7"}, {}),
        ({}, {"Host": "foreign.example"}),  # a foreign name that leads to this machine
        (
            {},
            {"X-Forwarded-For": "192.0.2.7"},
        ),  # a proxy on this machine that nobody said to believe
        ({}, {"Forwarded": "for=192.0.2.7"}),
    ],
)
def test_without_keys_only_this_machine_edits(editor, home, environment, headers):
    assert editor.get(REVIEW, environ_base=environment, headers=headers).status_code == 403
    sent = {**form_of(editor, ANCHOR), "do": "drop"}
    host = headers.get("Host", "localhost")
    response = editor.post(
        f"{REVIEW}/{ANCHOR}",
        data=sent,
        environ_base=environment,
        headers={"Origin": f"http://{host}", **headers},
    )
    assert response.status_code == 403
    assert file(home) == FILE
    assert (
        "/review"
        not in Page(editor.get("/", environ_base=environment, headers=headers).text).links()
    )


def test_a_service_for_others_takes_nobody_for_its_owner_without_a_key(home, indexes):
    client = create_app(indexes, Settings.model_construct(home=home), desk=False).test_client()
    assert client.get(REVIEW).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://foreign.example"},
    ],
)
def test_another_sites_page_changes_nothing(editor, home, headers):
    sent = {**form_of(editor, ANCHOR), "do": "drop"}
    assert editor.post(f"{REVIEW}/{ANCHOR}", data=sent, headers=headers).status_code == 403
    assert file(home) == FILE


def test_with_keys_an_editors_key_is_wanted(home, indexes, tmp_path):
    ring = KeyRing(tmp_path / "keys.toml")
    reader, editors = ring.make("reader", admin=True), ring.make("editors", editor=True)
    client = create_app(
        indexes, Settings.model_construct(home=home, keys=tmp_path / "keys.toml")
    ).test_client()
    assert "Schlüssel" in page(client, REVIEW, 403).text
    assert client.get(REVIEW, headers={"Authorization": f"Bearer {reader}"}).status_code == 403
    assert client.get(REVIEW, headers={"Authorization": f"Bearer {editors}"}).status_code == 200
    assert (
        client.post("/review/key", data={"key": reader, "next": REVIEW}, headers=OWN).headers[
            "Location"
        ]
        == REVIEW
    )
    assert client.get(REVIEW).status_code == 403
    assert client.post("/review/key", data={"key": editors, "next": REVIEW}).status_code == 403
    response = client.post("/review/key", data={"key": editors, "next": REVIEW}, headers=OWN)
    assert "HttpOnly" in response.headers["Set-Cookie"]
    assert "SameSite=Strict" in response.headers["Set-Cookie"]
    assert client.get(REVIEW).status_code == 200
    assert (
        client.post(
            f"{REVIEW}/{ANCHOR}", data={**form_of(client, ANCHOR), "do": "keep"}, headers=OWN
        ).status_code
        == 303
    )
    ring.revoke("editors")
    assert client.get(REVIEW).status_code == 403


def test_a_faulty_file_is_told_with_its_line(editor, home):
    (home / "phrasings" / f"{DE}.yaml").write_text(FILE + "nonsense: [", encoding="utf-8")
    assert f"{DE}.yaml:" in page(editor, REVIEW, 409).text


TERMS = "/review/terms/sternenhafen"
CONCEPTS = """\
anker:   # of the print
  de: [Ankern, parken]
  en: [anchor]
  slang: {de: [festmachen, festkleben]}
  drafted: toy, 2031-01-01
mine:
  de: [Meins]
"""


def test_terms_are_reviewed_the_same_way(editor, home):
    (home / "concepts").mkdir()
    path = home / "concepts" / "sternenhafen.yaml"
    path.write_text(CONCEPTS, encoding="utf-8")
    assert_sound(editor, TERMS)
    assert TERMS in page(editor, "/review").links()
    shown = page(editor, TERMS)
    assert "0 von 1 durchgesehen" in shown.text
    sent = form_of(editor, "anker", TERMS)
    assert sorted(sent.values())[-4:] == [
        "anchor",
        "festkleben",
        "festmachen",
        "parken",
    ]  # not the name that the rulebook prints
    sent |= {"drop.de.1": "1", "text.slang.de.0": "fest machen", "do": "keep"}
    assert editor.post(f"{TERMS}/anker", data=sent, headers=OWN).headers["Location"] == TERMS
    found = yaml.safe_load(path.read_text())
    assert found["anker"] == {
        "de": ["Ankern"], "en": ["anchor"], "slang": {"de": ["fest "
                                                             "machen", "festkleben"]}, "drafted": "toy, 2031-01-01", "reviewed": True,
    }  # fmt: skip
    assert path.read_text().startswith("anker:   # of the print\n")
    assert path.read_text().endswith("mine:\n  de: [Meins]\n")
    sent = {"version": form_of(editor, "anker", TERMS)["version"], "do": "drop"}
    assert editor.post(f"{TERMS}/anker", data=sent, headers=OWN).status_code == 303
    assert yaml.safe_load(path.read_text())["anker"] == {
        "de": ["Ankern"],
        "drafted": "toy, 2031-01-01",
        "reviewed": True,
    }
    assert editor.post(f"{TERMS}/anker", data=sent, headers=OWN).status_code == 409
    assert editor.get("/review/terms/no-such").status_code == 404
