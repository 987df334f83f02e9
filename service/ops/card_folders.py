"""Card databases of a workspace: a folder is taken in whole, in one step, and told what changed by
it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from corpus.cards.files import CardFiles, FaultList
from corpus.cards.folder import CardFolder
from corpus.cards.lorcanajson import FORM as LORCANAJSON
from corpus.cards.marvelsdb import FORM as MARVELSDB
from corpus.cards.model import CardChanges, card_changes
from corpus.cards.read import is_game, read_cards
from corpus.errors import RegulaError, WrongUse
from corpus.file_changes import FileInUse, UnfinishedChange, held
from corpus.workspace import CARDS
from index.files.durable import sync_tree
from service.ops.workspace_files import NotKept, changed_workspace

_USUAL_GAMES = {MARVELSDB: "marvel-champions", LORCANAJSON: "lorcana"}
_PATIENCE = 60.0  # seconds to wait for another that takes cards in
_MODE = 0o644
_BEFORE = ".before"  # end of the names of folders that were replaced


class NoCards(WrongUse):
    """A folder without cards that can be read."""


class AddedCards(NamedTuple):
    """What was taken in: the folder where it is now, what was read of it, and how that differs from
    what was there before.

    ``before`` is the folder that has what was there, None where nothing was.
    """

    game: str
    folder: Path
    cards: CardFolder
    changes: CardChanges
    before: Path | None


def add_cards(home: Path, folder: Path, game: str = "") -> AddedCards:
    """Take the cards in ``folder`` into the workspace ``home`` as those of ``game``, in place of
    those that are there.

    Without ``game`` it is the one that databases of this form are kept of, else what the folder is
    called. What was there is kept beside until the next time. Raises `NoCards`, `WrongUse`, and
    `NotKept`, in which case all is as it was.
    """
    source = folder.resolve()
    if not source.is_dir():
        raise NoCards(f"{folder}: no folder; name the folder that has the files of the cards")
    if (home / CARDS).resolve() in (source, *source.parents):
        raise WrongUse(f"{folder}: is in the workspace already; 'regula cards check' reads it")
    made = home / CARDS / ".new"
    try:
        with _alone(home):
            shutil.rmtree(made, ignore_errors=True)
            try:
                return _take_in(home, folder, made, game)
            except UnfinishedChange:  # which needs what was made
                raise
            except BaseException:
                shutil.rmtree(made, ignore_errors=True)
                raise
    except RegulaError:
        raise
    except OSError as fault:
        where = fault.filename if isinstance(fault.filename, str) else made.parent
        raise NotKept(
            f"{where}: cannot be written or read ({fault.strerror}); the cards are as they were"
        ) from fault


def _take_in(home: Path, folder: Path, made: Path, game: str) -> AddedCards:
    made.mkdir(parents=True)
    faults = FaultList()
    CardFiles(folder.resolve(), faults).copy(made)
    game = game or _USUAL_GAMES.get(read_cards(made, game).form) or folder.resolve().name
    if not is_game(game):
        raise WrongUse(
            f"{game!r} can be no game's id (lower case letters, digits, hyphens); name the game with --game"
        )
    found = read_cards(made, game)  # the copy, which nobody changes meanwhile
    left_out = faults.all()
    if not found.cards:
        first = next(iter((*left_out, *found.faults)), "no JSON, YAML or CSV file in it")
        raise NoCards(f"{folder}: no cards in it ({first}); nothing was added")
    target = home / CARDS / game
    had = read_cards(target, game).cards if target.is_dir() else ()
    before = target.with_name(f".{game}{_BEFORE}") if target.exists() else None
    sync_tree(made, _MODE)
    with changed_workspace(home) as changes:
        if before is not None:
            changes.remove(before)
        changes.move(made, target, kept=before)
    cards = found._replace(faults=(*left_out, *found.faults))
    return AddedCards(game, target, cards, card_changes(had, cards.cards), before)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Let no other process take cards in, which is read and copied before it changes anything."""
    (home / CARDS).mkdir(parents=True, exist_ok=True)
    try:
        with held(home / CARDS / ".adding", _PATIENCE):
            yield
    except FileInUse as fault:
        raise NotKept(
            f"{home / CARDS}: another process is adding cards; wait for its end"
        ) from fault
