from collections.abc import Iterator

import numpy as np
import pytest

import index.store.store
from corpus import Document, Kind, identify, read
from index.model import Query
from index.search import Index
from index.store.vectors import NearestVectors
from tests.bench.growth import MadeQuestion, build, questions
from tests.bench.made_up_rulebooks import book, document
from tests.bench.measure import one_thread

pytestmark = pytest.mark.acceptance

PASSAGES = 3_000


@pytest.fixture(scope="module")
def both(sample_snapshots, tmp_path_factory) -> Iterator[tuple[Index, Index]]:
    """Indexes of the same made-up rulebooks, one that looks at all passages and one that looks at
    few.
    """
    sample = sample_snapshots.path(str(sample_snapshots.current()))
    place = tmp_path_factory.mktemp("growth")
    with one_thread():
        build(place / "all", PASSAGES, sample)
        build(place / "few", PASSAGES, sample, limit=100)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index.store.store, "SCANNED", 100)
        patch.setattr(
            index.store.store, "EXHAUSTIVE_LIMIT", 1_500
        )  # so that an edition is compared as a whole and all of them are not
        yield Index.load(place / "all"), Index.load(place / "few")


@pytest.fixture(scope="module")
def asked(both) -> list[MadeQuestion]:
    return questions(both[0].library, 100)


@pytest.mark.parametrize("number", [0, 1])
def test_made_up_rulebooks_are_read_as_they_were_made(number):
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


def clustered(count):
    """Unit vectors around sixty centres."""
    chance = np.random.default_rng(4)
    centres = chance.standard_normal((60, 32))
    vectors = (
        centres[chance.integers(60, size=count)] + 0.7 * chance.standard_normal((count, 32))
    ).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def found_nearest(nearest, vectors, allowed=None):
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


def test_nearest_vectors_are_nearly_always_the_exact_ones(tmp_path):
    vectors = clustered(4_000)
    with one_thread():
        NearestVectors.build(vectors).save(tmp_path / "nearest")
    nearest = NearestVectors.load(tmp_path / "nearest")
    for allowed in (None, np.arange(1_000, 2_500)):
        assert found_nearest(nearest, vectors, allowed) >= 0.97


def test_looking_at_few_passages_finds_what_looking_at_all_finds(both, asked):
    few = both[1]
    found, first = 0, 0
    for question in asked:
        wanted, got = (
            [h.passage.id for h in i.search(Query(question.text, k=5)).hits] for i in both
        )
        found += len(set(wanted) & set(got)) if wanted else 5  # a slip that no word is like
        first += wanted[:1] == got[:1]
    looked = [len(few.signals(Query(q.text))[1]) for q in asked[:20]]
    assert max(looked) < PASSAGES / 3
    assert found >= 0.97 * 5 * len(asked)
    assert first >= 0.97 * len(asked)


def test_filters_hold_where_few_passages_are_looked_at(both, asked):
    every, few = both
    same = 0
    for question in asked[:40]:
        game = question.edition.split("-")[0]
        for query in (
            Query(question.text, edition=question.edition),
            Query(question.text, game=game),
        ):
            hits = few.search(query).hits
            if not every.search(query).hits:  # a slip that no word is like
                assert not hits
                continue
            editions = {hit.passage.entry.partition("/")[0] for hit in hits}
            assert hits
            assert (
                editions == {question.edition}
                if query.edition
                else all(e.startswith(f"{game}-") for e in editions)
            )
            same += hits[0].passage.id == every.search(query).hits[0].passage.id
    assert same >= 0.97 * 80


def test_short_quotations_are_looked_up_in_few_passages_too(both):
    _, few = both
    passage = few.library.searchable[1_234]
    quoted = " ".join(passage.text.split()[2:5]).strip(".,;:")
    prepared, numbers, signals = few.signals(Query(f"Was heißt „{quoted}“? {passage.text}"))
    assert prepared.parsed.short_quotations
    assert len(numbers) < PASSAGES
    assert signals["literal"][np.searchsorted(numbers, 1_234)] == 1


def test_a_damaged_index_of_vectors_is_told(tmp_path):
    with pytest.raises((OSError, RuntimeError)):
        NearestVectors.load(tmp_path)
    (tmp_path / "nearest.faiss").write_bytes(b"?")
    with pytest.raises((OSError, RuntimeError)):
        NearestVectors.load(tmp_path)
