"""Questions, answers, messages for a chat, and what clients say of answers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StrictBool

from index.questions.question_parser import Asks
from index.ranking.confidence import Settlement
from service.schemas.base import OR_NULL, RequestBody, RequestParams, ResponseModel, left_out
from service.schemas.fields import (
    LEAST_MESSAGE,
    MESSAGE_LIMITS,
    MOST_QUESTIONS,
    AsOf,
    Context,
    Count,
    DocumentFilter,
    EditionFilter,
    FewPassages,
    Fields,
    GameFilter,
    Layers,
    Length,
    MessageForm,
    MessageFormat,
    Offset,
    PerGame,
    PerLanguage,
    PreferredLanguage,
    QuestionLanguage,
    QuestionText,
    SpanPair,
    StepId,
)
from service.schemas.passage import (
    CitationOut,
    LayerCitationOut,
    PassageOfLayerOut,
    PassageOut,
    SmallPassageOut,
)

_ASSIST = "Whether the question may be sent to the model of the service's owner; see `assisted`."


class AskedBody(RequestBody):
    """A question, and where to look for the answer."""

    question: QuestionText
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    document: DocumentFilter | None = None
    language: QuestionLanguage | None = None
    prefer: PreferredLanguage | None = None


class QuestionBody(AskedBody):
    """A question, where to look, and how much to answer."""

    k: Count | None = None
    per_game: PerGame | None = None
    per_language: PerLanguage | None = None
    layers: Layers | None = None
    as_of: AsOf | None = None
    context: Context | None = None
    step: StepId | None = None
    assist: StrictBool = Field(False, description=_ASSIST)


class AskBody(QuestionBody):
    """A question, where to look, and what to say of the answer."""

    model_config = ConfigDict(title="Ask")

    k: FewPassages | None = None
    offset: Offset | None = None
    fields: Fields | None = None


class MessageBody(QuestionBody):
    """A question, where to look, and in what form to answer."""

    model_config = ConfigDict(title="MessageBody")

    format: MessageForm
    limit: Length | None = None


class _QuestionParams(RequestParams):
    """What is written otherwise in an address."""

    question: QuestionText = Field(alias="q")
    assist: bool = Field(False, description=_ASSIST)


class AskParams(_QuestionParams, AskBody):
    """A question in an address, and where in the list of passages to begin."""


class MessageParams(_QuestionParams, MessageBody):
    """A question in an address, and in what form to answer."""


AS_OF = Field(
    description="The day that was asked for; missing where none was.",
    exclude_if=lambda value: value is None,
    json_schema_extra={"format": "date"},
)


READ_WITH: Any = left_out(
    [], description="The questions of `context` that it was read with, if any."
)


DEPRECATED: Any = {"deprecated": True}
SETTLED = Field(
    description="`settled`: the first passage settles it; `likely`: one of the first three does; "
    "`open`: none."
)


class ReadingOut(ResponseModel):
    """How a question was read."""

    asks: Asks
    """What the question wants to know."""
    concepts: list[str]
    """Terms of the games asked about that it names."""
    cards: list[str]
    """The names of cards that it has."""
    questions: list[str]
    """Its asking sentences."""


class AskedPartOut(ResponseModel):
    """One of several questions that were asked in one text, and its own answer."""

    question: str
    """As it was asked: the text of `span`."""
    span: SpanPair
    """Where it stands in the text that was asked."""
    language: str
    """The language that it was read in."""
    answered: bool
    """Whether a passage settles it."""
    settled: Settlement = SETTLED
    confidence: float = Field(ge=0, le=1)
    """The probability that the first passage settles it."""
    passages: list[PassageOfLayerOut]
    """The best first."""


class NoteCode(StrEnum):
    """What a note is about."""

    LANGUAGE_NOT_READ = "language-not-read"
    NOT_IN_EFFECT = "not-in-effect"
    NO_POLICY = "no-policy"
    UNDATED_RULINGS = "undated-rulings"
    UNDATED_EDITIONS = "undated-editions"
    NO_FORMATS = "no-formats"
    NO_SUCH_RULE = "no-such-rule"
    EDITION_REPLACED = "edition-replaced"
    CARD_WITHOUT_TEXT = "card-without-text"
    OTHER_GAME = "other-game"


class NoteOut(ResponseModel):
    """What a caller should know of an answer beside its passages."""

    code: NoteCode
    """What it is about, for programs; more may be added."""
    text: str
    """The same for people, in `language` of the answer where there is a translation."""


NOTES = Field(description="What should be known of the answer. Mostly empty.")


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
    """What the owner's model did for an answer: it searched, and chose among the passages found.
    Nothing that it wrote is shown.
    """

    queries: list[str]
    """What it searched for beside the question."""
    chosen: list[str]
    """The ids of the passages that it chose, which come first."""
    model: str | None
    """Its name; null where there is none."""
    ms: int = Field(ge=0)
    """Milliseconds that it took, or once took if cached."""
    note: AssistNote | None
    """Why no model has looked at the question; else null."""


class AnswerOut(ResponseModel):
    """The passages that settle a question, or the nearest ones where ``answered`` is false."""

    model_config = ConfigDict(title="WholeAnswer")

    question: str
    """The question as it was asked."""
    language: str
    """The language that the question was read in."""
    answered: bool
    """Whether a passage settles the question."""
    settled: Settlement = SETTLED
    confidence: float = Field(ge=0, le=1)
    """The probability that the first passage settles it."""
    index: str
    """Names the index that answered."""
    passages: list[PassageOfLayerOut]
    """At most `k` of rulebooks, the best first, and rulings and texts of cards among them."""
    fallback: PassageOut | None
    """The game's own rule for what its rulebook does not settle, for a question on its rules."""
    reading: ReadingOut | None
    """How the question was read; null where it could not be."""
    notes: list[NoteOut] = NOTES
    parts: list[AskedPartOut] = left_out([])
    """The questions of a text that asks for several things, each with its own answer."""
    assisted: AssistedOut | None = left_out()
    """What the owner's model did, if it was asked for."""
    as_of: Annotated[str | None, AS_OF] = None
    context: list[str] = READ_WITH
    step: str | None = left_out()
    """The step that was asked from; all but `elsewhere` is about what belongs to it."""
    next_offset: int | None = left_out()
    """The `offset` that gives the passages behind these, if any."""
    elsewhere: AskedPartOut | None = left_out()
    """Where a step was asked from: what the rest of its edition says."""


class SmallAnswerOut(ResponseModel):
    """What a bot can post. More is there by `fields`."""

    model_config = ConfigDict(title="Answer")

    verdict: Settlement = SETTLED
    confidence: float = Field(ge=0, le=1)
    """The probability that the first passage settles it."""
    language: str
    """The language that the question was read in."""
    notes: list[NoteOut] = NOTES
    passages: list[SmallPassageOut]
    """The best first."""
    fallback: SmallPassageOut | None = left_out(json_schema_extra=OR_NULL)
    """With `fields=context`, where the verdict is `open`: the game's own rule for what its rulebook
    does not settle, if it has one.
    """


class BatchQuestionBody(QuestionBody):
    """A question of a batch, with a name of your own to tell the answers apart by."""

    model_config = ConfigDict(title="BatchQuestion")

    offset: Offset | None = None
    id: str | None = Field(None, max_length=200)
    """Given back with the answer."""


class BatchBody(RequestBody):
    """Many questions at once; if one of them cannot be put, none is, and the problem names it."""

    model_config = ConfigDict(title="Batch")

    questions: list[BatchQuestionBody] = Field(min_length=1, max_length=MOST_QUESTIONS)
    """The questions, answered in their order."""


class BatchAnswerOut(ResponseModel):
    """The answer to one question of a batch."""

    id: str | None
    """The name that the question was given, if any."""
    response: AnswerOut
    """The answer, as `POST /v1/ask` gives it."""


class BatchAnswersOut(ResponseModel):
    """The answers in the order of the questions, all from the same index."""

    index: str
    """The index that answered all of them."""
    responses: list[BatchAnswerOut]
    """The answers in the order of the questions."""
    undone: list[str | None]
    """The ids of the last questions, for which there was no time: to be put again."""


class ChatMessageOut(ResponseModel):
    """A message: the best passage quoted, intact or visibly cut, with its citation and link; the
    next ones cited.
    """

    question: str
    """The question as it was asked."""
    language: str
    """Language of the question and of the message."""
    verdict: Settlement = SETTLED
    answered: bool = Field(json_schema_extra=DEPRECATED)
    """For clients of version 1.0: `verdict` says it."""
    settled: Settlement = Field(json_schema_extra=DEPRECATED)
    """For clients of version 1.0: `verdict` says it."""
    confidence: float = Field(ge=0, le=1)
    """The probability that the first passage settles it."""
    index: str
    """The index that answered."""
    format: MessageFormat
    """What the message is written in."""
    message: str
    """The message, ready to be sent."""
    length: int = Field(ge=1)
    """Length of the message in UTF-16 code units."""
    limit: int = Field(ge=LEAST_MESSAGE, le=max(MESSAGE_LIMITS.values()))
    """The most it may have."""
    cut: bool
    """Whether the quotation is cut, which it shows by […]."""
    citations: list[CitationOut | LayerCitationOut]
    """What the message quotes, first, and cites, in its order."""
    as_of: Annotated[str | None, AS_OF] = None


class CardMessageOut(ResponseModel):
    """A message on a card: its name, its texts and the newest rulings on it, quoted intact or
    visibly cut, each with its citation.
    """

    card: str
    """The id of the card."""
    game: str
    """The game of the card."""
    name: str
    """Its name in the language asked for, else in English."""
    url: str
    """Its page."""
    language: str
    """The language of the message around the quotations."""
    index: str
    """The index that answered."""
    format: MessageFormat
    """What the message is written in."""
    message: str
    """The message, ready to be sent."""
    length: int = Field(ge=1)
    """Length of the message in UTF-16 code units."""
    limit: int = Field(ge=LEAST_MESSAGE, le=max(MESSAGE_LIMITS.values()))
    """The most it may have."""
    cut: bool
    """Whether a quotation is cut, which it shows by […]."""
    citations: list[LayerCitationOut]
    """What the message quotes, in its order."""


GivenVerdict = Literal["hit", "miss"]
_VERDICT = "hit: the passage settles the question. miss: it, or no passage of the answer, does not."


def _lacking(field: str, type: str = "string") -> dict[str, Any]:
    """Return the schema of an object that has no ``field``, or null there."""
    return {"not": {"required": [field], "properties": {field: {"type": type}}}}


class PassageReferenceBody(RequestBody):
    """A passage, by its marker or by what its citation says."""

    # Said by `not`: generators make unions of what `anyOf` says of an object.
    model_config = ConfigDict(
        title="PassageReference",
        json_schema_extra={"not": {"allOf": [_lacking("marker"), _lacking("entry")]}},
    )

    marker: str | None = Field(None, max_length=80)
    """As POST /v1/context gives it: r:3076c5a6."""
    entry: str | None = Field(None, max_length=500)
    """`citation.entry`."""
    spans: list[SpanPair] | None = Field(None, max_length=100)
    """`citation.source.spans`, if the entry has several passages."""


class FeedbackBody(AskedBody):
    """What somebody says of the answer to a question; edition, game, document, language and day as
    they were asked with.
    """

    model_config = ConfigDict(
        title="Feedback",
        json_schema_extra={
            "not": {"properties": {"verdict": {"const": "hit"}}, **_lacking("passage", "object")}
        },
    )

    verdict: GivenVerdict = Field(description=_VERDICT)
    passage: PassageReferenceBody | None = None
    """The passage that it is said of; needed with `hit`."""
    index: str | None = Field(None, max_length=100)
    """The `index` that answered."""
    as_of: AsOf | None = None
    context: Context | None = None


class FeedbackParams(RequestParams):
    """Which feedback."""

    id: str
    """As POST /v1/feedback gave it."""


class FeedbackOut(ResponseModel):
    """What is kept."""

    model_config = ConfigDict(title="KeptFeedback")

    id: str
    """Takes it back: DELETE /v1/feedback/{id}."""
    verdict: GivenVerdict
    """What was said."""
    index: str
    """The index that the passage was looked up in."""
    rank: int | None
    """The place of the passage among the first twenty, else null."""


class FeedbackUndoneOut(ResponseModel):
    """What is taken back."""

    model_config = ConfigDict(title="UndoneFeedback")

    id: str
    """The id of what is taken back."""
    undone: Literal[True] = True
    """Always true."""
