"""The fields of requests: what each may hold, how it is checked, and what the description of the
API says of it.

Values are checked here as far as that needs no index; `service.core.parameters` does the rest and
says what is wrong. A value that cannot be used is `refused` by a name that stands there for the
sentence. What comes from an address, a form or a command line is validated in the context
`AS_TEXT`: there numbers may be digits, and lists may be one text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from corpus.dates import iso_day
from corpus.languages import LANGUAGES
from index.layers.passages import Layer

LONGEST_QUESTION = 2000  # characters
MOST_PASSAGES = 50  # of an answer
USUAL_PASSAGES = 10
MOST_BEFORE = 200  # passages that an answer may leave out since the caller has them
MOST_CITED = 6  # passages on a ruling sheet, which is to fit on a page
MOST_QUESTIONS = 100  # in one batch
MOST_CONTEXT = 4  # questions before one that it may be read with
LEAST_BUDGET = 200  # tokens of a context
USUAL_BUDGET = 1500
MOST_BUDGET = 32_000
LONGEST_TEXT = 20_000  # characters of a text whose quotations are verified


class MessageFormat(StrEnum):
    """What a message is written in.

    ``MARKDOWN`` is CommonMark and at the same time Telegram's MarkdownV2: only what means much the
    same in both is used. ``DISCORD`` is Discord's own Markdown, ``PLAIN`` has no markup at all.
    """

    MARKDOWN = "markdown"
    PLAIN = "plain"
    DISCORD = "discord"


MESSAGE_LIMITS = {
    MessageFormat.MARKDOWN: 4096,
    MessageFormat.PLAIN: 4096,
    MessageFormat.DISCORD: 2000,
}  # UTF-16 code units
LEAST_MESSAGE = 300  # of a limit: less may not hold a sentence with its citation and link

AS_TEXT = "as text"  # the context of validation for values that are typed or stand in an address

# Control characters and marks that turn the direction of writing, which can make a quotation look
# like what it is not. Lone surrogates, refused too, are left out of the patterns: not every engine
# knows them.
_BIDI_MARKS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CONTROLS = (
    r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069"
)
_PRINTABLE = f"^[^{_CONTROLS}]*$"
_PRINTABLE_NOT_BLANK = f"^[^{_CONTROLS}]*[^\\s{_CONTROLS}][^{_CONTROLS}]*$"
NOT_BLANK = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"  # a text that somebody else wrote: whatever is in it, it is looked at
EDITION_ID = "^[a-z0-9][a-z0-9.-]*$"  # as `corpus.edition_files` takes them
_LANGUAGE_TAG = "[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*"  # what every tag of BCP 47 is made of


def refused(kind: str, **values: object) -> PydanticCustomError:
    """Return the error of a value that cannot be used: ``kind`` names a sentence of
    `service.core.parameters`, with these ``values``.
    """
    return PydanticCustomError(kind, kind, values)


def _checked_question(text: str) -> str:
    if not text.strip():
        raise refused("question_empty")
    if len(text) > LONGEST_QUESTION:
        raise refused("question_long", count=len(text), limit=LONGEST_QUESTION)
    control = next(
        (
            c
            for c in text
            if c in _BIDI_MARKS or (c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cs"))
        ),
        None,
    )
    if control is not None:
        raise refused("question_control", character=f"U+{ord(control):04X}")
    return text


def _typed(text: str) -> str | None:
    return _checked_question(text) if text.strip() else None


def _language(tag: str) -> str | None:
    """Return the primary language of a tag, ``de`` for ``de-AT``; None where it is none that is
    read here.
    """
    if not re.fullmatch(_LANGUAGE_TAG, tag):
        raise refused("language_tag")
    primary = tag.partition("-")[0].lower()
    return primary if primary in LANGUAGES else None


def _day(text: str) -> str:
    try:
        return iso_day(text)
    except ValueError:
        raise refused("day") from None


def _layers(
    value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo
) -> tuple[Layer, ...]:
    """Return layers in their own order, each named once; as text their names are divided by
    commas.
    """
    wrong = refused("layers", known=", ".join(Layer))
    if info.context == AS_TEXT:
        value = value.split(",") if isinstance(value, str) else value
        if (
            not isinstance(value, list)
            or not value
            or any(name not in tuple(Layer) for name in value)
        ):
            raise wrong
    named: list[Layer] = handler(value)
    if len(set(named)) < len(named):
        raise wrong
    return tuple(layer for layer in Layer if layer in named)


def _context(
    value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo
) -> tuple[str, ...]:
    """Return questions, each on one line; as text each is a line."""
    if info.context == AS_TEXT:
        value = (
            [line for line in value.splitlines() if line.strip()]
            if isinstance(value, str)
            else value
        )
        if not isinstance(value, Sequence) or len(value) > MOST_CONTEXT:
            raise refused("context", limit=MOST_CONTEXT)
    return tuple(" ".join(_checked_question(each).split()) for each in handler(value))


@dataclass(frozen=True)
class WholeNumber:
    """A whole number from ``least`` to ``most``; as text it is digits."""

    least: int
    most: int
    description: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {
            "type": "integer",
            "minimum": self.least,
            "maximum": self.most,
            "description": self.description,
        }

    def _validate(self, value: object, info: ValidationInfo) -> int:
        if (
            info.context == AS_TEXT
            and isinstance(value, str)
            and value.isascii()
            and value.isdigit()
            and len(value) < 10
        ):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 7.0 is a whole number in JSON
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or not self.least <= value <= self.most
        ):  # True is 1 in Python
            raise refused("number", least=self.least, most=self.most)
        return value


_Question = Annotated[
    str,
    Field(
        description=f"What is asked, in German, Italian or English; at most {LONGEST_QUESTION:,} characters, no control characters.",
        json_schema_extra={
            "minLength": 1,
            "maxLength": LONGEST_QUESTION,
            "pattern": _PRINTABLE_NOT_BLANK,
        },
    ),
]
QuestionText = Annotated[_Question, AfterValidator(_checked_question)]
TypedText = Annotated[
    str,
    AfterValidator(_typed),
    Field(json_schema_extra={"maxLength": LONGEST_QUESTION, "pattern": _PRINTABLE}),
]  # None where it is blank
EditionFilter = Annotated[
    str,
    Field(
        description="Only this edition, by its id: see GET /v1/editions.",
        json_schema_extra={"format": "edition", "pattern": EDITION_ID},
    ),
]
EditionId = Annotated[
    str,
    Field(
        description="The id of an edition: see GET /v1/editions.",
        json_schema_extra={"format": "edition", "pattern": EDITION_ID},
    ),
]
_GAME: dict[str, Any] = {"format": "game", "pattern": "^[a-z0-9-]+$"}
GameName = Annotated[
    str, Field(description="The game: see `game` of GET /v1/editions.", json_schema_extra=_GAME)
]
GameFilter = Annotated[
    str,
    Field(
        description="Only rulebooks of this game: see `game` of GET /v1/editions.",
        json_schema_extra=_GAME,
    ),
]
DocumentFilter = Annotated[
    str,
    Field(
        description="Only the rulebook read from the file of this name; the folder of its game may be left out.",
        json_schema_extra={"format": "document", "pattern": _PRINTABLE_NOT_BLANK},
    ),
]
_LANGUAGE = {
    "type": "string",
    "description": "The language of the question, as a BCP 47 tag; detected where it is not given, or is none of German, Italian and "
    "English. Passages of every language are found.",
    "pattern": f"^{_LANGUAGE_TAG}$",
}
LanguageTag = Annotated[str, AfterValidator(_language), WithJsonSchema(_LANGUAGE)]
_PREFERRED = (
    "The language whose passages come first where a game has editions in several, as a BCP 47 tag; that of the question "
    "where it is not given. Texts of cards are given in it where they have it."
)
PreferredLanguage = Annotated[
    str, AfterValidator(_language), WithJsonSchema({**_LANGUAGE, "description": _PREFERRED})
]
_LAYERS = "What to quote from; all that is loaded where it is not given. `rulebook` alone gives an answer without rulings and cards."
_LAYERS_AS_TEXT = {
    "type": "string",
    "description": f"{_LAYERS} Several are divided by commas.",
    "pattern": f"^({'|'.join(','.join(names) for count in range(1, len(Layer) + 1) for names in permutations(Layer, count))})$",
}
Layers = Annotated[
    list[Layer],
    Field(min_length=1, max_length=len(Layer)),
    WrapValidator(_layers),
    Field(
        description=_LAYERS, json_schema_extra={"uniqueItems": True, "in_address": _LAYERS_AS_TEXT}
    ),
]
StepId = Annotated[
    str,
    Field(
        description="The id of a step of the game's time (`GET /v1/timing/{edition}`): answered from the passages that belong to it, with "
        "what the rest of its edition says apart, in `elsewhere`.",
        examples=["pegelwacht-de-1.1/flutphase#1"],
    ),
]
AsOf = Annotated[
    str,
    AfterValidator(_day),
    Field(
        description="A day: only what held on it answers. Of the versions of one rulebook that is the newest whose date of effect is not "
        "after it, or, where none is, those of which no date is known. Without it, every edition answers.",
        json_schema_extra={"format": "date"},
        examples=["2025-06-01"],
    ),
]
_CONTEXT = (
    f"The questions that were asked before, the oldest first, at most {MOST_CONTEXT}. A question that cannot be understood alone "
    '("and if it is exhausted?") is read with those that it needs, which the answer names. Any other is answered as without them.'
)
_CONTEXT_AS_TEXT = {
    "type": "string",
    "description": f"{_CONTEXT} Each on a line of its own.",
    "maxLength": MOST_CONTEXT * (LONGEST_QUESTION + 1),
    "pattern": _PRINTABLE,
}
Context = Annotated[
    list[_Question],
    Field(max_length=MOST_CONTEXT),
    WrapValidator(_context),
    Field(description=_CONTEXT, json_schema_extra={"in_address": _CONTEXT_AS_TEXT}),
]
# What a permanent link says, which may be of an index that is no more: shown as it stands, and
# asked with only where that can be.
LinkLanguage = Annotated[str, WithJsonSchema(_LANGUAGE)]
LinkLayers = Annotated[str, WithJsonSchema(_LAYERS_AS_TEXT)]
LinkContext = Annotated[str, WithJsonSchema(_CONTEXT_AS_TEXT)]
Count = Annotated[
    int,
    WholeNumber(
        1, MOST_PASSAGES, f"How many passages at most; {USUAL_PASSAGES} where it is not given."
    ),
]
_BEFORE = (
    "How many passages of rulebooks to leave out, the best first: the `next_offset` of an answer continues it. Rulings and texts of cards "
    "are on the first page only. Not with `format`."
)
Offset = Annotated[int, WholeNumber(0, MOST_BEFORE, _BEFORE)]
_PER_GAME = (
    "At most so many passages of rulebooks of one game; as many as there are where it is not given."
)
PerGame = Annotated[int, WholeNumber(1, MOST_PASSAGES, _PER_GAME)]
_PER_LANGUAGE = "At most so many passages of rulebooks in one language; as many as there are where it is not given."
PerLanguage = Annotated[int, WholeNumber(1, MOST_PASSAGES, _PER_LANGUAGE)]
PageNumber = Annotated[int, WholeNumber(1, 1_000_000, "Which page of the list, from 1.")]
MessageForm = Annotated[
    MessageFormat,
    Field(
        description="Answer with a message ready for a chat instead of passages: CommonMark that is Telegram's MarkdownV2 too, text "
        "without markup, or Discord's Markdown."
    ),
]
_LENGTH = "The most UTF-16 code units of the message; at most, and where not given, 2,000 for discord and 4,096 for the others."
Length = Annotated[int, WholeNumber(LEAST_MESSAGE, max(MESSAGE_LIMITS.values()), _LENGTH)]
SpanPair = Annotated[
    list[int],
    Field(
        min_length=2,
        max_length=2,
        description="First character and the one behind the last, counted from 0.",
    ),
]
BoxPoints = Annotated[
    list[float],
    Field(
        min_length=4,
        max_length=4,
        description="Left, top, right and bottom, in points from the left and the top edge of the page.",
    ),
]
LinePair = Annotated[
    list[int],
    Field(
        min_length=2,
        max_length=2,
        description="First and last line of the document, counted from 1.",
    ),
]
