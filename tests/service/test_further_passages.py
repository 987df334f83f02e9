from collections import Counter

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.core.snapshot import Snapshot
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.harbour import Indexes

QUESTION = "Wann steigt der Pegel?"


@pytest.fixture(scope="module")
def sample_app(sample_index) -> Flask:
    return create_app(Indexes(Snapshot(sample_index)), Settings(rate_limit="none"))


@pytest.fixture
def sample_client(sample_app) -> FlaskClient:
    return sample_app.test_client()


def ask(client, **fields):
    response = client.post(
        "/v1/ask", json={"question": QUESTION, "k": 10, "fields": "all", **fields}
    )
    assert response.status_code == 200, response.text
    return response.get_json()


def places(answer):
    return [(passage["rank"], str(passage["citation"]["source"])) for passage in answer["passages"]]


def test_pages_of_an_answer_are_the_answer(sample_client):
    whole = ask(sample_client, k=12, layers=["rulebook"])
    first = ask(sample_client, k=5, layers=["rulebook"])
    assert first["next_offset"] == 5
    second = ask(sample_client, k=5, offset=first["next_offset"], layers=["rulebook"])
    third = ask(sample_client, k=2, offset=second["next_offset"], layers=["rulebook"])
    assert places(first) + places(second) + places(third) == places(whole)
    assert {answer["confidence"] for answer in (whole, first, second, third)} == {
        whole["confidence"]
    }


def test_the_last_page_says_that_it_is(sample_client):
    seen: list[tuple[int, str]] = []
    offset: int | None = 0
    while offset is not None:
        answer = ask(sample_client, edition="pegelduell-faq-de-3", k=50, offset=offset)
        seen += places(answer)
        offset = answer.get("next_offset")
    assert len(seen) == len(set(seen))
    behind = ask(sample_client, edition="pegelduell-faq-de-3", k=5, offset=len(seen))
    assert behind["passages"] == []
    assert "next_offset" not in behind


def test_what_is_of_other_layers_is_on_the_first_page_alone(sample_client):
    first = ask(sample_client, k=3)
    second = ask(sample_client, k=3, offset=3)
    assert {passage.get("layer", "rulebook") for passage in second["passages"]} == {"rulebook"}
    ranks = [passage["rank"] for answer in (first, second) for passage in answer["passages"]]
    assert ranks == sorted(set(ranks))


def test_a_game_and_a_language_have_their_share(sample_client):
    free = ask(sample_client, k=10, layers=["rulebook"])
    games = Counter(passage["citation"]["game"] for passage in free["passages"])
    assert max(games.values()) > 3
    shared = ask(sample_client, k=10, per_game=3, layers=["rulebook"])
    assert max(Counter(passage["citation"]["game"] for passage in shared["passages"]).values()) == 3
    assert len({passage["citation"]["game"] for passage in shared["passages"]}) > 1
    assert places(shared)[0] == places(free)[0]
    languages = ask(sample_client, k=10, per_language=2, layers=["rulebook"])
    assert Counter(passage["citation"]["language"] for passage in languages["passages"]) == {
        "de": 2,
        "it": 2,
    }
    again = ask(sample_client, k=2, per_language=2, offset=2, layers=["rulebook"])
    assert places(again) == places(languages)[2:4]


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("/v1/ask?q=pegel&offset=-1", "offset"),
        ("/v1/ask?q=pegel&offset=201", "offset"),
        ("/v1/ask?q=pegel&per_game=0", "per_game"),
        ("/v1/ask?q=pegel&per_language=viele", "per_language"),
    ],
)
def test_what_cannot_be_worked_with_is_refused(sample_client, address, field):
    response = sample_client.get(address)
    assert response.status_code == 422
    assert response.get_json()["field"] == field
