import zlib
from collections.abc import Sequence

import numpy as np
import pytest

from glossary.query_variants import QueryVariant
from index.library.indexed_texts import IndexedText
from index.library.library import Library
from index.ranking.confidence import (
    EditionConfidence,
    NearnessModel,
)
from index.training.drafted_editions import learn_edition_confidence

EDITION = "pegelwacht-de-1.1"


class WordCounts:
    """An encoder that counts words: texts with the same words have the same vector."""

    def passages(self, texts):
        found = np.zeros((len(texts), 256), dtype=np.float32)
        for row, text in zip(found, texts, strict=True):
            for word in text.casefold().split():
                row[zlib.crc32(word.encode()) % 256] += 1
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))

    questions = passages


@pytest.fixture(scope="module")
def library(sample_library) -> Library:
    return sample_library


def drafted(library):
    """Texts in which each passage has ten drafts: its own first words, in another order each time,
    and one word that tells them apart.
    """
    texts = []
    for number, passage in enumerate(library.searchable):
        words = passage.display.split()[:9]
        drafts = [
            QueryVariant(
                " ".join(
                    [*words[turn % len(words) :], *words[: turn % len(words)], f"frage{number % 7}"]
                ),
                "de",
            )
            for turn in range(10)
        ]
        texts.append(IndexedText(passage.display, "de", tuple(drafts)))
    return texts


def test_what_is_near_to_nothing_in_a_drafted_rulebook_is_open(library):
    given: list[Sequence[IndexedText]] = []

    def encoder_of(texts):
        given.append(texts)
        return WordCounts()

    texts = drafted(library)
    learned = learn_edition_confidence(library, texts, [EDITION], encoder_of)
    assert learned.combined(0.99, EDITION, {"vectors": 0.9, "phrasings": 0.95}) > 0.5
    assert learned.combined(0.99, EDITION, {"vectors": 0.1, "phrasings": 0.1}) < 0.5
    assert learned.combined(0.01, EDITION, {"vectors": 0.5, "phrasings": 0.5}) < learned.combined(
        0.99, EDITION, {"vectors": 0.5, "phrasings": 0.5}
    )
    assert (
        learned.combined(0.99, "pegelduell-de-2.0", {"vectors": 0.1, "phrasings": 0.1}) == 0.99
    ), "nobody drafted for that one"
    number = next(n for n, e in enumerate(library.editions) if e.id == EDITION)
    here = range(library.bounds[number], library.bounds[number + 1])
    (kept,) = given
    assert any(not kept[n].phrasings for n in here), "some passages lose all their drafts"
    assert any(0 < len(kept[n].phrasings) < len(texts[n].phrasings) for n in here), "others some"
    assert all(kept[n] == texts[n] for n in range(len(texts)) if n not in here)


def test_too_few_drafts_say_nothing(library):
    texts = [IndexedText(passage.display, "de", ()) for passage in library.searchable]
    learned = learn_edition_confidence(library, texts, [EDITION], lambda _: WordCounts())  # type: ignore[arg-type, return-value]
    assert learned.combined(0.99, EDITION, {"vectors": 0.1, "phrasings": 0.1}) == 0.99


def test_it_is_kept_with_the_index_and_damage_is_noticed(tmp_path):
    evidence = {"vectors": 0.3, "phrasings": 0.3}
    made = EditionConfidence({EDITION: NearnessModel(4.0, 0.7, -4.2)})
    made.save(tmp_path)
    assert (
        EditionConfidence.load(tmp_path).combined(0.9, EDITION, evidence)
        == made.combined(0.9, EDITION, evidence)
        < 0.5
    )
    for broken in ("", "[1]", '{"x": 1}', '{"x": [1, 2]}', '{"x": ["a", 1, 2]}'):
        (tmp_path / "editions.json").write_text(broken)
        with pytest.raises(ValueError):
            EditionConfidence.load(tmp_path)
