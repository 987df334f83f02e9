"""Puts the cards of the games in an index, taken over from the published one where neither they nor
the games' terms changed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpus.cards.read import games_with_cards, read_cards
from corpus.workspace import workspace
from glossary.concepts import Concept
from index.building.encoding_stage import Progress
from index.building.reuse import PreviousIndex
from index.building.snapshots import CARDS
from index.cards.card_store import FOLDER, save_cards
from index.files.program import program_hash


def card_folders(games: Sequence[str]) -> dict[str, Path]:
    """The folders of cards of those of the ``games`` that have one."""
    return {game: folder for game, folder in games_with_cards(workspace()).items() if game in games}


def card_mark(folders: Mapping[str, Path]) -> str:
    """What the part of an index that is made of the cards in ``folders`` depends on, in one hash:
    files, program, terms.
    """
    digest = hashlib.sha256(
        program_hash(("corpus", "glossary", "index"), (".py", ".yaml")).encode()
    )
    for game, folder in sorted(folders.items()):
        for place, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = Path(place, name)
                if stat.S_ISREG(path.lstat().st_mode):
                    with path.open("rb") as file:
                        found = hashlib.file_digest(file, "sha256").hexdigest()
                    digest.update(
                        f"{game}\0{path.relative_to(folder)}\0{found}\n".encode(
                            "utf-8", "surrogateescape"
                        )
                    )
    return digest.hexdigest()


def save_card_stage(
    place: Path,
    concepts: Mapping[str, Sequence[Concept]],
    previous: PreviousIndex | None,
    progress: Progress,
) -> tuple[str, tuple[str, ...]]:
    """Write the cards of the games that ``concepts`` has into the index at ``place``; their mark,
    and a line for each fault in them.
    """
    folders = card_folders(tuple(concepts))
    mark = card_mark(folders) if folders else ""
    if not folders or (
        previous and previous.said(CARDS) == mark and previous.copy_folder(FOLDER, place)
    ):
        return mark, ()
    progress("reading cards")
    read = {game: read_cards(folder, game) for game, folder in folders.items()}
    for game, found in read.items():
        progress(f"{len(found.cards)} cards of {game}")
    if any(found.cards for found in read.values()):
        types = {
            game: {t.code: t.names for t in found.terms if t.kind == "type"}
            for game, found in read.items()
        }
        save_cards(
            place / FOLDER,
            {game: found.cards for game, found in read.items() if found.cards},
            concepts,
            types,
        )
    return mark, tuple(
        f"cards of {game}: {fault}" for game, found in read.items() for fault in found.faults
    )
