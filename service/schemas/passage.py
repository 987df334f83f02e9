"""What is quoted: passages of rulebooks, rulings and texts of cards, with their citations."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from corpus.model import Kind, Role
from corpus.rulings.model import Authority
from service.schemas.base import OR_NULL, ResponseModel, left_out
from service.schemas.fields import BoxPoints, LinePair, SpanPair


class StringSourceOut(ResponseModel):
    """A place in a string of a file of data: the characters of `spans` in the string at `pointer`
    are the evidence.
    """

    file: str
    """Its path in the folder of its game."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """The SHA-256 of the file."""
    pointer: str = Field(examples=["/12/answer"])
    """A JSON pointer (RFC 6901) to the string; CSV counts as a list of objects, one a row."""
    spans: list[SpanPair]
    """Where it stands in the string."""


class LeadInOut(ResponseModel):
    """What a rulebook prints before a passage and leads in to it: to be read with it, no part of
    the evidence.
    """

    text: str
    """As printed, the text of `span`."""
    display: str
    """For readers."""
    span: SpanPair
    """Where it stands in the text of the document."""


class LayerCitationOut(ResponseModel):
    """Where a ruling or a text of a card stands. What only rulebooks have is null."""

    label: str
    """For readers: what it is, who has ruled so and when, where it was published."""
    edition: str | None = None
    """Always null: it is of no edition."""
    game: str
    """The game."""
    language: str
    """The language that it is in."""
    version: str | None = None
    """Always null: it has none."""
    entry: str | None = None
    """Always null: it stands in no entry."""
    heading: str
    """The cards that it is about, else its id."""
    kind: Literal["ruling", "card", "erratum"]
    """What it is."""
    number: str | None
    """The printed number of the card."""
    page: int | None = None
    """Always null: it stands on no page."""
    url: str
    """Its page."""
    published: str | None
    """The address where it was published, if known."""
    source: StringSourceOut
    """The place in the file."""


class QuotedStringOut(ResponseModel):
    """Another string, quoted word for word, with its place."""

    text: str
    """The words as they stand in the file."""
    source: StringSourceOut
    """The place in the file."""


class LayerPassageOut(ResponseModel):
    """What passages beside the rulebooks have in common; they have the fields of a passage as far
    as those apply.
    """

    rank: int | None
    """From 1, the best of all layers first."""
    score: float | None
    """From 0 to 1: how surely it belongs to the question."""
    text: str
    """As it stands in the file, to be checked by the citation."""
    display: str
    """For readers: markup gone, symbols as signs."""
    context: LeadInOut | None = None
    """Always null: nothing leads in to it."""
    repaired: str | None = None
    """Always null: nothing is misread."""
    highlights: list[SpanPair]
    """What in `text` answers, as offsets into it, in order."""
    role: Role
    """`void`: something else holds in its place."""
    depth: Literal[0] = 0
    """Always 0: it is no bullet."""


class RulingPassageOut(LayerPassageOut):
    """A ruling: its answer, word for word."""

    layer: Literal["ruling"] = "ruling"
    """Always `ruling`."""
    citation: LayerCitationOut
    """Where it stands."""
    id: str
    """The id of the ruling."""
    authority: Authority
    """Who has ruled so: the publisher, or the house."""
    date: str | None
    """The day of the ruling (ISO 8601), if known."""
    question: QuotedStringOut | None
    """What was asked, if the ruling says it."""
    cards: list[str]
    """The cards that it is about, as its file calls them."""
    settles: bool
    """Whether it is an official ruling on the very question."""
    other_card: bool
    """Whether it is on a single card that the question does not name."""
    older: bool
    """Whether the rulebook, which is newer, settles the point."""
    superseded_by: str | None
    """The id of the ruling that holds in its place."""


class CardPassageOut(LayerPassageOut):
    """A text of a card, printed on it or of an erratum."""

    layer: Literal["card"] = "card"
    """Always `card`."""
    citation: LayerCitationOut
    """Where it stands."""
    card: str
    """The id of the card in its game."""
    date: str | None
    """The day of an erratum, if known."""


class BasisOut(ResponseModel):
    """A rule that a ruling rests on: an entry by its id, or a rule by its number."""

    entry: str | None
    """The id of the entry; null with a number."""
    number: str | None
    """The number of the rule; null where an entry is named."""
    wording: str | None
    """The SHA-256 of what the rule said then."""


class LoadedRulingOut(ResponseModel):
    """A ruling that stands outside the rulebooks, in a file of its own."""

    id: str
    """The id of the ruling."""
    game: str
    """The game that it is about."""
    authority: Authority
    """Who has ruled so: the publisher, or the house."""
    date: str | None
    """The day it was made, as ISO 8601 writes it."""
    language: str
    """The language of the answer."""
    cards: list[str]
    """The cards that it is about, as its file calls them."""
    question: QuotedStringOut | None
    """What was asked, if the ruling says it."""
    answer: QuotedStringOut
    """What was ruled, word for word."""
    publication: str | None
    """Where it was published."""
    published: str | None
    """The address where it was published."""
    author: str | None
    """Who wrote a ruling of the house."""
    rests_on: list[BasisOut]
    """The rules that it rests on."""
    superseded_by: str | None
    """The id of the ruling that holds in its place."""
    url: str
    """Its page."""


class SourceOut(ResponseModel):
    """The document that something was read from: its file name and the SHA-256 of its bytes."""

    file: str
    """The name of the file, as its owner called it."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """The SHA-256 of the file."""


class PageBoxesOut(ResponseModel):
    """A page of a document, and where on it something stands."""

    page: int = Field(ge=1)
    """The sheet, counted from 1."""
    printed: str | None = None
    """The number that is printed on it: “19”, “xii”; else null."""
    boxes: list[BoxPoints]
    """One for each line."""
    url: str
    """The page as it is printed, with what stands there marked; else the page of the entry."""


class PlacedSourceOut(SourceOut):
    """A place in a document, to the character: the text of each span, joined by one newline, is the
    evidence.
    """

    spans: list[SpanPair]
    """Where it stands in the text of the document."""
    lines: LinePair
    """The first and the last line, from 1."""
    text_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """Of the text that spans and lines count in: GET /v1/documents/{sha256}/text."""
    pages: list[PageBoxesOut]
    """Where it, or the heading of an entry, stands on the pages of a document that has them."""


class LinkOut(ResponseModel):
    """An entry named, not told."""

    entry: str
    """The id of the entry; GET /v1/entries/{id} has it."""
    title: str
    """What readers know it by."""


EFFECTIVE = Field(
    description="The day from which the edition holds, if known; of a month its first day.",
    json_schema_extra={"format": "date"},
)


class CitationOut(ResponseModel):
    """Where a passage stands, to the character."""

    label: str
    """For readers: edition, entry, and lines or page."""
    edition: str
    """The id of the edition."""
    game: str
    """The game of the edition."""
    language: str
    """The language of the edition."""
    version: str
    """The version of the edition, as printed."""
    effective: str | None = EFFECTIVE
    entry: str
    """The id of the entry it stands in."""
    heading: str
    """The heading of the entry, as printed."""
    kind: Kind
    """What the entry is."""
    number: str | None
    """The printed number of a rule, of an item of a list or of a card."""
    page: int | None
    """The page, if known: of a document with pages its sheet, counted from 1."""
    printed: str | None = None
    """The number that is printed on the page, which `label` names."""
    url: str
    """The page of the entry."""
    source: PlacedSourceOut
    """The place in the document."""


REPAIRED = Field(
    description="`display` with what the document has lost or misread, if anything is known: no "
    "evidence."
)


class QuotedOut(ResponseModel):
    """Another passage, quoted word for word."""

    text: str
    """As printed, to be checked by the spans of the citation."""
    display: str
    """For readers."""
    citation: CitationOut
    """Where it stands."""


class SequenceOut(ResponseModel):
    """The numbered sequence that a passage is a step of, or that it introduces."""

    asked: bool
    """Whether the question asks for an order."""
    step: int = Field(ge=0)
    """Which of `steps` the passage is, from 0."""
    steps: list[QuotedOut]
    """The passages in order, what introduces them first."""
    left_out: int = Field(ge=0)
    """How many passages are not among `steps`."""


class PointedOut(QuotedOut):
    """A passage that another one points at."""

    reference: str
    """The reference as printed."""


class PassageOut(ResponseModel):
    """A passage in its official wording: ``text`` is the evidence, never edited; ``display`` is the
    same for readers.
    """

    model_config = ConfigDict(title="WholePassage")

    rank: int | None
    """From 1, the best first; null if not searched for."""
    score: float | None
    """What it was ranked by within one answer; null if not searched for."""
    text: str
    """As printed, to be checked by the spans of the citation."""
    display: str
    """For readers: hyphens closed, escapes decoded, no markup."""
    context: LeadInOut | None
    """What leads in to it: a sentence, a rule, the header of a table."""
    repaired: str | None = REPAIRED
    highlights: list[SpanPair]
    """What in `text` answers, as offsets into it, in order."""
    role: Role
    """What it can be used for: `text` can settle a question."""
    depth: int = Field(ge=0)
    """0 a paragraph, 1 a bullet, 2 a bullet in a bullet."""
    citation: CitationOut
    """Where it stands."""
    see_also: list[LinkOut]
    """The entries that its entry refers to."""
    also: list[CitationOut]
    """Other places where the same words are printed."""
    applies_to: LinkOut | None = left_out()
    """The special format (a variant, a mode of play) that it holds in alone, if any."""
    sequence: SequenceOut | None = left_out()
    """Of the best passage: the numbered sequence that it is a step of."""
    points_to: list[PointedOut] = left_out([])
    """Of one of the first passages whose deciding words point elsewhere: what they point at."""
    layer: Literal["rulebook"] | None = left_out()
    """Missing where rulebooks alone are searched or loaded."""


PassageOfLayerOut = PassageOut | RulingPassageOut | CardPassageOut


class SmallPassageOut(ResponseModel):
    """A passage as it is shown."""

    model_config = ConfigDict(title="Passage")

    label: str
    """Its citation."""
    url: str
    """Its page: absolute where the service knows its own address (`public_url`, `hosts`), else a
    path on it.
    """
    display: str
    """Its words: quote from these."""
    marked: str | None
    """`display` with the deciding sentences between `<mark>` and `</mark>`; nothing is escaped in
    it. Null where nothing stands out: all of it decides, or nothing does.
    """
    marks: list[SpanPair]
    """Where they stand: offsets into `display`, in Unicode code points."""
    layer: Literal["rulebook", "ruling", "card"]
    """What it is from."""
    language: str
    """The language that it is in."""
    marker: str
    """Names it in a prompt, in brackets, as long as its words are the same; POST /v1/verify knows
    it.
    """
    before: str | None = left_out()
    """What is printed before it and leads in to it, or what a ruling answers: show it too."""
    after: str | None = left_out()
    """Of the first passage: the list or the rules that it announces, or the rest of the entry that
    is looked up, printed behind it; show it too. `[…]` at its end: the rest is at `url`.
    """
    only_in: str | None = left_out()
    """The variant that it holds in alone: show it too."""
    repaired: str | None = left_out(json_schema_extra=OR_NULL)
    """`display` with what the document has lost or misread: not to be quoted."""
    superseded: bool = left_out(False)
    """True where something else holds in its place."""
