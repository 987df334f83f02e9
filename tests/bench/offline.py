"""Asking offline beside asking the service: what both find, how large packs are, and how long a slow phone takes.

python -m tests.bench.offline [--index DIR] [--rulebooks DIR] QUESTIONS…
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

from index.layers.model import Layer
from index.model import Query
from service.browse.offline_packs import build_pack
from service.core.snapshot import Snapshot
from service.ops.indexes import IndexManager, NoIndex
from service.ops.settings import SettingError, load, locations
from tests.bench.practice import rows
from tests.bench.run import say
from tests.browser.flags import FLAGS
from tests.offline_engine import OfflineEngine

DEPTHS = (1, 5)
SLOWER = 4  # times slower than this machine


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.offline", description=__doc__)
    parser.add_argument("questions", type=Path, nargs="+", metavar="QUESTIONS", help="files of questions with answers")
    parser.add_argument("--rulebooks", metavar="DIR", help="folder of the rulebooks (REGULA_RULEBOOKS)")
    parser.add_argument("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")
    given = parser.parse_args(arguments)
    try:
        snapshot = IndexManager(locations(load({"rulebooks": given.rulebooks, "index": given.index})), say).ready()
    except (SettingError, NoIndex) as fault:
        parser.error(str(fault))
    packs = {game: build_pack(snapshot, game) for game in snapshot.library.games}
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        engine = OfflineEngine(chromium, packs)
        print(f"{'':24}{'service':>16}{'offline':>16}\n{'questions':24}{'R@1':>8}{'R@5':>8}{'R@1':>8}{'R@5':>8}{'ms':>8}")
        for file in given.questions:
            print(_line(file, snapshot, engine), flush=True)
        engine.close()
        slow = OfflineEngine(chromium, packs)
        slow.slow_down(SLOWER)
        for game in packs:
            slow.ask(game, [{"question": "?", "k": 5}])
            opened = f"opened in {engine.opened.get(game, 0):.0f} ms, {SLOWER} times slower in {slow.opened[game]:.0f} ms"
            print(f"{game}: {slow.sizes[game] / 1e6:.1f} MB, {opened}")
        chromium.close()
    return 0


def _line(file: Path, snapshot: Snapshot, engine: OfflineEngine) -> str:
    """Return the figures of one ``file`` of questions; ``ms`` is the median of a question offline."""
    library = snapshot.library
    editions = {source.file: id for id, source in library.sources.items()}
    texts = {passage.id: " ".join(passage.text.split()) for passage in library.searchable}
    asked = [row for row in rows([file]) if row["answers"] and row["document"] in editions]
    hits = {"service": [0, 0], "offline": [0, 0]}
    milliseconds = []
    for row in asked:
        edition = editions[row["document"]]
        result = snapshot.search(Query(row["question"], edition=edition, k=10, layers=(Layer.RULEBOOK,)))
        put = {"question": row["question"], "edition": edition, "k": 10}
        (found,) = engine.ask(library.edition[edition].game, [put])
        milliseconds.append(found["milliseconds"])
        quotes = [" ".join(answer["quote"].split()) for answer in row["answers"]]
        shown = {"service": [hit.passage.id for hit in result.hits], "offline": [passage["id"] for passage in found["passages"]]}
        for name, ids in shown.items():
            for place, depth in enumerate(DEPTHS):
                hits[name][place] += any(quote in texts[id] for id in ids[:depth] for quote in quotes)
    shares = "".join(f"{count / max(len(asked), 1):8.3f}" for found in hits.values() for count in found)
    return f"{file.stem:24}{shares}{median(milliseconds) if milliseconds else 0.0:8.0f}"


if __name__ == "__main__":
    sys.exit(main())
