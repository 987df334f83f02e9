"""Reads JSON of others strictly: the body of a request or a line of a file, as one object that is not nested too deeply."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import NoReturn

from service.core.problems import Problem

DEEPEST = 16  # arrays and objects in each other
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")


def json_object(raw: bytes, called: str = "body") -> dict[str, object]:
    """Return the JSON object in ``raw``, which messages call ``called``. Raises `Problem` 400 where it is none."""
    if _depth(raw) > DEEPEST:
        raise Problem.malformed(f"The JSON is nested more than {DEEPEST} levels deep.")
    try:
        found = json.loads(raw.decode("utf-8"), object_pairs_hook=_unique_fields, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Problem.malformed(f"The {called} is not JSON in UTF-8.") from None
    if not isinstance(found, dict):
        raise Problem.malformed(f"The {called} has to be a JSON object.")
    return found


def _depth(raw: bytes) -> int:
    deepest = depth = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub(b"", raw)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _unique_fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise Problem.malformed(f"The field {name[:100]!r} is there twice.")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Problem.malformed(f"{name} is no number in JSON.")
