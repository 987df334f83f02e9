import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator

from service.core.snapshot import Snapshot
from service.editions.exported_files import CARD_FORMATS, COMPARISON_FORMATS, TERM_FORMATS
from service.ops.settings import Settings
from service.web import openapi
from service.web.app import create_app
from tests.service import examples
from tests.service.described import assert_described, strict
from tests.service.harbour import Harbour, Indexes

STATIC = Path(openapi.__file__).parent / "static"
# The calls that version 1 of the API must keep.
CONTRACT = {
    "/v1/ask": {"get", "post"},
    "/v1/suggest": {"get"},
    "/v1/editions": {"get"},
    "/v1/editions/{edition_id}": {"get"},
    "/v1/entries": {"get"},
    "/v1/entries/{edition_id}/{slug}": {"get"},
    "/v1/rulings": {"get"},
    "/v1/compare/{left}/{right}": {"get"},
    "/v1/concepts/{concept}": {"get"},
    "/v1/terms": {"get"},
    "/v1/context": {"post"},
    "/v1/verify": {"post"},
    "/healthz": {"get"},
    "/readyz": {"get"},
    "/metrics": {"get"},
}


@pytest.fixture(scope="module")
def sample_client(sample_index, tmp_path_factory) -> FlaskClient:
    settings = Settings(feedback=True, home=tmp_path_factory.mktemp("home"))
    return create_app(Indexes(Snapshot(sample_index)), settings).test_client()


@pytest.fixture(scope="module")
def description(sample_client):
    return json.loads(sample_client.get("/openapi-translators.json").data)


def test_it_is_openapi_3_1_and_has_every_call_of_the_contract(description):
    OpenAPIV31SpecValidator(description).validate()
    assert description["openapi"].startswith("3.1")
    for path, methods in CONTRACT.items():
        assert methods <= set(description["paths"][path]), path


def test_every_call_says_what_it_does_what_it_takes_and_what_can_go_wrong(description):
    for name, (method, path, operation) in examples.paths(description).items():
        assert operation["summary"].endswith("."), name
        for parameter in operation.get("parameters", []):
            assert parameter.get("description"), (name, parameter["name"])
        assert {"200", "400", "500"} <= set(operation["responses"]), name
        assert ("415" in operation["responses"]) == (method == "post"), name
        if path.startswith("/v1"):
            assert {"429", "503"} <= set(operation["responses"]), name


def test_choices_are_those_of_the_index(description, sample_index):
    (edition,) = [
        p for p in description["paths"]["/v1/ask"]["get"]["parameters"] if p["name"] == "edition"
    ]
    assert edition["schema"]["examples"] == sorted(sample_index.library.edition)
    assert "enum" not in edition["schema"], (
        "a client generated today has to know the rulebooks of tomorrow"
    )
    assert all(
        re.fullmatch(edition["schema"]["pattern"], each) for each in sample_index.library.edition
    )


@pytest.mark.parametrize(
    ("path", "formats"),
    [
        ("/v1/compare/{left}/{right}", COMPARISON_FORMATS),
        ("/v1/compare/cards/{game}", CARD_FORMATS),
        ("/v1/terms", TERM_FORMATS),
    ],
)
def test_each_format_has_an_address_with_one_type_of_response(description, path, formats):
    options = {parameter["name"] for parameter in description["paths"][path]["get"]["parameters"]}
    for name, form in formats.items():
        operation = description["paths"][path if name == "json" else f"{path}/{name}"]["get"]
        assert list(operation["responses"]["200"]["content"]) == [form.mimetype.partition(";")[0]]
        assert {parameter["name"] for parameter in operation["parameters"]} == options


def test_no_call_has_responses_of_several_types(description):
    for name, (_, _, operation) in examples.paths(description).items():
        content = operation["responses"]["200"]["content"]
        assert len(content) == 1, name
        assert "anyOf" not in next(iter(content.values()))["schema"], name


def test_everything_that_is_named_is_described(description):
    silent = [
        f"{name}.{field}"
        for name, schema in description["components"]["schemas"].items()
        for field, of_field in schema.get("properties", {}).items()
        if not of_field.get("description", "").endswith((".", "?", ")"))
    ]
    assert silent == []
    for name, (_, _, operation) in examples.paths(description).items():
        assert operation["description"].endswith("."), name
        assert "<br" not in operation["description"], name


def test_what_may_be_missing_is_optional_and_what_may_be_null_is_there(description):
    schemas = description["components"]["schemas"]
    assert not [
        name
        for name, schema in schemas.items()
        for field in schema.get("properties", {}).values()
        if "default" in field
    ]
    assert schemas["Ask"]["required"] == ["question"]
    assert {"fallback", "reading"} <= set(schemas["WholeAnswer"]["required"])
    assert {"type": "null"} in schemas["WholeAnswer"]["properties"]["fallback"]["anyOf"]
    assert "as_of" not in schemas["WholeAnswer"]["required"]
    assert schemas["WholeAnswer"]["properties"]["as_of"]["type"] == "string", (
        "it is left out, never null"
    )
    assert "`false`" in schemas["Ask"]["properties"]["assist"]["description"], (
        "what holds where it is not given"
    )


def test_the_description_says_where_the_service_is_and_that_a_key_may_be_wanted(harbour_library):
    settings = Settings.model_validate({"public_url": "https://regula.example.org/"})
    for said, address in ((settings, "https://regula.example.org/"), (None, "/")):
        described = (
            create_app(Indexes(Harbour(harbour_library)), said)
            .test_client()
            .get("/openapi-translators.json")
            .json
        )
        assert [server["url"] for server in described["servers"]] == [address]
        assert described["security"] == [{}, {"key": []}]
        assert described["paths"]["/healthz"]["get"]["security"] == []
        assert described["paths"]["/v1/admin/indexes"]["get"]["security"] == [{"key": []}]


def test_examples_work_and_answer_as_described(sample_client, description):
    found = examples.paths(description)
    answered_in_json = {
        name
        for name, (_, _, operation) in found.items()
        if "application/json" in operation["responses"]["200"]["content"]
    }
    assert {file.stem for file in examples.FOLDER.glob("*.json")} == answered_in_json
    narrow = strict(description)
    for file in examples.FOLDER.glob("*.json"):
        example = json.loads(file.read_text(encoding="utf-8"))
        method, path, operation = found[file.stem]
        assert {"application/json"} == set(operation["responses"]["200"]["content"])
        assert (
            operation["responses"]["200"]["content"]["application/json"]["example"]
            == example["response"]
        )
        if path.startswith(examples.ADMIN):
            continue  # of an index on disk, and for who has a key: see test_admin.py
        response = examples.call(sample_client, method, path, example)
        assert response.status_code == 200, file.stem
        assert_described(narrow, method, path, response)
        # The example is what the service says today: the same words in the same places.
        today = examples.short(response.get_json())
        assert quotations(example["response"]) == quotations(today), file.stem
        assert fields(example["response"]) == fields(today), file.stem


def fields(part):
    """The names of all fields in ``part`` of a response, without their values."""
    if isinstance(part, dict):
        return {name: fields(value) for name, value in part.items()}
    return [fields(each) for each in part] if isinstance(part, list) else None


def quotations(part):
    """Every passage in ``part`` of a response: its words and where they stand."""
    if isinstance(part, list):
        return [found for each in part for found in quotations(each)]
    if not isinstance(part, dict):
        return []
    own = (
        [(part["text"], str(part["citation"]["source"]))]
        if "text" in part and part.get("citation")
        else []
    )
    return own + [found for each in part.values() for found in quotations(each)]


def test_the_description_is_there_before_an_index_is():
    assert "/v1/ask" in create_app(Indexes(None)).test_client().get("/openapi.json").json["paths"]


def test_the_page_to_try_it_needs_nothing_from_elsewhere(client):
    page = client.get("/docs")
    assert page.status_code == 200
    for asset in ("swagger-ui-bundle.js", "swagger-ui.css"):
        (address,) = re.findall(rf'"(/static/{asset}\?v=\w+)"', page.text)
        assert client.get(address).status_code == 200
    assert "http" not in page.text.replace("http-equiv", "")
    assert (
        "'unsafe-inline'"
        not in page.headers["Content-Security-Policy"].partition("script-src")[2].partition(";")[0]
    )


def test_what_draws_the_description_is_what_its_note_names():
    noted = re.findall(r"\b[0-9a-f]{64}\b", (STATIC / "docs.js").read_text(encoding="utf-8"))
    assert noted == [
        hashlib.sha256((STATIC / name).read_bytes()).hexdigest()
        for name in ("swagger-ui-bundle.js", "swagger-ui.css")
    ]
    assert "Apache License" in (STATIC / "swagger-ui-LICENSE.txt").read_text(encoding="utf-8")


def test_docs_can_be_turned_off(harbour_library):
    client = create_app(Indexes(Harbour(harbour_library)), Settings(docs=False)).test_client()
    assert client.get("/docs").status_code == client.get("/openapi.json").status_code == 404


def test_what_bots_need_is_described_apart_and_small(sample_client):
    described: Any = sample_client.get("/openapi.json").json
    OpenAPIV31SpecValidator(described).validate()
    calls = [name for item in described["paths"].values() for name in item]
    assert len(calls) <= 16
    schemas = described["components"]["schemas"]
    assert sum(len(each.get("properties", {})) for each in schemas.values()) <= 250
    assert "/v1/ask" in described["paths"]
    assert not any(path.startswith(("/v1/compare", "/v1/admin")) for path in described["paths"])
    for name, schema in schemas.items():
        assert set(schema.get("required", ())) <= set(schema.get("properties", ())), name
    for file in ("ask", "ask_by_address", "give_context", "entry", "verify_quotations"):
        example = json.loads((examples.FOLDER / f"{file}.json").read_text(encoding="utf-8"))
        method, path, operation = examples.paths(described)[file]
        known = {each["name"] for each in operation.get("parameters", [])}
        assert set(example["parameters"]) <= known
        assert_described(
            described, method, path, examples.call(sample_client, method, path, example)
        )
