from dataclasses import replace

import pytest

from corpus.document import Document
from corpus.model import Edition, Rulebook
from corpus.read import read
from index.library.indexed_texts import indexed_texts
from index.library.library import Library, make_library, passage_of_record, passage_record
from index.model import Query
from service.answers.answer import answer_out, as_text
from service.answers.chat_messages import compose_message
from service.answers.context import context_out
from service.core.snapshot import Snapshot
from service.mcp.results import answer_result
from service.schemas.fields import MessageFormat
from service.web.app import create_app
from tests.service.bodies import json_body
from tests.service.harbour import Harbour, Indexes, german

TEXT = """# Harbour

## 1. Tides

1.1. When the tide falls, do *this*:

1.1a Tie up every boat.

1.1b Light the lantern.

1.2. The quay is wet.

## Masts

A mast is one of:

- a tall pole,
- a short pole.
"""


@pytest.fixture(scope="module")
def book() -> Rulebook:
    return read(
        Document.from_bytes("harbour.md", TEXT.encode()),
        Edition("harbour-en-1", "harbour", "en", "1", "Harbour", "outline"),
    )


@pytest.fixture(scope="module")
def shelf(book) -> Library:
    return make_library([book, german().rulebook()], (), {}, {})


@pytest.fixture(scope="module")
def served(shelf) -> Snapshot:
    return Harbour(shelf)


def test_an_answer_has_what_leads_in_to_its_passage_beside_the_evidence(book, served):
    body = json_body(
        answer_out(served, served.search(Query("lantern", edition="harbour-en-1", language="en")))
    )
    found = next(each for each in body["passages"] if "lantern" in each["text"])
    assert found["text"] == found["display"] == "1.1b Light the lantern."
    assert found["context"]["text"] == "1.1. When the tide falls, do *this*:"
    assert found["context"]["display"] == "1.1. When the tide falls, do this:"
    start, end = found["context"]["span"]
    assert book.document.text[start:end] == found["context"]["text"]
    assert [book.document.text[a:b] for a, b in found["citation"]["source"]["spans"]] == [
        found["text"]
    ]


def test_a_passage_that_stands_for_itself_has_no_lead_in(served):
    body = json_body(
        answer_out(served, served.search(Query("quay", edition="harbour-en-1", language="en")))
    )
    assert [each["context"] for each in body["passages"] if "quay" in each["text"]] == [None]


def test_the_terminal_sets_the_lead_in_apart(served):
    text = as_text(served, served.search(Query("lantern", edition="harbour-en-1", language="en")))
    assert "   [1.1. When the tide falls, do this:]\n   1.1b Light the lantern." in text


def test_assistants_get_what_leads_in_beside_the_words(served):
    result = served.search(Query("lantern", edition="harbour-en-1", language="en"))
    passage = next(
        each for each in answer_result(served, result).passages if "lantern" in each.words
    )
    assert (passage.words, passage.before) == (
        "1.1b Light the lantern.",
        "1.1. When the tide falls, do this:",
    )
    prompt = context_out(served, result).prompt
    assert "(printed before: 1.1. When the tide falls, do this:)\n[r:" in prompt
    assert "\n> 1.1b Light the lantern." in prompt


def test_a_message_has_what_leads_in_before_the_quotation_if_there_is_room(served, shelf):
    result = served.search(Query("lantern", edition="harbour-en-1", language="en"))
    message = compose_message(shelf, result, MessageFormat.PLAIN, None)
    assert message.text.index("[1.1. When the tide falls, do this:]") < message.text.index(
        "1.1b Light the lantern."
    )
    hit = result.hits[0]
    endless = replace(
        result,
        hits=(replace(hit, passage=replace(hit.passage, lead_in="When the tide falls " * 40)),),
    )
    short = compose_message(shelf, endless, MessageFormat.PLAIN, None, 300)
    assert "tide" not in short.text
    assert "1.1b Light the lantern." in short.text


def test_pages_show_the_lead_in_before_what_they_quote(served):
    client = create_app(Indexes(served)).test_client()
    asked = client.get("/?q=lantern&edition=harbour-en-1").get_data(as_text=True)
    before, quoted = asked.split("<blockquote", 1)
    assert "When the tide falls, do this:" in before
    assert "When the tide falls" not in quoted.split("</blockquote>")[0]
    entry = client.get("/e/harbour-en-1/1.1b").get_data(as_text=True)
    assert 'class="lead-in"' in entry
    assert "When the tide falls, do this:" in entry
    assert 'class="lead-in"' not in client.get("/e/harbour-en-1/masts").get_data(
        as_text=True
    )  # it is on the page anyway


def test_a_passage_is_found_by_what_leads_in_to_it(shelf):
    texts = {
        each.id: text.text
        for each, text in zip(shelf.searchable, indexed_texts(shelf, {}), strict=True)
    }
    assert "When the tide falls, do this:" in next(
        text for text in texts.values() if "lantern" in text
    )
    assert "A mast is one of:" in next(text for text in texts.values() if "short pole" in text)
    assert "falls" not in next(text for text in texts.values() if "quay" in text)


def test_an_index_keeps_what_leads_in(shelf):
    assert [passage_of_record(passage_record(each)) for each in shelf.passages] == list(
        shelf.passages
    )


def test_a_closed_sentence_in_italics_and_a_table_lead_in_to_nothing():
    text = (
        "# Boats\n\n<i>A boat floats.</i>\n\n- a sail\n\n# Quays\n\n| quay | length |\n| --- | --- "
        "|\n| west | 9 |\n\n- a rope\n"
    )
    edition = Edition("harbour-en-1", "harbour", "en", "1", "Harbour", "outline")
    passages = read(Document.from_bytes("harbour.md", text.encode()), edition).passages
    assert [each.lead_in for each in passages if each.text.startswith("- ")] == ["", ""]
