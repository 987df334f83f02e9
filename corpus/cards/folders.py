"""Where the cards of games are: in the workspace, or those of the sample game where there is
none.
"""

from __future__ import annotations

import re
from pathlib import Path

from corpus.workspace import CARDS, game_as_new

SAMPLE = Path(__file__).resolve().parent.parent / "sample" / CARDS
_GAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")  # as the ids of games in editions


def is_game(name: str) -> bool:
    """Whether ``name`` can be the id of a game: lower case letters, digits, and hyphens between
    them.
    """
    return _GAME.fullmatch(name) is not None


def games_with_cards(home: Path | None) -> dict[str, Path]:
    """The folder of cards of each game that has one, by the game's id, in order: those in the
    workspace ``home``.

    Without a workspace they are those of the sample game. A game that is taken for a new one has
    none.
    """
    folder = SAMPLE if home is None else home / CARDS
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return {
        each.name: each
        for each in found
        if is_game(each.name) and each.is_dir() and each.name != game_as_new()
    }
