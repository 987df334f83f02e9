"""What all shapes have in common: bodies pass over what they do not know, parameters do not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from rapidfuzz import process

from service.answers.chat import LEAST, LIMITS, Form
from service.core.parameters import LANGUAGE_TAG, LONGEST, MOST, USUAL
from service.core.problems import Problem

# Control characters and marks that turn the direction of writing, as `service.core.parameters` refuses them: for the description of the
# API, so that whoever reads it knows what is taken. Lone surrogates, refused too, are left out: not every engine knows them.
_REFUSED = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069"
TYPED = f"^[^{_REFUSED}]*$"
SAID = f"^[^{_REFUSED}]*[^\\s{_REFUSED}][^{_REFUSED}]*$"
WRITTEN = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"  # a text that somebody else wrote: whatever is in it, it is looked at


class Body(BaseModel):
    """The body of a request: fields that are not known are passed over, so that newer clients can talk to older services."""

    model_config = ConfigDict(extra="ignore")


class Parameters(BaseModel):
    """The parameters of an address: one that is not known is a slip that would change the answer, so it is refused."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def model_json_schema(cls, *arguments: Any, **named: Any) -> dict[str, Any]:
        """The JSON schema, made once: flask-openapi3 looks at it at every request."""
        if arguments or named:
            return super().model_json_schema(*arguments, **named)
        return _schema(cls)


@cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return BaseModel.model_json_schema.__func__(model)  # type: ignore[attr-defined, no-any-return]


class Nothing(Parameters):
    """No parameters at all."""


class Result(BaseModel):
    """The body of a response, or a part of it."""

    model_config = ConfigDict(extra="ignore")


@dataclass(frozen=True)
class Number:
    """A whole number from ``least`` to ``most``; as digits too where it stands in an address."""

    least: int
    most: int
    says: str
    in_address: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._whole)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most, "description": self.says}

    def _whole(self, value: object) -> int:
        if self.in_address and isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # 7.0 is a whole number in JSON
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:  # True is 1 in Python
            raise PydanticCustomError(
                "number", "This has to be a whole number from {least} to {most}.", {"least": self.least, "most": f"{self.most:,}"}
            )
        return value


def words_of(choices: type[StrEnum]) -> FieldInfo:
    """A text that is one of ``choices``, for choices whose class has the name of another: the description has one name once."""
    found: FieldInfo = Field(json_schema_extra={"enum": [choice.value for choice in choices]})
    return found


Question = Annotated[
    str,
    Field(
        description=f"What is asked, in German, Italian or English; at most {LONGEST:,} characters, no control characters.",
        json_schema_extra={"minLength": 1, "maxLength": LONGEST, "pattern": SAID},
    ),
]
Typed = Annotated[str, Field(json_schema_extra={"maxLength": LONGEST, "pattern": TYPED})]
EditionId = Annotated[
    str, Field(description="Only this edition, by its id: see GET /v1/editions.", json_schema_extra={"format": "edition"})
]
Game = Annotated[str, Field(description="Only rulebooks of this game.", json_schema_extra={"format": "game"})]
DocumentName = Annotated[
    str, Field(description="Only the rulebook read from the file of this name.", json_schema_extra={"format": "document"})
]
Spoken = Annotated[
    str,
    Field(
        description="The language of the question, as a BCP 47 tag; detected where it is not given, or is none of German, Italian and "
        "English. Passages of every language are found.",
        json_schema_extra={"pattern": f"^{LANGUAGE_TAG}$"},
    ),
]
_HOW_MANY = f"How many passages at most; {USUAL} where it is not given."
Count = Annotated[int, Number(1, MOST, _HOW_MANY)]
CountParameter = Annotated[int, Number(1, MOST, _HOW_MANY, in_address=True)]
Page = Annotated[int, Number(1, 1_000_000, "Which page of the list, from 1.", in_address=True)]
MessageForm = Annotated[
    Form,
    Field(
        description="Answer with a message ready for a chat instead of passages: CommonMark that is Telegram's MarkdownV2 too, text "
        "without markup, or Discord's Markdown."
    ),
]
_HOW_LONG = (
    "With `format`: the most UTF-16 code units of the message; at most, and where not given, 2,000 for discord and 4,096 for the others."
)
Length = Annotated[int, Number(LEAST, max(LIMITS.values()), _HOW_LONG)]
LengthParameter = Annotated[int, Number(LEAST, max(LIMITS.values()), _HOW_LONG, in_address=True)]
Span = Annotated[list[int], Field(min_length=2, max_length=2, description="First character and the one behind the last, counted from 0.")]
Lines = Annotated[list[int], Field(min_length=2, max_length=2, description="First and last line of the document, counted from 1.")]


def problem_of(error: ValidationError) -> Problem:
    """The problem of a request that does not have the shape of its call: 400 where it cannot be understood, 422 for a value."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["input"] == "" and field not in ("q", "question", "text"):
        return Problem.out_of_range("This is empty; leave it out where it is not meant to say anything.", field)
    if first["type"] == "missing" or first["input"] is None:
        return Problem.malformed("There is no question." if field in ("q", "question") else "This has to be said.", field)
    if first["type"] == "extra_forbidden":
        return Problem.malformed(_unknown(field, error.title), field[:100])
    if first["type"] == "string_type":
        return Problem.out_of_range("This has to be a text.", field)
    if first["type"] in ("enum", "literal_error"):
        return Problem.out_of_range(f"This is not known here. Known: {first['ctx']['expected'].replace(' or ', ', ')}.", field)
    return Problem.out_of_range(f"{first['msg'].rstrip('.')}.", field)


def _unknown(name: str, call: str) -> str:
    known = next((list(model.model_fields) for model in _family(Parameters) if model.__name__ == call), [])
    if not known:
        return "This call takes no parameters."
    near = process.extractOne(name, known, score_cutoff=60)
    return f"There is no such parameter here. Known: {', '.join(known)}." + (f" Did you mean {near[0]}?" if near else "")


def _family(model: type[Parameters]) -> list[type[Parameters]]:
    return [each for child in model.__subclasses__() for each in (child, *_family(child))]
