"""The concepts of a game as its data file has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    model_validator,
)

from corpus import data_files
from corpus.languages import LANGUAGES
from corpus.workspace import CONCEPTS, Folders, chosen_folders
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
        raise ValueError(
            f"no field and no language {language!r}; languages are: {', '.join(LANGUAGES)}"
        )
    return language


_Names = Annotated[
    list[Annotated[str, Field(min_length=1)]], Field(min_length=1), AfterValidator(_unique)
]
_ByLanguage = dict[Annotated[str, AfterValidator(_known_language)], _Names]


class ConceptFields(data_files.Fields):
    """One concept as a data file has it: its names, each language a field of its own, and the
    fields below.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, _Names]

    abbreviations: _ByLanguage = Field(default_factory=dict)
    slang: _ByLanguage = Field(default_factory=dict)
    symbols: _Names | None = None
    ordinary: bool = False
    side: Literal["", "players", "opponents"] = ""
    entries: dict[
        Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")],
        Annotated[_Names, BeforeValidator(_listed)],
    ] = Field(default_factory=dict)
    proposed: dict[str, Annotated[float, Field(ge=0, le=1, strict=False)]] = Field(
        default_factory=dict
    )
    why: str = ""
    drafted: str = ""
    review: dict[str, str] = Field(default_factory=dict)
    reviewed: bool = False

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


def read_concepts(path: Path) -> dict[str, ConceptFields]:
    """The content of a file of concepts by their ids. Raises `corpus.data_files.DataFileError`
    where it is faulty.
    """
    return data_files.load(path, _FILE)


def games_with_concepts(folders: Folders = None) -> tuple[str, ...]:
    """The games whose concepts are described in ``folders``."""
    return tuple(
        sorted(
            {
                path.stem
                for folder in chosen_folders(folders, CONCEPTS, FOLDER)
                for path in folder.glob("*.yaml")
            }
        )
    )


def load_concepts(game: str, folders: Folders = None) -> tuple[Concept, ...]:
    """The concepts of ``game`` in the order of its files in ``folders``; none where it has no file.

    Of a concept with the same id in two folders, that of the first one counts; by default those are
    the workspace's. One whose entries are only proposed there, or whose aliases a model drafted, is
    added to the other instead. Raises `corpus.data_files.DataFileError` where a file is faulty or
    gives one heading to two concepts.
    """
    files = [folder / f"{game}.yaml" for folder in chosen_folders(folders, CONCEPTS, FOLDER, game)]
    return _load(game, tuple((path, path.stat().st_mtime_ns) for path in files if path.exists()))


@lru_cache(maxsize=64)
def _load(game: str, files: tuple[tuple[Path, int], ...]) -> tuple[Concept, ...]:
    """The concepts of ``files``, the first of which counts most; each is given with the time of its
    last change.
    """
    found: dict[str, Concept] = {}
    owner: dict[tuple[str, str], str] = {}
    for number, (path, _) in enumerate(files):
        for id, fields in read_concepts(path).items():
            concept = _concept(game, id, fields)
            if id not in found:
                found[id] = (
                    _tied_once(concept, owner, path.name)
                    if number == 0
                    else _without_owned(concept, owner)
                )
            elif (proposed := found[id].proposed) and found[id].entries.keys() <= proposed.keys():
                found[id] = _extended(_without_owned(concept, owner), found[id])
            elif found[id].drafted:
                found[id] = _with_aliases(_without_owned(concept, owner), found[id])
    return tuple(found.values())


def _extended(concept: Concept, proposed: Concept) -> Concept:
    """``concept`` with the names and entries that are ``proposed`` for languages and editions that
    it has none of.
    """
    concept = _with_aliases(concept, proposed) if proposed.drafted else concept
    new = {
        edition: headings
        for edition, headings in proposed.entries.items()
        if edition not in concept.entries
    }
    return replace(
        concept,
        names={**proposed.names, **concept.names},
        entries={**concept.entries, **new},
        proposed={edition: sure for edition, sure in proposed.proposed.items() if edition in new},
    )


def _with_aliases(concept: Concept, drafted: Concept) -> Concept:
    """``concept`` with what is ``drafted`` for it behind its own names, abbreviations and slang."""

    def both(
        own: Mapping[str, tuple[str, ...]], more: Mapping[str, tuple[str, ...]]
    ) -> dict[str, tuple[str, ...]]:
        return {
            code: tuple(dict.fromkeys((*own.get(code, ()), *more.get(code, ()))))
            for code in LANGUAGES
            if code in own or code in more
        }

    return replace(
        concept,
        names=both(concept.names, drafted.names),
        abbreviations=both(concept.abbreviations, drafted.abbreviations),
        slang=both(concept.slang, drafted.slang),
        entries={**drafted.entries, **concept.entries},
        drafted=drafted.drafted,
    )


def _tied_once(concept: Concept, owner: dict[tuple[str, str], str], file: str) -> Concept:
    """``concept``, now the ``owner`` of its headings. Raises `corpus.data_files.DataFileError`
    where one has another owner.
    """
    for edition, headings in concept.entries.items():
        for heading in headings:
            other = owner.setdefault((edition, heading_key(heading)), concept.id)
            if other != concept.id:
                raise data_files.DataFileError(
                    f"{file}: {concept.id}.entries.{edition}: {heading!r} belongs to {other!r} already"
                )
    return concept


def _without_owned(concept: Concept, owner: dict[tuple[str, str], str]) -> Concept:
    """``concept`` without the headings that a file before its own gives to another concept."""
    entries = {
        edition: tuple(
            h
            for h in headings
            if owner.setdefault((edition, heading_key(h)), concept.id) == concept.id
        )
        for edition, headings in concept.entries.items()
    }
    return replace(
        concept, entries={edition: headings for edition, headings in entries.items() if headings}
    )


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
        proposed={
            edition: sure for edition, sure in fields.proposed.items() if edition in fields.entries
        },
        drafted=fields.drafted,
        side=fields.side,
    )
