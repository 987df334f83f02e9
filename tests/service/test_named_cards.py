"""A card's name by itself, and what rulebooks correct or rule on the card."""

from __future__ import annotations

import pytest


def answer(bot, question, game="pegelwacht"):
    body = {"question": question, "game": game, "layers": ["rulebook"], "fields": "all"}
    response = bot.post("/v1/ask", json=body)
    assert response.status_code == 200, response.json
    return response.json


@pytest.mark.parametrize(
    "question",
    ["Springflut", "Was macht Springflut?", "Wie funktioniert Springflut?", "Strickleiter"],
)
def test_what_a_rulebook_says_of_a_card_does_not_settle_what_nobody_asked(bot, question):
    found = answer(bot, question)
    assert found["passages"][0]["citation"]["kind"] in ("ruling", "erratum")
    assert found["verdict"] == "likely"


@pytest.mark.parametrize("question", ["Was besagt die Errata zu Springflut?", "Springflut Erratum"])
def test_the_erratum_of_a_card_settles_what_asks_for_it(bot, question):
    found = answer(bot, question)
    assert found["passages"][0]["citation"]["kind"] == "erratum"
    assert found["verdict"] == "settled"


@pytest.mark.parametrize(
    "question", ["Was besagt die Errata zu Strickleiter?", "Gibt es ein Erratum zu Teerjacke?"]
)
def test_a_ruling_is_no_erratum(bot, question):
    assert answer(bot, question)["verdict"] == "open"


def test_what_is_ruled_on_a_card_settles_what_asks_for_rulings(bot):
    assert answer(bot, "Gibt es ein Ruling zu Strickleiter?")["verdict"] == "settled"


@pytest.mark.parametrize("name", ["Leuchtfeuer", "Tiefe Nacht"])
def test_a_name_that_no_rulebook_has_is_not_settled_by_what_comes_near(bot, name):
    assert answer(bot, name, "pegelduell")["verdict"] == "likely"
    assert answer(bot, "Lotse", "pegelwacht")["verdict"] == "settled"


@pytest.mark.parametrize(
    "question",
    [
        "Elsa - Geist des Winters",
        "Elsa - Lotse des Winters",  # a term, but not in the name
        "Was macht Elsa - Geist des Winters?",
        "Che cosa fa Topolino – Piccolo sarto coraggioso?",
        "Mickey Mouse - Brave Little Tailor",
    ],
)
def test_the_full_name_of_a_card_that_is_not_known_is_open(bot, question):
    assert bot.post("/v1/ask", json={"question": question}).json["verdict"] == "open"
