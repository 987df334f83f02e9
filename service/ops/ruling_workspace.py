"""Files of rulings put into the workspace: whole or not at all, with an account of what changed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from corpus.edition_files import described_editions
from corpus.rulings import Ruling, RulingCollection, RulingFault, load_rulings
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
from corpus.workspace import RULEBOOKS, RULINGS
from glossary.check.outdated_rulings import RuleVersions
from service.editions.rulings import described_ruling, with_confirmation
from service.ops.workspace_data import WorkspaceDataFile
from service.ops.workspace_files import NotKept, changed_workspace


class AddedRulings(NamedTuple):
    """What came of adding files: where they are, and the ids of rulings that are new, changed and
    gone; ``faults`` of these files.
    """

    path: Path
    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    faults: tuple[RulingFault, ...]


def read_source(source: Path) -> list[SourceFile | RulingFault]:
    """The files that ``source`` is or has, under the names that they get in the folder of a game.

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
    """Put ``files``, which are the file or the folder ``name``, into the rulings on ``game`` of the
    workspace ``home``.

    Files that were there under the same name are replaced, and those of a folder that are no longer
    in it are removed. Nothing is changed where there is no ruling in them, or where they cannot be
    written: raises `NotKept`.
    """
    if name in (HOUSE, CONFIRMED):
        raise NotKept(
            f"{name}: is what the file of the workspace's own is called; give it another name. Nothing was added"
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
    """The games that there are rulebooks of, as far as files describe them, sorted."""
    folder = home / RULEBOOKS if home is not None else None
    own = (
        [place.name for place in folder.iterdir() if place.is_dir() and place.name[0] != "."]
        if folder and folder.is_dir()
        else []
    )
    return sorted({each.edition.game for each in described_editions()} | set(own))


def _left_over(folder: Path, name: str, files: Sequence[SourceFile]) -> list[Path]:
    """The files of rulings in the folder ``name`` that are not among ``files``; none where ``name``
    is a file.
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
    """The ids of rulings that are new, changed in what they say, and gone."""
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
    """Keep what the rules that ``ruling`` rests on say now, in ``versions``. Raises `NotKept`."""
    now = {basis.rule: versions.current_rule(ruling, basis) for basis in ruling.bases}
    wordings = {rule: found[1] for rule, found in now.items() if found and found[1]}
    if wordings:
        file = WorkspaceDataFile.of_confirmations(home, ruling.game)
        file.change(lambda text: with_confirmation(text, ruling.id, wordings))
    return ConfirmedRuling(tuple(wordings), tuple(rule for rule in now if rule not in wordings))


def named_game(
    source: Path, files: Sequence[SourceFile | RulingFault], games: Sequence[str]
) -> str:
    """The game that a file says it is about, else the one of ``games`` that the file or folder
    ``source`` is called; "" where neither.
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
