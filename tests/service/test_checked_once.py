import json
from typing import Any

import pytest

import service
from service.answers.batch import read_rows, responses
from service.core.problems import Problem
from tests.service.assistants import trouble

ASKED = {"question": "Wo ankern Schiffe?"}
WRONG: list[dict[str, Any]] = [
    {"question": ""},
    {"question": " \n"},
    {"question": "x" * 2001},
    {"question": "Anker\u0007"},
    {"question": "Anker\u202e"},
    {"edition": "none"},
    {"edition": ""},
    {"game": "none"},
    {"language": "deutsch!"},
    {"language": ""},
    {"language": "xx"},
    {"language": "klingon"},
    {"as_of": "yesterday"},
    {"as_of": ""},
    {"as_of": "2025-6-1"},
    {"as_of": "20250601"},
    {"as_of": "2025-02-30"},
    {"as_of": "2025-06-01T00:00"},
    {"as_of": "٢٠٢٥-٠٦-٠١"},
    {"as_of": "-001-01-01"},
    {"as_of": "2025-06-01\x00"},
    {"layers": ["rulings", "rulings"]},
    {"context": [""]},
    {"context": ["Anker\u0007"]},
    {"context": ["x" * 2001]},
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: json.dumps(wrong)[:40])
def test_a_wrong_value_is_refused_in_the_same_words_everywhere(client, indexes, wrong):
    snapshot = indexes.current()
    fields = ASKED | wrong
    (name,) = wrong
    body = client.post("/v1/ask", json=fields)
    (row,) = responses(snapshot, read_rows([json.dumps({"id": 1, **fields}).encode()]))
    with pytest.raises(Problem) as raised:
        service.ask(indexes, **fields)
    told = {
        body.json["detail"],
        raised.value.detail,
        row.problem.detail if row.problem else "",
        trouble(snapshot, "ask", **fields).removeprefix("Error executing tool ask: "),
    }
    assert len(told) == 1, told
    assert body.status_code == raised.value.status == row.problem.status == 422
    assert body.json["field"] == raised.value.field == name


@pytest.mark.parametrize(
    ("as_text", "as_json"),
    [
        ({"k": "3"}, {"k": 3}),
        ({"k": "03", "offset": "1"}, {"k": 3.0, "offset": 1}),
        ({"layers": "cards,rulebook"}, {"layers": ["rulebook", "cards"]}),
        (
            {"context": "Was ist Flaute?\n\n Und  im Hafen? "},
            {"context": ["Was ist Flaute?", "Und im Hafen?"]},
        ),
        ({"language": "DE-at"}, {"language": "de"}),
        ({"assist": "false"}, {"assist": False}),
    ],
)
def test_an_address_says_the_same_as_a_body(client, as_text, as_json):
    got = client.get("/v1/ask", query_string={"q": ASKED["question"], **as_text})
    posted = client.post("/v1/ask", json=ASKED | as_json)
    assert got.status_code == posted.status_code == 200
    assert got.json == posted.json


@pytest.mark.parametrize(
    "typed",
    [{"k": "3"}, {"layers": "rulebook"}, {"context": "Was ist Flaute?"}, {"assist": "true"}],
)
def test_what_is_written_as_in_an_address_is_no_json(client, typed):
    assert client.post("/v1/ask", json=ASKED | typed).status_code == 422


def test_a_problem_in_a_batch_says_which_question_it_is_about(client):
    for wrong in (
        {"k": 0},
        {"question": ""},
        {"question": None},
        {"edition": "none"},
        {"mood": "curious"},
    ):
        refused = client.post("/v1/batch", json={"questions": [ASKED, ASKED | wrong]}).json
        assert refused["detail"].startswith("Question 2: "), refused
        assert refused["field"] == f"questions.1.{next(iter(wrong))}"
    elsewhere = {
        "edition": "sternenhafen-de-1.0",
        "document": "porto.txt",
    }  # which no rulebook is both of
    assert (
        client.post("/v1/batch", json={"questions": [ASKED | elsewhere]}).json["field"]
        == "questions.0"
    )


def test_a_language_that_there_is_none_of_is_refused_and_one_that_is_not_read_a_note(client):
    for wrong in ({"prefer": "zz"}, {"prefer": "klingon"}, {"language": "qq-DE"}):
        response = client.post("/v1/ask", json=ASKED | wrong)
        assert (response.status_code, response.json["field"]) == (422, next(iter(wrong))), wrong
    for read in ("de-AT", "it"):
        assert client.post("/v1/ask", json=ASKED | {"language": read}).json["notes"] == []
    for unread in ("ja", "ta-IN", "gsw"):
        answer = client.post("/v1/ask", json=ASKED | {"language": unread}).json
        assert [note["code"] for note in answer["notes"]] == ["language-not-read"]


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"k": "3"}, "wrong-type"),
        ({"k": True}, "wrong-type"),
        ({"k": 1.5}, "wrong-type"),
        ({"k": 0}, "out-of-range"),
        ({"edition": ["x"]}, "wrong-type"),
        ({"assist": "yes"}, "wrong-type"),
        ({"context": "Was ist Flaute?"}, "wrong-type"),
        ({"context": [1]}, "wrong-type"),
        ({"as_of": 20250601}, "wrong-type"),
        ({"layers": "rulings"}, "wrong-type"),
        ({"layers": [None]}, "out-of-range"),
        ({"layers": ["ruling"]}, "out-of-range"),
        ({"layers": []}, "out-of-range"),
        ({"context": ["x"] * 5}, "out-of-range"),
        ({"edition": "none"}, "out-of-range"),
    ],
)
def test_a_value_of_another_type_is_not_one_out_of_range(client, wrong, name):
    response = client.post("/v1/ask", json=ASKED | wrong)
    assert (response.status_code, response.json["type"]) == (422, f"urn:regula:problem:{name}")


@pytest.mark.parametrize(
    "address",
    [
        *("/v1/ask?q=a&game=chess", "/v1/message?q=a&format=plain&game=chess"),
        *("/v1/suggest?q=a&game=chess", "/v1/cards?q=a&game=chess"),
        *("/v1/rulings?card=a&game=chess", "/v1/terms?game=chess", "/v1/terms/check?game=chess"),
        *("/v1/cards/chess/a", "/v1/message/cards/chess/a?format=plain"),
        "/v1/compare/cards/chess?language=de",
    ],
)
def test_an_unknown_game_is_refused_alike_everywhere(client, address):
    response = client.get(address)
    assert (response.status_code, response.json["field"]) == (422, "game"), response.json


def test_what_is_missing_is_named(client):
    refused = client.post("/v1/message", json={"question": "Flaute"})
    assert refused.status_code == 400
    assert "format" in refused.json["detail"]
