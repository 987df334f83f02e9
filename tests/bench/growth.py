"""Measure how quality and cost grow with size: build indexes of made-up rulebooks and query them,
each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, TypeVar

import numpy as np
import psutil

from glossary.word_tables import WordTables
from index.analysis import Analyzer
from index.encoding.encoder import Encoder, SubwordEncoder
from index.library.indexed_texts import all_terms, all_words, indexed_texts
from index.library.library import Library, load_library, save_library
from index.library.passage_lookup import PassageLookup
from index.memory import tune_allocator
from index.model import Query
from index.questions.question_parser import QuestionParser
from index.ranking.highlights import Highlighter
from index.ranking.passage_features import PassageFeatures
from index.search import Index
from index.store.bm25 import EXHAUSTIVE_LIMIT, save_words
from index.store.protocol import CANDIDATES_PER_SIGNAL
from index.store.store import FileStore, save_vectors
from index.store.vectors import PassageVectors
from tests.bench.made_up_rulebooks import SAMPLE, books, gathered
from tests.bench.report import Table, say

SIZES = "4000,40000,400000,2000000"
ASKED = 300
WARMING = 30
FIRST = 5
DEPTH = 10  # for the recall of vectors
WINDOW = 14  # consecutive words of a passage from which a question takes some
DROPPED = 0.35
_OPENINGS = {
    "de": ("Was gilt, wenn", "Wie ist das:", "Darf ich,"),
    "it": ("Che cosa succede se", "Come funziona:", "Posso,"),
}
_BUILDING = "building.json"

Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class MadeQuestion:
    """A question, with the id and the edition of the passage that it was made from."""

    text: str
    passage: str
    edition: str


@dataclass(frozen=True)
class Building:
    """The cost of a build: ``seconds``, peak ``memory`` and room on the ``disk``, both in MB."""

    seconds: float
    memory: float
    disk: float


@dataclass(frozen=True)
class Size:
    """Measurements for one number of passages.

    Attributes:
        loading: Seconds.
        kind: How vectors are found.
        milliseconds: For a question to all editions, wall-clock time at the median and at p99 of
            `ASKED` questions.
        processor: The same in processor time.
        within: As ``milliseconds``, for questions to the edition of the passage.
        memory: The proportional set size of the process after the questions, in MB.
        recall: The share of the ten nearest vectors that are found.
        quality: The share of questions whose passage is among the first five.
        quality_within: The same for questions to its edition.
    """

    passages: int
    building: Building
    loading: float
    kind: str
    milliseconds: tuple[float, float]
    processor: tuple[float, float]
    within: tuple[float, float]
    memory: float
    recall: float
    quality: float
    quality_within: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__)
    parser.add_argument(
        "--sizes", default=SIZES, metavar="N,N,…", help=f"numbers of passages (default {SIZES})"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help="where the indexes are kept and found again; else they are removed",
    )
    given = parser.parse_args(arguments)
    try:
        sizes = sorted({int(size) for size in given.sizes.split(",")})
    except ValueError:
        parser.error(f"--sizes {given.sizes}: numbers with commas between them are wanted")
    if len(sizes) < 2 or sizes[0] < 100:
        parser.error("--sizes: at least two, each at least 100")
    os.environ |= {
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }  # read when the processes below start
    with tempfile.TemporaryDirectory() as temporary:
        place = given.folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        sample = _alone(_sample, place / "sample")
        print(_table([_measured(place / str(size), size, sample) for size in sizes]).markdown())
    return 0


def _measured(folder: Path, passages: int, sample: Path) -> Size:
    """Return the measurements for an index with this many passages; build the index if it is
    missing.
    """
    if not (folder / _BUILDING).exists():
        say(f"building an index of {passages} passages")
        _alone(_built, folder, passages, sample)
    say(f"asking {passages} passages")
    return _alone(
        measure, folder, Building(**json.loads((folder / _BUILDING).read_text(encoding="utf-8")))
    )


def _built(folder: Path, passages: int, sample: Path) -> None:
    start = time.perf_counter()
    build(folder, passages, sample)
    seconds = time.perf_counter() - start
    disk = sum(path.stat().st_size for path in folder.rglob("*")) / 1e6
    kept = {"seconds": seconds, "memory": getrusage(RUSAGE_SELF).ru_maxrss / 1024, "disk": disk}
    (folder / _BUILDING).write_text(json.dumps(kept), encoding="utf-8")


def _sample(folder: Path) -> Path:
    """Return the snapshot of the sample rulebooks in ``folder``, and build it if it is missing. Its
    encoder is used for all sizes.
    """
    from index.building.build import (
        build,
    )  # imported here, because its packages would count as memory of processes that only answer
    from index.building.snapshots import Snapshots

    snapshots = Snapshots(folder)
    if snapshots.current() is None:
        build(SAMPLE, snapshots)
    return snapshots.path(str(snapshots.current()))


def _alone(function: Callable[..., Outcome], *arguments: Any) -> Outcome:
    """Call ``function`` in a process of its own, to measure its memory."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as alone:
        return alone.submit(function, *arguments).result()


def _table(sizes: Sequence[Size]) -> Table:
    """Return a table with a column for each size, and the exponents by which costs grow with the
    number of passages.
    """
    rows: dict[str, Callable[[Size], str]] = {
        "vectors are found by": lambda size: size.kind,
        "building, seconds": lambda size: f"{size.building.seconds:,.0f}",
        "memory at most while building, MB": lambda size: f"{size.building.memory:,.0f}",
        "on the disk, MB": lambda size: f"{size.building.disk:,.0f}",
        "loading, seconds": lambda size: f"{size.loading:.2f}",
        "a question to all, ms at the median": lambda size: f"{size.milliseconds[0]:.1f}",
        "a question to all, ms at p99": lambda size: f"{size.milliseconds[1]:.1f}",
        "of these the processor's, ms at the median": lambda size: f"{size.processor[0]:.1f}",
        "a question to one edition, ms at the median": lambda size: f"{size.within[0]:.1f}",
        "memory (proportional set size), MB": lambda size: f"{size.memory:.0f}",
        "recall of the ten nearest vectors": lambda size: f"{size.recall:.3f}",
        "passage among five, of all": lambda size: f"{size.quality:.3f}",
        "passage among five, of its edition": lambda size: f"{size.quality_within:.3f}",
    }
    numbers = [size.passages for size in sizes]
    question, memory = (
        exponent(numbers, costs)
        for costs in ([size.milliseconds[0] for size in sizes], [size.memory for size in sizes])
    )
    title = (
        f"A question grows as the number of passages to the power of {question:.2f}, memory to "
        f"that of {memory:.2f}"
    )
    cells = tuple((name, *(cell(size) for size in sizes)) for name, cell in rows.items())
    return Table(title, ("passages", *(f"{number:,}" for number in numbers)), cells)


def build(folder: Path, passages: int, sample: Path, limit: int = EXHAUSTIVE_LIMIT) -> None:
    """Build an index with this many passages in ``folder``, like one of real rulebooks, with the
    encoder of the snapshot ``sample``.

    Up to ``limit`` passages, search is exhaustive; beyond, it looks at candidates only.
    """
    save_library(gathered(books(passages)), folder, ())
    for part in ("encoder", "forms", "stems", "scope"):
        shutil.copytree(sample / part, folder / part)
    manifest = {
        "id": f"growth-{passages}",
        "built": datetime.now(UTC).isoformat(timespec="seconds"),
        "encoder": "",
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    tables = WordTables.load(folder / "forms")
    analyzer = Analyzer(tables)
    library, encoder = load_library(folder), SubwordEncoder.load(folder / "encoder")
    QuestionParser(
        library, tables, dict.fromkeys(library.games, ()), dict.fromkeys(library.games, ())
    ).save(folder / "questions")
    PassageLookup.build(library).save(folder / "lookup")
    PassageFeatures.build(library, analyzer, np.ones(len(library.editions), dtype=np.bool_)).save(
        folder / "features"
    )
    texts = indexed_texts(library, {})
    own = encoder.passages([t.text for t in texts])
    vectors = PassageVectors.build(
        own, np.empty((0, own.shape[1]), dtype=np.float32), np.empty(0, dtype=np.int32)
    )
    save_words(folder, all_terms(texts, analyzer), all_words(texts), limit)
    save_vectors(folder, vectors, limit)
    Highlighter.build(library.searchable_texts(), encoder).save(folder / "sentences")


def questions(library: Library, count: int, seed: int = 2) -> list[MadeQuestion]:
    """Return ``count`` questions, always the same: some words of a passage, one replaced, one
    misspelt, phrased as players do.
    """
    chance = random.Random(seed)
    passages = library.searchable
    return [_question(library, chance.randrange(len(passages)), chance) for _ in range(count)]


def _question(library: Library, number: int, chance: random.Random) -> MadeQuestion:
    passage = library.searchable[number]
    edition = passage.entry.partition("/")[0]
    words = [w.strip('.,;:!?„“"()') for w in passage.text.split()]
    start = chance.randrange(max(len(words) - WINDOW, 1))
    kept = [w for w in words[start : start + WINDOW] if chance.random() >= DROPPED and w] or words[
        :3
    ]
    kept[chance.randrange(len(kept))] = chance.choice(words)
    place = max(range(len(kept)), key=lambda n: len(kept[n]))
    long = kept[place]
    if len(long) > 5:
        at = chance.randrange(1, len(long) - 2)
        kept[place] = long[:at] + long[at + 1] + long[at] + long[at + 2 :]
    return MadeQuestion(
        f"{chance.choice(_OPENINGS[library.edition[edition].language])} {' '.join(kept)}?",
        passage.id,
        edition,
    )


def measure(folder: Path, building: Building) -> Size:
    """Query the index in ``folder`` in this process, whose memory is measured."""
    tune_allocator()  # as a process that serves does
    start = time.perf_counter()
    index = Index.load(folder)
    loading = time.perf_counter() - start
    library = index.library
    asked = questions(library, ASKED + WARMING)
    for question in asked[ASKED:]:
        index.search(Query(question.text))
    asked = asked[:ASKED]
    wall, processor, quality = _ask(index, asked, [Query(q.text) for q in asked])
    memory = psutil.Process().memory_full_info().pss / 2**20
    within, _, quality_within = _ask(
        index, asked, [Query(q.text, edition=q.edition) for q in asked]
    )
    store = index.scorer.store
    return Size(
        len(library.searchable),
        building,
        loading,
        "clusters" if isinstance(store, FileStore) and store._nearest else "flat",
        _middle(wall),
        _middle(processor),
        _middle(within),
        memory,
        recall(store, index.encoder, [q.text for q in asked])
        if isinstance(store, FileStore) and store._nearest
        else 1.0,
        quality,
        quality_within,
    )


def _ask(
    index: Index, asked: Sequence[MadeQuestion], queries: Iterable[Query]
) -> tuple[list[float], list[float], float]:
    """Return for each question the milliseconds of wall-clock and of processor time, and the share
    of questions whose passage is among the first.
    """
    wall, processor, found = [], [], 0
    for question, query in zip(asked, queries, strict=True):
        start = time.perf_counter(), time.process_time()
        hits = index.search(query).hits
        wall.append(1000 * (time.perf_counter() - start[0]))
        processor.append(1000 * (time.process_time() - start[1]))
        found += any(hit.passage.id == question.passage for hit in hits[:FIRST])
    return wall, processor, found / len(asked)


def recall(store: FileStore, encoder: Encoder, texts: Sequence[str]) -> float:
    """Return the recall of vector search: the share of the `DEPTH` nearest vectors to each of
    ``texts``, by exhaustive comparison, that are among its candidates.
    """
    matrix, found = store._vectors.matrix, 0
    assert store._nearest
    for vector in encoder.questions(list(texts)):
        near = matrix @ vector
        exact = np.argpartition(-near, DEPTH)[:DEPTH]
        found += len(np.intersect1d(exact, store._nearest.best(vector, CANDIDATES_PER_SIGNAL)))
    return found / (DEPTH * len(texts))


def exponent(passages: Sequence[int], costs: Sequence[float]) -> float:
    """Return the b of ``cost = a * passages ** b`` with the best fit, by least squares of the
    logarithms; 1 means proportional growth.
    """
    return float(np.polyfit(np.log(passages), np.log(costs), 1)[0])


def _middle(milliseconds: Sequence[float]) -> tuple[float, float]:
    """Return the median and the p99."""
    return float(np.median(milliseconds)), float(np.percentile(milliseconds, 99, method="higher"))


if __name__ == "__main__":
    sys.exit(main())
