"""What all shapes have in common.

A model in `service.schemas` is the one definition of a shape: the functions that answer build instances of it, JSON is made from these, and
the description of the API (openapi.json) is made from the classes.

- The shape of a response is a `ResponseModel` with the suffix ``Out``. Its fields stand in the order of the JSON. A shape that has all of
  another and more inherits from it.
- What is sent has the suffix ``Body`` (a `RequestBody`) or ``Params`` (`RequestParams`: what stands in an address).
- The functions that build them are called by what they build and take the library or snapshot first: ``citation_out(library, passage)``
  returns a `CitationOut`. They hand over enumerations as such, not their values, and spans as lists of two numbers. A shape that begins
  with all of another is built from it: ``EntryWithTextOut(**dict(entry_out(library, entry)), url=…, passages=…)``.
- JSON on the web is `ResponseModel.to_json`. The command line prints it spaced or indented: it gives ``model_dump()`` to ``json.dumps``;
  enumerations are texts, and a question with half a surrogate pair, which a batch may hold, is printed too.

Measured over some hundred answers with ten passages each: building and validating models and writing them as JSON takes about 0.41 ms an
answer, where building dictionaries and writing them took 0.35 ms. Building without validation (``model_construct``) is slower.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import DEFAULT_REF_TEMPLATE
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from index.layers.model import Layer
from service.schemas.json_schemas import tidy_schema
from service.schemas.limits import (
    LANGUAGE_TAG,
    LEAST_MESSAGE,
    LONGEST_QUESTION,
    MESSAGE_LIMITS,
    MOST_BEFORE,
    MOST_CONTEXT,
    MOST_PASSAGES,
    USUAL_PASSAGES,
    MessageFormat,
)

# Control characters and marks that turn the direction of writing, as `service.core.parameters` refuses them: for the description of the
# API, so that whoever reads it knows what is taken. Lone surrogates, refused too, are left out: not every engine knows them.
_REFUSED = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069"
PRINTABLE = f"^[^{_REFUSED}]*$"
PRINTABLE_NOT_BLANK = f"^[^{_REFUSED}]*[^\\s{_REFUSED}][^{_REFUSED}]*$"
NOT_BLANK = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"  # a text that somebody else wrote: whatever is in it, it is looked at
EDITION_ID = "^[a-z0-9][a-z0-9.-]*$"  # as `corpus.edition_files` takes them
GAME_ID = "^[a-z0-9-]+$"

_LAYER_NAMES = "|".join(",".join(names) for count in range(1, len(Layer) + 1) for names in permutations(Layer, count))

# What enumerations are called in the description of the API, where their classes have other names: generated clients keep their names.
_ENUM_NAMES = {
    "ChangeKind": "Became",
    "ComparisonStatus": "Status",
    "FindingKind": "Sort",
    "MessageFormat": "Form",
    "RenderingKind": "How",
    "ReviewReason": "Care",
}


def _title(model: type[Any]) -> str:
    """Return what the description of the API calls ``model``."""
    return model.__name__.removesuffix("Out")


class DescribedModel(BaseModel):
    """A model whose JSON schema calls everything by its title, which in the API stays the same whatever the class is called.

    The schema is put into the form that `service.schemas.json_schemas` says.
    """

    @classmethod
    def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Return the JSON schema with definitions under their titles; arguments as for pydantic."""
        schema = super().model_json_schema(*arguments, **options)
        ref_template: str = options.get("ref_template", DEFAULT_REF_TEMPLATE)
        definitions: dict[str, Any] = schema.get("$defs", {})
        for each in (schema, *definitions.values()):
            tidy_schema(each, answered=options.get("mode") == "serialization", address=issubclass(cls, RequestParams))
        for name, definition in definitions.items():
            definition["title"] = _ENUM_NAMES.get(name, definition["title"])
        names = {ref_template.format(model=name): definition["title"] for name, definition in definitions.items()}
        _rename_references(schema, {old: ref_template.format(model=new) for old, new in names.items()})
        if definitions:
            schema["$defs"] = {
                definition["title"]: definition for definition in sorted(definitions.values(), key=lambda d: str(d["title"]))
            }
        return schema


def _rename_references(part: Any, names: dict[str, str]) -> None:
    """Replace every reference in ``part`` of a JSON schema that is among ``names``."""
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str):
            part["$ref"] = names.get(reference, reference)
        for inside in part.values():
            _rename_references(inside, names)
    elif isinstance(part, list):
        for inside in part:
            _rename_references(inside, names)


class RequestBody(DescribedModel):
    """The body of a request. An unknown field is refused: it is a slip that would change the answer."""

    model_config = ConfigDict(extra="forbid")


class RequestParams(DescribedModel):
    """The parameters of an address. An unknown one is refused, as an unknown field of a body is."""

    model_config = ConfigDict(extra="forbid")


class ResponseModel(DescribedModel):
    """The body of a response, or a part of it; never changed once it is built."""

    model_config = ConfigDict(extra="ignore", frozen=True, model_title_generator=_title, json_schema_serialization_defaults_required=True)

    def to_json(self) -> str:
        """Return the body as JSON: compact, in UTF-8, fields in the order of the class, nulls written out, with a newline at the end."""
        return self.model_dump_json() + "\n"


@dataclass(frozen=True)
class WholeNumber:
    """A whole number from ``least`` to ``most``; as digits too where it stands in an address."""

    least: int
    most: int
    description: str
    in_address: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most, "description": self.description}

    def _validate(self, value: object) -> int:
        if self.in_address and isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 7.0 is a whole number in JSON
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:  # True is 1 in Python
            raise PydanticCustomError(
                "number",
                "This has to be a whole number from {least} to {shown}.",
                {"least": self.least, "most": self.most, "shown": f"{self.most:,}"},
            )
        return value


def compact_json(value: object) -> str:
    """Return ``value`` as JSON without blanks between its parts, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def inline_enum(choices: type[StrEnum]) -> WithJsonSchema:
    """Describe a field by the values of ``choices`` where it stands, not by a reference to a definition. The field needs a title."""
    return WithJsonSchema({"type": "string", "enum": [choice.value for choice in choices]})


QuestionText = Annotated[
    str,
    Field(
        description=f"What is asked, in German, Italian or English; at most {LONGEST_QUESTION:,} characters, no control characters.",
        json_schema_extra={"minLength": 1, "maxLength": LONGEST_QUESTION, "pattern": PRINTABLE_NOT_BLANK},
    ),
]
TypedText = Annotated[str, Field(json_schema_extra={"maxLength": LONGEST_QUESTION, "pattern": PRINTABLE})]
EditionFilter = Annotated[
    str,
    Field(
        description="Only this edition, by its id: see GET /v1/editions.", json_schema_extra={"format": "edition", "pattern": EDITION_ID}
    ),
]
EditionId = Annotated[
    str, Field(description="The id of an edition: see GET /v1/editions.", json_schema_extra={"format": "edition", "pattern": EDITION_ID})
]
GameName = Annotated[
    str, Field(description="The game: see `game` of GET /v1/editions.", json_schema_extra={"format": "game", "pattern": GAME_ID})
]
GameFilter = Annotated[
    str,
    Field(
        description="Only rulebooks of this game: see `game` of GET /v1/editions.", json_schema_extra={"format": "game", "pattern": GAME_ID}
    ),
]
DocumentFilter = Annotated[
    str,
    Field(
        description="Only the rulebook read from the file of this name; the folder of its game may be left out.",
        json_schema_extra={"format": "document", "pattern": PRINTABLE_NOT_BLANK},
    ),
]
LanguageTag = Annotated[
    str,
    Field(
        description="The language of the question, as a BCP 47 tag; detected where it is not given, or is none of German, Italian and "
        "English. Passages of every language are found.",
        json_schema_extra={"pattern": f"^{LANGUAGE_TAG}$"},
    ),
]
PreferredLanguage = Annotated[
    str,
    Field(
        description="The language whose passages come first where a game has editions in several, as a BCP 47 tag; that of the question "
        "where it is not given. Texts of cards are given in it where they have it.",
        json_schema_extra={"pattern": f"^{LANGUAGE_TAG}$"},
    ),
]
_LAYERS = "What to quote from; all that is loaded where it is not given. `rulebook` alone gives an answer without rulings and cards."
LayerList = Annotated[list[Layer], Field(description=_LAYERS, min_length=1, max_length=len(Layer), json_schema_extra={"uniqueItems": True})]
LayerNames = Annotated[
    str,
    Field(description=f"{_LAYERS} Several are divided by commas.", json_schema_extra={"pattern": f"^({_LAYER_NAMES})$"}),
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
ContextQuestions = Annotated[list[QuestionText], Field(description=_CONTEXT, max_length=MOST_CONTEXT)]
ContextLines = Annotated[
    str,
    Field(
        description=f"{_CONTEXT} Each on a line of its own.",
        json_schema_extra={"maxLength": MOST_CONTEXT * (LONGEST_QUESTION + 1), "pattern": PRINTABLE},
    ),
]
_HOW_MANY = f"How many passages at most; {USUAL_PASSAGES} where it is not given."
Count = Annotated[int, WholeNumber(1, MOST_PASSAGES, _HOW_MANY)]
CountParam = Annotated[int, WholeNumber(1, MOST_PASSAGES, _HOW_MANY, in_address=True)]
_BEFORE = (
    "How many passages of rulebooks to leave out, the best first: the `next_offset` of an answer continues it. Rulings and texts of cards "
    "are on the first page only. Not with `format`."
)
Offset = Annotated[int, WholeNumber(0, MOST_BEFORE, _BEFORE)]
OffsetParam = Annotated[int, WholeNumber(0, MOST_BEFORE, _BEFORE, in_address=True)]
_PER_GAME = "At most so many passages of rulebooks of one game; as many as there are where it is not given."
_PER_LANGUAGE = "At most so many passages of rulebooks in one language; as many as there are where it is not given."
PerGame = Annotated[int, WholeNumber(1, MOST_PASSAGES, _PER_GAME)]
PerGameParam = Annotated[int, WholeNumber(1, MOST_PASSAGES, _PER_GAME, in_address=True)]
PerLanguage = Annotated[int, WholeNumber(1, MOST_PASSAGES, _PER_LANGUAGE)]
PerLanguageParam = Annotated[int, WholeNumber(1, MOST_PASSAGES, _PER_LANGUAGE, in_address=True)]
PageParam = Annotated[int, WholeNumber(1, 1_000_000, "Which page of the list, from 1.", in_address=True)]
MessageForm = Annotated[
    MessageFormat,
    Field(
        description="Answer with a message ready for a chat instead of passages: CommonMark that is Telegram's MarkdownV2 too, text "
        "without markup, or Discord's Markdown."
    ),
]
_HOW_LONG = "The most UTF-16 code units of the message; at most, and where not given, 2,000 for discord and 4,096 for the others."
Length = Annotated[int, WholeNumber(LEAST_MESSAGE, max(MESSAGE_LIMITS.values()), _HOW_LONG)]
LengthParam = Annotated[int, WholeNumber(LEAST_MESSAGE, max(MESSAGE_LIMITS.values()), _HOW_LONG, in_address=True)]
SpanPair = Annotated[
    list[int], Field(min_length=2, max_length=2, description="First character and the one behind the last, counted from 0.")
]
BoxPoints = Annotated[
    list[float],
    Field(min_length=4, max_length=4, description="Left, top, right and bottom, in points from the left and the top edge of the page."),
]
LinePair = Annotated[list[int], Field(min_length=2, max_length=2, description="First and last line of the document, counted from 1.")]
