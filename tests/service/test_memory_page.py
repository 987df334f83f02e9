import re

import pytest

from service.core.snapshot import Snapshot
from service.web.app import create_app
from tests.service.harbour import Indexes
from tests.service.test_pages import DE, GERMAN, page

TABLE = "/memory/fingerprints/sternenhafen"


def identities(shown):
    """The fingerprints on a page by what they are of."""
    return {
        str(a["data-passage"]): str(a["data-fingerprint"])
        for _, a in shown.elements
        if "data-passage" in a
    }


@pytest.mark.parametrize(
    "address",
    ["/?q=ankern", f"/e/{DE}/ankern", f"/e/{DE}/glossar", f"/e/{DE}/erratum-leuchtturm-12"],
)
def test_what_can_be_kept_says_what_it_is_known_by(client, address):
    shown = page(client, address)
    table = client.get(TABLE).get_json()["passages"]
    found = identities(shown)
    assert found
    assert {id: table[id][0] for id in found} == found
    labels = [str(a["data-label"]) for _, a in shown.elements if "data-passage" in a]
    assert all(re.search(r", Z\. \d+", label) for label in labels)


def test_answers_and_entries_know_the_same_words_by_the_same_name(client):
    answer, entry = (
        identities(page(client, "/?q=Flaute")),
        identities(page(client, f"/e/{DE}/flaute")),
    )
    assert answer[f"{DE}/flaute#0"] == entry[f"{DE}/flaute#0"]


def test_what_is_compared_with_is_of_a_whole_game_and_has_no_words(client):
    body = client.get(TABLE).get_json()
    assert body["index"] == "index-1"
    assert all(
        re.fullmatch("[0-9a-f]{12}", fingerprint) for fingerprint, _ in body["passages"].values()
    )
    assert f"{DE}/hafen#0" in body["passages"]
    assert "Hafenmeister" not in client.get(TABLE).text
    assert client.get("/memory/fingerprints/no-such").status_code == 404


def test_without_script_no_star_is_shown(client):
    html = client.get("/?q=ankern", headers=GERMAN).text
    assert "data-star" not in re.sub(r"<template.*?</template>", "", html, flags=re.DOTALL)


def test_rulings_and_cards_are_known_too(sample_index):
    client = create_app(Indexes(Snapshot(sample_index))).test_client()
    table = client.get("/memory/fingerprints/pegelwacht").get_json()["passages"]
    for address, sort in (
        ("/cards/pegelwacht/grappling-iron-01015", "cards/"),
        ("/rulings/pegelwacht/flink-peilen", "rulings/"),
        ("/?q=Was+macht+Bernstein-Ole%3F&game=pegelwacht", "cards/"),
        (
            "/?q=Darf+ich+Signalfeuer+spielen%2C+wenn+kein+Wrack+treibt%3F&game=pegelwacht",
            "rulings/",
        ),
    ):
        found = identities(page(client, address))
        assert any(id.startswith(sort) for id in found)
        assert {id: table[id][0] for id in found} == found
