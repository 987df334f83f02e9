from urllib.parse import urlencode

import pytest

from service.web.app import create_app
from tests.service.harbour import Indexes
from tests.service.test_pages import DE, GERMAN, page

QUESTION = "/?q=ankern"


def on_screen(shown):
    return [link for link in shown.links() if link.startswith("/screen")]


def test_each_passage_of_an_answer_leads_to_its_screen_and_back(client):
    shown = page(client, QUESTION)
    addresses = on_screen(shown)
    assert len(addresses) > 1
    first = page(client, addresses[0])
    assert len(first.all("article")) == 0
    assert len(first.all("form")) == 0
    assert "Ein Schiff kann nur im eigenen Hafen ankern." in first.text
    assert first.all("mark")
    assert f"1 von {len(addresses)}" in first.text
    assert addresses[1] in first.links()
    assert QUESTION in first.links()
    last = page(client, addresses[-1])
    assert addresses[-2] in last.links()
    assert len(on_screen(last)) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Wann steigt der Pegel?",  # two passages under the first title
        "Was passiert in der Flutphase?",  # a list below what announces it
        "Zählt die Teerjacke zum Gerätelimit?",
        "Wann steigt der Pegel? Darf ich zweimal auftauchen?",
        "Darf mein Hund mitspielen?",  # the rule for what is left open
    ],
)
def test_screens_turn_in_the_order_of_the_page(snapshot, question):
    client = create_app(Indexes(snapshot)).test_client()
    addresses = on_screen(page(client, "/?" + urlencode({"q": question, "game": "pegelwacht"})))
    turned = addresses[:1]
    while following := [
        each["href"] for each in page(client, turned[-1]).all("a") if each.get("rel") == "next"
    ]:
        turned += following
    assert turned == list(dict.fromkeys(addresses))


def test_the_passages_of_an_entry_follow_each_other(client, harbour_library):
    entry = harbour_library.entry[f"{DE}/ankern"]
    assert f"/screen/e/{entry.id}" in page(client, f"/e/{entry.id}").links()
    passages = harbour_library.passages_of[entry.id]
    last = page(client, f"/screen/e/{entry.id}?n={len(passages)}")
    assert passages[-1].display.split()[0] in last.text
    assert f"/e/{entry.id}#" in " ".join(last.links())


@pytest.mark.parametrize(
    "address",
    [
        "/screen",
        "/screen?q=ankern&passage=no-such%230",
        f"/screen/e/{DE}/ankern?n=0",
        f"/screen/e/{DE}/ankern?n=999999999999999",
        f"/screen/e/{DE}/ankern?n=²",
        "/screen/e/no-such",
        "/screen/rulings/no-such/1",
    ],
)
def test_what_is_not_there_is_not_found(client, address):
    assert client.get(address, headers=GERMAN).status_code == 404


def test_a_passage_that_another_order_had_first_is_shown_alone(client, harbour_library):
    wanted = next(
        each
        for each in harbour_library.passages
        if each.entry.startswith(DE) and "ankern" not in each.display.lower()
    )
    shown = page(client, f"/screen?q=ankern&k=1&passage={wanted.id.replace('#', '%23')}")
    assert wanted.display.split()[0] in shown.text
    assert on_screen(shown) == []
