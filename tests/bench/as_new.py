"""How well each game is answered today, and how well it would be if it were new: `regula evaluate` with and without `--as-new`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from service.answers.batch import BatchRow, responses
from service.answers.evaluation import evaluate, put_to
from service.core.snapshot import Snapshot
from service.ops.as_new import snapshot_as_new
from service.ops.settings import Locations
from tests.bench.questions import SETS
from tests.bench.tables import Table

NOTE = (
    "As new: an index that knows of the game nothing but its text: none of its phrasings, concepts, aliases and products, and none of the "
    "questions outside of the rules that have it in mind. What it has of the other games stays, and trains the encoder: a rulebook alone "
    "in its folder does less well. The weights of the ranking and of the confidence, 18 numbers for all games, are the same."
)
_SETS = SETS | {"strangers.jsonl": "strangers"}
_FIGURES = ("R@1", "R@2", "R@5")


def as_new_table(here: Locations, today: Snapshot, folder: Path, say: Callable[[str], None]) -> Table:
    """Measure every game on the question sets in ``folder``, by ``today`` and by an index for which it is new."""
    asked = {kept: _rows(folder / name) for name, kept in _SETS.items() if (folder / name).is_file()}
    found: list[tuple[str, ...]] = []
    for game in today.library.games:
        own = {kept: [row for row in rows if put_to(today.library, game, row)] for kept, rows in asked.items()}
        if any(own.values()):
            new = snapshot_as_new(here, game, say)
            for kept, rows in own.items():
                if rows:
                    found += [_measured(game, kept, rows, "today", today), _measured(game, kept, rows, "as new", new)]
    return Table("Games as new", ("game", "questions", "index", "n", *_FIGURES, "open", "called open"), tuple(found))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _measured(game: str, kept: str, rows: Sequence[Mapping[str, Any]], index: str, snapshot: Snapshot) -> tuple[str, ...]:
    numbered = (BatchRow(number, row) for number, row in enumerate(rows, 1))
    result = evaluate(snapshot.library, rows, (response.answer for response in responses(snapshot, numbered)))
    settled: Mapping[str, float] = result["groups"].get("all", {})
    open_ones = result["open"]
    figures = (f"{settled[figure]:.3f}" if settled else "–" for figure in _FIGURES)
    called_open = f"{open_ones['called_open']:.3f}" if open_ones["n"] else "–"
    return (game, kept, index, str(settled.get("n", 0)), *figures, str(open_ones["n"]), called_open)
