"""What is asked and what is answered: questions, answers, what should be known of them, and
messages for a chat.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StrictBool

from index.questions.question_parser import Asks
from index.ranking.confidence import Settlement
from service.schemas.base import RequestBody, RequestParams, ResponseModel
from service.schemas.fields import (
    LEAST_MESSAGE,
    MESSAGE_LIMITS,
    MOST_QUESTIONS,
    AsOf,
    Context,
    Count,
    DocumentFilter,
    EditionFilter,
    GameFilter,
    LanguageTag,
    Layers,
    Length,
    MessageForm,
    MessageFormat,
    Offset,
    PerGame,
    PerLanguage,
    PreferredLanguage,
    QuestionText,
    SpanPair,
    StepId,
)
from service.schemas.layers import LayerCitationOut
from service.schemas.passage import CitationOut, PassageOfLayerOut, PassageOut

_ASSIST = "Whether the model of the service's owner may look the question up; see `assisted`. The question is sent to it then."


class AskedBody(RequestBody):
    """A question, and where to look for the answer."""

    question: QuestionText
    edition: EditionFilter | None = None
    game: GameFilter | None = None
    document: DocumentFilter | None = None
    language: LanguageTag | None = None
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
    assist: StrictBool = Field(default=False, description=_ASSIST)


class AskBody(QuestionBody):
    """A question, and where to look."""

    model_config = ConfigDict(title="Ask")

    offset: Offset | None = None


class MessageBody(QuestionBody):
    """A question, where to look, and in what form to answer."""

    model_config = ConfigDict(title="MessageBody")

    format: MessageForm
    limit: Length | None = None


class _QuestionParams(RequestParams):
    """What is written otherwise in an address."""

    question: QuestionText = Field(alias="q")
    assist: bool = Field(default=False, description=_ASSIST)


class AskParams(_QuestionParams, AskBody):
    """A question in an address, and where in the list of passages to begin."""


class MessageParams(_QuestionParams, MessageBody):
    """A question in an address, and in what form to answer."""


AS_OF = Field(
    description="The day that was asked for; missing where none was.",
    exclude_if=lambda value: value is None,
    json_schema_extra={"format": "date"},
)


READ_WITH: Any = Field(
    default=[],
    description="The questions of `context` that the question was read with, the oldest first; left out where it was read alone.",
    exclude_if=lambda value: not value,
)


SETTLED = Field(
    description="The verdict on what is shown: `settled` where the first passage settles the question, `likely` where one of the first "
    "three does, `open` exactly where `answered` is false: nothing here settles it."
)


class ReadingOut(ResponseModel):
    """How a question was read."""

    asks: Asks = Field(description="What the question wants to know.")
    concepts: list[str] = Field(
        description="Terms of the games asked about that it names, whatever they are called in it."
    )
    cards: list[str] = Field(description="The names of cards that it has.")
    questions: list[str] = Field(description="Its asking sentences.")


class AskedPartOut(ResponseModel):
    """One of several questions that were asked in one text, and its own answer."""

    question: str = Field(description="As it was asked: the text of `span`.")
    span: SpanPair = Field(description="Where it stands in the text that was asked.")
    language: str = Field(description="The language that it was read in.")
    answered: bool = Field(description="Whether a passage settles it.")
    settled: Settlement = SETTLED
    confidence: float = Field(
        description="The probability that the first passage settles it.", ge=0, le=1
    )
    passages: list[PassageOfLayerOut] = Field(description="The best first.")


class NoteCode(StrEnum):
    """What a note is about."""

    LANGUAGE_NOT_READ = "language-not-read"
    NOT_IN_EFFECT = "not-in-effect"
    NO_POLICY = "no-policy"
    UNDATED_RULINGS = "undated-rulings"
    UNDATED_EDITIONS = "undated-editions"
    NO_FORMATS = "no-formats"
    NO_SUCH_RULE = "no-such-rule"


class NoteOut(ResponseModel):
    """What a caller should know of an answer beside its passages."""

    code: NoteCode = Field(description="What it is about, for programs; more may be added.")
    text: str = Field(description="The same for people and assistants, in English.")


NOTES = Field(
    description="What should be known of the answer; that the question could not be read in its language, for one. Mostly empty."
)


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

    queries: list[str] = Field(description="What it searched for beside the question.")
    chosen: list[str] = Field(
        description="The ids of the passages that it chose: those at the front of `passages`."
    )
    model: str | None = Field(description="Its name; null where there is none.")
    ms: int = Field(
        ge=0,
        description="Milliseconds that it took; for an answer that was cached, that it once took.",
    )
    note: AssistNote | None = Field(
        description="Why the answer is the one without a model; null where the model has looked at the question."
    )


class AnswerOut(ResponseModel):
    """The passages that settle a question, or the nearest ones where ``answered`` is false."""

    question: str = Field(description="The question as it was asked.")
    language: str = Field(description="The language that the question was read in.")
    answered: bool = Field(
        description="False where no passage settles the question; passages are still listed, the nearest first."
    )
    settled: Settlement = SETTLED
    confidence: float = Field(
        description="The probability that the first passage settles the question.", ge=0, le=1
    )
    index: str = Field(description="Names the index that answered.")
    passages: list[PassageOfLayerOut] = Field(
        description="At most `k` of rulebooks, the best first, and among them, where any are loaded, rulings and texts of cards."
    )
    fallback: PassageOut | None = Field(
        description="The game's own rule for what its rulebook does not settle, where `answered` is false and the question is about "
        "the game's rules: not for prices, sleeves or another game."
    )
    reading: ReadingOut | None = Field(
        description="How the question was read; null where it could not be."
    )
    notes: list[NoteOut] = NOTES
    parts: list[AskedPartOut] = Field(
        default=[],
        description="The questions of a text that asks for several things, each with its own answer; left out where it asks for one. "
        "What stands before is the answer to the whole.",
        exclude_if=lambda value: not value,
    )
    assisted: AssistedOut | None = Field(
        default=None,
        description="What the owner's model did, where the question asked for it.",
        exclude_if=lambda value: value is None,
    )
    as_of: Annotated[str | None, AS_OF] = None
    context: list[str] = READ_WITH
    step: str | None = Field(
        default=None,
        description="The step that was asked from; missing where none was. All but `elsewhere` is then about what belongs to it.",
        exclude_if=lambda value: value is None,
    )
    next_offset: int | None = Field(
        default=None,
        description="The `offset` that gives the passages behind these; missing where there are no more.",
        exclude_if=lambda value: value is None,
    )
    elsewhere: AskedPartOut | None = Field(
        default=None,
        description="Where a step was asked from: what the rest of its edition says, with its own certainty; else missing.",
        exclude_if=lambda value: value is None,
    )


class BatchQuestionBody(QuestionBody):
    """A question of a batch, with a name of your own to tell the answers apart by."""

    model_config = ConfigDict(title="BatchQuestion")

    offset: Offset | None = None
    id: str | None = Field(default=None, description="Given back with the answer.", max_length=200)


class BatchBody(RequestBody):
    """Many questions at once; if one of them cannot be put, none is, and the problem names it."""

    model_config = ConfigDict(title="Batch")

    questions: list[BatchQuestionBody] = Field(
        description="The questions, answered in their order.",
        min_length=1,
        max_length=MOST_QUESTIONS,
    )


class BatchAnswerOut(ResponseModel):
    """The answer to one question of a batch."""

    id: str | None = Field(
        description="The name that the question was given; null where it was given none."
    )
    response: AnswerOut = Field(description="The answer, as `POST /v1/ask` gives it.")


class BatchAnswersOut(ResponseModel):
    """The answers in the order of the questions, all from the same index."""

    index: str = Field(description="The index that answered all of them.")
    responses: list[BatchAnswerOut] = Field(
        description="The answers in the order of the questions."
    )
    undone: list[str | None] = Field(
        description="The ids of the last questions, for which the time of a batch did not suffice; to be put again."
    )


class ChatMessageOut(ResponseModel):
    """A message: the best passage quoted, intact or visibly cut, with its citation and link; the
    next ones cited.
    """

    question: str = Field(description="The question as it was asked.")
    language: str = Field(
        description="Language of the question, which the message speaks around the quotation."
    )
    answered: bool = Field(
        description="Whether a passage settles the question; the message says so where none does."
    )
    settled: Settlement = SETTLED
    confidence: float = Field(
        ge=0, le=1, description="The probability that the first passage settles the question."
    )
    index: str = Field(description="The index that answered.")
    format: MessageFormat = Field(description="What the message is written in.")
    message: str = Field(description="The message, ready to be sent.")
    length: int = Field(ge=1, description="Length of the message in UTF-16 code units.")
    limit: int = Field(
        ge=LEAST_MESSAGE, le=max(MESSAGE_LIMITS.values()), description="The most it may have."
    )
    cut: bool = Field(description="Whether the quotation is cut, which it shows by […].")
    citations: list[CitationOut | LayerCitationOut] = Field(
        description="What the message quotes, first, and cites, in its order."
    )
    as_of: Annotated[str | None, AS_OF] = None


class CardMessageOut(ResponseModel):
    """A message on a card: its name, its texts and the newest rulings on it, quoted intact or
    visibly cut, each with its citation.
    """

    card: str = Field(description="The id of the card.")
    game: str = Field(description="The game of the card.")
    name: str = Field(description="What it is called in the language asked for, else in English.")
    url: str = Field(description="Its page on this service.")
    language: str = Field(description="The language that the message speaks around the quotations.")
    index: str = Field(description="The index that answered.")
    format: MessageFormat = Field(description="What the message is written in.")
    message: str = Field(description="The message, ready to be sent.")
    length: int = Field(ge=1, description="Length of the message in UTF-16 code units.")
    limit: int = Field(
        ge=LEAST_MESSAGE, le=max(MESSAGE_LIMITS.values()), description="The most it may have."
    )
    cut: bool = Field(description="Whether a quotation is cut, which it shows by […].")
    citations: list[LayerCitationOut] = Field(description="What the message quotes, in its order.")
