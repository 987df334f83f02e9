"""What answering costs: the milliseconds of a question by part, and the time and memory of a process that serves."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import corpus.languages
import index.questions.preparation
import index.questions.question_parser
import index.ranking.signals
import index.search
from index.model import Query
from index.search import Index
from service.ops.settings import ROOT
from tests.bench.measure import one_thread
from tests.bench.questions import Question
from tests.bench.tables import Table

REST = "all else"

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


def budget(asked: Index, questions: Sequence[Question], warming: Sequence[Question] = ()) -> Table:
    """The median milliseconds of each part of answering ``questions``, one after the other on one thread, and its share of all.

    ``warming`` are asked before and not counted.
    """
    with one_thread():
        for question in warming:
            asked.search(Query(question.text, document=question.document))
        spent: dict[str, list[float]] = defaultdict(list)
        with _timed(asked) as timer:
            for question in questions:
                asked.search(Query(question.text, document=question.document))
                for part, seconds in timer.taken().items():
                    spent[part].append(1000 * seconds)
    whole = [sum(times) for times in zip(*spent.values(), strict=True)]
    rows = [(part, f"{statistics.median(times):.3f}", f"{100 * sum(times) / sum(whole):.0f} %") for part, times in spent.items()]
    rows.append(("together", f"{statistics.median(whole):.3f}", f"p99 {np.percentile(whole, 99):.2f} ms"))
    return Table("Time for one question of Regula by part, in milliseconds", ("part", "median", "share"), tuple(rows))


class _Timer:
    """Adds up the time spent in parts; what is called within another part is not counted for that one."""

    def __init__(self, parts: Sequence[str]) -> None:
        self._parts = parts
        self._spent = dict.fromkeys(parts, 0.0)
        self._within: list[float] = []

    def wrap(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            self._within.append(0.0)
            start = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                whole = time.perf_counter() - start
                self._spent[part] += whole - self._within.pop()
                if self._within:
                    self._within[-1] += whole

        return timed

    def taken(self) -> dict[str, float]:
        """The seconds since the last call, by part."""
        taken, self._spent = self._spent, dict.fromkeys(self._parts, 0.0)
        return taken


@contextmanager
def _timed(asked: Index) -> Iterator[_Timer]:
    scorer, store = asked.scorer, asked.scorer.store
    places: dict[str, list[tuple[Any, str]]] = {
        "language": [(asked.analyzer.tables, "language_of"), (corpus.languages, "detect")],
        "reading": [(asked.parser, "parse")],
        "analysis": [(asked.analyzer, "terms"), (index.questions.preparation, "folded")],
        "words": [(store, "words")],
        "characters": [(store, "characters")],
        "vectors": [(asked.encoder, "questions"), (store, "vectors"), (store, "phrasings")],
        "fusion": [(scorer, "candidates"), (scorer, "score"), (scorer, "bonuses")],
        "confidence": [(asked, "evidence"), (index.search, "estimate_confidence")],
        "highlights": [(asked.highlighter, "highlights")],
        REST: [(asked, "search")],
    }
    timer = _Timer(list(places))
    with ExitStack() as patched:
        for part, functions in places.items():
            for owner, name in functions:
                patched.enter_context(mock.patch.object(owner, name, timer.wrap(part, getattr(owner, name))))
        yield timer


def start(snapshot: Path, questions: Sequence[Question], processes: int = 2) -> Table:
    """How long processes that answer from ``snapshot`` take to be ready and for their first ``questions``, and their memory then.

    One process is asked after the other; of what takes time the quickest counts, of memory the most.
    """
    asked = json.dumps([(q.text, q.document) for q in questions]) + "\n"
    running, told = [], []
    try:
        for _ in range(processes):
            command = [sys.executable, "-c", _SERVE, str(snapshot)]
            running.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT))
            told.append(json.loads(_told(running[-1], asked)))
        memory = [json.loads(_told(process, "\n")) for process in running]
    finally:
        for process in running:
            process.communicate("\n")
    seconds, milliseconds = zip(*told, strict=True)
    rows = [(f"seconds for {name}", f"{min(s[name] for s in seconds):.2f}") for name in seconds[0]]
    rows.append(("seconds until ready", f"{min(sum(s.values()) for s in seconds):.2f}"))
    for name, percent in (("median", 50), ("p99", 99)):
        least = min(np.percentile(m, percent) for m in milliseconds)
        rows.append((f"{name} milliseconds of the first {len(questions)} questions", f"{least:.2f}"))
    rows += [(f"MB of one process, {name}", f"{max(m[n] for m in memory):.0f}") for n, name in ((0, "resident"), (2, "its own alone"))]
    rows.append((f"MB of {processes} processes together (proportional set size)", f"{sum(m[1] for m in memory):.0f}"))
    return Table("Start and memory of a process that answers, without the web server", ("", "measured"), tuple(rows))


def _told(process: subprocess.Popen[str], line: str) -> str:
    """What ``process`` answers to ``line``."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    return process.stdout.readline()
