"""Editions, entries, suggestions, cards and concepts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from corpus.model import Kind
from glossary.model import Problem, ReferenceKind
from service.schemas.answer import Link, Passage, PlacedSource, Source
from service.schemas.base import EditionId, Game, Page, Parameters, Result, Typed


class SuggestParameters(Parameters):
    """What has been typed so far."""

    q: Annotated[Typed, Field(description="What has been typed so far.")] = ""
    edition: EditionId | None = None
    game: Game | None = None


class EntriesParameters(Parameters):
    """Which entries to list."""

    edition: EditionId | None = None
    kind: Annotated[Kind | None, Field(description="Only entries of this kind.")] = None
    prefix: Annotated[Typed | None, Field(description="How the title or the number begins, whatever capitals.")] = None
    page: Page | None = None


class RulingsParameters(Parameters):
    """Which rulings and errata to list; all of them where nothing is named."""

    card: Annotated[Typed | None, Field(description="The name of a card, or words of it; slips of typing are forgiven.")] = None
    number: Annotated[Typed | None, Field(description="The printed number of the card.")] = None
    product: Annotated[Typed | None, Field(description="The pack or set that the card is from.")] = None
    game: Game | None = None
    page: Page | None = None


class EditionPath(Parameters):
    """Which edition."""

    edition_id: Annotated[str, Field(description="The id of an edition: see GET /v1/editions.")]


class EntryPath(EditionPath):
    """Which entry."""

    slug: Annotated[str, Field(description="The id of the entry without its edition.")]


class ConceptPath(Parameters):
    """Which concept."""

    concept: Annotated[str, Field(description="The id of a concept, game first, as `concept` of an entry gives it.")]


class Edition(Result):
    """One game's rules in one language and version, its document, and how much is in it."""

    id: str
    game: str
    language: str
    version: str
    title: str
    source: Source
    entries: int
    passages: int


class Editions(Result):
    """Every edition that is loaded."""

    editions: list[Edition]


class Suggestion(Result):
    """An entry that may be meant."""

    entry: str
    title: str
    kind: Kind
    number: str | None
    product: str | None
    edition: str
    url: str


class Suggestions(Result):
    """Entries for what has been typed so far, the likeliest first."""

    query: str
    suggestions: list[Suggestion]


class Reference(Result):
    """A place where an entry points to another, as printed, and what is wrong with it."""

    line: int
    raw: Annotated[str, Field(description="What is printed.")]
    target: Annotated[str | None, Field(description="The entry that a reader should be taken to.")]
    kind: ReferenceKind
    problem: Annotated[str | None, Field(json_schema_extra={"enum": [*(p.value for p in Problem), None]})]
    meant: Annotated[str | None, Field(description="The entry that is meant where print is wrong.")]


class Entry(Result):
    """One thing that a rulebook itself names or numbers."""

    id: str
    edition: str
    kind: Kind
    heading: str
    title: str
    number: str | None
    product: str | None
    parent: Annotated[str | None, Field(description="The id of the entry around it.")]
    source: PlacedSource
    references: list[Reference]
    concept: Annotated[str | None, Field(description="What it is about, the same in every language.")]


class EntryWithText(Entry):
    """An entry with its passages."""

    url: str
    passages: list[Passage]


class WholeEntry(EntryWithText):
    """An entry with its passages, the entries in it, and those that refer to it."""

    page: int | None
    path: Annotated[list[Link], Field(description="The entries around it, outermost first.")]
    children: list[Link]
    referred_to_by: list[Link]


class Paged(Result):
    """One page of a list."""

    total: Annotated[int, Field(ge=0, description="How many there are on all pages.")]
    page: Annotated[int, Field(ge=1)]
    pages: Annotated[int, Field(ge=1)]
    next: Annotated[str | None, Field(description="The address of the next page.")]


class Entries(Paged):
    """Entries in document order."""

    entries: list[Entry]


class Rulings(Paged):
    """Rulings and errata in document order."""

    rulings: list[EntryWithText]


class Concept(Result):
    """What the editions call a concept, and its entry in each."""

    concept: str
    entries: list[EntryWithText]
