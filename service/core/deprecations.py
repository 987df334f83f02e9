"""What programs should no longer use, since when, until when, and what to use instead: the list that is announced and described.

The rule stands in docs/api-changes.md: within version 1 nothing stops working. A date of end is set only where another version serves the
same, and twelve months ahead at least.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Deprecation:
    """A field of a call that should no longer be used.

    ``call`` is the operation id of the call, ``successor`` the address to use instead, with the names of what is put in.
    """

    call: str
    method: str
    path: str
    field: str
    since: date
    successor: str
    reason: str
    sunset: date | None = None


_ONE_TYPE = "An address for each format: a call has one type of response."
_MESSAGES = "Messages have an address of their own: a call has one type of response."
_SINCE = date(2026, 11, 27)

DEPRECATIONS = (
    Deprecation("ask", "POST", "/v1/ask", "format", _SINCE, "/v1/message", _MESSAGES),
    Deprecation("ask_by_address", "GET", "/v1/ask", "format", _SINCE, "/v1/message", _MESSAGES),
    Deprecation("card", "GET", "/v1/cards/{game}/{slug}", "format", _SINCE, "/v1/message/cards/{game}/{slug}", _MESSAGES),
    Deprecation("terms", "GET", "/v1/terms", "format", _SINCE, "/v1/terms/{format}", _ONE_TYPE),
    Deprecation("compare", "GET", "/v1/compare/{left}/{right}", "format", _SINCE, "/v1/compare/{left}/{right}/{format}", _ONE_TYPE),
    Deprecation("compare_cards", "GET", "/v1/compare/cards/{game}", "format", _SINCE, "/v1/compare/cards/{game}/{format}", _ONE_TYPE),
)
