"""What every request has to be before anybody looks at what it asks: text in UTF-8, JSON of a sane shape, parameters said once."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from urllib.parse import unquote_to_bytes

from flask import Request, request

from service.core.problems import Problem
from service.core.strict_json import json_object
from service.web.errors import is_api_path

LARGEST_BODY = 64 * 1024  # bytes of a request's body
LARGEST_LONG_BODY = 512 * 1024  # of the calls that take many questions or a whole text
LONG_BODY_PATHS = frozenset({"/v1/batch", "/v1/verify"})


class StrictRequest(Request):
    """A request whose JSON is read strictly, and read once."""

    max_content_length = LARGEST_BODY

    def get_json(self, force: bool = False, silent: bool = False, cache: bool = True) -> Any:
        """Return the JSON object of the body, whatever the arguments. Raises `Problem` where there is none."""
        return self._json

    @cached_property
    def _json(self) -> dict[str, object]:
        if not self.is_json:
            raise Problem(415, "The body has to be JSON, with Content-Type: application/json.")
        if self.path in LONG_BODY_PATHS:
            self.max_content_length = LARGEST_LONG_BODY
        return json_object(self.get_data(cache=False))


def check_request() -> None:
    """Raise `Problem` 400 for a request whose address is not text, or has a parameter twice."""
    # The server hands over bytes as Latin-1 (PEP 3333).
    path = request.environ.get("PATH_INFO", "").encode("latin-1", "replace")
    for part in (path, unquote_to_bytes(request.query_string)):
        try:
            part.decode("utf-8")
        except UnicodeDecodeError:
            raise Problem.malformed("The address is not UTF-8.") from None
    if is_api_path(request.path):
        for name, values in request.args.lists():
            if len(values) > 1:
                raise Problem.malformed("This parameter is there twice.", name[:100])
