import csv
import io
import json
import shutil
import time
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from corpus.cards.read import SAMPLE as SAMPLE_CARDS
from corpus.cards.read import read_cards
from glossary.concepts import load_concepts
from index.cards.card_store import CardStore, save_cards
from index.library.library import assemble_library
from service.web.app import create_app
from service.web.pages import compare as compare_cards_page
from tests.service.command_line import regula
from tests.service.harbour import Harbour, Indexes

GAME = "pegelwacht"
CHANGES = (
    ("entferne 2 Schaden von ihr", "entferne 3 Schaden von ihr"),  # a number, of 01007
    ("Du darfst 1 [oil] bezahlen → blende", "Du darfst bezahlen → blende"),  # a symbol, of 01012
    ("en: Amber Ole}", "en: Amber Ole, fr: Ole}"),  # a language that no other card has
)


def changed_workspace(home):
    """``home``, made a workspace with the cards of the sample, changed."""
    (home / "rulebooks").mkdir()
    shutil.copytree(SAMPLE_CARDS / GAME, home / "cards" / GAME)
    file = home / "cards" / GAME / "cards.yaml"
    text = file.read_text(encoding="utf-8")
    for old, new in CHANGES:
        assert text.count(old) == 1
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    return home


def indexed(home, sample, folder, tables):
    """An index of the ``sample`` with the cards of the workspace ``home``, whose files are in
    ``folder``, and word ``tables``.
    """
    save_cards(
        folder / "cards",
        {GAME: read_cards(home / "cards" / GAME, GAME).cards},
        {GAME: load_concepts(GAME)},
    )
    return Indexes(
        Harbour(
            assemble_library(sample.rulebooks),
            cards=CardStore.load(folder / "cards", tables),
        )
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    return changed_workspace(tmp_path_factory.mktemp("workspace"))


@pytest.fixture(scope="module")
def client(home, sample, word_tables, tmp_path_factory) -> FlaskClient:
    folder = tmp_path_factory.mktemp("index")
    return create_app(indexed(home, sample, folder, word_tables)).test_client()


def compared(home, *options):
    return regula("cards", "compare", GAME, *options, settings={"REGULA_HOME": str(home)})


def differences(client, language="de"):
    response = client.get(f"/v1/compare/cards/{GAME}", query_string={"language": language})
    assert response.status_code == 200, response.text
    return response.get_json()["differences"]


def test_the_sample_agrees_with_itself_and_its_changes_are_listed(home):
    for language in ("de", "it"):
        done = regula("cards", "compare", GAME, "--language", language, "--format", "json")
        assert json.loads(done.stdout)["differences"] == []
    done = compared(home, "--language", "de")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "numbers 01007 Oilskin = Teerjacke: 2 | 3" in lines
    assert any(
        line.startswith("symbols 01012 Signal Fire = Signalfeuer: [oil] | –") for line in lines
    )


@pytest.mark.acceptance
def test_json_and_csv_list_the_same(home, client):
    listed = json.loads(compared(home, "--language", "de", "--format", "json").stdout)
    rows = list(
        csv.DictReader(
            io.StringIO(
                compared(home, "--language", "de", "--format", "csv").stdout.removeprefix("\ufeff"),
                newline="",
            )
        )
    )
    assert [
        (each["card"], each["sort"], each["name"], each["translated_name"])
        for each in listed["differences"]
    ] == [(row["card"], row["difference"], row["English name"], row["name"]) for row in rows]
    for each, row in zip(listed["differences"], rows, strict=True):
        assert (each["translation"]["text"], each["translation"]["source"]["pointer"]) == (
            row["text"],
            row["pointer"],
        )
        assert " | ".join(each["translation"]["words"]) == row["only here"]
    assert listed["differences"] == differences(client)
    over_http = client.get(f"/v1/compare/cards/{GAME}/csv?language=de")
    assert over_http.content_type == "text/csv; charset=utf-8"
    assert over_http.data.decode() == compared(home, "--language", "de", "--format", "csv").stdout


def test_a_difference_quotes_both_texts_with_their_places(client, home):
    (number,) = (each for each in differences(client) if each["sort"] == "numbers")
    english, german = number["english"], number["translation"]
    assert (number["card"], english["words"], german["words"]) == ("01007", ["2"], ["3"])
    for side in (english, german):
        assert [side["text"][start:end] for start, end in side["spans"]] == side["words"]
    assert (english["source"]["pointer"], german["source"]["pointer"]) == (
        "/cards/1/texts/en",
        "/cards/1/texts/de",
    )
    assert german["source"]["file"] == "cards.yaml"


def test_cards_without_a_name_in_a_language_are_listed(client):
    kinds = {each["sort"] for each in differences(client, "it")}
    assert "numbers" not in kinds
    response = client.get(f"/v1/compare/cards/{GAME}?language=fr")
    assert response.status_code == 422
    assert "there are: de, it" in response.get_json()["detail"]


def ready(client, address):
    """The page at ``address``, which is worked out behind the scenes."""
    ends = time.monotonic() + 60
    while (response := client.get(address)).status_code == 202 and time.monotonic() < ends:
        time.sleep(0.05)
    assert response.status_code == 200
    return response.text


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"/v1/compare/cards/{GAME}", 400),
        (f"/v1/compare/cards/{GAME}?language=en", 422),
        (f"/v1/compare/cards/{GAME}?language=xx", 422),
        (f"/v1/compare/cards/{GAME}?language=../de", 422),
        (f"/v1/compare/cards/{GAME}?language=de&format=csv", 400),
        (f"/v1/compare/cards/{GAME}?language=de&k=3", 400),
        ("/v1/compare/cards/schach?language=de", 422),
        ("/v1/compare/cards/pegelduell?language=de", 404),
    ],
)
def test_what_cannot_be_compared_is_a_problem(client, address, status):
    response = client.get(address)
    assert (response.status_code, response.content_type) == (status, "application/problem+json")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--language", "fr"), "there are: de, it"),
        (("--language", "de", "--format", "html"), "there are: table, json, csv"),
        ((), "--language"),
    ],
)
def test_the_command_says_in_a_line_what_there_is(home, options, said):
    done = compared(home, *options)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_page_shows_every_difference_with_what_differs_marked(client, monkeypatch):
    monkeypatch.setattr(compare_cards_page, "PAGE", 1)
    address, shown = f"/compare/cards/{GAME}?language=de", ""
    for number in range(len(differences(client))):
        shown += ready(client, f"{address}&page={number + 1}")
    assert "<mark>2</mark>" in shown
    assert "<mark>3</mark>" in shown
    for each in differences(client):
        assert f'href="/cards/{GAME}/{each["slug"]}"' in shown
        assert f'<span class="quiet">No. {each["card"]}</span>' in shown
