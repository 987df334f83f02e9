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

    file: str = Field(description="Its path in the folder of its game.")
    sha256: str = Field(description="The SHA-256 of the file.", pattern="^[0-9a-f]{64}$")
    pointer: str = Field(
        description="A JSON pointer (RFC 6901) to the string; CSV counts as a list of objects, one "
        "a row.",
        examples=["/12/answer"],
    )
    spans: list[SpanPair] = Field(description="Where it stands in the string.")


class LeadInOut(ResponseModel):
    """What a rulebook prints before a passage and leads in to it: to be read with it, no part of
    the evidence.
    """

    text: str = Field(description="As printed, the text of `span`.")
    display: str = Field(description="For readers.")
    span: SpanPair = Field(description="Where it stands in the text of the document.")


class LayerCitationOut(ResponseModel):
    """Where a ruling or a text of a card stands. What only rulebooks have is null."""

    label: str = Field(
        description="For readers: what it is, who has ruled so and when, where it was published."
    )
    edition: str | None = Field(default=None, description="Always null: it is of no edition.")
    game: str = Field(description="The game.")
    language: str = Field(description="The language that it is in.")
    version: str | None = Field(default=None, description="Always null: it has none.")
    entry: str | None = Field(default=None, description="Always null: it stands in no entry.")
    heading: str = Field(description="The cards that it is about, else its id.")
    kind: Literal["ruling", "card", "erratum"] = Field(description="What it is.")
    number: str | None = Field(description="The printed number of the card.")
    page: int | None = Field(default=None, description="Always null: it stands on no page.")
    url: str = Field(description="Its page.")
    published: str | None = Field(description="The address where it was published, if known.")
    source: StringSourceOut = Field(description="The place in the file.")


class QuotedStringOut(ResponseModel):
    """Another string, quoted word for word, with its place."""

    text: str = Field(description="The words as they stand in the file.")
    source: StringSourceOut = Field(description="The place in the file.")


class LayerPassageOut(ResponseModel):
    """What passages beside the rulebooks have in common; they have the fields of a passage as far
    as those apply.
    """

    rank: int | None = Field(description="From 1, the best of all layers first.")
    score: float | None = Field(description="From 0 to 1: how surely it belongs to the question.")
    text: str = Field(description="As it stands in the file, to be checked by the citation.")
    display: str = Field(description="For readers: markup gone, symbols as signs.")
    context: LeadInOut | None = Field(
        default=None, description="Always null: nothing leads in to it."
    )
    repaired: str | None = Field(default=None, description="Always null: nothing is misread.")
    highlights: list[SpanPair] = Field(
        description="What in `text` answers, as offsets into it, in order."
    )
    role: Role = Field(description="`void`: something else holds in its place.")
    depth: Literal[0] = Field(default=0, description="Always 0: it is no bullet.")


class RulingPassageOut(LayerPassageOut):
    """A ruling: its answer, word for word."""

    layer: Literal["ruling"] = Field(default="ruling", description="Always `ruling`.")
    citation: LayerCitationOut = Field(description="Where it stands.")
    id: str = Field(description="The id of the ruling.")
    authority: Authority = Field(description="Who has ruled so: the publisher, or the house.")
    date: str | None = Field(description="The day of the ruling (ISO 8601), if known.")
    question: QuotedStringOut | None = Field(description="What was asked, if the ruling says it.")
    cards: list[str] = Field(description="The cards that it is about, as its file calls them.")
    settles: bool = Field(description="Whether it is an official ruling on the very question.")
    other_card: bool = Field(
        description="Whether it is on a single card that the question does not name."
    )
    older: bool = Field(description="Whether the rulebook, which is newer, settles the point.")
    superseded_by: str | None = Field(description="The id of the ruling that holds in its place.")


class CardPassageOut(LayerPassageOut):
    """A text of a card, printed on it or of an erratum."""

    layer: Literal["card"] = Field(default="card", description="Always `card`.")
    citation: LayerCitationOut = Field(description="Where it stands.")
    card: str = Field(description="The id of the card in its game.")
    date: str | None = Field(description="The day of an erratum, if known.")


class BasisOut(ResponseModel):
    """A rule that a ruling rests on: an entry by its id, or a rule by its number."""

    entry: str | None = Field(description="The id of the entry; null with a number.")
    number: str | None = Field(description="The number of the rule; null where an entry is named.")
    wording: str | None = Field(description="The SHA-256 of what the rule said then.")


class LoadedRulingOut(ResponseModel):
    """A ruling that stands outside the rulebooks, in a file of its own."""

    id: str = Field(description="The id of the ruling.")
    game: str = Field(description="The game that it is about.")
    authority: Authority = Field(description="Who has ruled so: the publisher, or the house.")
    date: str | None = Field(description="The day it was made, as ISO 8601 writes it.")
    language: str = Field(description="The language of the answer.")
    cards: list[str] = Field(description="The cards that it is about, as its file calls them.")
    question: QuotedStringOut | None = Field(description="What was asked, if the ruling says it.")
    answer: QuotedStringOut = Field(description="What was ruled, word for word.")
    publication: str | None = Field(description="Where it was published.")
    published: str | None = Field(description="The address where it was published.")
    author: str | None = Field(description="Who wrote a ruling of the house.")
    rests_on: list[BasisOut] = Field(description="The rules that it rests on.")
    superseded_by: str | None = Field(description="The id of the ruling that holds in its place.")
    url: str = Field(description="Its page.")


class SourceOut(ResponseModel):
    """The document that something was read from: its file name and the SHA-256 of its bytes."""

    file: str = Field(description="The name of the file, as its owner called it.")
    sha256: str = Field(description="The SHA-256 of the file.", pattern="^[0-9a-f]{64}$")


class PageBoxesOut(ResponseModel):
    """A page of a document, and where on it something stands."""

    page: int = Field(ge=1, description="The sheet, counted from 1.")
    printed: str | None = Field(
        default=None, description="The number that is printed on it: “19”, “xii”; else null."
    )
    boxes: list[BoxPoints] = Field(description="One for each line.")
    url: str = Field(
        description="The page as it is printed, with what stands there marked; else the page of "
        "the entry."
    )


class PlacedSourceOut(SourceOut):
    """A place in a document, to the character: the text of each span, joined by one newline, is the
    evidence.
    """

    spans: list[SpanPair] = Field(description="Where it stands in the text of the document.")
    lines: LinePair = Field(description="The first and the last line, from 1.")
    text_sha256: str = Field(
        pattern="^[0-9a-f]{64}$",
        description="Of the text that spans and lines count in: GET /v1/documents/{sha256}/text.",
    )
    pages: list[PageBoxesOut] = Field(
        description="Where it, or the heading of an entry, stands on the pages of a document that "
        "has them."
    )


class LinkOut(ResponseModel):
    """An entry named, not told."""

    entry: str = Field(description="The id of the entry; GET /v1/entries/{id} has it.")
    title: str = Field(description="What readers know it by.")


EFFECTIVE = Field(
    description="The day from which the edition holds, if known; of a month its first day.",
    json_schema_extra={"format": "date"},
)


class CitationOut(ResponseModel):
    """Where a passage stands, to the character."""

    label: str = Field(description="For readers: edition, entry, and lines or page.")
    edition: str = Field(description="The id of the edition.")
    game: str = Field(description="The game of the edition.")
    language: str = Field(description="The language of the edition.")
    version: str = Field(description="The version of the edition, as printed.")
    effective: str | None = EFFECTIVE
    entry: str = Field(description="The id of the entry it stands in.")
    heading: str = Field(description="The heading of the entry, as printed.")
    kind: Kind = Field(description="What the entry is.")
    number: str | None = Field(
        description="The printed number of a rule, of an item of a list or of a card."
    )
    page: int | None = Field(
        description="The page, if known: of a document with pages its sheet, counted from 1."
    )
    printed: str | None = Field(
        default=None, description="The number that is printed on the page, which `label` names."
    )
    url: str = Field(description="The page of the entry.")
    source: PlacedSourceOut = Field(description="The place in the document.")


REPAIRED = Field(
    description="`display` with what the document has lost or misread, if anything is known: no "
    "evidence."
)


class QuotedOut(ResponseModel):
    """Another passage, quoted word for word."""

    text: str = Field(description="As printed, to be checked by the spans of the citation.")
    display: str = Field(description="For readers.")
    citation: CitationOut = Field(description="Where it stands.")


class SequenceOut(ResponseModel):
    """The numbered sequence that a passage is a step of, or that it introduces."""

    asked: bool = Field(description="Whether the question asks for an order.")
    step: int = Field(ge=0, description="Which of `steps` the passage is, from 0.")
    steps: list[QuotedOut] = Field(description="The passages in order, what introduces them first.")
    left_out: int = Field(
        ge=0,
        description="How many passages are not among `steps`.",
    )


class PointedOut(QuotedOut):
    """A passage that another one points at."""

    reference: str = Field(description="The reference as printed.")


class PassageOut(ResponseModel):
    """A passage in its official wording: ``text`` is the evidence, never edited; ``display`` is the
    same for readers.
    """

    model_config = ConfigDict(title="WholePassage")

    rank: int | None = Field(description="From 1, the best first; null if not searched for.")
    score: float | None = Field(
        description="What it was ranked by within one answer; null if not searched for."
    )
    text: str = Field(description="As printed, to be checked by the spans of the citation.")
    display: str = Field(description="For readers: hyphens closed, escapes decoded, no markup.")
    context: LeadInOut | None = Field(
        description="What leads in to it: a sentence, a rule, the header of a table."
    )
    repaired: str | None = REPAIRED
    highlights: list[SpanPair] = Field(
        description="What in `text` answers, as offsets into it, in order."
    )
    role: Role = Field(description="What it can be used for: `text` can settle a question.")
    depth: int = Field(ge=0, description="0 a paragraph, 1 a bullet, 2 a bullet in a bullet.")
    citation: CitationOut = Field(description="Where it stands.")
    see_also: list[LinkOut] = Field(description="The entries that its entry refers to.")
    also: list[CitationOut] = Field(description="Other places where the same words are printed.")
    applies_to: LinkOut | None = left_out(
        "The special format (a variant, a mode of play) that it holds in alone, if any."
    )
    sequence: SequenceOut | None = left_out(
        "Of the best passage: the numbered sequence that it is a step of."
    )
    points_to: list[PointedOut] = left_out(
        "Of one of the first passages whose deciding words point elsewhere: what they point at.", []
    )
    layer: Literal["rulebook"] | None = left_out(
        "Missing where rulebooks alone are searched or loaded."
    )


PassageOfLayerOut = PassageOut | RulingPassageOut | CardPassageOut


class SmallPassageOut(ResponseModel):
    """A passage as it is shown."""

    model_config = ConfigDict(title="Passage")

    label: str = Field(description="Its citation.")
    url: str = Field(
        description="Its page: absolute where the service knows its own address (`public_url`, "
        "`hosts`), else a path on it."
    )
    display: str = Field(description="Its words: quote from these.")
    marked: str | None = Field(
        description="`display` with the deciding sentences between `<mark>` and `</mark>`; nothing "
        "is escaped in it. Null where nothing stands out: all of it decides, or nothing does."
    )
    marks: list[SpanPair] = Field(
        description="Where they stand: offsets into `display`, in Unicode code points."
    )
    layer: Literal["rulebook", "ruling", "card"] = Field(description="What it is from.")
    language: str = Field(description="The language that it is in.")
    marker: str = Field(
        description="Names it in a prompt, in brackets, as long as its words are the same; POST "
        "/v1/verify knows it."
    )
    before: str | None = left_out(
        "What is printed before it and leads in to it, or what a ruling answers: show it too."
    )
    after: str | None = left_out(
        "Of the first passage: the list or the rules that it announces, printed behind it; show it "
        "too. `[…]` at its end: the rest is at `url`."
    )
    only_in: str | None = left_out("The variant that it holds in alone: show it too.")
    repaired: str | None = left_out(
        "`display` with what the document has lost or misread: not to be quoted.",
        json_schema_extra=OR_NULL,
    )
    superseded: bool = left_out("True where something else holds in its place.", False)
