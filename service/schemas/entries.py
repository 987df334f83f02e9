"""Editions, entries, cards, concepts, timing sequences, and files of whole editions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from corpus.cards.model import TextKind
from corpus.model import DocumentKind, Kind
from glossary.model import ReferenceKind, ReferenceProblem
from service.schemas.base import RequestParams, ResponseModel
from service.schemas.fields import (
    EditionFilter,
    EditionId,
    GameFilter,
    GameName,
    LanguageTag,
    Length,
    MessageForm,
    PageNumber,
    QuestionText,
    SpanPair,
    TypedText,
    WholeNumber,
)
from service.schemas.passage import (
    EFFECTIVE,
    CitationOut,
    LinkOut,
    LoadedRulingOut,
    PassageOut,
    PlacedSourceOut,
    SourceOut,
    StringSourceOut,
)


class SuggestParams(RequestParams):
    """The text to complete, and where to look."""

    q: TypedText = ""
    """The text typed so far."""
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    language: LanguageTag | None = None
    """The language whose names come first; that of the browser by default."""


class EntriesParams(RequestParams):
    """The entries to list."""

    edition: EditionFilter | None = None
    kind: Kind | None = None
    """Only entries of this kind."""
    prefix: TypedText | None = None
    """The beginning of the title or the number, in any case."""
    format: TypedText | None = None
    """Only entries with rules of this special format (`applies_to` of a passage); `general` for
    rules of every format.
    """
    page: PageNumber | None = None


class RulingsParams(RequestParams):
    """The rulings and errata to list; all by default."""

    card: TypedText | None = None
    """The name of a card, or words of it, with typos."""
    number: TypedText | None = None
    """The printed number of the card."""
    product: TypedText | None = None
    """The pack or set that the card is from."""
    game: GameFilter | None = None
    page: PageNumber | None = None


class EditionPathParams(RequestParams):
    """The id of an edition."""

    edition_id: EditionId


class EntryPathParams(EditionPathParams):
    """The id of an entry, in two parts."""

    slug: str
    """The id of the entry without its edition."""


class EntryParams(RequestParams):
    """Options for reading an entry."""

    contents: bool = False
    """Whether to include all entries inside it, with their texts, by pages."""
    page: PageNumber | None = None
    was: str | None = Field(None, max_length=500)
    """The former id of the entry, from a redirect."""


class DocumentPathParams(RequestParams):
    """The hash of a document."""

    sha256: str
    """The SHA-256 of the document, as in `source`."""


class ConceptPathParams(RequestParams):
    """The id of a concept."""

    concept: str
    """The id of a concept, as in `concept` of an entry."""


class EditionOut(ResponseModel):
    """An edition: one game's rules in one language and version, read from one document."""

    id: str
    """The id of the edition."""
    game: str
    """The id of the game."""
    language: str
    """The language, as a BCP 47 tag."""
    version: str
    """The version, as printed."""
    title: str
    """The title of the rulebook."""
    effective: str | None = EFFECTIVE
    kind: DocumentKind
    """The kind of document: `policy` on tournaments and penalties, `formats` on legality."""
    source: SourceOut
    """The document that it was read from."""
    entries: int
    """How many entries it has."""
    passages: int
    """How many passages it has."""


class EditionsOut(ResponseModel):
    """All loaded editions."""

    editions: list[EditionOut]
    """The loaded editions, by game and language."""


class SuggestionOut(ResponseModel):
    """An entry that may be meant."""

    entry: str
    """The id of the entry."""
    title: str
    """The title of the entry."""
    kind: Kind
    """The kind of entry."""
    number: str | None
    """The number of a rule or of a card, if any."""
    product: str | None
    """The pack or set of a ruling or an erratum, if any."""
    edition: str
    """The id of its edition."""
    url: str
    """The page of the entry."""


class CardSuggestionOut(ResponseModel):
    """A card that may be meant."""

    id: str
    """The id of the card in its database."""
    game: str
    """The game of the card."""
    title: str
    """The name that it was found by."""
    language: str
    """The language of the name."""
    number: str | None
    """The printed number, if any."""
    product: str | None
    """A product that it is printed in, if known."""
    url: str
    """The page of the card on this service."""


class SuggestionsOut(ResponseModel):
    """Entries and cards for the text typed so far, the likeliest first."""

    query: str
    """The text typed so far."""
    suggestions: list[SuggestionOut]
    """The entries that may be meant, the likeliest first."""
    cards: list[CardSuggestionOut]
    """The cards that may be meant."""


class ReferenceOut(ResponseModel):
    """A printed reference from an entry to another, and the problem with it, if any."""

    line: int
    """The line of the document."""
    raw: str
    """The printed words."""
    target: str | None
    """The entry that a link should lead to."""
    kind: ReferenceKind
    """The kind of reference."""
    problem: str | None = Field(
        json_schema_extra={"enum": [*(p.value for p in ReferenceProblem), None]}
    )
    """The problem with the printed reference, or null."""
    meant: str | None
    """The intended entry, if the printed reference is wrong."""


class EntryOut(ResponseModel):
    """An entry: a term, rule, section or other unit that a rulebook names or numbers."""

    id: str
    """The id of the entry: its edition, a slash and its slug."""
    edition: str
    """The id of the edition."""
    kind: Kind
    """The kind of entry."""
    heading: str
    """The heading as printed, without signs of markup."""
    title: str
    """The heading for readers."""
    number: str | None
    """The number of a rule or of a card, as printed."""
    product: str | None
    """The pack or set of a ruling or an erratum, if any."""
    parent: str | None
    """The id of the entry around it."""
    source: PlacedSourceOut
    """The place in the document."""
    references: list[ReferenceOut]
    """Its references to other entries, in order."""
    concept: str | None
    """The id of its concept, the same in every language."""


class EntryWithTextOut(EntryOut):
    """An entry with its passages."""

    url: str
    """The page of the entry."""
    passages: list[PassageOut]
    """Its own passages, without those of entries inside it."""


class PagedOut(ResponseModel):
    """One page of a list."""

    total: int = Field(ge=0)
    """The number of items on all pages."""
    page: int = Field(ge=1)
    """The number of this page, from 1."""
    pages: int = Field(ge=1)
    """The number of pages."""
    next: str | None
    """The address of the next page."""


class EntryContentsOut(PagedOut):
    """All entries inside an entry, at all levels, with their passages."""

    entries: list[EntryWithTextOut]
    """The entries of this page of the list."""


class FollowedOut(ResponseModel):
    """The former version of an entry, from an older edition or at an older address."""

    entry: str
    """The former id."""
    title: str
    """The former title."""
    number: str | None
    """The former number."""
    source: str
    """Title and version of its rulebook."""
    reworded: bool
    """Whether its words have changed since."""


class WholeEntryOut(EntryWithTextOut):
    """An entry with its passages, the entries inside it, and entries that refer to it."""

    page: int | None
    """The page, counted or printed, if known."""
    path: list[LinkOut]
    """The entries around it, outermost first."""
    children: list[LinkOut]
    """The entries directly inside it, in order."""
    referred_to_by: list[LinkOut]
    """The entries that refer to it."""
    contents: EntryContentsOut | None = None
    """With `contents=true`: all entries inside it."""
    follows: FollowedOut | None = None
    """With `was`: the entry that was at that address."""


class EntriesOut(PagedOut):
    """Entries in document order."""

    entries: list[EntryOut]
    """The entries of this page of the list."""


class RulingsOut(PagedOut):
    """Rulings and errata that rulebooks print, in document order; `loaded` are rulings outside the
    rulebooks.
    """

    rulings: list[EntryWithTextOut]
    """Rulings and errata of this page of the list."""
    loaded: list[LoadedRulingOut]
    """Rulings outside the rulebooks of this page, the newest first."""


class ConceptOut(ResponseModel):
    """A concept, and its entries in the editions."""

    concept: str
    """The id of the concept."""
    entries: list[EntryWithTextOut]
    """Its entries, in the order of editions."""


class TimingStepOut(ResponseModel):
    """A step of a timing sequence, in the rulebook's own words."""

    id: str
    """The id, for `step` of `/v1/ask`; valid for one index."""
    number: str
    """The printed number; empty without one."""
    words: str
    """The words for readers."""
    meant: str | None
    """The corrected words, if known to be misprinted."""
    citation: CitationOut
    """The citation of the step."""
    points_to: list[LinkOut]
    """The entries that it refers to."""
    sequences: list[TimingSequenceOut]
    """The sequences of steps within it."""


class TimingSequenceOut(ResponseModel):
    """A timing sequence: steps that follow one another."""

    entry: LinkOut
    """The entry that they are printed in."""
    lead_in: str
    """The lead-in, perhaps empty."""
    spans_time: bool
    """Whether it is a stretch of time, such as a round or a phase."""
    again: str | None
    """The id of the step that follows the last one, if the text says so."""
    steps: list[TimingStepOut]
    """The steps, in order."""


class TimingOut(ResponseModel):
    """The timing sequences that a rulebook prints, in document order."""

    edition: str
    """The id of the edition."""
    sequences: list[TimingSequenceOut]
    """The outermost sequences."""


TimingStepOut.model_rebuild()


class ExportPathParams(RequestParams):
    """The id of an exported edition."""

    edition_id: str
    """The id of an edition: see GET /v1/export."""


class ExportedEditionOut(ResponseModel):
    """The file of one edition: gzip (RFC 1952) of JSON Lines, one entry per line."""

    edition: str
    """The id of the edition."""
    game: str
    """The game of the edition."""
    language: str
    """The language, as a BCP 47 tag."""
    version: str
    """The version, as in the id."""
    title: str
    """The title of the edition."""
    effective: str | None = EFFECTIVE
    url: str
    """The address of the file on this service."""
    bytes: int = Field(ge=0)
    """The size of the file."""
    lines: int = Field(ge=0)
    """The number of lines (entries)."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """The SHA-256 of the file, as in the header Repr-Digest."""


class ExportsOut(ResponseModel):
    """The files of all loaded editions."""

    index: str
    """The index that they were made from."""
    updated: str = Field(json_schema_extra={"format": "date-time"})
    """The time of that index's build, their Last-Modified."""
    line: str
    """A JSON pointer into /openapi-translators.json to the schema of a line."""
    exports: list[ExportedEditionOut]
    """The files, one for each edition."""


USUAL_CARDS = 10
MOST_CARDS = 50


class CardsParams(RequestParams):
    """The name of a card, and where to look."""

    q: QuestionText
    """A name in any language, whole or in part, with typos; or a number."""
    game: GameFilter | None = None
    language: LanguageTag | None = None
    """The language whose names come first."""
    k: (
        Annotated[
            int,
            WholeNumber(
                1, MOST_CARDS, f"How many cards at most; {USUAL_CARDS} where it is not given."
            ),
        ]
        | None
    ) = None


class CardPathParams(RequestParams):
    """The game and slug of a card."""

    game: GameName
    slug: str
    """The last part of the card's address, its id or the code of a printing."""


class CardParams(RequestParams):
    """The language for a card."""

    language: LanguageTag | None = None
    """The language of messages and labels; that of the browser by default."""


class CardMessageParams(CardParams):
    """The language and format of a message on a card."""

    format: MessageForm
    limit: Length | None = None


class CardNamesOut(ResponseModel):
    """A card with its names: those of its first face with subtitle, by language."""

    id: str
    """The id of the card in its database."""
    game: str
    """The game of the card."""
    slug: str
    """The last part of the card's address."""
    url: str
    """The page of the card."""
    names: dict[str, str]
    """The names with subtitle, by language."""
    type: str
    """The type, as the database calls it."""
    products: list[dict[str, str]]
    """The products that it is printed in, by language."""


class CardHitOut(CardNamesOut):
    """A card that may be meant."""

    score: float = Field(ge=0, le=1)
    """How well the query fits; 1 if it is exactly a whole name."""
    matched: str | None
    """The name that it was found by; null for a number."""
    language: str | None
    """The language of that name."""


class CardsOut(ResponseModel):
    """The cards that a name may mean, the likeliest first."""

    query: str
    """The query."""
    cards: list[CardHitOut]
    """The cards, the likeliest first."""


class SymbolOut(ResponseModel):
    """Characters of a text that stand for a symbol."""

    span: SpanPair
    """The place of the characters in `text`."""
    sign: str | None
    """The character that shows it, if any."""
    names: dict[str, str]
    """The names of the symbol, by language."""


class CardTextOut(ResponseModel):
    """A text of a card, word for word, with its place."""

    kind: TextKind
    """The kind of text."""
    language: str
    """The language that it is in."""
    text: str
    """The text as in the file."""
    display: str
    """The text for readers: without markup, symbols as signs or names."""
    symbols: list[SymbolOut]
    """The symbols in `text`."""
    source: StringSourceOut
    """The place in the file."""


class CardFaceOut(ResponseModel):
    """One face of a card."""

    code: str | None
    """The code of the face, if any."""
    names: dict[str, str]
    """The names by language."""
    subtitles: dict[str, str]
    """The subtitles by language."""
    type: str
    """The type, as the database calls it."""
    traits: dict[str, str]
    """The traits by language."""
    stats: dict[str, str]
    """Printed values by name."""
    texts: list[CardTextOut]
    """The printed texts."""


class PrintingOut(ResponseModel):
    """A product that a card is printed in."""

    code: str
    """The code of the printing in its database."""
    products: dict[str, str]
    """The names of the product, by language."""
    number: str
    """The number printed on it."""
    date: str | None
    """The date (ISO 8601), if known."""


class CardErratumOut(ResponseModel):
    """A correction of a card by its publisher, as far as the database has it."""

    old: CardTextOut | None
    """The text before the correction, if known."""
    new: CardTextOut | None
    """The corrected text, if known."""
    note: CardTextOut | None
    """The publisher's remark, if any."""
    date: str | None
    """The date (ISO 8601), if known."""


class CardRuleOut(ResponseModel):
    """A rule that a card mentions."""

    entry: str
    """The id of its entry."""
    title: str
    """The title of the entry."""
    url: str
    """The page of the entry."""
    concept: str
    """The id of its concept, the same in every language."""
    term: str
    """The term for the rule on the card."""
    source: StringSourceOut | None
    """The place of the term in a text; null for the card's type."""


class CardOut(CardNamesOut):
    """A card with everything known about it."""

    unique: bool
    """Whether a game may have it only once at a time."""
    faces: list[CardFaceOut]
    """Its faces, the front first."""
    printings: list[PrintingOut]
    """The products that it is printed in."""
    errata: list[CardErratumOut]
    """Corrections by its publisher."""
    formats: dict[str, str]
    """By format: `legal`, `banned`, the day from which it is legal, or `until` and a day."""
    rules: list[CardRuleOut]
    """The rules that the card mentions."""
    printed: list[EntryWithTextOut]
    """Errata and rulings on it printed in rulebooks."""
    rulings: list[LoadedRulingOut]
    """Rulings on it outside the rulebooks, the newest first."""
