import json
import logging
import re
import secrets
from collections.abc import Callable
from io import FileIO
from multiprocessing import get_context
from types import MappingProxyType
from typing import Any

import pytest
from flask.testing import FlaskClient

from corpus.file_changes import ChangeScope
from index.model import Query
from service.ops.feedback import store as feedback_store
from service.ops.feedback.recording import (
    FeedbackRecorder,
    feedback_recorder,
)
from service.ops.feedback.records import (
    FeedbackOrigin,
    FeedbackRecord,
    Verdict,
    undone_record,
)
from service.ops.feedback.store import (
    FeedbackNotKept,
    FeedbackStore,
)
from service.ops.settings import SettingError, Settings
from service.web.app import create_app
from tests.service.assistants import asked
from tests.service.harbour import Harbour, Indexes, library
from tests.service.test_pages import GERMAN, Page

DE = "sternenhafen-de-1.0"
ADDRESS = f"/?q=Flaute&edition={DE}"


@pytest.fixture
def harbour() -> Harbour:
    return Harbour(library(), id="harbour-judged")


@pytest.fixture
def told(harbour, tmp_path) -> FlaskClient:
    """A client of a service that keeps feedback in ``tmp_path``."""
    return create_app(Indexes(harbour), Settings(feedback=True, home=tmp_path)).test_client()


@pytest.fixture
def kept(tmp_path) -> Callable[[], list[dict[str, Any]]]:
    """All records in ``tmp_path``, as they stand in the files."""

    def read():
        files = (
            sorted((tmp_path / "feedback").glob("*.jsonl"))
            if (tmp_path / "feedback").exists()
            else []
        )
        return [
            json.loads(line)
            for file in files
            for line in file.read_text(encoding="utf-8").splitlines()
        ]

    return read


def record(question="Was?", day="2031-05-17", verdict=Verdict.UNANSWERED, **more):
    fields = {"id": secrets.token_hex(8), "origin": FeedbackOrigin.API, "language": "de", **more}
    return FeedbackRecord(question=question, day=day, verdict=verdict, **fields)


def form(client, address=ADDRESS, number=0):
    """The fields of a form on a page, its buttons under "buttons"."""
    found = re.findall(
        r'<form class="verdict".*?</form>', client.get(address, headers=GERMAN).text, re.DOTALL
    )[number]
    shown = Page(found)
    fields = {str(a["name"]): str(a["value"]) for a in shown.all("input")}
    return fields | {
        "buttons": " ".join(f"{a['name']}={a['value']}" for a in shown.all("button")),
        "text": shown.text,
    }


def press(client, button, headers=MappingProxyType({})):
    """Press a button as a browser without script does, and see where it leads."""
    fields = form(client)
    name, _, value = next(
        each for each in fields.pop("buttons").split() if each.startswith(button)
    ).partition("=")
    fields.pop("text")
    return client.post("/feedback", data={**fields, name: value}, headers={**GERMAN, **headers})


# Switched off


def test_by_default_nothing_is_asked_and_nothing_is_kept(harbour, tmp_path, kept):
    client = create_app(Indexes(harbour), Settings(home=tmp_path)).test_client()
    shown = client.get(ADDRESS)
    assert "verdict" not in shown.text
    assert "feedback" not in shown.text
    assert shown.headers["Referrer-Policy"] == "no-referrer"
    harbour.settles = False
    client.get("/?q=Nebel")
    client.get("/v1/ask?q=Nebel")
    refused = client.post("/v1/feedback", json={"question": "Flaute", "verdict": "miss"})
    assert (refused.status_code, refused.json["type"]) == (404, "urn:regula:problem:unknown")
    assert "keeps no feedback" in refused.json["detail"]
    assert client.delete("/v1/feedback/0123456789abcdef").status_code == 404
    assert client.post("/feedback", data={"verdict": "hit"}).status_code == 404
    assert list(tmp_path.iterdir()) == []


def test_without_a_workspace_it_cannot_be_switched_on(harbour):
    with pytest.raises(SettingError, match="no workspace to keep it in; name one with --home"):
        create_app(Indexes(harbour), Settings(feedback=True))


# On pages


def test_a_reader_says_this_helped_without_script_and_takes_it_back(told, kept):
    assert form(told)["buttons"] == "verdict=hit verdict=miss"
    assert "Hat geholfen: Ankern" in form(told)["text"]
    done = press(told, "verdict=hit")
    assert (done.status_code, done.headers["Location"].partition("#")[0]) == (303, ADDRESS)
    (said,) = kept()
    assert {name: said[name] for name in ("verdict", "origin", "question", "language", "edition", "index", "answered", "rank")} == {
        "verdict": "hit", "origin": "page", "question": "Flaute", "language": "de", "edition": DE, "index": "harbour-judged",
        "answered": True, "rank": 1,
    }  # fmt: skip
    assert said["passage"]["id"] == f"{DE}/ankern#2"
    assert said["passage"]["label"] == "Sternenhafen Regelbuch 1.0 (de), Ankern, Z. 15"
    thanks = form(told)
    assert "Danke, es ist notiert." in thanks["text"]
    assert thanks["buttons"] == f"undo={said['id']}"
    assert (
        form(told, number=1)["buttons"] == "verdict=hit verdict=miss"
    )  # of the other passages nothing was said
    press(told, "undo")
    assert [each["verdict"] for each in kept()] == ["hit", "undone"]
    assert kept()[1]["id"] == said["id"]
    assert form(told)["buttons"] == "verdict=hit verdict=miss"


def test_what_is_kept_says_nothing_of_who_said_it_and_no_word_of_the_rulebook(told, tmp_path):
    told.get("/")
    press(told, "verdict=miss", {"User-Agent": "Secret/1.0", "X-Forwarded-For": "203.0.113.9"})
    (file,) = (tmp_path / "feedback").glob("*.jsonl")
    assert re.fullmatch(r"\d{4}-\d{2}\.jsonl", file.name)
    text = file.read_text(encoding="utf-8")
    for secret in ("Secret", "203.0", "127.0.0.1", "zieht eine Karte"):
        assert secret not in text
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", json.loads(text)["day"])  # no time of day


def test_pressed_twice_it_is_said_once(told, kept):
    fields = form(told)
    for _ in range(2):
        told.post("/feedback", data={**fields, "verdict": "hit"})
    assert len(kept()) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 303),  # no browser
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 303),
        ({"Origin": "http://localhost"}, 303),
        ({"Origin": "https://regula.example"}, 303),  # behind a proxy that gives another host
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[evil"}, 403),
    ],
)
def test_forms_of_other_sites_are_refused(harbour, tmp_path, kept, headers, status):
    settings = Settings(feedback=True, home=tmp_path, public_url="https://regula.example/")
    client = create_app(Indexes(harbour), settings).test_client()
    assert press(client, "verdict=hit", headers).status_code == status
    assert len(kept()) == (status == 303)


def test_browsers_may_tell_the_page_that_a_form_is_from_itself(told):
    """Under "no-referrer" they would send ``Origin: null``, which a form of another site may have
    too.
    """
    assert {told.get(address).headers["Referrer-Policy"] for address in ("/", ADDRESS)} == {
        "same-origin"
    }
    assert told.get("/about").headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"verdict": "maybe"}, 422),
        ({"passage": "r:00000000"}, 404),
        ({"passage": ""}, 404),
        ({"question": ""}, 400),
        ({"question": "x" * 2001}, 422),
        ({"edition": "none"}, 422),
        ({"undo": "../../etc"}, 404),
    ],
)
def test_a_form_that_was_tampered_with_is_refused(told, kept, fields, status):
    sound = {
        name: value for name, value in form(told).items() if name not in ("buttons", "text")
    } | {"verdict": "hit"}
    assert told.post("/feedback", data={**sound, **fields}).status_code == status
    assert kept() == []


def test_nobody_is_sent_to_another_site(told):
    fields = {**form(told), "verdict": "hit", "next": "https://evil.example/"}
    assert told.post("/feedback", data=fields).headers["Location"].startswith("/#feedback-")


def test_a_damaged_cookie_is_no_hindrance(told):
    told.set_cookie("given", "a.b~" * 600 + "\u00e4")
    assert form(told)["buttons"] == "verdict=hit verdict=miss"


# Questions that nothing answers


def test_unanswered_questions_are_kept_by_themselves_once_a_day(told, harbour, kept):
    harbour.settles = False
    for address in (
        f"/?q=Nebel%3F&edition={DE}",
        f"/?q=nebel&edition={DE}&k=20",
        "/v1/ask?q=Nebel",
    ):
        assert told.get(address).status_code == 200
    told.post("/v1/context", json={"question": "Nebel"})
    told.post("/v1/batch", json={"questions": [{"question": "Wind"}]})  # may be one that measures
    said = [
        (each["verdict"], each["origin"], each["question"], each.get("edition"), each["answered"])
        for each in kept()
    ]
    assert said == [
        ("unanswered", "page", "Nebel?", DE, False),
        ("unanswered", "api", "Nebel", None, False),
    ]


def test_answered_questions_are_not_kept(told, kept):
    told.get(ADDRESS)
    told.get("/v1/ask?q=Flaute")
    assert kept() == []


# By the API


def test_a_program_reports_on_a_passage_as_the_answer_names_it(told, kept):
    answer = told.get("/v1/ask?q=Flaute&fields=evidence").json
    citation = answer["passages"][1]["citation"]
    passage = {"entry": citation["entry"], "spans": citation["source"]["spans"]}
    given = told.post(
        "/v1/feedback",
        json={"question": "Flaute", "verdict": "hit", "passage": passage, "index": answer["index"]},
    )
    assert given.status_code == 200
    (said,) = kept()
    assert given.json == {"id": said["id"], "verdict": "hit", "index": "harbour-judged", "rank": 2}
    assert (said["origin"], said["passage"]["label"]) == ("api", citation["label"])
    assert told.delete(f"/v1/feedback/{said['id']}").json == {"id": said["id"], "undone": True}
    assert [each["verdict"] for each in kept()] == ["hit", "undone"]


def test_the_day_as_of_which_it_was_asked_is_kept(told, kept):
    assert (
        told.post(
            "/v1/feedback", json={"question": "Flaute", "verdict": "miss", "as_of": "2024-06-01"}
        ).status_code
        == 200
    )
    assert (
        told.post("/v1/feedback", json={"question": "Flaute", "verdict": "miss"}).status_code == 200
    )
    assert [said.get("as_of") for said in kept()] == ["2024-06-01", None]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"verdict": "miss"}, 400, "question"),
        ({"question": "x"}, 400, "verdict"),
        ({"question": "x", "verdict": "unanswered"}, 422, "verdict"),
        ({"question": "x", "verdict": "hit"}, 422, "passage"),
        ({"question": "x", "verdict": "hit", "passage": {}}, 422, "passage"),
        ({"question": "x", "verdict": "hit", "passage": {"entry": "none"}}, 404, "passage"),
        ({"question": "x", "verdict": "hit", "passage": {"entry": f"{DE}/ankern"}}, 422, "passage"),
        (
            {
                "question": "x",
                "verdict": "hit",
                "passage": {"entry": f"{DE}/ankern", "spans": [[0, 9]]},
            },
            404,
            "passage",
        ),
        ({"question": "x", "verdict": "hit", "passage": {"marker": "r:00000000"}}, 404, "passage"),
        ({"question": "x", "verdict": "miss", "game": "none"}, 422, "game"),
        ({"question": "x" * 2001, "verdict": "miss"}, 422, "question"),
    ],
)
def test_a_wrong_report_says_what_is_wrong(told, kept, body, status, field):
    refused = told.post("/v1/feedback", json=body)
    assert (refused.status_code, refused.json["field"]) == (status, field)
    assert kept() == []


# By assistants


def assistant(harbour, settings, *calls):
    """The tools that an assistant sees, and what the ``calls`` of some answer."""

    async def talk(client):
        names = {tool.name for tool in (await client.list_tools()).tools}
        return names, [await client.call_tool(name, arguments) for name, arguments in calls]

    return asked(harbour, talk, recorder=feedback_recorder(settings))


def test_assistants_see_the_tool_only_where_feedback_is_kept(harbour, tmp_path):
    assert "report_answer" not in assistant(harbour, Settings(home=tmp_path))[0]
    assert "report_answer" in assistant(harbour, Settings(feedback=True, home=tmp_path))[0]


def test_an_assistant_reports_what_the_player_said(harbour, tmp_path, kept):
    settings = Settings(feedback=True, home=tmp_path)
    _, (asked,) = assistant(harbour, settings, ("ask", {"question": "Flaute"}))
    marker = asked.structured_content["passages"][0]["marker"]
    hit = {"question": "Flaute", "verdict": "hit", "marker": f"[{marker}]"}
    _, (done, wrong) = assistant(
        harbour, settings, ("report_answer", hit), ("report_answer", {**hit, "marker": None})
    )
    assert done.structured_content == {
        "verdict": "hit",
        "citation": "Sternenhafen Regelbuch 1.0 (de), Ankern, Z. 15",
        "rank": 1,
    }
    assert wrong.is_error
    assert [(each["verdict"], each["origin"]) for each in kept()] == [("hit", "mcp")]
    harbour.settles = False
    assistant(harbour, settings, ("ask", {"question": "Nebel"}))
    assert [(each["verdict"], each["origin"]) for each in kept()][1:] == [("unanswered", "mcp")]


# Files


def write_many(home, name):
    store = FeedbackStore(home)
    for number in range(100):
        store.append(record(f"{name} {number} " + "ö" * 300))


def test_two_processes_write_at_once_and_no_line_is_torn(tmp_path):
    spawn = get_context("fork")
    writers = [spawn.Process(target=write_many, args=(tmp_path, name)) for name in ("one", "two")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    read = FeedbackStore(tmp_path).read()
    assert read.notes == []
    assert {each.question.rpartition(" ")[0] for each in read.records} == {
        f"{name} {n}" for name in ("one", "two") for n in range(100)
    }


def test_faulty_lines_are_passed_over_with_a_note(tmp_path):
    store = FeedbackStore(tmp_path)
    store.append(record("Erste?"))
    (file,) = store.folder.glob("*.jsonl")
    file.write_bytes(
        file.read_bytes() + b'{"id": 7}\n\xff\xfe\n\n' + record("Zweite?").line()[:40]
    )  # ended while it wrote
    store.append(record("Dritte?"))
    read = store.read()
    assert [each.question for each in read.records] == ["Erste?", "Dritte?"]
    assert read.notes == [
        f"{file}: line 2 and 2 further lines: no record of feedback, or a part of one; passed over"
    ]


def test_what_is_taken_back_does_not_stand(tmp_path):
    store = FeedbackStore(tmp_path)
    first, second = record("Erste?"), record("Zweite?")
    for each in (first, second, undone_record(first.id, FeedbackOrigin.PAGE)):
        store.append(each)
    assert store.read().standing() == [second]


def test_a_month_has_its_limit(tmp_path):
    store = FeedbackStore(tmp_path, most_bytes=500)
    store.append(record("x" * 100))
    with pytest.raises(FeedbackNotKept, match="has the 500 bytes that there are for a month"):
        store.append(record("x" * 300))
    store.append(record("x" * 100, day="2031-06-01"))
    assert len(store.read().records) == 2


def test_unanswered_questions_leave_room_for_what_people_say(harbour, tmp_path):
    recorder = FeedbackRecorder(FeedbackStore(tmp_path, most_bytes=2000))
    harbour.settles = False
    for number in range(20):
        recorder.note_unanswered(
            harbour, harbour.search(Query(f"Nebel {number}?")), FeedbackOrigin.PAGE
        )
    recorder.judge(harbour, {"question": "Flaute"}, Verdict.MISS, None, FeedbackOrigin.PAGE)
    kept = [each.verdict for each in FeedbackStore(tmp_path).read().records]
    assert 2 < len(kept) < 10
    assert kept[-1] is Verdict.MISS


class FullDisk(FileIO):
    def write(self, data):
        super().write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")


@pytest.fixture
def full_disk(monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(feedback_store, "FileIO", FullDisk)
        yield


def test_on_a_full_disk_answers_go_on_and_feedback_says_so(
    told, harbour, tmp_path, full_disk, caplog
):
    refused = told.post("/v1/feedback", json={"question": "Flaute", "verdict": "miss"})
    assert refused.status_code == 503
    assert "could not be kept" in refused.json["detail"]
    shown = press(told, "verdict=hit")
    assert shown.status_code == 503
    assert "Das ließ sich nicht notieren" in shown.text
    harbour.settles = False
    with caplog.at_level(logging.ERROR):
        assert told.get("/?q=Nebel").status_code == 200
        assert told.get("/v1/ask?q=Nebel").status_code == 200
    assert [path.read_bytes() for path in (tmp_path / "feedback").glob("*.jsonl")] == [
        b""
    ]  # nothing by half
    assert len(caplog.records) <= 1  # the log is not filled either


def test_a_folder_that_cannot_be_written_to_is_told(told, tmp_path):
    (tmp_path / "feedback").write_text("a file where the folder belongs")
    assert (
        told.post("/v1/feedback", json={"question": "Flaute", "verdict": "miss"}).status_code == 503
    )
    assert told.get(ADDRESS).status_code == 200


def test_a_lock_that_is_held_stops_no_answer(told, harbour, tmp_path):
    (tmp_path / "feedback").mkdir()
    harbour.settles = False
    with ChangeScope.of_workspace(tmp_path).appending():
        assert told.get("/v1/ask?q=Nebel").status_code == 200
    assert list((tmp_path / "feedback").glob("*.jsonl")) == []
