"""What is deprecated: it goes on working, says so, and leads to what gives the same."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from index.search import Index
from service.core import deprecations
from service.core.snapshot import Snapshot
from service.editions import comparison_formats, term_formats
from service.ops.settings import Settings
from service.web import deprecation
from service.web.app import create_app
from tests.service.harbour import Indexes

NEW, ITALIAN, GAME = "pegelwacht-de-1.1", "pegelwacht-it-1.1", "pegelwacht"
CARD = "/cards/pegelwacht/grappling-iron-01015"


@pytest.fixture(scope="module")
def sample_client(sample_index: Index) -> FlaskClient:
    return create_app(Indexes(Snapshot(sample_index)), Settings(rate_limit="none", cors_origins=["https://fans.example"])).test_client()


def successor(response: TestResponse) -> str:
    (found,) = (link for link in response.headers.getlist("Link") if 'rel="successor-version"' in link)
    return found.partition("<")[2].partition(">")[0]


@pytest.mark.parametrize(
    "address",
    [
        *(f"/v1/compare/{NEW}/{ITALIAN}?format={name}" for name in comparison_formats.FORMATS),
        *(f"/v1/terms?game={GAME}&format={name}&cards=true" for name in term_formats.FORMATS),
        f"/v1/compare/cards/{GAME}?language=it&format=csv",
        "/v1/ask?q=Darf+ein+Lotse+angreifen%3F&format=discord&limit=400",
        f"/v1{CARD}?format=plain&language=de",
    ],
)
def test_what_is_deprecated_works_says_so_and_leads_to_the_same(sample_client: FlaskClient, address: str) -> None:
    old = sample_client.get(address)
    assert old.status_code == 200
    assert old.headers["Deprecation"] == "@1795737600"  # a date as RFC 9745 writes it
    assert "Sunset" not in old.headers, "no end is set"
    new = sample_client.get(successor(old))
    assert (new.status_code, new.content_type) == (200, old.content_type)
    assert "Deprecation" not in new.headers
    assert new.headers.get("Content-Disposition") == old.headers.get("Content-Disposition")
    if "xlsx" not in address and "docx" not in address:  # which note when they were written
        assert new.data == old.data


def test_a_body_that_uses_it_is_told_as_well(sample_client: FlaskClient) -> None:
    said = {"question": "Darf ein Lotse angreifen?", "format": "plain"}
    old = sample_client.post("/v1/ask", json=said)
    assert (old.headers["Deprecation"], successor(old)) == ("@1795737600", "/v1/message")
    assert sample_client.post(successor(old), json=said).get_json() == old.get_json()
    assert "Deprecation" not in sample_client.post("/v1/ask", json={"question": "Darf ein Lotse angreifen?"}).headers


def test_who_has_the_answer_already_is_told_as_well(sample_client: FlaskClient) -> None:
    address = f"/v1/terms?game={GAME}&format=csv"
    tag = sample_client.get(address).headers["ETag"]
    again = sample_client.get(address, headers={"If-None-Match": tag})
    assert again.status_code == 304
    assert successor(again) == f"/v1/terms/csv?game={GAME}"


def test_a_page_of_another_site_may_read_it(sample_client: FlaskClient) -> None:
    response = sample_client.get(f"/v1/terms?game={GAME}&format=csv", headers={"Origin": "https://fans.example"})
    assert {"Deprecation", "Link", "Sunset"} <= set(response.headers["Access-Control-Expose-Headers"].split(", "))


def test_a_day_that_is_set_is_announced(sample_client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    ending = deprecations.Deprecation("cards", "GET", "/v1/cards", "k", date(2030, 1, 1), "/v2/cards", "", sunset=date(2031, 1, 1))
    monkeypatch.setattr(deprecation, "_BY_ENDPOINT", {"api.cards": ending})
    response = sample_client.get("/v1/cards?q=dole&k=1")
    assert (response.headers["Deprecation"], response.headers["Sunset"]) == ("@1893456000", "Wed, 01 Jan 2031 00:00:00 GMT")
    assert successor(response) == "/v2/cards?q=dole&k=1"


def test_the_list_has_all_and_every_call_and_address_is_there(sample_client: FlaskClient) -> None:
    listed = sample_client.get("/v1/deprecations").get_json()["deprecations"]
    assert len(listed) == len(deprecations.DEPRECATIONS)
    described = sample_client.get("/openapi.json").get_json()["paths"]
    for each, kept in zip(listed, deprecations.DEPRECATIONS, strict=True):
        assert described[each["path"]][each["method"].lower()]["operationId"] == kept.call
        names = [parameter["name"] for parameter in described[each["path"]][each["method"].lower()].get("parameters", ())]
        assert each["field"] not in names, "new clients do not find it"
        assert each["successor"].replace("{format}", "csv") in described


def test_the_documents_list_what_is_deprecated() -> None:
    page = (Path(__file__).parents[2] / "docs" / "api-changes.md").read_text(encoding="utf-8")
    for each in deprecations.DEPRECATIONS:
        assert re.search(rf"(?m)^\| `{each.method} {re.escape(each.path)}` \| `{each.field}` \| {each.since} \|", page), each
        assert f"`{each.method} {each.successor}`" in page


def test_a_format_address_takes_no_format_and_no_other_format_has_one(sample_client: FlaskClient) -> None:
    assert sample_client.get(f"/v1/terms/csv?game={GAME}&format=csv").status_code == 400
    assert sample_client.get(f"/v1/terms/pdf?game={GAME}").status_code == 404
    assert sample_client.get(f"/v1/compare/{NEW}/{ITALIAN}/json").status_code == 404, "the address without a format gives it"


def test_a_message_has_to_be_in_a_format(sample_client: FlaskClient) -> None:
    refused = sample_client.get("/v1/message?q=Anker")
    assert (refused.status_code, refused.get_json()["field"]) == (400, "format")
