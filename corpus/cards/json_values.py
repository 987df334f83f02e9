"""Reads JSON of which parts may be broken: a record that cannot be read stands as `BrokenValue`
among those that can.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

_SALVAGED = 3  # how deep parts of a broken text are tried
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
_OPEN, _CLOSE = "[{", "]}"


class BrokenValue(NamedTuple):
    """A value that cannot be read, and ``why``."""

    why: str


def parse_json(text: str) -> Any:
    """The value that ``text`` is, as `json.loads` has it, `BrokenValue` instead of every part that
    is no JSON or nested too deep.

    A part is a member of the outermost list or object, or of a list or object in it, but never a
    part of a member of a list. "NaN" and numbers of thousands of digits are no JSON here.
    """
    return _parsed(text, _SALVAGED)


def _parsed(text: str, depth: int) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        why = "nested too deep"
    except json.JSONDecodeError as fault:
        why = f"not JSON: {fault}" if depth == _SALVAGED else f"not JSON: {fault.msg}"
    except ValueError as fault:
        why = f"not JSON: {fault}"
    inner = text.strip()
    if not depth or inner[:1] not in ("[", "{"):
        return BrokenValue(why)
    members = _members(inner)
    if inner[0] == "[":
        return [_parsed(member, 0) for member in members]  # a record is read whole or not at all
    found = dict(_pair(member, depth - 1) for member in members)
    return (
        found
        if any(not isinstance(value, BrokenValue) for value in found.values())
        else BrokenValue(why)
    )


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _members(text: str) -> Iterator[str]:
    """The parts of ``text``, which begins with a bracket, that commas divide; the last one is what
    is left where no bracket closes it.
    """
    depth, start = 0, 1
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        if depth == 0 or (depth == 1 and sign == ","):
            yield text[start : token.start()]
            start = token.end()
        if depth == 0:
            return
    yield text[start:] + "…"  # so that it cannot be taken for whole


def _pair(member: str, depth: int) -> tuple[str, Any]:
    """The name and value that ``member`` of an object is; "" as name where it has none."""
    try:
        name, end = json.JSONDecoder().raw_decode(member.lstrip())
        rest = member.lstrip()[end:].lstrip()
    except (ValueError, RecursionError):
        return "", BrokenValue("not JSON: no name")
    if not isinstance(name, str) or not rest.startswith(":"):
        return "", BrokenValue("not JSON: no name")
    return name, _parsed(rest[1:], depth)


def pointer(*steps: str | int) -> str:
    """The JSON pointer (RFC 6901) of the ``steps``."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
