import json

import pytest
from flask.testing import FlaskClient

from index.model import Query
from service.answers.batch import read_rows, responses
from service.assist.lookup_request import Lookup
from service.mcp.results import answer_result
from service.web.app import create_app
from tests.service.harbour import Indexes

FIRST, FURTHER = "Darf ein Lotse angreifen?", "und wenn er durchnässt ist?"
WHERE = {"edition": "pegelwacht-de-1.1"}


@pytest.fixture(scope="module")
def client(snapshot) -> FlaskClient:
    return create_app(Indexes(snapshot)).test_client()


def test_an_answer_names_the_questions_that_it_was_read_with(client):
    asked = {"question": FURTHER, "context": ["Was ist ein Gerät?", FIRST], **WHERE}
    answer = client.post("/v1/ask", json={**asked, "fields": "all"}).get_json()
    assert answer["question"] == FURTHER
    assert answer["context"] == [FIRST]
    assert answer["passages"][0]["citation"]["heading"] == "DURCHNÄSST, DURCHNÄSSEN"
    by_address = client.get(
        "/v1/ask",
        query_string={
            "q": FURTHER,
            "context": f"Was ist ein Gerät?\n{FIRST}",
            "fields": "all",
            **WHERE,
        },
    )
    assert by_address.get_json()["passages"] == answer["passages"]


def test_an_answer_to_what_is_understood_alone_names_none(client):
    assert (
        "context"
        not in client.post(
            "/v1/ask",
            json={
                "question": "Was ist ein Gerät?",
                "context": [FIRST],
                "fields": "context",
                **WHERE,
            },
        ).get_json()
    )


def test_a_batch_and_the_tools_ask_further(snapshot):
    row = json.dumps({"id": "a", "question": FURTHER, "context": [FIRST], **WHERE}).encode()
    answer = next(iter(responses(snapshot, read_rows([row])))).answer
    assert answer.context == [FIRST]
    found = snapshot.search(Query(FURTHER, edition=WHERE["edition"], context=(FIRST,)))
    assert answer_result(snapshot, found).context == [FIRST]


def test_a_model_is_asked_the_question_that_can_be_understood(snapshot):
    found = snapshot.search(Query(FURTHER, edition=WHERE["edition"], context=(FIRST,)))
    assert found.whole_question == "Darf ein Lotse angreifen. und wenn er durchnässt ist?"
    request = Lookup(
        snapshot.library, Query(found.whole_question, edition=WHERE["edition"])
    ).request()
    assert "Darf ein Lotse angreifen" in request.user


def test_the_page_shows_what_was_read_before_and_takes_it_away_in_one_tap(client):
    page = client.get(
        "/",
        query_string={"q": FURTHER, "context": FIRST, **WHERE},
        headers={"Accept-Language": "de"},
    ).get_data(True)
    assert f'<q lang="de">{FIRST}</q>' in page
    assert (
        'href="/?q=und+wenn+er+durchn%C3%A4sst+ist%3F&amp;edition=pegelwacht-de-1.1">Nur '
        "diese Frage</a>" in page
    )
    # The next question may lean on both.
    assert f'<input type="hidden" name="context" value="{FIRST}\n{FURTHER}">' in page


def test_the_page_of_what_is_understood_alone_drops_what_was_asked_before(client):
    page = client.get(
        "/", query_string={"q": "Was ist ein Gerät?", "context": FIRST, **WHERE}
    ).get_data(True)
    assert "<q " not in page
    assert 'data-address="/?q=Was+ist+ein+Ger%C3%A4t%3F&amp;edition=pegelwacht-de-1.1"' in page
    assert '<input type="hidden" name="context" value="Was ist ein Gerät?">' in page


def test_the_same_question_put_elsewhere_does_not_lean_on_itself(client):
    response = client.get(
        "/",
        query_string={"q": FURTHER, "context": FURTHER, "in": WHERE["edition"]},
        follow_redirects=True,
    )
    assert "<q " not in response.get_data(True)
    kept = client.get(
        "/",
        query_string={"q": FURTHER, "context": f"{FIRST}\n{FURTHER}", "in": WHERE["edition"]},
        follow_redirects=True,
    )
    assert f'<q lang="de">{FIRST}</q>' in kept.get_data(True)
