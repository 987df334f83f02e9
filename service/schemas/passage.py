"""What is quoted: passages, their citations, and what stands beside them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from corpus.model import Kind, Role
from service.schemas.base import ResponseModel
from service.schemas.fields import BoxPoints, LinePair, SpanPair
from service.schemas.layers import CardPassageOut, LeadInOut, RulingPassageOut


class SourceOut(ResponseModel):
    """The document that something was read from: its file name and the SHA-256 of its bytes."""

    file: str = Field(description="The name of the file, as its owner called it.")
    sha256: str = Field(
        description="The SHA-256 of the bytes of the file.", pattern="^[0-9a-f]{64}$"
    )


class PageBoxesOut(ResponseModel):
    """A page of a document, and where on it something stands."""

    page: int = Field(ge=1, description="Counted from 1, whatever number is printed on it.")
    boxes: list[BoxPoints] = Field(description="One for each line.")
    url: str = Field(
        description="The page on this service as it is printed, with what stands there marked. "
        "Where the service shows no documents, it leads to the page of the entry."
    )


class PlacedSourceOut(SourceOut):
    """A place in a document, to the character: the text of each span, joined by one newline, is the
    evidence.
    """

    spans: list[SpanPair] = Field(
        description="Where it stands, in characters of the text of the document."
    )
    lines: LinePair = Field(
        description="The first and the last line that it stands on, counted from 1."
    )
    text_sha256: str = Field(
        pattern="^[0-9a-f]{64}$",
        description="Of the text in UTF-8 that spans and lines count in; for a text file that of the file. "
        "GET /v1/documents/{sha256}/text has it.",
    )
    pages: list[PageBoxesOut] = Field(
        description="Where it stands on the pages of a document that has them; of an entry, where its heading stands."
    )


class LinkOut(ResponseModel):
    """An entry named, not told."""

    entry: str = Field(description="The id of the entry; GET /v1/entries/{id} has it.")
    title: str = Field(description="What readers know it by.")


EFFECTIVE = Field(
    description="The day from which the edition holds, as its head or what describes it says; null where neither does. A month without "
    "a day stands for its first day.",
    json_schema_extra={"format": "date"},
)


class CitationOut(ResponseModel):
    """Where a passage stands, to the character."""

    label: str = Field(
        description="For readers: edition, entry and lines, or the page of a document that has pages."
    )
    edition: str = Field(description="The id of the edition.")
    game: str = Field(description="The game of the edition.")
    language: str = Field(description="The language of the edition.")
    version: str = Field(description="The version of the edition, as printed.")
    effective: str | None = EFFECTIVE
    entry: str = Field(description="The id of the entry it stands in.")
    heading: str = Field(description="The heading of the entry, as printed.")
    kind: Kind = Field(description="What the entry is.")
    number: str | None = Field(description="The number of a rule or of a card, as printed.")
    page: int | None = Field(
        description="The page of a document that has pages, from 1; else the printed page, where it has an index."
    )
    url: str = Field(description="The page of the entry on this service.")
    source: PlacedSourceOut = Field(description="The place in the document.")


REPAIRED = Field(
    description="`display` with the signs and letters that the document has lost or misread, where notes on the edition know them; null "
    "where nothing is. For understanding, no part of the evidence: quote `display`."
)


class QuotedOut(ResponseModel):
    """Another passage, quoted word for word."""

    text: str = Field(
        description="As printed, to be checked against the document by the spans of the citation."
    )
    display: str = Field(description="For readers, as that of a passage.")
    citation: CitationOut = Field(description="Where it stands.")


class SequenceOut(ResponseModel):
    """The numbered sequence that a passage is a step of, or that it introduces."""

    asked: bool = Field(
        description="Whether the question asks for an order: then the whole sequence is the answer."
    )
    step: int = Field(ge=0, description="Which of `steps` the passage is, from 0.")
    steps: list[QuotedOut] = Field(
        description="The passages of the sequence in order, what introduces it first."
    )
    left_out: int = Field(
        ge=0,
        description="How many passages of a long sequence, far from the step, are not among `steps`.",
    )


class PointedOut(QuotedOut):
    """A passage that another one points at."""

    reference: str = Field(description="The reference as printed.")


class PassageOut(ResponseModel):
    """A passage in its official wording: ``text`` is the evidence, never edited; ``display`` is the
    same for readers.
    """

    rank: int | None = Field(
        description="From 1, the best first; null for a passage that was not searched for."
    )
    score: float | None = Field(
        description="What it was ranked by: higher is better, within one answer; null for a passage that was not searched for."
    )
    text: str = Field(
        description="As printed, to be checked against the document by the spans of the citation."
    )
    display: str = Field(
        description="For readers: hyphens at line ends closed, escapes decoded, markup gone."
    )
    context: LeadInOut | None = Field(
        description="The sentence that leads in to its list, the rule that it goes on, or the header of its table."
    )
    repaired: str | None = REPAIRED
    highlights: list[SpanPair] = Field(
        description="What in `text` answers, as offsets into it, in order."
    )
    role: Role = Field(
        description="What it can be used for: `text` is running text that can settle a question."
    )
    depth: int = Field(ge=0, description="0 a paragraph, 1 a bullet, 2 a bullet in a bullet.")
    citation: CitationOut = Field(description="Where it stands.")
    see_also: list[LinkOut] = Field(description="The entries that its entry refers to.")
    also: list[CitationOut] = Field(description="Other places where the same words are printed.")
    applies_to: LinkOut | None = Field(
        default=None,
        description="The special format (a variant, a mode of play) that it holds in alone, by its name and the entry that names it; "
        "missing for a general rule.",
        exclude_if=lambda value: value is None,
    )
    sequence: SequenceOut | None = Field(
        default=None,
        description="With the best passage: the numbered sequence that it is a step of. Missing where it is none.",
        exclude_if=lambda value: value is None,
    )
    points_to: list[PointedOut] = Field(
        default=[],
        description="Of one of the first passages, where it mostly points elsewhere or its deciding words do: what it points at. Missing "
        "where there is nothing.",
        exclude_if=lambda value: not value,
    )
    layer: Literal["rulebook"] | None = Field(
        default=None,
        description="Missing where rulebooks alone are searched or loaded.",
        exclude_if=lambda value: value is None,
    )


PassageOfLayerOut = PassageOut | RulingPassageOut | CardPassageOut
