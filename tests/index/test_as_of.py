from dataclasses import replace

import pytest

from corpus.errors import NotFound
from corpus.model import DocumentKind, Edition
from index.model import Query
from index.ranking.boosts import lacking_documents, speaks_of
from index.scopes import editions_in_effect, superseded_editions
from tests.dated import FORMATS, ITALIAN, NEW, OLD, POLICY

CARDS = "Mit wie vielen Handkarten beginnt jeder Spieler?"
PENALTY = "Was ist die Strafe, wenn ich zu viele Karten ziehe?"
LEGAL = "Welche Erweiterungen sind im Format Regatta legal?"
FAQ = "pegelduell"  # a game without a policy and formats


def edition(version, effective, game="spiel", language="de", **more):
    fields = {"title": "Spiel", **more}
    return Edition(
        f"{game}-{language}-{version}",
        game,
        language,
        version,
        layout="outline",
        effective=effective,
        **fields,
    )


def held(editions, day):
    return [each.id for each in editions_in_effect(editions, day)]


def asked(index, question, **where):
    return index.search(Query(question, **where))


def editions_of(result):
    return {hit.passage.entry.partition("/")[0] for hit in result.hits}


def test_of_versions_the_newest_that_has_begun_holds():
    versions = [
        edition("1.0", "2024-03-01"),
        edition("1.9", "2025-03-01"),
        edition("1.10", "2025-03-01"),
        edition("2.0", "2026-01-01"),
    ]
    assert held(versions, "2024-02-29") == []
    assert held(versions, "2024-03-01") == ["spiel-de-1.0"]
    assert held(versions, "2025-12-31") == ["spiel-de-1.10"]
    assert held(versions, "9999-12-31") == ["spiel-de-2.0"]


def test_a_version_without_a_date_holds_until_a_dated_one_does():
    versions = [edition("1.0", ""), edition("1.1", "2025-03-01")]
    assert held(versions, "2025-02-28") == ["spiel-de-1.0"]
    assert held(versions, "2025-03-01") == ["spiel-de-1.1"]


def test_only_versions_of_one_rulebook_end_one_another():
    day = "2025-06-01"
    others = [
        edition("1.0", "2025-01-01", language="it"),
        edition("1.0", "2025-01-01", game="anderes"),
        edition("3", "2025-01-01", title="Spiel FAQ"),
        edition("4", "2025-01-01", kind=DocumentKind.POLICY),
        edition("online", ""),
    ]
    assert held([edition("2.0", "2025-05-01"), *others], day) == [
        "spiel-de-2.0",
        *(each.id for each in others),
    ]


def test_a_superseded_version_is_known_by_the_newest_of_its_rulebook():
    versions = [
        edition("1.9", ""),
        edition("1.10", ""),
        edition("1.2", "2025-01-01"),
        edition("1.0", "", language="it"),
        edition("online", ""),
    ]
    assert {old: new.id for old, new in superseded_editions(versions).items()} == {
        "spiel-de-1.9": "spiel-de-1.10",
        "spiel-de-1.2": "spiel-de-1.10",
    }
    dated = [edition("2024", "2025-01-01"), edition("7", "2026-01-01")]
    assert {old: new.id for old, new in superseded_editions(dated).items()} == {
        "spiel-de-2024": "spiel-de-7"
    }


def test_a_new_version_that_nobody_has_described_ends_the_one_that_it_was_taken_for():
    old = edition("1.0", "2024-01-01")
    new = edition("?", "2025-01-01", title="Spiel", succeeds=old.id)
    assert held([old, new], "2024-06-01") == [old.id]
    assert held([old, new], "2025-06-01") == [new.id]


def test_as_of_a_day_answers_are_from_what_held_then(dated_index):
    today = asked(dated_index, CARDS, game="strandgut")
    assert {OLD, NEW} <= editions_of(today)
    assert "sechs" in today.hits[0].passage.text
    for day, holds, words in (
        ("2024-03-01", OLD, "vier"),
        ("2025-05-31", OLD, "vier"),
        ("2025-06-01", NEW, "sechs"),
    ):
        result = asked(dated_index, CARDS, game="strandgut", as_of=day)
        assert result.answered
        assert words in result.hits[0].passage.text
        assert editions_of(result) & {OLD, NEW} == {holds}


def test_before_the_first_version_only_editions_without_a_date_answer(dated_index):
    assert editions_of(asked(dated_index, CARDS, game="strandgut", as_of="2020-01-01")) == {ITALIAN}


def test_an_edition_that_did_not_hold_on_the_day_gives_no_passages(dated_index):
    for name, day in ((NEW, "2025-05-31"), (OLD, "2025-06-01")):
        result = asked(dated_index, CARDS, edition=name, as_of=day)
        assert not result.in_effect
        assert not result.answered
        assert result.hits == ()
        assert result.language == "de"


def test_the_rule_for_what_is_left_open_is_of_the_version_that_held(sample_index):
    question = "Kann ich Pegelwacht auch alleine gegen eine App spielen?"
    for day, version in (("2024-06-01", "pegelwacht-de-1.0"), ("2025-06-01", "pegelwacht-de-1.1")):
        fallback = asked(sample_index, question, game="pegelwacht", as_of=day).fallback
        assert fallback
        assert fallback.entry.startswith(f"{version}/")


def test_a_filter_that_is_not_there_is_an_error_on_any_day(dated_index):
    with pytest.raises(NotFound, match="strandgut"):
        asked(dated_index, CARDS, game="strandgutt", as_of="2025-01-01")


def test_a_penalty_is_answered_from_the_policy(dated_index):
    result = asked(dated_index, PENALTY, game="strandgut")
    assert result.answered
    assert not result.lacking
    assert result.hits[0].passage.entry == f"{POLICY}/2.2"
    in_italian = asked(dated_index, "Che penalità prende chi pesca troppe carte?", game="strandgut")
    assert in_italian.hits[0].passage.entry.startswith(POLICY)


def test_a_question_about_rules_is_answered_from_the_rules(dated_index):
    for question in (
        CARDS,
        "Wie viele Karten ziehe ich, wenn ich im Sand grabe?",
        "Wann endet die Partie?",
    ):
        result = asked(dated_index, question, game="strandgut")
        assert result.answered
        assert not result.hits[0].passage.entry.startswith(POLICY)


def test_a_policy_can_be_asked_alone(dated_index):
    result = asked(dated_index, "Wie lange dauert eine Runde?", edition=POLICY)
    assert result.answered
    assert result.hits[0].passage.entry == f"{POLICY}/3.1"


@pytest.mark.parametrize(
    "where", [{"game": FAQ}, {"edition": NEW}, {"game": "strandgut", "as_of": "2025-04-30"}]
)
def test_where_no_policy_is_loaded_a_penalty_is_no_matter_of_the_rules(dated_index, where):
    result = asked(dated_index, PENALTY, **where)
    assert result.lacking == (DocumentKind.POLICY,)
    assert not result.answered
    assert result.fallback is None
    assert result.hits


def test_of_two_questions_only_the_one_for_a_penalty_is_no_matter_of_the_rules(dated_index):
    result = asked(
        dated_index, "Was ist die Strafe für Zeitspiel? Wann endet die Partie?", edition=NEW
    )
    assert result.lacking == (DocumentKind.POLICY,)
    assert [part.answered for part in result.parts] == [False, True]


def test_rules_that_settle_a_penalty_themselves_lack_no_policy(dated_index):
    scope, lookup = dated_index.scope(Query(PENALTY, edition=NEW)), dated_index.lookup
    parsed = dated_index.parser.parse(PENALTY, games=scope.games)
    passage = dated_index.library.passages_in(NEW)[1]
    assert lacking_documents(parsed, scope, lookup, None) == (DocumentKind.POLICY,)
    assert lacking_documents(parsed, scope, lookup, passage) == (DocumentKind.POLICY,)
    assert not lacking_documents(
        parsed,
        scope,
        lookup,
        replace(passage, text="Wer zu viele Karten zieht, gibt zur Strafe eine Muschel ab."),
    )


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
def test_questions_for_penalties_are_told_in_several_languages(question, language):
    assert speaks_of(DocumentKind.POLICY, question, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie viele Karten ziehe ich auf einem Turnier?", "de"),
        ("Does this lead to a game loss?", "en"),
        ("Quando finisce il turno?", "it"),
    ],
)
def test_questions_about_rules_are_no_matter_of_policy(question, language):
    assert not speaks_of(DocumentKind.POLICY, question, language)


def test_what_is_legal_is_answered_from_the_document_on_formats(dated_index):
    for question, rule in (
        (LEGAL, "2.1"),
        ("Ist Kluge Dohle in der Regatta gebannt?", "2.3"),
        ("Wann rotiert die älteste Erweiterung aus dem Format?", "2.2"),
    ):
        result = asked(dated_index, question, game="strandgut")
        assert result.answered
        assert not result.lacking
        assert result.hits[0].passage.entry == f"{FORMATS}/{rule}"
    in_italian = asked(
        dated_index, "Quali espansioni sono legali nel formato Regatta?", game="strandgut"
    )
    assert in_italian.hits[0].passage.entry.startswith(FORMATS)


@pytest.mark.parametrize(
    "where",
    [
        {"game": FAQ},
        {"edition": NEW},
        {"edition": POLICY},
        {"game": "strandgut", "as_of": "2025-08-31"},
    ],
)
def test_where_no_formats_are_loaded_legality_is_no_matter_of_the_rules(dated_index, where):
    result = asked(dated_index, LEGAL, **where)
    assert result.lacking == (DocumentKind.FORMATS,)
    assert not result.answered
    assert result.fallback is None


def test_a_question_for_a_penalty_is_not_answered_from_formats(dated_index):
    for question, document in ((PENALTY, POLICY), (LEGAL, FORMATS), (CARDS, NEW)):
        first = (
            asked(dated_index, question, game="strandgut", as_of="2026-01-01").hits[0].passage.entry
        )
        assert first.startswith(f"{document}/")


def test_two_questions_may_lack_two_documents(dated_index):
    result = asked(dated_index, f"{PENALTY} {LEGAL}", edition=NEW)
    assert set(result.lacking) == {DocumentKind.POLICY, DocumentKind.FORMATS}
    assert not result.answered


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Ist diese Karte noch turnierlegal?", "de"),
        ("Wann ist die nächste Rotation?", "de"),
        ("Steht Kluge Dohle auf der Bannliste?", "de"),
        ("Quali carte sono vietate nel formato Regata?", "it"),
        ("Questa carta è ancora legale?", "it"),
        ("Is this card banned in Regatta?", "en"),
        ("Which sets are legal in the Fleet format?", "en"),
        ("Diese Karte ist doch nicht banned?", "de"),
    ],
)
def test_questions_for_legality_are_told_in_several_languages(question, language):
    assert speaks_of(DocumentKind.FORMATS, question, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Ist es erlaubt, zwei Karten zu spielen?", "de"),
        ("Wird die Karte verbannt?", "de"),
        ("Ist das ein legales Ziel?", "de"),
        ("In welchem Format wird zu viert gespielt?", "de"),
        ("Posso bandire una carta?", "it"),
        ("Is this a legal target?", "en"),
    ],
)
def test_questions_about_rules_are_no_matter_of_formats(question, language):
    assert not speaks_of(DocumentKind.FORMATS, question, language)
