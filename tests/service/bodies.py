"""Responses as the programs that ask see them."""

from __future__ import annotations

import json
from typing import Any

from service.schemas.base import ResponseModel


def json_body(response: ResponseModel) -> Any:
    """The JSON of ``response``, parsed."""
    return json.loads(response.to_json())
