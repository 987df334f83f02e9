"""Concepts: what entries of different editions and words of different players are about, whatever they call it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from corpus import facts
from corpus.model import Entry, Kind
from corpus.titles import key
from glossary.concepts.following import follow
from glossary.model import Book

FOLDER = Path(__file__).parent
LANGUAGES = ("de", "it", "en")

_NAMES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string", "minLength": 1}}
_BY_LANGUAGE = {"type": "object", "additionalProperties": False, "properties": dict.fromkeys(LANGUAGES, _NAMES)}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "propertyNames": {"pattern": r"^[a-z0-9]+(-[a-z0-9]+)*$"},
    "additionalProperties": {
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": [language]} for language in LANGUAGES],
        "properties": {
            **dict.fromkeys(LANGUAGES, _NAMES),
            "abbreviations": _BY_LANGUAGE,
            "slang": _BY_LANGUAGE,
            "symbols": _NAMES,
            "ordinary": {"type": "boolean"},
            "entries": {
                "type": "object",
                "propertyNames": {"pattern": r"^[a-z0-9][a-z0-9.-]*$"},
                "additionalProperties": {"anyOf": [{"type": "string", "minLength": 1}, _NAMES]},
            },
        },
    },
}

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

    Raises `corpus.facts.FactsFault` where the file is faulty or gives one heading to two concepts.
    """
    path = folder / f"{game}.yaml"
    if not path.exists():
        return ()
    data = facts.load(path, SCHEMA) or {}
    found = tuple(_concept(game, id, fields) for id, fields in data.items())
    owner: dict[tuple[str, str], str] = {}
    for concept in found:
        for edition, headings in concept.entries.items():
            for heading in headings:
                other = owner.setdefault((edition, _key(heading)), concept.id)
                if other != concept.id:
                    raise facts.FactsFault(f"{path.name}: {concept.id}.entries.{edition}: {heading!r} belongs to {other!r} already")
    return found


def _concept(game: str, id: str, fields: dict[str, Any]) -> Concept:
    def by_language(values: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
        return {language: tuple(values[language]) for language in LANGUAGES if language in values}

    return Concept(
        id=id,
        game=game,
        names=by_language(fields),
        abbreviations=by_language(fields.get("abbreviations", {})),
        slang=by_language(fields.get("slang", {})),
        symbols=tuple(fields.get("symbols", ())),
        ordinary=fields.get("ordinary", False),
        entries={e: (h,) if isinstance(h, str) else tuple(h) for e, h in fields.get("entries", {}).items()},
    )


def _key(heading: str) -> str:
    return key(heading) or heading


def tie(concepts: Iterable[Concept], rulebooks: Sequence[Book]) -> Tied:
    """Tie entries of ``rulebooks`` to ``concepts`` by their headings.

    In an edition that the concepts name, by the headings kept for it. In any other edition of the game, such as a newer
    one, by the headings of its sister editions and the official names in its language, where these are no two concepts'.
    A concept whose heading is gone follows its text (see `glossary.concepts.following`).
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
    rulebook: Book, concepts: Sequence[Concept], lost: set[str], shelf: Sequence[Book], by_entry: Mapping[str, str]
) -> dict[str, str]:
    """Ties of entries that ``by_entry`` has none for to concepts that are ``lost`` from ``rulebook``, by their text."""
    here = rulebook.edition
    loose = lost - {by_entry[entry.id] for entry in rulebook.entries if entry.id in by_entry}
    untied = [entry for entry in rulebook.entries if entry.kind in _TIED and entry.id not in by_entry]
    sisters = [
        other for other in shelf if other is not rulebook and (other.edition.game, other.edition.language) == (here.game, here.language)
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
