import numpy as np
import pytest

from glossary.query_variants import QueryVariant
from index.library.indexed_texts import IndexedText
from index.training.encoder import LEAST_BATCH, train
from index.training.material import TrainingPair

SAID = {
    "Ein lecker Kahn verliert am Ende der Runde eine Planke.": (
        "mein boot säuft ab was jetzt",
        "löcher im rumpf",
    ),
    "Der Wachhabende gibt die Laterne nach links weiter.": (
        "wer kriegt das licht danach",
        "lampe geht reihum",
    ),
    "Öl bezahlt Kosten und liegt auf dem Lotsen.": (
        "womit blechen wir eigentlich",
        "wo kommt die knete hin",
    ),
}


@pytest.fixture(scope="module")
def texts() -> list[IndexedText]:
    return [
        IndexedText(text, "de", tuple(QueryVariant(p, "de") for p in said))
        for text, said in SAID.items()
    ]


@pytest.fixture(scope="module")
def examples(texts) -> list[TrainingPair]:
    return [TrainingPair(p.text, n) for n, t in enumerate(texts) for p in t.phrasings] * 400


def test_the_same_input_gives_the_same_weights(texts, examples):
    one, other = (
        train(texts, examples, seen=5 * LEAST_BATCH),
        train(texts, examples, seen=5 * LEAST_BATCH),
    )
    assert np.array_equal(
        one.embedding.weight.detach().numpy(), other.embedding.weight.detach().numpy()
    )


def test_words_that_the_rulebook_never_uses_find_its_passage(texts, examples):
    encoder = train(texts, examples, seen=60 * LEAST_BATCH).built_in()
    near = (
        encoder.questions(["das boot hat löcher", "lampe", "blechen mit knete"])
        @ encoder.passages([t.text for t in texts]).T
    )
    assert near.argmax(axis=1).tolist() == [0, 1, 2]


def test_a_library_without_anything_to_learn_from_gets_an_untrained_encoder(texts):
    encoder = train([IndexedText(t.text, "de", ()) for t in texts], []).built_in()
    near = (
        encoder.questions(["Wer gibt die Laterne weiter?"])
        @ encoder.passages([t.text for t in texts]).T
    )
    assert near.argmax() == 1
