import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.model import Hit, Query, SearchResult
from service.answers.citations import citation_label
from service.answers.context import context_out, estimate_tokens
from service.answers.verify import verification_out
from service.mcp.results import context_result, context_result_size
from service.schemas.fields import LEAST_BUDGET
from tests.service.bodies import json_body
from tests.service.harbour import Harbour


@pytest.fixture(scope="session")
def index(sample_library) -> Harbour:
    return Harbour(sample_library, id="sample-context")


def found(*passages, answered=True, fallback=None):
    return SearchResult(
        Query("Was nun?"), "de", tuple(Hit(p, 1.0, ()) for p in passages), 0.9, answered, fallback
    )


@given(data=st.data(), budget=st.integers(700, 4000), answered=st.booleans())
def test_whole_passages_within_the_budget_whose_quotations_are_exact(index, data, budget, answered):
    passages = data.draw(
        st.lists(st.sampled_from(index.library.searchable), min_size=1, max_size=20, unique=True)
    )
    fallback = None if answered else index.library.fallback("pegelwacht-de-1.1")
    body = json_body(
        context_out(
            index, found(*passages, answered=answered, fallback=fallback), budget, details=True
        )
    )
    assert estimate_tokens(body["prompt"]) == body["tokens"] <= budget
    quoted = [*body["passages"], *([body["fallback"]] if body["fallback"] else [])]
    for passage in quoted:
        lines = "\n".join(f"> {line}" for line in passage["display"].splitlines())
        assert f"[{passage['marker']}] {passage['citation']['label']}\n{lines}" in body["prompt"]
    checked = json_body(verification_out(index, body["prompt"]))
    assert all(marker["known"] for marker in checked["markers"])
    attributed = [
        q for q in checked["quotations"] if q["marker"]
    ]  # the others are titles with quotation marks in a label
    assert [(q["status"], q["marker"], q["marker_ok"]) for q in attributed] == [
        ("exact", p["marker"], True) for p in quoted
    ]


@given(data=st.data(), budget=st.integers(LEAST_BUDGET, 4000), answered=st.booleans())
def test_a_prompt_is_within_the_budget_and_its_answer_has_every_word_once(
    index, data, budget, answered
):
    passages = data.draw(
        st.lists(st.sampled_from(index.library.searchable), min_size=1, max_size=20, unique=True)
    )
    fallback = None if answered else index.library.fallback("pegelwacht-de-1.1")
    result = found(*passages, answered=answered, fallback=fallback)
    context = context_out(index, result, budget)
    assert context.tokens <= budget
    body = json_body(context)
    assert all(f"[{passage['marker']}]" in body["prompt"] for passage in body["passages"])
    assert all(
        passage["text"] is passage["display"] is passage["citation"] is None
        for passage in body["passages"]
    )
    tool = context_result(context_out(index, result, budget, size=context_result_size)).model_dump()
    assert estimate_tokens(json.dumps(tool, ensure_ascii=False, separators=(",", ":"))) <= budget


def test_a_budget_of_300_holds_the_best_passage_and_a_long_question_takes_no_room(index):
    best = index.library.passages_of["pegelwacht-de-1.1/gleichzeitige-effekte"][0]
    body = json_body(context_out(index, found(best), 300))
    assert [passage["entry"] for passage in body["passages"]] == [best.entry]
    assert best.display in body["prompt"].replace("\n> ", "\n")
    long = replace(found(best), query=Query("Was nun? " * 200))
    assert len(json_body(context_out(index, long, 400))["passages"]) == 1


def test_the_same_words_are_taken_once_and_a_longer_passage_takes_the_place_of_one_it_holds(index):
    of = index.library.passages_of
    old, new = (
        of[f"pegelwacht-de-{version}/gleichzeitige-effekte"][0] for version in ("1.0", "1.1")
    )
    other = of["pegelwacht-de-1.1/kaikante"][0]
    body = json_body(context_out(index, found(new, other, old), 1500, details=True))
    assert [p["citation"]["entry"] for p in body["passages"]] == [new.entry, other.entry]
    assert [c["edition"] for c in body["passages"][0]["also"]] == ["pegelwacht-de-1.0"]
    part = replace(other, display=other.display.split(",")[0])
    body = json_body(context_out(index, found(part, new, other), 1500, details=True))
    assert [p["display"] for p in body["passages"]] == [other.display, new.display]
    assert body["left_out"] == 0


def test_what_does_not_fit_is_left_out_and_counted_and_something_shorter_may_follow(index):
    short = [
        index.library.passages_of[f"pegelwacht-de-1.1/{entry}"][0]
        for entry in ("kaikante", "handlimit")
    ]
    long = max(index.library.searchable, key=lambda p: len(p.display))
    body = json_body(context_out(index, found(short[0], long, short[1]), 210, details=True))
    assert [p["display"] for p in body["passages"]] == [p.display for p in short]
    assert body["left_out"] == 1


def test_a_budget_that_holds_no_passage_tells_the_model_not_to_answer(index):
    longest = max(index.library.searchable, key=lambda p: len(p.display))
    body = json_body(context_out(index, found(longest), LEAST_BUDGET))
    assert (body["passages"], body["left_out"]) == ([], 1)
    assert body["tokens"] <= LEAST_BUDGET
    assert "Do not answer from memory" in body["prompt"]
    assert citation_label(index.library, longest) in body["prompt"]


def test_an_open_question_brings_the_games_own_rule_behind_the_nearest_passages(index):
    rule, near = index.library.fallback("pegelwacht-de-1.1"), index.library.searchable[40]
    assert rule is not None
    body = json_body(
        context_out(index, found(near, rule, answered=False, fallback=rule), 1500, details=True)
    )
    assert (
        body["prompt"].index("may not settle")
        < body["prompt"].index(near.display)
        < body["prompt"].index(rule.display)
    )
    assert [p["display"] for p in body["passages"]] == [near.display]
    assert json_body(context_out(index, found(near, fallback=rule), 1500))["fallback"] is None


def test_a_small_budget_still_says_that_a_question_is_open(index):
    rule, near = (
        index.library.fallback("pegelwacht-de-1.1"),
        index.library.passages_of["pegelwacht-de-1.1/handlimit"][0],
    )
    for budget in (300, 400, 800):
        body = json_body(context_out(index, found(near, answered=False, fallback=rule), budget))
        assert not body["answered"]
        assert "may not settle" in body["prompt"]
        assert body["passages"] or body["fallback"]


def test_an_answer_that_is_only_likely_asks_to_read_it(index):
    near = index.library.searchable[40]
    for confidence, likely in ((0.6, True), (0.999, False)):
        body = json_body(context_out(index, replace(found(near), confidence=confidence), 1500))
        assert (body["settled"], body["answered"]) == ("likely" if likely else "settled", True)
        assert ("likely settle" in body["prompt"]) == likely


def test_tokens_are_never_fewer_for_more_text():
    assert estimate_tokens("") == 0
    assert estimate_tokens("ä") == 2
    assert estimate_tokens("Ein Schiff") == 3
    assert estimate_tokens("ein längerer Satz") >= estimate_tokens("ein längerer")


def test_a_prompt_fills_its_budget(index):
    passages = [p for p in index.library.searchable if 40 < len(p.display) < 300]
    for budget in (700, 1500, 3000):
        tokens = context_out(index, found(*passages[:200]), budget).tokens
        assert 0.95 * budget <= tokens <= budget


def test_providers_get_the_passages_as_their_models_cite_them(index):
    rule = index.library.fallback("pegelwacht-de-1.1")
    near = index.library.passages_of["pegelwacht-de-1.1/handlimit"][0]
    assert rule is not None
    result = found(near, answered=False, fallback=rule)
    base = "https://rules.example"
    body = json_body(context_out(index, result, 900, provider="anthropic", base=base))
    assert near.display not in body["prompt"]
    first, last = body["blocks"]
    assert first == {
        "type": "search_result",
        "source": f"{base}/e/{near.entry}",
        "title": citation_label(index.library, near),
        "content": [{"type": "text", "text": near.display}],
        "citations": {"enabled": True},
    }
    assert [each["text"] for each in last["content"]][-1] == rule.display
    assert "settles nothing" in last["content"][0]["text"]
    body = json_body(context_out(index, result, 900, provider="openai", base=base))
    assert [each["file_id"] for each in body["blocks"]] == [
        *(each["marker"] for each in body["passages"]),
        body["fallback"]["marker"],
    ]
    assert body["blocks"][0]["text"] == near.display
    assert body["blocks"][0]["attributes"] == {"url": f"{base}/e/{near.entry}"}
    many = found(*index.library.searchable[:200])
    body = json_body(context_out(index, many, 1500, provider="anthropic", base=base))
    assert 1300 <= body["tokens"] <= 1500
    assert len(body["blocks"]) == len(body["passages"])


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Handlimit", True),
        ("Was ist das Handlimit?", True),
        ("Zeig mir Handlimit", True),
        ("Wie hoch ist das Handlimit für meinen Hund am Sonntag?", False),
        ("Was nun?", False),
    ],
)
def test_an_entry_that_was_asked_for_and_stands_first_is_not_called_unsettled(
    index, question, asked
):
    near = index.library.passages_of["pegelwacht-de-1.1/handlimit"][0]
    open_result = replace(found(near, answered=False), query=Query(question))
    for budget in (300, 1500):
        prompt = context_out(index, open_result, budget).prompt
        assert ("may not settle" in prompt) == (not asked)
        assert ("was asked for stands first" in prompt) == asked
