"""What rulings and cards add to the memory of processes that answer: ``python -m tests.bench.layer_memory INDEX QUESTIONS…``.

The same index is asked the same questions with and without its rulings and cards, by two processes each, as `regula serve` has them; a
quarter of the questions are names of its cards, and each is looked up as the name of a card too. The figures are those of
`/proc/PID/smaps_rollup` when all have been answered.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from index.building.build import LAYERS
from index.building.snapshots import Snapshots
from index.search import Index
from service.ops.settings import ROOT
from tests.bench.practice import rows
from tests.bench.tables import Table

T = TypeVar("T")

ASKED = 200
PROCESSES = 2
MEASURES = {"own": ("Private_Clean", "Private_Dirty"), "own and written": ("Private_Dirty",), "share": ("Pss",), "resident": ("Rss",)}

_ANSWER = """
import json, sys
from pathlib import Path
from index.memory import long_lived_objects
from index.model import Query
from index.search import Index
from service.answers.answer import answer_out
from service.browse.card_out import card_out
from service.core.snapshot import Snapshot
with long_lived_objects():
    snapshot = Snapshot(Index.load(Path(sys.argv[1])))
for text in json.loads(sys.stdin.readline()):
    answer_out(snapshot, snapshot.search(Query(text)))
    for hit in snapshot.cards.find(text, k=1):
        card_out(snapshot, hit.card, "de")
print(flush=True)
sys.stdin.readline()
print(json.dumps(Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]), flush=True)
sys.stdin.readline()
"""


def added_memory(snapshot: Path, questions: Sequence[str]) -> Table:
    """The megabytes of a process that answers ``questions`` from the index in ``snapshot``, without and with its rulings and cards."""
    with _without_layers(snapshot) as bare:
        without, whole = (_measured(folder, questions) for folder in (bare, snapshot))
    found = tuple((name, f"{without[name]:.1f}", f"{whole[name]:.1f}", f"{whole[name] - without[name]:.1f}") for name in MEASURES)
    title = f"MB of one of {PROCESSES} processes after {len(questions)} questions"
    return Table(title, ("", "without", "with rulings and cards", "added"), found)


def asked_questions(files: Sequence[Path], snapshot: Path) -> list[str]:
    """Questions of ``files`` and names of cards in ``snapshot``, a quarter of all, evenly from the whole of each."""
    index = Index.load(snapshot)
    cards = [card for game in index.cards.games for card in index.cards.of_game(game)]
    texts = [row["question"] for row in rows(files)]
    names = [card.name(card.languages[number % len(card.languages)]) for number, card in enumerate(_spread(cards, ASKED // 4))]
    return [*_spread(texts, ASKED - len(names)), *names]


def _spread(items: Sequence[T], count: int) -> list[T]:
    return [items[number * len(items) // count] for number in range(min(count, len(items)))]


@contextmanager
def _without_layers(snapshot: Path) -> Iterator[Path]:
    """A copy of the index in ``snapshot``, of links to its files, that has neither rulings nor cards."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / snapshot.name
        shutil.copytree(snapshot, copy, copy_function=os.symlink, ignore=lambda at, _: LAYERS * (Path(at) == snapshot))
        yield copy


def _measured(folder: Path, questions: Sequence[str]) -> dict[str, float]:
    """The least of each of `MEASURES` among processes that answer ``questions`` at the same time."""
    command = [sys.executable, "-c", _ANSWER, str(folder)]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(PROCESSES)]
    try:
        for process in running:
            _told(process, json.dumps(list(questions)))
        told = [dict(line.split(":") for line in json.loads(_told(process, ""))) for process in running]
    finally:
        for process in running:
            process.communicate("\n")
    return {name: min(sum(int(rows[each].split()[0]) for each in parts) / 1024 for rows in told) for name, parts in MEASURES.items()}


def _told(process: subprocess.Popen[str], line: str) -> str:
    """What ``process`` answers to ``line``."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    return process.stdout.readline()


def main() -> None:
    """Measure the index published in the folder that is named first, by the question files behind it."""
    snapshots = Snapshots(Path(sys.argv[1]))
    current = snapshots.current()
    if current is None:
        sys.exit(f"no index is published in {sys.argv[1]}; build one with: regula build --index {sys.argv[1]}")
    folder = snapshots.path(current).resolve()
    print(added_memory(folder, asked_questions([Path(name) for name in sys.argv[2:]], folder)).plain())


if __name__ == "__main__":
    main()
