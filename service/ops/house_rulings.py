"""Rulings of the house: written one by one into the workspace, and taken in from files that others
share.
"""

from __future__ import annotations

from pathlib import Path

from corpus.rulings import load_rulings
from corpus.rulings.described import RulingFields
from corpus.rulings.source_files import SourceFile
from corpus.titles import slug
from service.editions.rulings import new_ruling_id, with_ruling
from service.ops.ruling_workspace import AddedRulings, add_rulings
from service.ops.workspace_data import WorkspaceDataFile

SHARED = "shared"  # the folder of files that were taken in over the web
_SUFFIXES = (".yaml", ".yml", ".csv")


def write_house_ruling(home: Path, game: str, fields: RulingFields) -> str:
    """Write a ruling on ``game`` into the workspace ``home`` and return its id without the game,
    which is made of its question.

    Raises `service.ops.workspace_files.NotKept` or `service.editions.drafting.files.CannotEdit`;
    nothing is written then.
    """
    written: list[str] = []

    def changed(text: str) -> str:
        known = {each.id.partition("/")[2] for each in load_rulings(game, home).rulings}
        written.append(new_ruling_id(fields.question or fields.answer, known))
        return with_ruling(text, game, fields.model_copy(update={"id": written[-1]}))

    WorkspaceDataFile.of_house_rulings(home, game).change(changed)
    return written[-1]


def take_in_rulings(home: Path, game: str, name: str, content: bytes) -> AddedRulings:
    """Put a file of rulings on ``game``, which its owner calls ``name``, into the workspace
    ``home``.

    One of the same name that was taken in before is replaced. Raises
    `service.ops.workspace_files.NotKept`.
    """
    stem, suffix = Path(name).stem, Path(name).suffix.lower()
    path = f"{SHARED}/{slug(stem) or 'rulings'}{suffix if suffix in _SUFFIXES else '.yaml'}"
    return add_rulings(home, game, path, [SourceFile.of(path, content)])
