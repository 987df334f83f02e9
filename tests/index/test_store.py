import copy
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from glossary.comparison.passage_similarity import gather_phrasings
from glossary.matching.printed_ties import tie_topics
from index.building.collection_ledger import CollectionLedger
from index.building.snapshots import Snapshots
from index.library.indexed_texts import all_terms, all_words, indexed_texts
from index.model import Query
from index.questions.prepared import SearchScope
from index.ranking.signals import SignalScorer
from index.store import milvus
from index.store import store as store_module
from index.store.bm25 import save_words
from index.store.milvus import MilvusConnection, MilvusStore, collections
from index.store.protocol import MilvusAddress, Store, StoreUnreachable
from index.store.store import open_store, save_vectors
from index.store.vectors import PassageVectors
from tests.conftest import ROOT
from tests.index.test_snapshots import publish

TOLERANCE = 1e-3  # of scores that reach some twenty: weights are kept as whole multiples of a step
ASKED = [
    "Wann steigt der Pegel?",
    "Was ist die Hafenschau? Und wer macht sie?",
    "Quando sale il livello?",
    "Darf ein Wrack durchnässt werden?",
    "Muss ich Landungsphse nach dem Kahn prüfn?",
    "xyzzy",
]


@pytest.fixture(scope="module")
def vectors(sample, sample_index) -> PassageVectors:
    texts = _texts(sample, sample_index)
    phrased = [(number, p.text) for number, t in enumerate(texts) for p in t.phrasings]
    encoder = sample_index.encoder
    asked = encoder.questions([text for _, text in phrased])
    return PassageVectors.build(
        encoder.passages([t.text for t in texts]),
        asked,
        np.array([n for n, _ in phrased], dtype=np.int32),
    )


@pytest.fixture(scope="module")
def kept(
    sample,
    sample_index,
    vectors,
    tmp_path_factory,
) -> dict[str, Store]:
    """The same passages in every store there is."""
    place, texts, library = (
        tmp_path_factory.mktemp("stores"),
        _texts(sample, sample_index),
        sample_index.library,
    )
    for name, limit in (("exhaustive", len(texts)), ("sampled", 0)):
        (place / name).mkdir()
        save_words(
            place / name,
            all_terms(texts, sample_index.analyzer),
            all_words(texts),
            limit,
        )
        save_vectors(place / name, vectors, limit)
    (place / "milvus").mkdir()
    fill = milvus.save_milvus_part(
        place / "milvus",
        all_terms(texts, sample_index.analyzer),
        all_words(texts),
        library.editions,
        library.bounds,
        vectors,
    )
    address = str(place / "passages.db")
    fill(MilvusConnection(address), "regula_1")
    return {
        "exhaustive": open_store(place / "exhaustive"),
        "sampled": open_store(place / "sampled"),
        "milvus": open_store(place / "milvus", {"address": address, "collection": "regula_1"}),
    }


@pytest.fixture(params=["exhaustive", "sampled", "milvus"])
def store(kept, request) -> Store:
    return kept[request.param]


@pytest.fixture
def few(monkeypatch):
    """Candidates are found first even where there are as few passages as in the sample."""
    monkeypatch.setattr(store_module, "SCANNED", 40)
    monkeypatch.setattr(store_module, "EXHAUSTIVE_LIMIT", 100)
    monkeypatch.setattr(milvus, "FOUND", 150)


def _texts(rulebook_folder, index):
    return indexed_texts(
        index.library,
        gather_phrasings(
            rulebook_folder.rulebooks,
            {**tie_topics(rulebook_folder.rulebooks), **index.library.concepts},
        ),
    )


def searching(index, store):
    """The index with its passages in ``store``."""
    found = copy.copy(index)
    found.scorer = SignalScorer(index.lookup, store, index.parser, index.features, index.analyzer)
    return found


def milvus_of(kept):
    store = kept["milvus"]
    assert isinstance(store, MilvusStore)
    return store


def everywhere(index, *editions):
    return index.scorer.scope(frozenset(editions or index.library.edition))


def part(scope, numbers):
    return replace(scope, numbers=numbers, whole=False)


@pytest.mark.parametrize("question", ASKED)
def test_passages_have_the_scores_that_looking_at_all_gives(store, kept, sample_index, question):
    prepared = sample_index.prepare(Query(question), sample_index.scope(Query(question)))
    where = everywhere(sample_index)
    whole = store is kept["exhaustive"]  # which is never asked for less
    some = where if whole else part(where, where.numbers[5:900:7])
    queries = [
        prepared.terms_in("de"),
        prepared.terms_in("it"),
        ["nirgends"],
        [*prepared.terms_in("de")] * 2,
    ]
    exact, inside = kept["exhaustive"], np.searchsorted(where.numbers, some.numbers)
    for wanted, found in zip(exact.words(queries, where), store.words(queries, some), strict=True):
        assert found == pytest.approx(wanted[inside], abs=TOLERANCE)
    assert store.characters(prepared.parsed.folded, some) == pytest.approx(
        exact.characters(prepared.parsed.folded, where)[inside], abs=5 * TOLERANCE
    )
    assert store.vectors(prepared.vectors, some) == pytest.approx(
        exact.vectors(prepared.vectors, where)[:, inside], abs=1e-4
    )
    near, wanted = (
        store.phrasings(prepared.vector, some.numbers),
        exact.phrasings(prepared.vector, some.numbers),
    )
    said = (
        near > 0 if isinstance(store, MilvusStore) else np.ones(len(near), dtype=bool)
    )  # of the nearest alone
    assert near[said] == pytest.approx(wanted[said], abs=1e-4)
    assert wanted[~said].max(initial=0) <= near[said].min(initial=1)
    assert said.sum() >= 10


def test_terms_that_are_nowhere_are_worth_nothing(store, sample_index):
    where = everywhere(sample_index)
    some = part(where, where.numbers[:9])
    assert not np.any(store.words([["nirgends", "\ud800"], []], some))
    assert not np.any(store.characters(["qqqqq", "\ud800"], some))
    assert store.words([["pegel"]], SearchScope(where.numbers[:0], (), (), (), ()))[0].shape == (0,)
    assert store.vectors(
        np.zeros((2, 256), dtype=np.float32), SearchScope(where.numbers[:0], (), (), (), ())
    ).shape == (2, 0)
    assert store.phrasings(np.zeros(256, dtype=np.float32), where.numbers[:0]).shape == (0,)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("scope", ["all", "edition", "language"])
def test_candidates_are_of_the_editions_asked_for_and_have_the_nearest(
    store, kept, sample_index, scope
):
    library = sample_index.library
    editions = sorted(library.editions, key=lambda e: -len(everywhere(sample_index, e.id).numbers))
    wanted = {
        "all": library.editions,
        "edition": editions[:1],
        "language": [e for e in editions if e.language == "it"],
    }[scope]
    where = everywhere(sample_index, *(e.id for e in wanted))
    assert len(where.numbers) > 150
    for question in ASKED[:5]:
        prepared = sample_index.prepare(Query(question), sample_index.scope(Query(question)))
        terms = prepared.terms_in(wanted[0].language)
        found = store.candidates(terms, prepared.vectors, where)
        if found is None:
            assert store is kept["exhaustive"]
            continue
        assert set(found) <= set(where.numbers)
        assert np.array_equal(found, np.unique(found))
        for scores in (
            kept["exhaustive"].vectors(prepared.vectors, where)[0],
            kept["exhaustive"].words([terms], where)[0],
        ):
            best = where.numbers[np.argsort(-scores)[:10]][np.sort(-scores)[:10] < 0]
            assert np.isin(best, found).sum() >= 0.9 * len(best)


@pytest.mark.usefixtures("few")
def test_answers_are_the_same_whatever_the_store(store, kept, sample_index):
    titles = [e.title for e in sample_index.library.entries[::40]]
    questions = [
        Query(text, edition=edition)
        for text in (*ASKED, *titles)
        for edition in (None, sample_index.library.editions[0].id)
    ]
    exact, index = searching(sample_index, kept["exhaustive"]), searching(sample_index, store)
    same = 0
    for query in questions:
        wanted, found = exact.search(query), index.search(query)
        # As sets: passages whose scores are as good as equal may change places.
        same += {h.passage.id for h in wanted.hits[:5]} == {h.passage.id for h in found.hits[:5]}
        assert found.answered == wanted.answered or abs(found.confidence - wanted.confidence) < 0.01
        assert not query.edition or all(query.edition in h.passage.id for h in found.hits)
    assert same >= 0.95 * len(questions)


def test_a_question_takes_three_round_trips(kept, sample_index):
    remote = milvus_of(kept).remote
    index = searching(sample_index, kept["milvus"])
    for question in ASKED:
        before = remote.calls
        index.search(Query(question))
        assert 1 <= remote.calls - before <= 3


def test_the_database_adds_up_bm25_by_itself(kept, sample_index):
    store, where = milvus_of(kept), everywhere(sample_index)
    query = dict.fromkeys(store._words.numbers(["pegel", "steig"]), 1.0)
    hits = store.remote.search(
        store.collection,
        "search",
        data=[query],
        anns_field="words",
        limit=20,
        search_params={"metric_type": "IP"},
    )[0]
    scores = kept["exhaustive"].words([["pegel", "steig"]], where)[0]
    assert list(hits.distances) == pytest.approx(np.sort(scores)[::-1][:20], abs=TOLERANCE)
    assert scores[np.array(hits.ids)] == pytest.approx(list(hits.distances), abs=TOLERANCE)


def test_a_row_that_is_missing_is_noticed(kept, sample_index):
    where = everywhere(sample_index)
    beyond = part(where, np.append(where.numbers[:3], 10**6))
    with pytest.raises(StoreUnreachable, match="only 3 of 4 passages"):
        kept["milvus"].vectors(np.eye(1, 256, dtype=np.float32), beyond)


@pytest.fixture
def database(tmp_path) -> Iterator[MilvusConnection]:
    """An empty database, in a file."""
    remote = MilvusConnection(str(tmp_path / "some.db"))
    yield remote
    remote.close()


def filled(remote, name):
    for each in collections(name):
        remote.create(
            each,
            {"number": {"datatype": "INT64"}, "vector": {"datatype": "FLOAT_VECTOR", "dim": 2}},
            {"vector": {"index_type": "FLAT", "metric_type": "IP"}},
        )
        remote.fill(each, iter([{"number": 1, "vector": [0.0, 1.0]}]), 1)


def there(remote):
    return set(remote.ask("list_collections"))


def built(snapshots, remote, id, killed=False):
    """Fill a collection and publish the snapshot that it belongs to, or be ``killed`` before."""
    with snapshots.locked():
        ledger = CollectionLedger(snapshots)
        ledger.reconcile(pytest.fail)
        made = ledger.register(remote.address, id)
        filled(remote, made.collection)
    if not killed:
        publish(snapshots, id, store=made._asdict())
        with snapshots.locked():
            ledger.reconcile(pytest.fail)
    return made.collection


def test_publishing_and_rolling_back_alter_the_alias(database, tmp_path):
    snapshots = Snapshots(tmp_path / "index")
    first = built(snapshots, database, "20260101-a")
    assert first == "regula_20260101_a"
    assert database.published() == first
    second = built(snapshots, database, "20260102-b")
    assert database.published() == second
    with snapshots.locked():
        snapshots.pin("20260101-a")
        CollectionLedger(snapshots).reconcile(pytest.fail)
    assert database.published() == first
    assert there(database) == {*collections(first), *collections(second)}
    assert database.search(
        second, "query", filter="number in [1]", output_fields=["number"]
    )  # it is loaded again where somebody asks


def test_collections_go_with_their_snapshots_and_those_of_others_stay(database, tmp_path):
    filled(database, "regula_of_another_folder")
    snapshots = Snapshots(tmp_path / "index", keep=2)
    made = [built(snapshots, database, str(number)) for number in range(4)]
    assert there(database) == {
        *collections(made[2]),
        *collections(made[3]),
        *collections("regula_of_another_folder"),
    }
    assert database.published() == made[3]
    assert len(CollectionLedger(snapshots).all()) == 2


def test_what_builders_that_were_killed_left_goes_with_the_next_build(database, tmp_path):
    snapshots = Snapshots(tmp_path / "index")
    kept = built(snapshots, database, "1")
    for number in range(3):
        built(snapshots, database, f"killed{number}", killed=True)
        assert len(there(database)) == 4
        assert database.published() == kept
    with snapshots.locked():
        CollectionLedger(snapshots).register(database.address, "killed-before-it-began")
    last = built(snapshots, database, "2")
    assert there(database) == {*collections(kept), *collections(last)}
    assert [k.collection for k in CollectionLedger(snapshots).all()] == [kept, last]


def test_a_database_that_is_not_there_is_told_in_a_line_and_soon(sample_snapshots):
    with pytest.raises(StoreUnreachable, match=r"127\.0\.0\.1:9 does not answer") as fault:
        MilvusStore.load(sample_snapshots.folder, "milvus://127.0.0.1:9", "regula_1")
    assert "\n" not in str(fault.value)


def test_a_collection_that_is_not_there_is_no_index(database, sample_snapshots):
    with pytest.raises(ValueError, match="has no collection regula_1"):
        MilvusStore.load(sample_snapshots.folder, database.address, "regula_1")


def test_a_file_that_another_process_has_open_is_told(database):
    there(database)
    code = (
        "import sys; from index.store.milvus import MilvusConnection; "
        "MilvusConnection(sys.argv[1]).has('x')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, database.address],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "one process at a time" in ran.stderr.splitlines()[-1]


def test_a_forked_process_asks_by_a_connection_of_its_own(kept, sample_index):
    index = searching(sample_index, kept["milvus"])
    wanted = [h.passage.id for h in index.search(Query(ASKED[0])).hits]
    child = os.fork()
    if child == 0:
        os._exit(0 if [h.passage.id for h in index.search(Query(ASKED[0])).hits] == wanted else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    ("written", "uri", "database"),
    [
        ("milvus://host", "http://host:19530", ""),
        ("milvus://host:1/rules", "http://host:1", "rules"),
        ("https://host:443/", "https://host:443", ""),
        ("milvus://[::1]:7", "http://[::1]:7", ""),
        ("/somewhere/rules.db", "/somewhere/rules.db", ""),
    ],
)
def test_addresses(written, uri, database):
    assert MilvusAddress.read(written) == MilvusAddress(uri, database)


@pytest.mark.parametrize(
    "written",
    [
        "host:19530",
        "milvus://",
        "redis://host",
        "milvus://me:secret@host",
        "milvus://host/a-b",
        "rules.sqlite",
    ],
)
def test_what_is_no_address_is_told(written):
    with pytest.raises(ValueError, match="write milvus://"):
        MilvusAddress.read(written)
