"""Editions, entries, suggestions, cards and concepts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from corpus.model import DocumentKind, Kind
from glossary.model import ReferenceKind, ReferenceProblem
from service.schemas.base import EditionFilter, GameFilter, LanguageTag, PageParam, RequestParams, ResponseModel, TypedText
from service.schemas.passage import EFFECTIVE, LinkOut, PassageOut, PlacedSourceOut, SourceOut
from service.schemas.rulings import LoadedRulingOut


class SuggestParams(RequestParams):
    """What has been typed so far."""

    q: Annotated[TypedText, Field(description="What has been typed so far.")] = ""
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    language: Annotated[
        LanguageTag | None, Field(description="Of what is found alike, names in this language come first; that of the browser by default.")
    ] = None


class EntriesParams(RequestParams):
    """Which entries to list."""

    edition: EditionFilter | None = None
    kind: Annotated[Kind | None, Field(description="Only entries of this kind.")] = None
    prefix: Annotated[TypedText | None, Field(description="How the title or the number begins, whatever capitals.")] = None
    format: Annotated[
        TypedText | None,
        Field(
            description="Only entries that have rules of this special format, by the name that `applies_to` of a passage "
            "gives it; `general` for rules that hold in every format."
        ),
    ] = None
    page: PageParam | None = None


class RulingsParams(RequestParams):
    """Which rulings and errata to list; all of them where nothing is named."""

    card: Annotated[TypedText | None, Field(description="The name of a card, or words of it; slips of typing are forgiven.")] = None
    number: Annotated[TypedText | None, Field(description="The printed number of the card.")] = None
    product: Annotated[TypedText | None, Field(description="The pack or set that the card is from.")] = None
    game: GameFilter | None = None
    page: PageParam | None = None


class EditionPathParams(RequestParams):
    """Which edition."""

    edition_id: Annotated[str, Field(description="The id of an edition: see GET /v1/editions.")]


class EntryPathParams(EditionPathParams):
    """Which entry."""

    slug: Annotated[str, Field(description="The id of the entry without its edition.")]


class EntryParams(RequestParams):
    """Whether to give the entries in it too."""

    contents: Annotated[
        bool, Field(description="Give the entries in it and all in them with their texts too, by pages: the rules of a chapter.")
    ] = False
    page: PageParam | None = None


class DocumentPathParams(RequestParams):
    """Which document."""

    sha256: Annotated[str, Field(description="The SHA-256 of the document, as `source` of an edition or a citation gives it.")]


class ConceptPathParams(RequestParams):
    """Which concept."""

    concept: Annotated[str, Field(description="The id of a concept, game first, as `concept` of an entry gives it.")]


class EditionOut(ResponseModel):
    """One game's rules in one language and version, its document, and how much is in it."""

    id: str
    game: str
    language: str
    version: str
    title: str
    effective: Annotated[str | None, EFFECTIVE]
    kind: Annotated[
        DocumentKind, Field(description="rules: of a game; policy: of tournaments and penalties; formats: what is legal in them.")
    ]
    source: SourceOut
    entries: int
    passages: int


class EditionsOut(ResponseModel):
    """Every edition that is loaded."""

    editions: list[EditionOut]


class SuggestionOut(ResponseModel):
    """An entry that may be meant."""

    entry: str
    title: str
    kind: Kind
    number: str | None
    product: str | None
    edition: str
    url: str


class CardSuggestionOut(ResponseModel):
    """A card that may be meant."""

    id: str
    game: str
    title: Annotated[str, Field(description="Its name, in the language of the one that it was found by.")]
    language: str
    number: str | None
    product: str | None
    url: str


class SuggestionsOut(ResponseModel):
    """Entries for what has been typed so far, and cards, the likeliest first."""

    query: str
    suggestions: list[SuggestionOut]
    cards: Annotated[list[CardSuggestionOut], Field(description="Cards of the databases that are loaded.")]


class ReferenceOut(ResponseModel):
    """A place where an entry points to another, as printed, and what is wrong with it."""

    line: int
    raw: Annotated[str, Field(description="What is printed.")]
    target: Annotated[str | None, Field(description="The entry that a reader should be taken to.")]
    kind: ReferenceKind
    problem: Annotated[str | None, Field(json_schema_extra={"enum": [*(p.value for p in ReferenceProblem), None]})]
    meant: Annotated[str | None, Field(description="The entry that is meant where print is wrong.")]


class EntryOut(ResponseModel):
    """One thing that a rulebook itself names or numbers."""

    id: str
    edition: str
    kind: Kind
    heading: str
    title: str
    number: str | None
    product: str | None
    parent: Annotated[str | None, Field(description="The id of the entry around it.")]
    source: PlacedSourceOut
    references: list[ReferenceOut]
    concept: Annotated[str | None, Field(description="What it is about, the same in every language.")]


class EntryWithTextOut(EntryOut):
    """An entry with its passages."""

    url: str
    passages: list[PassageOut]


class PagedOut(ResponseModel):
    """One page of a list."""

    total: Annotated[int, Field(ge=0, description="How many there are on all pages.")]
    page: Annotated[int, Field(ge=1)]
    pages: Annotated[int, Field(ge=1)]
    next: Annotated[str | None, Field(description="The address of the next page.")]


class EntryContentsOut(PagedOut):
    """The entries in an entry and all in them, with their passages."""

    entries: list[EntryWithTextOut]


class WholeEntryOut(EntryWithTextOut):
    """An entry with its passages, the entries in it, and those that refer to it."""

    page: int | None
    path: Annotated[list[LinkOut], Field(description="The entries around it, outermost first.")]
    children: list[LinkOut]
    referred_to_by: list[LinkOut]
    contents: Annotated[
        EntryContentsOut | None, Field(description="With `contents=true`: the entries in it and all in them, in document order.")
    ] = None


class EntriesOut(PagedOut):
    """Entries in document order."""

    entries: list[EntryOut]


class RulingsOut(PagedOut):
    """Rulings and errata that rulebooks print, in document order; `loaded` are rulings outside the rulebooks."""

    rulings: list[EntryWithTextOut]
    loaded: Annotated[
        list[LoadedRulingOut],
        Field(description="Rulings outside the rulebooks, the newest first; where there are more than on a page, those of this page."),
    ]


class ConceptOut(ResponseModel):
    """What the editions call a concept, and its entry in each."""

    concept: str
    entries: list[EntryWithTextOut]
