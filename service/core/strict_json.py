"""Reads JSON of others strictly: the body of a request or a line of a file, as one object that is
not nested too deeply.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import NoReturn

from service.core.i18n import N_, TranslatableText
from service.core.problems import Problem

BODY = N_("body")
DEEPEST = 16  # arrays and objects in each other
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")


def json_object(raw: bytes, called: str = BODY) -> dict[str, object]:
    """Return the JSON object in ``raw``, which messages call ``called``. Raises `Problem` 400 where
    it is none.
    """
    if _depth(raw) > DEEPEST:
        raise Problem.malformed(
            TranslatableText(
                N_("The JSON is nested more than %(limit)s levels deep."), {"limit": DEEPEST}
            )
        )
    try:
        found = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_unique_fields, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        raise Problem.malformed(
            TranslatableText(
                N_("The %(called)s is not JSON in UTF-8."), {"called": TranslatableText(called)}
            )
        ) from None
    if not isinstance(found, dict):
        raise Problem.malformed(
            TranslatableText(
                N_("The %(called)s has to be a JSON object."), {"called": TranslatableText(called)}
            )
        )
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
        raise Problem.malformed(
            TranslatableText(N_("The field %(name)s is there twice."), {"name": repr(name[:100])})
        )
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Problem.malformed(TranslatableText(N_("%(name)s is no number in JSON."), {"name": name}))
