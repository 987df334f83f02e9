"""Convert responses to the form that clients see."""

from __future__ import annotations

import json
from typing import Any

from service.schemas.base import ResponseModel

_SMALL = {"label", "url", "marked", "marks", "language", "marker", "before", "only_in"}


def json_body(response: ResponseModel) -> Any:
    """Return the JSON of ``response``, parsed."""
    return json.loads(response.to_json())


def whole(answer: Any) -> Any:
    """Return an answer with ``fields=all``, or as the command line prints it, without the fields
    that only the small one has.
    """
    found = {name: value for name, value in answer.items() if name != "verdict"}
    return found | {
        "passages": [_whole(each) for each in answer["passages"]],
        "fallback": answer["fallback"] and _whole(answer["fallback"]),
    }


def _whole(passage: dict[str, Any]) -> dict[str, Any]:
    small = _SMALL | {"superseded"} | ({"layer"} if passage.get("layer") == "rulebook" else set())
    return {name: value for name, value in passage.items() if name not in small}
