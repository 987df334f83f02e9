"""What all shapes have in common, and how they are described.

A model in `service.schemas` is the one definition of a shape: the functions that answer build
instances of it, JSON is made from these, and the description of the API (openapi.json) is made from
the classes.

- The shape of a response is a `ResponseModel` with the suffix ``Out``. Its fields stand in the order of the JSON. A shape that has all of
  another and more inherits from it.
- What is sent has the suffix ``Body`` (a `RequestBody`) or ``Params`` (`RequestParams`: what stands
in an address).
- The functions that build them are called by what they build and take the library or snapshot first: ``citation_out(library, passage)``
  returns a `CitationOut`. They hand over enumerations as such, not their values, and spans as lists of two numbers. A shape that begins
  with all of another is built from it: ``EntryWithTextOut(**dict(entry_out(library, entry)), url=…, passages=…)``.
- JSON on the web is `ResponseModel.to_json`. The command line prints it spaced or indented: it gives ``model_dump()`` to ``json.dumps``;
  enumerations are texts, and a question with half a surrogate pair, which a batch may hold, is printed too.

JSON schemas are put into a form from which generators make useful clients; pydantic's own form says
more than they understand.

- What may be missing is optional: it stands not in `required` and has no `default`, since generators take a field with a default for one
  that is always there. Its description says what holds where it is not given.
- What is always there and may be null is required, and null is one of its types. What is left out
rather than null is never null.
- A description stands at the field itself, not within one of its types.
- A parameter of an address is never null: one that is not set is left out. A list is one text
there, as `in_address` in its schema says.
- Two numbers are a list with two items, not a tuple, which not every generator knows.
- A field with `unlisted` in its schema is taken and not described: with it, the call would have
responses of several types.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, WithJsonSchema
from pydantic.json_schema import DEFAULT_REF_TEMPLATE

UNLISTED: dict[str, Any] = {
    "unlisted": True
}  # `json_schema_extra` of a field that is not described
_NULL = {"type": "null"}

# What enumerations are called in the description of the API, where their classes have other names:
# generated clients keep their names.
_ENUM_NAMES = {
    "ChangeKind": "Became",
    "ComparisonStatus": "Status",
    "FindingKind": "Sort",
    "MessageFormat": "Form",
    "RenderingKind": "How",
    "ReviewReason": "Care",
}


def compact_json(value: object) -> str:
    """Return ``value`` as JSON without blanks between its parts, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def inline_enum(choices: type[StrEnum]) -> WithJsonSchema:
    """Describe a field by the values of ``choices`` where it stands, not by a reference to a
    definition. The field needs a title.
    """
    return WithJsonSchema({"type": "string", "enum": [choice.value for choice in choices]})


class DescribedModel(BaseModel):
    """A model whose JSON schema calls everything by its title, which in the API stays the same
    whatever the class is called.
    """

    @classmethod
    def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Return the JSON schema with definitions under their titles; arguments as for pydantic."""
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
    """The body of a request. An unknown field is refused: it is a slip that would change the
    answer.
    """

    model_config = ConfigDict(extra="forbid")


class RequestParams(DescribedModel):
    """The parameters of an address. An unknown one is refused, as an unknown field of a body is."""

    model_config = ConfigDict(extra="forbid")


class ResponseModel(DescribedModel):
    """The body of a response, or a part of it; never changed once it is built."""

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        model_title_generator=lambda model: model.__name__.removesuffix("Out"),
        json_schema_serialization_defaults_required=True,
    )

    def to_json(self) -> str:
        """Return the body as JSON: compact, in UTF-8, fields in the order of the class, nulls
        written out, with a newline at the end.
        """
        return self.model_dump_json() + "\n"


def _tidy(schema: dict[str, Any], *, answered: bool, address: bool) -> None:
    """Put the ``schema`` of an object, as pydantic makes it, into the form described above.

    ``answered`` says that it is of a response, ``address`` that it has the parameters of an
    address.
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
        if (address or (answered and name not in required)) and _NULL in field.get("anyOf", ()):
            del field["anyOf"]
            field |= {**choices[0], **field} if len(choices) == 1 else {"anyOf": choices}
        if address and "examples" in field:
            field["example"] = field.pop("examples")[
                0
            ]  # the examples of a parameter have another form
        if default not in (None, "", []) and not answered:
            field["description"] = (
                f"{field.get('description', '')} `{json.dumps(default)}` where it is not given.".lstrip()
            )


def _tidy_inside(part: Any, references: dict[str, str]) -> None:
    """Replace ``references`` by what they are called now in all of ``part``, and tuples, whose
    items are of one type, by lists.
    """
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str):
            part["$ref"] = references.get(reference, reference)
        if "prefixItems" in part:
            part["items"] = part.pop("prefixItems")[0]
    for inside in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    ):
        _tidy_inside(inside, references)
