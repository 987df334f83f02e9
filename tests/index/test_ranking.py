import numpy as np
import pytest

from corpus.model import Kind
from index.model import CardTextHit, Query
from index.ranking.boosts import named_boosts
from index.ranking.confidence import Settlement
from index.ranking.first_shown import asked_clause
from index.ranking.passage_features import EXCEPTION
from index.ranking.signals import QuestionSignals


def found(index, question, **where):
    return [h.passage.id for h in index.search(Query(question, **where)).hits]


def test_a_named_card_brings_its_ruling_and_its_erratum_first(sample_index):
    cards: dict[str, list[str]] = {}
    for entry in sample_index.library.entries_of("pegelwacht-de-1.1"):
        if entry.kind in (Kind.RULING, Kind.ERRATUM) and entry.card:
            cards.setdefault(entry.card, []).append(entry.id)
    both = [entries for entries in cards.values() if len(entries) == 2]
    assert both
    for one, other in both:
        card = sample_index.library.entry[one].title
        first = {
            id.partition("#")[0]
            for id in found(sample_index, f"Was gilt für {card}?", edition="pegelwacht-de-1.1")[:2]
        }
        assert first == {one, other}


@pytest.mark.parametrize(
    "question",
    [
        "{} ruling",
        "{}",
        "Gibt es ein Erratum zu {}?",
        "Was wurde an {} geändert?",
        "Cosa è cambiato sulla carta {}?",
    ],
)
def test_who_asks_for_nothing_but_a_card_gets_its_rulings_and_errata_first(sample_index, question):
    cards = {
        e.title
        for e in sample_index.library.entries_of("pegelwacht-de-1.1")
        if e.kind is Kind.RULING and e.card
    }
    assert cards
    for card in cards:
        first = found(sample_index, question.format(card), edition="pegelwacht-de-1.1")[0]
        assert sample_index.library.entry[first.partition("#")[0]].title == card


def test_a_card_is_found_by_its_printed_number(sample_index):
    cards = [e for e in sample_index.library.entries_of("pegelwacht-de-1.1") if e.card and e.number]
    assert cards
    for entry in cards:
        number = (entry.number or "").partition("-")[0]
        first = found(sample_index, f"Karte Nr. {number}", edition="pegelwacht-de-1.1")[:4]
        assert any(
            number in (sample_index.library.entry[id.partition("#")[0]].number or "")
            for id in first
        ), number


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Was bedeutet durchnässt?", "pegelwacht-de-1.1/durchnaesst-durchnaessen#0"),
        ("was ist ein wrack", "pegelwacht-de-1.1/wrack#0"),
        ("Was macht der Status Durchnässt?", "pegelwacht-de-1.1/durchnaesst-durchnaessen#0"),
        (
            "Wie funktioniert der Zustand durchnässt?",
            "pegelwacht-de-1.1/durchnaesst-durchnaessen#0",
        ),
        (
            "Was passiert in Schritt 4 des Spielaufbaus?",
            "pegelwacht-de-1.1/anhang-ii-spielaufbau#4",
        ),
        ("5. Schritt der Flutphase", "pegelwacht-de-1.1/flutphase#5"),
    ],
)
def test_the_entry_of_a_word_and_the_step_of_a_list_come_first(sample_index, question, passage):
    assert found(sample_index, question, edition="pegelwacht-de-1.1")[0] == passage


def test_a_question_in_one_language_finds_passages_of_the_other(sample_index):
    assert "pegelwacht-de-1.1/pegel" in {
        id.partition("#")[0]
        for id in found(sample_index, "Livello", edition="pegelwacht-de-1.1")[:3]
    }
    assert "pegelwacht-it-1.1/livello" in {
        id.partition("#")[0] for id in found(sample_index, "Pegel", edition="pegelwacht-it-1.1")[:3]
    }


def test_passages_in_the_preferred_language_come_first_if_the_game_has_them(sample_index):
    def first(question, **asked):
        return found(sample_index, question, **asked)[0].partition("/")[0]

    question = "Wie viele Geräte darf ein Lotse tragen?"
    assert (
        first(question, game="pegelwacht")
        == first(question, game="pegelwacht", prefer="de")
        == "pegelwacht-de-1.1"
    )
    italian = found(sample_index, question, game="pegelwacht", prefer="it")[0]
    assert italian.startswith("pegelwacht-it-1.1/attrezzo")
    alone = "Wer beginnt das Duell?"
    assert found(sample_index, alone, game="pegelduell", prefer="it") == found(
        sample_index, alone, game="pegelduell"
    )
    everywhere = found(sample_index, alone)[0]
    assert everywhere.startswith("pegelduell")
    assert (
        found(sample_index, alone, prefer="it")[0] == everywhere
    )  # nothing of another game comes before it


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("leck mehrere matrosen", "de"),
        ("Wann steigt der Pegel?", "de"),
        ("Wer führt eine Aufzählung an?", "de"),
        ("quanti attrezzi può portare un pilota", "it"),
        ("Quando sale il livello?", "it"),
    ],
)
def test_a_question_gets_a_passage_in_its_language_first(sample_index, question, language):
    assert found(sample_index, question, game="pegelwacht")[0].startswith(f"pegelwacht-{language}-")


def test_a_preference_changes_no_verdict(sample_index):
    for question in ("Wie viele Geräte darf ein Lotse tragen?", "Darf mein Hund mitspielen?"):
        plain, preferred = (
            sample_index.search(Query(question, game="pegelwacht", prefer=prefer))
            for prefer in (None, "it")
        )
        assert preferred.settled is plain.settled


def test_a_name_alone_is_read_in_the_readers_language(sample_index):
    for reader in ("de", "it"):
        result = sample_index.search(Query("Nebelhorn", game="pegelwacht", reader=reader))
        assert result.language == reader
        assert sample_index.search(Query("Wann steigt der Pegel?", reader="it")).language == "de"
        spoken = [
            hit.quoted.text.quoted.language for hit in result.beside if isinstance(hit, CardTextHit)
        ]
        assert spoken
        assert spoken[0] == reader


def test_what_players_call_otherwise_is_looked_for_by_its_official_name(sample_index):
    asked, allowed, scores = sample_index.signals(
        Query("Was macht die Livello-Karte?", edition="pegelwacht-de-1.1", language="de")
    )
    best = sample_index.library.searchable[int(allowed[int(np.argmax(scores["terms"]))])]
    assert scores["terms"].max() > 0
    assert "egel" in best.display
    assert asked.language == "de"


def test_an_exception_stands_right_behind_its_rule(sample_index):
    together = 0
    for entry in sample_index.library.entries:
        hits = sample_index.search(Query(entry.title, edition=entry.edition)).hits
        same = [
            place
            for place, hit in enumerate(hits)
            if hits and hit.passage.entry == hits[0].passage.entry
        ]
        exceptions = [place for place in same[1:] if EXCEPTION.search(hits[place].passage.display)]
        if exceptions:
            together += 1
            assert exceptions[0] == 1
    assert together


def test_short_quotations_prefer_passages_that_hold_them(sample_index):
    _, allowed, scores = sample_index.signals(
        Query("Was heißt „bis zum Ende“ auf einer Karte?", edition="pegelwacht-de-1.1")
    )
    holding = [int(n) for n, share in zip(allowed, scores["literal"], strict=True) if share]
    assert holding
    assert all(
        "bis zum Ende" in " ".join(sample_index.library.searchable[n].display.split())
        for n in holding
    )


def test_several_questions_in_one_are_searched_apart(sample_index):
    one, other = "Was ist ein Wrack?", "Wann steigt der Pegel?"
    asked, _, scores = sample_index.signals(Query(f"{one} {other}", edition="pegelwacht-de-1.1"))
    assert len(asked.vectors) == 3
    for question in (one, other):
        _, _, alone = sample_index.signals(Query(question, edition="pegelwacht-de-1.1"))
        assert (scores["questions"] >= alone["vectors"] - 1e-3).all()


def test_rules_of_a_format_come_behind_the_others_unless_a_question_asks_for_it(sample_index):
    def unasked(question, language):
        query = Query(question, language=language)
        prepared = sample_index.prepare(query, sample_index.scope(query))
        numbers = sample_index.features.formats.unasked(prepared)
        return {sample_index.library.searchable[number].entry for number in numbers}

    special = unasked("Bleibt der Pegel stehen?", "de")
    campaign = {entry for entry in special if "kampagnenmodus" in entry}
    assert campaign
    assert not campaign & unasked("Bleibt der Pegel in einer Kampagne stehen?", "de")
    assert not campaign & unasked("Does the level stay in a campaign?", "en")
    query = Query("Bleibt der Pegel stehen?", language="de")
    scope = sample_index.scope(query)
    bonuses = named_boosts(
        QuestionSignals(sample_index.scorer, sample_index.prepare(query, scope), scope)
    )
    place = next(
        n
        for n, number in enumerate(scope.numbers)
        if sample_index.library.searchable[number].entry in campaign
    )
    other = next(
        n
        for n, number in enumerate(scope.numbers)
        if sample_index.library.searchable[number].entry not in special
    )
    assert bonuses[place] < bonuses[other]


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Kann ein geblendeter Lotse in seiner Aktivierung noch Öl ausgeben?", "Lotse"),
        ("Was passiert in der Aktivierung mit einem geblendeten Wrack?", "Wrack"),
    ],
)
def test_a_rule_on_the_other_side_comes_behind_that_on_the_side_asked_about(
    sample_index, question, subject
):
    assert subject in sample_index.search(Query(question, game="pegelwacht")).hits[0].passage.text


@pytest.mark.parametrize(
    "question",
    [
        "Was passiert in der Flutphase als Erstes?",
        "Was passiert in der Flutphase zuerst?",
        "Was macht man zuerst in der Flutphase?",
        "What happens first in the flood phase?",
    ],
)
def test_what_happens_first_is_the_first_step(sample_index, question):
    assert (
        "1. Der Pegel steigt"
        in sample_index.search(Query(question, edition="pegelwacht-de-1.1")).hits[0].passage.text
    )


@pytest.mark.parametrize(
    "question",
    [
        "Was passiert zuerst, die Flutphase oder die Wachphase?",
        "Cosa succede prima della fase della marea?",
        "Che cosa accade prima: la marea o la guardia?",
    ],
)
def test_what_comes_before_something_else_is_no_first_step(sample_index, question):
    assert not sample_index.parser.parse(question).steps


@pytest.mark.parametrize(
    ("question", "nearest"),
    [
        ("Regel 4.9z", "4.6.1"),
        ("4.99.1", "4.6.1"),
        ("7.3.2.9", "7.3.2"),
        ("Was sagt Regel 8.99.1?", "8.3"),
        ("99.9", "9."),
        ("Regel 4.6.1 und 4.6.9", "4.6.1"),
    ],
)
def test_a_rule_that_there_is_none_of_is_open_and_the_nearest_are_named(
    sample_index, question, nearest
):
    asked = sample_index.search(Query(question, game="pegelduell"))
    assert asked.settled is Settlement.OPEN
    assert asked.missing_rule in question
    assert asked.missing_rule
    assert sample_index.library.entry[asked.hits[0].passage.entry].number.startswith(nearest)


@pytest.mark.parametrize(
    "question",
    [
        "Schritt 9 der Flutphase",
        "Was passiert in Schritt 12 der Wachphase?",
        "passo 9 della fase di piena?",
    ],
)
def test_a_step_that_there_is_none_of_is_not_settled(sample_index, question):
    asked = sample_index.search(Query(question, game="pegelwacht"))
    assert asked.settled is not Settlement.SETTLED


@pytest.mark.parametrize(
    "question",
    [
        "Was passiert im dritten Schritt der Flutphase?",
        "Che cosa succede nel terzo passo della fase della piena?",
    ],
)
def test_a_step_is_found_by_its_ordinal_in_words(sample_index, question):
    first = sample_index.search(Query(question, game="pegelwacht")).hits[0].passage
    assert first.display.lstrip("• ").startswith("3.")


def test_a_rule_is_found_by_its_number_or_by_that_of_the_section_it_is_in(sample_index):
    for question, number in (("7.3.2", "7.3.2"), ("Regel 4.4", "4.4.1")):
        asked = sample_index.search(Query(question, game="pegelduell"))
        assert asked.settled is Settlement.SETTLED
        assert sample_index.library.entry[asked.hits[0].passage.entry].number.startswith(number)


def test_an_example_gives_way_to_a_rule_that_is_as_good(sample_index):
    passages = sample_index.library.searchable
    example = next(
        n
        for n, passage in enumerate(passages)
        if passage.text.startswith(("Beispiel", "▶ Beispiel", "- ▶ Beispiel"))
    )
    rule = next(n for n in range(example - 1, -1, -1) if "Beispiel" not in passages[n].text)
    edition = passages[example].entry.partition("/")[0]
    query = Query("Was gilt?", edition=edition)
    scope = sample_index.scope(query)
    parsed = sample_index.prepare(query, scope).parsed
    scores = np.zeros(len(scope.numbers))
    scores[np.searchsorted(scope.numbers, [example, rule])] = 1.0, 0.95
    assert asked_clause(parsed, scope, scores, sample_index.library, sample_index.parser) == [rule]
    scores[np.searchsorted(scope.numbers, rule)] = 0.5
    assert asked_clause(parsed, scope, scores, sample_index.library, sample_index.parser) == []
