from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed (make test installs it)"
)

from index.layers.passages import Layer
from index.model import Query
from service.answers.citations import citation_label, quoted_citation
from service.browse.offline_packs import FIELDS, build_pack, search_index
from service.core.snapshot import Snapshot
from tests.conftest import SAMPLE_QUESTIONS, built_once, real_folder
from tests.index.test_practice import read_questions
from tests.offline_engine import STATIC, OfflineEngine

LOST = 0.10  # recall at 5 that the service may be ahead
LARGEST = 5_000_000  # bytes of a pack
# Of so many practice questions one is asked here
EVERY = 4


@pytest.fixture(scope="module")
def snapshot(sample_snapshots, sample_index) -> Snapshot:
    return Snapshot(sample_index, sample_snapshots.path(sample_index.id))


@pytest.fixture(scope="module")
def engine(browser, snapshot) -> Iterator[OfflineEngine]:
    found = OfflineEngine(
        browser, {game: build_pack(snapshot, game) for game in snapshot.library.games}
    )
    yield found
    found.close()


def _found(engine, game, question, edition="", language="de"):
    (answer,) = engine.ask(
        game, [{"question": question, "edition": edition, "language": language, "k": 5}]
    )
    return answer["passages"]


def _recall(engine, index, rows):
    """Return the share of the questions of ``rows`` that one of the first five passages settles:
    offline, and of the service.
    """
    library = index.library
    editions = {source.file: id for id, source in library.sources.items()}
    texts = {passage.id: " ".join(passage.text.split()) for passage in library.searchable}
    asked = [row for row in rows if row["answers"]]
    here = there = 0
    for row in asked:
        edition = editions[row["document"]]
        quotes = [" ".join(answer["quote"].split()) for answer in row["answers"]]
        mine = [
            passage["id"]
            for passage in _found(engine, library.edition[edition].game, row["question"], edition)
        ]
        hits = index.search(
            Query(row["question"], edition=edition, k=5, layers=(Layer.RULEBOOK,))
        ).hits
        here += any(quote in texts[id] for id in mine for quote in quotes)
        there += any(quote in texts[hit.passage.id] for hit in hits for quote in quotes)
    return here / len(asked), there / len(asked)


def test_nearly_as_much_is_found_as_by_the_service(engine, sample_index):
    rows = [json.loads(line) for line in SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    here, there = _recall(engine, sample_index, rows)
    assert here >= there - LOST


def test_a_passage_is_quoted_and_cited_as_by_the_service(engine, snapshot):
    passages = {passage.id: passage for passage in snapshot.library.searchable}
    found = [
        passage
        for game in snapshot.library.games
        for passage in _found(engine, game, "Wann wird der Pegel bewegt?")
    ]
    assert found
    for shown in found:
        passage = passages[shown["id"]]
        assert shown["words"] == passage.display
        assert shown["label"] == citation_label(snapshot.library, passage)
        assert shown["cited"] == quoted_citation(snapshot.library, passage)


def test_a_rule_asked_for_by_number_comes_first(engine, snapshot):
    library = snapshot.library
    numbered = [
        entry for entry in library.entries_of("pegelduell-de-2.0") if "." in (entry.number or "")
    ]
    entry = next(entry for entry in numbered if library.passages_of.get(entry.id))
    found = _found(engine, "pegelduell", f"Was sagt Regel {entry.number}?", "pegelduell-de-2.0")
    assert found[0]["id"].rpartition("#")[0] == entry.id


@pytest.mark.parametrize("typed", ["AUFTAUCHEN", "auftaucht", "auftuachen"])
def test_a_term_is_found_in_other_forms_and_with_slips(engine, typed):
    assert "Auftauchen" in [passage["heading"] for passage in _found(engine, "pegelwacht", typed)]


def test_the_language_of_the_reader_comes_first_and_others_are_found(engine, snapshot):
    languages = {edition.id: edition.language for edition in snapshot.library.editions}
    for language in ("de", "it"):
        found = _found(engine, "pegelwacht", "surface reveal", language=language)
        assert languages[found[0]["edition"]] == language


def test_the_index_of_a_pack_is_the_one_that_the_library_would_make(engine):
    words = "Straße ÉTÉ ﬁn 8.10.6. x² Zug-Ende d'oro été Ⅻ … Begegnungskarten begegnungskarte"
    texts = [
        [f"{words} {n}" if (n + place) % 3 else "" for place in range(len(FIELDS))]
        for n in range(4)
    ]
    made = engine.page.evaluate(
        """async ({fields, texts}) => {
          const {default: MiniSearch} = await import("/static/minisearch.js");
          const {DIVISION} = await import("/static/offline-search.js");
          const index = new MiniSearch({fields, ...DIVISION});
          index.addAll(texts.map((each, id) => ({id, ...Object.fromEntries(fields.map((field, n) => [field, each[n]]))})));
          return JSON.parse(JSON.stringify(index));
        }""",
        {"fields": list(FIELDS), "texts": texts},
    )
    mine = json.loads(json.dumps(search_index(texts)))
    made["storedFields"] = mine["storedFields"]  # none either way
    for each in (made, mine):
        each["index"] = dict(each["index"])
        each["averageFieldLength"] = pytest.approx(each["averageFieldLength"])
    assert mine == {**made, "averageFieldLength": mine["averageFieldLength"].expected}


def test_the_library_is_the_one_that_its_note_names():
    noted = re.search(
        r"SHA-256 ([0-9a-f]{64})", (STATIC / "offline-search.js").read_text(encoding="utf-8")
    )
    assert noted
    assert hashlib.sha256((STATIC / "minisearch.js").read_bytes()).hexdigest() == noted[1]
    assert "Permission is hereby granted, free of charge" in (
        STATIC / "minisearch-LICENSE.txt"
    ).read_text(encoding="utf-8")


def test_real_rulebooks_fit_a_phone_and_are_found_nearly_as_by_the_service(
    browser, real_index, shared
):
    folder = real_folder()
    assert folder is not None
    snapshot = Snapshot(real_index, built_once(folder, shared).path(real_index.id))
    engine = OfflineEngine(
        browser, {game: build_pack(snapshot, game) for game in snapshot.library.games}
    )
    try:
        assert {game: size for game, size in engine.sizes.items() if size > LARGEST} == {}
        rows = [
            row
            for name in ("dev.jsonl", "forum.jsonl", "strangers.jsonl")
            for row in read_questions(name)[::EVERY]
        ]
        here, there = _recall(engine, real_index, rows)
    finally:
        engine.close()
    assert here >= there - LOST
