import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from corpus.model import Span
from index.model import PartResult, Query
from service.answers.answer import as_text
from service.answers.chat_messages import compose_message
from service.answers.context import context_out
from service.core.i18n import translate
from service.mcp.results import answer_result
from service.schemas.fields import MessageFormat
from service.web.app import create_app
from tests.service.bodies import json_body
from tests.service.harbour import Harbour, Indexes

FIRST, SECOND = "Wie viele Segel hat die Brise?", "Und was ist eine Flaute?"
TEXT = f"{FIRST} {SECOND}"


class TwoQuestionHarbour(Harbour):
    """Answers each sentence by itself too, where there are several."""

    def search(self, query):
        whole = super().search(query)
        found = [
            match for match in re.finditer(r"[^?]+\?", query.question) if match.group().strip()
        ]
        parts = []
        for match in found if len(found) > 1 else ():
            asked = match.group().strip()
            alone = super().search(replace(query, question=asked, k=3))
            span = Span(match.end() - len(asked), match.end())
            parts.append(PartResult(asked, span, alone.confidence, alone.answered, alone.hits))
        return replace(whole, parts=tuple(parts))


@pytest.fixture
def twice(harbour_library) -> TwoQuestionHarbour:
    return TwoQuestionHarbour(harbour_library)


@pytest.fixture
def visitor(twice) -> FlaskClient:
    return create_app(Indexes(twice)).test_client()


def test_the_json_of_an_answer_has_each_question_with_its_own_answer(visitor):
    body = visitor.post("/v1/ask", json={"question": TEXT, "fields": "context"}).get_json()
    assert [part["question"] for part in body["parts"]] == [FIRST, SECOND]
    assert [TEXT[slice(*part["span"])] for part in body["parts"]] == [FIRST, SECOND]
    for part in body["parts"]:
        assert (part["language"], part["answered"], part["confidence"]) == ("de", True, 0.9)
        assert [passage["rank"] for passage in part["passages"]] == list(
            range(1, len(part["passages"]) + 1)
        )
        assert all(passage["citation"]["source"]["spans"] for passage in part["passages"])


def test_the_json_of_one_question_is_as_it_was(visitor):
    assert (
        "parts"
        not in visitor.post("/v1/ask", json={"question": FIRST, "fields": "context"}).get_json()
    )


def test_the_page_shows_every_question_over_its_passages_and_no_passage_twice(visitor):
    page = visitor.get("/", query_string={"q": TEXT}).text
    headings = re.findall(r'<h2 class="asked" id="(asked\d)" lang="de">(.*?)</h2>', page)
    assert headings == [("asked1", FIRST), ("asked2", SECOND)]
    shown = re.findall(r'data-answer="([^"]+)"', page)
    assert len(shown) == len(set(shown)) > 1
    assert "asked1" not in visitor.get("/", query_string={"q": FIRST}).text


def test_a_question_of_several_that_is_open_is_shown_as_open(twice, visitor):
    def half(query):
        found = TwoQuestionHarbour.search(twice, query)
        return replace(found, parts=(found.parts[0], replace(found.parts[1], answered=False)))

    twice.search = half
    page = visitor.get("/", query_string={"q": TEXT}, headers={"Accept-Language": "en"}).text
    first, second = page.split('id="asked2"')
    assert "may not settle this" not in first
    assert "may not settle this" in second
    message = compose_message(twice.library, half(Query(TEXT)), MessageFormat.PLAIN, None)
    assert message.text.splitlines()[-1].endswith(
        translate("de", "The rulebook may not settle this")
    )


def test_questions_cannot_bring_markup_into_the_page(visitor):
    page = visitor.get("/", query_string={"q": f"<b>{FIRST}</b> {SECOND}"}).text
    assert "<b>" not in page


@pytest.mark.parametrize("form", list(MessageFormat))
@pytest.mark.parametrize("limit", [300, None])
def test_a_message_names_what_answers_each_question_within_its_limit(twice, form, limit):
    result = twice.search(Query(TEXT))
    message = compose_message(twice.library, result, form, None, limit)
    assert message.length <= message.limit
    if limit is None:
        assert "Jede Frage für sich" in message.text
        assert all(part.hits[0].passage in message.cited for part in result.parts)
        assert len(message.cited) == len(set(message.cited))


@pytest.mark.parametrize("budget", [300, 500, 900, 3000])
def test_a_context_has_the_best_passage_of_each_question_within_its_budget(twice, budget):
    result = twice.search(Query(TEXT))
    context = context_out(twice, result, budget)
    assert context.tokens <= budget
    if budget >= 900:
        body = json_body(context)
        assert "Several things are asked:" in body["prompt"]
        entries = [passage["entry"] for passage in body["passages"]]
        assert all(part.hits[0].passage.entry in entries for part in result.parts)


def test_the_tool_quotes_what_answers_each_question_best(twice):
    answer = answer_result(twice, twice.search(Query(TEXT)))
    assert [part.question for part in answer.parts] == [FIRST, SECOND]
    assert all(part.passage and part.passage.marker for part in answer.parts)
    assert answer_result(twice, twice.search(Query(FIRST))).parts == []


def test_the_terminal_shows_each_question_with_its_best_passage(twice):
    text = as_text(twice, twice.search(Query(TEXT)))
    assert [line for line in text.splitlines() if line.startswith("»")] == [
        f"» {FIRST}",
        f"» {SECOND}",
    ]
