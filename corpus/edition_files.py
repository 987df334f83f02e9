"""The data files that describe editions, one YAML file each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, TypeAdapter, model_validator

from corpus import anchors, data_files
from corpus.languages import LanguageCode
from corpus.layouts import LAYOUTS
from corpus.model import Correction, Edition, Fault

FOLDER = Path(__file__).parent / "editions"


def _registered(layout: str) -> str:
    """``layout``, if it is the name of a layout. Raises `ValueError` if it is not."""
    if layout not in LAYOUTS:
        raise ValueError(f"no layout {layout!r}; there are: {', '.join(LAYOUTS)}")
    return layout


class CorrectionFields(data_files.Fields):
    """One correction as a data file has it. `corpus.model.Correction` explains the fields."""

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
        """The correction that these fields describe."""
        return Correction(
            line=self.line,
            fault=self.fault,
            printed=self.printed,
            meant=self.meant,
            why=self.why,
            through=self.line if self.through is None else self.through,
            anchor=self.anchor,
        )


class EditionFields(data_files.Fields):
    """The content of a file that describes an edition. CONTRIBUTING.md explains the fields."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    game: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    language: LanguageCode
    version: str
    title: str
    layout: Annotated[str, AfterValidator(_registered)]
    recognise: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    fallback: str | None = None
    names: dict[str, str] = Field(default_factory=dict)
    sketch: Annotated[str, Field(pattern=r"^[0-9a-f]{8}( [0-9a-f]{8})*$")] | None = None
    corrections: list[CorrectionFields] = Field(default_factory=list)

    def edition(self) -> Edition:
        """The edition that these fields describe."""
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
        )


_FILE = TypeAdapter(EditionFields)


@dataclass(frozen=True)
class DescribedEdition:
    """An edition, with the fields of its data file by which it is recognised.

    ``recognise`` are lines as `plain_line` returns them, all of which must be in the head of a document. ``sketch`` is
    the sketch of the edition's text (`corpus.similarity`), empty where the file has none.
    """

    edition: Edition
    recognise: tuple[str, ...]
    sketch: tuple[str, ...]


@cache
def described_editions(folder: Path = FOLDER) -> tuple[DescribedEdition, ...]:
    """The editions that the files in ``folder`` describe, in order of file names. Raises `data_files.DataFileError`."""
    return tuple(_load(path) for path in sorted(folder.glob("*.yaml")))


def _load(path: Path) -> DescribedEdition:
    fields = data_files.load(path, _FILE)
    return DescribedEdition(
        edition=fields.edition(),
        recognise=tuple(plain_line(line) for line in fields.recognise),
        sketch=tuple((fields.sketch or "").split()),
    )


def plain_line(line: str) -> str:
    """``line`` in lower case, without Markdown signs and with single blanks, for comparing lines."""
    return " ".join(re.sub(r"[*_#]", "", line).split()).casefold()
