from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from index.building.reuse import CachingEncoder

TEXTS = ["Wann steigt der Pegel?", "Il livello sale.", "Öl 4.2.1", ""]


class Model:
    """Tells what it was asked for; ``turn`` makes it another one."""

    dimensions = 4

    def __init__(self, turn=0.0):
        self.turn = turn
        self.encoded: list[str] = []

    def passages(self, texts):
        self.encoded += texts
        angles = np.array([len(text) + self.turn for text in texts])
        return np.stack(
            [np.cos(angles), np.sin(angles), np.zeros(len(texts)), np.zeros(len(texts))], axis=1
        ).astype(np.float32)

    def questions(self, texts):
        return -self.passages(texts)


def begin(model, folder, identity="one", fresh=False):
    folder.mkdir(exist_ok=True)
    return CachingEncoder(model, folder, identity, folder / ".new", fresh)


@pytest.fixture
def folder(tmp_path) -> Path:
    cached = begin(Model(), tmp_path / "index")
    cached.passages(TEXTS)
    cached.questions(TEXTS[:2])
    cached.publish()
    return tmp_path / "index"


def test_what_is_known_is_not_encoded_again_and_has_the_same_vectors(folder):
    model = Model()
    cached = begin(model, folder)
    found = cached.passages(["neu", *TEXTS, "neu"])
    assert np.array_equal(found, Model().passages(["neu", *TEXTS, "neu"]))
    assert model.encoded == [*TEXTS, "neu"]  # the known ones to see that it is the same model
    assert (cached.new, cached.asked) == (1, 5)


def test_a_text_as_a_question_is_another_one_than_as_a_passage(folder):
    cached = begin(Model(), folder)
    assert np.array_equal(cached.questions(TEXTS), Model().questions(TEXTS))
    assert cached.new == 2


def test_what_was_not_asked_for_is_forgotten(folder):
    cached = begin(Model(), folder)
    cached.passages(TEXTS[:1])
    cached.publish()
    assert len(list(folder.iterdir())) == 1
    cached = begin(Model(), folder)
    cached.passages(TEXTS)
    assert cached.new == 3


@pytest.mark.parametrize(
    ("model", "identity", "fresh"),
    [(Model(turn=0.01), "one", False), (Model(), "two", False), (Model(), "one", True)],
    ids=["another by the same name", "another name", "asked to"],
)
def test_another_model_encodes_everything(folder, model, identity, fresh):
    cached = begin(model, folder, identity, fresh)
    assert np.array_equal(cached.passages(TEXTS), Model(model.turn).passages(TEXTS))
    assert cached.new == 4


@pytest.mark.parametrize("harm", ["changed", "cut", "empty"])
def test_what_is_damaged_is_not_believed(folder, harm):
    (kept,) = folder.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(
        {"changed": whole[:-1] + bytes([whole[-1] ^ 1]), "cut": whole[:-24], "empty": b""}[harm]
    )
    cached = begin(Model(), folder)
    assert np.array_equal(cached.passages(TEXTS), Model().passages(TEXTS))
    assert cached.new == 4


def test_of_many_texts_it_is_told_how_many_are_done(folder):
    told: list[tuple[int, int]] = []
    cached = CachingEncoder(
        Model(),
        folder,
        "one",
        folder / ".new",
        report=lambda kind, done, of: told.append((done, of)),
        chunk=3,
    )
    texts = [*TEXTS, *"abcdefgh"]
    assert np.array_equal(cached.passages(texts), Model().passages(texts))
    assert told == [(3, 8), (6, 8), (8, 8)]
    cached.publish()
    again = begin(Model(), folder)
    again.passages(texts)
    assert again.new == 0
