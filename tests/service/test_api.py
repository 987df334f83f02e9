import json
from types import SimpleNamespace
from typing import Any

import pytest

from service.browse.lookup import EntryNameIndex
from service.core.parameters import document
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes

DE, IT = "sternenhafen-de-1.0", "sternenhafen-it-1.1"


def assert_problem(response, status, field=None):
    assert response.status_code == status
    assert response.content_type == "application/problem+json"
    problem = json.loads(response.data)
    assert set(problem) >= {"type", "title", "status", "detail", "instance"}
    assert problem["status"] == status
    assert problem.get("field") == field
    assert "Traceback" not in problem["detail"]


def test_a_document_may_be_named_without_the_folder_of_its_game_where_that_is_clear():
    files = ("porto.txt", "alt/porto.txt", "alt/hafen.txt", "neu/regeln.md", "alt/regeln.md")
    library: Any = SimpleNamespace(sources={file: SimpleNamespace(file=file) for file in files})
    for name, file in {
        "hafen.txt": "alt/hafen.txt",
        "alt/hafen.txt": "alt/hafen.txt",
        "porto.txt": "porto.txt",
    }.items():
        assert document(name, library) == file
    for unclear in ("regeln.md", "alt", ""):
        with pytest.raises(Problem, match=r"Known: .*alt/regeln\.md"):
            document(unclear, library)


def test_both_ways_to_ask_give_the_same_answer(client):
    asked = {"question": "betäubtes Schiff", "edition": DE, "fields": "all"}
    posted = client.post("/v1/ask", json={**asked, "k": 2})
    got = client.get("/v1/ask", query_string={"q": asked.pop("question"), **asked, "k": "2"})
    assert posted.status_code == got.status_code == 200
    assert posted.content_type == "application/json"
    assert posted.json == got.json
    assert posted.json is not None
    assert posted.json["question"] == "betäubtes Schiff"
    assert (
        posted.json["passages"][0]["citation"]["label"]
        == "Sternenhafen Regelbuch 1.0 (de), Ankern, Z. 10–11"
    )
    assert "betäubtes".encode() in posted.data  # readable, not escaped


def test_what_is_asked_for_reaches_the_search(client, indexes):
    body = {
        "question": "nave?",
        "edition": IT,
        "game": "sternenhafen",
        "language": "it",
        "document": "porto.txt",
        "k": 3,
    }
    assert client.post("/v1/ask", json=body).status_code == 200
    assert indexes.index is not None
    query = indexes.index.queries[-1]
    assert (query.question, query.edition, query.game, query.language, query.document, query.k) == (
        *("nave?", IT, "sternenhafen", "it", "porto.txt"),
        3,
    )
    client.get("/v1/ask?q=nave")
    assert (indexes.index.queries[-1].edition, indexes.index.queries[-1].k) == (None, 3)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (b"{", 400, None),
        (b"\xff\xfe", 400, None),
        (b"[]", 400, None),
        (b'"question"', 400, None),
        (b"[" * 60_000, 400, None),
        (b"9" * 6000, 400, None),
        (b"{}", 400, "question"),
        (b'{"question": null}', 400, "question"),
        (b'{"question": "a\\u0000b"}', 422, "question"),
        (b'{"question": "a\\u001bb"}', 422, "question"),
        (b'{"question": "a\\ud800b"}', 422, "question"),
        (b'{"question": "a", "k": 0}', 422, "k"),
        (b'{"question": "a", "k": 51}', 422, "k"),
        (b'{"question": "a", "k": NaN}', 400, None),
        (b'{"question": "a", "k": {}}', 422, "k"),
        (b'{"question": "a", "document": "../../etc/passwd"}', 422, "document"),
        (
            b'{"question": "a", "edition": "sternenhafen-it-1.1", "document": "hafen.txt"}',
            404,
            None,
        ),
        (b'{"question": "' + b"x" * 65_536 + b'"}', 413, None),
    ],
)
def test_a_body_that_cannot_be_answered_is_a_problem_that_says_why(client, body, status, field):
    assert_problem(
        client.post("/v1/ask", data=body, content_type="application/json"), status, field
    )


def test_a_chapter_is_given_with_all_that_is_in_it_where_that_is_asked_for(client):
    plain = client.get(f"/v1/entries/{DE}/glossar").json
    whole = client.get(f"/v1/entries/{DE}/glossar?contents=true").json
    assert plain is not None
    assert whole is not None
    assert plain == {**whole, "contents": None}
    contents = whole["contents"]
    assert (contents["page"], contents["pages"], contents["next"]) == (1, 1, None)
    assert {each["entry"] for each in whole["children"]} < {
        each["id"] for each in contents["entries"]
    }
    alone = client.get(f"/v1/entries/{DE}/ankern").json
    assert alone is not None
    assert contents["entries"][0]["passages"] == alone["passages"]
    assert_problem(client.get(f"/v1/entries/{DE}/glossar?contents=true&page=2"), 404, "page")
    assert client.get(f"/v1/entries/{DE}/glossar?page=1").json["contents"] is None
    assert_problem(client.get(f"/v1/entries/{DE}/glossar?page=2"), 404, "page")
    assert_problem(client.get(f"/v1/entries/{DE}/glossar?contents=perhaps"), 422, "contents")


def test_a_question_may_be_as_long_as_promised(client):
    assert client.post("/v1/ask", json={"question": "ü" * 2000, "k": 50}).status_code == 200


@pytest.mark.parametrize(
    ("address", "status", "field"),
    [
        ("/v1/ask", 400, "q"),
        ("/v1/ask?q=", 422, "q"),
        ("/v1/ask?q=%20", 422, "q"),
        ("/v1/ask?q=a%00b", 422, "q"),
        ("/v1/ask?q=a&edition=", 422, "edition"),
        ("/v1/ask?q=a&k=", 422, "k"),
        ("/v1/ask?q=a&k=many", 422, "k"),
        ("/v1/ask?q=a&k=²", 422, "k"),
        ("/v1/ask?q=a&k=99999999999999999999", 422, "k"),
        ("/v1/suggest?q=a&edition=no-such", 422, "edition"),
        ("/v1/editions/no-such", 404, None),
        ("/v1/entries?edition=no-such", 422, "edition"),
        ("/v1/entries?kind=poem", 422, "kind"),
        ("/v1/entries?page=0", 422, "page"),
        ("/v1/entries?page=2", 404, "page"),
        (f"/v1/entries/{DE}/no-such", 404, None),
        (f"/v1/entries/{DE}/../../../etc/passwd", 404, None),
        (f"/v1/entries/{DE}/%2e%2e%2f%00", 404, None),
        ("/v1", 404, None),
        ("/v1/", 404, None),
        ("/v1/nothing/here", 404, None),
        ("/healthz/", 404, None),
    ],
)
def test_an_address_that_cannot_be_answered_is_a_problem_that_says_why(
    client, address, status, field
):
    assert_problem(client.get(address), status, field)


def test_a_form_is_not_json(client):
    assert_problem(client.post("/v1/ask", data={"question": "a"}), 415)
    assert_problem(client.post("/v1/ask", data=b'{"question": "a"}'), 415)
    assert (
        client.post(
            "/v1/ask", data=b'{"question": "a"}', content_type="application/json; charset=utf-8"
        ).status_code
        == 200
    )


def test_a_fault_inside_tells_nothing_about_the_inside(client, indexes, caplog):
    def fail(query):
        raise RuntimeError("secret")

    indexes.index.search = fail
    response = client.get("/v1/ask?q=was+ich+frage")
    assert_problem(response, 500)
    assert b"secret" not in response.data
    assert "/v1/ask failed" in caplog.text
    assert "was ich frage" not in caplog.text


@pytest.mark.parametrize("address", ["/v1/ask?q=a", "/v1/editions", "/v1/entries", "/readyz"])
def test_without_an_index_programs_are_told_to_come_back(client, indexes, address):
    indexes.index = None
    response = client.get(address)
    assert_problem(response, 503)
    assert int(response.headers["Retry-After"]) > 0
    assert client.get("/healthz").json == {"status": "ok"}


def test_readiness_names_the_index(client):
    known = {
        "status": "ready",
        "index": "index-1",
        "built": "2031-05-17T12:30:00+00:00",
        "editions": 2,
    }
    assert client.get("/readyz").json == {
        **known,
        "stale": False,
        "differs": [],
        "unencoded": 0,
    }


def test_an_index_that_does_not_fit_says_so_to_programs_and_people(client, indexes):
    indexes.index = Harbour(indexes.index.library, stale=("program", "encoder"))
    found = client.get("/readyz").json
    assert (found["stale"], found["differs"]) == (True, ["program", "encoder"])
    assert "regula_index_stale 1.0" in client.get("/metrics").text
    for language, said in (
        ("en", "version of the program, the encoder"),
        ("de", "Version des Programms, der Encoder"),
        ("it", "versione del"),
    ):
        for page in ("/state", "/about"):
            assert said in client.get(page, headers={"Accept-Language": language}).text
    indexes.index = Harbour(indexes.index.library)
    assert "version of the program" not in client.get("/state").text


def test_editions_are_listed_and_looked_up(client):
    listed = client.get("/v1/editions").json
    assert listed is not None
    assert [e["id"] for e in listed["editions"]] == [DE, IT]
    assert client.get(f"/v1/editions/{DE}").json == listed["editions"][0]


def test_entries_by_edition_kind_and_prefix(client):
    def ids(query):
        body = client.get(f"/v1/entries?{query}").json
        assert body is not None
        assert body["total"] == len(body["entries"])
        return [e["id"].partition("/")[2] for e in body["entries"]]

    assert len(ids("")) == 15
    assert ids(f"edition={IT}") == ["ancorare"]
    assert ids("kind=erratum") == ["erratum-leuchtturm-12"]
    assert ids("prefix=STU") == ["sturm"]
    assert ids("prefix=4") == ["4", "4.2"]
    assert ids("prefix=an") == ["ankern", "ancorare"]
    assert ids("prefix=%25") == ids("")


def test_pages_of_entries_hang_together(client, monkeypatch):
    monkeypatch.setattr("service.web.api.entries.PAGE", 5)
    seen, address = [], f"/v1/entries?edition={DE}"
    while address:
        body = client.get(address).json
        assert body is not None
        assert (body["total"], body["pages"]) == (14, 3)
        seen += [e["id"] for e in body["entries"]]
        address = body["next"]
    assert len(seen) == len(set(seen)) == 14


def test_an_entry_with_everything_about_it(client):
    body = client.get(f"/v1/entries/{DE}/sturm.ausnahme").json
    assert body is not None
    assert (body["title"], body["parent"]) == ("Ausnahme", f"{DE}/sturm")
    assert body["path"] == [
        {"entry": f"{DE}/glossar", "title": "Glossar"},
        {"entry": f"{DE}/sturm", "title": "Sturm (Wetter)"},
    ]
    body = client.get(f"/v1/entries/{DE}/sturm").json
    assert body is not None
    assert body["children"] == [{"entry": f"{DE}/sturm.ausnahme", "title": "Ausnahme"}]
    assert body["referred_to_by"] == [{"entry": f"{DE}/ankern", "title": "Ankern"}]
    body = client.get(f"/v1/entries/{DE}/ankern").json
    assert body is not None
    assert [(p["role"], p["depth"]) for p in body["passages"]] == [
        ("text", 0),
        ("text", 1),
        ("text", 1),
        ("see", 0),
    ]
    assert [r["raw"] for r in body["references"]] == [
        "Flaute",
        "Flaute",
        "Sturm (Wetter)",
        "Leuchtfeuer",
    ]


@pytest.mark.parametrize(
    "query",
    [
        "card=Leuchtturm",
        "card=leuchttürm",
        "card=leucht",
        "number=12&card=LEUCHTTURM",
        "product=grundspiel",
        "number=12",
    ],
)
def test_rulings_and_errata_of_a_card(client, query):
    body = client.get(f"/v1/rulings?{query}").json
    assert body is not None
    assert [(r["kind"], r["number"]) for r in body["rulings"]] == [
        ("ruling", "12"),
        ("ruling", "12"),
        ("erratum", "12"),
    ]
    assert [p["role"] for p in body["rulings"][2]["passages"]] == ["void", "text"]


@pytest.mark.parametrize(
    "query", ["card=Segel", "number=13", "card=Leuchtturm&product=Erweiterung"]
)
def test_a_card_without_rulings_is_an_empty_list(client, query):
    body = client.get(f"/v1/rulings?{query}").json
    assert body is not None
    assert (body["total"], body["rulings"]) == (0, [])


@pytest.mark.parametrize(
    ("typed", "titles"),
    [
        ("an", ["Ankern", "Ancorare"]),
        ("ANKERN", ["Ankern"]),
        ("ankren", ["Ankern"]),
        ("luecht", ["Leuchtturm"]),
        ("leuchturm", ["Leuchtturm"]),
        ("hafnreg", ["Die Hafenregel"]),
        ("wetter", ["Sturm (Wetter)"]),
        ("leucht", ["Leuchtturm"]),
        ("hafen", ["Hafen", "Die Hafenregel"]),
        ("4", ["4. Ablauf", "4.2"]),
        ("4.2", ["4.2"]),
        ("ablauf", ["4. Ablauf"]),
        ("", []),
        ("  ", []),
        ("?!", []),
        ("xyzzy", []),
    ],
)
def test_suggestions_while_one_types(client, typed, titles):
    body = client.get("/v1/suggest", query_string={"q": typed}).json
    assert body is not None
    assert [s["title"] for s in body["suggestions"]] == titles


def test_suggestions_keep_to_the_edition_asked_for(client):
    body = client.get(f"/v1/suggest?q=an&edition={IT}").json
    assert body is not None
    assert [s["entry"] for s in body["suggestions"]] == [f"{IT}/ancorare"]


def test_another_index_is_used_from_the_next_request_on(app, indexes):
    client = app.test_client()
    assert client.get("/v1/suggest?q=ank").json["suggestions"]
    assert indexes.index is not None
    older = indexes.index.library
    keep = tuple(e for e in older.entries if e.edition == IT)
    indexes.index = type(indexes.index)(
        type(older)(older.editions, older.sources, keep, (), (), {}), id="index-2"
    )
    assert client.get("/v1/suggest?q=ank").json["suggestions"] == []
    assert client.get("/readyz").json["index"] == "index-2"


def test_suggestions_know_what_players_call_a_term_in_another_language(sample_index):
    names = EntryNameIndex(sample_index.library)
    for typed, edition, title in (
        ("Livello", "pegelwacht-de-1.1", "Pegel"),
        ("Pegel", "pegelwacht-it-1.1", "Livello"),
    ):
        assert title in [e.title for e in names.suggest(typed, edition=edition)]


@pytest.mark.parametrize(("accepted", "language"), [("it-CH, de;q=0.5", "it"), ("de", "de")])
def test_a_bare_name_is_read_in_the_language_of_who_asks(sample_index, accepted, language):
    client = create_app(Indexes(Snapshot(sample_index))).test_client()
    headers = {"Accept-Language": accepted}
    for answer in (
        client.get("/v1/ask?q=Fulmar", headers=headers),
        client.get("/v1/message?q=Fulmar&format=plain", headers=headers),
    ):
        assert answer.get_json()["language"] == language
