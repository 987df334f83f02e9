"""Measure quality and speed of systems, and the start-up time and memory of answering processes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import faiss
import numpy as np
import torch

from service.ops.settings import ROOT
from tests.bench.questions import Question
from tests.bench.report import Table
from tests.bench.systems import System, Text

DEPTHS = (1, 5, 10)  # of recall
SHOWN = 10  # passages requested
DEEP = 60  # passages searched for ten distinct entries

_SERVE = """
import json, sys, time
start = time.perf_counter()
from pathlib import Path
from index.model import Query
from index.search import Index
seconds = {"imports": time.perf_counter() - start}
index = Index.load(Path(sys.argv[1]))
seconds["index"] = time.perf_counter() - start - seconds["imports"]
index.search(Query("?"))
seconds["first question"] = time.perf_counter() - start - seconds["imports"] - seconds["index"]
milliseconds = []
for text, document in json.loads(sys.stdin.readline()):
    before = time.perf_counter()
    index.search(Query(text, document=document))
    milliseconds.append(1000 * (time.perf_counter() - before))
print(json.dumps([seconds, milliseconds]), flush=True)
sys.stdin.readline()
rows = dict(line.split(":") for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
print(json.dumps([int(rows[name].split()[0]) / 1024 for name in ("Rss", "Pss", "Private_Dirty")]), flush=True)
sys.stdin.readline()
"""


@dataclass(frozen=True)
class Ranks:
    """The ranks, from 1, of the first right result for one question; None where it is not among the
    first ten.

    ``passage`` counts passages, ``place`` distinct entries.
    """

    passage: int | None
    place: int | None


@dataclass(frozen=True)
class Quality:
    """Recall at `DEPTHS`, then mean reciprocal rank, over ``count`` questions, for passages and for
    places.
    """

    count: int
    passage: tuple[float, ...]
    place: tuple[float, ...]


@dataclass(frozen=True)
class Measured:
    """A system's ranks for questions with an answer, and the milliseconds of every question."""

    name: str
    ranks: Mapping[Question, Ranks]
    milliseconds: tuple[float, ...]

    def quality(self, questions: Iterable[Question]) -> Quality:
        """Return the quality over those ``questions`` that have an answer; all 0.0 without any."""
        found = [self.ranks[question] for question in questions if question in self.ranks]
        return Quality(
            len(found),
            _shares([ranks.passage for ranks in found]),
            _shares([ranks.place for ranks in found]),
        )

    def percentile(self, percent: float) -> float:
        """Return this percentile of the milliseconds; 0.0 without questions."""
        return float(np.percentile(self.milliseconds or (0.0,), percent, method="higher"))


def right_texts(
    questions: Iterable[Question], texts: Sequence[Text]
) -> dict[Question, frozenset[int]]:
    """Return, for each question with an answer, the numbers of the texts in its document that
    contain one of its quotes.

    Line breaks are ignored. If no single text contains a quote, the question has no right text.
    """
    evidence = [" ".join(text.evidence.split()) for text in texts]
    found = {}
    for question in questions:
        quotes = [" ".join(quote.split()) for quote in question.quotes]
        here = (number for number, text in enumerate(texts) if text.document == question.document)
        if quotes:
            found[question] = frozenset(
                number for number in here if any(quote in evidence[number] for quote in quotes)
            )
    return found


def ranks(found: Sequence[int], right: frozenset[int], texts: Sequence[Text]) -> Ranks:
    """Return the ranks of the first right text and of the first entry with a right text; ``found``
    are text numbers, the best first.
    """
    places = list(dict.fromkeys(texts[number].entry for number in found))
    return Ranks(_first(found, right), _first(places, {texts[number].entry for number in right}))


def _first(found: Iterable[object], wanted: frozenset[int] | set[str]) -> int | None:
    return next(
        (rank for rank, one in enumerate(found, 1) if rank <= DEPTHS[-1] and one in wanted), None
    )


def _shares(ranks: Sequence[int | None]) -> tuple[float, ...]:
    count = max(len(ranks), 1)
    recalls = [
        sum(rank is not None and rank <= depth for rank in ranks) / count for depth in DEPTHS
    ]
    return (*recalls, sum(1 / rank for rank in ranks if rank) / count)


def measure(
    system: System,
    questions: Sequence[Question],
    right: Mapping[Question, frozenset[int]],
    texts: Sequence[Text],
    warming: Sequence[Question] = (),
) -> Measured:
    """Have ``system`` index ``texts``, and ask it each of ``questions`` once for ten passages, on
    one thread.

    Ranks of places beyond these ten are searched without timing.

    Args:
        right: The numbers of the right texts for each question with an answer; only these questions
            count for quality.
        warming: Other questions, asked first, so that lazy loading is not timed.
    """
    system.build(texts)
    found, milliseconds = {}, []
    with one_thread():
        for question in warming:
            system.search(question.text, question.document, SHOWN)
        for question in questions:
            start = time.perf_counter()
            shown = system.search(question.text, question.document, SHOWN)
            milliseconds.append(1000 * (time.perf_counter() - start))
            if question in right:
                deep = system.search(question.text, question.document, DEEP)
                passage, place = (
                    ranks(shown, right[question], texts).passage,
                    ranks(deep, right[question], texts).place,
                )
                found[question] = Ranks(passage, place)
    return Measured(system.name, found, tuple(milliseconds))


@contextmanager
def one_thread() -> Iterator[None]:
    """Give torch and FAISS one thread within the block."""
    before = torch.get_num_threads(), faiss.omp_get_max_threads()
    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        faiss.omp_set_num_threads(before[1])


def measure_start(snapshot: Path, questions: Sequence[Question], processes: int = 2) -> Table:
    """Measure how long processes that answer from ``snapshot`` take to get ready and to answer
    their first ``questions``, and their memory then.

    Processes run one after the other; the table has the shortest times and the largest memory.
    """
    asked = json.dumps([(question.text, question.document) for question in questions]) + "\n"
    running, told = [], []
    try:
        for _ in range(processes):
            command = [sys.executable, "-c", _SERVE, str(snapshot)]
            running.append(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
                )
            )
            told.append(json.loads(_reply(running[-1], asked)))
        memory = [json.loads(_reply(process, "\n")) for process in running]
    finally:
        for process in running:
            process.communicate("\n")
    seconds, milliseconds = zip(*told, strict=True)
    rows = [
        (f"seconds for {name}", f"{min(each[name] for each in seconds):.2f}") for name in seconds[0]
    ]
    rows.append(("seconds until ready", f"{min(sum(each.values()) for each in seconds):.2f}"))
    for name, percent in (("median", 50), ("p99", 99)):
        least = min(np.percentile(each, percent) for each in milliseconds)
        rows.append(
            (f"{name} milliseconds of the first {len(questions)} questions", f"{least:.2f}")
        )
    for place, name in ((0, "resident"), (2, "its own alone")):
        rows.append((f"MB of one process, {name}", f"{max(each[place] for each in memory):.0f}"))
    rows.append(
        (
            f"MB of {processes} processes together (proportional set size)",
            f"{sum(each[1] for each in memory):.0f}",
        )
    )
    return Table(
        "Start and memory of a process that answers, without the web server",
        ("", "measured"),
        tuple(rows),
    )


def _reply(process: subprocess.Popen[str], line: str) -> str:
    """Send ``line`` to ``process`` and return its reply."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    return process.stdout.readline()
