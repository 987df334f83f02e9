"""Requests that do not have the shape of their call, as problems."""

from __future__ import annotations

from pydantic import ValidationError
from rapidfuzz import process

from service.core.problems import Problem
from service.schemas.base import RequestParams


def problem_from_validation(error: ValidationError) -> Problem:
    """Return the problem of a request that does not have the shape of its call: 400 where it cannot be understood, 422 for a value."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["input"] == "" and field not in ("q", "question", "text"):
        return Problem.out_of_range("This is empty; leave it out where it is not meant to say anything.", field)
    if first["type"] == "missing" or first["input"] is None:
        return Problem.malformed("There is no question." if field in ("q", "question") else "This has to be said.", field)
    if first["type"] == "extra_forbidden":
        return Problem.malformed(_unknown_parameter(field, error.title), field[:100])
    if first["type"] == "string_type":
        return Problem.out_of_range("This has to be a text.", field)
    if first["type"] in ("enum", "literal_error"):
        return Problem.out_of_range(f"This is not known here. Known: {first['ctx']['expected'].replace(' or ', ', ')}.", field)
    return Problem.out_of_range(f"{first['msg'].rstrip('.')}.", field)


def _unknown_parameter(name: str, model_name: str) -> str:
    """Say that a call takes no parameter ``name``; ``model_name`` is the class of its parameters."""
    known = next((list(model.model_fields) for model in _all_subclasses(RequestParams) if model.__name__ == model_name), [])
    if not known:
        return "This call takes no parameters."
    near = process.extractOne(name, known, score_cutoff=60)
    return f"There is no such parameter here. Known: {', '.join(known)}." + (f" Did you mean {near[0]}?" if near else "")


def _all_subclasses(model: type[RequestParams]) -> list[type[RequestParams]]:
    """Return the subclasses of ``model`` and theirs."""
    return [each for child in model.__subclasses__() for each in (child, *_all_subclasses(child))]
