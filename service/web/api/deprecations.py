"""What programs should no longer use."""

from __future__ import annotations

from flask import Response

from service.core.deprecations import DEPRECATIONS
from service.schemas.base import NoParams
from service.schemas.deprecations import DeprecationOut, DeprecationsOut
from service.web.api.blueprints import RUN, api
from service.web.api.responses import json_response


@api.get("/deprecations", tags=[RUN], responses={200: DeprecationsOut})
def deprecations(query: NoParams) -> Response:
    """List what is deprecated, and what to use instead.

    All of it goes on working within version 1. A response to a call that uses it says so in the headers `Deprecation`, `Link` and, where a
    day is set, `Sunset`.
    """
    found = [
        DeprecationOut(
            method=each.method,
            path=each.path,
            field=each.field,
            since=each.since.isoformat(),
            sunset=each.sunset.isoformat() if each.sunset else None,
            successor=each.successor,
            reason=each.reason,
        )
        for each in DEPRECATIONS
    ]
    return json_response(DeprecationsOut(deprecations=found))
