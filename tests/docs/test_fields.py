import json
import re

import pytest

from service.schemas.fields import FieldGroup
from tests.conftest import ROOT
from tests.docs.code_in_docs import FENCE, SPAN

BOTS, API = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("bots.md", "api.md"))
_OF_OTHERS = {
    "allowed_mentions",
    "parse",
    "parse_mode",
    "replace",
    "credentials",
}  # of Telegram, Discord, browsers
_GROUPS = set(FieldGroup)
_SETTINGS = {"limit", "public_url", "hosts", "cors_origins", "show_documents"}


def keys(part):
    """All names of fields within a JSON value."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield name
            yield from keys(value)
    elif isinstance(part, list):
        for value in part:
            yield from keys(value)


def described(part):
    """All names of fields and parameters, and all values to choose from, within a description of an
    API.
    """
    if isinstance(part, dict):
        yield from part.get("properties", {})
        yield from (value for value in part.get("enum", []) if isinstance(value, str))
        if isinstance(part.get("const"), str):
            yield part["const"]
        if "in" in part and isinstance(part.get("name"), str):
            yield part["name"]
        for value in part.values():
            yield from described(value)
    elif isinstance(part, list):
        for value in part:
            yield from described(value)


@pytest.fixture(scope="session")
def description(client):
    return json.loads(client.get("/openapi-translators.json").data)


def test_every_field_and_value_that_is_named_for_bots_is_described(description):
    known = set(described(description))
    named = {
        name
        for name in SPAN.findall(FENCE.sub("", BOTS + API))
        if re.fullmatch(r"[a-z]+(?:[_-][a-z]+)*", name)
    }
    assert len(named) > 30
    assert named - known - _OF_OTHERS - _SETTINGS - _GROUPS == set()


def example(begins):
    """The code block with a response that ``begins`` so: the request before it, and the names of
    the response's fields.
    """
    (block,) = [block for block in FENCE.findall(BOTS) if begins in block]
    request, _, response = block.partition(begins)
    return request, set(re.findall(r'"(\w+)":', begins + response))


def test_a_message_for_a_chat_has_the_fields_of_its_example(sample_client):
    request, fields = example('{"question": "Wer')
    (address,) = re.findall(r"http://127\.0\.0\.1:8080(\S+?)'", request)
    (question,) = re.findall(r"--data-urlencode 'q=(.*?)'", request)
    assert (
        {"message", "citations"}
        <= fields
        <= set(keys(sample_client.get(f"{address}&q={question}").json))
    )


def test_a_report_on_quotations_has_the_fields_of_its_example(sample_client):
    request, fields = example('{"index": …, "verdict"')
    (body,) = re.findall(r"-d '(.*)'", request)
    response = sample_client.post("/v1/verify", json=json.loads(body)).json
    assert response is not None
    assert response["verdict"] == "altered"
    assert {"quotations", "differences"} <= fields <= set(keys(response))


def test_a_report_on_what_an_ellipsis_hides_is_that_of_its_example(sample_client):
    request, fields = example('{…, "verdict": "altered"')
    (body,) = re.findall(r"-d '(.*)'", request)
    response = sample_client.post("/v1/verify", json=json.loads(body)).json
    assert response is not None
    (quotation,) = response["quotations"]
    assert {"misleading", "left_out", "holds", "words"} <= fields <= set(keys(response))
    (left_out,) = quotation["left_out"]
    assert [left_out[name] for name in ("where", "shown", "span", "holds", "words")] == [
        "within",
        True,
        [42, 45],
        ["negation"],
        ["nicht"],
    ]
    (difference,) = quotation["differences"]
    assert difference == {
        "change": "left-out",
        "given": "[…]",
        "printed": "nicht",
        "span": [42, 45],
    }


def test_the_fields_of_a_passage_that_are_explained_first_are_there(client):
    _, _, paragraph = API.partition("Every passage of the answer carries")
    named = set(SPAN.findall(paragraph.partition("\n\n")[0]))
    asked = {"question": "Wann ist ein Schiff gekapert?", "fields": "evidence"}
    response = client.post("/v1/ask", json=asked).json
    assert response is not None
    assert {"text", "display", "marked", "url", "citation"} <= named
    assert {name for name in named if name.isalpha()} <= response["passages"][0].keys()
