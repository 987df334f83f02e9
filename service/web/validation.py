"""Requests that do not have the shape of their call, as problems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from service.core.field_names import unknown_name
from service.core.i18n import N_, TranslatableText
from service.core.parameters import NUMBER
from service.core.problems import Problem
from service.schemas.base import RequestParams

Model = TypeVar("Model", bound=BaseModel)

_LONGEST = 100  # characters of a field that a problem names


def validated(model: type[Model], values: object) -> Model:
    """Return ``values`` as an instance of ``model``.

    Raises `Problem` where they do not have its shape: 400 where they cannot be understood, 422 for a value. An unknown name comes first:
    what is missing may be what it means.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _problem(model, error.errors(include_url=False)) from None


def _problem(model: type[BaseModel], errors: list[ErrorDetails]) -> Problem:
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return Problem.malformed(_unknown_field(model, first, errors), field[:_LONGEST])
    if first["input"] == "" and field not in ("q", "question", "text"):
        return Problem.out_of_range(N_("This is empty; leave it out where it is not meant to say anything."), field)
    item = first["loc"] and isinstance(first["loc"][-1], int)  # null in a list is a value that does not fit, not one that is missing
    if first["type"] == "missing" or (first["input"] is None and not item):
        return Problem.malformed(N_("There is no question.") if field in ("q", "question") else N_("This has to be said."), field)
    return Problem.out_of_range(_value_text(first), field)


# What is wrong with a value, by pydantic's name of the error; its values are those of pydantic's own message.
_TEXTS = {
    "bool_parsing": N_("This has to be true or false."),
    "bool_type": N_("This has to be true or false."),
    "dict_type": N_("This has to be a JSON object."),
    "list_type": N_("This has to be a list."),
    "model_attributes_type": N_("This has to be a JSON object."),
    "model_type": N_("This has to be a JSON object."),
    "number": NUMBER,
    "string_too_long": N_("This has more than %(max_length)s characters."),
    "string_too_short": N_("This has fewer than %(min_length)s characters."),
    "string_type": N_("This has to be a text."),
    "too_long": N_("This has %(actual_length)s items; %(max_length)s are the most."),
    "too_short": N_("This has %(actual_length)s items; %(min_length)s are the least."),
}
_INTEGER = N_("This has to be a whole number.")
_LEAST = N_("This has to be %(least)s at least.")
_MOST = N_("This has to be %(most)s at most.")


def _value_text(error: ErrorDetails) -> TranslatableText:
    """Say what is wrong with the value that ``error`` is about; in pydantic's own words, in English, where it is none of the usual."""
    type, values = error["type"], error.get("ctx", {})
    if type in ("enum", "literal_error"):
        known = str(values["expected"]).replace(" or ", ", ")
        return TranslatableText(N_("This is not known here. Known: %(known)s."), {"known": known})
    if type in _TEXTS:
        return TranslatableText(_TEXTS[type], values)
    if type.startswith("int_"):
        return TranslatableText(_INTEGER)
    if type == "greater_than_equal":
        return TranslatableText(_LEAST, {"least": values["ge"]})
    if type == "less_than_equal":
        return TranslatableText(_MOST, {"most": values["le"]})
    return TranslatableText("%(message)s.", {"message": error["msg"].rstrip(".")})


def _unknown_field(model: type[BaseModel], unknown: ErrorDetails, errors: list[ErrorDetails]) -> TranslatableText:
    """Say that ``model`` does not take what ``unknown``, one of the ``errors``, is about."""
    place = unknown["loc"][:-1]
    inside = model
    for part in place:
        if isinstance(part, str):
            inside = next(_models_in(inside.model_fields[part].annotation))
    known = [field.alias or name for name, field in inside.model_fields.items()]
    missing = [str(each["loc"][-1]) for each in errors if each["type"] == "missing" and each["loc"][:-1] == place]
    kind = "parameter" if issubclass(model, RequestParams) else "field"
    return unknown_name(kind, str(unknown["loc"][-1]), known, missing)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that ``annotation`` is or has, such as that of the items of a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inside in get_args(annotation):
        yield from _models_in(inside)
