import pytest

from corpus.document import Document
from corpus.model import Edition
from corpus.read import read
from glossary.references import find
from index.library.library import Library, load_library, make_library, save_library
from index.model import Query
from service.answers.answer import answer_out, as_text
from service.answers.chat_messages import compose_message
from service.answers.context import context_out
from service.answers.sequences import MOST_CHARACTERS, sequence_around
from service.answers.verify import verification_out
from service.mcp.results import answer_result
from service.schemas.fields import MessageFormat
from service.web.app import create_app
from tests.service.bodies import json_body
from tests.service.harbour import Harbour, Indexes, german

TEXT = """# Quay

## 1. Launching

1.1. To launch a boat, follow these steps:

1.1.1. First the captain names the boat.

1.1.2. Second the crew unties the ropes.

1.1.3. Third the pilot whistles.

1.2. Anchors are heavy.

## 2. Storms

2.1. A storm sinks rafts (see 1.1.2).

2.2. Thunder frightens gulls. Lightning is a different matter altogether, it is bright, loud, quick and very much to be feared
by everyone who happens to be out at sea at that time of day, see 1.2. Whoever sleeps hears nothing.

## 3. Multiplayer

3.1. Seagulls take turns to the left.

## 4. Casual variants

4.1. General

4.1.1. Variants are agreed on beforehand.

## 5. Teams of old

5.1. Teamwork is praised.
"""


@pytest.fixture(scope="module")
def shelf() -> Library:
    edition = Edition("quay-en-1", "quay", "en", "1", "Quay", "outline")
    book = read(Document.from_bytes("quay.md", TEXT.encode()), edition)
    return make_library([book, german().rulebook()], find(book, [book]), {}, {})


@pytest.fixture(scope="module")
def served(shelf) -> Harbour:
    return Harbour(shelf)


def ask(served, question):
    body = json_body(
        answer_out(served, served.search(Query(question, edition="quay-en-1", language="en")))
    )
    best = body["passages"][0]
    assert isinstance(best, dict)
    return best


def names_of_formats(library):
    found = {
        passage.entry.partition("/")[2]: library.format_of(passage)
        for passage in library.searchable
    }
    return {entry: each.name for entry, each in found.items() if each}


def test_rules_of_variants_are_marked_and_others_are_not(shelf, served):
    marked = names_of_formats(shelf)
    assert marked["3.1"] == "Multiplayer"
    assert marked["4.1.1"] == "Casual variants"
    assert not {"1.1", "1.1.1", "2.1", "5.1"} & set(marked)
    assert ask(served, "seagulls")["applies_to"]["title"] == "Multiplayer"
    assert "applies_to" not in ask(served, "anchors")


def test_what_the_file_of_an_edition_says_of_a_heading_goes_before_its_words():
    formats = {"3. Multiplayer": None, "2. Storms": "Stormy weather"}
    edition = Edition("quay-en-1", "quay", "en", "1", "Quay", "outline", formats=formats)
    book = read(Document.from_bytes("quay.md", TEXT.encode()), edition)
    marked = names_of_formats(make_library([book], (), {}, {}))
    assert "3.1" not in marked
    assert marked["2.1"] == marked["2.2"] == "Stormy weather"


def test_what_most_of_a_rulebook_is_about_is_nothing_special_in_it():
    text = (
        "# Multiplayer\n\n## 1. Quays\n\n1.1. Quays are long.\n\n1.2. Quays are wet.\n\n## 2. Solo "
        "mode\n\n2.1. Whistle alone.\n"
    )
    book = read(
        Document.from_bytes("all.md", text.encode()),
        Edition("all-en-1", "all", "en", "1", "All", "outline"),
    )
    assert set(names_of_formats(make_library([book], (), {}, {})).values()) <= {"Solo mode"}


def test_every_form_of_an_answer_names_the_format(shelf, served):
    result = served.search(Query("seagulls", edition="quay-en-1", language="en"))
    assert "Only in the format “Multiplayer”" in as_text(served, result)
    assert "(only in the format Multiplayer)" in context_out(served, result).prompt
    assert [each.only_in for each in answer_result(served, result).passages] == ["Multiplayer"]
    for form in MessageFormat:
        assert "Only in the format “Multiplayer”" in compose_message(shelf, result, form, None).text
    page = (
        create_app(Indexes(served))
        .test_client()
        .get("/?q=seagulls&edition=quay-en-1")
        .get_data(as_text=True)
    )
    assert "Only in the format “Multiplayer”" in page


def test_a_step_is_shown_with_its_whole_sequence_word_for_word(served):
    found = ask(served, "ropes")["sequence"]
    assert [step["text"].split(" ", 1)[0] for step in found["steps"]] == [
        "1.1.",
        "1.1.1.",
        "1.1.2.",
        "1.1.3.",
    ]
    assert (found["step"], found["asked"], found["left_out"]) == (2, False, 0)
    for step in found["steps"]:
        spans = step["citation"]["source"]["spans"]
        assert "\n".join(TEXT[a:b] for a, b in spans) == step["text"]
    assert "sequence" not in ask(served, "anchors")


def test_a_question_for_the_order_has_the_sequence_open(served):
    client = create_app(Indexes(served)).test_client()
    asked = client.get("/?q=ropes+in+which+order&edition=quay-en-1&language=en").get_data(
        as_text=True
    )
    assert '<details class="sequence">' not in asked
    assert 'aria-current="step"' in asked
    assert asked.count("the pilot whistles") == 1
    assert "the pilot whistles" in asked
    closed = client.get("/?q=ropes&edition=quay-en-1&language=en").get_data(as_text=True)
    assert '<details class="sequence">' in closed


def test_a_long_sequence_is_cut_around_the_step():
    steps = "".join(f"{number}. Row {'and row ' * 60}once more.\n\n" for number in range(1, 21))
    edition = Edition("row-en-1", "row", "en", "1", "Row", "outline")
    book = read(
        Document.from_bytes("row.md", f"# Row\n\n## Rowing\n\nRow so:\n\n{steps}".encode()), edition
    )
    library = make_library([book], (), {}, {})
    middle = next(passage for passage in library.searchable if passage.text.startswith("10."))
    found = sequence_around(library, middle)
    assert found is not None
    assert found.steps[found.at] == middle
    assert sum(len(step.text) for step in found.steps) <= MOST_CHARACTERS
    assert found.left_out + len(found.steps) >= 20
    assert 0 < found.at < len(found.steps) - 1


def test_a_pointer_is_shown_with_what_it_points_at(served):
    (pointed,) = ask(served, "rafts")["points_to"]
    assert pointed["reference"] == "1.1.2"
    assert pointed["text"] == "1.1.2. Second the crew unties the ropes."
    assert "points_to" not in ask(served, "anchors")
    page = (
        create_app(Indexes(served))
        .test_client()
        .get("/?q=rafts&edition=quay-en-1")
        .get_data(as_text=True)
    )
    assert "What this points at" in page
    assert "the crew unties the ropes" in page.split("What this points at", 1)[1]


def test_a_prompt_has_what_its_best_passage_points_at_and_quotes_it_exactly(served):
    prompt = context_out(
        served, served.search(Query("rafts", edition="quay-en-1", language="en"))
    ).prompt
    assert "(what is pointed at in 2.1)\n" in prompt
    checked = json_body(verification_out(served, prompt))
    assert {quotation["status"] for quotation in checked["quotations"] if quotation["marker"]} == {
        "exact"
    }


def test_an_index_keeps_the_formats(shelf, tmp_path):
    save_library(shelf, tmp_path, [])
    assert names_of_formats(load_library(tmp_path)) == names_of_formats(shelf)
