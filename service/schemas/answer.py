"""What is asked and what is answered: questions, answers, passages and their citations."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StrictBool

from corpus.model import Kind, Role
from index.questions.question_parser import Asks
from index.ranking.confidence import Settlement
from service.schemas.base import (
    AsOf,
    BoxPoints,
    Count,
    CountParam,
    DocumentFilter,
    EditionFilter,
    GameFilter,
    LanguageTag,
    LayerList,
    LayerNames,
    Length,
    LengthParam,
    LinePair,
    MessageForm,
    QuestionText,
    RequestBody,
    RequestParams,
    ResponseModel,
    SpanPair,
)
from service.schemas.layers import CardPassageOut, RulingPassageOut
from service.schemas.limits import MOST_QUESTIONS

_ASSIST = "Whether the model of the service's owner may look the question up; see `assisted`. The question is sent to it then."


class QuestionBody(RequestBody):
    """A question, and where to look for the answer."""

    question: QuestionText
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    document: DocumentFilter | None = None
    language: LanguageTag | None = None
    k: Count | None = None
    layers: LayerList | None = None
    as_of: AsOf | None = None
    assist: Annotated[StrictBool, Field(description=_ASSIST)] = False


class AskBody(QuestionBody):
    """A question, where to look, and in what form to answer."""

    model_config = ConfigDict(title="Ask")

    format: MessageForm | None = None
    limit: Length | None = None


class AskParams(RequestParams):
    """A question in an address."""

    q: QuestionText
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    document: DocumentFilter | None = None
    language: LanguageTag | None = None
    k: CountParam | None = None
    layers: LayerNames | None = None
    as_of: AsOf | None = None
    assist: Annotated[bool, Field(description=_ASSIST)] = False
    format: MessageForm | None = None
    limit: LengthParam | None = None


class SourceOut(ResponseModel):
    """The document that something was read from: its file name and the SHA-256 of its bytes."""

    file: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


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

    spans: list[SpanPair]
    lines: LinePair
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
    title: str


EFFECTIVE = Field(
    description="The day from which the edition holds, as its head or what describes it says; null where neither does. A month without "
    "a day stands for its first day.",
    json_schema_extra={"format": "date"},
)
AS_OF = Field(
    description="The day that was asked for; missing where none was.",
    exclude_if=lambda value: value is None,
    json_schema_extra={"format": "date"},
)


class CitationOut(ResponseModel):
    """Where a passage stands, to the character."""

    label: Annotated[str, Field(description="For readers: edition, entry and lines, or the page of a document that has pages.")]
    edition: str
    game: str
    language: str
    version: str
    effective: Annotated[str | None, EFFECTIVE]
    entry: Annotated[str, Field(description="The id of the entry it stands in.")]
    heading: Annotated[str, Field(description="The heading of the entry, as printed.")]
    kind: Kind
    number: Annotated[str | None, Field(description="The number of a rule or of a card, as printed.")]
    page: Annotated[
        int | None, Field(description="The page of a document that has pages, from 1; else the printed page, where it has an index.")
    ]
    url: Annotated[str, Field(description="The page of the entry on this service.")]
    source: PlacedSourceOut


class LeadInOut(ResponseModel):
    """What a rulebook prints before a passage and leads in to it: to be read with it, no part of the evidence."""

    text: Annotated[str, Field(description="As printed, the text of `span`.")]
    display: Annotated[str, Field(description="For readers, as that of a passage.")]
    span: SpanPair


REPAIRED = Field(
    description="`display` with the signs and letters that the document has lost or misread, where notes on the edition know them; null "
    "where nothing is. For understanding, no part of the evidence: quote `display`."
)


class QuotedOut(ResponseModel):
    """Another passage, quoted word for word."""

    text: Annotated[str, Field(description="As printed, to be checked against the document by the spans of the citation.")]
    display: Annotated[str, Field(description="For readers, as that of a passage.")]
    citation: CitationOut


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
    score: float | None
    text: Annotated[str, Field(description="As printed, to be checked against the document by the spans of the citation.")]
    display: Annotated[str, Field(description="For readers: hyphens at line ends closed, escapes decoded, markup gone.")]
    context: Annotated[
        LeadInOut | None,
        Field(description="The sentence that leads in to its list, the rule that it goes on, or the header of its table."),
    ]
    repaired: Annotated[str | None, REPAIRED]
    highlights: Annotated[list[SpanPair], Field(description="What in `text` answers, as offsets into it, in order.")]
    role: Role
    depth: Annotated[int, Field(ge=0, description="0 a paragraph, 1 a bullet, 2 a bullet in a bullet.")]
    citation: CitationOut
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


class ReadingOut(ResponseModel):
    """How a question was read."""

    asks: Asks
    concepts: Annotated[list[str], Field(description="Terms of the games asked about that it names, whatever they are called in it.")]
    cards: list[str]
    questions: Annotated[list[str], Field(description="Its asking sentences.")]


class AskedPartOut(ResponseModel):
    """One of several questions that were asked in one text, and its own answer."""

    question: Annotated[str, Field(description="As it was asked: the text of `span`.")]
    span: Annotated[SpanPair, Field(description="Where it stands in the text that was asked.")]
    language: str
    answered: bool
    settled: Annotated[Settlement, SETTLED]
    confidence: Annotated[float, Field(ge=0, le=1)]
    passages: list[PassageOfLayerOut]


class NoteCode(StrEnum):
    """What a note is about."""

    LANGUAGE_NOT_READ = "language-not-read"
    NOT_IN_EFFECT = "not-in-effect"
    NO_POLICY = "no-policy"
    UNDATED_RULINGS = "undated-rulings"
    NO_FORMATS = "no-formats"


class NoteOut(ResponseModel):
    """What a caller should know of an answer beside its passages."""

    code: Annotated[NoteCode, Field(description="What it is about, for programs; more may be added.")]
    text: Annotated[str, Field(description="The same for people and assistants, in English.")]


NOTES = Field(description="What should be known of the answer; that the question could not be read in its language, for one. Mostly empty.")


class AssistNote(StrEnum):
    """Why an answer is the one without a model."""

    OFF = "off"
    BUSY = "busy"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    BAD_REPLY = "bad-reply"
    BUDGET = "budget"
    NOT_RECORDED = "not-recorded"


class AssistedOut(ResponseModel):
    """What the owner's model did for an answer: it searched, and chose among the passages found. Nothing that it wrote is shown."""

    queries: Annotated[list[str], Field(description="What it searched for beside the question.")]
    chosen: Annotated[list[str], Field(description="The ids of the passages that it chose: those at the front of `passages`.")]
    model: Annotated[str | None, Field(description="Its name; null where there is none.")]
    ms: Annotated[int, Field(ge=0, description="Milliseconds that it took; for an answer that was cached, that it once took.")]
    note: Annotated[
        AssistNote | None, Field(description="Why the answer is the one without a model; null where the model has looked at the question.")
    ]


SETTLED = Field(
    description="What `answered` says in two steps, in three: `likely` where the passages probably settle the question but should be "
    "read with care, `open` exactly where `answered` is false."
)


class AnswerOut(ResponseModel):
    """The passages that settle a question, or the nearest ones where ``answered`` is false."""

    question: str
    language: str
    answered: Annotated[
        bool, Field(description="False where no passage settles the question; passages are still listed, the nearest first.")
    ]
    settled: Annotated[Settlement, SETTLED]
    confidence: Annotated[float, Field(ge=0, le=1)]
    index: Annotated[str, Field(description="Names the index that answered.")]
    passages: Annotated[
        list[PassageOfLayerOut],
        Field(description="At most `k` of rulebooks, the best first, and among them, where any are loaded, rulings and texts of cards."),
    ]
    fallback: Annotated[
        PassageOut | None,
        Field(
            description="The game's own rule for what its rulebook does not settle, where `answered` is false and the question is about "
            "the game's rules: not for prices, sleeves or another game."
        ),
    ]
    reading: ReadingOut | None
    notes: Annotated[list[NoteOut], NOTES]
    parts: list[AskedPartOut] = Field(
        default=[],
        description="The questions of a text that asks for several things, each with its own answer; left out where it asks for one. "
        "What stands before is the answer to the whole.",
        exclude_if=lambda value: not value,
    )
    assisted: Annotated[
        AssistedOut | None,
        Field(description="What the owner's model did, where the question asked for it.", exclude_if=lambda value: value is None),
    ] = None
    as_of: Annotated[str | None, AS_OF] = None


class BatchQuestionBody(QuestionBody):
    """A question of a batch, with a name of your own to tell the answers apart by."""

    model_config = ConfigDict(title="BatchQuestion")

    id: Annotated[str | None, Field(description="Given back with the answer.", max_length=200)] = None


class BatchBody(RequestBody):
    """Many questions at once; if one of them cannot be put, none is, and the problem names it."""

    model_config = ConfigDict(title="Batch")

    questions: Annotated[list[BatchQuestionBody], Field(min_length=1, max_length=MOST_QUESTIONS)]


class BatchAnswerOut(ResponseModel):
    """The answer to one question of a batch."""

    id: str | None
    response: AnswerOut


class BatchAnswersOut(ResponseModel):
    """The answers in the order of the questions, all from the same index."""

    index: str
    responses: list[BatchAnswerOut]
    undone: Annotated[
        list[str | None],
        Field(description="The ids of the last questions, for which the time of a batch did not suffice; to be put again."),
    ]
