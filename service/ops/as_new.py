"""Build an index, beside the published one, that knows a game only by its rulebooks, to measure how
well a new game would be answered.
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from corpus import read_folder
from corpus.errors import NotFound
from corpus.workspace import as_new
from index.building.build import BuildOptions, build
from index.building.fingerprints import fits
from index.building.reuse import ENCODED, READINGS, KeptTexts
from index.building.snapshots import Busy, Damaged, NotWritable, Snapshots
from service.core.snapshot import Snapshot
from service.ops.indexes import IndexManager, NoIndex
from service.ops.settings import Locations

FOLDER = "as-new"  # in the folder of the index; in it a folder for each game, with one snapshot

_GAME = re.compile(r"[a-z0-9-]+")


def snapshot_as_new(
    here: Locations, game: str, report: Callable[[str], None] = lambda _: None
) -> Snapshot:
    """Return an index in which ``game`` is new: without the query variants, concepts and products
    that the program has for it. Those of the workspace are used.

    Cards and rulings of the game are left out, also those in the workspace. The index is kept
    beside that of ``here`` and rebuilt when anything it depends on has changed. It trains its own
    encoder: one from an earlier build may have learned from the data left out. It is stored in
    files, whichever store ``here`` names. ``report`` gets a line for each step of a build. Raises
    `NotFound` for an unknown game, `NoIndex`, and what `index.building.build.build` raises.
    """
    if not _GAME.fullmatch(game):
        raise _unknown(game, _games(here))
    place = here.index / FOLDER / game
    manager = IndexManager(
        replace(here, index=place, store="", store_token=""), report, keep=1, private=False
    )
    with as_new(game):
        with suppress(NoIndex, Damaged):
            if fits(manager.snapshots, here.rulebooks, here.encoder, general=here.general):
                return manager.load()
        games = _games(here)
        if game not in games:
            raise _unknown(game, games)
        _remove_others(here.index / FOLDER, games)
        report(f"building an index beside the published one, in which {game} is a new game")
        kept = KeptTexts(Snapshots(here.index)).get
        build(
            here.rulebooks,
            manager.snapshots,
            BuildOptions(here.encoder, fresh=True, wait=math.inf, kept=kept, general=here.general),
            report,
        )
        for pattern in (
            f"*{ENCODED}-*",
            f"{READINGS}-*",
        ):  # no build will look them up
            for cache in place.glob(pattern):
                cache.unlink(missing_ok=True)
        return manager.load()


def _games(here: Locations) -> list[str]:
    """Return the games of the rulebooks."""
    found = read_folder(here.rulebooks, kept=KeptTexts(Snapshots(here.index)).get)
    return sorted({rulebook.edition.game for rulebook in found.rulebooks})


def _unknown(game: str, games: Collection[str]) -> NotFound:
    return NotFound(f"no game {game!r} here; there are: {', '.join(games) or 'none'}")


def _remove_others(folder: Path, games: Collection[str]) -> None:
    """Remove the indexes of games that have no rulebook any more, except those in use."""
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.name not in games and place.is_dir():
            with suppress(Busy, NotWritable), Snapshots(place).locked():
                shutil.rmtree(place, ignore_errors=True)
