from unittest.mock import Mock

import numpy as np
import pytest

from index.layers.ruling_matching import FEATURES, RulingCloseness, RulingSignals
from index.layers.texts import RulingText, RulingTexts
from tests.bench.rulings import ranks

GAME = "pegelwacht"


class Compass:
    """An encoder that knows four words."""

    dimensions = 4
    _words = ("sturm", "anker", "laterne", "hafen")

    def passages(self, texts):
        found = np.array(
            [[text.lower().count(word) for word in self._words] for text in texts], dtype=np.float32
        ) + np.float32(0.01)
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))

    questions = passages


def kept(texts, folder):
    """What ``texts`` are found by, as built and as loaded."""
    made = RulingTexts.build(texts, Compass())
    made.save(folder / "texts")
    return [made, RulingTexts.load(folder / "texts")]


def ruling_text(*names, game=GAME, concepts=(), asked=""):
    return RulingText(game, names, concepts, asked, f"{asked} Ja.")


def test_a_part_of_a_name_is_told_by_how_telling_its_words_are(tmp_path):
    texts = [
        ruling_text({"anna": 1.0}, game="other"),
        ruling_text({"rostig": 3.0, "anna": 1.0}),
        ruling_text({"lanterna": 2.0}, {"latern": 2.0, "alt": 2.0}),
    ]
    for found in kept(texts, tmp_path):
        assert found.shares(GAME, ["rostig", "kahn"], range(1, 3)).tolist() == [0.75, 0.0]
        assert found.shares(GAME, ["anna", "latern"], range(1, 3)).tolist() == [0.25, 0.5]
        best = found.shares(GAME, ["lanterna", "latern"], range(1, 3))
        assert best.tolist() == [0.0, 1.0]
        assert found.shares("other", ["anna"], range(1)).tolist() == [1.0]


def test_what_few_rulings_speak_of_and_this_one_does_not_weighs_most(tmp_path):
    spoken = [("lantern",), ("storm", "anchor"), ("storm",), ("storm", "storm")]
    texts = [
        ruling_text(game=game, concepts=concepts)
        for game, concepts in zip(("other", GAME, GAME, GAME), spoken, strict=True)
    ]
    for found in kept(texts, tmp_path):
        anchor = found.untouched(GAME, {"anchor": 1.0}, range(1, 4))
        assert anchor[0] == pytest.approx(0.0)
        assert anchor[1] == anchor[2] > 0.0
        assert found.untouched(GAME, {"lantern": 1.0}, range(1, 4)).min() > anchor.max()
        storm = found.untouched(GAME, {"storm": 1.0}, range(1, 4))
        assert storm.tolist() == pytest.approx([0.0] * 3)
        unsure = found.untouched(GAME, {"anchor": 0.5}, range(1, 4))
        assert unsure[1] == pytest.approx(anchor[1] / 2)


def test_a_question_that_is_near_to_every_ruling_is_near_to_none(tmp_path):
    texts = [
        ruling_text(asked=asked) for asked in ("Sturm?", "Anker?", "Laterne?", "Sturm und Anker?")
    ]
    for found in kept(texts, tmp_path):
        lantern, everything = (
            found.nearness(vector, range(4))
            for vector in Compass().questions(["Laterne", "Sturm Anker Laterne Hafen"])
        )
        assert lantern.argmax() == 2
        assert lantern[2] > everything.max() + 0.5


def signals(**more):
    """Two rulings, of which the first is about the card that is named and nearer to the
    question.
    """
    values: dict[str, object] = {
        "card": np.array([1.0, 0.0]), "name": np.zeros(2), "text": np.zeros(2), "strange": np.array([0.0, 1.0]),
        "about_cards": np.array([True, True]), "untouched": np.zeros(2), "nearness": np.array([2.0, 0.0]), "words": 6, "kind": 4.0, **more,
    }  # fmt: skip
    return RulingSignals(**values)  # type: ignore[arg-type]


def test_the_same_card_alone_makes_no_ruling_the_answer():
    same_matter = signals().probabilities[0]
    other_matter = signals(
        nearness=np.array([-0.5, 0.0]), untouched=np.array([5.0, 5.0])
    ).probabilities[0]
    assert same_matter > 0.6
    assert other_matter < 0.35
    assert signals(card=np.zeros(2), strange=np.ones(2)).probabilities[0] < same_matter - 0.3


def test_a_ruling_about_no_card_is_not_held_to_the_cards_that_a_question_names():
    features = signals(about_cards=np.array([True, False])).features[1]
    assert (features[FEATURES.index("cardless")], features[FEATURES.index("other")]) == (1.0, 0.0)


def test_the_ruling_that_answers_comes_first_and_one_on_another_matter_hardly_ever_settles(
    sample_index,
):
    found = ranks(sample_index)
    answered = [
        each
        for each in found
        if any(sample_index.rulings[id].authority.official for id in each.row["rulings"])
    ]
    others = [each for each in found if not each.row["rulings"]]
    assert len(answered) > 15
    assert len(others) > 20
    assert np.mean([each.rank == 1 for each in answered]) >= 0.75
    assert np.mean([each.rank is not None and each.rank <= 3 for each in answered]) >= 0.9
    assert np.mean([each.first for each in others]) <= 0.35
    assert np.mean([each.settled for each in others]) <= 0.08


def test_a_ruling_that_only_mentions_the_card_has_to_be_about_the_question(sample_index):
    search = sample_index.layers.search
    nothing = np.zeros(len(search.rulings.numbers(GAME)))
    closeness = RulingCloseness(
        search.rulings, Mock(), search.cards, sample_index.analyzer, ("de",)
    )

    def named(probability, card, text):
        signals = Mock(
            card=nothing + card,
            text=nothing + text,
            probabilities=nothing + probability,
        )
        signals.name = nothing
        return closeness.named(GAME, Mock(), signals)

    assert not named(0.6, card=0.0, text=1.0).any()
    assert named(0.9, card=0.0, text=1.0).all()
    assert named(0.4, card=1.0, text=0.0).all()
