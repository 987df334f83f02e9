"""What held on a day, and what a tournament policy settles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from corpus.errors import NotFound
from corpus.model import DocumentKind, Edition
from index.model import Query, SearchResult
from index.ranking.policy_matter import lacks_policy, speaks_of_policy
from index.scopes import editions_in_effect
from index.search import Index
from tests.dated import ITALIAN, NEW, OLD, POLICY

CARDS = "Mit wie vielen Handkarten beginnt jeder Spieler?"
PENALTY = "Was ist die Strafe, wenn ich zu viele Karten ziehe?"
FAQ = "pegelduell"  # a game without a policy


def edition(version: str, effective: str, game: str = "spiel", language: str = "de", **more: Any) -> Edition:
    fields = {"title": "Spiel", **more}
    return Edition(f"{game}-{language}-{version}", game, language, version, layout="outline", effective=effective, **fields)


def held(editions: list[Edition], day: str) -> list[str]:
    return [each.id for each in editions_in_effect(editions, day)]


def asked(index: Index, question: str, **where: Any) -> SearchResult:
    return index.search(Query(question, **where))


def editions_of(result: SearchResult) -> set[str]:
    return {hit.passage.entry.partition("/")[0] for hit in result.hits}


def test_of_versions_the_newest_that_has_begun_holds() -> None:
    versions = [edition("1.0", "2024-03-01"), edition("1.9", "2025-03-01"), edition("1.10", "2025-03-01"), edition("2.0", "2026-01-01")]
    assert held(versions, "2024-02-29") == []
    assert held(versions, "2024-03-01") == ["spiel-de-1.0"]
    assert held(versions, "2025-12-31") == ["spiel-de-1.10"]
    assert held(versions, "9999-12-31") == ["spiel-de-2.0"]


def test_a_version_without_a_date_holds_until_a_dated_one_does() -> None:
    versions = [edition("1.0", ""), edition("1.1", "2025-03-01")]
    assert held(versions, "2025-02-28") == ["spiel-de-1.0"]
    assert held(versions, "2025-03-01") == ["spiel-de-1.1"]


def test_only_versions_of_one_rulebook_end_one_another() -> None:
    day = "2025-06-01"
    others = [
        edition("1.0", "2025-01-01", language="it"),
        edition("1.0", "2025-01-01", game="anderes"),
        edition("3", "2025-01-01", title="Spiel FAQ"),
        edition("4", "2025-01-01", kind=DocumentKind.POLICY),
        edition("online", ""),
    ]
    assert held([edition("2.0", "2025-05-01"), *others], day) == ["spiel-de-2.0", *(each.id for each in others)]


def test_a_new_version_that_nobody_has_described_ends_the_one_that_it_was_taken_for() -> None:
    old = edition("1.0", "2024-01-01")
    new = edition("?", "2025-01-01", title="Spiel", succeeds=old.id)
    assert held([old, new], "2024-06-01") == [old.id]
    assert held([old, new], "2025-06-01") == [new.id]


def test_as_of_a_day_answers_are_from_what_held_then(dated_index: Index) -> None:
    today = asked(dated_index, CARDS, game="strandgut")
    assert {OLD, NEW} <= editions_of(today)
    for day, holds, words in (("2024-03-01", OLD, "vier"), ("2025-05-31", OLD, "vier"), ("2025-06-01", NEW, "sechs")):
        result = asked(dated_index, CARDS, game="strandgut", as_of=day)
        assert result.answered
        assert words in result.hits[0].passage.text
        assert editions_of(result) & {OLD, NEW} == {holds}


def test_before_the_first_version_only_editions_without_a_date_answer(dated_index: Index) -> None:
    assert editions_of(asked(dated_index, CARDS, game="strandgut", as_of="2020-01-01")) == {ITALIAN}


def test_an_edition_that_did_not_hold_on_the_day_gives_no_passages(dated_index: Index) -> None:
    for name, day in ((NEW, "2025-05-31"), (OLD, "2025-06-01")):
        result = asked(dated_index, CARDS, edition=name, as_of=day)
        assert not result.in_effect
        assert not result.answered
        assert result.hits == ()
        assert result.language == "de"


def test_a_filter_that_is_not_there_is_an_error_on_any_day(dated_index: Index) -> None:
    with pytest.raises(NotFound, match="strandgut"):
        asked(dated_index, CARDS, game="strandgutt", as_of="2025-01-01")


def test_a_penalty_is_answered_from_the_policy(dated_index: Index) -> None:
    result = asked(dated_index, PENALTY, game="strandgut")
    assert result.answered
    assert not result.no_policy
    assert result.hits[0].passage.entry == f"{POLICY}/2.2"
    in_italian = asked(dated_index, "Che penalità prende chi pesca troppe carte?", game="strandgut")
    assert in_italian.hits[0].passage.entry.startswith(POLICY)


def test_a_question_about_rules_is_answered_from_the_rules(dated_index: Index) -> None:
    for question in (CARDS, "Wie viele Karten ziehe ich, wenn ich im Sand grabe?", "Wann endet die Partie?"):
        result = asked(dated_index, question, game="strandgut")
        assert result.answered
        assert not result.hits[0].passage.entry.startswith(POLICY)


def test_a_policy_can_be_asked_alone(dated_index: Index) -> None:
    result = asked(dated_index, "Wie lange dauert eine Runde?", edition=POLICY)
    assert result.answered
    assert result.hits[0].passage.entry == f"{POLICY}/3.1"


@pytest.mark.parametrize("where", [{"game": FAQ}, {"edition": NEW}, {"game": "strandgut", "as_of": "2025-04-30"}])
def test_where_no_policy_is_loaded_a_penalty_is_no_matter_of_the_rules(dated_index: Index, where: dict[str, str]) -> None:
    result = asked(dated_index, PENALTY, **where)
    assert result.no_policy
    assert not result.answered
    assert result.fallback is None
    assert result.hits


def test_of_two_questions_only_the_one_for_a_penalty_is_no_matter_of_the_rules(dated_index: Index) -> None:
    result = asked(dated_index, "Was ist die Strafe für Zeitspiel? Wann endet die Partie?", edition=NEW)
    assert result.no_policy
    assert [part.answered for part in result.parts] == [False, True]


def test_rules_that_settle_a_penalty_themselves_lack_no_policy(dated_index: Index) -> None:
    scope, lookup = dated_index.scope(Query(PENALTY, edition=NEW)), dated_index.lookup
    parsed = dated_index.parser.parse(PENALTY, games=scope.games)
    passage = dated_index.library.passages_in(NEW)[1]
    assert lacks_policy(parsed, scope, lookup, None)
    assert lacks_policy(parsed, scope, lookup, passage)
    assert not lacks_policy(parsed, scope, lookup, replace(passage, text="Wer zu viele Karten zieht, gibt zur Strafe eine Muschel ab."))


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What's the penalty for slow play?", "en"),
        ("Bekomme ich eine Verwarnung, wenn ich zu spät zur Runde komme?", "de"),
        ("Ist das die richtige Strafe?", "de"),
        ("Che sanzione c'è per chi arriva in ritardo al turno?", "it"),
        ("Quelle est la pénalité?", "fr"),
        ("Muss meine Deckliste stimmen?", "de"),
    ],
)
def test_questions_for_penalties_are_told_in_several_languages(question: str, language: str) -> None:
    assert speaks_of_policy(question, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [("Wie viele Karten ziehe ich auf einem Turnier?", "de"), ("Does this lead to a game loss?", "en"), ("Quando finisce il turno?", "it")],
)
def test_questions_about_rules_are_no_matter_of_policy(question: str, language: str) -> None:
    assert not speaks_of_policy(question, language)
