"""A passage that announces a list or further rules is shown with them, wherever it is posted."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from corpus.document import Document
from corpus.model import Edition
from corpus.read import read
from index.library.library import make_library
from index.timing.announced import announced_by
from service.core.snapshot import Snapshot
from service.mcp.results import answer_result
from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes
from tests.service.test_small_answer import BYTES_OF_TOKEN


def announced(library, entry, beginning):
    (head,) = [p for p in library.passages_of[entry] if p.display.startswith(beginning)]
    return [each.display.strip() for each in announced_by(library, head)]


@pytest.mark.parametrize(
    ("entry", "beginning", "count", "first", "last"),
    [
        # A colon, and bullets set in deeper.
        ("pegelwacht-de-1.1/flutphase", "Die Flutphase hat", 6, "• 1. Der Pegel", "• 6."),
        # A colon, and names with a dash on the same level.
        ("pegelwacht-de-1.1/statuskarten", "Die drei Sorten", 3, "Durchnässt –", "V"),
        ("pegelwacht-it-1.1/carta-stato", "Le carte stato sono", 3, "Ancorato –", ""),
        # A colon, and rules inside the rule.
        ("pegelduell-de-2.0/6.5.3", "6.5.3. Die Reihenfolge", 3, "6.5.3.1.", "6.5.3.3."),
        # "Folgendes", and a number, without a colon.
        ("pegelduell-de-2.0/12-oktober-2025", "Gegenüber der Fassung", 6, "• 1.6.3.", "•"),
        ("pegelduell-de-2.0/1.7.2", "1.7.2. Lecks kommen", 4, "1.7.2.1.", "1.7.2.4."),
    ],
)
def test_what_a_passage_announces_is_found(sample_library, entry, beginning, count, first, last):
    found = announced(sample_library, entry, beginning)
    assert len(found) == count
    assert found[0].startswith(first)
    assert found[-1].startswith(last)


def test_a_sentence_may_stand_between_what_announces_a_list_and_the_list(sample_library):
    (head,) = [
        passage
        for passage in sample_library.passages_of["pegelwacht-de-1.1/flutphase"]
        if passage.display.startswith("Die Flutphase hat")
    ]
    text = "Die folgenden Schritte kommen in jeder Runde. Wer an der Reihe ist, führt sie aus."
    assert len(announced_by(sample_library, replace(head, display=text))) == 6
    text = "Die Flut kommt in jeder Runde. Wer an der Reihe ist, führt sie aus."
    assert announced_by(sample_library, replace(head, display=text)) == []


def test_a_passage_that_stands_alone_announces_nothing(sample_library):
    entries = (
        "pegelwacht-de-1.1/gleichzeitige-effekte",
        "pegelwacht-de-1.1/durchnaesst-durchnaessen",
    )
    for entry in entries:
        for passage in sample_library.passages_of[entry]:
            assert announced_by(sample_library, passage) == [], passage.display


@pytest.mark.parametrize(
    ("question", "game", "head", "items"),
    [
        (
            "Was sind die Schritte der Flutphase?",
            "pegelwacht",
            "Die Flutphase hat sechs Schritte:",
            6,
        ),
        (
            "Was besagt Regel 1.7.2?",
            "pegelduell",
            "1.7.2. Lecks kommen und gehen auf vier Arten.",
            4,
        ),
    ],
)
def test_the_list_is_in_the_answer_and_in_the_message(bot, question, game, head, items):
    asked = {"q": question, "game": game}
    answered = bot.get("/v1/ask", query_string=asked)
    first, *others = answered.json["passages"]
    assert first["display"] == head
    lines = first["after"].split("\n")
    assert len(lines) >= items
    assert "[…]" not in first["after"]
    assert not {each["display"] for each in others} & set(lines), "nothing stands there twice"
    assert len(answered.data) / BYTES_OF_TOKEN <= 700
    message = bot.get("/v1/message", query_string={**asked, "format": "plain"}).json
    assert all(line in message["message"] for line in lines)
    assert message["cut"] is False
    whole = bot.get("/v1/ask", query_string={**asked, "fields": "all"}).json["passages"]
    assert len(whole) >= 3, "all of them, where all is asked for"


def test_what_of_a_list_does_not_fit_is_told(bot):
    asked = {"q": "Was sind die Schritte der Flutphase?", "game": "pegelwacht"}
    message = bot.get("/v1/message", query_string={**asked, "format": "discord", "limit": 350}).json
    assert message["cut"] is True
    assert "[…]" in message["message"].replace("\\", "")
    assert message["length"] <= 350


def test_assistants_get_the_list_too(sample_index):
    from service.core.ask import ask
    from service.core.parameters import query_from

    snapshot = Snapshot(sample_index)
    query = query_from(
        {"question": "Was sind die Schritte der Flutphase?", "game": "pegelwacht", "k": 3}, snapshot
    )
    first, *others = answer_result(snapshot, ask(snapshot, query)).passages
    assert len(first.after.split("\n")) >= 6
    assert all(each.after is None for each in others)


@pytest.mark.parametrize(
    "question", ["Was sind die Schritte der Flutphase?", "Wie läuft die Flutphase ab?"]
)
def test_what_asks_for_the_steps_of_a_phase_is_settled_by_what_leads_in_to_them(bot, question):
    found = bot.post("/v1/ask", json={"question": question, "game": "pegelwacht"}).json
    assert found["passages"][0]["display"].startswith("Die Flutphase hat")
    assert found["verdict"] == "settled"


def test_a_page_shows_a_list_below_the_passage_that_announces_it(sample_index):
    library = sample_index.library
    pages = create_app(Indexes(Snapshot(sample_index)), Settings(feedback=False)).test_client()
    page = pages.get("/", query_string={"q": "Statuskarten", "game": "pegelwacht"}).text
    (head,) = [
        passage
        for passage in library.passages_of["pegelwacht-de-1.1/statuskarten"]
        if passage.display.startswith("Die drei Sorten")
    ]
    first = page.index("Die drei Sorten")
    places = [
        page.index(each.display.split(" –")[0], first) for each in announced_by(library, head)
    ]
    assert places == sorted(places)
    assert '<details class="folded under">' not in page[first : places[-1]]


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        ("Welche Statuskarten gibt es?", "Die drei Sorten"),
        ("Quali sono le carte stato?", "Le carte stato sono"),
        ("What are the status cards?", "Die drei Sorten"),
        ("Was ist eine Statuskarte?", "Eine Statuskarte liegt"),
    ],
)
def test_who_asks_which_there_are_is_shown_first_what_announces_them(bot, question, beginning):
    found = bot.post("/v1/ask", json={"question": question, "game": "pegelwacht"}).json
    assert found["passages"][0]["display"].startswith(beginning)
    assert found["verdict"] == "settled"


@pytest.mark.parametrize(
    ("first", "count"),
    [
        ("1. Auf Booten sind verboten\n\n> 1)  Feuer und Rauch;\n> 2)  Magnete", 2),
        (
            "1. Auf Booten ist Feuer verboten.\n\n> 1)  Rauch ist es auch;\n> 2)  Magnete sind es nicht",
            0,
        ),
    ],
)
def test_a_rule_that_is_no_whole_sentence_goes_on_in_its_items(first, count):
    rules = [f"{n}. Boot {n} liegt im Hafen von {n} Städten.\n" for n in range(2, 9)]
    chapters = ("## Bau\n\n", first, "\n\n", *rules[:3], "\n## Hafen\n\n", *rules[3:])
    text = "".join(("# Boote\n\n", *chapters))
    edition = Edition("boote-de-1", "boote", "de", "1", "Boote", "outline")
    rulebook = read(Document.from_bytes("boote.md", text.encode()), edition)
    library = make_library([rulebook], (), {}, {})
    assert len(announced(library, "boote-de-1/1", "1. ")) == count


@pytest.fixture(scope="module")
def lists():
    text = "Wer darf:\n\n1. Ada,\n2. Bo.\n\nWer muss:\n\n1. Cem,\n2. Dora.\n\nEs gilt sofort.\n"
    text = f"# Hafen\n\n## § 1 Boote\n\n{text}\n## § 2 Ende\n\nAus.\n"
    edition = Edition("hafen-de-1", "hafen", "de", "1", "Hafen", "outline")
    rulebook = read(Document.from_bytes("hafen.md", text.encode()), edition)
    return make_library([rulebook], (), {}, {})


def test_each_of_two_lists_in_a_rule_is_announced_by_the_sentence_above_it(lists):
    assert announced(lists, "hafen-de-1/1", "Wer darf:") == ["1. Ada,", "2. Bo."]
    assert announced(lists, "hafen-de-1/1", "Wer muss:") == ["1. Cem,", "2. Dora."]
    assert announced(lists, "hafen-de-1/1", "Es gilt") == []


def test_what_leads_in_to_a_list_stands_once_above_its_items(lists):
    pages = create_app(Indexes(Harbour(lists)), Settings(feedback=False)).test_client()
    shown = pages.get("/", query_string={"q": "muss cem dora"}).get_data(as_text=True)
    assert "Cem" in shown
    assert "Dora" in shown
    assert len(re.findall(r'<p class="lead-in">.*?Wer muss:</p>', shown)) <= 1
