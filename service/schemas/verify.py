"""Quotations checked against the rulebooks: ``POST /v1/verify``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from corpus.model import Role
from service.schemas.base import NOT_BLANK, EditionFilter, GameFilter, RequestBody, ResponseModel, inline_enum
from service.schemas.layers import LayerCitationOut
from service.schemas.limits import LONGEST_TEXT
from service.schemas.passage import CitationOut

Verdict = Literal["exact", "misattributed", "altered", "unsupported", "nothing-quoted"]
SPAN = Field(description="Start and end in the text that was sent, in characters, end exclusive.", examples=[[5, 112]])


class VerifyBody(RequestBody):
    """A text that quotes."""

    text: Annotated[
        str,
        Field(
            description=f"A text of at most {LONGEST_TEXT:,} characters, with quotations between quotation marks of any language, in "
            "block quotes, `<q>`, italics or code, and markers in brackets.",
            json_schema_extra={"minLength": 1, "maxLength": LONGEST_TEXT, "pattern": NOT_BLANK},
        ),
    ]
    game: GameFilter | None = None
    edition: EditionFilter | None = None


class QuotationStatus(StrEnum):
    """What a quotation is."""

    EXACT = "exact"
    ALTERED = "altered"
    UNSUPPORTED = "unsupported"


class AlterationKind(StrEnum):
    """What was done to printed words; ``JOINED`` runs are printed in different places."""

    REPLACED = "replaced"
    INSERTED = "inserted"
    LEFT_OUT = "left-out"
    JOINED = "joined"


class DecisiveKind(StrEnum):
    """What a word that was left out may turn."""

    NEGATION = "negation"
    NUMBER = "number"
    EXCEPTION = "exception"
    CONDITION = "condition"


class OmissionPlace(StrEnum):
    """Where a quotation leaves words out: between its parts, or of the sentence that it begins or ends in."""

    BEFORE = "before"
    WITHIN = "within"
    BEHIND = "behind"


class AlterationOut(ResponseModel):
    """What a quotation has where something else, or nothing, is printed."""

    change: Annotated[AlterationKind, inline_enum(AlterationKind)] = Field(
        title="Change",
        description="`joined`: what stands on both sides of […] is printed in different entries, the other way round, or as the beginning "
        "of one sentence and the end of another. `left-out` where `given` is […]: that stands for a negation, a number, an exception or a "
        "condition.",
        examples=["replaced"],
    )
    given: str = Field(description="The words of the quotation, or its […]; empty where words were left out unseen.", examples=["drei"])
    printed: str = Field(description="The words in print; empty where words were put in.", examples=["mehrere"])
    span: tuple[int, int] = SPAN


class PrintedRunOut(ResponseModel):
    """A run of printed words."""

    text: str = Field(description="The words as printed or displayed.", examples=["Wirken mehrere Fähigkeiten"])
    form: Literal["display", "text"] = Field(description="Which form of the passage they are from.", examples=["display"])
    entry: str = Field(description="The entry they are in.", examples=["pegelwacht-de-1.1/gleichzeitige-effekte"])
    spans: list[tuple[int, int]] = Field(description="Their characters in the document.", examples=[[[10619, 10645]]])


class OmissionOut(ResponseModel):
    """Printed words that a quotation leaves out."""

    where: Annotated[OmissionPlace, inline_enum(OmissionPlace)] = Field(
        title="Where",
        description="`within` the quotation, or `before` or `behind` it in the sentence that it begins or ends in.",
        examples=["within"],
    )
    shown: bool = Field(description="Whether the quotation shows it, by […] or another ellipsis.", examples=[True])
    span: tuple[int, int] = Field(
        description="Where the sign stands in the text that was sent, else where the words would.", examples=[[28, 31]]
    )
    holds: list[Annotated[DecisiveKind, inline_enum(DecisiveKind)]] = Field(
        description="What in the words may turn what is said; none where nothing in them does.", examples=[["negation"]]
    )
    words: list[str] = Field(description="The words that may.", examples=[["nicht"]])
    printed: list[PrintedRunOut] = Field(description="What is left out, in the order of print.")


class PassageWordsOut(ResponseModel):
    """The words of a passage: as evidence, and for readers."""

    text: Annotated[str, Field(description="As printed: the evidence.")]
    display: Annotated[str, Field(description="The same for readers.")]


class QuotationReportOut(ResponseModel):
    """A quotation and what it is."""

    text: str = Field(
        description="The words between the marks.", examples=["Wirken drei Fähigkeiten […] bestimmt der Wachhabende die Reihenfolge."]
    )
    span: tuple[int, int] = SPAN
    status: Annotated[QuotationStatus, inline_enum(QuotationStatus)] = Field(
        title="Status",
        description="`exact`: printed so, up to white space, markup and the shape of quotation marks and dashes, and with […] where "
        "words are left out that turn nothing; `altered`: nearly, or […] stands for a negation, a number, an exception or a condition; "
        "`unsupported`: not in any passage.",
        examples=["altered"],
    )
    short: bool = Field(description="Fewer than three words: a name or a term, which counts only with a marker.", examples=[False])
    cut: bool = Field(description="Whether it shows by […] that words are left out.", examples=[True])
    misleading: bool = Field(description="Whether words are left out that may turn what is said; then it is `altered`.", examples=[False])
    left_out: list[OmissionOut] = Field(
        description="Printed words that it leaves out, of its sentences too; not where its words are altered beside."
    )
    marker: str | None = Field(description="The marker that says where it is from.", examples=["r:3076c5a6"])
    marker_ok: bool | None = Field(description="Whether it is from there; null without a marker.", examples=[True])
    citation: CitationOut | LayerCitationOut | None = Field(description="Where it is printed, or the words nearest to it.")
    role: Annotated[Role, inline_enum(Role)] | None = Field(
        title="Role",
        description="`void`: wording that the rulebook prints only to replace it, so an exact quotation of what does not hold; `listing`: "
        "a table of contents, an index or a heading.",
        examples=["text"],
    )
    passage: PassageWordsOut | None = Field(description="The passage cited.")
    printed: list[PrintedRunOut] = Field(description="The printed words it consists of, or is nearest to, in its order.")
    differences: list[AlterationOut] = Field(description="What would have to be changed back.")
    also: list[CitationOut | LayerCitationOut] = Field(description="Where else it is printed, at most four.")
    elsewhere: list[CitationOut | LayerCitationOut] = Field(
        description="Where it is printed outside of the `game` and `edition` asked for, if nowhere in them; at most four."
    )


class MarkerReportOut(ResponseModel):
    """A marker and what it names."""

    marker: str = Field(description="The marker, without its brackets.", examples=["r:3076c5a6"])
    span: tuple[int, int] = SPAN
    known: bool = Field(description="Whether there is such a passage.", examples=[True])
    citation: Annotated[
        CitationOut | LayerCitationOut | None, Field(description="Where the passage stands that it names; null where there is none.")
    ]


class ClaimOut(ResponseModel):
    """A sentence with a marker that quotes nothing: it is not compared with anything."""

    text: str = Field(description="The sentence.", examples=["Der Wachhabende entscheidet [r:3076c5a6]."])
    span: tuple[int, int] = SPAN
    markers: list[str] = Field(description="The markers that it has.", examples=[["r:3076c5a6"]])
    quoted: Literal[False] = Field(description="Always false.")


class VerificationOut(ResponseModel):
    """Everything that a text quotes, and whether it is printed so."""

    index: str = Field(description="The index that it was compared with.", examples=["20310517T123000-1a2b3c4d"])
    verdict: Verdict = Field(
        description="What the worst quotation is; `misattributed` where all are exact and a marker names another passage or none.",
        examples=["altered"],
    )
    quotations: Annotated[list[QuotationReportOut], Field(description="Every quotation, in the order of the text.")]
    markers: Annotated[list[MarkerReportOut], Field(description="Every marker, in the order of the text.")]
    claims: Annotated[list[ClaimOut], Field(description="Sentences with a marker that quote nothing.")]
