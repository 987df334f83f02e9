"""How long card databases take to be read: ``python -m tests.bench.card_reading FOLDER…``, each folder called as its game."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from corpus.cards.read import read_cards
from tests.bench.tables import Table

RUNS = 3


def reading_time(folder: Path, game: str) -> tuple[str, ...]:
    """What reading the cards in ``folder`` gives, and the least seconds of `RUNS`: by the clock, and of the processor."""
    elapsed, used = [], []
    for _ in range(RUNS):
        before, start = time.process_time(), time.perf_counter()
        found = read_cards(folder, game)
        elapsed.append(time.perf_counter() - start)
        used.append(time.process_time() - before)
    printings = sum(len(card.printings) for card in found.cards)
    texts = sum(1 for card in found.cards for _ in card.texts())
    counts = (f"{len(found.cards):,}", f"{printings:,}", f"{texts:,}", ", ".join(found.languages), f"{len(found.faults):,}")
    return (game, *counts, f"{min(elapsed):.2f}", f"{min(used):.2f}")


def main() -> None:
    """Print a row for each folder."""
    folders = [Path(name) for name in sys.argv[1:]]
    if not folders:
        sys.exit("name folders of cards, each called as its game: python -m tests.bench.card_reading cards/marvel-champions")
    columns = ("game", "cards", "printings", "texts", "languages", "faults", "seconds", "of the processor")
    rows = tuple(reading_time(folder, folder.resolve().name) for folder in folders)
    print(Table(f"Reading cards, the quickest of {RUNS} times", columns, rows).plain())


if __name__ == "__main__":
    main()
