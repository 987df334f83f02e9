"""What it costs to build an index of many rulebooks, and to build it again after one is added, changed or removed.

`python -m tests.bench.adding` makes the rulebooks up (`tests.bench.growth.rulebooks`), builds in a folder of its own and prints a table:
seconds of each stage by the clock, and of the processor in all, other processes that the build starts included.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from index.building.build import build
from index.building.snapshots import Snapshots
from tests.bench.growth.rulebooks import book, document
from tests.bench.tables import Table

RULEBOOKS, PASSAGES = 200, 250


def main(arguments: Sequence[str] | None = None) -> None:
    """Build, add, change and remove, and print what each took."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.adding", description=__doc__.splitlines()[0])
    parser.add_argument("--rulebooks", type=int, default=RULEBOOKS, metavar="N", help=f"rulebooks to begin with (default {RULEBOOKS})")
    parser.add_argument("--passages", type=int, default=PASSAGES, metavar="N", help=f"passages of each (default {PASSAGES})")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="real rulebooks to begin with, instead of made-up ones")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        books = Path(temporary) / "books"
        if given.folder:
            shutil.copytree(given.folder, books)
        else:
            books.mkdir()
            for number in range(given.rulebooks):
                (books / f"{number:04}.txt").write_text(document(book(number, given.passages)), encoding="utf-8")
        new, some = books / "new.txt", sorted(books.iterdir())[len(list(books.iterdir())) // 2]
        made = document(book(given.rulebooks, given.passages))
        changes: dict[str, Callable[[], object]] = {
            "first": lambda: None,
            "added": lambda: new.write_text(made, encoding="utf-8"),
            "changed": lambda: new.write_text(made.replace(". ", ".\n\n", 40), encoding="utf-8"),
            "added before all": lambda: new.rename(books / "0.txt"),
            "removed": some.unlink,
        }
        print(_measured(books, Snapshots(Path(temporary) / "index"), changes).markdown())


def _measured(books: Path, snapshots: Snapshots, changes: dict[str, Callable[[], object]]) -> Table:
    """What a build took after each of ``changes``, by stage."""
    seconds: dict[str, dict[str, float]] = {}
    for name, change in changes.items():
        change()
        before = sum(os.times()[:4])
        took = build(books, snapshots).seconds
        seconds[name] = {**took, "in all": sum(took.values()), "in all, of the processor": sum(os.times()[:4]) - before}
    stages = dict.fromkeys(stage for took in seconds.values() for stage in took)
    rows = tuple((stage, *(f"{took.get(stage, 0.0):.1f}" for took in seconds.values())) for stage in stages)
    return Table("Seconds of each stage", ("", *seconds), rows)


if __name__ == "__main__":
    main()
