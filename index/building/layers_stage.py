"""The stage of a build that reads and writes what stands beside the rulebooks: rulings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from corpus.rulings.loading import load_rulings
from corpus.rulings.model import Ruling
from corpus.workspace import workspace
from index.layers.ruling_store import RULINGS, RulingStore


def read_rulings(games: Iterable[str], report: Callable[[str], None]) -> dict[str, tuple[Ruling, ...]]:
    """The rulings of each of ``games``: the workspace's, else the sample's; ``report`` gets a line for each that was left out."""
    found = {}
    for game in games:
        collection = load_rulings(game, workspace())
        for fault in collection.faults:
            report(str(fault))
        found[game] = collection.rulings
    return found


def save_rulings(games: Iterable[str], place: Path, report: Callable[[str], None]) -> RulingStore:
    """Write the rulings of ``games`` to ``place``, where the new index is built."""
    store = RulingStore.build(read_rulings(games, report))
    if len(store):
        report(f"{len(store)} rulings")
    store.save(place / RULINGS)
    return store
