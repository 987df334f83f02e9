"""Find the cards of games, and read a folder of them in any supported format."""

from __future__ import annotations

import re
from pathlib import Path

from corpus.cards.files import CardFiles, FaultList
from corpus.cards.folder import CardFolder
from corpus.cards.lorcanajson import read_lorcanajson
from corpus.cards.marvelsdb import is_marvelsdb, read_marvelsdb
from corpus.cards.plain import read_plain
from corpus.workspace import CARDS, game_as_new

SAMPLE = Path(__file__).resolve().parent.parent / "sample" / CARDS
_GAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")  # as the ids of games in editions


def read_cards(folder: Path, game: str) -> CardFolder:
    """Read the cards of ``game`` in ``folder``: marvelsdb-json-data, LorcanaJSON, or YAML and CSV.

    Each unreadable part is reported in the faults. Raises `OSError` if ``folder`` is not a folder.
    """
    faults = FaultList()
    files = CardFiles(folder, faults)
    if is_marvelsdb(files):
        return read_marvelsdb(files, game, faults)
    return read_lorcanajson(files, game, faults) or read_plain(files, game, faults)


def is_game(name: str) -> bool:
    """Return whether ``name`` can be the id of a game: "a-z", "0-9" and hyphens in between."""
    return _GAME.fullmatch(name) is not None


def games_with_cards(home: Path | None) -> dict[str, Path]:
    """Return the card folder of each game in the workspace ``home``, by game id, in order.

    Without a workspace, return that of the sample game. The game that is treated as new is left
    out.
    """
    folder = SAMPLE if home is None else home / CARDS
    return {
        each.name: each
        for each in (sorted(folder.iterdir()) if folder.is_dir() else ())
        if is_game(each.name) and each.is_dir() and each.name != game_as_new()
    }
