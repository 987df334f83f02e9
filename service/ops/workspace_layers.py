"""Add rulings and card databases to a workspace, whole or not at all, and say what changed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from corpus.cards.files import CardFiles, FaultList
from corpus.cards.folder import CardFolder
from corpus.cards.lorcanajson import FORM as LORCANAJSON
from corpus.cards.marvelsdb import FORM as MARVELSDB
from corpus.cards.model import (
    CardChanges,
    card_changes,
)
from corpus.cards.read import is_game, read_cards
from corpus.edition_files import described_editions
from corpus.errors import RegulaError, WrongUse
from corpus.file_changes import FileInUse, UnfinishedChange, held
from corpus.rulings import Ruling, RulingCollection, RulingFault, load_rulings
from corpus.rulings.described import RulingFields
from corpus.rulings.loading import HOUSE, read_rulings
from corpus.rulings.source_files import (
    CONFIRMED,
    SUFFIXES,
    SourceFile,
    UnreadableRulings,
    file_content,
    source_files,
    yaml_data,
)
from corpus.titles import slug
from corpus.workspace import CARDS, RULEBOOKS, RULINGS
from glossary.check.outdated_rulings import RuleVersions
from index.files.durable import sync_tree
from service.editions.rulings import described_ruling, new_ruling_id, with_confirmation, with_ruling
from service.ops.workspace import (
    NotKept,
    WorkspaceDataFile,
    changed_workspace,
)


class AddedRulings(NamedTuple):
    """Result of adding files: their paths, the ids of new, changed and removed rulings, and the
    ``faults`` of these files.
    """

    path: Path
    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    faults: tuple[RulingFault, ...]


def read_source(source: Path) -> list[SourceFile | RulingFault]:
    """Return the file ``source``, or the files in the folder ``source``, under the names they get
    in the folder of a game.

    Raises `NotKept` for a file that cannot be read.
    """
    if not source.is_dir():
        try:
            return [SourceFile.of(source.name, file_content(source))]
        except UnreadableRulings as fault:
            raise NotKept(f"{source}: {fault}; nothing was added") from fault
    folder = source.resolve().name
    return [
        each._replace(file=f"{folder}/{each.file}")
        if isinstance(each, RulingFault)
        else each._replace(name=f"{folder}/{each.name}")
        for each in source_files(source)
    ]


def add_rulings(
    home: Path, game: str, name: str, files: Sequence[SourceFile | RulingFault]
) -> AddedRulings:
    """Add ``files``, the content of the file or folder ``name``, to the rulings on ``game`` of the
    workspace ``home``.

    Files with the same name are replaced, and those of a folder that are no longer in it are
    removed. Raises `NotKept`, and changes nothing if the files have no ruling or cannot be
    written.
    """
    if name in (HOUSE, CONFIRMED):
        raise NotKept(
            f"{name}: is what the file of the workspace's own is called; give it another name. "
            "Nothing was added"
        )
    found = read_rulings(files, game)
    sources = [each for each in files if isinstance(each, SourceFile)]
    if not found.rulings:
        why = f" ({found.faults[0]})" if found.faults else ""
        raise NotKept(f"{name}: no ruling could be read{why}; nothing was added")
    folder = home / RULINGS / game
    with changed_workspace(home) as changes:
        before = load_rulings(game, home)
        for each in sources:
            changes.write(folder / each.name, each.raw)
        for path in _left_over(folder, name, sources):
            changes.remove(path)
    after = load_rulings(game, home)
    own = {each.name for each in sources}
    faults = (
        *(f for f in found.faults if f.file not in own),
        *(f for f in after.faults if f.file in own),
    )
    return AddedRulings(folder / name, *_changes(before, after), faults)


def known_games(home: Path | None) -> list[str]:
    """Return the games of described editions and of folders in ``home``, sorted."""
    folder = home / RULEBOOKS if home is not None else None
    own = (
        [place.name for place in folder.iterdir() if place.is_dir() and place.name[0] != "."]
        if folder and folder.is_dir()
        else []
    )
    return sorted({each.edition.game for each in described_editions()} | set(own))


def _left_over(folder: Path, name: str, files: Sequence[SourceFile]) -> list[Path]:
    """Return the files of rulings in the folder ``name`` that are not among ``files``; none if
    ``name`` is a file.
    """
    place = folder / name
    if not place.is_dir():
        return []
    kept = {folder / each.name for each in files}
    return [
        path
        for path in place.rglob("*")
        if path.suffix.lower() in SUFFIXES and path.is_file() and path not in kept
    ]


def _changes(
    before: RulingCollection, after: RulingCollection
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the ids of rulings that are new, changed in their content, and removed."""
    was, now = ({each.id: each for each in found.rulings} for found in (before, after))

    changed = tuple(
        id for id in now if id in was and described_ruling(now[id]) != described_ruling(was[id])
    )
    return (
        tuple(id for id in now if id not in was),
        changed,
        tuple(id for id in was if id not in now),
    )


class ConfirmedRuling(NamedTuple):
    """The ``rules`` that a ruling was confirmed with, and those that are ``missing``."""

    rules: tuple[str, ...]
    missing: tuple[str, ...]


def confirm_ruling(home: Path, ruling: Ruling, versions: RuleVersions) -> ConfirmedRuling:
    """Store the present words, in ``versions``, of the rules that ``ruling`` rests on. Raises
    `NotKept`.
    """
    now = {basis.rule: versions.current_rule(ruling, basis) for basis in ruling.bases}
    wordings = {rule: found[1] for rule, found in now.items() if found and found[1]}
    if wordings:
        file = WorkspaceDataFile.of_confirmations(home, ruling.game)
        file.change(lambda text: with_confirmation(text, ruling.id, wordings))
    return ConfirmedRuling(tuple(wordings), tuple(rule for rule in now if rule not in wordings))


def named_game(
    source: Path, files: Sequence[SourceFile | RulingFault], games: Sequence[str]
) -> str:
    """Return the game that a file names, else the one of ``games`` that the file or folder
    ``source`` is named after; "" if neither.
    """
    for file in files:
        if isinstance(file, SourceFile) and file.suffix in (".yaml", ".yml"):
            with suppress(UnreadableRulings):
                data = yaml_data(file)
                if isinstance(data, dict) and isinstance(data.get("game"), str):
                    return str(data["game"])
    return next(
        (name for name in (source.resolve().stem, source.resolve().parent.name) if name in games),
        "",
    )


SHARED = "shared"  # the folder of files that were uploaded
_SUFFIXES = (".yaml", ".yml", ".csv")


def write_house_ruling(home: Path, game: str, fields: RulingFields) -> str:
    """Write a ruling on ``game`` into the workspace ``home`` and return its id without the game,
    which is derived from its question.

    Raises `service.ops.workspace.NotKept`; nothing is written then.
    """
    written: list[str] = []

    def changed(text: str) -> str:
        known = {each.id.partition("/")[2] for each in load_rulings(game, home).rulings}
        written.append(new_ruling_id(fields.question or fields.answer, known))
        return with_ruling(text, game, fields.model_copy(update={"id": written[-1]}))

    WorkspaceDataFile.of_house_rulings(home, game).change(changed)
    return written[-1]


def take_in_rulings(home: Path, game: str, name: str, content: bytes) -> AddedRulings:
    """Add an uploaded file of rulings on ``game``, which its owner calls ``name``, to the workspace
    ``home``.

    An earlier uploaded file of the same name is replaced. Raises
    `service.ops.workspace.NotKept`.
    """
    stem, suffix = Path(name).stem, Path(name).suffix.lower()
    path = f"{SHARED}/{slug(stem) or 'rulings'}{suffix if suffix in _SUFFIXES else '.yaml'}"
    return add_rulings(home, game, path, [SourceFile.of(path, content)])


_USUAL_GAMES = {MARVELSDB: "marvel-champions", LORCANAJSON: "lorcana"}
_PATIENCE = 60.0  # seconds to wait for another import of cards
_MODE = 0o644
_BEFORE = ".before"  # end of the names of replaced folders


class NoCards(WrongUse):
    """A folder without cards that can be read."""


class AddedCards(NamedTuple):
    """Result of adding cards: their new folder, what was read, and how that differs from what was
    there before.

    ``before`` is the folder that keeps the previous cards, None if there were none.
    """

    game: str
    folder: Path
    cards: CardFolder
    changes: CardChanges
    before: Path | None


def add_cards(home: Path, folder: Path, game: str) -> AddedCards:
    """Copy the cards in ``folder`` into the workspace ``home`` as those of ``game``, replacing the
    present ones.

    Without ``game``, it is the game that databases of this form belong to, else the name of the
    folder. The previous cards are kept beside them until the next import. Raises `NoCards`,
    `WrongUse`, and `NotKept`, after which nothing is changed.
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
            except UnfinishedChange:  # which still needs the copy
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
            f"{game!r} can be no game's id (lower case letters, digits, hyphens); name the game "
            "with --game"
        )
    found = read_cards(made, game)  # read from the copy, which nobody changes meanwhile
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
    """Keep other processes from adding cards: an import reads and copies before it changes
    anything.
    """
    (home / CARDS).mkdir(parents=True, exist_ok=True)
    try:
        with held(home / CARDS / ".adding", _PATIENCE):
            yield
    except FileInUse as fault:
        raise NotKept(
            f"{home / CARDS}: another process is adding cards; wait for its end"
        ) from fault
