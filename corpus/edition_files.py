"""The data files that describe editions, one YAML file for each edition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, model_validator

from corpus import anchors, data_files
from corpus.dates import iso_day
from corpus.languages import LanguageCode, any_of
from corpus.layouts import LAYOUTS
from corpus.model import Correction, DocumentKind, Edition, Fault
from corpus.workspace import EDITIONS, Folders, chosen_folders

FOLDER = Path(__file__).parent / "editions"
_TITLES = {
    DocumentKind.POLICY: re.compile(rf"\b{any_of('documents.policy')}\b", re.IGNORECASE),
    DocumentKind.FORMATS: re.compile(rf"\b{any_of('documents.formats')}\b", re.IGNORECASE),
}


def _registered(layout: str) -> str:
    if layout not in LAYOUTS:
        raise ValueError(f"no layout {layout!r}; there are: {', '.join(LAYOUTS)}")
    return layout


class CorrectionFields(data_files.Fields):
    """A correction in a data file. `corpus.model.Correction` explains the fields."""

    line: Annotated[int, Field(ge=1)]
    fault: Annotated[Fault, Field(strict=False)]
    printed: str
    meant: str | int | None = None
    why: Annotated[str, Field(min_length=3)]
    through: Annotated[int, Field(ge=1)] | None = None
    anchor: Annotated[str, Field(pattern=anchors.PATTERN)] = ""

    @model_validator(mode="after")
    def _says_what_is_meant(self) -> CorrectionFields:
        if self.fault is Fault.TITLE and not self.meant:
            raise ValueError("a title that is corrected needs 'meant'")
        return self

    def correction(self) -> Correction:
        """Return the correction that these fields describe."""
        fields = self.model_dump()
        return Correction(**{**fields, "through": self.through or self.line})


class FormatFields(data_files.Fields):
    """The game format to which all rules under a heading are limited although they do not say so;
    null means that they apply to every format.
    """

    heading: Annotated[str, Field(min_length=1)]
    format: Annotated[str, Field(min_length=1)] | None
    why: Annotated[str, Field(min_length=3)]


def _day(value: object) -> object:
    # YAML parses an unquoted date as `datetime.date`, but a quoted one as a string.
    return date.fromisoformat(iso_day(value)) if isinstance(value, str) else value


class EditionFields(data_files.Fields):
    """The content of an edition file; CONTRIBUTING.md explains the fields."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    game: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    language: LanguageCode
    version: str
    title: str
    effective: Annotated[date, BeforeValidator(_day)] | None = None
    kind: Annotated[DocumentKind, Field(strict=False)] | None = None
    layout: Annotated[str, AfterValidator(_registered)]
    recognise: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)] = Field(
        default_factory=list
    )
    document: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    fallback: str | None = None
    names: dict[str, str] = Field(default_factory=dict)
    sketch: Annotated[str, Field(pattern=r"^[0-9a-f]{8}( [0-9a-f]{8})*$")] | None = None
    lost_signs: dict[str, list[Annotated[str, Field(pattern=r"^[^_]*_[^_]*$", min_length=4)]]] = (
        Field(default_factory=dict)
    )
    formats: list[FormatFields] = Field(default_factory=list)
    corrections: list[CorrectionFields] = Field(default_factory=list)

    @model_validator(mode="after")
    def _can_be_recognised(self) -> EditionFields:
        if not self.recognise and self.document is None:
            missing = "'recognise' or 'document' is missing"
            raise ValueError(f"{missing}, by which the edition is recognised")
        return self

    def edition(self) -> Edition:
        """Return the edition that these fields describe."""
        return Edition(
            id=self.id,
            game=self.game,
            language=self.language,
            version=self.version,
            title=self.title,
            layout=self.layout,
            corrections=tuple(c.correction() for c in self.corrections),
            fallback=self.fallback,
            names=self.names,
            lost_signs={sign: tuple(places) for sign, places in self.lost_signs.items()},
            formats={each.heading: each.format for each in self.formats},
            effective=self.effective.isoformat() if self.effective else "",
            kind=self.kind or kind_of_title(self.title),
        )


_FILE = TypeAdapter(EditionFields)


@dataclass(frozen=True)
class DescribedEdition:
    """An edition, with the fields of its data file by which a document is recognised.

    ``recognise`` are lines, normalised by `plain_line`, which must all be in the head of the
    document; ``document`` is the SHA-256 of the file, ``sketch`` the MinHash of its text
    (`corpus.similarity`). ``rank`` is the position of its folder; lower ranks have priority.
    """

    edition: Edition
    recognise: tuple[str, ...]
    sketch: tuple[str, ...]
    document: str = ""
    rank: int = 0


def kind_of_title(title: str) -> DocumentKind:
    """Guess the kind of a document from its ``title``."""
    kinds = (kind for kind, pattern in _TITLES.items() if pattern.search(title))
    return next(kinds, DocumentKind.RULES)


def letters_of(text: str) -> str:
    """Return the letters and digits of ``text`` in lower case, to compare it across line breaks."""
    return "".join(filter(str.isalnum, text.casefold()))


def described_editions(folders: Folders = None) -> tuple[DescribedEdition, ...]:
    """Return the editions described by files in ``folders``, in order of folders and file names;
    the first file with an id wins.

    Raises `data_files.DataFileError`.
    """
    found: dict[str, DescribedEdition] = {}
    for rank, folder in enumerate(chosen_folders(folders, EDITIONS, FOLDER)):
        for path, changed in data_files.stamped(folder):
            described = _load(path, changed, rank)
            found.setdefault(described.edition.id, described)
    return tuple(found.values())


def described_game(edition: str) -> str:
    """Return the game of the edition with the id ``edition`` according to its file, or "" if it has
    none.

    Raises `data_files.DataFileError`.
    """
    games = (each.edition.game for each in described_editions() if each.edition.id == edition)
    return next(games, "")


def read_edition(path: Path) -> Edition:
    """Read the edition file at ``path``. Raises `data_files.DataFileError`."""
    return data_files.load(path, _FILE).edition()


@lru_cache(maxsize=1024)
def _load(path: Path, _changed: int, rank: int) -> DescribedEdition:
    fields = data_files.load(path, _FILE)
    return DescribedEdition(
        edition=fields.edition(),
        recognise=tuple(plain_line(line) for line in fields.recognise),
        sketch=tuple((fields.sketch or "").split()),
        document=fields.document or "",
        rank=rank,
    )


def plain_line(line: str) -> str:
    """Return ``line`` in lower case, without Markdown markup and with single blanks."""
    return " ".join(re.sub(r"[*_#]", "", line).split()).casefold()
