"""A whole benchmark of records: libraries written in every way, each measured in a process of its own."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from service.ops.settings import SettingError
from tests.bench.records import lookups, measure
from tests.bench.records.report import costs, counted, page, whole
from tests.bench.records.storages import FILES, SQLITE, STORAGES, UNMAPPED
from tests.bench.tables import Table

PASSAGES = 200_000

T = TypeVar("T")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.records", description=__doc__)
    parser.add_argument("--passages", type=int, default=PASSAGES, metavar="N", help=f"of the made-up library (default {PASSAGES:,})")
    parser.add_argument("--rulebooks", metavar="DIR", help="folder of the rulebooks (REGULA_RULEBOOKS)")
    parser.add_argument("--index", metavar="DIR", help="folder of their index (REGULA_INDEX)")
    parser.add_argument("--questions", type=Path, metavar="DIR", help="folder with dev.jsonl and forum.jsonl")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the tables as a page")
    given = parser.parse_args(arguments)
    if given.write and not given.write.parent.is_dir():
        parser.error(f"{given.write.parent}: no such folder")
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # read when the processes below start
    with tempfile.TemporaryDirectory() as temporary:
        try:
            tables = run(Path(temporary), given.rulebooks, given.index, given.questions, given.passages)
        except SettingError as fault:
            parser.error(str(fault))
    print("\n\n".join(table.plain() for table in tables))
    if given.write:
        given.write.write_text(page(tables, datetime.now(UTC), given.passages), encoding="utf-8")
    return 0


def run(place: Path, rulebooks: str | None, index: str | None, questions: Path | None, passages: int) -> list[Table]:
    """Measure the index of ``rulebooks`` and a made-up library of so many ``passages``; ``place`` is an empty folder."""
    snapshot = _alone(lookups.snapshot_folder, rulebooks, index)
    _say("recording the look-ups of questions")
    asked, usual, many = _alone(lookups.record, snapshot, questions, place / "real.json")
    folders, real = _library("Records of the rulebooks", snapshot, place / "real", lambda _: place / "real.json")

    def made_up_lookups(folder: Path) -> Path:
        _alone(lookups.record_made_up, folder, place / "made-up.json")
        return place / "made-up.json"

    _, made_up = _library(f"Records of a made-up library of {passages:,} passages", passages, place / "made-up", made_up_lookups)
    _say("asking questions")
    answered = _alone(measure.answers, folders, snapshot, asked)
    return [counted(usual, many), whole(answered), real, made_up]


def _library(title: str, source: Path | int, folder: Path, recorded: Callable[[Path], Path]) -> tuple[dict[str, Path], Table]:
    """A library written and read in every way: its folders, and what that took. ``recorded`` says where the look-ups for one are."""
    folders = {storage: folder / ("sqlite" if storage in (SQLITE, UNMAPPED) else "files") for storage in STORAGES}
    folder.mkdir()
    written: dict[str, measure.Written] = {}
    memory: dict[str, measure.Memory] = {}
    read: dict[str, measure.Read] = {}
    for storage, path in folders.items():
        same = next((other for other in written if folders[other] == path), None)
        _say(f"{title}: writing, {storage}")
        written[storage] = written[same] if same else _alone(measure.write, storage, source, path)
    lookups_of_it = recorded(folders[FILES])
    for storage, path in folders.items():
        _say(f"{title}: reading, {storage}")
        memory[storage] = _alone(measure.remember, storage, path, lookups_of_it)
        read[storage] = _alone(measure.read, storage, path, lookups_of_it)
    return folders, costs(title, written, memory, read)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _alone(function: Callable[..., T], *arguments: object) -> T:
    """``function`` in a process of its own, so that its memory can be told."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as alone:
        return alone.submit(function, *arguments).result()
