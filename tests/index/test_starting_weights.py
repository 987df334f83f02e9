from importlib.resources import files

import numpy as np
import pytest
from safetensors import safe_open

from corpus.workspace import as_new
from glossary.query_variants import FOLDER, load_query_variants
from index.building.encoding_stage import starting_weights
from index.encoding.encoder import BUCKETS, DIMENSIONS, buckets
from index.library.indexed_texts import IndexedText
from index.training.encoder import LEAST_BATCH, train, write_starting_weights
from index.training.material import (
    FILE,
    StartingWeights,
    load_starting_weights,
    save_starting_weights,
    variant_groups,
)
from tests.index.test_train import SAID

MOST_BYTES = 10_000_000


@pytest.fixture(scope="module")
def weights() -> StartingWeights:
    return load_starting_weights()


def test_the_package_has_weights_that_fit_the_encoder(weights):
    assert FILE.stat().st_size <= MOST_BYTES
    assert (files("index") / "training" / FILE.name).is_file()
    assert weights.rows.shape == (len(weights.buckets), DIMENSIONS)
    assert np.isfinite(weights.rows).all()
    assert (np.diff(weights.buckets) > 0).all()
    assert 0 <= weights.buckets[0] <= weights.buckets[-1] < BUCKETS


def test_they_have_a_vector_for_nothing_but_what_query_variants_are_made_of(weights):
    """Words and n-grams are hashed, so that this is all that the file could have kept of any
    text.
    """
    files = [path.stem for path in FOLDER.glob("*.yaml") if path.stem != "outside"]
    texts = [
        text
        for name in files
        for each in load_query_variants(name, FOLDER)
        for text, _ in each.all("de")
    ]
    own = {bucket for text in texts for bucket in buckets(text)}
    # Some variants may have been edited since the weights were made.
    assert len(own.intersection(weights.buckets.tolist())) > 0.99 * len(weights.buckets)
    with safe_open(FILE, "numpy") as file:
        assert set(file.keys()) == {"buckets", "scales", "codes"}
        assert set(file.metadata()) == {"made_of"}


def test_the_same_variants_give_the_same_bytes(tmp_path):
    groups = variant_groups()[:50]
    for name in ("one", "other"):
        write_starting_weights(tmp_path / name, groups, seen=3 * LEAST_BATCH)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_file_of_another_format_is_refused(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("index.training.material.FORMAT", 0)
        save_starting_weights(
            StartingWeights(np.arange(2), np.ones((2, DIMENSIONS), dtype=np.float32)),
            tmp_path / "weights",
            {},
        )
    with pytest.raises(ValueError, match="format"):
        load_starting_weights(tmp_path / "weights")


def test_nothing_of_a_game_that_is_taken_for_a_new_one_is_in_the_weights(monkeypatch):
    """What a new game would be worth could not be measured by weights that were trained on its
    variants.
    """
    every = {variant.text for group in variant_groups() for variant in group.phrasings}
    trained: list[IndexedText] = []
    monkeypatch.setattr("index.training.encoder.pretrain", trained.extend)
    with as_new("behind"):
        starting_weights(lambda line: None)
    used = {variant.text for group in trained for variant in group.phrasings}
    own = {
        text
        for each in load_query_variants("behind-de-4.15c", FOLDER)
        for text, _ in each.all("de")
    }
    assert own <= every
    assert used == every - own


def test_questions_without_a_word_of_the_passage_find_it_before_anything_is_learned_of_it(weights):
    """From random weights nothing but letters in common brings both together: the cosine is 0.13 at
    most.
    """
    passages = [
        "Überzählige Handkarten werden abgeworfen.",
        "Ein Angriff gelingt bei gleicher Stärke.",
        "Am Anfang mischt jeder sein Deck.",
    ]
    encoder = train([IndexedText(text, "de", ()) for text in SAID], [], weights).built_in()
    asked = {
        "wie viele karten muss ich wegschmeißen": 0,
        "who shuffles at the start": 2,
        "Chi mescola le carte all'inizio?": 2,
    }
    near = encoder.questions(list(asked)) @ encoder.passages(passages).T
    assert near.argmax(axis=1).tolist() == list(asked.values())
    assert near.max(axis=1).min() > 0.25
