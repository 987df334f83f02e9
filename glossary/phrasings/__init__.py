"""Player phrasings: what people type when a certain passage answers them, in a data file for each
edition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from corpus import data_files, letter_runs
from corpus.edition_files import described_editions, described_game
from corpus.languages import LANGUAGES
from corpus.model import Edition
from corpus.versions import version_key
from corpus.workspace import PHRASINGS, Folders, chosen_folders, game_as_new
from glossary.phrasings import wording
from glossary.phrasings.attachment import attach_phrasings
from glossary.phrasings.model import AttachedPhrasings, PassagePhrasings, Phrasing, fingerprint

__all__ = [
    "FOLDER", "AttachedPhrasings", "PassagePhrasings", "Phrasing", "PhrasingFields", "attach_phrasings", "fingerprint", "load_phrasings",
    "load_with_sister_editions", "mostly_drafted", "read_phrasings",
]  # fmt: skip

FOLDER = Path(__file__).parent

_Texts = list[Annotated[str, Field(min_length=2)]]


class PhrasingFields(data_files.Fields):
    """The phrasings of one passage as a data file has them."""

    at: str
    players: _Texts = Field(default_factory=list)
    situations: _Texts = Field(default_factory=list)
    gist: str = ""
    situations_en: _Texts = Field(default_factory=list)
    sketch: Annotated[str, Field(pattern=r"^([0-9a-f]{6})*$")] = ""
    wording: Annotated[str, Field(pattern=r"^([0-9a-f]{12}( ([0-9a-f]{6})+)?)?$")] = ""
    others: dict[Annotated[str, Field(pattern=r"^[a-z]{2,3}$")], _Texts] = Field(
        default_factory=dict
    )
    drafted: str = ""
    review: dict[str, str] = Field(default_factory=dict)
    reviewed: bool = False


_FILE = TypeAdapter(dict[str, PhrasingFields])


def read_phrasings(path: Path) -> dict[str, PhrasingFields]:
    """The content of a file of phrasings by fingerprint. Raises `corpus.data_files.DataFileError`
    where it is faulty.
    """
    return data_files.load(path, _FILE)


def load_phrasings(edition: str, folders: Folders = None) -> tuple[PassagePhrasings, ...]:
    """Load the phrasings of ``edition`` in ``folders``; none where it has no file.

    What several folders have for one passage is added up, that of the first one first; by default
    that is the workspace's. Raises `corpus.data_files.DataFileError` where a file is faulty.
    """
    game = described_game(edition) if game_as_new() else ""
    found: dict[str, PassagePhrasings] = {}
    for path in (
        folder / f"{edition}.yaml" for folder in chosen_folders(folders, PHRASINGS, FOLDER, game)
    ):
        for phrasings in _load(path, path.stat().st_mtime_ns) if path.exists() else ():
            before = found.get(phrasings.fingerprint)
            found[phrasings.fingerprint] = before.added(phrasings) if before else phrasings
    return tuple(found.values())


@lru_cache(maxsize=16)
def _load(path: Path, _changed: int) -> tuple[PassagePhrasings, ...]:
    return tuple(
        PassagePhrasings(
            fingerprint=fingerprint,
            at=fields.at,
            players=tuple(fields.players),
            situations=tuple(fields.situations),
            gist=fields.gist,
            situations_en=tuple(fields.situations_en),
            sketch=letter_runs.parsed(fields.sketch),
            others=tuple(
                Phrasing(text, language)
                for language, texts in fields.others.items()
                if language in LANGUAGES
                for text in texts
            ),
            drafted=fields.drafted,
            review=tuple(fields.review.items()),
            reviewed=fields.reviewed,
            wording=wording.parsed(fields.wording) if fields.wording else None,
        )
        for fingerprint, fields in read_phrasings(path).items()
    )


def mostly_drafted(phrasings: Iterable[PassagePhrasings]) -> bool:
    """Return whether most of ``phrasings`` were proposed by a model."""
    drafted = [bool(each.drafted) for each in phrasings]
    return sum(drafted) > len(drafted) / 2


def load_with_sister_editions(
    edition: Edition, folders: Folders = None
) -> tuple[PassagePhrasings, ...]:
    """The phrasings of ``edition`` first, then those of the other editions of its game in its
    language, as far as they are known.

    So a new version has the phrasings of every passage that it has, changed or not. A described
    edition has those of newer ones only where it prints the same words: what these changed is
    another rule there, or none.
    """
    others = [
        k.edition
        for k in described_editions()
        if (k.edition.game, k.edition.language) == (edition.game, edition.language)
    ]
    found: dict[str, PassagePhrasings] = {}
    for other in {each.id: each for each in (edition, *others)}.values():
        newer = edition.known and version_key(other.version) > version_key(edition.version)
        for phrasings in load_phrasings(other.id, folders):
            found.setdefault(
                phrasings.fingerprint,
                replace(phrasings, sketch=(), wording=None) if newer else phrasings,
            )
    return tuple(found.values())
