"""Asking without a network: the engine in the browser beside the service, on the same index, in Chromium."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (make test installs it)")

from index.building.snapshots import Snapshots
from index.layers.model import Layer
from index.model import Query
from index.search import Index
from service.answers.answer import answer_out
from service.answers.offline import build_pack
from service.core.snapshot import Snapshot
from tests.conftest import SAMPLE_QUESTIONS, built_once, real_folder
from tests.index.test_practice import read_questions
from tests.offline_engine import OfflineEngine

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.offline_engine import Timed

SLOWER = 4  # times slower than this machine: a phone of the middle
AT_MOST = 150  # milliseconds for a question
LOST = 0.04  # recall at 5 that the service may be ahead
LARGEST = 12_000_000  # bytes of a pack
EVERY = 4  # of so many practice questions one is asked here; all of them by python -m tests.bench.offline
OF_PLACE = ("text", "display", "context", "repaired", "role", "depth", "citation", "see_also", "also")


@pytest.fixture(scope="module")
def snapshot(sample_snapshots: Snapshots, sample_index: Index) -> Snapshot:
    return Snapshot(sample_index, sample_snapshots.path(sample_index.id))


@pytest.fixture(scope="module")
def engine(browser: Browser, snapshot: Snapshot) -> Iterator[OfflineEngine]:
    found = OfflineEngine(browser, {game: build_pack(snapshot, game) for game in snapshot.library.games})
    yield found
    found.close()


class Asked:
    """A practice question: its edition, the game of that, and what settles it."""

    def __init__(self, row: dict[str, Any], index: Index):
        documents = {source.file: id for id, source in index.library.sources.items()}
        self.edition = documents[row["document"]]
        self.game = index.library.edition[self.edition].game
        self.text = row["question"]
        self.quotes = [" ".join(answer["quote"].split()) for answer in row["answers"]]

    def rank(self, texts: list[str]) -> int | None:
        """The rank of the first of ``texts`` that settles it."""
        plain = [" ".join(text.split()) for text in texts]
        return next((n for n, text in enumerate(plain, 1) if any(quote in text for quote in self.quotes)), None)


@pytest.fixture(scope="module")
def asked(sample_index: Index) -> list[Asked]:
    return [Asked(json.loads(line), sample_index) for line in SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def answers(engine: OfflineEngine, asked: list[Asked]) -> list[Timed]:
    return [engine.ask(each.game, [{"question": each.text, "edition": each.edition, "k": 10}])[0] for each in asked]


@pytest.fixture(scope="module")
def served(snapshot: Snapshot, asked: list[Asked]) -> list[dict[str, Any]]:
    results = [snapshot.search(Query(each.text, edition=each.edition, k=10, layers=(Layer.RULEBOOK,))) for each in asked]
    return [answer_out(snapshot, result).model_dump(mode="json") for result in results]


def _texts(answer: dict[str, Any]) -> list[str]:
    return [passage["text"] for passage in answer["passages"]]


def test_as_much_is_found_as_by_the_service(asked: list[Asked], answers: list[Timed], served: list[dict[str, Any]]) -> None:
    settled = [n for n, each in enumerate(asked) if each.quotes]
    here = sum((asked[n].rank(_texts(answers[n].answer)) or 99) <= 5 for n in settled)
    there = sum((asked[n].rank(_texts(served[n])) or 99) <= 5 for n in settled)
    assert here >= there - LOST * len(settled)
    same = sum(_texts(mine.answer)[:1] == _texts(theirs)[:1] for mine, theirs in zip(answers, served, strict=True))
    assert same >= 0.9 * len(asked)


@pytest.mark.skip(reason="the browser's copy of the formula is about to be replaced")
def test_it_says_as_the_service_how_sure_it_is(answers: list[Timed], served: list[dict[str, Any]]) -> None:
    pairs = [(mine.answer, theirs) for mine, theirs in zip(answers, served, strict=True)]
    assert sum(mine["settled"] == theirs["settled"] for mine, theirs in pairs) >= 0.9 * len(pairs)
    assert sum(mine["language"] == theirs["language"] for mine, theirs in pairs) >= 0.95 * len(pairs)
    assert median(abs(mine["confidence"] - theirs["confidence"]) for mine, theirs in pairs) < 0.05


def test_a_passage_is_quoted_and_cited_to_the_character(snapshot: Snapshot, answers: list[Timed], served: list[dict[str, Any]]) -> None:
    shown = {passage["text"]: passage for answer in served for passage in answer["passages"]}
    texts = {book.document.sha256: book.document.text for book in snapshot.rulebooks()}
    compared = 0
    for mine in answers:
        for passage in mine.answer["passages"]:
            source = passage["citation"]["source"]
            document = texts[source["sha256"]]
            assert passage["text"] == "\n".join(document[start:end] for start, end in source["spans"])
            assert all(0 <= start < end <= len(passage["text"]) for start, end in passage["highlights"])
            theirs = shown.get(passage["text"])
            if theirs and theirs["citation"]["entry"] == passage["citation"]["entry"] and theirs["citation"]["source"] == source:
                assert {name: passage[name] for name in OF_PLACE} == {name: theirs[name] for name in OF_PLACE}
                compared += 1
    assert compared > len(answers)


def test_a_rule_asked_for_by_number_comes_first(engine: OfflineEngine, snapshot: Snapshot) -> None:
    library = snapshot.library
    numbered = [entry for entry in library.entries_of("pegelduell-de-2.0") if "." in (entry.number or "")]
    entry = next(entry for entry in numbered if library.passages_of.get(entry.id))
    (found,) = engine.ask("pegelduell", [{"question": f"Was sagt Regel {entry.number}?", "edition": "pegelduell-de-2.0"}])
    assert found.answer["passages"][0]["citation"]["number"] == entry.number
    assert found.answer["answered"]


def test_what_no_rulebook_settles_is_open(engine: OfflineEngine) -> None:
    (found,) = engine.ask("pegelwacht", [{"question": "Welche Hüllen passen am besten auf die Karten?"}])
    assert found.answer["settled"] == "open"
    assert found.answer["passages"]


def test_slow_phones_answer_soon(engine: OfflineEngine, asked: list[Asked]) -> None:
    engine.slow_down(SLOWER)
    try:
        of_game = [each for each in asked if each.game == "pegelwacht"][:30]
        found = engine.ask("pegelwacht", [{"question": each.text, "edition": each.edition} for each in of_game])
    finally:
        engine.slow_down(1)
    assert median(each.milliseconds for each in found) <= AT_MOST


def test_the_real_rulebooks_fit_a_phone_and_are_answered_nearly_as_by_the_service(
    browser: Browser, real_index: Index, shared: Path
) -> None:
    folder = real_folder()
    assert folder is not None
    rows = [row for name in ("dev.jsonl", "forum.jsonl", "strangers.jsonl") for row in read_questions(name)[::EVERY]]
    asked = [each for row in rows if (each := Asked(row, real_index)).quotes]
    snapshot = Snapshot(real_index, built_once(folder, shared).path(real_index.id))
    packs = {game: build_pack(snapshot, game) for game in snapshot.library.games}
    assert {game: pack.manifest["bytes"] for game, pack in packs.items() if pack.manifest["bytes"] > LARGEST} == {}
    engine = OfflineEngine(browser, packs)
    here = there = 0
    try:
        for each in asked:
            (mine,) = engine.ask(each.game, [{"question": each.text, "edition": each.edition, "k": 5}])
            theirs = snapshot.search(Query(each.text, edition=each.edition, k=5, layers=(Layer.RULEBOOK,)))
            here += each.rank(_texts(mine.answer)) is not None
            there += each.rank([hit.passage.text for hit in theirs.hits]) is not None
        engine.slow_down(SLOWER)
        slow = [engine.ask(each.game, [{"question": each.text, "edition": each.edition}])[0].milliseconds for each in asked[:20]]
    finally:
        engine.close()
    assert here >= there - LOST * len(asked)
    assert median(slow) <= AT_MOST
