"""Base classes of the models of requests and responses, and the form of their JSON schemas.

A model is the only definition of its shape: JSON and the description of the API (openapi.json) are
generated from it. Models of responses have the suffix ``Out``, of request bodies ``Body``, of
parameters in addresses ``Params``; a function ``citation_out(library, passage)`` builds a
`CitationOut`.

JSON schemas get a form from which generators make useful clients:

- A field that may be missing is not in `required` and has no `default`: generators assume that a
  field with a default is always present.
- A field that is always present and may be null is required, and null is one of its types.
- A description is at the field itself, not within one of its types.
- A parameter of an address is never null, and a list is one text there (`in_address`).
- Two numbers are a list with two items, not a tuple, which some generators do not know.
- The description of a field is the docstring below it.
- A field with `unlisted` is accepted but not described: the call would have responses of several
  types.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from enum import StrEnum
from functools import cache
from itertools import zip_longest
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import DEFAULT_REF_TEMPLATE, JsonSchemaValue
from pydantic_core import CoreSchema

OR_NULL: dict[str, Any] = {"or_null": True}  # for a field left out, or null with `fields`
UNLISTED: dict[str, Any] = {"unlisted": True}  # as `json_schema_extra` of a field
_NULL = {"type": "null"}

# Names of enumerations in generated clients, if they differ from the class names.
_ENUM_NAMES = {
    "ChangeKind": "Became",
    "ComparisonStatus": "Status",
    "FindingKind": "Sort",
    "MessageFormat": "Form",
    "RenderingKind": "How",
    "ReviewReason": "Care",
}


def compact_json(value: object) -> str:
    """Return ``value`` as JSON without blanks between its parts and without escaped letters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def inline_enum(choices: type[StrEnum]) -> WithJsonSchema:
    """Describe a field by the values of ``choices``, not by reference. The field needs a title."""
    return WithJsonSchema({"type": "string", "enum": [choice.value for choice in choices]})


@cache
def _field_docstrings(module: str) -> dict[str, dict[str, str | None]]:
    """Return the docstring below each field of each class of a ``module``, None without one."""
    found: dict[str, dict[str, str | None]] = {}
    for each in ast.parse(inspect.getsource(sys.modules[module])).body:
        body = each.body if isinstance(each, ast.ClassDef) else []
        for field, below in zip_longest(body, body[1:]):
            if isinstance(each, ast.ClassDef) and isinstance(field, ast.AnnAssign):
                match below:
                    case ast.Expr(ast.Constant(str(said))):
                        text: str | None = " ".join(said.split())
                    case _:
                        text = None
                found.setdefault(each.name, {})[ast.unparse(field.target)] = text
    return found


def field_texts(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings of the fields of ``model``, read on demand: pydantic would read the
    file for each model at every start of the program.
    """
    found: dict[str, str | None] = {}
    for each in reversed(model.__mro__):
        if "__annotations__" in vars(each) and each.__module__.startswith("service."):
            found |= _field_docstrings(each.__module__).get(each.__name__, {})
    return {name: text for name, text in found.items() if text}


class DescribedModel(BaseModel):
    """A model whose JSON schema uses titles, not class names, as names of definitions."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe each field by its docstring."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in field_texts(cls).items():
            properties[name]["description"] = text
        return schema

    @classmethod
    def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Return the JSON schema with definitions by title; arguments are as in pydantic."""
        schema = super().model_json_schema(*arguments, **options)
        ref_template: str = options.get("ref_template", DEFAULT_REF_TEMPLATE)
        definitions: dict[str, Any] = schema.get("$defs", {})
        for each in (schema, *definitions.values()):
            _tidy(
                each,
                answered=options.get("mode") == "serialization",
                address=issubclass(cls, RequestParams),
            )
        for name, definition in definitions.items():
            definition["title"] = _ENUM_NAMES.get(name, definition["title"])
        names = {
            ref_template.format(model=name): definition["title"]
            for name, definition in definitions.items()
        }
        _tidy_inside(schema, {old: ref_template.format(model=new) for old, new in names.items()})
        if definitions:
            schema["$defs"] = {
                definition["title"]: definition
                for definition in sorted(definitions.values(), key=lambda d: str(d["title"]))
            }
        return schema


class RequestBody(DescribedModel):
    """The body of a request. Unknown fields are refused: a typo could change the answer."""

    model_config = ConfigDict(extra="forbid")


class RequestParams(DescribedModel):
    """The parameters in the address of a request; unknown parameters are refused."""

    model_config = ConfigDict(extra="forbid")


def left_out(default: Any = None, **options: Any) -> Any:
    """Define a field that is left out of the JSON if it is empty, false or null."""
    return Field(default, exclude_if=lambda value: not value, **options)


class ResponseModel(DescribedModel):
    """The body of a response, or a part of it."""

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        model_title_generator=lambda model: model.__name__.removesuffix("Out"),
        json_schema_serialization_defaults_required=True,
    )

    def to_json(self) -> str:
        """Return the body as compact JSON with a newline at the end."""
        return self.model_dump_json() + "\n"


def _tidy(schema: dict[str, Any], *, answered: bool, address: bool) -> None:
    """Put the ``schema`` of an object into the form that this module describes; ``answered``: it is
    part of a response; ``address``: it has the parameters of an address.
    """
    properties: dict[str, Any] = schema.get("properties", {})
    for name in [name for name, field in properties.items() if field.get("unlisted")]:
        del properties[name]
    required = schema.get("required", ())
    for name, field in properties.items():
        for choice in (field, *field.get("anyOf", ())):
            as_text = choice.pop("in_address", None)
            if address and as_text:
                choice.clear()
                choice |= as_text
        choices = [choice for choice in field.get("anyOf", ()) if choice != _NULL]
        if len(choices) == 1 and "description" in choices[0]:
            described = choices[0].pop("description")
            field.setdefault("description", described)
        default = field.pop("default", None)
        if field.pop("or_null", False):
            continue
        if (address or (answered and name not in required)) and _NULL in field.get("anyOf", ()):
            del field["anyOf"]
            field |= {**choices[0], **field} if len(choices) == 1 else {"anyOf": choices}
        if address and "examples" in field:
            field["example"] = field.pop("examples")[0]  # examples of parameters are different
        if default not in (None, "", []) and not answered:
            said = f"{field.get('description', '')} `{json.dumps(default)}` where it is not given."
            field["description"] = said.lstrip()


def _tidy_inside(part: Any, references: dict[str, str]) -> None:
    """Replace, at all levels of ``part``, ``references`` by their new names, and tuples, whose
    items have one type, by lists.
    """
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str):
            part["$ref"] = references.get(reference, reference)
        if "prefixItems" in part:
            part["items"] = part.pop("prefixItems")[0]
        part = list(part.values())
    for inside in part if isinstance(part, list) else ():
        _tidy_inside(inside, references)
