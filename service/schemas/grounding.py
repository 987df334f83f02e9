"""Passages for a language model's prompt (``POST /v1/context``), and the verification of quotations
(``POST /v1/verify``).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from corpus.model import Role
from index.ranking.confidence import Settlement
from service.schemas.answer import AS_OF, NOTES, SETTLED, AskedBody, NoteOut
from service.schemas.base import RequestBody, ResponseModel, inline_enum
from service.schemas.fields import (
    LEAST_BUDGET,
    LONGEST_TEXT,
    MOST_BUDGET,
    NOT_BLANK,
    USUAL_BUDGET,
    AsOf,
    Context,
    EditionFilter,
    GameFilter,
    Layers,
    WholeNumber,
)
from service.schemas.passage import CitationOut, LayerCitationOut

_BUDGET = "The most tokens of `prompt` and `blocks`."
_DETAILS = (
    "Give texts, highlights and citations of the passages too, for a program that shows them."
)
_FOR = (
    "Give the passages as `blocks`, as this provider's models cite them: `search_result` content "
    "blocks for Anthropic, results of a file search for OpenAI. `prompt` then only has what to do."
)
Provider = Literal["anthropic", "openai"]
MARKER = Field(
    description="Names the passage, in brackets, as long as its words are the same.",
    pattern="^r:[0-9a-f]{8,64}$",
)


class ContextBody(AskedBody):
    """A question, where to look, and the budget of tokens."""

    budget: Annotated[int, WholeNumber(LEAST_BUDGET, MOST_BUDGET, _BUDGET)] = USUAL_BUDGET
    layers: Layers | None = None
    as_of: AsOf | None = None
    context: Context | None = None
    details: bool = Field(False, strict=True, description=_DETAILS)
    provider: Provider | None = Field(None, alias="for", description=_FOR)


class ContextPassageOut(ResponseModel):
    """A passage of a prompt. Fields that need `details` are null or empty without: the prompt has
    the words.
    """

    marker: str = MARKER
    entry: str
    """The id of its entry, or `rulings/` or `cards/` and an id."""
    text: str | None = None
    """With `details`: the text as printed, the evidence."""
    display: str | None = None
    """With `details`: the text for readers."""
    tokens: int = Field(ge=1)
    """The tokens of the passage in the prompt."""
    highlights: list[tuple[int, int]] = Field([])
    """With `details`: spans of `text` that answer."""
    citation: CitationOut | LayerCitationOut | None = None
    """With `details`: the citation."""
    also: list[CitationOut | LayerCitationOut] = Field([])
    """With `details`: other places where the same words are printed."""


class ContextOut(ResponseModel):
    """The best passages within the budget, none cut, and none within another.

    `prompt` and `blocks` have at most `budget` tokens together.
    """

    question: str
    """The question as it was asked."""
    language: str
    """Language of the question."""
    answered: bool
    """Whether a passage settles the question."""
    settled: Settlement = SETTLED
    confidence: float = Field(ge=0, le=1)
    """The probability that the first passage settles it."""
    index: str
    """The index that answered."""
    budget: int = Field(ge=LEAST_BUDGET, le=MOST_BUDGET)
    """The most tokens, as asked for."""
    tokens: int = Field(ge=1)
    """Tokens of `prompt` and `blocks`, as an estimate."""
    passages: list[ContextPassageOut]
    """The passages, the best first."""
    left_out: int = Field(ge=0)
    """The number of passages found that did not fit."""
    fallback: ContextPassageOut | None
    """The game's own rule for cases that its rulebook leaves open."""
    notes: list[NoteOut] = NOTES
    as_of: Annotated[str | None, AS_OF] = None
    prompt: str
    """A text to put before the question: instructions, then the passages."""
    blocks: list[dict[str, Any]] = Field([])
    """With `for`: the passages in the provider's format, the best first."""


Verdict = Literal["exact", "misattributed", "altered", "unsupported", "nothing-quoted"]
SPAN = Field(
    description="Start and end in the text that was sent.",
    examples=[[5, 112]],
)


class VerifyBody(RequestBody):
    """A text whose quotations are to be verified."""

    text: str = Field(
        json_schema_extra={"minLength": 1, "maxLength": LONGEST_TEXT, "pattern": NOT_BLANK}
    )
    """A text with quotations between quotation marks of any language, in block quotes, `<q>`,
    emphasis, headings, tables or code, and markers in brackets.
    """
    game: GameFilter | None = None
    edition: EditionFilter | None = None


class QuotationStatus(StrEnum):
    """The result of comparing a quotation with print."""

    EXACT = "exact"
    ALTERED = "altered"
    UNSUPPORTED = "unsupported"


class AlterationKind(StrEnum):
    """The kind of change to printed words; ``JOINED`` runs are printed in different places."""

    REPLACED = "replaced"
    INSERTED = "inserted"
    LEFT_OUT = "left-out"
    JOINED = "joined"


class DecisiveKind(StrEnum):
    """The kinds of words that may change the meaning of a quotation if left out."""

    NEGATION = "negation"
    NUMBER = "number"
    EXCEPTION = "exception"
    CONDITION = "condition"


class OmissionPlace(StrEnum):
    """The place of words left out: within a quotation, or before or after it in the same
    sentence.
    """

    BEFORE = "before"
    WITHIN = "within"
    BEHIND = "behind"


class AlterationOut(ResponseModel):
    """A place where a quotation differs from print."""

    change: Annotated[AlterationKind, inline_enum(AlterationKind)] = Field(
        title="Change", examples=["replaced"]
    )
    """`joined`: the words on both sides of […] are printed in different places. `left-out`, if
    `given` is […]: it hides a negation, a number, an exception or a condition.
    """
    given: str = Field(examples=["drei"])
    """The words of the quotation, its […], or nothing."""
    printed: str = Field(examples=["mehrere"])
    """The printed words, if any."""
    span: tuple[int, int] = SPAN


class PrintedRunOut(ResponseModel):
    """A run of printed words."""

    text: str = Field(examples=["Wirken mehrere Fähigkeiten"])
    """The words as printed or displayed."""
    form: Literal["display", "text"] = Field(examples=["display"])
    """The form of the passage that has the words."""
    entry: str = Field(examples=["pegelwacht-de-1.1/gleichzeitige-effekte"])
    """The entry that has the words."""
    spans: list[tuple[int, int]] = Field(examples=[[[10619, 10645]]])
    """The places of the words in the document."""


class OmissionOut(ResponseModel):
    """Printed words that a quotation leaves out."""

    where: Annotated[OmissionPlace, inline_enum(OmissionPlace)] = Field(
        title="Where", examples=["within"]
    )
    """`within` the quotation, or `before` or `behind` it in its sentence."""
    shown: bool = Field(examples=[True])
    """Whether an ellipsis shows the omission."""
    span: tuple[int, int] = Field(examples=[[28, 31]])
    """The place of the ellipsis, or of the missing words."""
    holds: list[Annotated[DecisiveKind, inline_enum(DecisiveKind)]] = Field(examples=[["negation"]])
    """The kinds of words in it that may change the meaning."""
    words: list[str] = Field(examples=[["nicht"]])
    """The words that may change the meaning."""
    printed: list[PrintedRunOut]
    """The words left out, in printed order."""


class PassageWordsOut(ResponseModel):
    """The words of a passage: as evidence, and for readers."""

    text: str
    """The text as printed: the evidence."""
    display: str
    """The text for readers."""


class QuotationReportOut(ResponseModel):
    """A quotation compared with print."""

    text: str = Field(
        examples=["Wirken drei Fähigkeiten […] bestimmt der Wachhabende die Reihenfolge."]
    )
    """The words between the marks."""
    span: tuple[int, int] = SPAN
    status: Annotated[QuotationStatus, inline_enum(QuotationStatus)] = Field(
        title="Status", examples=["altered"]
    )
    """`exact`: printed like this, up to white space, markup and the shape of quotation marks and
    dashes; `altered`: similar, or […] hides words that change the meaning; `unsupported`: in no
    passage.
    """
    short: bool = Field(examples=[False])
    """Fewer than three words, which count only with a marker."""
    cut: bool = Field(examples=[True])
    """Whether it shows by […] that words are left out."""
    misleading: bool = Field(examples=[False])
    """Whether words are left out that may change the meaning."""
    left_out: list[OmissionOut]
    """Printed words of its sentences that it leaves out."""
    marker: str | None = Field(examples=["r:3076c5a6"])
    """The marker that names its source."""
    marker_ok: bool | None = Field(examples=[True])
    """Whether it is from this source; null without a marker."""
    citation: CitationOut | LayerCitationOut | None
    """The citation of the quotation, or of the nearest printed words."""
    role: Annotated[Role, inline_enum(Role)] | None = Field(title="Role", examples=["text"])
    """`void`: wording that is not in effect, printed only to be replaced; `listing`: a table of
    contents, an index or a heading.
    """
    passage: PassageWordsOut | None
    """The passage cited."""
    printed: list[PrintedRunOut]
    """The printed words it consists of, or is nearest to."""
    differences: list[AlterationOut]
    """The differences from print."""
    also: list[CitationOut | LayerCitationOut]
    """Other places where it is printed, at most four."""
    elsewhere: list[CitationOut | LayerCitationOut]
    """Places outside the requested game or edition where it is printed, at most four."""


class MarkerReportOut(ResponseModel):
    """A marker and the passage that it names."""

    marker: str = Field(examples=["r:3076c5a6"])
    """The marker, without its brackets."""
    span: tuple[int, int] = SPAN
    known: bool = Field(examples=[True])
    """Whether there is such a passage."""
    citation: CitationOut | LayerCitationOut | None
    """The citation of the passage that it names."""


class ClaimOut(ResponseModel):
    """A sentence with a marker but without a quotation; `citations` says whether the passage is on
    the same subject.
    """

    text: str = Field(examples=["Der Wachhabende entscheidet [r:3076c5a6]."])
    """The sentence."""
    span: tuple[int, int] = SPAN
    markers: list[str] = Field(examples=[["r:3076c5a6"]])
    """The markers of the sentence."""
    quoted: Literal[False]
    """Always false."""


class CitationStatus(StrEnum):
    """The result of comparing a citation with the cited place."""

    FOUND = "found"
    UNRELATED = "unrelated"
    DIFFERENT_NUMBER = "different-number"
    UNKNOWN = "unknown"


class CitationReportOut(ResponseModel):
    """A rule, an entry or a passage that a text cites."""

    text: str = Field(examples=["Gleichzeitige Effekte"])
    """The number, name or marker as cited."""
    span: tuple[int, int] = SPAN
    status: Annotated[CitationStatus, inline_enum(CitationStatus)] = Field(
        title="Status", examples=["found"]
    )
    """`found`: it exists, and the citing sentence is on the same subject, or says too little to
    tell; `unrelated`: it exists, but is on another subject; `different-number`: the sentence has
    another number than the rule; `unknown`: it does not exist.
    """
    shared: list[str] = Field(examples=[["Fähigkeiten"]])
    """Words of the sentence that the cited place has too."""
    citations: list[CitationOut]
    """The places cited, at most four."""
    nearest: list[CitationOut]
    """Entries that may be meant instead: the nearest numbers and names, or entries on the subject
    of the sentence; at most three.
    """


class VerificationOut(ResponseModel):
    """All quotations and citations of a text, and whether they are printed like this."""

    index: str = Field(examples=["20310517T123000-1a2b3c4d"])
    """The index that it was compared with."""
    verdict: Verdict = Field(examples=["altered"])
    """The status of the worst quotation; `misattributed`: all are exact, but a marker or a citation
    is wrong.
    """
    quotations: list[QuotationReportOut]
    """Every quotation, in the order of the text."""
    markers: list[MarkerReportOut]
    """Every marker, in the order of the text."""
    claims: list[ClaimOut]
    """Sentences with a marker but without a quotation."""
    citations: list[CitationReportOut]
    """Rules and entries cited by number or name, and passages that a claim names, in the order of
    the text.
    """
