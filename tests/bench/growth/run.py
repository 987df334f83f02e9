"""A whole benchmark of growth: indexes of made-up rulebooks built, asked and measured, each in a process of its own."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, TypeVar

from tests.bench.growth.report import charts, page

SIZES = "4000,40000,400000,2000000"
_BUILDING = "building.json"

Outcome = TypeVar("Outcome")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description=__doc__)
    parser.add_argument("--sizes", default=SIZES, metavar="N,N,…", help=f"numbers of passages (default {SIZES})")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the indexes are kept and found again; else they are removed")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the tables as a page and the curves beside it")
    given = parser.parse_args(arguments)
    try:
        sizes = sorted({int(size) for size in given.sizes.split(",")})
    except ValueError:
        parser.error(f"--sizes {given.sizes}: numbers with commas between them are wanted")
    if len(sizes) < 2 or sizes[0] < 100:
        parser.error("--sizes: at least two, each at least 100")
    if given.write and not given.write.parent.is_dir():
        parser.error(f"{given.write.parent}: no such folder")
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # read when the processes below start
    with tempfile.TemporaryDirectory() as temporary:
        place = given.folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        sample = _alone(_sample, place / "sample")
        found = [_size(place / str(size), size, sample) for size in sizes]
    text = page(found, f"python -m tests.bench.growth --sizes {given.sizes}")
    print(text)
    if given.write:
        given.write.write_text(text, encoding="utf-8")
        for name, drawing in charts(found).items():
            (given.write.parent / name).write_text(drawing + "\n", encoding="utf-8")
    return 0


def _size(folder: Path, passages: int, sample: Path) -> Any:
    """What was measured with so many passages, in an index that is built where there is none yet."""
    from tests.bench.growth.measure import Building, measure

    if not (folder / _BUILDING).exists():
        print(f"building an index of {passages} passages", file=sys.stderr, flush=True)
        _alone(_built, folder, passages, sample)
    print(f"asking {passages} passages", file=sys.stderr, flush=True)
    return _alone(measure, folder, Building(**json.loads((folder / _BUILDING).read_text(encoding="utf-8"))))


def _built(folder: Path, passages: int, sample: Path) -> None:
    from tests.bench.growth.index import build

    seconds = build(folder, passages, sample)
    kept = {
        "seconds": seconds,
        "memory": getrusage(RUSAGE_SELF).ru_maxrss / 1024,
        "disk": sum(p.stat().st_size for p in folder.rglob("*")) / 1e6,
    }
    (folder / _BUILDING).write_text(json.dumps(kept), encoding="utf-8")


def _sample(folder: Path) -> Path:
    """The snapshot of the sample rulebooks in ``folder``, built where there is none yet: its encoder is the one for all sizes."""
    from index.building.build import build
    from index.building.snapshots import Snapshots
    from tests.bench.growth.rulebooks import SAMPLE

    snapshots = Snapshots(folder)
    if snapshots.current() is None:
        build(SAMPLE, snapshots)
    return snapshots.path(str(snapshots.current()))


def _alone(function: Callable[..., Outcome], *arguments: Any) -> Outcome:
    """``function`` in a process of its own, so that its memory can be told."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as alone:
        return alone.submit(function, *arguments).result()
