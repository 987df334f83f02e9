import json
from datetime import date
from typing import Any

import pytest
import yaml
from flask.testing import FlaskClient

from corpus import Document, identify, read
from service.answers.answer import as_text
from service.answers.batch import read_rows, responses
from service.answers.citations import effective_label
from service.core.ask import ask
from service.core.parameters import query_from
from service.core.snapshot import Snapshot
from service.editions.recognised_rulebook import edition_draft
from service.web.app import create_app
from tests.dated import FORMATS, NEW, OLD, POLICY
from tests.service.assistants import call
from tests.service.harbour import Indexes

CARDS = "Mit wie vielen Handkarten beginnt jeder Spieler?"
PENALTY = "Was ist die Strafe, wenn ich zu viele Karten ziehe?"


@pytest.fixture(scope="module")
def dated(dated_index) -> Snapshot:
    return Snapshot(dated_index)


@pytest.fixture(scope="module")
def dated_client(dated) -> FlaskClient:
    return create_app(Indexes(dated)).test_client()


def text_of(dated, **fields):
    return as_text(dated, ask(dated, query_from(fields, dated)))


def test_an_answer_as_of_a_day_says_so_and_cites_what_held_then(dated_client):
    for day, edition, effective in (
        ("2025-05-31", OLD, "2024-03-01"),
        ("2025-06-01", NEW, "2025-06-01"),
    ):
        body = {"question": CARDS, "game": "strandgut", "as_of": day}
        answer: Any = dated_client.post("/v1/ask", json={**body, "fields": "all"}).json
        assert answer["as_of"] == day
        citation = answer["passages"][0]["citation"]
        assert (citation["edition"], citation["effective"]) == (edition, effective)
        address = {"q": CARDS, "game": "strandgut", "as_of": day, "fields": "all"}
        assert dated_client.get("/v1/ask", query_string=address).json == answer


def test_without_a_day_an_answer_has_none_and_every_edition_answers(dated_client):
    asked = {"question": CARDS, "game": "strandgut", "fields": "all"}
    answer: Any = dated_client.post("/v1/ask", json=asked).json
    assert "as_of" not in answer
    assert answer["notes"] == []
    assert {OLD, NEW} <= {passage["citation"]["edition"] for passage in answer["passages"]}


def test_where_nothing_was_in_effect_the_answer_has_a_note_and_no_passages(dated_client):
    for path in ("/v1/ask", "/v1/context"):
        answer: Any = dated_client.post(
            path, json={"question": CARDS, "edition": NEW, "as_of": "2025-05-31"}
        ).json
        assert [note["code"] for note in answer["notes"]] == ["not-in-effect"]
        assert "2025-05-31" in answer["notes"][0]["text"]
        assert answer["passages"] == []
        assert answer.get("verdict", answer.get("settled")) == "open"
    message: Any = dated_client.post(
        "/v1/message",
        json={"question": CARDS, "edition": NEW, "as_of": "2025-05-31", "format": "plain"},
    ).json
    assert "31. Mai 2025" in message["message"]


@pytest.mark.parametrize(
    "question",
    [
        "Wie viele Minuten hat eine Runde auf dem Turnier?",
        "Wie lang ist eine Turnierrunde?",
        "Quanto dura un torneo di Pegelwacht?",
        "How long is a round of a tournament?",
    ],
)
def test_how_long_tournaments_take_is_no_matter_of_the_rules(dated_client, question):
    answer: Any = dated_client.post("/v1/ask", json={"question": question, "edition": NEW}).json
    assert "no-policy" in [note["code"] for note in answer["notes"]]
    assert answer["verdict"] == "open"


def test_a_penalty_without_a_policy_is_called_no_matter_of_the_rules(dated_client):
    answer: Any = dated_client.post("/v1/ask", json={"question": PENALTY, "edition": NEW}).json
    assert [note["code"] for note in answer["notes"]] == ["no-policy"]
    assert answer["verdict"] == "open"
    assert answer["passages"]
    message: Any = dated_client.post(
        "/v1/message", json={"question": PENALTY, "edition": NEW, "format": "plain"}
    ).json
    assert message["message"].startswith(
        "Strafen und Turnierabläufe sind keine Sache dieser Regeln"
    )
    settled: Any = dated_client.post(
        "/v1/ask", json={"question": PENALTY, "game": "strandgut", "fields": "evidence"}
    ).json
    assert settled["notes"] == []
    assert settled["passages"][0]["citation"]["edition"] == POLICY


def test_legality_without_a_document_on_formats_is_called_no_matter_of_the_rules(dated_client):
    question = "Welche Erweiterungen sind im Format Regatta legal?"
    answer: Any = dated_client.post("/v1/ask", json={"question": question, "edition": NEW}).json
    assert [note["code"] for note in answer["notes"]] == ["no-formats"]
    assert answer["verdict"] == "open"
    message: Any = dated_client.post(
        "/v1/message", json={"question": question, "edition": NEW, "format": "plain"}
    ).json
    assert message["message"].startswith(
        "Was in einem Format legal ist, ist keine Sache dieser Regeln"
    )
    for language, said in (
        ("de", "Was in einem Format legal ist"),
        ("it", "Che cosa è legale in un formato"),
    ):
        asked = {"q": question, "edition": NEW}
        assert (
            said
            in dated_client.get("/", query_string=asked, headers={"Accept-Language": language}).text
        )
    settled: Any = dated_client.post(
        "/v1/ask", json={"question": question, "game": "strandgut", "fields": "evidence"}
    ).json
    assert settled["notes"] == []
    assert settled["passages"][0]["citation"]["edition"] == FORMATS


def test_a_context_as_of_a_day_has_what_held_then(dated_client):
    body = {"question": CARDS, "game": "strandgut", "as_of": "2025-01-01", "details": True}
    context: Any = dated_client.post("/v1/context", json=body).json
    assert context["as_of"] == "2025-01-01"
    assert "2025-01-01" in context["prompt"]
    assert context["passages"][0]["citation"]["effective"] == "2024-03-01"
    assert NEW not in {passage["citation"]["edition"] for passage in context["passages"]}


def test_rows_of_a_batch_have_days_of_their_own(dated, dated_client):
    asked = [
        {"id": day, "question": CARDS, "game": "strandgut", "as_of": day}
        for day in ("2024-05-01", "2026-01-01")
    ]
    sent: Any = dated_client.post("/v1/batch", json={"questions": asked}).json
    lines = [json.dumps(row).encode() for row in asked]
    for found in (
        [each["response"] for each in sent["responses"]],
        [each.answer.model_dump() for each in responses(dated, read_rows(lines))],
    ):
        assert [answer["passages"][0]["citation"]["edition"] for answer in found] == [OLD, NEW]
    (wrong,) = responses(dated, read_rows([b'{"id": 1, "question": "Flut?", "as_of": "2025"}']))
    assert wrong.problem
    assert wrong.problem.field == "as_of"


def test_an_assistant_may_ask_as_of_a_day(dated):
    found = call(dated, "ask", question=CARDS, game="strandgut", as_of="2024-05-01")
    assert found["as_of"] == "2024-05-01"
    assert found["passages"][0]["entry"].startswith(f"{OLD}/")
    assert OLD in {
        passage["entry"].partition("/")[0]
        for passage in call(dated, "context", question=CARDS, as_of="2024-05-01")["passages"]
    }
    editions = {each["edition"]: each for each in call(dated, "list_editions")["editions"]}
    assert (editions[NEW]["effective"], editions[POLICY]["kind"]) == ("2025-06-01", "policy")


def test_the_terminal_says_from_when_on_what_is_quoted_holds(dated):
    assert "(gültig ab 1. März 2024)" in text_of(
        dated, question=CARDS, game="strandgut", as_of="2025-01-01"
    )
    assert "31. Mai 2025" in text_of(dated, question=CARDS, edition=NEW, as_of="2025-05-31")
    assert text_of(dated, question=PENALTY, edition=NEW).startswith("Strafen und Turnierabläufe")


def test_editions_have_date_and_kind(dated_client):
    found: Any = dated_client.get("/v1/editions").json
    editions = {each["id"]: (each["effective"], each["kind"]) for each in found["editions"]}
    assert editions[NEW] == ("2025-06-01", "rules")
    assert editions[POLICY] == ("2025-05-01", "policy")
    assert editions[FORMATS] == ("2025-09-01", "formats")
    assert editions["pegelduell-faq-de-3"] == (None, "rules")


@pytest.mark.parametrize(
    ("language", "printed"),
    [
        ("de", "gültig ab 1. Juni 2025"),
        ("it", "in vigore: 1 giugno 2025"),
        ("en", "in effect from June 1, 2025"),
    ],
)
def test_pages_show_the_date_in_the_language_of_the_reader(dated_client, language, printed):
    headers = {"Accept-Language": language}
    assert printed in dated_client.get("/", headers=headers).text
    assert printed in dated_client.get("/browse", headers=headers).text
    assert (
        printed
        in dated_client.get("/", query_string={"q": CARDS, "edition": NEW}, headers=headers).text
    )
    day = printed.partition("ab ")[2] or printed.partition(": ")[2] or printed.partition("from ")[2]
    assert day in dated_client.get(f"/e/{NEW}/1.1", headers=headers).text
    assert day in dated_client.get("/about", headers=headers).text


def test_a_citation_to_paste_says_from_when_on_its_edition_holds(dated_client):
    for language in ("de", "it"):
        page = dated_client.get(
            "/", query_string={"q": CARDS, "edition": OLD}, headers={"Accept-Language": language}
        ).text
        assert "– Strandgut Regelbuch 1.0 (gültig ab 1. März 2024), " in page


def test_the_page_asks_as_of_a_day(dated_client):
    sent = dated_client.get(
        "/", query_string={"in": "strandgut", "q": CARDS, "as_of": "2025-01-01"}
    )
    assert sent.status_code == 303
    assert "as_of=2025-01-01" in sent.location
    page = dated_client.get(sent.location, headers={"Accept-Language": "de"}).text
    assert "Regelstand am 1. Januar 2025" in page
    assert 'value="2025-01-01"' in page
    assert f"/e/{OLD}/" in page.partition("<main")[2]
    assert f"/e/{NEW}/" not in page.partition("<main")[2]
    assert "Ohne Datum fragen" in page
    plain = dated_client.get("/", query_string={"in": "strandgut", "q": CARDS, "as_of": ""})
    assert "as_of" not in plain.location


def test_the_page_says_what_was_not_in_effect_what_is_no_day_and_what_is_no_matter_of_the_rules(
    dated_client,
):
    def shown(**arguments):
        return dated_client.get(
            "/", query_string={"q": CARDS, **arguments}, headers={"Accept-Language": "en"}
        )

    assert "was in effect on May 31, 2025" in shown(edition=NEW, as_of="2025-05-31").text
    wrong = shown(as_of='2025"><script>')
    assert wrong.status_code == 422
    assert "This is no day" in wrong.text
    assert "<script>" not in wrong.text.partition("<main")[2]
    for asked in (PENALTY, "Was ist die Strafe für Zeitspiel? Wann endet die Partie?"):
        assert shown(q=asked, edition=NEW).text.count("not a matter of these rules") == 1
    assert "not a matter of these rules" not in shown(q=PENALTY, game="strandgut").text


def test_a_date_in_a_language_without_words_for_it_is_in_english():
    edition = identify(
        Document.from_bytes(
            "a.md", "# Strand\n\nGültig ab 1. Mai 2025\n\nEin Satz über den Strand.\n".encode()
        )
    )
    assert effective_label("xx", edition) == "in effect from May 1, 2025"


def test_a_drafted_file_keeps_date_and_kind(dated, sample):
    text = (
        "# Strand Turnierregeln\n\nGültig ab 1. Mai 2025\n\n## Eins\n\nWer schummelt, scheidet "
        "aus.\n\n## Zwei\n\nEine Runde dauert lang.\n"
    )
    document = Document.from_bytes("strand.md", text.encode())
    drafted = yaml.safe_load(edition_draft(read(document, identify(document))))
    assert (drafted["effective"], drafted["kind"]) == (date(2025, 5, 1), "policy")
    (plain,) = [
        rulebook for rulebook in sample.rulebooks if rulebook.edition.id == "pegelduell-faq-de-3"
    ]
    assert {"effective", "kind"}.isdisjoint(yaml.safe_load(edition_draft(plain)))
