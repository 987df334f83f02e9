"""Addresses that programs call: which they are, which versions of the API there are, and what may
be meant by one that is none.
"""

from __future__ import annotations

import re

from flask import current_app
from rapidfuzz import fuzz, process

VERSIONS = ("/v1",)  # where the calls of each version of the API begin
_ADDRESSES = re.compile(
    r"/(?:v[0-9]+|api|rest|graphql|healthz|readyz|metrics|openapi\.(?:json|ya?ml))(?:/.*)?",
    re.IGNORECASE | re.DOTALL,
)
_OTHERS = re.compile(r"/(?:v[0-9]+|api|rest|graphql)(?:/|$)", re.IGNORECASE)
_VERSION = re.compile(
    r"/(?:(?:api|rest)(?:/|$))?(?:v[0-9]+(?:/|$))?", re.IGNORECASE
)  # with what others put before it
_HIDDEN = "/admin/"
_NEAR = 75  # of 100: how alike an address and that of a call have to be
_LONGEST = 100  # characters of a foreign address that are looked at


def is_api_path(path: str) -> bool:
    """Tell whether ``path`` is one that programs call, so that errors there are problem+json: also
    of a version that there is not.
    """
    return _ADDRESSES.fullmatch(path) is not None


def is_other_version(path: str) -> bool:
    """Tell whether ``path`` is one of a version of the API that there is not, or of an API without
    a version.
    """
    return _OTHERS.match(path) is not None and not f"{path}/".startswith(
        tuple(f"{version}/" for version in VERSIONS)
    )


def meant_call(path: str) -> str | None:
    """Return the address of the call that is meant by ``path``, whatever its version, its capitals
    and the slashes at its end.

    None where no call is much like it.
    """
    wanted = _VERSION.sub("/", path, count=1).rstrip("/")
    newest = VERSIONS[-1]
    calls = current_app.url_map.bind("")
    for spelled in (wanted, wanted.lower()):
        if (
            spelled
            and not spelled.startswith(_HIDDEN)
            and calls.allowed_methods(f"{newest}{spelled}")
        ):
            return f"{newest}{spelled}"
    rules = [
        rule.rule
        for rule in current_app.url_map.iter_rules()
        if rule.rule.startswith(f"{newest}/") and not rule.arguments
    ]
    known = [rule for rule in rules if not rule.startswith(f"{newest}{_HIDDEN}")]
    found = process.extractOne(
        f"{newest}{wanted[:_LONGEST].lower()}", known, scorer=fuzz.ratio, score_cutoff=_NEAR
    )
    return str(found[0]) if found and wanted else None
