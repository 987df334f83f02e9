import re

import pytest
from flask.testing import FlaskClient

from service.answers.context import estimate_tokens
from service.core.snapshot import Snapshot
from service.web.app import create_app
from tests.service.harbour import Indexes
from tests.service.layered import HOOK, assert_exact, cited
from tests.service.test_pages import page

CARD = "Was macht die Karte „Enterhaken“?"


@pytest.fixture(scope="module")
def client(sample_index) -> FlaskClient:
    return create_app(Indexes(Snapshot(sample_index))).test_client()


def verified(client, text):
    response = client.post("/v1/verify", json={"text": text})
    assert response.status_code == 200, response.text
    return response.get_json()


def test_every_text_of_rulings_and_cards_is_an_exact_quotation_with_its_citation(
    client, sample_index
):
    texts = [
        part.text
        for ruling in sample_index.rulings
        for part in (ruling.asked, ruling.answered)
        if part
    ]
    texts += [
        text.display
        for card in sample_index.cards.of_game("pegelwacht")
        for text in card.texts()
        if text.kind == "rules"
    ]
    long = [text for text in dict.fromkeys(texts) if len(text.split()) > 6]
    assert len(long) > 60
    for first in range(0, len(long), 20):
        some = long[first : first + 20]
        found = verified(client, "\n\n".join(re.sub("^", "> ", text, flags=re.M) for text in some))
        assert [each["status"] for each in found["quotations"]] == ["exact"] * len(some)
        for each in found["quotations"]:
            if "pointer" in each["citation"]["source"]:  # else the rulebook prints the same words
                assert cited(each["citation"]["source"]) == each["passage"]["text"]


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        (
            "Ohne Wrack gibt es kein gültiges Ziel, und das Manöver bleibt auf deiner Hand.",
            ("bleibt auf", "kommt von"),
        ),
        ("Wer peilt, legt die Karte quer.", ("quer", "ab")),
        ("Exhaust Grappling Iron → deal 2 damage to a wreck.", ("2", "3")),
    ],
)
def test_a_quotation_of_a_ruling_or_card_that_was_altered_is_told(client, said, changed):
    assert verified(client, f"„{said}“")["verdict"] == "exact"
    altered = verified(client, f"„{said.replace(*changed)}“")
    assert altered["verdict"] == "altered"
    assert altered["quotations"][0]["citation"]["kind"] in ("ruling", "card", "erratum")
    assert (
        verified(client, "„Der Hafenmeister tanzt bei Ebbe nackt auf der Kaimauer herum.“")[
            "verdict"
        ]
        == "unsupported"
    )


@pytest.mark.parametrize("question", [HOOK, CARD, "Was macht die Strickleiter?"])
def test_a_prompt_quotes_rulings_and_cards_under_markers_that_can_be_checked(client, question):
    budget = 3000
    body = client.post(
        "/v1/context", json={"question": question, "budget": budget, "details": True}
    ).get_json()
    assert estimate_tokens(body["prompt"]) == body["tokens"] <= budget
    beside = [each for each in body["passages"] if "pointer" in each["citation"]["source"]]
    assert beside
    for each in beside:
        assert_exact(each)
        lines = "\n".join(f"> {line}" for line in each["display"].splitlines())
        assert f"[{each['marker']}] {each['citation']['label']}\n{lines}" in body["prompt"]
        told = verified(client, f"„{each['display']}“ [{each['marker']}]")
        assert [(q["status"], q["marker_ok"]) for q in told["quotations"] if q["marker"]] == [
            ("exact", True)
        ]
    other = next(each["marker"] for each in body["passages"] if each not in beside)
    assert verified(client, f"„{beside[0]['display']}“ [{other}]")["verdict"] == "misattributed"


def test_a_small_budget_holds_with_rulings_too(client):
    for budget in (200, 300, 450, 700):
        body = client.post(
            "/v1/context", json={"question": HOOK, "budget": budget, "details": True}
        ).get_json()
        assert estimate_tokens(body["prompt"]) <= budget
        assert body["left_out"] > 0
    alone = client.post("/v1/context", json={"question": HOOK, "layers": ["rulebook"]}).get_json()
    assert "Seit der Berichtigung" not in alone["prompt"]
    ruled = client.post("/v1/context", json={"question": HOOK, "layers": ["rulings"]}).get_json()
    assert {each["entry"].partition("/")[0] for each in ruled["passages"]} == {"rulings"}


def test_the_page_says_who_ruled_and_when_and_links_to_the_ruling_and_the_rulebook_alone(client):
    label = "Risposta ufficiale, 30 settembre 2025, non nel regolamento"
    superseded, alone = "superata", "Mostra solo il regolamento"
    shown = page(client, f"/?q={HOOK}", 200, **{"Accept-Language": "it"})
    text = shown.text
    assert label in text
    assert f"{label}, {superseded}" not in text
    assert superseded in text
    assert text.index("Seit der Berichtigung gilt der Enterhaken") < text.index(
        "Der Enterhaken fügt den Schaden selbst zu"
    )
    assert shown.all("article")[0]["data-answer"] == "rulings/pegelwacht/enterhaken-durchnaesst-2#1"
    assert "/rulings/pegelwacht/enterhaken-durchnaesst-2" in shown.links()
    assert alone in text
    (link,) = [address for address in shown.links() if "layers=rulebook" in address]
    only = page(client, link, 200, **{"Accept-Language": "it"})
    assert label not in only.text
    assert only.all("article")
    assert not any(str(each["data-answer"]).startswith("rulings/") for each in only.all("article"))


def test_a_ruling_and_a_card_are_headed_by_their_game_unless_it_was_chosen(client):
    for question, kind in ((HOOK, "of-ruling"), (CARD, "of-erratum")):
        html = client.get("/", query_string={"q": question}).text
        ruling = html[html.index(f'"quote {kind}') :]
        assert ruling[ruling.index("<h3>") :].startswith(
            '<h3><span class="of-game">Pegelwacht</span> <a href='
        )
        assert (
            "of-game"
            not in client.get("/", query_string={"q": question, "game": "pegelwacht"}).text
        )


@pytest.mark.parametrize("layers", ["alles", "%22%3E%3Cscript%3Esteal%3C/script%3E"])
def test_a_layer_that_there_is_not_is_said_on_the_page(client, layers):
    shown = page(client, f"/?q=Enterhaken&layers={layers}", 422)
    assert "Mit dieser Adresse" in shown.text
    assert all(each.get("src") for each in shown.all("script"))
