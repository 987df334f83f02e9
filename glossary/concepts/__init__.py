"""Concepts: what entries of different editions and words of different players are about, whatever they call it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator

from corpus import data_files
from corpus.languages import LANGUAGES
from corpus.model import Entry, Kind
from corpus.titles import key
from glossary.concepts.heading_changes import follow
from glossary.model import Book

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
    """One concept as a data file has it: its names by language beside the fields below."""

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

_TIED = frozenset({Kind.TERM, Kind.REDIRECT, Kind.SECTION, Kind.SUBSECTION})


@dataclass(frozen=True)
class Concept:
    """One term of a game.

    ``names`` are its official names by language, the first of them as a heading prints it, the others inflected or
    alternative; ``slang`` is what players call it. ``ordinary`` says that its names are everyday words ("dann", "poi"):
    in a question they mean the term only where the question says so. ``entries`` are the headings of its entries by edition.
    """

    id: str
    game: str
    names: Mapping[str, tuple[str, ...]]
    abbreviations: Mapping[str, tuple[str, ...]]
    slang: Mapping[str, tuple[str, ...]]
    symbols: tuple[str, ...]
    ordinary: bool
    entries: Mapping[str, tuple[str, ...]]

    def name(self, language: str) -> str | None:
        """The official name in ``language``, None where the game has none."""
        return next(iter(self.names.get(language, ())), None)


class Unfit(NamedTuple):
    """A heading kept for a concept that no entry of the edition has (any more)."""

    concept: str
    edition: str
    heading: str


@dataclass(frozen=True)
class Tied:
    """Concept ids by entry id, and the headings kept for concepts that fit no entry.

    ``followed`` are those of ``by_entry`` that only their text tells: nobody has confirmed their heading.
    """

    by_entry: Mapping[str, str]
    unfit: tuple[Unfit, ...]
    followed: frozenset[str] = frozenset()


def games(folder: Path = FOLDER) -> tuple[str, ...]:
    """The games whose concepts are described in ``folder``."""
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


@cache
def concepts(game: str, folder: Path = FOLDER) -> tuple[Concept, ...]:
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
                other = owner.setdefault((edition, _key(heading)), concept.id)
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


def _key(heading: str) -> str:
    return key(heading) or heading


def tie(concepts: Iterable[Concept], rulebooks: Sequence[Book]) -> Tied:
    """Tie entries of ``rulebooks`` to ``concepts`` by their headings.

    In an edition that the concepts name, by the headings kept for it. In any other edition of the game, such as a newer
    one, by the headings of its sister editions and the official names in its language, where these are no two concepts'.
    A concept whose heading is gone follows its text (see `glossary.concepts.heading_changes`).
    """
    by_game: dict[str, list[Concept]] = defaultdict(list)
    for concept in concepts:
        by_game[concept.game].append(concept)
    by_entry: dict[str, str] = {}
    unfit: list[Unfit] = []
    lost: dict[str, set[str]] = {}  # by edition, the concepts that are looked for by their text
    for rulebook in rulebooks:
        here = by_game.get(rulebook.edition.game, [])
        if any(rulebook.edition.id in concept.entries for concept in here):
            found = list(_tie_named(here, rulebook, by_entry))
            unfit.extend(found)
            lost[rulebook.edition.id] = {each.concept for each in found}
        else:
            _tie_unnamed(here, rulebook, by_entry)
            lost[rulebook.edition.id] = {concept.id for concept in here}
    followed: dict[str, str] = {}
    for rulebook in rulebooks:
        followed |= _followed(rulebook, by_game.get(rulebook.edition.game, []), lost[rulebook.edition.id], rulebooks, by_entry)
    return Tied(by_entry | followed, tuple(unfit), frozenset(followed))


def _followed(
    rulebook: Book, concepts: Sequence[Concept], lost: set[str], rulebooks: Sequence[Book], by_entry: Mapping[str, str]
) -> dict[str, str]:
    """Ties of entries that ``by_entry`` has none for to concepts that are ``lost`` from ``rulebook``, by their text."""
    here = rulebook.edition
    loose = lost - {by_entry[entry.id] for entry in rulebook.entries if entry.id in by_entry}
    untied = [entry for entry in rulebook.entries if entry.kind in _TIED and entry.id not in by_entry]
    sisters = [
        other for other in rulebooks if other is not rulebook and (other.edition.game, other.edition.language) == (here.game, here.language)
    ]
    return follow(rulebook, untied, concepts, loose, sisters, by_entry)


def _tie_named(concepts: Sequence[Concept], rulebook: Book, by_entry: dict[str, str]) -> Iterator[Unfit]:
    """Tie by the headings kept for this edition; yields those that fit nothing."""
    entries: dict[str, list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if entry.kind in _TIED:
            # The title is the heading where it was misprinted, so that a corrected print still fits.
            for spelling in {_key(entry.heading), _key(entry.title)}:
                entries[spelling].append(entry)
    for concept in concepts:
        for heading in concept.entries.get(rulebook.edition.id, ()):
            found = entries.get(_key(heading), [])
            exact = [entry for entry in found if _key(entry.heading) == _key(heading)]
            for entry in exact or found:
                by_entry.setdefault(entry.id, concept.id)
            if not found:
                yield Unfit(concept.id, rulebook.edition.id, heading)


def _tie_unnamed(concepts: Sequence[Concept], rulebook: Book, by_entry: dict[str, str]) -> None:
    """Tie by what the concept is called elsewhere."""
    called: dict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        headings = {_key(heading) for kept in concept.entries.values() for heading in kept}
        name = concept.name(rulebook.edition.language)
        for spelling in headings | ({_key(name)} if name else set()):
            called[spelling].add(concept.id)
    for entry in rulebook.entries:
        if entry.kind in _TIED:
            meant = called.get(_key(entry.heading), set()) or called.get(_key(entry.title), set())
            if len(meant) == 1:
                by_entry[entry.id] = next(iter(meant))
