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
from index.search import Index
from service.answers.offline import build_pack
from service.ops.indexes import IndexManager, NoIndex
from service.ops.settings import SettingError, load, locations
from tests.bench.practice import rows
from tests.bench.run import say
from tests.browser.flags import FLAGS
from tests.offline_engine import OfflineEngine

DEPTHS = (1, 5)
SLOWER = 4  # times slower than this machine
TIMED = 40  # questions of a file that are timed


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.offline", description=__doc__)
    parser.add_argument("questions", type=Path, nargs="+", metavar="QUESTIONS", help="files of questions with answers")
    parser.add_argument("--rulebooks", metavar="DIR", help="folder of the rulebooks (REGULA_RULEBOOKS)")
    parser.add_argument("--index", metavar="DIR", help="folder of the index (REGULA_INDEX)")
    given = parser.parse_args(arguments)
    try:
        snapshot = IndexManager(locations(load({"rulebooks": given.rulebooks, "index": given.index})), say).ready()
    except (SettingError, NoIndex) as fault:
        parser.error(str(fault))
    index = snapshot.index
    assert isinstance(index, Index)
    packs = {game: build_pack(snapshot, game) for game in index.library.games}
    for game, pack in packs.items():
        print(f"{game}: {pack.size / 1e6:.1f} MB")
    print(f"{'':24}{'service':>16}{'offline':>16}\n{'questions':24}{'R@1':>8}{'R@5':>8}{'R@1':>8}{'R@5':>8}{'same first':>12}{'ms':>8}")
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        engine = OfflineEngine(chromium, packs)
        for file in given.questions:
            print(_line(file, index, engine))
        chromium.close()
    return 0


def _line(file: Path, index: Index, engine: OfflineEngine) -> str:
    """The figures of one ``file`` of questions; ``ms`` is the median for a processor `SLOWER` times slower."""
    editions = {source.file: id for id, source in index.library.sources.items()}
    asked = [row for row in rows([file]) if row["document"] in editions]
    hits = {"service": [0, 0], "offline": [0, 0]}
    same = 0
    for row in asked:
        edition = editions[row["document"]]
        query = Query(row["question"], edition=edition, k=10, layers=(Layer.RULEBOOK,))
        served = [hit.passage.text for hit in index.search(query).hits]
        (found,) = engine.ask(index.library.edition[edition].game, [{"question": row["question"], "edition": edition, "k": 10}])
        offline = [passage["text"] for passage in found.answer["passages"]]
        same += served[:1] == offline[:1]
        quotes = [" ".join(answer["quote"].split()) for answer in row["answers"]]
        for name, texts in (("service", served), ("offline", offline)):
            for place, depth in enumerate(DEPTHS):
                hits[name][place] += any(quote in " ".join(text.split()) for text in texts[:depth] for quote in quotes)
    engine.slow_down(SLOWER)
    timed = []
    for row in asked[:: max(len(asked) // TIMED, 1)]:
        edition = editions[row["document"]]
        timed += engine.ask(index.library.edition[edition].game, [{"question": row["question"], "edition": edition}])
    engine.slow_down(1)
    settled = max(sum(bool(row["answers"]) for row in asked), 1)
    shares = "".join(f"{count / settled:8.3f}" for found in hits.values() for count in found)
    middle = median(each.milliseconds for each in timed) if timed else 0.0
    return f"{file.stem:24}{shares}{same / max(len(asked), 1):12.3f}{middle:8.0f}"


if __name__ == "__main__":
    sys.exit(main())
