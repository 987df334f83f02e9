"""The types of the fields of requests: valid values, checks and descriptions.

The checks here need no index; `service.core.parameters` has the others, and the message for each
kind of `refused` value. Values from an address, a form or a command line are validated in the
context `AS_TEXT`: numbers may be given as digits, lists as one text.
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
MOST_PASSAGES = 50  # in an answer
USUAL_PASSAGES = 10
FEW_PASSAGES = 3  # default for bots
MOST_BEFORE = 200  # greatest offset of an answer
MOST_CITED = 6  # passages on a ruling sheet, which has to fit on a page
MOST_QUESTIONS = 100  # in one batch
MOST_CONTEXT = 4  # earlier questions that a question may be read with
LEAST_BUDGET = 200  # tokens of a context
USUAL_BUDGET = 1500
MOST_BUDGET = 32_000
LONGEST_TEXT = 20_000  # characters of a text whose quotations are verified


class MessageFormat(StrEnum):
    """The markup of a message: CommonMark that is also Telegram's MarkdownV2, no markup, or
    Discord's Markdown.
    """

    MARKDOWN = "markdown"
    PLAIN = "plain"
    DISCORD = "discord"


MESSAGE_LIMITS = {
    MessageFormat.MARKDOWN: 4096,
    MessageFormat.PLAIN: 4096,
    MessageFormat.DISCORD: 2000,
}  # UTF-16 code units
LEAST_MESSAGE = 300  # least limit: room for a sentence with citation and link


class FieldGroup(StrEnum):
    """A group of fields that an answer can have besides those of the small answer."""

    EVIDENCE = "evidence"
    LINKS = "links"
    CONTEXT = "context"
    ALL = "all"
    SMALL = "small"


AS_TEXT = "as text"  # the context of validation for values that are typed or in an address

# Control characters and marks of writing direction, which can disguise a quotation. Lone surrogates
# are refused too, but not in the patterns, as some engines do not know them.
_BIDI_MARKS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CONTROLS = (
    r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069"
)
_PRINTABLE = f"^[^{_CONTROLS}]*$"
_PRINTABLE_NOT_BLANK = f"^[^{_CONTROLS}]*[^\\s{_CONTROLS}][^{_CONTROLS}]*$"
NOT_BLANK = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"  # a text by somebody else
EDITION_ID = "^[a-z0-9][a-z0-9.-]*$"  # as in `corpus.edition_files`
_LANGUAGE_TAG = "[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*"  # the general form of BCP 47 tags
_TWO_LETTERS = frozenset(
    re.findall(
        "..",
        "aaabaeafakamanarasavayazbabebgbhbibmbnbobrbscacechcocrcscucvcydadedvdzeeeleneoes"
        "eteufafffifjfofrfygagdglgngugvhahehihohrhthuhyhziaidieigiiikioisitiujajvkakgkikj"
        "kkklkmknkokrkskukvkwkylalblglilnloltlulvmgmhmimkmlmnmrmsmtmynanbndnengnlnnnonrnv"
        "nyocojomorospapiplpsptqurmrnrorurwsascsdsesgshsiskslsmsnsosqsrssstsusvswtatetgth"
        "titktltntotrtstttwtyugukuruzvevivowawoxhyiyozazhzu",
    )
)
_WHOLE = re.compile(r"-?[0-9]{1,30}")


def refused(kind: str, **values: object) -> PydanticCustomError:
    """Return the error of an invalid value; `service.core.parameters` has the messages."""
    return PydanticCustomError(kind, kind, values)


def _checked_question(text: str) -> str:
    if not text.strip():
        raise refused("question_empty")
    if len(text) > LONGEST_QUESTION:
        raise refused("question_long", count=len(text), limit=LONGEST_QUESTION)
    for sign in text:
        control = sign not in "\t\n\r" and unicodedata.category(sign) in ("Cc", "Cs")
        if control or sign in _BIDI_MARKS:
            raise refused("question_control", character=f"U+{ord(sign):04X}")
    return text


def _typed(text: str) -> str | None:
    return _checked_question(text) if text.strip() else None


def _primary(tag: str) -> str:
    """Return the primary language of a tag, ``de`` for ``de-AT``, which may be unsupported."""
    if not re.fullmatch(_LANGUAGE_TAG, tag):
        raise refused("language_tag")
    primary = tag.partition("-")[0].lower()
    # Codes of two letters are all listed (ISO 639-1); there are thousands of three letters (ISO
    # 639-3), and no longer ones in BCP 47.
    if len(primary) != 3 and primary not in LANGUAGES and primary not in _TWO_LETTERS:
        raise refused("language_unknown", tag=tag[:20])
    return primary


def _language(tag: str) -> str | None:
    """Return the primary language of a tag; None if it is unsupported."""
    return primary if (primary := _primary(tag)) in LANGUAGES else None


def _day(text: str) -> str:
    try:
        return iso_day(text)
    except ValueError:
        raise refused("day") from None


def _layers(
    value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo
) -> tuple[Layer, ...]:
    """Return layers in the order of `Layer`; a text has their names, separated by commas."""
    wrong = refused("layers", known=", ".join(Layer))
    if info.context == AS_TEXT:
        value = value.split(",") if isinstance(value, str) else value
        names = tuple(Layer)
        if not isinstance(value, list) or not value or any(name not in names for name in value):
            raise wrong
    named: list[Layer] = handler(value)
    if len(set(named)) < len(named):
        raise wrong
    return tuple(layer for layer in Layer if layer in named)


def _context(
    value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo
) -> tuple[str, ...]:
    """Return questions without line breaks; a text has one question per line."""
    if info.context == AS_TEXT:
        if isinstance(value, str):
            value = [line for line in value.splitlines() if line.strip()]
        if not isinstance(value, Sequence) or len(value) > MOST_CONTEXT:
            raise refused("context", limit=MOST_CONTEXT)
    return tuple(" ".join(_checked_question(each).split()) for each in handler(value))


def _field_groups(text: str) -> str:
    if not set(text.split(",")) <= set(FieldGroup):
        raise refused("fields", known=", ".join(FieldGroup))
    return text


@dataclass(frozen=True)
class WholeNumber:
    """A whole number from ``least`` to ``most``, perhaps given as text."""

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
        if info.context == AS_TEXT and isinstance(value, str) and _WHOLE.fullmatch(value):
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 7.0 is a whole number in JSON
        whole = isinstance(value, int) and not isinstance(value, bool)  # True is 1 in Python
        if not (whole and isinstance(value, int)):
            raise refused("number_type", least=self.least, most=self.most)
        if not self.least <= value <= self.most:
            raise refused("number", least=self.least, most=self.most)
        return value


def _text(description: str, **extra: Any) -> Any:
    return Field(description=description, json_schema_extra=extra)


_Question = Annotated[
    str,
    _text(
        "What is asked, in German, Italian or English; no control characters.",
        minLength=1,
        maxLength=LONGEST_QUESTION,
        pattern=_PRINTABLE_NOT_BLANK,
    ),
]
QuestionText = Annotated[_Question, AfterValidator(_checked_question)]
TypedText = Annotated[
    str,
    AfterValidator(_typed),
    Field(json_schema_extra={"maxLength": LONGEST_QUESTION, "pattern": _PRINTABLE}),
]  # None if it is blank
_EDITION: dict[str, Any] = {"format": "edition", "pattern": EDITION_ID}
EditionFilter = Annotated[
    str, _text("Only this edition, by its id: see GET /v1/editions.", **_EDITION)
]
EditionId = Annotated[str, _text("The id of an edition: see GET /v1/editions.", **_EDITION)]
_GAME: dict[str, Any] = {"format": "game", "pattern": "^[a-z0-9-]+$"}
GameName = Annotated[str, _text("The game: see `game` of GET /v1/editions.", **_GAME)]
GameFilter = Annotated[
    str, _text("Only rulebooks of this game: see `game` of GET /v1/editions.", **_GAME)
]
DocumentFilter = Annotated[
    str,
    _text(
        "Only the rulebook read from the file of this name, with or without its folder.",
        format="document",
        pattern=_PRINTABLE_NOT_BLANK,
    ),
]
_LANGUAGE = {
    "type": "string",
    "description": "The language of the question, as a BCP 47 tag that begins with a code of ISO "
    "639; detected where it is not given, or is none of German, Italian and English. Passages of "
    "every language are found.",
    "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$",  # does not check that the code exists
}
LanguageTag = Annotated[str, AfterValidator(_language), WithJsonSchema(_LANGUAGE)]
QuestionLanguage = Annotated[str, AfterValidator(_primary), WithJsonSchema(_LANGUAGE)]
_PREFERRED = (
    "The language whose passages come first where a game has editions in several, as a BCP 47 tag; "
    "that of the question where it is not given. Texts of cards are given in it."
)
PreferredLanguage = Annotated[
    str, AfterValidator(_language), WithJsonSchema({**_LANGUAGE, "description": _PREFERRED})
]
_LAYERS = "What to quote from; all that is loaded where it is not given."
_LAYER_LISTS = (
    ",".join(names) for count in range(1, len(Layer) + 1) for names in permutations(Layer, count)
)
_LAYERS_AS_TEXT = {
    "type": "string",
    "description": f"{_LAYERS} Several are divided by commas.",
    "pattern": f"^({'|'.join(_LAYER_LISTS)})$",
}
Layers = Annotated[
    list[Layer],
    Field(min_length=1, max_length=len(Layer)),
    WrapValidator(_layers),
    _text(_LAYERS, uniqueItems=True, in_address=_LAYERS_AS_TEXT),
]
StepId = Annotated[
    str,
    Field(
        description="The id of a step of the game's time (`GET /v1/timing/{edition}`): answered "
        "from the passages that belong to it, with the rest of its edition in "
        "`elsewhere`.",
        examples=["pegelwacht-de-1.1/flutphase#1"],
    ),
]
AsOf = Annotated[
    str,
    AfterValidator(_day),
    Field(
        description="A day: only what held on it answers. Of the versions of one rulebook that is "
        "the newest whose date of effect is not after it, or those without a known "
        "date.",
        json_schema_extra={"format": "date"},
        examples=["2025-06-01"],
    ),
]
_CONTEXT = (
    "The questions that were asked before, the oldest first. A question that cannot be understood "
    'alone ("and if it is exhausted?") is read with those that it needs, which the answer names.'
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
    _text(_CONTEXT, in_address=_CONTEXT_AS_TEXT),
]
# Parameters of permanent links, whose index may be gone: shown as given, and used if possible.
LinkLanguage = Annotated[str, WithJsonSchema(_LANGUAGE)]
LinkLayers = Annotated[str, WithJsonSchema(_LAYERS_AS_TEXT)]
LinkContext = Annotated[str, WithJsonSchema(_CONTEXT_AS_TEXT)]
_RULEBOOKS = "The most passages of rulebooks, beside which rulings and texts of cards stand;"
_COUNT = f"{_RULEBOOKS} {USUAL_PASSAGES} where it is not given."
Count = Annotated[int, WholeNumber(1, MOST_PASSAGES, _COUNT)]
_FEW = f"{_RULEBOOKS} {FEW_PASSAGES} where it is not given."
FewPassages = Annotated[int, WholeNumber(1, MOST_PASSAGES, _FEW)]
_GROUP_NAMES = "|".join(FieldGroup)
Fields = Annotated[
    str,
    AfterValidator(_field_groups),
    _text(
        "What the answer has beside what is shown, several divided by commas: `evidence` (`text`, "
        "`citation` with spans and hashes, `score` …), `links` (`see_also`, `points_to`, "
        "`sequence` …), `context` (how the question was read, its parts, what leads in), `all`; "
        "`small` is nothing, as without it.",
        pattern=f"^({_GROUP_NAMES})(,({_GROUP_NAMES}))*$",
    ),
]
_BEFORE = (
    "How many passages of rulebooks to leave out, the best first: the `next_offset` of an answer "
    "continues it. Rulings and texts of cards are on the first page only."
)
Offset = Annotated[int, WholeNumber(0, MOST_BEFORE, _BEFORE)]
_PER_GAME = "The most passages of rulebooks of one game."
PerGame = Annotated[int, WholeNumber(1, MOST_PASSAGES, _PER_GAME)]
_PER_LANGUAGE = "The most passages of rulebooks in one language."
PerLanguage = Annotated[int, WholeNumber(1, MOST_PASSAGES, _PER_LANGUAGE)]
PageNumber = Annotated[int, WholeNumber(1, 1_000_000, "Which page of the list, from 1.")]
MessageForm = Annotated[
    MessageFormat,
    Field(
        description="Answer with a message ready for a chat instead of passages: CommonMark that "
        "is Telegram's MarkdownV2 too, text without markup, or Discord's Markdown."
    ),
]
_LENGTH = "The most UTF-16 code units: up to 2,000 for discord and 4,096 for the others."
Length = Annotated[int, WholeNumber(LEAST_MESSAGE, max(MESSAGE_LIMITS.values()), _LENGTH)]


def _several(count: int, description: str) -> Any:
    return Field(min_length=count, max_length=count, description=description)


SpanPair = Annotated[
    list[int], _several(2, "First character and the one behind the last, counted from 0.")
]
BoxPoints = Annotated[
    list[float],
    _several(4, "Left, top, right and bottom, in points from the left and top edge of the page."),
]
LinePair = Annotated[list[int], _several(2, "First and last line of the document, from 1.")]
