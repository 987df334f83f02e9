"""The description of the API (OpenAPI 3.1), made from its calls, and the page to try it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, render_template
from pydantic.json_schema import JsonSchemaMode

from index.library.library import Library
from service.core.problems import SLUGS, Problem
from service.schemas.base import DescribedModel
from service.schemas.health import ProblemDetails
from service.web.api.blueprints import TAGS, Call, api, health
from service.web.api.entries import PART
from service.web.request_context import current_snapshot, settings

Json = dict[str, Any]

INFO: Json = {
    "title": "Regula",
    "version": version("regula"),
    "summary": (
        "Card game rules, quoted: every answer is a passage of a rulebook, word for word, with its "
        "place to the character."
    ),
    "description": (
        "Questions in German, Italian or English are answered with the passages that settle them, "
        "never paraphrased; `verdict` is `open` where the rulebook settles nothing. "
        "`/openapi.json` has the calls for asking, reading and grounding, and what of them bots "
        "need; `/openapi-translators.json` has all calls and fields. Errors are "
        "problem+json (RFC 9457): `type` tells problems apart, `detail` says what to do. An "
        "unknown "
        "field of a body or parameter of an address is refused, with the one that may have been "
        "meant. New fields may be added to responses; none is renamed or dropped within version 1."
    ),
    "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
}
SECURITY: Json = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key, where the service wants one.",
    }
}
_SCHEMA = "#/components/schemas/{model}"
_EXAMPLES = Path(__file__).resolve().parents[1] / "schemas" / "examples"
# Swagger UI writes style attributes and shows images embedded in its style sheet.
_TRY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# Statuses that any address may return, also before the application sees the request; then those of
# any call.
_SERVER = (400, 408, 414, 431, 500)
_CALL = (401, 429, 503)
_MEANINGS = {
    400: "Malformed: not a request that could be understood.",
    401: "An API key is needed, or this one is not known.",
    403: "The API key is not an administrator's.",
    404: "What is addressed does not exist here.",
    408: "The request did not arrive in time.",
    413: "The request is larger than this call takes.",
    414: "The address is too long.",
    415: "The body is not JSON.",
    416: "The file has no such part as header Range asks for.",
    422: "Understood, but a value is not one that can be worked with.",
    429: "Too many requests; header Retry-After says when to come back.",
    431: "The headers are too large.",
    500: "Something went wrong here, not with the request.",
    503: (
        "No index is loaded yet, or the store that it searches does not answer; header Retry-After "
        "says when to come back."
    ),
}
_HEADERS = {
    "X-Request-ID": (
        "Names the request in the log of the service: the caller's own id where it sent one."
    ),
    "X-Regula-Index": "The index that answered.",
    "ETag": "Names this answer of this index; send it back in If-None-Match.",
    "X-RateLimit-Remaining": "Calls left to this client.",
}
_MOVED = ("/v1/cards/{game}/{slug}", "/v1/message/cards/{game}/{slug}")
_IN_PARTS = "/v1/export/{edition_id}.jsonl.gz"  # supports Range requests
# With or without a key, depending on the service. Declared once at the top: client generators
# assume that a call which declares this itself needs a key.
_OPEN: list[Json] = [{}, {"key": []}]


def register(app: Flask) -> None:
    """Serve the description of ``app`` and a page to try it."""

    def described(for_bots: bool) -> Response:
        try:
            library = current_snapshot().library
        except Problem:  # no index yet; the calls do not depend on it
            library = None
        return jsonify(describe(library, str(settings().public_url or "/"), for_bots))

    @app.route("/openapi.json")
    def openapi() -> Response:
        return described(for_bots=True)

    @app.route("/openapi-translators.json")
    def openapi_translators() -> Response:
        return described(for_bots=False)

    @app.route("/docs")
    def docs() -> Response:
        return Response(render_template("docs.html"), headers={"Content-Security-Policy": _TRY})


def describe(library: Library | None = None, server: str = "/", for_bots: bool = False) -> Json:
    """Return the description of the API at the address ``server``, with editions, games and
    documents of ``library`` as examples. With ``for_bots``, it has only the calls and fields needed
    for questions, reading and grounding.

    The examples are no enumerations, because a client generated today must accept the rulebooks of
    tomorrow.
    """
    description: Json = deepcopy(_for_bots() if for_bots else _base_description())
    description["servers"] = [{"url": server, "description": "This service."}]
    loaded: dict[str, list[str]] = {name: [] for name in ("edition", "game", "document")}
    if library is not None:
        loaded = {
            "edition": sorted(library.edition),
            "game": list(library.games),
            "document": sorted({s.file for s in library.sources.values()}),
        }
    for schema in _objects(description):
        if (examples := loaded.get(str(schema.get("format")))) is not None:
            del schema["format"]
            if examples:
                schema["examples"] = examples
    return description


def _objects(part: Any) -> Iterator[Json]:
    if isinstance(part, dict):
        yield part
    if isinstance(part, (dict, list)):
        for inside in part.values() if isinstance(part, dict) else part:
            yield from _objects(inside)


@cache
def _base_description() -> Json:
    """Return the part of the description that does not depend on the index."""
    schemas: Json = {}
    paths: dict[str, Json] = {}
    for call in (*api.calls, *health.calls):
        paths.setdefault(call.path, {})[call.method] = _operation(call, schemas)
    _add_schema(schemas, ProblemDetails, "validation")
    return {
        "openapi": "3.1.0",
        "info": INFO,
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": SECURITY},
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "security": _OPEN,
    }


# Calls that bots need, and for these schemas the only fields. The description for translators has
# everything.
_BOT_CALLS = {
    *("ask", "ask_by_address", "write_message", "write_message_by_address", "write_card_message"),
    *("give_context", "verify_quotations", "give_feedback", "undo_feedback", "suggest", "cards"),
    *("editions", "edition", "entries", "entry"),
}
_BOT_FIELDS = {
    "Citation": "label edition game language entry heading number url",
    "LayerCitation": "label game language heading url",
    "WholePassage": "text display citation",
    "ContextPassage": "marker entry tokens",
    "ChatMessage": "language verdict confidence index format message length limit cut citations",
    "Edition": "id game language version title entries passages",
    "CardHit": "id game slug url names type products",
    "WholeEntry": "id edition kind heading title number url parent children passages",
    "Entry": "id edition kind heading title number url",
}
# Request fields that the description for bots leaves out.
_BOTS_SAY_NOT = {"document", "per_game", "per_language", "step", "assist", "offset"}


@cache
def _for_bots() -> Json:
    """Return the part of the description that bots need."""
    whole: Json = deepcopy(_base_description())
    schemas: Json = whole["components"]["schemas"]
    for name, kept in _BOT_FIELDS.items():
        schema, names = schemas[name], set(kept.split())
        schema["properties"] = {n: f for n, f in schema["properties"].items() if n in names}
        schema["required"] = [n for n in schema["required"] if n in names]
        schema["description"] += " The description for translators has all of its fields."
    for schema in schemas.values():
        if schema.get("additionalProperties") is False:  # a request body
            for name in _BOTS_SAY_NOT & schema["properties"].keys():
                del schema["properties"][name]
    whole["paths"] = {
        path: chosen
        for path, item in whole["paths"].items()
        if (chosen := {m: op for m, op in item.items() if op["operationId"] in _BOT_CALLS})
    }
    for operation in (op for item in whole["paths"].values() for op in item.values()):
        if said := operation.get("parameters"):
            operation["parameters"] = [p for p in said if p["name"] not in _BOTS_SAY_NOT]
        if content := operation["responses"]["200"]["content"].get("application/json"):
            content["example"] = _as_described(content["example"], content["schema"], schemas)
    used = _references(whole["paths"], schemas, set())
    whole["components"]["schemas"] = {n: schemas[n] for n in schemas if n in used}
    tags = {op["tags"][0] for item in whole["paths"].values() for op in item.values()}
    whole["tags"] = [tag for tag in whole["tags"] if tag["name"] in tags]
    return whole


def _as_described(value: Any, schema: Json, schemas: Json) -> Any:
    """Return ``value`` without the fields that are missing in its ``schema``."""
    choices = [
        schemas[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        for each in schema.get("anyOf", [schema])
    ]
    if isinstance(value, list):
        items: Json = next((each["items"] for each in choices if "items" in each), {})
        return [_as_described(each, items, schemas) for each in value]
    fields: Json = {}
    for each in choices:
        fields |= each.get("properties", {})
    if not isinstance(value, dict) or not fields:
        return value
    return {n: _as_described(v, fields[n], schemas) for n, v in value.items() if n in fields}


def _references(part: Any, schemas: Json, found: set[str]) -> set[str]:
    """Return ``found`` and the names of all ``schemas`` that ``part`` refers to, directly or
    not.
    """
    for each in _objects(part):
        name = str(each.get("$ref", "")).rpartition("/")[2]
        if name in schemas and name not in found:
            found.add(name)
            _references(schemas[name], schemas, found)
    return found


def _operation(call: Call, schemas: Json) -> Json:
    """Describe ``call``, and add its request and response models to ``schemas``."""
    doc = (inspect.getdoc(call.function) or "").strip().split("\n\n")
    summary, *more = (" ".join(paragraph.split("\n")) for paragraph in doc)
    operation: Json = {
        "tags": [call.tag],
        "summary": summary,
        "description": "\n\n".join(more),
        "operationId": call.function.__name__,
    }
    parameters = [
        each
        for place in ("path", "query")
        if place in call.takes
        for each in _parameters(call.takes[place], place, schemas)
    ]
    if parameters:
        operation["parameters"] = parameters
    if "body" in call.takes:
        content = _json_content(_add_schema(schemas, call.takes["body"], "validation"))
        operation["requestBody"] = {"content": content, "required": True}
    answers = call.answers
    if isinstance(answers, type):
        content = _json_content(_add_schema(schemas, answers, "serialization"))
        answers = {"description": "OK", "content": content}
    ok = deepcopy(answers)
    path = call.path
    is_api, admin = path.startswith("/v1"), path.startswith("/v1/admin")
    responses = {"200": ok}
    for status in sorted(_statuses(path, call.method, operation)):
        responses[str(status)] = _problem(status)
    if is_api:
        ok["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in _HEADERS.items()
        }
    if is_api and call.method == "get" and not admin:
        text = "Nothing has changed since the answer that If-None-Match names."
        responses["304"] = {"description": text}
    if path == _IN_PARTS:
        responses["206"] = PART
    if path in _MOVED:
        text = "The card has another address, which header Location has."
        responses["308"] = {"description": text}
    elif is_api and call.method == "get" and _names_edition(path, parameters):
        text = "Another entry or edition has followed, whose address header Location has."
        responses["308"] = {"description": text}
    operation["responses"] = responses
    if admin:
        operation["security"] = [{"key": []}]
    elif not is_api and path != "/metrics":
        operation["security"] = []
    _add_example(operation)
    return operation


def _parameters(model: type[DescribedModel], place: str, schemas: Json) -> Iterator[Json]:
    described = model.model_json_schema(ref_template=_SCHEMA)
    schemas.update(described.get("$defs", {}))
    for name, field in described["properties"].items():
        yield {
            "name": name,
            "in": place,
            "required": name in described.get("required", ()),
            **({"description": field.pop("description")} if "description" in field else {}),
            **({"example": field["example"]} if "example" in field else {}),
            "schema": field,
        }


def _add_schema(schemas: Json, model: type[DescribedModel], mode: JsonSchemaMode) -> str:
    """Add ``model`` and the models inside it to ``schemas``. Return its reference."""
    described = model.model_json_schema(ref_template=_SCHEMA, mode=mode)
    schemas[described["title"]] = described
    schemas.update(described.pop("$defs", {}))
    return _SCHEMA.format(model=described["title"])


def _json_content(reference: str) -> Json:
    return {"application/json": {"schema": {"$ref": reference}}}


def _names_edition(path: str, parameters: list[dict[str, Any]]) -> bool:
    named = any(each["name"] == "edition" for each in parameters)
    return named or "{edition_id}" in path or "{left}" in path


def _statuses(path: str, method: str, operation: Json) -> set[int]:
    """Return the error statuses that an operation may return."""
    if path == "/metrics":
        return {*_SERVER, 401, 403, 404}
    if not path.startswith("/v1"):
        return {*_SERVER, 503} if path == "/readyz" else {*_SERVER}
    found = {*_SERVER, *_CALL}
    if method == "post":
        found |= {413, 415}
    in_query = any(each["in"] == "query" for each in operation.get("parameters", []))
    if "requestBody" in operation or in_query:
        found |= {404, 422}  # an unknown edition, game or page
    if path == _IN_PARTS:
        found |= {416}
    if "{" in path or path.startswith("/v1/export"):
        found |= {404}
    if path.startswith("/v1/admin"):
        found |= {403, 404}  # no administrator's key; indexes that are not in a folder
    return found


def _problem(status: int) -> Json:
    meaning = _MEANINGS[status]
    example = {
        "type": f"urn:regula:problem:{SLUGS[status]}",
        "title": meaning.partition(":")[0].rstrip("."),
        "status": status,
        "detail": meaning,
        "instance": "/v1/ask",
    }
    schema = {"$ref": _SCHEMA.format(model="ProblemDetails")}
    content = {"application/problem+json": {"schema": schema, "example": example}}
    described: Json = {"description": meaning, "content": content}
    if status in (429, 503):
        text = "Seconds after which to come back."
        described["headers"] = {"Retry-After": {"description": text, "schema": {"type": "integer"}}}
    return described


def _add_example(operation: Json) -> None:
    # Examples come from the sample; a file format has the example of the call that returns JSON.
    file = _EXAMPLES / f"{operation['operationId'].partition('_as_')[0]}.json"
    if not file.is_file():
        return
    example = json.loads(file.read_text(encoding="utf-8"))
    for parameter in operation.get("parameters", []):
        if parameter["name"] in example["parameters"]:
            parameter["example"] = example["parameters"][parameter["name"]]
    if "body" in example:
        operation["requestBody"]["content"]["application/json"]["example"] = example["body"]
    if content := operation["responses"]["200"]["content"].get("application/json"):
        content["example"] = example["response"]
