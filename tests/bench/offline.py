"""Compare asking offline with asking the service: what both find, how large packs are, and how long
a slow phone takes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from index.layers.passages import Layer
from index.model import Query
from service.browse.offline_packs import build_pack
from service.core.snapshot import Snapshot
from service.ops.indexes import IndexManager, NoIndex
from service.ops.settings import SettingError, load, locations
from tests.bench.questions import read_questions
from tests.bench.report import Table, say
from tests.browser.flags import FLAGS
from tests.offline_engine import OfflineEngine

DEPTHS = (1, 5)
SLOWER = 4  # times slower than this machine


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.offline", description=__doc__)
    parser.add_argument(
        "questions",
        type=Path,
        nargs="+",
        metavar="QUESTIONS",
        help="files of questions with answers",
    )
    parser.add_argument(
        "--rulebooks", metavar="DIR", help="folder of the rulebooks (REGULA_RULEBOOKS)"
    )
    parser.add_argument("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")
    given = parser.parse_args(arguments)
    try:
        snapshot = IndexManager(
            locations(load({"rulebooks": given.rulebooks, "index": given.index})), say
        ).ready()
    except (SettingError, NoIndex) as fault:
        parser.error(str(fault))
    packs = {game: build_pack(snapshot, game) for game in snapshot.library.games}
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        engine, slow = OfflineEngine(chromium, packs), OfflineEngine(chromium, packs)
        figures = (
            "questions",
            *(f"{name} R@{depth}" for depth in DEPTHS for name in ("service", "offline")),
            "ms offline",
        )
        print(
            Table(
                "Asking offline",
                figures,
                tuple(_answered(file, snapshot, engine) for file in given.questions),
            ).plain()
        )
        slow.slow_down(SLOWER)
        rows = []
        for game in packs:
            for each in (engine, slow):
                each.ask(game, [{"question": "?", "k": 5}])
            rows.append(
                (
                    game,
                    f"{slow.sizes[game] / 1e6:.1f}",
                    f"{engine.opened[game]:.0f}",
                    f"{slow.opened[game]:.0f}",
                )
            )
        print(
            Table(
                "Packs", ("game", "MB", "ms to open", f"ms, {SLOWER} times slower"), tuple(rows)
            ).plain()
        )
        chromium.close()
    return 0


def _answered(file: Path, snapshot: Snapshot, engine: OfflineEngine) -> tuple[str, ...]:
    """Return the row of one ``file`` of questions; the last cell is the median of a question
    offline.
    """
    library = snapshot.library
    editions = {source.file: id for id, source in library.sources.items()}
    texts = {passage.id: " ".join(passage.text.split()) for passage in library.searchable}
    asked = [
        question
        for question in read_questions(file)
        if question.quotes and question.document in editions
    ]
    hits = {(name, depth): 0 for depth in DEPTHS for name in ("service", "offline")}
    milliseconds = []
    for question in asked:
        edition = editions[question.document]
        result = snapshot.search(
            Query(question.text, edition=edition, k=10, layers=(Layer.RULEBOOK,))
        )
        (found,) = engine.ask(
            library.edition[edition].game,
            [{"question": question.text, "edition": edition, "k": 10}],
        )
        milliseconds.append(found["milliseconds"])
        quotes = [" ".join(quote.split()) for quote in question.quotes]
        shown = {
            "service": [hit.passage.id for hit in result.hits],
            "offline": [passage["id"] for passage in found["passages"]],
        }
        for name, depth in hits:
            hits[name, depth] += any(
                quote in texts[id] for id in shown[name][:depth] for quote in quotes
            )
    shares = (f"{count / max(len(asked), 1):.3f}" for count in hits.values())
    return (file.stem, *shares, f"{median(milliseconds) if milliseconds else 0.0:.0f}")


if __name__ == "__main__":
    sys.exit(main())
