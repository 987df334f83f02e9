"""JSON schemas in a form from which generators make useful clients; pydantic's own form says more than they understand.

- What may be missing is optional: it stands not in `required` and has no `default`, since generators take a field with a default for one
  that is always there. Its description says what holds where it is not given.
- What is always there and may be null is required, and null is one of its types. What is left out rather than null is never null.
- A description stands at the field itself, not within one of its types.
- A parameter of an address is never null: one that is not set is left out.
- Two numbers are a list with two items, not a tuple, which not every generator knows.
- A field with `unlisted` in its schema is taken and not described: with it, the call would have responses of several types.
"""

from __future__ import annotations

import json
from typing import Any

UNLISTED = {"unlisted": True}  # `json_schema_extra` of a field that is not described

_NULL = {"type": "null"}


def tidy_schema(schema: dict[str, Any], *, answered: bool, address: bool) -> None:
    """Put the ``schema`` of an object, as pydantic makes it, into the form described above.

    ``answered`` says that it is of a response, ``address`` that it has the parameters of an address.
    """
    properties: dict[str, Any] = schema.get("properties", {})
    for name in [name for name, field in properties.items() if field.get("unlisted")]:
        del properties[name]
    required = schema.get("required", ())
    for name, field in properties.items():
        _describe_at_top(field)
        default = field.pop("default", None)
        if address or (answered and name not in required):
            _drop_null(field)
        if address and "examples" in field:
            field["example"] = field.pop("examples")[0]  # the examples of a parameter have another form
        if default not in (None, "", []) and not answered:
            field["description"] = f"{field.get('description', '')} `{json.dumps(default)}` where it is not given.".lstrip()
    _tuples_as_lists(properties)


def _describe_at_top(field: dict[str, Any]) -> None:
    """Move the description of the only type of ``field`` beside null to the field."""
    choices = [choice for choice in field.get("anyOf", ()) if choice != _NULL]
    if len(choices) == 1 and "description" in choices[0]:
        described = choices[0].pop("description")
        field.setdefault("description", described)


def _drop_null(field: dict[str, Any]) -> None:
    """Take null from the types of ``field``; the only one that is left stands in the field itself."""
    if _NULL not in field.get("anyOf", ()):
        return
    choices = [choice for choice in field.pop("anyOf") if choice != _NULL]
    if len(choices) == 1:
        field |= {**choices[0], **field}
    else:
        field["anyOf"] = choices


def _tuples_as_lists(part: Any) -> None:
    """Describe every tuple within ``part``, whose items are of one type, as a list of that many."""
    if isinstance(part, list):
        for inside in part:
            _tuples_as_lists(inside)
    if isinstance(part, dict):
        if "prefixItems" in part:
            part["items"] = part.pop("prefixItems")[0]
        for inside in part.values():
            _tuples_as_lists(inside)
