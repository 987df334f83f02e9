"""What one size costs and finds: seconds, milliseconds, memory, recall of the vectors, quality."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from index.encoding.encoder import Encoder
from index.memory import tune_allocator
from index.model import Query
from index.search import Index
from index.store.file_store import CandidateStore
from index.store.protocol import CANDIDATES_PER_SIGNAL
from tests.bench.growth.questions import MadeQuestion, questions

ASKED = 300
WARMING = 30
FIRST = 5
DEPTH = 10  # of the recall of vectors


@dataclass(frozen=True)
class Building:
    """What building took: ``seconds`` by step, ``memory`` at most and room on the ``disk``, in MB."""

    seconds: Mapping[str, float]
    memory: float
    disk: float


@dataclass(frozen=True)
class Size:
    """What was measured with so many passages, put to all editions and to the one that has the passage asked for.

    Milliseconds are by the wall clock (``milliseconds`` and, within one edition, ``within``) and of the processor (``processor``), each
    at the median and at p99 of ``ASKED`` questions; ``memory`` is the proportional set size of the process after these, in MB.
    ``recall`` is the share of the ten nearest vectors that are found, ``quality`` that of questions whose passage is among five.
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


def measure(folder: Path, building: Building) -> Size:
    """Ask the index in ``folder``; in this process, whose memory is measured."""
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
    memory = proportional_set_size()
    within, _, quality_within = _ask(index, asked, [Query(q.text, edition=q.edition) for q in asked])
    store = index.scorer.store
    return Size(
        len(library.searchable),
        building,
        loading,
        str(store._nearest.type) if isinstance(store, CandidateStore) else "flat",
        _middle(wall),
        _middle(processor),
        _middle(within),
        memory,
        recall(store, index.encoder, [q.text for q in asked]) if isinstance(store, CandidateStore) else 1.0,
        quality,
        quality_within,
    )


def _ask(index: Index, asked: Sequence[MadeQuestion], queries: Iterable[Query]) -> tuple[list[float], list[float], float]:
    """Milliseconds of each question by the wall clock and of the processor, and the share whose passage is among the first."""
    wall, processor, found = [], [], 0
    for question, query in zip(asked, queries, strict=True):
        start = time.perf_counter(), time.process_time()
        hits = index.search(query).hits
        wall.append(1000 * (time.perf_counter() - start[0]))
        processor.append(1000 * (time.process_time() - start[1]))
        found += any(hit.passage.id == question.passage for hit in hits[:FIRST])
    return wall, processor, found / len(asked)


def recall(store: CandidateStore, encoder: Encoder, texts: Sequence[str]) -> float:
    """The share of the `DEPTH` vectors nearest to each of ``texts``, all being compared, that are among the candidates by vectors."""
    matrix, found = store._vectors.matrix, 0
    for vector in encoder.questions(list(texts)):
        near = matrix @ vector
        exact = np.argpartition(-near, DEPTH)[:DEPTH]
        found += len(np.intersect1d(exact, store._nearest.best(vector, CANDIDATES_PER_SIGNAL)))
    return found / (DEPTH * len(texts))


def exponent(passages: Sequence[int], costs: Sequence[float]) -> float:
    """The b of ``cost = a * passages ** b`` that fits best, by least squares of the logarithms; 1 is in proportion."""
    return float(np.polyfit(np.log(passages), np.log(costs), 1)[0])


def proportional_set_size() -> float:
    """Of this process, in MB."""
    lines = Path(f"/proc/{os.getpid()}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _middle(milliseconds: Sequence[float]) -> tuple[float, float]:
    """At the median and at p99."""
    return float(np.median(milliseconds)), float(np.percentile(milliseconds, 99, method="higher"))
