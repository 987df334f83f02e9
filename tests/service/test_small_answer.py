"""The answer that bots post: small, absolute, marked; more of it by `fields`."""

import json
from pathlib import Path
from statistics import median

import pytest
from flask.testing import FlaskClient

from corpus.model import Role
from service.answers.answer import answer_out
from service.core.snapshot import Snapshot
from service.ops.settings import Settings
from service.web.app import create_app
from tests.conftest import SAMPLE_QUESTIONS, real_folder
from tests.service.harbour import Harbour, Indexes

SMALL = {"label", "url", "display", "marked", "marks", "layer", "language", "marker"}
OPEN = "Darf mein Hund mitspielen?"


@pytest.fixture(scope="module")
def bot(sample_index) -> FlaskClient:
    settings = Settings.model_validate({"public_url": "https://rules.example/", "feedback": False})
    return create_app(Indexes(Snapshot(sample_index)), settings).test_client()


def asked(bot, question, **fields):
    response = bot.post("/v1/ask", json={"question": question, **fields})
    assert response.status_code == 200, response.json
    return response.json


def test_an_answer_has_what_a_bot_posts_and_no_more(bot):
    answer = asked(bot, "Darf mein nasser Lotse angreifen?", game="pegelwacht")
    assert set(answer) == {"verdict", "confidence", "language", "notes", "passages"}
    assert answer["verdict"] == "settled"
    assert len(answer["passages"]) >= 3
    for passage in answer["passages"]:
        optional = {"before", "after", "only_in", "repaired", "superseded"}
        assert SMALL <= passage.keys() <= SMALL | optional
        assert passage["url"].startswith("https://rules.example/")
        assert all(passage.get(name, True) for name in optional), "nothing empty"


def test_k_counts_passages_of_rulebooks_and_layers_leave_the_others_out(bot):
    question = {"question": "Darf mein nasser Lotse angreifen?", "game": "pegelwacht", "k": 1}
    layers = [each["layer"] for each in asked(bot, **question)["passages"]]
    assert layers.count("rulebook") == 1 < len(layers)
    (only,) = asked(bot, **question, layers=["rulebook"])["passages"]
    assert only["layer"] == "rulebook"
    described = bot.get("/openapi.json").json["components"]["schemas"]["Ask"]["properties"]["k"]
    assert "passages of rulebooks" in str(described)


def test_a_message_calls_its_verdict_as_an_answer_does(bot):
    for question in ("Darf mein nasser Lotse angreifen?", OPEN):
        message = bot.get("/v1/message", query_string={"q": question, "format": "plain"}).json
        assert message is not None
        assert message["verdict"] == asked(bot, question)["verdict"]
        # For clients of version 1.0.
        assert message["settled"] == message["verdict"]
        assert message["answered"] is (message["verdict"] != "open")


def test_below_what_is_looked_up_stands_the_rest_of_its_entry(bot, sample_index):
    said = {"question": "Was macht Durchnässt?", "game": "pegelwacht"}
    first = asked(bot, **said)["passages"][0]
    others = sample_index.library.passages_of["pegelwacht-de-1.1/durchnaesst-durchnaessen"][1:]
    texts = [each.display for each in others if each.role is Role.TEXT]
    assert len(texts) > 1
    assert first["after"].splitlines() == [line for text in texts for line in text.splitlines()]
    message = bot.post("/v1/message", json={**said, "format": "plain"}).json["message"]
    assert all(line in message for line in first["after"].splitlines())
    asks_more = asked(bot, "Darf mein nasser Lotse angreifen?", game="pegelwacht")
    assert "after" not in asks_more["passages"][0]


def test_below_the_first_rule_of_what_is_looked_up_stand_those_beside_it(bot):
    body = bot.post(
        "/v1/ask", json={"question": "Was sind Eherne Regeln?", "edition": "pegelduell-de-2.0"}
    ).get_json()
    first = body["passages"][0]
    assert first["display"].startswith("1.2.1.")
    assert [line[:6] for line in first["after"].splitlines()][:2] == ["1.2.2.", "1.2.3."]


def test_both_things_are_quoted_whose_difference_is_asked_for(bot):
    said = {"question": "Was ist der Unterschied zwischen Lotse und Wrack?", "game": "pegelwacht"}
    two = asked(bot, **said)["passages"][:2]
    message = bot.post("/v1/message", json={**said, "format": "plain"}).json["message"]
    for passage, title in zip(two, ("LOTSE", "WRACK"), strict=True):
        assert title in passage["label"].upper()
        assert passage["display"] in message
        assert passage["url"] in message


def test_marks_are_the_same_in_words_and_numbers(bot):
    marked = 0
    for question in ("Darf mein nasser Lotse angreifen?", "Wann steigt der Pegel?", "Flut", OPEN):
        for passage in asked(bot, question, k=10)["passages"]:
            display = passage["display"]
            if passage["marked"] is None:
                assert passage["marks"] == []
                continue
            parts = [display[start:end] for start, end in passage["marks"]]
            assert "".join(passage["marked"].split("<mark>")).replace("</mark>", "") == display
            assert [each.partition("</mark>")[0] for each in passage["marked"].split("<mark>")][
                1:
            ] == parts
            marked += 1
    assert marked > 3


def test_all_is_what_the_command_line_prints_beside_what_is_shown(bot, sample_index):
    from service.core.ask import ask
    from service.core.parameters import query_from

    snapshot = Snapshot(sample_index)
    for question in ("Wann steigt der Pegel?", OPEN):
        result = ask(snapshot, query_from({"question": question, "k": 4}, snapshot))
        printed = answer_out(snapshot, result).model_dump(mode="json")
        answer = asked(bot, question, k=4, fields="all")
        assert printed.keys() <= answer.keys()
        for passage, whole in zip(answer["passages"], printed["passages"], strict=True):
            assert whole.items() <= passage.items()
            assert passage.keys() >= SMALL


@pytest.mark.parametrize(
    ("fields", "there", "absent"),
    [
        ("evidence", {"text", "citation", "highlights", "score"}, {"see_also", "context"}),
        ("links", {"see_also", "also"}, {"text", "citation"}),
        ("context", {"context", "repaired"}, {"text", "see_also"}),
        ("links,evidence", {"text", "citation", "see_also"}, {"context"}),
        ("small", {"display"}, {"text", "see_also", "context"}),
    ],
)
def test_more_is_there_for_who_names_it(bot, fields, there, absent):
    passage = asked(bot, "Wann steigt der Pegel?", fields=fields)["passages"][0]
    assert there <= passage.keys()
    assert not absent & passage.keys()
    by_address = bot.get(f"/v1/ask?q=Wann+steigt+der+Pegel%3F&fields={fields}").json
    assert by_address is not None
    assert by_address["passages"][0] == passage


@pytest.mark.parametrize("fields", ["everything", "evidence,", "Evidence", "evidence links"])
def test_unknown_fields_are_refused_with_those_there_are(bot, fields):
    response = bot.post("/v1/ask", json={"question": "Flut", "fields": fields})
    assert response.status_code == 422
    assert response.json is not None
    assert response.json["field"] == "fields"
    for name in ("evidence", "links", "context", "all"):
        assert name in response.json["detail"]


def test_an_open_question_has_the_games_own_rule_by_fields(harbour_library):
    open_harbour = Harbour(harbour_library, id="open", settles=False)
    bot = create_app(Indexes(open_harbour)).test_client()
    answer = asked(bot, "Schiff", fields="context")
    assert answer["verdict"] == "open"
    assert answer["fallback"].keys() >= SMALL
    assert "Hafenmeister" in answer["fallback"]["display"]
    assert "fallback" not in asked(bot, "Schiff")


def test_a_question_without_fields_says_that_version_1_0_answered_with_all(bot):
    told = bot.get("/v1/ask?q=Flut").headers
    assert "fields=all" in told["Link"]
    assert told["Deprecation"].startswith("@")
    assert "Deprecation" not in bot.get("/v1/ask?q=Flut&fields=small").headers


def test_a_pinned_component_of_version_1_0_still_gets_all(sample_index):
    settings = Settings(cors_origins=("https://fans.example",))
    client = create_app(Indexes(Snapshot(sample_index)), settings).test_client()
    fans = {"Origin": "https://fans.example"}
    pinned = client.get("/v1/ask?q=Flut&k=3", headers=fans)
    assert pinned.json is not None
    assert pinned.json["passages"][0]["citation"]["url"]
    assert "Origin" in pinned.headers["Vary"]
    small = client.get("/v1/ask?q=Flut&k=3", headers={"If-None-Match": pinned.headers["ETag"]})
    assert small.status_code == 200, "what is kept for the one is not served to the other"
    assert small.json is not None
    assert "citation" not in small.json["passages"][0]


# Tokens of o200k cannot be counted without its table. Measured with js-tiktoken on 663 answers to
# the practice questions, it makes one token of 3.5 bytes of a small answer at the median.
BYTES_OF_TOKEN = 3.4


def tokens(client, questions, k):
    """The median of the tokens of the answers to ``questions``."""
    base = {"base_url": "http://127.0.0.1:8080"}
    bodies = [client.get("/v1/ask", query_string={"q": q, "k": k}, **base).data for q in questions]
    return median(len(each) / BYTES_OF_TOKEN for each in bodies)


def practice(file):
    return [json.loads(line)["question"] for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("k", "most"), [(3, 700), (1, 250)])
def test_an_answer_has_few_tokens(bot, k, most):
    assert tokens(bot, practice(SAMPLE_QUESTIONS)[::3], k) <= most


@pytest.mark.acceptance
@pytest.mark.parametrize(("k", "most"), [(3, 700), (1, 250)])
def test_an_answer_from_real_rulebooks_has_few_tokens(real_index, k, most):
    folder = (real_folder() or Path()).parent / "questions"
    files = [folder / f"{name}.jsonl" for name in ("dev", "forum", "strangers", "basic")]
    if not all(file.is_file() for file in files):
        pytest.skip("the practice questions are not here")
    client = create_app(Indexes(Snapshot(real_index))).test_client()
    asked = [question for file in files for question in practice(file)]
    assert tokens(client, asked[::4], k) <= most
