"""What one way to store records costs: writing, opening, memory, look-ups, making all objects, threads, and whole questions."""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from index.library.library import Library, load_library
from index.model import Query
from index.search import Index
from service.answers.answer import answer_out
from service.core.snapshot import Snapshot
from tests.bench.questions import Question
from tests.bench.records.lookups import LookUp, LookUps, recorded
from tests.bench.records.made_up import made_up
from tests.bench.records.storages import clear_caches, open_library, save

THREADS = 8
REPEATED = 5  # the least of so many measurements counts
NAMES = 5_000
_SOME = 50  # ids that are timed together
_TURN = 0.03  # seconds that a thread keeps the interpreter, as `regula serve --production` sets it


@dataclass(frozen=True)
class Written:
    """Seconds that writing took, and MB on the disk."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Memory:
    """MB resident beyond those of the process before: when the library is open, after the questions, and of these its own alone."""

    opened: float
    used: float
    own: float


@dataclass(frozen=True)
class Read:
    """What reading took.

    All but ``threaded`` is the processor's time. The look-ups of one question take ``first`` microseconds in a library that was just
    opened, ``again`` when the same questions come again, ``uncached`` with empty caches, ``many`` with empty caches and many
    passages, each at the median of all questions, and ``threaded`` with eight threads, by the wall clock for all together. ``name``
    are the microseconds to find an entry by its id, ``scan`` the seconds to make every record into an object.
    """

    open_milliseconds: float
    first: float
    again: float
    uncached: float
    many: float
    threaded: float
    name: float
    scan: float


@dataclass(frozen=True)
class Answered:
    """Milliseconds of searching and writing the answer as JSON.

    On one thread at the ``median`` and ``p99``, the processor's time; with eight threads, by the wall clock, at the median and p99 of what
    each question takes, by the time that all take together (``each``), and the ``processor``'s time of that.
    """

    median: float
    p99: float
    threads_median: float
    threads_p99: float
    each: float
    processor: float


def write(storage: str, source: Path | int, folder: Path) -> Written:
    """Write the library in ``source``, or a made-up one of so many passages, into ``folder``; the quicker of two times counts."""
    library = made_up(source) if isinstance(source, int) else load_library(source)
    library = replace(
        library,
        entries=tuple(library.entries),
        passages=tuple(library.passages),
        references=tuple(library.references),
        pages=dict(library.pages),
        concepts=dict(library.concepts),
    )
    seconds = []
    for place in (folder, folder.with_name(f"{folder.name}-again")):
        start = time.process_time()
        save(storage, replace(library), place)  # a new object, which has no look-ups yet
        seconds.append(time.process_time() - start)
    os.sync()  # mapped pages that are not on the disk yet would count as the memory of who reads them
    return Written(min(seconds), sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6)


def remember(storage: str, folder: Path, lookups: Path) -> Memory:
    """The memory of this process, which has to be new, when it does the look-ups of usual questions."""
    gc.collect()
    before, own_before = _memory()
    library = open_library(storage, folder)
    opened, _ = _memory()
    does = LookUps(library)
    for usual, _ in recorded(lookups):
        does.do(usual)
    used, own = _memory()
    return Memory(opened - before, used - before, own - own_before)


def read(storage: str, folder: Path, lookups: Path) -> Read:
    """Measure a library. ``lookups`` has those of usual questions and of ones with many passages."""
    usual, many = zip(*recorded(lookups), strict=True)
    return Read(
        open_milliseconds=1e3 * _least(lambda: open_library(storage, folder)),
        first=_median(_microseconds(open_library(storage, folder), usual) for _ in range(REPEATED)),
        again=_again(open_library(storage, folder), usual),
        uncached=_uncached(open_library(storage, folder), usual),
        many=_uncached(open_library(storage, folder), many),
        threaded=min(_threaded(open_library(storage, folder), usual) for _ in range(REPEATED)),
        name=_name(open_library(storage, folder)),
        scan=_least(lambda: _scan(open_library(storage, folder))),
    )


def _microseconds(library: Library, recorded: Sequence[Sequence[LookUp]], uncached: bool = False) -> list[float]:
    """Of the look-ups of each question, with empty caches from those before where ``uncached``."""
    does, found = LookUps(library), []
    for each in recorded:
        if uncached:
            clear_caches(library)
        start = time.thread_time()
        does.do(each)
        found.append(1e6 * (time.thread_time() - start))
    return found


def _median(rounds: Iterator[Sequence[float]]) -> float:
    """The median over all questions of the least that each took in any of several rounds."""
    return float(np.median(np.array(list(rounds)).min(axis=0)))


def _again(library: Library, recorded: Sequence[Sequence[LookUp]]) -> float:
    _microseconds(library, recorded)
    return _median(_microseconds(library, recorded) for _ in range(REPEATED))


def _uncached(library: Library, recorded: Sequence[Sequence[LookUp]]) -> float:
    return _median(_microseconds(library, recorded, uncached=True) for _ in range(REPEATED))


def _name(library: Library) -> float:
    """Microseconds to find an entry by its id, empty caches: the median of several ids at a time."""
    ids = list(dict.fromkeys(random.Random(11).choices([entry.id for entry in library.entries], k=NAMES)))
    some = [[("entry", id) for id in ids[start : start + _SOME]] for start in range(0, len(ids) - _SOME, _SOME)]
    return _median(_microseconds(library, some, uncached=True) for _ in range(REPEATED)) / _SOME


def _scan(library: Library) -> None:
    """Make every record into an object, as checking and comparing do."""
    for rulebook in library.rulebooks:
        for things in (rulebook.entries, rulebook.passages, library.references_in(rulebook.edition.id)):
            for _ in things:
                pass


def _threaded(library: Library, recorded: Sequence[Sequence[LookUp]]) -> float:
    does = LookUps(library)

    def do(share: Sequence[Sequence[LookUp]]) -> None:
        for each in share:
            does.do(each)

    with _as_in_production(), ThreadPoolExecutor(THREADS) as pool:
        start = time.perf_counter()
        list(pool.map(do, [recorded[number::THREADS] for number in range(THREADS)]))
        return 1e6 * (time.perf_counter() - start) / len(recorded)


def answers(folders: Mapping[str, Path], index_folder: Path, questions: Sequence[Question]) -> dict[str, Answered]:
    """Whole questions put to the index in ``index_folder``, by turns with the library in each of ``folders``, which are by storage."""
    index = Index.load(index_folder)
    opened = {storage: open_library(storage, folder) for storage, folder in folders.items()}
    alone: dict[str, list[list[float]]] = {storage: [] for storage in folders}
    together: dict[str, list[tuple[float, float, list[float]]]] = {storage: [] for storage in folders}
    for number in range(REPEATED + 1):
        for storage, library in opened.items():
            index.library = library
            snapshot = Snapshot(index)
            took = [_ask(snapshot, question, time.thread_time) for question in questions]
            if number:  # in the first round words are new to the process
                alone[storage].append(took)
                together[storage].append(_ask_together(snapshot, questions))
    found = {}
    for storage in folders:
        least = np.array(alone[storage]).min(axis=0)
        each, processor, took = min(together[storage])
        found[storage] = Answered(
            median=float(np.median(least)),
            p99=float(np.percentile(least, 99)),
            threads_median=float(np.median(took)),
            threads_p99=float(np.percentile(took, 99)),
            each=each,
            processor=processor,
        )
    return found


def _ask(snapshot: Snapshot, question: Question, clock: Callable[[], float]) -> float:
    start = clock()
    answer_out(snapshot, snapshot.search(Query(question.text, document=question.document))).model_dump_json()
    return 1e3 * (clock() - start)


def _ask_together(snapshot: Snapshot, questions: Sequence[Question]) -> tuple[float, float, list[float]]:
    """Milliseconds of a question by the time that all take together with eight threads, the processor's time of that, and of each."""
    with _as_in_production(), ThreadPoolExecutor(THREADS) as pool:
        start, processor = time.perf_counter(), time.process_time()
        each = list(pool.map(lambda question: _ask(snapshot, question, time.perf_counter), questions))
        wall, busy = time.perf_counter() - start, time.process_time() - processor
        return 1e3 * wall / len(questions), 1e3 * busy / len(questions), each


@contextmanager
def _as_in_production() -> Iterator[None]:
    """Threads take turns within as they do in a process of `regula serve --production`."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _least(work: Callable[[], object]) -> float:
    """The least seconds that ``work`` took."""
    found = []
    for _ in range(REPEATED):
        start = time.thread_time()
        work()
        found.append(time.thread_time() - start)
    return min(found)


def _memory() -> tuple[float, float]:
    """Resident memory of this process and what of it is its own alone, in MB."""
    lines = Path(f"/proc/{os.getpid()}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    kilobytes = {name: int(value.split()[0]) for name, value in (line.split(":") for line in lines)}
    return kilobytes["Rss"] / 1024, kilobytes["Private_Dirty"] / 1024
