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
