"""The description of the API: complete, true, and with examples that work."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator

from index.library.library import Library
from index.search import Index
from service.core.snapshot import Snapshot
from service.editions import comparison_formats
from service.editions.term_formats import FORMATS
from service.ops.settings import Settings
from service.schemas.comparisons import ComparisonFormat, TermsFormat
from service.web.api import comparisons
from service.web.app import create_app
from tests.service import examples
from tests.service.described import assert_described, strict
from tests.service.harbour import Harbour, Indexes

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
def sample_client(sample_index: Index, tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    settings = Settings(feedback=True, home=tmp_path_factory.mktemp("home"))
    return create_app(Indexes(Snapshot(sample_index)), settings).test_client()


@pytest.fixture(scope="module")
def description(sample_client: FlaskClient) -> Any:
    return json.loads(sample_client.get("/openapi.json").data)


def test_it_is_openapi_3_1_and_has_every_call_of_the_contract(description: Any) -> None:
    OpenAPIV31SpecValidator(description).validate()
    assert description["openapi"].startswith("3.1")
    for path, methods in CONTRACT.items():
        assert methods <= set(description["paths"][path]), path


def test_every_call_says_what_it_does_what_it_takes_and_what_can_go_wrong(description: Any) -> None:
    for name, (method, path, operation) in examples.paths(description).items():
        assert operation["summary"].endswith("."), name
        for parameter in operation.get("parameters", []):
            assert parameter.get("description"), (name, parameter["name"])
        assert {"200", "400", "500"} <= set(operation["responses"]), name
        assert ("415" in operation["responses"]) == (method == "post"), name
        if path.startswith("/v1"):
            assert {"429", "503"} <= set(operation["responses"]), name


def test_choices_are_those_of_the_index(description: Any, sample_index: Index) -> None:
    (edition,) = [p for p in description["paths"]["/v1/ask"]["get"]["parameters"] if p["name"] == "edition"]
    assert edition["schema"]["enum"] == sorted(sample_index.library.edition)


def test_formats_in_the_description_are_those_there_are() -> None:
    assert set(get_args(ComparisonFormat)) == set(comparison_formats.FORMATS)
    assert set(get_args(TermsFormat)) == set(FORMATS)
    assert vars(comparisons)["FORMATS"] is FORMATS


def test_examples_work_and_answer_as_described(sample_client: FlaskClient, description: Any) -> None:
    found = examples.paths(description)
    assert {file.stem for file in examples.FOLDER.glob("*.json")} | {"count", "document_as_text", "export"} >= set(found)
    narrow = strict(description)
    for file in examples.FOLDER.glob("*.json"):
        example = json.loads(file.read_text(encoding="utf-8"))
        method, path, operation = found[file.stem]
        assert operation["responses"]["200"]["content"]["application/json"]["example"] == example["response"]
        if path.startswith(examples.ADMIN):
            continue  # of an index on disk, and for who has a key: see test_admin.py
        response = examples.call(sample_client, method, path, example)
        assert response.status_code == 200, file.stem
        assert_described(narrow, method, path, response)
        # The example is what the service says today: the same words in the same places.
        today = examples.short(response.get_json())
        assert quotations(example["response"]) == quotations(today), file.stem
        assert fields(example["response"]) == fields(today), file.stem


def fields(part: object) -> object:
    """The names of all fields in ``part`` of a response, without their values."""
    if isinstance(part, dict):
        return {name: fields(value) for name, value in part.items()}
    return [fields(each) for each in part] if isinstance(part, list) else None


def quotations(part: object) -> list[tuple[str, str]]:
    """Every passage in ``part`` of a response: its words and where they stand."""
    if isinstance(part, list):
        return [found for each in part for found in quotations(each)]
    if not isinstance(part, dict):
        return []
    own = [(part["text"], str(part["citation"]["source"]))] if "text" in part and part.get("citation") else []
    return own + [found for each in part.values() for found in quotations(each)]


def test_the_description_is_there_before_an_index_is() -> None:
    assert "/v1/ask" in create_app(Indexes(None)).test_client().get("/openapi.json").json["paths"]


def test_the_page_to_try_it_needs_nothing_from_elsewhere(client: FlaskClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    for asset in ("/docs/js/swagger-ui-bundle.js", "/docs/css/swagger-ui.css"):
        assert asset in page.text
        assert client.get(asset).status_code == 200
    assert "http" not in page.text.replace("http-equiv", "")
    assert "'unsafe-inline'" not in page.headers["Content-Security-Policy"].partition("script-src")[2].partition(";")[0]
    assert client.get("/docs/../app.py").status_code == 404


def test_unknown_fields_and_unknown_parameters_are_refused_as_described(client: FlaskClient) -> None:
    assert client.post("/v1/ask", json={"question": "Flaute", "mood": "curious"}).status_code == 400
    assert client.get("/openapi.json").json["components"]["schemas"]["Ask"]["additionalProperties"] is False
    refused = client.get("/v1/ask?q=Flaute&editon=sternenhafen-de-1.0")
    assert (refused.status_code, refused.json["field"]) == (400, "editon")
    assert "edition?" in refused.json["detail"]
    assert client.get("/v1/editions?page=1").status_code == 400
    assert client.get("/v1/ask?q=Flaute&q=Sturm").json["field"] == "q"


def test_docs_can_be_turned_off(harbour_library: Library) -> None:
    client = create_app(Indexes(Harbour(harbour_library)), Settings(docs=False)).test_client()
    assert client.get("/docs").status_code == client.get("/openapi.json").status_code == 404
