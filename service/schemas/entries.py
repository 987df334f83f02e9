"""Editions, entries, cards, concepts, sequences of a game's time, and files of whole editions."""

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
    """What has been typed so far."""

    q: TypedText = ""
    """What has been typed so far."""
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    language: LanguageTag | None = None
    """The language whose names come first; that of the browser by default."""


class EntriesParams(RequestParams):
    """Which entries to list."""

    edition: EditionFilter | None = None
    kind: Kind | None = None
    """Only entries of this kind."""
    prefix: TypedText | None = None
    """How the title or the number begins, whatever capitals."""
    format: TypedText | None = None
    """Only entries with rules of this special format (`applies_to` of a passage); `general` for
    rules of every format.
    """
    page: PageNumber | None = None


class RulingsParams(RequestParams):
    """Which rulings and errata to list; all of them where nothing is named."""

    card: TypedText | None = None
    """The name of a card, or words of it, with typos."""
    number: TypedText | None = None
    """The printed number of the card."""
    product: TypedText | None = None
    """The pack or set that the card is from."""
    game: GameFilter | None = None
    page: PageNumber | None = None


class EditionPathParams(RequestParams):
    """Which edition."""

    edition_id: EditionId


class EntryPathParams(EditionPathParams):
    """Which entry."""

    slug: str
    """The id of the entry without its edition."""


class EntryParams(RequestParams):
    """Whether to give the entries in it too."""

    contents: bool = False
    """Give all entries in it with their texts too, by pages."""
    page: PageNumber | None = None
    was: str | None = Field(None, max_length=500)
    """The id of the entry that this one has followed, as a redirect gives it."""


class DocumentPathParams(RequestParams):
    """Which document."""

    sha256: str
    """The SHA-256 of the document, as a `source` gives it."""


class ConceptPathParams(RequestParams):
    """Which concept."""

    concept: str
    """The id of a concept, as `concept` of an entry gives it."""


class EditionOut(ResponseModel):
    """One game's rules in one language and version, its document, and how much is in it."""

    id: str
    """The id of the edition."""
    game: str
    """The id of the game."""
    language: str
    """The language, as a BCP 47 tag."""
    version: str
    """The version, as printed."""
    title: str
    """What the rulebook is called."""
    effective: str | None = EFFECTIVE
    kind: DocumentKind
    """`policy` is of tournaments and penalties; `formats` says what is legal."""
    source: SourceOut
    """The document that it was read from."""
    entries: int
    """How many entries it has."""
    passages: int
    """How many passages it has."""


class EditionsOut(ResponseModel):
    """Every edition that is loaded."""

    editions: list[EditionOut]
    """The loaded editions, by game and language."""


class SuggestionOut(ResponseModel):
    """An entry that may be meant."""

    entry: str
    """The id of the entry."""
    title: str
    """What readers know it by."""
    kind: Kind
    """What it is."""
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
    """Entries for what has been typed so far, and cards, the likeliest first."""

    query: str
    """What has been typed."""
    suggestions: list[SuggestionOut]
    """The entries that may be meant, the likeliest first."""
    cards: list[CardSuggestionOut]
    """Cards of the databases that are loaded."""


class ReferenceOut(ResponseModel):
    """A place where an entry points to another, as printed, and what is wrong with it."""

    line: int
    """The line of the document that it stands on."""
    raw: str
    """What is printed."""
    target: str | None
    """The entry that a reader should be taken to."""
    kind: ReferenceKind
    """How it points."""
    problem: str | None = Field(
        json_schema_extra={"enum": [*(p.value for p in ReferenceProblem), None]}
    )
    """What is wrong with it in print; null where nothing is."""
    meant: str | None
    """The entry that is meant where print is wrong."""


class EntryOut(ResponseModel):
    """One thing that a rulebook itself names or numbers."""

    id: str
    """The id of the entry: its edition, a slash and its slug."""
    edition: str
    """The id of the edition."""
    kind: Kind
    """What the entry is."""
    heading: str
    """The heading as printed, without signs of markup."""
    title: str
    """The heading as readers see it."""
    number: str | None
    """The number of a rule or of a card, as printed."""
    product: str | None
    """The pack or set of a ruling or an erratum, if any."""
    parent: str | None
    """The id of the entry around it."""
    source: PlacedSourceOut
    """The place in the document."""
    references: list[ReferenceOut]
    """Where it points to other entries, in order."""
    concept: str | None
    """What it is about, the same in every language."""


class EntryWithTextOut(EntryOut):
    """An entry with its passages."""

    url: str
    """The page of the entry."""
    passages: list[PassageOut]
    """Its own passages, without those of entries in it."""


class PagedOut(ResponseModel):
    """One page of a list."""

    total: int = Field(ge=0)
    """How many there are on all pages."""
    page: int = Field(ge=1)
    """Which page this is, from 1."""
    pages: int = Field(ge=1)
    """How many pages there are."""
    next: str | None
    """The address of the next page."""


class EntryContentsOut(PagedOut):
    """The entries in an entry and all in them, with their passages."""

    entries: list[EntryWithTextOut]
    """The entries of this page of the list."""


class FollowedOut(ResponseModel):
    """An entry of an older version, or at an older address, that another one has followed."""

    entry: str
    """The id that it had."""
    title: str
    """What it was called."""
    number: str | None
    """The number that it had."""
    source: str
    """Title and version of its rulebook."""
    reworded: bool
    """Whether its words have changed since."""


class WholeEntryOut(EntryWithTextOut):
    """An entry with its passages, the entries in it, and those that refer to it."""

    page: int | None
    """The page, counted or printed, if known."""
    path: list[LinkOut]
    """The entries around it, outermost first."""
    children: list[LinkOut]
    """The entries directly in it, in order."""
    referred_to_by: list[LinkOut]
    """The entries that refer to it."""
    contents: EntryContentsOut | None = None
    """With `contents=true`: all entries in it."""
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
    """What the editions call a concept, and its entry in each."""

    concept: str
    """The id of the concept."""
    entries: list[EntryWithTextOut]
    """Its entries, in the order of editions."""


class TimingStepOut(ResponseModel):
    """One step, in the rulebook's own words."""

    id: str
    """For `step` of `/v1/ask`; it holds as long as the index."""
    number: str
    """As it is printed; empty where it has none."""
    words: str
    """Its words, for readers."""
    meant: str | None
    """The words as they are meant, if known to be misprinted."""
    citation: CitationOut
    """Where it stands."""
    points_to: list[LinkOut]
    """The entries that it refers to."""
    sequences: list[TimingSequenceOut]
    """What is done within it, step by step."""


class TimingSequenceOut(ResponseModel):
    """Steps that follow one another."""

    entry: LinkOut
    """The entry that they are printed in."""
    lead_in: str
    """What leads in to them, if anything."""
    spans_time: bool
    """Whether it is a stretch of time, as a round or a phase."""
    again: str | None
    """The id of the step that follows the last one, if the text says so."""
    steps: list[TimingStepOut]
    """The steps, in order."""


class TimingOut(ResponseModel):
    """The sequences that a rulebook prints, in document order."""

    edition: str
    """The id of the edition."""
    sequences: list[TimingSequenceOut]
    """The sequences that are in no other one."""


TimingStepOut.model_rebuild()


class ExportPathParams(RequestParams):
    """Which edition."""

    edition_id: str
    """The id of an edition: see GET /v1/export."""


class ExportedEditionOut(ResponseModel):
    """The file of one edition: gzip (RFC 1952) of JSON Lines, an entry a line."""

    edition: str
    """The id of the edition."""
    game: str
    """The game that it is of."""
    language: str
    """The language that it is in, as a BCP 47 tag."""
    version: str
    """Its version, as its id has it."""
    title: str
    """What it is called."""
    effective: str | None = EFFECTIVE
    url: str
    """The address of the file on this service."""
    bytes: int = Field(ge=0)
    """The size of the file."""
    lines: int = Field(ge=0)
    """How many lines it has: entries."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """Of the file, as header Repr-Digest."""


class ExportsOut(ResponseModel):
    """The files of all editions that are loaded."""

    index: str
    """The index that they were made from."""
    updated: str = Field(json_schema_extra={"format": "date-time"})
    """When that index was built, their Last-Modified."""
    line: str
    """A JSON pointer into /openapi-translators.json."""
    exports: list[ExportedEditionOut]
    """One for each edition."""


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
    """Which card."""

    game: GameName
    slug: str
    """The last part of the card's address, its id or the code of a printing."""


class CardParams(RequestParams):
    """In what language."""

    language: LanguageTag | None = None
    """Of messages and labels; that of the browser by default."""


class CardMessageParams(CardParams):
    """In what language, in what form."""

    format: MessageForm
    limit: Length | None = None


class CardNamesOut(ResponseModel):
    """What a card is called in each language, as `names` of its first face have it, with its
    subtitle.
    """

    id: str
    """The id of the card in its database."""
    game: str
    """The game of the card."""
    slug: str
    """The last part of the card's address."""
    url: str
    """Its page."""
    names: dict[str, str]
    """By language, with the subtitle."""
    type: str
    """As the database calls it."""
    products: list[dict[str, str]]
    """The products that it is printed in, by language."""


class CardHitOut(CardNamesOut):
    """A card that may be meant."""

    score: float = Field(ge=0, le=1)
    """1 where all that was asked for is a whole name."""
    matched: str | None
    """The name that it was found by; null with a number."""
    language: str | None
    """The language of that name."""


class CardsOut(ResponseModel):
    """The cards that a name may mean, the likeliest first."""

    query: str
    """The name as it was asked for."""
    cards: list[CardHitOut]
    """The likeliest first."""


class SymbolOut(ResponseModel):
    """Characters of a text that stand for a symbol."""

    span: SpanPair
    """Offsets into `text`."""
    sign: str | None
    """The character that shows it, if any."""
    names: dict[str, str]
    """What it is called, by language."""


class CardTextOut(ResponseModel):
    """A text of a card, word for word, with its place."""

    kind: TextKind
    """What the text is."""
    language: str
    """The language that it is in."""
    text: str
    """As it stands in the file."""
    display: str
    """For readers: markup gone, symbols as signs or names."""
    symbols: list[SymbolOut]
    """The symbols in `text`."""
    source: StringSourceOut
    """The place in the file."""


class CardFaceOut(ResponseModel):
    """One face of a card."""

    code: str | None
    """The code of the face, if any."""
    names: dict[str, str]
    """What it is called, by language."""
    subtitles: dict[str, str]
    """What stands under its name, by language."""
    type: str
    """What the card is, as the database calls it."""
    traits: dict[str, str]
    """By language."""
    stats: dict[str, str]
    """Printed values by name."""
    texts: list[CardTextOut]
    """What is printed on it."""


class PrintingOut(ResponseModel):
    """A product that a card is printed in."""

    code: str
    """The code of the printing in its database."""
    products: dict[str, str]
    """What it is called, by language."""
    number: str
    """The number printed on it."""
    date: str | None
    """ISO 8601, if known."""


class CardErratumOut(ResponseModel):
    """A correction of a card by its publisher: what was printed, what holds, what is said of it, as
    far as the database has it.
    """

    old: CardTextOut | None
    """What was printed, if known."""
    new: CardTextOut | None
    """What holds, if known."""
    note: CardTextOut | None
    """What is said of it, if anything."""
    date: str | None
    """ISO 8601, if known."""


class CardRuleOut(ResponseModel):
    """A rule that a text of the card touches."""

    entry: str
    """The id of its entry."""
    title: str
    """What readers know the entry by."""
    url: str
    """The page of the entry."""
    concept: str
    """What the rule is about, the same in every language."""
    term: str
    """How the card says it."""
    source: StringSourceOut | None
    """Where the card says it; null for its type."""


class CardOut(CardNamesOut):
    """All that is known of a card."""

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
    """The rules that its texts touch."""
    printed: list[EntryWithTextOut]
    """Errata and rulings of it that rulebooks print."""
    rulings: list[LoadedRulingOut]
    """Rulings about it beside the rulebooks, the newest first."""
