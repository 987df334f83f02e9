"""A test client that checks every response against the API description: status, content type, and
every field of the body.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from service.web.app import RegulaApp
from service.web.openapi import describe

_WITH_FIELDS = {
    "Answer": ["WholeAnswer"],
    "Passage": ["WholePassage", "RulingPassage", "CardPassage"],
}
_KNOWN: list[dict[str, Any]] = []  # the description, shared by all applications


def strict(description: dict[str, Any]) -> dict[str, Any]:
    """Return ``description`` with closed objects, so that undescribed fields are detected."""
    found = deepcopy(description)
    for schema in found["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    # Names of fields that the parameter `fields` adds; whole answers in batches are checked in
    # full.
    schemas = found["components"]["schemas"]
    for small, whole in _WITH_FIELDS.items():
        for name in (name for each in whole for name in schemas[each]["properties"]):
            schemas[small]["properties"].setdefault(name, {})
    return found


def assert_described(
    description: dict[str, Any], method: str, path: str, response: TestResponse
) -> None:
    """Assert that the description allows ``response`` for the operation at ``path``."""
    if path == "/v1/terms" and "format" in response.request.args:
        return  # the description has the addresses of formats instead
    operation = description["paths"][path][method]
    told = operation["responses"]
    assert str(response.status_code) in told, (
        f"{method} {path} answered {response.status_code}, which is not described"
    )
    content = told[str(response.status_code)].get("content")
    if not content:
        assert response.status_code in (304, 308)
        return
    assert response.mimetype in content, (
        f"{method} {path} answered {response.mimetype}, which is not described"
    )
    if response.mimetype.endswith("json"):
        schema = content[response.mimetype]["schema"] | {"components": description["components"]}
        Draft202012Validator(schema).validate(response.get_json(force=True))


class DescribedClient(FlaskClient):
    """A test client that requires every response to be described."""

    def open(self, *arguments: Any, **named: Any) -> TestResponse:
        response = super().open(*arguments, **named)
        app: RegulaApp = self.application  # type: ignore[assignment]
        rule = _rule(app, response)
        if rule is not None:
            if not _KNOWN:
                _KNOWN.append(strict(describe()))
            if response.request.method not in ("HEAD", "OPTIONS"):
                assert_described(_KNOWN[0], response.request.method.lower(), rule, response)
        return response


def _rule(app: Flask, response: TestResponse) -> str | None:
    """Return the path of the operation that answered, as in the description; None where no
    operation did.
    """
    method, path = response.request.method, response.request.path
    try:
        rule, _ = app.url_map.bind("localhost").match(path, method=method, return_rule=True)
    except Exception:  # an unknown address or another method
        return None
    if rule.endpoint.partition(".")[0] not in ("api", "health"):
        return None
    return "".join("{" + part + "}" if dynamic else part for dynamic, part in rule._trace)[1:]


LANGUAGE = "^[A-Za-z]{2,3}"  # the beginning of the pattern of languages


def of_the_loaded(document: Any) -> Any:
    """Return ``document`` with its examples of editions, games and files as the only allowed
    values, and with a few real two-letter languages. Other values are refused, which tests little.
    """

    def narrow(part: Any) -> None:
        for inside in (
            part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        ):
            narrow(inside)
        if isinstance(part, dict) and isinstance(part.get("examples"), list) and "pattern" in part:
            part["enum"] = part["examples"]
        if isinstance(part, dict) and str(part.get("pattern")).startswith(LANGUAGE):
            part["pattern"] = part["pattern"].replace(LANGUAGE, "^(de|IT|en|fr|[A-Za-z]{3})")

    narrow(document)
    return document
