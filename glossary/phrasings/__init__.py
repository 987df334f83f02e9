"""Player phrasings: what people type when a certain passage answers them, in a data file for each edition."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter

from corpus import data_files
from corpus.edition_files import described_editions
from corpus.model import Edition, Passage, Role
from corpus.workspace import PHRASINGS, Folders, chosen_folders

FOLDER = Path(__file__).parent

_Texts = list[Annotated[str, Field(min_length=2)]]


class PhrasingFields(data_files.Fields):
    """The phrasings of one passage as a data file has them."""

    at: str
    players: _Texts = Field(default_factory=list)
    situations: _Texts = Field(default_factory=list)
    gist: str = ""
    situations_en: _Texts = Field(default_factory=list)


_FILE = TypeAdapter(dict[str, PhrasingFields])


class Phrasing(NamedTuple):
    """One phrasing and its language."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class PassagePhrasings:
    """The phrasings of one passage.

    ``players`` are short questions and ``situations`` longer stories, in the rulebook's language; ``gist`` says in one
    English sentence what the passage settles, ``situations_en`` are stories in English. ``at`` says where the passage stood.
    """

    fingerprint: str
    at: str
    players: tuple[str, ...]
    situations: tuple[str, ...]
    gist: str
    situations_en: tuple[str, ...]

    def all(self, language: str) -> Iterator[Phrasing]:
        """Every phrasing with its language; ``language`` is that of the rulebook."""
        yield from (Phrasing(text, language) for text in (*self.players, *self.situations))
        yield from (Phrasing(text, "en") for text in (self.gist, *self.situations_en) if text)


@dataclass(frozen=True)
class AttachedPhrasings:
    """Phrasings found for passages (by passage id), passages that have none, and phrasings whose passage is gone."""

    by_passage: Mapping[str, PassagePhrasings]
    missing: tuple[Passage, ...]
    orphaned: tuple[PassagePhrasings, ...]


def fingerprint(text: str) -> str:
    """Twelve hexadecimal digits that stay the same as long as the words of a passage do, however it is broken into lines."""
    return hashlib.sha256(" ".join(re.findall(r"\w+", text.casefold())).encode()).hexdigest()[:12]


def load_phrasings(edition: str, folders: Folders = None) -> tuple[PassagePhrasings, ...]:
    """Load the phrasings of ``edition`` in ``folders``; none where it has no file.

    What several folders have for one passage is added up, that of the first one first; by default that is the workspace's.
    Raises `corpus.data_files.DataFileError` where a file is faulty.
    """
    found: dict[str, PassagePhrasings] = {}
    for path in (folder / f"{edition}.yaml" for folder in chosen_folders(folders, PHRASINGS, FOLDER)):
        for phrasings in _load(path, path.stat().st_mtime_ns) if path.exists() else ():
            before = found.get(phrasings.fingerprint)
            found[phrasings.fingerprint] = _added(before, phrasings) if before else phrasings
    return tuple(found.values())


def _added(one: PassagePhrasings, other: PassagePhrasings) -> PassagePhrasings:
    """What ``one`` and the ``other`` say for the same passage, each text once."""

    def both(texts: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*texts, *more)))

    return replace(
        one,
        players=both(one.players, other.players),
        situations=both(one.situations, other.situations),
        gist=one.gist or other.gist,
        situations_en=both(one.situations_en, other.situations_en),
    )


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
        )
        for fingerprint, fields in data_files.load(path, _FILE).items()
    )


def load_with_sister_editions(edition: Edition, folders: Folders = None) -> tuple[PassagePhrasings, ...]:
    """The phrasings of ``edition`` first, then those of the other editions of its game in its language, as far as they are known.

    So a new version of a rulebook has the phrasings of every passage that it did not change.
    """
    others = [k.edition for k in described_editions() if (k.edition.game, k.edition.language) == (edition.game, edition.language)]
    found: dict[str, PassagePhrasings] = {}
    for id in dict.fromkeys((edition.id, *(e.id for e in others))):
        for phrasings in load_phrasings(id, folders):
            found.setdefault(phrasings.fingerprint, phrasings)
    return tuple(found.values())


def attach_phrasings(phrasings: Iterable[PassagePhrasings], passages: Iterable[Passage]) -> AttachedPhrasings:
    """Tie ``phrasings`` to ``passages`` by fingerprint; a sentence printed twice shares its phrasings."""
    known = {p.fingerprint: p for p in phrasings}
    found: dict[str, PassagePhrasings] = {}
    missing = []
    used = set()
    for passage in passages:
        if passage.role is not Role.TEXT:
            continue
        mark = fingerprint(passage.text)
        if mark in known:
            found[passage.id] = known[mark]
            used.add(mark)
        else:
            missing.append(passage)
    return AttachedPhrasings(found, tuple(missing), tuple(p for mark, p in known.items() if mark not in used))
