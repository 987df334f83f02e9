import numpy as np
import pytest

from index.analysis import folded
from index.model import Query
from index.ranking.answerability import (
    AnswerabilityModel,
    WordingModel,
    answerable_questions,
    nearest_passages,
)
from index.ranking.confidence import (
    FEATURES,
    UNKNOWN_TERMS,
    Settlement,
    confidence_model,
    estimate_confidence,
    is_about_rules,
    lead,
    settlement,
)

INSIDE = [
    "Darf mein Lotse angreifen, wenn er nass ist?",
    "Wann steigt der Pegel?",
    "Wie viele Karten ziehe ich im Zug?",
]
OUTSIDE = [
    "Was kostet ein Display im Laden?",
    "Welcher Preis ist fair?",
    "Wo kann ich das Spiel kaufen?",
]
NOTHING = dict.fromkeys(FEATURES, 0.0)


def test_words_of_questions_that_no_rulebook_settles_count_against_one():
    model = WordingModel.fit(INSIDE, OUTSIDE)
    assert (
        model.logit(folded("Was kostet das Spiel im Laden?"))
        < 0
        < model.logit(folded("Darf der Lotse im Zug angreifen?"))
    )
    assert np.isfinite(model.logit(()))


@pytest.mark.parametrize(("inside", "outside"), [([], OUTSIDE), (INSIDE, [])])
def test_wording_says_nothing_where_there_is_nothing_to_learn_it_from(inside, outside):
    assert WordingModel.fit(inside, outside).logit(folded("Was kostet das?")) == 0.0


def test_an_answer_is_open_exactly_where_it_is_not_answered():
    assert [settlement(c, answered=c >= 0.5) for c in (0.0, 0.49, 0.5, 1.0)] == [
        Settlement.OPEN, Settlement.OPEN, Settlement.LIKELY, Settlement.SETTLED,
    ]  # fmt: skip
    assert settlement(0.99, answered=False) is Settlement.OPEN


def test_all_evidence_speaks_for_an_answer():
    sure = estimate_confidence(NOTHING)
    for feature in FEATURES:
        assert estimate_confidence(NOTHING | {feature: 0.5}) > sure


def test_without_weights_of_its_own_a_general_encoder_changes_nothing():
    assert (
        "general_outside" in confidence_model(general=True).weights
        or confidence_model(general=True) == confidence_model()
    )


def test_how_near_a_passage_is_counts_by_how_near_other_questions_come_to_its_edition():
    unsettled = np.array([[1.0, 0.0], [0.8, 0.6]], dtype=np.float32)
    passages = np.array(
        [[0.6, 0.8], [0.0, 1.0], [0.8, 0.6]], dtype=np.float32
    )  # of three editions, the second without any
    nearness = nearest_passages(passages, [0, 2, 2, 3], unsettled)
    assert nearness == pytest.approx(np.array([[0.78, 0.18], [0, 0], [0.9, 0.1]]), abs=1e-6)
    model = AnswerabilityModel.fit(passages, unsettled, WordingModel.fit([], []), nearness)
    assert model.nearness(0.96, [0]) == pytest.approx(1.0)
    assert model.nearness(0.96, [2]) == pytest.approx(0.6)
    assert model.nearness(0.96, [0, 2]) == model.nearness(0.96, [2]), (
        "with both any question comes as near as to the nearer one"
    )


def test_a_game_without_known_terms_is_not_held_against_a_question(sample_index, monkeypatch):
    query = Query("Was ist das?", game="pegelwacht")
    assert sample_index.asked_evidence(query)["terms"] == 0.0
    monkeypatch.setattr(sample_index.parser, "knows_terms", lambda games: False)
    assert sample_index.asked_evidence(query)["terms"] == UNKNOWN_TERMS


def test_wording_is_learned_from_phrasings_of_all_games():
    learned = answerable_questions(["Wer hat den Hut auf?"])
    assert learned[0] == "Wer hat den Hut auf?"
    assert len(learned) == len(set(learned)) > 10_000


def test_a_question_that_fits_anywhere_has_no_lead():
    assert lead(np.zeros(0)) == lead(np.ones(40)) == 0.0
    assert lead(np.r_[1.5, np.ones(40)]) == pytest.approx(0.5)
    assert lead(np.r_[9.0, np.ones(40)]) == 2.0


@pytest.mark.parametrize(
    ("terms", "wording", "vectors", "about"),
    [
        (0.2, 3.0, 0.6, True),
        (0.0, 3.0, 0.6, False),
        (0.2, -3.0, 0.6, False),
        (0.2, 3.0, 0.1, False),
    ],
)
def test_what_has_no_term_of_the_game_or_the_words_of_a_shop_is_not_about_its_rules(
    terms, wording, vectors, about
):
    assert (
        is_about_rules(NOTHING | {"terms": terms, "wording": wording, "vectors": vectors}) is about
    )
