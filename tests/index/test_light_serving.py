import platform
import random
import shutil
import subprocess
import sys

import numpy as np
import pytest

from index.analysis import fold, word_grams, words
from index.encoding.encoder import SubwordEncoder
from index.files.arrays import QuantizedVectors
from index.ranking.passage_features import PassageFeatures
from index.store.bm25 import Bm25, FewGramScores, GramScores, count_terms
from index.store.vectors import PassageVectors
from tests.conftest import ROOT, SAMPLE

pytestmark = pytest.mark.acceptance

HEAVY = (
    "torch",
    "transformers",
    "sentence_transformers",
    "spacy",
    "thinc",
    "sklearn",
    "scipy",
    "bm25s",
    "faiss",
    "pymilvus",
    "milvus_lite",
    "grpc",
)


def modules(code, *arguments):
    """Which of the heavy modules a process has loaded after running ``code``."""
    told = f"import sys\n{code}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    ran = subprocess.run(
        [sys.executable, "-c", told, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    return eval(ran.stdout.splitlines()[-1])


def test_a_process_that_answers_loads_nothing_heavy(sample_snapshots):
    code = """
from pathlib import Path
from index.model import Query
from index.search import Index
index = Index.load(Path(sys.argv[1]))
for question in ("Darf ein Wrack durchnässt werden?", "Don't I lose 5km?", "Quando sale il livello?", "Was ist Schritt 4? Und „Pegel“?"):
    assert index.search(Query(question)).hits
"""
    assert modules(code, str(sample_snapshots.path(str(sample_snapshots.current())))) == []


def test_a_service_that_answers_loads_nothing_heavy(sample_snapshots):
    code = """
from service.web.app import create_app
from service.ops.indexes import IndexManager
from service.ops.settings import load, locations
indexes = IndexManager(locations(load({"rulebooks": sys.argv[1], "index": sys.argv[2]})))
indexes.load()
client = create_app(indexes).test_client()
assert client.post("/v1/ask", json={"question": "Wann steigt der Pegel?"}).json["passages"]
assert client.get("/v1/suggest?q=peg").status_code == 200
"""
    assert modules(code, str(SAMPLE), str(sample_snapshots.folder)) == []


def test_the_encoder_is_the_sentence_transformers_model(sample_index, sample_snapshots):
    from sentence_transformers import SentenceTransformer

    from index.training.encoder import SubwordEmbedding

    folder = sample_snapshots.path(str(sample_snapshots.current())) / "encoder"
    model = SentenceTransformer(modules=[SubwordEmbedding.load(str(folder))], device="cpu")
    texts = ["", "?", "4.2.1", "Ö", *(p.display for p in sample_index.library.searchable[:200])]
    wanted = model.encode(texts, show_progress_bar=False)
    ours = sample_index.encoder
    assert np.abs(ours.passages(texts) - wanted).max() <= 1e-5
    assert np.abs(ours.questions(texts) - wanted).max() <= 1e-5
    assert np.abs(ours.questions(texts) - wanted).max() <= 1e-5  # words asked for again
    assert np.allclose(np.linalg.norm(wanted, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("limit", [0, 20_000])  # of texts whose scores are added up at once
def test_scores_are_those_of_bm25s(limit, tmp_path, monkeypatch):
    import bm25s

    monkeypatch.setattr("index.store.bm25.EXHAUSTIVE_LIMIT", limit)
    draw = random.Random(1)
    texts = [
        [draw.choice("abcdefghij") * draw.randint(1, 2) for _ in range(draw.randint(0, 30))]
        for _ in range(90)
    ]
    words = count_terms(texts)
    Bm25.build(words).save(tmp_path / "words")
    GramScores.build(words).save(tmp_path / "grams")
    FewGramScores.build(words).save(tmp_path / "few")
    ours = Bm25.load(tmp_path / "words")
    spelt = [[gram for word in text for gram in word_grams(word)] for text in texts]
    for asked in (["a", "bb", "c"], ["a", "a", "a", "j"], ["nowhere", "d"], ["ee"]):
        wanted = _by_bm25s(bm25s.BM25(k1=1.2, b=0.6), texts, asked)
        assert np.allclose(ours.scores(asked), wanted, atol=1e-3)
        for some in (np.arange(90), np.array([0, 7, 50, 89]), np.arange(0)):
            assert np.allclose(ours.scores(asked, some), wanted[some], atol=1e-3)
            grams = [gram for word in asked for gram in word_grams(word)]
            by_grams = _by_bm25s(bm25s.BM25(k1=1.2, b=0.6), spelt, grams)[some]
            for kind, folder in ((GramScores, "grams"), (FewGramScores, "few")):
                found = kind.load(tmp_path / folder).scores(asked, some)
                assert np.allclose(found, by_grams, rtol=1e-3, atol=2e-3)
        best = ours.best(asked, 5)
        assert np.isin(best, np.flatnonzero(wanted)).all()
        if len(set(asked)) == len(asked):
            assert np.allclose(np.sort(wanted[best]), np.sort(wanted)[-len(best) :], atol=1e-3)
        assert ours.best(asked, 5, np.arange(60, 90)).min() >= 60
        assert ours.greatest(asked)[0] == pytest.approx(ours.scores(asked[:1]).max(), abs=1e-4)
    assert not ours.scores(["nowhere", "\ud800"]).any()
    assert len(ours.best(["nowhere"], 5)) == 0


def _by_bm25s(ranker, texts, asked):
    ranker.index(texts, show_progress=False)
    return np.asarray(ranker.get_scores([term for term in asked if term in ranker.vocab_dict]))


def test_words_added_up_ahead_and_words_forgotten_have_the_same_vectors(
    sample_index, sample_snapshots, tmp_path, monkeypatch
):
    folder = sample_snapshots.path(str(sample_snapshots.current())) / "encoder"
    shutil.copy(folder / "model.safetensors", tmp_path)
    texts = [p.display for p in sample_index.library.searchable[:60]]
    wanted = sample_index.encoder.passages(texts)
    plain = SubwordEncoder.load(tmp_path)
    plain.save_word_sums(["pegel", "der", "steigt"], tmp_path)
    monkeypatch.setattr("index.encoding.encoder._CACHED_WORDS", 40)
    ahead = SubwordEncoder.load(tmp_path)
    for text, vector in zip(texts, wanted, strict=True):
        for model in (plain, ahead):
            assert np.abs(model.questions([text, *words(fold(text))])[0] - vector).max() <= 1e-5


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other C libraries are not told how to allocate"
)
def test_what_a_question_gives_back_is_there_for_the_next():
    code = """
import resource
import numpy as np
from index import memory
memory.tune_allocator()
def pages(questions):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(questions):
        arrays = [np.ones(25_000) for _ in range(20)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
pages(5)
print(pages(100))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert int(ran.stdout) < 100  # not tuned, there are some 90,000


def test_compact_vectors_are_near_the_vectors(tmp_path):
    vectors = np.random.default_rng(3).standard_normal((700, 256)).astype(np.float32)
    vectors[10] = 0
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    QuantizedVectors.quantize(vectors).save(tmp_path / "vectors")
    loaded = QuantizedVectors.load(tmp_path / "vectors")
    rows = np.arange(699, 0, -2)
    assert np.abs(loaded.rows(rows) - vectors[rows]).max() <= 2e-3
    off = loaded.products(rows, vectors[0]) - vectors[rows] @ vectors[0]
    assert np.abs(off).max() <= 3e-3
    assert off.std() <= 7e-4


def test_vectors_of_passages_and_phrasings_are_compared():
    units = np.eye(4, dtype=np.float32)
    vectors = PassageVectors.build(units[:3], units[[3, 0, 2]], np.array([1, 1, 2], dtype=np.int32))
    assert np.allclose(vectors.phrasings(units[0], np.array([0, 1, 2])), [0, 1, 0], atol=1e-4)
    near = vectors.passages(units[[2]], np.array([0, 2]))
    assert near.shape == (1, 2)
    assert near[0, 0] == 0
    assert near[0, 1] == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "words", ["bis zum Ende", "Bis zum ende!", "Pegel", "pege", "der Pegel", "?", "Ÿ \ud800"]
)
def test_passages_that_hold_words_are_found(sample_index, tmp_path, words):
    from index.analysis import plain

    PassageFeatures.build(
        sample_index.library, sample_index.analyzer, np.array([True, False])
    ).save(tmp_path / "features")
    wanted = [
        n
        for n, p in enumerate(sample_index.library.searchable)
        if f" {plain(words)} " in f" {plain(p.display)} "
    ]
    found = PassageFeatures.load(tmp_path / "features")
    every = np.arange(len(sample_index.library.searchable))
    assert found.containing(words, every) == wanted
    some = every[every % 7 > 2]
    assert found.containing(words, some) == [n for n in wanted if n % 7 > 2]
    assert found.containing(words, every[:0]) == []
