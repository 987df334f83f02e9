"""Editions, entries, suggestions, concepts, sequences of a game's time, and files of whole
editions.
"""

from __future__ import annotations

from pydantic import Field

from corpus.model import DocumentKind, Kind
from glossary.model import ReferenceKind, ReferenceProblem
from service.schemas.base import RequestParams, ResponseModel
from service.schemas.fields import (
    EditionFilter,
    EditionId,
    GameFilter,
    LanguageTag,
    PageNumber,
    TypedText,
)
from service.schemas.layers import LoadedRulingOut
from service.schemas.passage import (
    EFFECTIVE,
    CitationOut,
    LinkOut,
    PassageOut,
    PlacedSourceOut,
    SourceOut,
)


class SuggestParams(RequestParams):
    """What has been typed so far."""

    q: TypedText = Field(default="", description="What has been typed so far.")
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    language: LanguageTag | None = Field(
        default=None,
        description="Of what is found alike, names in this language come first; that of the browser by default.",
    )


class EntriesParams(RequestParams):
    """Which entries to list."""

    edition: EditionFilter | None = None
    kind: Kind | None = Field(default=None, description="Only entries of this kind.")
    prefix: TypedText | None = Field(
        default=None, description="How the title or the number begins, whatever capitals."
    )
    format: TypedText | None = Field(
        default=None,
        description="Only entries that have rules of this special format, by the name that `applies_to` of a passage "
        "gives it; `general` for rules that hold in every format.",
    )
    page: PageNumber | None = None


class RulingsParams(RequestParams):
    """Which rulings and errata to list; all of them where nothing is named."""

    card: TypedText | None = Field(
        default=None,
        description="The name of a card, or words of it; slips of typing are forgiven.",
    )
    number: TypedText | None = Field(default=None, description="The printed number of the card.")
    product: TypedText | None = Field(
        default=None, description="The pack or set that the card is from."
    )
    game: GameFilter | None = None
    page: PageNumber | None = None


class EditionPathParams(RequestParams):
    """Which edition."""

    edition_id: EditionId


class EntryPathParams(EditionPathParams):
    """Which entry."""

    slug: str = Field(description="The id of the entry without its edition.")


class EntryParams(RequestParams):
    """Whether to give the entries in it too."""

    contents: bool = Field(
        default=False,
        description="Give the entries in it and all in them with their texts too, by pages: the rules of a chapter.",
    )
    page: PageNumber | None = None


class DocumentPathParams(RequestParams):
    """Which document."""

    sha256: str = Field(
        description="The SHA-256 of the document, as `source` of an edition or a citation gives it."
    )


class ConceptPathParams(RequestParams):
    """Which concept."""

    concept: str = Field(
        description="The id of a concept, game first, as `concept` of an entry gives it."
    )


class EditionOut(ResponseModel):
    """One game's rules in one language and version, its document, and how much is in it."""

    id: str = Field(description="The id of the edition.")
    game: str = Field(description="The id of the game.")
    language: str = Field(description="The language, as a BCP 47 tag.")
    version: str = Field(description="The version, as printed.")
    title: str = Field(description="What the rulebook is called.")
    effective: str | None = EFFECTIVE
    kind: DocumentKind = Field(
        description="rules: of a game; policy: of tournaments and penalties; formats: what is legal in them."
    )
    source: SourceOut = Field(description="The document that it was read from.")
    entries: int = Field(description="How many entries it has.")
    passages: int = Field(description="How many passages it has.")


class EditionsOut(ResponseModel):
    """Every edition that is loaded."""

    editions: list[EditionOut] = Field(description="The loaded editions, by game and language.")


class SuggestionOut(ResponseModel):
    """An entry that may be meant."""

    entry: str = Field(description="The id of the entry.")
    title: str = Field(description="What readers know it by.")
    kind: Kind = Field(description="What it is.")
    number: str | None = Field(
        description="The number of a rule or of a card; null where it has none."
    )
    product: str | None = Field(
        description="The pack or set of a ruling or an erratum; null where none is named."
    )
    edition: str = Field(description="The id of its edition.")
    url: str = Field(description="The page of the entry on this service.")


class CardSuggestionOut(ResponseModel):
    """A card that may be meant."""

    id: str = Field(description="The id of the card in its database.")
    game: str = Field(description="The game of the card.")
    title: str = Field(description="Its name, in the language of the one that it was found by.")
    language: str = Field(description="The language of the name.")
    number: str | None = Field(description="The printed number; null where it has none.")
    product: str | None = Field(
        description="The product that it is printed in; null where none is known."
    )
    url: str = Field(description="The page of the card on this service.")


class SuggestionsOut(ResponseModel):
    """Entries for what has been typed so far, and cards, the likeliest first."""

    query: str = Field(description="What has been typed.")
    suggestions: list[SuggestionOut] = Field(
        description="The entries that may be meant, the likeliest first."
    )
    cards: list[CardSuggestionOut] = Field(description="Cards of the databases that are loaded.")


class ReferenceOut(ResponseModel):
    """A place where an entry points to another, as printed, and what is wrong with it."""

    line: int = Field(description="The line of the document that it stands on.")
    raw: str = Field(description="What is printed.")
    target: str | None = Field(description="The entry that a reader should be taken to.")
    kind: ReferenceKind = Field(
        description="How it points: see also, see, within a sentence, in a list of contents, or to a range of rules."
    )
    problem: str | None = Field(
        description="What is wrong with it in print; null where nothing is.",
        json_schema_extra={"enum": [*(p.value for p in ReferenceProblem), None]},
    )
    meant: str | None = Field(description="The entry that is meant where print is wrong.")


class EntryOut(ResponseModel):
    """One thing that a rulebook itself names or numbers."""

    id: str = Field(description="The id of the entry: that of its edition, a slash and its slug.")
    edition: str = Field(description="The id of the edition.")
    kind: Kind = Field(description="What the entry is.")
    heading: str = Field(description="The heading as printed, without signs of markup.")
    title: str = Field(description="The heading as readers see it.")
    number: str | None = Field(
        description="The number of a rule or of a card, as printed; null where it has none."
    )
    product: str | None = Field(
        description="The pack or set of a ruling or an erratum; null where none is named."
    )
    parent: str | None = Field(description="The id of the entry around it.")
    source: PlacedSourceOut = Field(
        description="The place in the document, with all that is in the entry."
    )
    references: list[ReferenceOut] = Field(
        description="Where it points to other entries, in order."
    )
    concept: str | None = Field(description="What it is about, the same in every language.")


class EntryWithTextOut(EntryOut):
    """An entry with its passages."""

    url: str = Field(description="The page of the entry on this service.")
    passages: list[PassageOut] = Field(
        description="Its own passages, in order; not those of the entries in it."
    )


class PagedOut(ResponseModel):
    """One page of a list."""

    total: int = Field(ge=0, description="How many there are on all pages.")
    page: int = Field(description="Which page this is, from 1.", ge=1)
    pages: int = Field(description="How many pages there are.", ge=1)
    next: str | None = Field(description="The address of the next page.")


class EntryContentsOut(PagedOut):
    """The entries in an entry and all in them, with their passages."""

    entries: list[EntryWithTextOut] = Field(description="The entries of this page of the list.")


class WholeEntryOut(EntryWithTextOut):
    """An entry with its passages, the entries in it, and those that refer to it."""

    page: int | None = Field(
        description="The page of a document that has pages, else the printed one; null where none is known."
    )
    path: list[LinkOut] = Field(description="The entries around it, outermost first.")
    children: list[LinkOut] = Field(description="The entries directly in it, in order.")
    referred_to_by: list[LinkOut] = Field(description="The entries that refer to it.")
    contents: EntryContentsOut | None = Field(
        default=None,
        description="With `contents=true`: the entries in it and all in them, in document order.",
    )


class EntriesOut(PagedOut):
    """Entries in document order."""

    entries: list[EntryOut] = Field(description="The entries of this page of the list.")


class RulingsOut(PagedOut):
    """Rulings and errata that rulebooks print, in document order; `loaded` are rulings outside the
    rulebooks.
    """

    rulings: list[EntryWithTextOut] = Field(
        description="Rulings and errata of this page of the list."
    )
    loaded: list[LoadedRulingOut] = Field(
        description="Rulings outside the rulebooks, the newest first; where there are more than on a page, those of this page."
    )


class ConceptOut(ResponseModel):
    """What the editions call a concept, and its entry in each."""

    concept: str = Field(description="The id of the concept.")
    entries: list[EntryWithTextOut] = Field(description="Its entries, in the order of editions.")


class TimingStepOut(ResponseModel):
    """One step, in the rulebook's own words."""

    id: str = Field(
        description="To ask from this step (`step` in `/v1/ask`); it holds as long as the index."
    )
    number: str = Field(description="As it is printed; empty where it has none.")
    words: str = Field(
        description="Its own words as readers see them: those of `citation`, or of one item of them."
    )
    meant: str | None = Field(
        description="The words as they are meant, where it is known that they are misprinted; else null."
    )
    citation: CitationOut = Field(description="Where it stands.")
    points_to: list[LinkOut] = Field(description="The entries that it refers to.")
    sequences: list[TimingSequenceOut] = Field(description="What is done within it, step by step.")


class TimingSequenceOut(ResponseModel):
    """Steps that follow one another."""

    entry: LinkOut = Field(description="The entry that they are printed in.")
    lead_in: str = Field(
        description="What is printed before them and leads in to them; empty where nothing does."
    )
    spans_time: bool = Field(
        description="Whether it is a stretch of the game's time, as a round or a phase, and not, say, an attack."
    )
    again: str | None = Field(
        description="The id of the step that follows the last one again, where the text says so; else null."
    )
    steps: list[TimingStepOut] = Field(description="The steps, in order.")


class TimingOut(ResponseModel):
    """The sequences that a rulebook prints, in document order."""

    edition: str = Field(description="The id of the edition.")
    sequences: list[TimingSequenceOut] = Field(
        description="The sequences that are in no other one, in document order."
    )


TimingStepOut.model_rebuild()


class ExportPathParams(RequestParams):
    """Which edition."""

    edition_id: str = Field(description="The id of an edition: see GET /v1/export.")


class ExportedEditionOut(ResponseModel):
    """The file of one edition: gzip (RFC 1952) of JSON Lines, an entry a line."""

    edition: str = Field(description="The id of the edition.")
    game: str = Field(description="The game that it is of.")
    language: str = Field(description="The language that it is in, as a BCP 47 tag.")
    version: str = Field(description="Its version, as its id has it.")
    title: str = Field(description="What it is called.")
    effective: str | None = EFFECTIVE
    url: str = Field(description="The address of the file on this service.")
    bytes: int = Field(ge=0, description="The size of the file.")
    lines: int = Field(
        ge=0, description="How many lines it has, which are the entries of the edition."
    )
    sha256: str = Field(
        pattern="^[0-9a-f]{64}$",
        description="Of the bytes of the file; header Repr-Digest has it too.",
    )


class ExportsOut(ResponseModel):
    """The files of all editions that are loaded."""

    index: str = Field(description="The index that they were made from.")
    updated: str = Field(
        description="When that index was built, their Last-Modified.",
        json_schema_extra={"format": "date-time"},
    )
    line: str = Field(description="What describes a line: a JSON pointer into /openapi.json.")
    exports: list[ExportedEditionOut] = Field(description="One for each edition.")
