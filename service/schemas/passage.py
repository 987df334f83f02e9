"""What is quoted: passages, their citations, and what stands beside them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from corpus.model import Kind, Role
from service.schemas.base import ResponseModel
from service.schemas.fields import BoxPoints, LinePair, SpanPair
from service.schemas.layers import CardPassageOut, LeadInOut, RulingPassageOut


class SourceOut(ResponseModel):
    """The document that something was read from: its file name and the SHA-256 of its bytes."""

    file: Annotated[str, Field(description="The name of the file, as its owner called it.")]
    sha256: Annotated[str, Field(description="The SHA-256 of the bytes of the file.", pattern="^[0-9a-f]{64}$")]


class PageBoxesOut(ResponseModel):
    """A page of a document, and where on it something stands."""

    page: Annotated[int, Field(ge=1, description="Counted from 1, whatever number is printed on it.")]
    boxes: Annotated[list[BoxPoints], Field(description="One for each line.")]
    url: Annotated[
        str,
        Field(
            description="The page on this service as it is printed, with what stands there marked. "
            "Where the service shows no documents, it leads to the page of the entry."
        ),
    ]


class PlacedSourceOut(SourceOut):
    """A place in a document, to the character: the text of each span, joined by one newline, is the evidence."""

    spans: Annotated[list[SpanPair], Field(description="Where it stands, in characters of the text of the document.")]
    lines: Annotated[LinePair, Field(description="The first and the last line that it stands on, counted from 1.")]
    text_sha256: Annotated[
        str,
        Field(
            pattern="^[0-9a-f]{64}$",
            description="Of the text in UTF-8 that spans and lines count in; for a text file that of the file. "
            "GET /v1/documents/{sha256}/text has it.",
        ),
    ]
    pages: Annotated[
        list[PageBoxesOut],
        Field(description="Where it stands on the pages of a document that has them; of an entry, where its heading stands."),
    ]


class LinkOut(ResponseModel):
    """An entry named, not told."""

    entry: Annotated[str, Field(description="The id of the entry; GET /v1/entries/{id} has it.")]
    title: Annotated[str, Field(description="What readers know it by.")]


EFFECTIVE = Field(
    description="The day from which the edition holds, as its head or what describes it says; null where neither does. A month without "
    "a day stands for its first day.",
    json_schema_extra={"format": "date"},
)


class CitationOut(ResponseModel):
    """Where a passage stands, to the character."""

    label: Annotated[str, Field(description="For readers: edition, entry and lines, or the page of a document that has pages.")]
    edition: Annotated[str, Field(description="The id of the edition.")]
    game: Annotated[str, Field(description="The game of the edition.")]
    language: Annotated[str, Field(description="The language of the edition.")]
    version: Annotated[str, Field(description="The version of the edition, as printed.")]
    effective: Annotated[str | None, EFFECTIVE]
    entry: Annotated[str, Field(description="The id of the entry it stands in.")]
    heading: Annotated[str, Field(description="The heading of the entry, as printed.")]
    kind: Annotated[Kind, Field(description="What the entry is.")]
    number: Annotated[str | None, Field(description="The number of a rule or of a card, as printed.")]
    page: Annotated[
        int | None, Field(description="The page of a document that has pages, from 1; else the printed page, where it has an index.")
    ]
    url: Annotated[str, Field(description="The page of the entry on this service.")]
    source: Annotated[PlacedSourceOut, Field(description="The place in the document.")]


REPAIRED = Field(
    description="`display` with the signs and letters that the document has lost or misread, where notes on the edition know them; null "
    "where nothing is. For understanding, no part of the evidence: quote `display`."
)


class QuotedOut(ResponseModel):
    """Another passage, quoted word for word."""

    text: Annotated[str, Field(description="As printed, to be checked against the document by the spans of the citation.")]
    display: Annotated[str, Field(description="For readers, as that of a passage.")]
    citation: Annotated[CitationOut, Field(description="Where it stands.")]


class SequenceOut(ResponseModel):
    """The numbered sequence that a passage is a step of, or that it introduces."""

    asked: Annotated[bool, Field(description="Whether the question asks for an order: then the whole sequence is the answer.")]
    step: Annotated[int, Field(ge=0, description="Which of `steps` the passage is, from 0.")]
    steps: Annotated[list[QuotedOut], Field(description="The passages of the sequence in order, what introduces it first.")]
    left_out: Annotated[int, Field(ge=0, description="How many passages of a long sequence, far from the step, are not among `steps`.")]


class PointedOut(QuotedOut):
    """A passage that another one points at."""

    reference: Annotated[str, Field(description="The reference as printed.")]


class PassageOut(ResponseModel):
    """A passage in its official wording: ``text`` is the evidence, never edited; ``display`` is the same for readers."""

    rank: Annotated[int | None, Field(description="From 1, the best first; null for a passage that was not searched for.")]
    score: Annotated[
        float | None,
        Field(description="What it was ranked by: higher is better, within one answer; null for a passage that was not searched for."),
    ]
    text: Annotated[str, Field(description="As printed, to be checked against the document by the spans of the citation.")]
    display: Annotated[str, Field(description="For readers: hyphens at line ends closed, escapes decoded, markup gone.")]
    context: Annotated[
        LeadInOut | None,
        Field(description="The sentence that leads in to its list, the rule that it goes on, or the header of its table."),
    ]
    repaired: Annotated[str | None, REPAIRED]
    highlights: Annotated[list[SpanPair], Field(description="What in `text` answers, as offsets into it, in order.")]
    role: Annotated[Role, Field(description="What it can be used for: `text` is running text that can settle a question.")]
    depth: Annotated[int, Field(ge=0, description="0 a paragraph, 1 a bullet, 2 a bullet in a bullet.")]
    citation: Annotated[CitationOut, Field(description="Where it stands.")]
    see_also: Annotated[list[LinkOut], Field(description="The entries that its entry refers to.")]
    also: Annotated[list[CitationOut], Field(description="Other places where the same words are printed.")]
    applies_to: Annotated[
        LinkOut | None,
        Field(
            description="The special format (a variant, a mode of play) that it holds in alone, by its name and the entry that names it; "
            "missing for a general rule.",
            exclude_if=lambda value: value is None,
        ),
    ] = None
    sequence: Annotated[
        SequenceOut | None,
        Field(
            description="With the best passage: the numbered sequence that it is a step of. Missing where it is none.",
            exclude_if=lambda value: value is None,
        ),
    ] = None
    points_to: list[PointedOut] = Field(
        default=[],
        description="Of one of the first passages, where it mostly points elsewhere or its deciding words do: what it points at. Missing "
        "where there is nothing.",
        exclude_if=lambda value: not value,
    )
    layer: Annotated[
        Literal["rulebook"] | None,
        Field(description="Missing where rulebooks alone are searched or loaded.", exclude_if=lambda value: value is None),
    ] = None


PassageOfLayerOut = PassageOut | RulingPassageOut | CardPassageOut
