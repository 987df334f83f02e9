"""Check requests before they are interpreted, and tell which addresses belong to the API."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from flask import Request, current_app, request
from rapidfuzz import fuzz, process

from service.core.i18n import N_
from service.core.parameters import json_object
from service.core.problems import Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

VERSIONS = ("/v1",)  # prefixes of the versions of the API
_API = re.compile(
    r"/(?:v[0-9]+|api|rest|graphql|healthz|readyz|metrics|openapi(?:-translators)?\.(?:json|ya?ml))"
    r"(?:/.*)?",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_API = re.compile(r"/(?:v[0-9]+|api|rest|graphql)(?:/|$)", re.IGNORECASE)
_VERSION = re.compile(r"/(?:(?:api|rest)(?:/|$))?(?:v[0-9]+(?:/|$))?", re.IGNORECASE)
_NEAR = 75  # least similarity, of 100, between an address and that of a call

LARGEST_BODY = 64 * 1024  # bytes of a request's body
LARGEST_LONG_BODY = 512 * 1024
# Addresses with larger bodies: many questions or a whole text; a ruling with the rules it rests on;
# files of rulings; files from reviewers, which have 1.8 million bytes for the largest pair of real
# rulebooks.
_LARGER = (
    (re.compile(r"/(?:v1/(?:batch|verify)|rulings/new)"), LARGEST_LONG_BODY),
    (re.compile(r"/rulings/[^/]+"), 2_000_000),
    (re.compile(r"/compare/[^/]+/[^/]+/reviews/file"), 4_000_000),
)


def is_api_path(path: str) -> bool:
    """Return whether ``path`` belongs to an API of any version, so that errors are problem+json."""
    return _API.fullmatch(path) is not None


def is_other_version(path: str) -> bool:
    """Return whether ``path`` belongs to an unknown version of the API, or has no version."""
    known = tuple(f"{version}/" for version in VERSIONS)
    return _OTHER_API.match(path) is not None and not f"{path}/".startswith(known)


def meant_call(path: str) -> str | None:
    """Return the call that ``path`` probably means ("/v2/Ask/" → "/v1/ask"), None if none is
    similar.
    """
    wanted, newest = _VERSION.sub("/", path, count=1).rstrip("/"), VERSIONS[-1]
    calls = current_app.url_map.bind("")
    for spelled in (wanted, wanted.lower()):
        call = f"{newest}{spelled}"
        if spelled and not spelled.startswith("/admin/") and calls.allowed_methods(call):
            return call
    known = [
        rule.rule
        for rule in current_app.url_map.iter_rules()
        if rule.rule.startswith(f"{newest}/")
        and not rule.arguments
        and not rule.rule.startswith(f"{newest}/admin/")
    ]
    typed = f"{newest}{wanted[:100].lower()}"
    found = process.extractOne(typed, known, scorer=fuzz.ratio, score_cutoff=_NEAR)
    return str(found[0]) if found and wanted else None


def largest_body(path: str) -> int:
    """Return the largest body, in bytes, of a request to ``path``; more is cut off."""
    return next((most for larger, most in _LARGER if larger.fullmatch(path)), LARGEST_BODY)


class StrictRequest(Request):
    """A request whose JSON is parsed strictly, and only once."""

    def __init__(
        self, environ: WSGIEnvironment, populate_request: bool = True, shallow: bool = False
    ):
        super().__init__(environ, populate_request, shallow)
        self.max_content_length = largest_body(self.path)

    def get_json(self, force: bool = False, silent: bool = False, cache: bool = True) -> Any:
        """Return the JSON object of the body; the arguments are ignored. Raises `Problem`."""
        return self._json

    @cached_property
    def _json(self) -> dict[str, object]:
        if not self.is_json:
            raise Problem(415, N_("The body has to be JSON, with Content-Type: application/json."))
        return json_object(self.get_data(cache=False))


def is_old_script(request: Request) -> bool:
    """Return whether ``request`` may come from version 1.0 of the embedded component, which sites
    may have pinned. It gets all fields for one more release.
    """
    return (
        request.path == "/v1/ask"
        and request.method == "GET"
        and "Origin" in request.headers
        and "fields" not in request.args
    )


def check_request() -> None:
    """Raise `Problem` 400 for a request whose address is not text, or has a parameter twice."""
    # The server passes bytes decoded as Latin-1 (PEP 3333).
    path = request.environ.get("PATH_INFO", "").encode("latin-1", "replace")
    for part in (path, unquote_to_bytes(request.query_string)):
        try:
            part.decode("utf-8")
        except UnicodeDecodeError:
            raise Problem.malformed(N_("The address is not UTF-8.")) from None
    if is_api_path(request.path):
        for name, values in request.args.lists():
            if len(values) > 1:
                raise Problem.malformed(N_("This parameter is there twice."), name[:100])
