"""Many passages: made-up rulebooks that can be read, and stores that look at few passages and find
what looking at all finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import index.store.file_store
from corpus import Document, Kind, identify, read
from glossary.word_tables import WordTables
from index.analysis import Analyzer, fold, words
from index.building.snapshots import Snapshots
from index.library.indexed_texts import IndexedText, all_terms, all_words
from index.model import Query
from index.search import Index
from index.store.bm25 import Bm25, count_terms
from index.store.char_forward_index import CharForwardIndex
from index.store.char_ngrams import CharNgramIndex
from index.store.file_store import CandidateStore, ExhaustiveStore
from index.store.forward_index import ForwardIndex
from index.store.impact_postings import ImpactPostings
from index.store.vector_index import FaissType, VectorIndex, faiss_type
from tests.bench.growth import MadeQuestion, build, exponent, questions
from tests.bench.made_up_rulebooks import book, books, document
from tests.bench.measure import one_thread

pytestmark = pytest.mark.acceptance

PASSAGES = 3_000


@pytest.fixture(scope="module")
def analyzer(word_tables: WordTables) -> Analyzer:
    return Analyzer(word_tables)


@pytest.fixture(scope="module")
def texts() -> list[IndexedText]:
    made = book(0, 400)
    return [IndexedText(text, "de", ()) for entry in made.entries for text in entry.passages]


@pytest.fixture(scope="module")
def both(
    sample_snapshots: Snapshots, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Index, Index]]:
    """Indexes of the same made-up rulebooks, one that looks at all passages and one that looks at
    few.
    """
    sample = sample_snapshots.path(str(sample_snapshots.current()))
    place = tmp_path_factory.mktemp("growth")
    with one_thread():
        build(place / "all", PASSAGES, sample)
        build(place / "few", PASSAGES, sample, limit=100)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index.store.file_store, "SCANNED", 100)
        patch.setattr(
            index.store.file_store, "EXHAUSTIVE_LIMIT", 1_500
        )  # so that an edition is compared as a whole and all of them are not
        yield Index.load(place / "all"), Index.load(place / "few")


@pytest.fixture(scope="module")
def asked(both: tuple[Index, Index]) -> list[MadeQuestion]:
    return questions(both[0].library, 100)


@pytest.mark.parametrize("number", [0, 1])
def test_made_up_rulebooks_are_read_as_they_were_made(number: int) -> None:
    made = book(number, 120)
    paper = Document.from_bytes("made.txt", document(made).encode())
    edition = identify(paper)
    assert edition is not None
    assert (edition.layout, edition.language) == ("capitals", made.edition.language)
    found = read(paper, edition)
    terms = [entry for entry in found.entries if entry.kind is Kind.TERM]
    assert [entry.heading for entry in terms] == [entry.title.upper() for entry in made.entries]
    assert [[p.display for p in found.passages if p.entry == t.id] for t in terms] == [
        list(e.passages) for e in made.entries
    ]


def test_made_up_rulebooks_are_always_the_same_and_each_has_words_of_its_own() -> None:
    few, more = list(books(1_200)), list(books(2_100))
    assert few[0] == more[0]
    assert [sum(len(e.passages) for e in made.entries) for made in more] == [1_000, 1_000, 100]
    vocabularies = [
        {w for e in made.entries for p in e.passages for w in p.split()}
        for made in (more[0], more[2])
    ]
    assert len(vocabularies[1] - vocabularies[0]) > 100
    assert book(0, 50, seed=1) != book(0, 50, seed=2)


def test_words_and_characters_of_some_texts_are_worth_what_they_are_among_all(
    texts: list[IndexedText], analyzer: Analyzer, tmp_path: Path
) -> None:
    ForwardIndex.build(all_terms(texts, analyzer)).save(tmp_path / "words")
    CharForwardIndex.build(all_words(texts)).save(tmp_path / "characters")
    some = np.array([0, 7, 8, 199, 399])
    question = texts[7].text + " Wachphase Wachphase nirgends"
    asked = analyzer.terms(question, "de")
    by_words = Bm25.build(count_terms(all_terms(texts, analyzer))).scores(asked, [(0, 1)])[some]
    spelt = [words(fold(t.text)) for t in texts]
    characters = CharNgramIndex.build(spelt, (0, len(spelt))).scores(
        words(fold(question)), [(0, 1)]
    )[some]
    assert by_words.max() > 1
    assert ForwardIndex.load(tmp_path / "words").scores([asked, ["nirgends"], []], some)[
        0
    ] == pytest.approx(by_words, abs=1e-3)
    assert CharForwardIndex.load(tmp_path / "characters").scores(
        words(fold(question)), some
    ) == pytest.approx(characters, rel=1e-3)


def test_texts_and_questions_without_words_are_worth_nothing() -> None:
    forward, spelling = (
        ForwardIndex.build([["pegel"], [], ["pegel", "öl"]]),
        CharForwardIndex.build([["pegel"], [], ["pegel", "öl"]]),
    )
    all_three = np.arange(3)
    assert forward.scores([[], ["\ud800"], ["öl"]], all_three).astype(bool).tolist() == [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 1],
    ]
    assert spelling.scores([], all_three).tolist() == [0, 0, 0]
    assert spelling.scores(["<öl>", "zzz"], all_three).astype(bool).tolist() == [0, 0, 1]
    assert spelling.scores(["<öl>"], all_three[:0]).shape == (0,)


def test_the_texts_that_words_are_worth_most_in_are_found(
    texts: list[IndexedText], analyzer: Analyzer, tmp_path: Path
) -> None:
    forward = ForwardIndex.build(all_terms(texts, analyzer))
    ImpactPostings.from_forward(forward).save(tmp_path / "impact")
    impact = ImpactPostings.load(tmp_path / "impact")
    for wanted in (3, 77, 301):
        asked = analyzer.terms(texts[wanted].text, "de")[:6]
        scores = forward.scores([list(dict.fromkeys(asked))], np.arange(len(texts)))[0]
        assert np.sort(scores[impact.best(forward.numbers(asked), 10)]) == pytest.approx(
            np.sort(scores)[-10:], abs=1e-3
        )
        allowed = np.arange(wanted + 1, len(texts))
        assert impact.best(forward.numbers(asked), 10, allowed).min() > wanted
    assert len(impact.best([], 10)) == 0


def test_the_type_of_index_depends_on_the_number_of_vectors() -> None:
    assert [faiss_type(n) for n in (30_000, 100_000, 400_000, 2_000_000)] == [
        FaissType.HNSW,
        FaissType.HNSW,
        FaissType.IVFPQ,
        FaissType.IVFPQ,
    ]


def clustered(count: int) -> NDArray[np.float32]:
    """Unit vectors around sixty centres."""
    chance = np.random.default_rng(4)
    centres = chance.standard_normal((60, 32))
    vectors = (
        centres[chance.integers(60, size=count)] + 0.7 * chance.standard_normal((count, 32))
    ).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def found_nearest(
    nearest: VectorIndex, vectors: NDArray[np.float32], allowed: NDArray[np.int64] | None = None
) -> float:
    """The share of the ten nearest vectors that are among 200; all that are found must be
    ``allowed``.
    """
    hits = 0
    asked = vectors[::80] + np.float32(0.02)
    for vector in asked:
        near = vectors @ vector
        if allowed is not None:
            near[np.setdiff1d(np.arange(len(vectors)), allowed)] = -1
        found = nearest.best(vector, 200, allowed)
        assert len(set(found.tolist())) == len(found)
        assert np.isin(found, np.arange(len(vectors)) if allowed is None else allowed).all()
        hits += len(set(found.tolist()) & set(np.argsort(-near)[:10].tolist()))
    return hits / (10 * len(asked))


@pytest.mark.parametrize("type", list(FaissType))
def test_nearest_vectors_are_nearly_always_the_exact_ones(type: Any, tmp_path: Path) -> None:
    vectors = clustered(4_000)
    with one_thread():
        VectorIndex.build(vectors, type).save(tmp_path / "nearest")
    nearest = VectorIndex.load(tmp_path / "nearest")
    assert nearest.type is type
    for allowed in (None, np.arange(1_000, 2_500)):
        assert found_nearest(nearest, vectors, allowed) >= 0.97


@pytest.mark.parametrize("type", list(FaissType))
def test_vectors_that_are_new_or_gone_do_not_have_all_others_indexed_again(
    type: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.store.vector_index.faiss_type", lambda count: type)
    every = clustered(4_200)
    every[7] = every[3_000]  # a passage that is printed twice
    first = every[:4_000]
    # A rulebook comes in between, one goes, and then one that was there before comes back.
    second = np.concatenate([every[:500], every[4_000:4_200], every[700:4_000]])
    third = np.concatenate([every[600:700], second])
    with one_thread():
        VectorIndex.build(first, type).save(tmp_path / "0")
        monkeypatch.setattr(VectorIndex, "build", None)
        for number, (before, now) in enumerate([(first, second), (second, third)]):
            renewed = VectorIndex.renew(tmp_path / str(number), before, now)
            assert renewed
            renewed.save(tmp_path / str(number + 1))
            nearest = VectorIndex.load(tmp_path / str(number + 1))
            for allowed in (None, np.arange(200, 1_500)):
                assert found_nearest(nearest, now, allowed) >= 0.97


def test_where_too_many_vectors_are_new_or_gone_another_index_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = clustered(2_000)
    with one_thread():
        VectorIndex.build(vectors[:1_500], FaissType.HNSW).save(tmp_path / "nearest")
    assert VectorIndex.renew(tmp_path / "nearest", vectors[:1_500], vectors) is None
    assert VectorIndex.renew(tmp_path / "nearest", vectors[:1_500], vectors[:1_300]) is None
    assert VectorIndex.renew(tmp_path / "nearest", vectors[:1_500], -vectors[:1_500]) is None
    monkeypatch.setattr("index.store.vector_index.GRAPH", 1_510)
    assert VectorIndex.renew(tmp_path / "nearest", vectors[:1_500], vectors[:1_505]) is not None
    assert VectorIndex.renew(tmp_path / "nearest", vectors[:1_500], vectors[:1_515]) is None


def test_looking_at_few_passages_finds_what_looking_at_all_finds(
    both: tuple[Index, Index], asked: list[MadeQuestion]
) -> None:
    every, few = both
    assert isinstance(every.scorer.store, ExhaustiveStore)
    assert isinstance(few.scorer.store, CandidateStore)
    found, first = 0, 0
    for question in asked:
        wanted, got = (
            [h.passage.id for h in i.search(Query(question.text, k=5)).hits] for i in both
        )
        found += len(set(wanted) & set(got))
        first += wanted[0] == got[0]
    looked = [len(few.signals(Query(q.text))[1]) for q in asked[:20]]
    assert max(looked) < PASSAGES / 3
    assert found >= 0.97 * 5 * len(asked)
    assert first >= 0.97 * len(asked)


def test_filters_hold_where_few_passages_are_looked_at(
    both: tuple[Index, Index], asked: list[MadeQuestion]
) -> None:
    every, few = both
    same = 0
    for question in asked[:40]:
        game = question.edition.split("-")[0]
        for query in (
            Query(question.text, edition=question.edition),
            Query(question.text, game=game),
        ):
            hits = few.search(query).hits
            editions = {hit.passage.entry.partition("/")[0] for hit in hits}
            assert hits
            assert (
                editions == {question.edition}
                if query.edition
                else all(e.startswith(f"{game}-") for e in editions)
            )
            same += hits[0].passage.id == every.search(query).hits[0].passage.id
    assert same >= 0.97 * 80


def test_short_quotations_are_looked_up_in_few_passages_too(both: tuple[Index, Index]) -> None:
    _, few = both
    passage = few.library.searchable[1_234]
    quoted = " ".join(passage.text.split()[2:5]).strip(".,;:")
    prepared, numbers, signals = few.signals(Query(f"Was heißt „{quoted}“? {passage.text}"))
    assert prepared.parsed.short_quotations
    assert len(numbers) < PASSAGES
    assert signals["literal"][np.searchsorted(numbers, 1_234)] == 1


def test_a_damaged_index_of_vectors_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no index of vectors"):
        VectorIndex.load(tmp_path)
    (tmp_path / "hnsw.faiss").write_bytes(b"?")
    with pytest.raises((OSError, RuntimeError)):
        VectorIndex.load(tmp_path)


def test_growth_is_told_as_an_exponent() -> None:
    assert exponent([4_000, 40_000, 400_000], [1.0, 10.0, 100.0]) == pytest.approx(1.0)
    assert exponent([4_000, 40_000, 400_000], [3.0, 3.0, 3.0]) == pytest.approx(0.0)
