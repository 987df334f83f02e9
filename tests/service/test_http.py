import gzip
import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.bodies import whole
from tests.service.harbour import Harbour, Indexes, library

GZIP = {"Accept-Encoding": "gzip"}
DE = "sternenhafen-de-1.0"


def make(**said):
    indexes = Indexes(Harbour(library()))
    app = create_app(indexes, Settings(**said))
    return app.test_client(), indexes


def test_who_has_an_answer_already_is_told_that_it_holds(client, indexes):
    first = client.get("/v1/ask?q=Flaute&k=1")
    assert first.headers["X-Regula-Index"] == "index-1"
    again = client.get("/v1/ask?k=1&q=Flaute", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert (
        client.get(
            "/v1/ask?q=Flaute&k=2", headers={"If-None-Match": first.headers["ETag"]}
        ).status_code
        == 200
    )
    indexes.index = Harbour(library(), id="index-2")
    assert (
        client.get(
            "/v1/ask?q=Flaute&k=1", headers={"If-None-Match": first.headers["ETag"]}
        ).status_code
        == 200
    )


def test_no_client_keeps_an_answer_that_a_model_may_change():
    for path in ("/v1/ask?q=Flaute", "/v1/message?format=plain&q=Flaute"):
        off, _ = make()
        assert "ETag" not in off.get(f"{path}&assist=true").headers
        assert off.get(f"{path}&assist=true", headers={"If-None-Match": "*"}).status_code == 200


def test_an_answer_whose_links_lead_elsewhere_is_another():
    path = "/v1/message?format=plain&q=Flaute"
    first, second = (make(public_url=f"https://{name}.example")[0] for name in ("one", "two"))
    assert (
        second.get(path, headers={"If-None-Match": first.get(path).headers["ETag"]}).status_code
        == 200
    )


def test_a_comparison_to_print_is_another_in_another_language(client):
    path = f"/v1/compare/{DE}/sternenhafen-it-1.1/html"
    german = client.get(path, headers={"Accept-Language": "de"})
    again = client.get(
        path, headers={"Accept-Language": "it", "If-None-Match": german.headers["ETag"]}
    )
    assert again.status_code == 200


def test_a_compressed_answer_is_the_same_answer():
    client, _ = make()
    plain = client.get("/v1/entries", headers={"Accept-Encoding": "identity"})
    packed = FlaskClient(client.application).get(
        "/v1/entries", headers=GZIP
    )  # the other client would not unpack it
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(plain.data) / 2
    assert gzip.decompress(packed.data) == plain.data
    assert "Accept-Encoding" in packed.headers["Vary"]
    uncompressed, _ = make(compress=False)
    assert "Content-Encoding" not in uncompressed.get("/v1/entries", headers=GZIP).headers


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip", "gzip"),
        ("gzip, deflate, br", "br"),
        ("br;q=0.2, gzip;q=0.9", "gzip"),
        ("gzip, br, zstd", "zstd"),
        ("gzip;q=0", None),
        ("gzip; q=0.000, br;q=0", None),
        ("zstd;q=0, *", "br"),
        ("*;q=0", None),
        ("GZIP", "gzip"),
        ("identity, gzip;q=0.5", None),
        ("", None),
    ],
)
def test_an_encoding_that_is_refused_is_not_sent(accepted, encoding):
    client = FlaskClient(make()[0].application)
    sent = client.get("/v1/entries", headers={"Accept-Encoding": accepted})
    assert sent.headers.get("Content-Encoding") == encoding


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,en;q=0.3", "de"),
        ("en;q=0.3,de-AT", "de"),
        ("fr-CH, it-CH;q=0.5, en;q=0.4", "it"),
        ("de;q=0, it;q=0.1", "it"),
        ("de-DE;q=0.4, de;q=0.9, it;q=0.8", "de"),
        ("DE-at", "de"),
        ("de;q=0", "en"),
        ("en;q=0, de;q=0", "it"),
        ("*", "en"),
        ("ja", "en"),
        ("", "en"),
    ],
)
def test_the_language_that_a_browser_wants_most_is_spoken(accepted, language):
    client, _ = make()
    shown = client.get("/about", headers={"Accept-Language": accepted}).text
    assert f'<html lang="{language}"' in shown


def test_a_batch_answers_each_question_in_its_place(client):
    asked: list[dict[str, Any]] = [
        {"id": "a", "question": "Flaute", "k": 1},
        {"question": "nave", "edition": "sternenhafen-it-1.1"},
        {"id": "a", "question": "Xylophon"},
    ]
    body = client.post("/v1/batch", json={"questions": asked}).json
    assert body["index"] == "index-1"
    assert [r["id"] for r in body["responses"]] == ["a", None, "a"]
    for question, response in zip(asked, body["responses"], strict=True):
        alone = {"k": 10, **question, "fields": "all"}
        alone.pop("id", None)
        assert whole(client.post("/v1/ask", json=alone).json) == whole(response["response"])


@pytest.mark.parametrize(
    ("questions", "status", "field"),
    [
        ([], 422, "questions"),
        ([{"question": "a"}] * 101, 422, "questions"),
    ],
)
def test_a_batch_with_a_question_that_cannot_be_put_is_refused_and_says_which(
    client, questions, status, field
):
    refused = client.post("/v1/batch", json={"questions": questions})
    assert (refused.status_code, refused.json["field"]) == (status, field)


def test_a_batch_whose_time_runs_out_says_what_it_left_undone(monkeypatch):
    asking, _ = make(batch_timeout=2.5)
    clock = iter(range(1000))
    second = SimpleNamespace(
        monotonic=lambda: float(next(clock))
    )  # each look a second after the one before, and nobody else looks
    monkeypatch.setattr("service.web.api.ask.time", second)
    body = asking.post(
        "/v1/batch", json={"questions": [{"id": str(n), "question": "Flaute"} for n in range(5)]}
    ).json
    assert [row["id"] for row in body["responses"]] == ["0", "1"]
    assert body["undone"] == ["2", "3", "4"]
    assert (
        asking.post("/v1/batch", json={"questions": [{"id": "a", "question": "Flaute"}]}).json[
            "undone"
        ]
        == []
    )


def test_a_batch_may_be_larger_than_a_question(client):
    questions = [{"question": f"{number} " + "ü" * 1900} for number in range(100)]
    assert len(client.post("/v1/batch", json={"questions": questions}).json["responses"]) == 100


def test_a_request_has_an_id_that_the_caller_may_give(client):
    given = client.get("/v1/ask?q=Flaute", headers={"X-Request-ID": "bot-7.3"})
    assert given.headers["X-Request-ID"] == "bot-7.3"
    for unfit in ("a b", "x" * 65, "<script>"):
        made = client.get("/v1/nothing", headers={"X-Request-ID": unfit})
        assert made.headers["X-Request-ID"] not in ("", unfit)
        assert made.json["request"] == made.headers["X-Request-ID"]


def test_a_log_line_tells_of_a_request_all_but_what_was_asked(caplog):
    client, _ = make()
    with caplog.at_level(logging.INFO, "regula.request"):
        client.get("/v1/ask?q=geheime+Flaute", headers={"X-Request-ID": "id-1"})
        client.post("/v1/ask", json={"question": "geheime Flaute"})
        client.get("/healthz")
    told: list[Any] = [record for record in caplog.records if record.name == "regula.request"]
    first = told[0]
    assert (first.request, first.method, first.route, first.status) == (
        "id-1",
        "GET",
        "/v1/ask",
        200,
    )
    assert (first.index, first.answered) == ("index-1", True)
    assert len(told) == 2  # signs of life are asked for all the time
    assert all(record.ms >= 0 for record in told)
    assert "geheim" not in json.dumps([record.__dict__ for record in caplog.records], default=str)


def test_questions_are_logged_where_the_operator_wants_it(caplog):
    client, _ = make(log_questions=True)
    with caplog.at_level(logging.INFO, "regula.request"):
        client.get("/v1/ask?q=Flaute")
    last: Any = caplog.records[-1]
    assert last.question == "Flaute"


def metric(client, name):
    lines = [line for line in client.get("/metrics").text.splitlines() if line.startswith(name)]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


def test_metrics_count_requests_answers_and_what_was_kept_ready():
    client, indexes = make()
    before = {name: metric(client, name) for name in NAMES}
    client.get("/v1/ask?q=Flaute")
    client.get("/v1/ask?q=Flaute")
    indexes.index.settles = False
    client.get("/v1/ask?q=Sturm")
    assert {name: metric(client, name) - before[name] for name in NAMES} == dict(
        zip(NAMES, (3, 2, 1, 1, 2), strict=True)
    )
    assert 'regula_index_info{id="index-1"}' in client.get("/metrics").text
    assert metric(client, "regula_index_age_seconds") < 0  # the invented index is of the future
    assert metric(client, "regula_index_loaded") == 1.0
    indexes.index = None
    assert metric(client, "regula_index_loaded") == 0.0


NAMES = (
    'regula_request_duration_seconds_count{method="GET",route="/v1/ask",status="200"}',
    'regula_questions_total{answered="yes"}',
    'regula_questions_total{answered="no"}',
    'regula_kept_answers_total{result="hit"}',
    'regula_kept_answers_total{result="miss"}',
)


def test_a_kept_answer_is_searched_once_for_each_index():
    client, indexes = make()
    for _ in range(3):
        client.get("/v1/ask?q=Flaute")
    assert len(indexes.index.queries) == 1
    client.get("/v1/ask?q=Flaute&k=4")
    assert len(indexes.index.queries) == 2
    indexes.index = Harbour(library(), id="index-2")
    assert client.get("/v1/ask?q=Flaute").headers["X-Regula-Index"] == "index-2"
    assert len(indexes.index.queries) == 1
    client, indexes = make(answers_kept=0)
    for _ in range(3):
        client.get("/v1/ask?q=Flaute")
    assert len(indexes.index.queries) == 3


@pytest.mark.parametrize("form", ["markdown", "plain", "discord"])
def test_an_answer_as_a_message_has_its_quotation_citation_and_link(form):
    client, _ = make(public_url="https://regula.example")
    asked = {"question": "Flaute", "format": form, "limit": 900}
    body = client.post("/v1/message", json=asked).json
    assert body["length"] <= body["limit"] == 900
    assert "https://regula.example/e/sternenhafen-de-1.0/" in body["message"]
    assert body["citations"][0]["edition"] == DE
    assert (
        client.get("/v1/message", query_string={"q": "Flaute", "format": form, "limit": 900}).json
        == body
    )
    assert (
        "http://localhost/e/"
        in FlaskClient(make()[0].application)
        .get(f"/v1/message?q=Flaute&format={form}")
        .json["message"]
    )
