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

    q: TypedText = Field(default="", description="What has been typed so far.")
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    language: LanguageTag | None = Field(
        default=None,
        description="The language whose names come first; that of the browser by default.",
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
        description="Only entries with rules of this special format (`applies_to` of a passage); "
        "`general` for rules of every format.",
    )
    page: PageNumber | None = None


class RulingsParams(RequestParams):
    """Which rulings and errata to list; all of them where nothing is named."""

    card: TypedText | None = Field(
        default=None,
        description="The name of a card, or words of it, with typos.",
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
        description="Give all entries in it with their texts too, by pages.",
    )
    page: PageNumber | None = None
    was: str | None = Field(
        default=None,
        max_length=500,
        description="The id of the entry that this one has followed, as a redirect gives it.",
    )


class DocumentPathParams(RequestParams):
    """Which document."""

    sha256: str = Field(description="The SHA-256 of the document, as a `source` gives it.")


class ConceptPathParams(RequestParams):
    """Which concept."""

    concept: str = Field(description="The id of a concept, as `concept` of an entry gives it.")


class EditionOut(ResponseModel):
    """One game's rules in one language and version, its document, and how much is in it."""

    id: str = Field(description="The id of the edition.")
    game: str = Field(description="The id of the game.")
    language: str = Field(description="The language, as a BCP 47 tag.")
    version: str = Field(description="The version, as printed.")
    title: str = Field(description="What the rulebook is called.")
    effective: str | None = EFFECTIVE
    kind: DocumentKind = Field(
        description="`policy` is of tournaments and penalties; `formats` says what is legal."
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
    number: str | None = Field(description="The number of a rule or of a card, if any.")
    product: str | None = Field(description="The pack or set of a ruling or an erratum, if any.")
    edition: str = Field(description="The id of its edition.")
    url: str = Field(description="The page of the entry.")


class CardSuggestionOut(ResponseModel):
    """A card that may be meant."""

    id: str = Field(description="The id of the card in its database.")
    game: str = Field(description="The game of the card.")
    title: str = Field(description="The name that it was found by.")
    language: str = Field(description="The language of the name.")
    number: str | None = Field(description="The printed number, if any.")
    product: str | None = Field(description="A product that it is printed in, if known.")
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
    kind: ReferenceKind = Field(description="How it points.")
    problem: str | None = Field(
        description="What is wrong with it in print; null where nothing is.",
        json_schema_extra={"enum": [*(p.value for p in ReferenceProblem), None]},
    )
    meant: str | None = Field(description="The entry that is meant where print is wrong.")


class EntryOut(ResponseModel):
    """One thing that a rulebook itself names or numbers."""

    id: str = Field(description="The id of the entry: its edition, a slash and its slug.")
    edition: str = Field(description="The id of the edition.")
    kind: Kind = Field(description="What the entry is.")
    heading: str = Field(description="The heading as printed, without signs of markup.")
    title: str = Field(description="The heading as readers see it.")
    number: str | None = Field(description="The number of a rule or of a card, as printed.")
    product: str | None = Field(description="The pack or set of a ruling or an erratum, if any.")
    parent: str | None = Field(description="The id of the entry around it.")
    source: PlacedSourceOut = Field(description="The place in the document.")
    references: list[ReferenceOut] = Field(
        description="Where it points to other entries, in order."
    )
    concept: str | None = Field(description="What it is about, the same in every language.")


class EntryWithTextOut(EntryOut):
    """An entry with its passages."""

    url: str = Field(description="The page of the entry.")
    passages: list[PassageOut] = Field(
        description="Its own passages, without those of entries in it."
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


class FollowedOut(ResponseModel):
    """An entry of an older version, or at an older address, that another one has followed."""

    entry: str = Field(description="The id that it had.")
    title: str = Field(description="What it was called.")
    number: str | None = Field(description="The number that it had.")
    source: str = Field(description="Title and version of its rulebook.")
    reworded: bool = Field(description="Whether its words have changed since.")


class WholeEntryOut(EntryWithTextOut):
    """An entry with its passages, the entries in it, and those that refer to it."""

    page: int | None = Field(description="The page, counted or printed, if known.")
    path: list[LinkOut] = Field(description="The entries around it, outermost first.")
    children: list[LinkOut] = Field(description="The entries directly in it, in order.")
    referred_to_by: list[LinkOut] = Field(description="The entries that refer to it.")
    contents: EntryContentsOut | None = Field(
        default=None,
        description="With `contents=true`: all entries in it.",
    )
    follows: FollowedOut | None = Field(
        default=None,
        description="With `was`: the entry that was at that address.",
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
        description="Rulings outside the rulebooks of this page, the newest first."
    )


class ConceptOut(ResponseModel):
    """What the editions call a concept, and its entry in each."""

    concept: str = Field(description="The id of the concept.")
    entries: list[EntryWithTextOut] = Field(description="Its entries, in the order of editions.")


class TimingStepOut(ResponseModel):
    """One step, in the rulebook's own words."""

    id: str = Field(description="For `step` of `/v1/ask`; it holds as long as the index.")
    number: str = Field(description="As it is printed; empty where it has none.")
    words: str = Field(description="Its words, for readers.")
    meant: str | None = Field(description="The words as they are meant, if known to be misprinted.")
    citation: CitationOut = Field(description="Where it stands.")
    points_to: list[LinkOut] = Field(description="The entries that it refers to.")
    sequences: list[TimingSequenceOut] = Field(description="What is done within it, step by step.")


class TimingSequenceOut(ResponseModel):
    """Steps that follow one another."""

    entry: LinkOut = Field(description="The entry that they are printed in.")
    lead_in: str = Field(description="What leads in to them, if anything.")
    spans_time: bool = Field(description="Whether it is a stretch of time, as a round or a phase.")
    again: str | None = Field(
        description="The id of the step that follows the last one, if the text says so."
    )
    steps: list[TimingStepOut] = Field(description="The steps, in order.")


class TimingOut(ResponseModel):
    """The sequences that a rulebook prints, in document order."""

    edition: str = Field(description="The id of the edition.")
    sequences: list[TimingSequenceOut] = Field(
        description="The sequences that are in no other one."
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
    lines: int = Field(ge=0, description="How many lines it has: entries.")
    sha256: str = Field(
        pattern="^[0-9a-f]{64}$",
        description="Of the file, as header Repr-Digest.",
    )


class ExportsOut(ResponseModel):
    """The files of all editions that are loaded."""

    index: str = Field(description="The index that they were made from.")
    updated: str = Field(
        description="When that index was built, their Last-Modified.",
        json_schema_extra={"format": "date-time"},
    )
    line: str = Field(description="A JSON pointer into /openapi-translators.json.")
    exports: list[ExportedEditionOut] = Field(description="One for each edition.")


USUAL_CARDS = 10
MOST_CARDS = 50


class CardsParams(RequestParams):
    """The name of a card, and where to look."""

    q: QuestionText = Field(
        description="A name in any language, whole or in part, with typos; or a number."
    )
    game: GameFilter | None = None
    language: LanguageTag | None = Field(
        default=None,
        description="The language whose names come first.",
    )
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
    slug: str = Field(
        description="The last part of the card's address, its id or the code of a printing."
    )


class CardParams(RequestParams):
    """In what language."""

    language: LanguageTag | None = Field(
        default=None,
        description="Of messages and labels; that of the browser by default.",
    )


class CardMessageParams(CardParams):
    """In what language, in what form."""

    format: MessageForm
    limit: Length | None = None


class CardNamesOut(ResponseModel):
    """What a card is called in each language, as `names` of its first face have it, with its
    subtitle.
    """

    id: str = Field(description="The id of the card in its database.")
    game: str = Field(description="The game of the card.")
    slug: str = Field(description="The last part of the card's address.")
    url: str = Field(description="Its page.")
    names: dict[str, str] = Field(description="By language, with the subtitle.")
    type: str = Field(description="As the database calls it.")
    products: list[dict[str, str]] = Field(
        description="The products that it is printed in, by language."
    )


class CardHitOut(CardNamesOut):
    """A card that may be meant."""

    score: float = Field(ge=0, le=1, description="1 where all that was asked for is a whole name.")
    matched: str | None = Field(description="The name that it was found by; null with a number.")
    language: str | None = Field(description="The language of that name.")


class CardsOut(ResponseModel):
    """The cards that a name may mean, the likeliest first."""

    query: str = Field(description="The name as it was asked for.")
    cards: list[CardHitOut] = Field(description="The likeliest first.")


class SymbolOut(ResponseModel):
    """Characters of a text that stand for a symbol."""

    span: SpanPair = Field(description="Offsets into `text`.")
    sign: str | None = Field(description="The character that shows it, if any.")
    names: dict[str, str] = Field(description="What it is called, by language.")


class CardTextOut(ResponseModel):
    """A text of a card, word for word, with its place."""

    kind: TextKind = Field(description="What the text is.")
    language: str = Field(description="The language that it is in.")
    text: str = Field(description="As it stands in the file.")
    display: str = Field(description="For readers: markup gone, symbols as signs or names.")
    symbols: list[SymbolOut] = Field(description="The symbols in `text`.")
    source: StringSourceOut = Field(description="The place in the file.")


class CardFaceOut(ResponseModel):
    """One face of a card."""

    code: str | None = Field(description="The code of the face, if any.")
    names: dict[str, str] = Field(description="What it is called, by language.")
    subtitles: dict[str, str] = Field(description="What stands under its name, by language.")
    type: str = Field(description="What the card is, as the database calls it.")
    traits: dict[str, str] = Field(description="By language.")
    stats: dict[str, str] = Field(description="Printed values by name.")
    texts: list[CardTextOut] = Field(description="What is printed on it.")


class PrintingOut(ResponseModel):
    """A product that a card is printed in."""

    code: str = Field(description="The code of the printing in its database.")
    products: dict[str, str] = Field(description="What it is called, by language.")
    number: str = Field(description="The number printed on it.")
    date: str | None = Field(description="ISO 8601, if known.")


class CardErratumOut(ResponseModel):
    """A correction of a card by its publisher: what was printed, what holds, what is said of it, as
    far as the database has it.
    """

    old: CardTextOut | None = Field(description="What was printed, if known.")
    new: CardTextOut | None = Field(description="What holds, if known.")
    note: CardTextOut | None = Field(description="What is said of it, if anything.")
    date: str | None = Field(description="ISO 8601, if known.")


class CardRuleOut(ResponseModel):
    """A rule that a text of the card touches."""

    entry: str = Field(description="The id of its entry.")
    title: str = Field(description="What readers know the entry by.")
    url: str = Field(description="The page of the entry.")
    concept: str = Field(description="What the rule is about, the same in every language.")
    term: str = Field(description="How the card says it.")
    source: StringSourceOut | None = Field(description="Where the card says it; null for its type.")


class CardOut(CardNamesOut):
    """All that is known of a card."""

    unique: bool = Field(description="Whether a game may have it only once at a time.")
    faces: list[CardFaceOut] = Field(description="Its faces, the front first.")
    printings: list[PrintingOut] = Field(description="The products that it is printed in.")
    errata: list[CardErratumOut] = Field(description="Corrections by its publisher.")
    formats: dict[str, str] = Field(
        description="By format: `legal`, `banned`, the day from which it is legal, or `until` and "
        "a day."
    )
    rules: list[CardRuleOut] = Field(description="The rules that its texts touch.")
    printed: list[EntryWithTextOut] = Field(
        description="Errata and rulings of it that rulebooks print."
    )
    rulings: list[LoadedRulingOut] = Field(
        description="Rulings about it beside the rulebooks, the newest first."
    )
