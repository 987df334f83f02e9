"""Load the concepts of a game from its data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
from corpus.titles import key
from corpus.workspace import CONCEPTS, Folders, chosen_folders

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Concept:
    """One term of a game.

    Attributes:
        names: Official names by language; the first as a heading prints it, the others inflected or
            alternative.
        slang: What players call it.
        ordinary: Whether its names are everyday words ("dann", "poi"), which mean the term only if
            a question says so.
        entries: The headings of its entries by edition.
        proposed: Editions whose entry a program has found and nobody confirmed, with a score from 0
            to 1.
        drafted: The model that proposed names, abbreviations or slang, and when.
        side: Whom it belongs to in games with two sides: ``"players"`` or ``"opponents"``; else "".
        senses: Names with different meanings, by sense and language; a term list has a row for each
            sense. Names in no sense belong to the concept itself, unless a sense has its id.
    """

    id: str
    game: str
    names: Mapping[str, tuple[str, ...]]
    abbreviations: Mapping[str, tuple[str, ...]]
    slang: Mapping[str, tuple[str, ...]]
    symbols: tuple[str, ...]
    ordinary: bool
    entries: Mapping[str, tuple[str, ...]]
    proposed: Mapping[str, float] = field(default_factory=dict)
    drafted: str = ""
    side: str = ""
    senses: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def name(self, language: str) -> str | None:
        """Return the official name in ``language``, or None if there is none."""
        return next(iter(self.names.get(language, ())), None)


def heading_key(heading: str) -> str:
    """Return the key for comparing headings: their words, or the heading itself if it has none."""
    return key(heading) or heading


def _unique(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("a name is given twice")
    return names


def _known_language(language: str) -> str:
    if language not in LANGUAGES:
        raise ValueError(
            f"no field and no language {language!r}; languages are: {', '.join(LANGUAGES)}"
        )
    return language


_Names = Annotated[
    list[Annotated[str, Field(min_length=1)]], Field(min_length=1), AfterValidator(_unique)
]
_OneOrMore = Annotated[
    _Names, BeforeValidator(lambda names: [names] if isinstance(names, str) else names)
]
_ID = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_ByLanguage = dict[Annotated[str, AfterValidator(_known_language)], _Names]


class ConceptFields(data_files.Fields):
    """A concept in a data file: its names, one field for each language, and the fields below."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, _Names]

    abbreviations: _ByLanguage = Field(default_factory=dict)
    slang: _ByLanguage = Field(default_factory=dict)
    symbols: _Names | None = None
    ordinary: bool = False
    side: Literal["", "players", "opponents"] = ""
    senses: dict[Annotated[str, Field(pattern=_ID)], _ByLanguage] = Field(default_factory=dict)
    entries: dict[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")], _OneOrMore] = Field(
        default_factory=dict
    )
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


_FILE = TypeAdapter(dict[Annotated[str, Field(pattern=_ID)], ConceptFields])


def read_concepts(path: Path) -> dict[str, ConceptFields]:
    """Read a file of concepts, by id. Raises `corpus.data_files.DataFileError` if it is faulty."""
    return data_files.load(path, _FILE)


def games_with_concepts() -> tuple[str, ...]:
    """Return the games whose concepts are described, sorted."""
    known = chosen_folders(None, CONCEPTS, FOLDER)
    return tuple(sorted({path.stem for folder in known for path in folder.glob("*.yaml")}))


def load_concepts(game: str, folders: Folders = None) -> tuple[Concept, ...]:
    """Return the concepts of ``game`` in the order of its files in ``folders`` (by default the
    workspace's first); empty if there is no file.

    If two folders have a concept with the same id, the first one counts. But if its entries there
    are only proposed, or its aliases drafted by a model, it is added to the other one. Raises
    `corpus.data_files.DataFileError` if a file is faulty or gives one heading to two concepts.
    """
    files = [folder / f"{game}.yaml" for folder in chosen_folders(folders, CONCEPTS, FOLDER, game)]
    return _load(game, tuple((path, path.stat().st_mtime_ns) for path in files if path.exists()))


@lru_cache(maxsize=64)
def _load(game: str, files: tuple[tuple[Path, int], ...]) -> tuple[Concept, ...]:
    """Return the concepts of ``files``, paths and times of last change in order of priority."""
    found: dict[str, Concept] = {}
    owner: dict[tuple[str, str], str] = {}  # of a heading of an edition
    for number, (path, _) in enumerate(files):
        for id, fields in read_concepts(path).items():
            first = found.get(id)
            extended = False
            if first is not None:
                only_proposed = first.entries.keys() <= first.proposed.keys()
                extended = bool(first.proposed) and only_proposed
                if not extended and not first.drafted:
                    continue
            entries: dict[str, tuple[str, ...]] = {}
            for edition, headings in fields.entries.items():
                for heading in headings:
                    other = owner.setdefault((edition, heading_key(heading)), id)
                    if other == id:
                        entries[edition] = (*entries.get(edition, ()), heading)
                    elif number == 0:
                        raise data_files.DataFileError(
                            f"{path.name}: {id}.entries.{edition}: {heading!r} belongs to "
                            f"{other!r} already"
                        )
            concept = Concept(
                id=id,
                game=game,
                names=_by_language(fields.names),
                abbreviations=_by_language(fields.abbreviations),
                slang=_by_language(fields.slang),
                symbols=tuple(fields.symbols or ()),
                ordinary=fields.ordinary,
                entries=entries,
                proposed={e: sure for e, sure in fields.proposed.items() if e in fields.entries},
                drafted=fields.drafted,
                side=fields.side,
                senses={sense: _by_language(names) for sense, names in fields.senses.items()},
            )
            if first is not None:
                concept = _joined(concept, first, extended)
            found[id] = concept
    return tuple(found.values())


def _by_language(*values: Mapping[str, list[str] | tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the names in ``values`` by language, without duplicates, as ordered in `LANGUAGES`."""
    return {
        language: tuple(dict.fromkeys(name for each in values for name in each.get(language, ())))
        for language in LANGUAGES
        if any(language in each for each in values)
    }


def _joined(concept: Concept, first: Concept, extended: bool) -> Concept:
    """Return ``concept`` with the content of ``first``, which comes from an earlier file.

    Aliases drafted by a model go after those of ``concept``. With ``extended``, names and proposed
    entries are added for languages and editions that ``concept`` lacks.
    """
    if first.drafted:
        concept = replace(
            concept,
            names=_by_language(concept.names, first.names),
            abbreviations=_by_language(concept.abbreviations, first.abbreviations),
            slang=_by_language(concept.slang, first.slang),
            entries={**first.entries, **concept.entries},
            drafted=first.drafted,
        )
    if not extended:
        return concept
    new = {e: headings for e, headings in first.entries.items() if e not in concept.entries}
    return replace(
        concept,
        names={**first.names, **concept.names},
        entries={**concept.entries, **new},
        proposed={e: sure for e, sure in first.proposed.items() if e in new},
    )
