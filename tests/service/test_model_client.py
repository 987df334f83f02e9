import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.llm.client import ModelClient, Usage
from service.llm.model_request import (
    BadReply,
    BudgetSpent,
    ModelEndpoint,
    ModelError,
    ModelRequest,
    ModelTimeout,
    ModelUnreachable,
    NotRecorded,
    Prices,
    ReplyFields,
    request_key,
)
from service.ops.settings import SettingError, load, model_endpoint
from tests.service.model_server import Scripted, completion, model_server


class Colours(ReplyFields):
    """Names of colours."""

    colours: list[str]


def request(user="Three colours of a harbour.", most_tokens=50):
    return ModelRequest("Reply with colours.", user, Colours, most_tokens)


GOOD = completion('{"colours": ["grey", "rust", "green"]}')


def test_a_reply_comes_in_the_shape_that_was_asked_for():
    with model_server(lambda *_: GOOD) as server:
        client = ModelClient(ModelEndpoint(server.url, "toy", "secret", prices=Prices(2.0, 10.0)))
        assert client.ask(request()).colours == ["grey", "rust", "green"]
        (asked,), (headers,) = server.requests, server.headers
    assert headers["authorization"] == "Bearer secret"
    assert asked["model"] == "toy"
    assert asked["messages"][1] == {"role": "user", "content": "Three colours of a harbour."}
    schema = asked["response_format"]["json_schema"]
    assert schema["strict"]
    assert schema["schema"]["required"] == ["colours"]
    assert schema["schema"]["additionalProperties"] is False
    assert client.used == Usage(1, 100, 20)
    assert client.cost == pytest.approx((100 * 2 + 20 * 10) / 1_000_000)


@pytest.mark.parametrize(
    ("scripted", "message"),
    [
        (completion('{"colours": "grey"}'), "another shape"),
        (completion('{"colours": [], "more": 1}'), "another shape"),
        (completion("Here are some colours!"), "another shape"),
        (completion('{"colours": ["gr', finish="length"), "cut off"),
        (completion(None), "refused"),
        (Scripted(b'{"choices": []}'), "chat completion"),
        (Scripted(b"[1]"), "chat completion"),
        (Scripted(b"<html>"), "JSON"),
        (Scripted(b"[" * 200_000), "JSON"),
        (Scripted(b" " * 10_000_000), "larger than"),
    ],
)
def test_what_is_no_such_reply_is_a_bad_one(scripted, message):
    with (
        model_server(lambda *_: scripted) as server,
        pytest.raises(BadReply, match=message) as raised,
    ):
        ModelClient(ModelEndpoint(server.url)).ask(request())
    assert "\n" not in str(raised.value)


def test_a_server_that_is_busy_is_asked_again_and_one_that_forbids_is_not():
    busy = Scripted(b'{"error": {"message": "slow down"}}', 429, headers={"Retry-After": "0"})
    with model_server(lambda _, number: busy if number < 2 else GOOD) as server:
        assert len(ModelClient(ModelEndpoint(server.url)).ask(request()).colours) == 3
        assert len(server.requests) == 3
    forbids = Scripted(b'{"error": {"message": "wrong key"}}', 401)
    with model_server(lambda *_: forbids) as server:
        with pytest.raises(ModelUnreachable, match="401"):
            ModelClient(ModelEndpoint(server.url)).ask(request())
        assert len(server.requests) == 1


def test_a_server_that_asks_for_a_long_pause_is_not_asked_again():
    busy = Scripted(
        b'{"error": {"message": "come back tomorrow"}}', 429, headers={"Retry-After": "86400"}
    )
    with model_server(lambda *_: busy) as server:
        with pytest.raises(ModelUnreachable, match=r"429.*come back tomorrow"):
            ModelClient(ModelEndpoint(server.url)).ask(request())
        assert len(server.requests) == 1


def test_who_waits_gets_no_second_try_and_no_reply_that_is_late():
    with model_server(lambda *_: Scripted(status=503)) as server:
        with pytest.raises(ModelUnreachable, match="503"):
            ModelClient(ModelEndpoint(server.url)).ask(request(), seconds=5)
        assert len(server.requests) == 1
    late = Scripted(GOOD.body, delay=60)
    with model_server(lambda *_: late) as server:
        client = ModelClient(ModelEndpoint(server.url))
        start = time.monotonic()
        with pytest.raises(ModelTimeout):
            client.ask(request(), seconds=0.3)
        assert time.monotonic() - start < 30


def test_a_server_that_is_not_there_is_told_in_a_line():
    with pytest.raises(ModelUnreachable) as raised:
        ModelClient(ModelEndpoint("http://127.0.0.1:9/v1")).ask(request(), seconds=5)
    assert "\n" not in str(raised.value)


def test_a_budget_is_not_passed_by_calls_at_once_either():
    with model_server(lambda *_: Scripted(GOOD.body, delay=0.1)) as server:
        each = request().estimated_tokens + 50
        client = ModelClient(ModelEndpoint(server.url, most_tokens=3 * each))

        def ask(number):
            try:
                client.ask(request())
            except BudgetSpent:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(ask, range(8)))
        assert sum(done) == len(server.requests)
        assert 1 <= sum(done) <= 3
        client = ModelClient(ModelEndpoint(server.url, most_money=0.001, prices=Prices(5.0, 100.0)))
        with pytest.raises(BudgetSpent, match=r"0\.001"):
            client.ask(request())


def test_recorded_calls_answer_without_a_model(tmp_path):
    file = tmp_path / "calls.jsonl"
    with model_server(lambda *_: GOOD) as server:
        client = ModelClient(ModelEndpoint(server.url, "toy", "secret", record=file))
        client.ask(request())
        client.ask(request("Other colours."))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["key"] for line in lines] == [request_key(line["request"]) for line in lines]
    assert "secret" not in file.read_text()
    replayed = ModelClient(ModelEndpoint(replay=file))
    assert replayed.ask(request()).colours == ["grey", "rust", "green"]
    assert replayed.lacked == 0
    assert not (tmp_path / "calls.jsonl.missing").exists()


def test_calls_that_are_not_recorded_are_written_down_once_and_can_be_answered(tmp_path):
    file, missing = tmp_path / "calls.jsonl", tmp_path / "calls.jsonl.missing"
    client = ModelClient(ModelEndpoint(replay=file))
    for _ in range(2):
        with pytest.raises(NotRecorded, match="missing"):
            client.ask(request())
    assert client.lacked == 1
    (line,) = missing.read_text().splitlines()
    call = json.loads(line)
    assert call["key"] == request_key(call["request"]) == request().key
    answered = {**call, "by": "hand\u2028written", "response": json.loads(GOOD.body)}
    file.write_text(json.dumps(answered, ensure_ascii=False) + "\n")
    assert ModelClient(ModelEndpoint(replay=file)).ask(request()).colours[0] == "grey"


def test_a_file_that_holds_something_else_is_named_with_its_line(tmp_path):
    file = tmp_path / "calls.jsonl"
    file.write_text("\n{}\n")
    with pytest.raises(ModelError, match=r"calls\.jsonl:2"):
        ModelClient(ModelEndpoint(replay=file))


def test_settings_name_the_model_and_its_name_has_to_be_there(monkeypatch, tmp_path):
    assert model_endpoint(load()) is None
    monkeypatch.setenv("REGULA_MODEL_URL", "http://localhost:11434/v1")
    with pytest.raises(SettingError, match="REGULA_MODEL_NAME"):
        model_endpoint(load())
    monkeypatch.setenv("REGULA_MODEL_NAME", "toy")
    monkeypatch.setenv("REGULA_MODEL_KEY", "secret")
    endpoint = model_endpoint(load())
    assert endpoint
    assert (endpoint.url, endpoint.name, endpoint.key) == (
        "http://localhost:11434/v1",
        "toy",
        "secret",
    )
    assert "secret" not in repr(endpoint)
    monkeypatch.setenv("REGULA_MODEL_URL", "http://me:secret@localhost/v1")
    with pytest.raises(SettingError) as raised:
        load()
    assert "secret" not in str(raised.value)
