"""Quoted passages: of rulebooks, rulings and texts of cards, with their citations."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from corpus.model import Kind, Role
from corpus.rulings.model import Authority
from service.schemas.base import OR_NULL, ResponseModel, left_out
from service.schemas.fields import BoxPoints, LinePair, SpanPair


class StringSourceOut(ResponseModel):
    """A place in a string of a data file: the characters at `spans` of the string at `pointer` are
    the evidence.
    """

    file: str
    """The path of the file in the folder of its game."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """The SHA-256 of the file."""
    pointer: str = Field(examples=["/12/answer"])
    """A JSON pointer (RFC 6901) to the string; CSV counts as a list of objects, one a row."""
    spans: list[SpanPair]
    """The places of the evidence in the string."""


class LeadInOut(ResponseModel):
    """The lead-in of a passage, printed before it: to be read with the passage, but not part of the
    evidence.
    """

    text: str
    """The lead-in as printed: the text of `span`."""
    display: str
    """The lead-in for readers."""
    span: SpanPair
    """Its place in the text of the document."""


class LayerCitationOut(ResponseModel):
    """The citation of a ruling or a text of a card. Fields of rulebooks only are null."""

    label: str
    """For readers: what it is, who ruled and when, where it was published."""
    edition: str | None = None
    """Always null: it is from no edition."""
    game: str
    """The game."""
    language: str
    """The language that it is in."""
    version: str | None = None
    """Always null: it has no version."""
    entry: str | None = None
    """Always null: it is in no entry."""
    heading: str
    """The cards that it is about, or its id."""
    kind: Literal["ruling", "card", "erratum"]
    """The kind of text."""
    number: str | None
    """The printed number of the card."""
    page: int | None = None
    """Always null: it is on no page."""
    url: str
    """Its page on this service."""
    published: str | None
    """The address where it was published, if known."""
    source: StringSourceOut
    """The place in the file."""


class QuotedStringOut(ResponseModel):
    """A string, quoted word for word, with its place in a file."""

    text: str
    """The words as in the file."""
    source: StringSourceOut
    """The place in the file."""


class LayerPassageOut(ResponseModel):
    """The common fields of rulings and texts of cards, as far as possible those of passages of
    rulebooks.
    """

    rank: int | None
    """The rank from 1, the best of all layers first."""
    score: float | None
    """How surely it belongs to the question, from 0 to 1."""
    text: str
    """The text as in the file, to be checked by the citation."""
    display: str
    """The text for readers: without markup, symbols as signs."""
    context: LeadInOut | None = None
    """Always null: it has no lead-in."""
    repaired: str | None = None
    """Always null: nothing is misread."""
    highlights: list[SpanPair]
    """The places in `text` that answer, in order."""
    role: Role
    """`void`: another text has replaced it."""
    depth: Literal[0] = 0
    """Always 0: it is not a bullet."""


class RulingPassageOut(LayerPassageOut):
    """A ruling: its answer, word for word."""

    layer: Literal["ruling"] = "ruling"
    """Always `ruling`."""
    citation: LayerCitationOut
    """The citation of the answer."""
    id: str
    """The id of the ruling."""
    authority: Authority
    """Who made the ruling, such as the publisher or the house."""
    date: str | None
    """The day of the ruling (ISO 8601), if known."""
    question: QuotedStringOut | None
    """The question that was ruled on, if known."""
    cards: list[str]
    """The cards that it is about, named as in its file."""
    settles: bool
    """Whether it is an official ruling on the very question."""
    other_card: bool
    """Whether it is on a single card that the question does not name."""
    older: bool
    """Whether a newer rulebook now decides the point."""
    superseded_by: str | None
    """The id of the ruling that has superseded it."""


class CardPassageOut(LayerPassageOut):
    """A text of a card, printed on it or of an erratum."""

    layer: Literal["card"] = "card"
    """Always `card`."""
    citation: LayerCitationOut
    """The citation of the text."""
    card: str
    """The id of the card in its game."""
    date: str | None
    """The day of an erratum, if known."""


class BasisOut(ResponseModel):
    """A rule that a ruling is based on: an entry by its id, or a rule by its number."""

    entry: str | None
    """The id of the entry; null with a number."""
    number: str | None
    """The number of the rule; null with an entry."""
    wording: str | None
    """The SHA-256 of the rule's wording at the time."""


class LoadedRulingOut(ResponseModel):
    """A ruling outside the rulebooks, from a file of its own."""

    id: str
    """The id of the ruling."""
    game: str
    """The game that it is about."""
    authority: Authority
    """Who made the ruling, such as the publisher or the house."""
    date: str | None
    """The day of the ruling (ISO 8601), if known."""
    language: str
    """The language of the answer."""
    cards: list[str]
    """The cards that it is about, named as in its file."""
    question: QuotedStringOut | None
    """The question that was ruled on, if known."""
    answer: QuotedStringOut
    """The ruling, word for word."""
    publication: str | None
    """The name of the place of publication."""
    published: str | None
    """The address where it was published."""
    author: str | None
    """The author of a house ruling."""
    rests_on: list[BasisOut]
    """The rules that it is based on."""
    superseded_by: str | None
    """The id of the ruling that has superseded it."""
    url: str
    """The page of the ruling on this service."""


class SourceOut(ResponseModel):
    """A source document: its file name and the SHA-256 of its bytes."""

    file: str
    """The name of the file, as its owner called it."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """The SHA-256 of the file."""


class PageBoxesOut(ResponseModel):
    """The boxes of cited lines on a page of a document."""

    page: int = Field(ge=1)
    """The sheet, counted from 1."""
    printed: str | None = None
    """The printed page number, “19” or “xii”, or null."""
    boxes: list[BoxPoints]
    """The boxes, one for each line."""
    url: str
    """The page as printed, with these lines marked; otherwise the page of the entry."""


class PlacedSourceOut(SourceOut):
    """A place in a document, to the character: the text of each span, joined by one newline, is the
    evidence.
    """

    spans: list[SpanPair]
    """The places of the evidence in the text of the document."""
    lines: LinePair
    """The first and the last line, from 1."""
    text_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """The SHA-256 of the text that spans and lines count in: GET /v1/documents/{sha256}/text."""
    pages: list[PageBoxesOut]
    """The pages with the passage, or with the heading of the entry, if the document has pages."""


class LinkOut(ResponseModel):
    """A link to an entry."""

    entry: str
    """The id of the entry, for GET /v1/entries/{id}."""
    title: str
    """The title of the entry."""


EFFECTIVE = Field(
    description="The day from which the edition holds, if known; of a month its first day.",
    json_schema_extra={"format": "date"},
)


class CitationOut(ResponseModel):
    """The citation of a passage, exact to the character."""

    label: str
    """The citation for readers: edition, entry, and lines or page."""
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
    """The id of the entry of the passage."""
    heading: str
    """The heading of the entry, as printed."""
    kind: Kind
    """The kind of entry."""
    number: str | None
    """The printed number of a rule, of an item of a list or of a card."""
    page: int | None
    """The page, if known: of a document with pages its sheet, counted from 1."""
    printed: str | None = None
    """The printed page number, which `label` has."""
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
    """The text as printed, to be checked by the spans of the citation."""
    display: str
    """The text for readers."""
    citation: CitationOut
    """The citation of the passage."""


class SequenceOut(ResponseModel):
    """The numbered sequence that a passage is a step of, or the lead-in of."""

    asked: bool
    """Whether the question asks for an order."""
    step: int = Field(ge=0)
    """The index of the passage in `steps`, from 0."""
    steps: list[QuotedOut]
    """The lead-in, if any, and the steps in order."""
    left_out: int = Field(ge=0)
    """The number of passages of the sequence that are not in `steps`."""


class PointedOut(QuotedOut):
    """A passage that another passage refers to."""

    reference: str
    """The reference as printed."""


class PassageOut(ResponseModel):
    """A passage in its official wording: ``text`` is the evidence, never edited; ``display`` is the
    text for readers.
    """

    model_config = ConfigDict(title="WholePassage")

    rank: int | None
    """The rank from 1, the best first; null if not searched for."""
    score: float | None
    """The score that ranks passages within one answer; null if not searched for."""
    text: str
    """The text as printed, to be checked by the spans of the citation."""
    display: str
    """The text for readers: hyphens closed, escapes decoded, no markup."""
    context: LeadInOut | None
    """The lead-in: a sentence, a rule, the header of a table."""
    repaired: str | None = REPAIRED
    highlights: list[SpanPair]
    """The places in `text` that answer, in order."""
    role: Role
    """The role of the passage: only `text` can settle a question."""
    depth: int = Field(ge=0)
    """0 for a paragraph, 1 for a bullet, 2 for a bullet in a bullet."""
    citation: CitationOut
    """The citation of the passage."""
    see_also: list[LinkOut]
    """The entries that its entry refers to."""
    also: list[CitationOut]
    """Other places where the same words are printed."""
    applies_to: LinkOut | None = left_out()
    """The special format (a variant, a mode of play) that it is limited to, if any."""
    sequence: SequenceOut | None = left_out()
    """For the best passage: the numbered sequence that it is a step of."""
    points_to: list[PointedOut] = left_out([])
    """For the first passages: the passages that their deciding words refer to, if any."""
    layer: Literal["rulebook"] | None = left_out()
    """Missing if only rulebooks are searched or loaded."""


PassageOfLayerOut = PassageOut | RulingPassageOut | CardPassageOut


class SmallPassageOut(ResponseModel):
    """A passage with the fields to show."""

    model_config = ConfigDict(title="Passage")

    label: str
    """The citation."""
    url: str
    """The page of the passage: absolute if the service knows its own address (`public_url`,
    `hosts`), otherwise a path on it.
    """
    display: str
    """The words of the passage: quote from these."""
    marked: str | None
    """`display` with the deciding sentences between `<mark>` and `</mark>`; nothing is escaped.
    Null if nothing stands out: all of it decides, or nothing does.
    """
    marks: list[SpanPair]
    """The places of the deciding sentences in `display`, in Unicode code points."""
    layer: Literal["rulebook", "ruling", "card"]
    """The kind of source."""
    language: str
    """The language of the passage."""
    marker: str
    """The marker of the passage, to cite it in brackets; the same as long as its words are. POST
    /v1/verify checks it.
    """
    before: str | None = left_out()
    """The lead-in printed before it, or the question of a ruling: show it too."""
    after: str | None = left_out()
    """For the first passage: the list or the rules that it announces, or the rest of the entry that
    is looked up; show it too. If it ends in `[…]`, the rest is at `url`.
    """
    only_in: str | None = left_out()
    """The format that the passage is limited to: show it too."""
    repaired: str | None = left_out(json_schema_extra=OR_NULL)
    """`display` with what the document has lost or misread: not to be quoted."""
    superseded: bool = left_out(False)
    """True if other words have replaced these."""
