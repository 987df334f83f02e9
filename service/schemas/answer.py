"""Questions, answers, chat messages, and feedback on answers."""

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
    """The fields of questions that have another form in addresses."""

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
    """The kind of answer that the question asks for."""
    concepts: list[str]
    """The terms that it names, of the games asked about."""
    cards: list[str]
    """The names of cards in it."""
    questions: list[str]
    """Its question sentences."""


class AskedPartOut(ResponseModel):
    """One of several questions in a text, and its own answer."""

    question: str
    """The question as asked: the text of `span`."""
    span: SpanPair
    """Its place in the text that was asked."""
    language: str
    """The language that it was read in."""
    answered: bool
    """Whether a passage settles it."""
    settled: Settlement = SETTLED
    confidence: float = Field(ge=0, le=1)
    """The probability that the first passage settles it."""
    passages: list[PassageOfLayerOut]
    """The passages, the best first."""


class NoteCode(StrEnum):
    """The subject of a note."""

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
    """Something that a caller should know about an answer besides its passages."""

    code: NoteCode
    """The subject, for programs; more may be added."""
    text: str
    """The note for people, in `language` of the answer if there is a translation."""


NOTES = Field(description="What should be known of the answer. Mostly empty.")


class AssistNote(StrEnum):
    """The reason why a model contributed nothing to an answer."""

    OFF = "off"
    BUSY = "busy"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    BAD_REPLY = "bad-reply"
    BUDGET = "budget"
    NOT_RECORDED = "not-recorded"


class AssistedOut(ResponseModel):
    """The contribution of the owner's model to an answer: it searched, and chose among the passages
    found. Nothing that it wrote is shown.
    """

    queries: list[str]
    """The model's own searches, besides the question."""
    chosen: list[str]
    """The ids of the passages that it chose, which come first."""
    model: str | None
    """The name of the model; null without one."""
    ms: int = Field(ge=0)
    """The time that it took in milliseconds; if cached, at the first time."""
    note: AssistNote | None
    """Why the model contributed nothing; otherwise null."""


class AnswerOut(ResponseModel):
    """The passages that settle a question, or the nearest passages if ``answered`` is false."""

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
    """The id of the index that answered."""
    passages: list[PassageOfLayerOut]
    """At most `k` of rulebooks, the best first, and rulings and texts of cards among them."""
    fallback: PassageOut | None
    """The game's own rule for cases that its rulebook does not settle, for a question on rules."""
    reading: ReadingOut | None
    """How the question was read; null if it could not be read."""
    notes: list[NoteOut] = NOTES
    parts: list[AskedPartOut] = left_out([])
    """The questions of a text that asks for several things, each with its own answer."""
    assisted: AssistedOut | None = left_out()
    """The contribution of the owner's model, if requested."""
    as_of: Annotated[str | None, AS_OF] = None
    context: list[str] = READ_WITH
    step: str | None = left_out()
    """The step that was asked about; all but `elsewhere` is from its passages."""
    next_offset: int | None = left_out()
    """The `offset` for the passages after these, if any."""
    elsewhere: AskedPartOut | None = left_out()
    """If a step was asked about: the answer from the rest of its edition."""


class SmallAnswerOut(ResponseModel):
    """An answer with the fields that a bot posts; `fields` adds others."""

    model_config = ConfigDict(title="Answer")

    verdict: Settlement = SETTLED
    confidence: float = Field(ge=0, le=1)
    """The probability that the first passage settles it."""
    language: str
    """The language that the question was read in."""
    notes: list[NoteOut] = NOTES
    passages: list[SmallPassageOut]
    """The passages, the best first."""
    fallback: SmallPassageOut | None = left_out(json_schema_extra=OR_NULL)
    """With `fields=context`, if the verdict is `open`: the game's own rule for cases that its
    rulebook does not settle, if it has one.
    """


class BatchQuestionBody(QuestionBody):
    """A question of a batch, with an id of your choice to find its answer by."""

    model_config = ConfigDict(title="BatchQuestion")

    offset: Offset | None = None
    id: str | None = Field(None, max_length=200)
    """An id of your choice, returned with the answer."""


class BatchBody(RequestBody):
    """Many questions at once; if one is invalid, none is answered, and the problem names it."""

    model_config = ConfigDict(title="Batch")

    questions: list[BatchQuestionBody] = Field(min_length=1, max_length=MOST_QUESTIONS)
    """The questions, answered in their order."""


class BatchAnswerOut(ResponseModel):
    """The answer to one question of a batch."""

    id: str | None
    """The id that the question was given, if any."""
    response: AnswerOut
    """The answer, as from `POST /v1/ask`."""


class BatchAnswersOut(ResponseModel):
    """The answers in the order of the questions, all from the same index."""

    index: str
    """The index that answered all of them."""
    responses: list[BatchAnswerOut]
    """The answers in the order of the questions."""
    undone: list[str | None]
    """The ids of the last questions, for which there was no time: ask them again."""


class ChatMessageOut(ResponseModel):
    """A message: the best passage quoted, whole or visibly cut, with citation and link; the next
    passages only cited.
    """

    question: str
    """The question as it was asked."""
    language: str
    """Language of the question and of the message."""
    verdict: Settlement = SETTLED
    answered: bool = Field(json_schema_extra=DEPRECATED)
    """For clients of version 1.0; use `verdict`."""
    settled: Settlement = Field(json_schema_extra=DEPRECATED)
    """For clients of version 1.0; use `verdict`."""
    confidence: float = Field(ge=0, le=1)
    """The probability that the first passage settles it."""
    index: str
    """The index that answered."""
    format: MessageFormat
    """The markup of the message."""
    message: str
    """The message, ready to be sent."""
    length: int = Field(ge=1)
    """Length of the message in UTF-16 code units."""
    limit: int = Field(ge=LEAST_MESSAGE, le=max(MESSAGE_LIMITS.values()))
    """The greatest length allowed."""
    cut: bool
    """Whether the quotation is cut, which it shows by […]."""
    citations: list[CitationOut | LayerCitationOut]
    """The citations of the passages quoted, then of those only cited, in order."""
    as_of: Annotated[str | None, AS_OF] = None


class CardMessageOut(ResponseModel):
    """A message on a card: its name, its texts and the newest rulings on it, quoted whole or
    visibly cut, each with its citation.
    """

    card: str
    """The id of the card."""
    game: str
    """The game of the card."""
    name: str
    """The name of the card in the language asked for, or in English."""
    url: str
    """The page of the card."""
    language: str
    """The language of the message around the quotations."""
    index: str
    """The index that answered."""
    format: MessageFormat
    """The markup of the message."""
    message: str
    """The message, ready to be sent."""
    length: int = Field(ge=1)
    """Length of the message in UTF-16 code units."""
    limit: int = Field(ge=LEAST_MESSAGE, le=max(MESSAGE_LIMITS.values()))
    """The greatest length allowed."""
    cut: bool
    """Whether a quotation is cut, which it shows by […]."""
    citations: list[LayerCitationOut]
    """The citations of the texts quoted, in order."""


GivenVerdict = Literal["hit", "miss"]
_VERDICT = "hit: the passage settles the question. miss: it, or no passage of the answer, does not."


def _lacking(field: str, type: str = "string") -> dict[str, Any]:
    """Return the JSON schema of an object whose ``field`` is missing or null."""
    return {"not": {"required": [field], "properties": {field: {"type": type}}}}


class PassageReferenceBody(RequestBody):
    """A passage, given by its marker or by fields of its citation."""

    # With `not`, since generators turn `anyOf` of an object into unions.
    model_config = ConfigDict(
        title="PassageReference",
        json_schema_extra={"not": {"allOf": [_lacking("marker"), _lacking("entry")]}},
    )

    marker: str | None = Field(None, max_length=80)
    """The marker, as from POST /v1/context: r:3076c5a6."""
    entry: str | None = Field(None, max_length=500)
    """`citation.entry` of the passage."""
    spans: list[SpanPair] | None = Field(None, max_length=100)
    """`citation.source.spans` of the passage, if the entry has several passages."""


class FeedbackBody(AskedBody):
    """Feedback on the answer to a question; edition, game, document, language and day are those of
    the request.
    """

    model_config = ConfigDict(
        title="Feedback",
        json_schema_extra={
            "not": {"properties": {"verdict": {"const": "hit"}}, **_lacking("passage", "object")}
        },
    )

    verdict: GivenVerdict = Field(description=_VERDICT)
    passage: PassageReferenceBody | None = None
    """The passage that the feedback is on; needed with `hit`."""
    index: str | None = Field(None, max_length=100)
    """The `index` that answered."""
    as_of: AsOf | None = None
    context: Context | None = None


class FeedbackParams(RequestParams):
    """The id of feedback."""

    id: str
    """The id, as from POST /v1/feedback."""


class FeedbackOut(ResponseModel):
    """The feedback as stored."""

    model_config = ConfigDict(title="KeptFeedback")

    id: str
    """The id, to delete it: DELETE /v1/feedback/{id}."""
    verdict: GivenVerdict
    """The verdict given."""
    index: str
    """The index in which the passage was looked up."""
    rank: int | None
    """The rank of the passage among the first twenty, otherwise null."""


class FeedbackUndoneOut(ResponseModel):
    """The feedback that was deleted."""

    model_config = ConfigDict(title="UndoneFeedback")

    id: str
    """The id of the deleted feedback."""
    undone: Literal[True] = True
    """Always true."""
