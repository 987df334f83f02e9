"""The concepts of a game as its data file has them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator

from corpus import data_files
from corpus.languages import LANGUAGES
from glossary.concepts.model import Concept, heading_key

FOLDER = Path(__file__).parent


def _unique(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("a name is given twice")
    return names


def _listed(names: object) -> object:
    return [names] if isinstance(names, str) else names


def _known_language(language: str) -> str:
    if language not in LANGUAGES:
        raise ValueError(f"no field and no language {language!r}; languages are: {', '.join(LANGUAGES)}")
    return language


_Names = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1), AfterValidator(_unique)]
_ByLanguage = dict[Annotated[str, AfterValidator(_known_language)], _Names]


class ConceptFields(data_files.Fields):
    """One concept as a data file has it: its names, each language a field of its own, and the fields below."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, _Names]

    abbreviations: _ByLanguage = Field(default_factory=dict)
    slang: _ByLanguage = Field(default_factory=dict)
    symbols: _Names | None = None
    ordinary: bool = False
    entries: dict[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")], Annotated[_Names, BeforeValidator(_listed)]] = Field(
        default_factory=dict
    )

    @model_validator(mode="after")
    def _has_names(self) -> Self:
        for language in self.names:
            _known_language(language)
        if not self.names:
            raise ValueError(f"a name in one of the languages {', '.join(LANGUAGES)} is missing")
        return self

    @property
    def names(self) -> _ByLanguage:
        """The names by language."""
        return self.__pydantic_extra__


_FILE = TypeAdapter(dict[Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")], ConceptFields])


def games_with_concepts(folder: Path = FOLDER) -> tuple[str, ...]:
    """The games whose concepts are described in ``folder``."""
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


@cache
def load_concepts(game: str, folder: Path = FOLDER) -> tuple[Concept, ...]:
    """The concepts of ``game`` in the order of its file; none where it has no file.

    Raises `corpus.data_files.DataFileError` where the file is faulty or gives one heading to two concepts.
    """
    path = folder / f"{game}.yaml"
    if not path.exists():
        return ()
    data = data_files.load(path, _FILE)
    found = tuple(_concept(game, id, fields) for id, fields in data.items())
    owner: dict[tuple[str, str], str] = {}
    for concept in found:
        for edition, headings in concept.entries.items():
            for heading in headings:
                other = owner.setdefault((edition, heading_key(heading)), concept.id)
                if other != concept.id:
                    raise data_files.DataFileError(f"{path.name}: {concept.id}.entries.{edition}: {heading!r} belongs to {other!r} already")
    return found


def _concept(game: str, id: str, fields: ConceptFields) -> Concept:
    def by_language(values: _ByLanguage) -> dict[str, tuple[str, ...]]:
        return {language: tuple(values[language]) for language in LANGUAGES if language in values}

    return Concept(
        id=id,
        game=game,
        names=by_language(fields.names),
        abbreviations=by_language(fields.abbreviations),
        slang=by_language(fields.slang),
        symbols=tuple(fields.symbols or ()),
        ordinary=fields.ordinary,
        entries={edition: tuple(headings) for edition, headings in fields.entries.items()},
    )
