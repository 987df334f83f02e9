"""Damages files of every format and reads them: nothing crashes, asks for anything, or takes too much time or memory.

    python -m tests.bench.mutations [--count 2000] [--first SEED] [--only NAME] [--no-hostile] [--keep FOLDER]

Ends with status 1 where something did; interrupted, it reports what it has tried so far.
``--keep`` keeps the files that did it. A file is damaged in the same way in every run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

from tests.bench.mutations.damage import damaged
from tests.bench.mutations.hostile import hostile_files
from tests.bench.mutations.originals import MAKERS
from tests.bench.mutations.trial import RequestWatch, Trial, refuse_connections, tried

MEMORY = 1 << 30  # bytes


def _files(count: int, first: int, only: str, hostile: Mapping[str, Callable[[], bytes]]) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Names and makers of all files: the ``hostile`` ones, then ``count`` damaged ones, which take turns."""
    for name, make in hostile.items():
        if only in name:
            yield name, make
    originals = {name: make() for name, make in MAKERS.items()}
    names = list(originals)
    for seed in range(first, first + count):
        original = names[seed % len(names)]
        name = f"{seed}-{original}"
        if only in name:
            yield name, lambda original=original, name=name: damaged(originals[original], name)  # type: ignore[misc]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutations")
    parser.add_argument("--count", type=int, default=2000, help="how many damaged files, beside the hostile ones")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    parser.add_argument("--only", default="", help="only files whose name contains this")
    parser.add_argument("--hostile", action=argparse.BooleanOptionalAction, default=True, help="with the hostile files")
    parser.add_argument("--keep", type=Path, help="a folder for the files that were not read as they should be")
    arguments = parser.parse_args()
    watch = RequestWatch()
    trials: list[Trial] = []
    began = time.monotonic()
    # Files are made here and read in another process, so that its memory is what reading takes.
    with ProcessPoolExecutor(1, get_context("spawn"), refuse_connections) as reader, suppress(KeyboardInterrupt):
        reader.submit(abs, 0).result()  # it is started while this process is small: what that holds counts for it too
        hostile = hostile_files(watch.address) if arguments.hostile else {}
        for name, make in _files(arguments.count, arguments.first, arguments.only, hostile):
            trials.append(reader.submit(tried, name, make()).result())
            _show_progress(len(trials), trials[-1])
            if trials[-1].fault:
                print(f"{name}: {trials[-1].fault}", flush=True)
                if arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    (arguments.keep / name).write_bytes(make())
    return _report(trials, watch.seen, time.monotonic() - began)


def _show_progress(done: int, trial: Trial) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:6} {trial.name[:50]:50}", end="", file=sys.stderr, flush=True)
    elif done % 100 == 0:
        print(f"{done} files", file=sys.stderr, flush=True)


def _report(trials: list[Trial], requests: int, seconds: float) -> int:
    """Print what came of the files. Returns 0 where nothing happened that must not."""
    by_format: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_format[trial.name.rpartition(".")[2]].append(trial)
    print(f"{'format':8} {'files':>6} {'read':>6} {'refused':>8} {'faults':>7} {'longest':>9}")
    for name, each in sorted(by_format.items()):
        faults = sum(bool(trial.fault) for trial in each)
        read = sum(bool(trial.read) and not trial.fault for trial in each)
        longest = max(trial.seconds for trial in each)
        print(f"{name:8} {len(each):6} {read:6} {len(each) - read - faults:8} {faults:7} {longest:7.1f} s")
    reasons = Counter(trial.said.split(": ", 1)[-1] for trial in trials if trial.said and not trial.fault)
    for reason, count in reasons.most_common(25):
        print(f"  {count:5}  {reason[:120]}")
    ours, extracting = trials[-1].memory if trials else (0, 0)
    print(f"{len(trials)} files in {seconds:.0f} s; most memory: {ours >> 20} MB reading, {extracting >> 20} MB extracting")
    print(f"requests: {requests}")
    return int(requests > 0 or any(trial.fault for trial in trials) or max(ours, extracting) > MEMORY)


if __name__ == "__main__":
    sys.exit(main())
