"""Query variants: what people may type when a passage is the answer, in a data file per edition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from corpus import data_files
from corpus.edition_files import described_editions, described_game
from corpus.languages import LANGUAGES
from corpus.model import Edition, version_key
from corpus.workspace import PHRASINGS, Folders, chosen_folders, game_as_new
from glossary.query_variants import wording
from glossary.query_variants.alignment import attach_query_variants
from glossary.query_variants.model import AttachedVariants, PassageVariants, QueryVariant
from glossary.query_variants.wording import fingerprint

__all__ = [
    "FOLDER",
    "AttachedVariants",
    "PassageVariants",
    "QueryVariant",
    "VariantFields",
    "attach_query_variants",
    "fingerprint",
    "load_query_variants",
    "load_with_sister_editions",
    "mostly_drafted",
    "read_query_variants",
]

FOLDER = Path(__file__).parent

_Texts = list[Annotated[str, Field(min_length=2)]]


class VariantFields(data_files.Fields):
    """The query variants of one passage in a data file."""

    at: str
    players: _Texts = Field(default_factory=list)
    situations: _Texts = Field(default_factory=list)
    gist: str = ""
    situations_en: _Texts = Field(default_factory=list)
    sketch: Annotated[str, Field(pattern=r"^([0-9a-f]{6})*$")] = ""  # of old files; unused
    wording: Annotated[str, Field(pattern=r"^([0-9a-f]{12}( ([0-9a-f]{6})+)?)?$")] = ""
    others: dict[Annotated[str, Field(pattern=r"^[a-z]{2,3}$")], _Texts] = Field(
        default_factory=dict
    )
    drafted: str = ""
    review: dict[str, str] = Field(default_factory=dict)
    reviewed: bool = False


_FILE = TypeAdapter(dict[str, VariantFields])


def read_query_variants(path: Path) -> dict[str, VariantFields]:
    """Return the query variants in a file by fingerprint of their passage. Raises
    `corpus.data_files.DataFileError` if the file is faulty.
    """
    return data_files.load(path, _FILE)


def load_query_variants(edition: str, folders: Folders = None) -> tuple[PassageVariants, ...]:
    """Load the query variants of ``edition`` from ``folders``, by default those of the workspace
    and the package; empty if there is no file.

    The variants that several folders have for one passage are combined in the order of the folders.
    Raises `corpus.data_files.DataFileError` if a file is faulty.
    """
    game = described_game(edition) if game_as_new() else ""
    found: dict[str, PassageVariants] = {}
    for folder in chosen_folders(folders, PHRASINGS, FOLDER, game):
        path = folder / f"{edition}.yaml"
        for variants in _load(path, path.stat().st_mtime_ns) if path.exists() else ():
            before = found.get(variants.fingerprint)
            found[variants.fingerprint] = before.added(variants) if before else variants
    return tuple(found.values())


@lru_cache(maxsize=16)
def _load(path: Path, _changed: int) -> tuple[PassageVariants, ...]:
    return tuple(
        PassageVariants(
            fingerprint=fingerprint,
            at=fields.at,
            players=tuple(fields.players),
            situations=tuple(fields.situations),
            gist=fields.gist,
            situations_en=tuple(fields.situations_en),
            others=tuple(
                QueryVariant(text, language)
                for language, texts in fields.others.items()
                if language in LANGUAGES
                for text in texts
            ),
            drafted=fields.drafted,
            review=tuple(fields.review.items()),
            reviewed=fields.reviewed,
            wording=wording.parsed(fields.wording) if fields.wording else None,
        )
        for fingerprint, fields in read_query_variants(path).items()
    )


def mostly_drafted(variants: Iterable[PassageVariants]) -> bool:
    """Return whether most of ``variants`` were proposed by a model."""
    drafted = [bool(each.drafted) for each in variants]
    return sum(drafted) > len(drafted) / 2


def load_with_sister_editions(
    edition: Edition, folders: Folders = None
) -> tuple[PassageVariants, ...]:
    """Load the query variants of ``edition``, then those of the other known editions of its game in
    its language.

    Thus a new version gets the variants of every passage that it keeps, reworded or not. A
    described edition gets the variants of newer editions only for passages with the same words: a
    changed passage may be a different rule in the older edition, or missing there.
    """
    others = [
        known.edition
        for known in described_editions()
        if (known.edition.game, known.edition.language) == (edition.game, edition.language)
    ]
    found: dict[str, PassageVariants] = {}
    for other in {each.id: each for each in (edition, *others)}.values():
        newer = edition.known and version_key(other.version) > version_key(edition.version)
        for variants in load_query_variants(other.id, folders):
            known = replace(variants, wording=None) if newer else variants
            found.setdefault(variants.fingerprint, known)
    return tuple(found.values())
