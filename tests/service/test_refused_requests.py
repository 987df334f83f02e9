import ast
import json
import re
from typing import Any, get_args

import pytest
from flask.testing import FlaskClient
from pydantic import BaseModel

from service.core.i18n import LANGUAGES, catalogue
from service.core.problems import TITLES
from service.ops.settings import Settings
from service.schemas.base import RequestBody
from service.web.app import RegulaApp, create_app
from service.web.errors import RETRY_SECONDS
from service.web.openapi import describe
from tests.service.harbour import Harbour, Indexes, library

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
SHAPES: dict[str, dict[str, Any]] = {  # of bodies, with every list and object that may be within
    "/v1/ask": {"question": "Flaute"},
    "/v1/batch": {"questions": [{"question": "Flaute"}]},
    "/v1/context": {"question": "Flaute"},
    "/v1/verify": {"text": "Flaute"},
    "/v1/feedback": {"verdict": "hit", "question": "Flaute", "passage": {"marker": "r:00000000"}},
    "/v1/admin/serve": {},
}


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> RegulaApp:
    return create_app(
        Indexes(Harbour(library())),
        Settings(feedback=True, home=tmp_path_factory.mktemp("home"), rate_limit="none"),
    )


@pytest.fixture(scope="module")
def asking(app) -> FlaskClient:
    return app.test_client()


def operations(app):
    """Method, path and operation of every call but those of administrators, as the description has
    them.
    """
    paths = describe()["paths"]
    return [
        (method, path, operation)
        for path, item in paths.items()
        for method, operation in item.items()
        if path.startswith("/v1/") and not path.startswith("/v1/admin/")
    ]


def objects(body):
    """Every object in ``body`` with what its place is called in problems."""

    def within(part, place):
        if isinstance(part, dict):
            yield place, part
        for name, inside in (
            part.items()
            if isinstance(part, dict)
            else enumerate(part)
            if isinstance(part, list)
            else ()
        ):
            yield from within(inside, f"{place}{name}.")

    return within(body, "")


def test_every_call_refuses_a_parameter_that_it_does_not_take(app, asking):
    for method, path, operation in operations(app):
        address = re.sub(r"\{\w+\}", "x", path)
        taken = [
            parameter["name"]
            for parameter in operation.get("parameters", [])
            if parameter["in"] == "query"
        ]
        slip = f"{taken[0]}x" if taken else "edition"
        refused = asking.open(
            address,
            method=method.upper(),
            query_string={slip: "x"},
            json=SHAPES.get(path) if method == "post" else None,
        )
        assert (refused.status_code, refused.json["field"]) == (400, slip), (method, path)
        if taken:
            assert refused.json["detail"].endswith(f"Did you mean {taken[0]}?"), (method, path)


@pytest.mark.parametrize("path", [path for path in SHAPES if path != "/v1/admin/serve"])
def test_every_body_refuses_a_field_that_it_does_not_have_wherever_it_stands(asking, path):
    for number, (place, _) in enumerate(objects(SHAPES[path])):
        body = json.loads(json.dumps(SHAPES[path]))
        inside = [each for _, each in objects(body)][number]
        name = next(iter(inside))
        inside[f"{name}x"] = inside[name]
        refused = asking.post(path, json=body)
        assert (refused.status_code, refused.json["field"]) == (400, f"{place}{name}x")
        assert refused.json["detail"].endswith(f"Did you mean {name}?")


def test_no_body_has_an_object_that_is_open():
    def all_models(model):
        for each in model.__subclasses__():
            yield from (each, *all_models(each))

    def models(annotation):
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        for inside in get_args(annotation):
            yield from models(inside)

    found = list(all_models(RequestBody))
    assert {"AskBody", "BatchBody", "VerifyBody", "FeedbackBody", "ContextBody", "ServeBody"} <= {
        model.__name__ for model in found
    }
    for model in found:
        for field in model.model_fields.values():
            for inside in (model, *models(field.annotation)):
                assert inside.model_config.get("extra") == "forbid", inside


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/v2/ask?q=Flaute", "/v1/ask"),
        ("/v2", None),
        ("/V1/Ask", "/v1/ask"),
        ("/api/v1/editions", "/v1/editions"),
        ("/api/suggest", "/v1/suggest"),
        ("/api", None),
        ("/v10/entries/sternenhafen-de-1.0/Hafen", "/v1/entries/sternenhafen-de-1.0/Hafen"),
        ("/v2/admin/indexes", None),
    ],
)
@pytest.mark.parametrize("wanted", ["application/json", "text/html", "*/*"])
def test_an_address_of_another_version_says_which_there_are(asking, path, meant, wanted):
    answer = asking.get(path, headers={"Accept": wanted})
    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert answer.json["versions"] == ["/v1"]
    assert "there are: /v1." in answer.json["detail"]
    assert answer.json["detail"].endswith(f"Did you mean {meant}?") == (meant is not None)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/v1/ask/", "/v1/ask"),
        ("/v1/asks", "/v1/ask"),
        ("/v1/Editions", "/v1/editions"),
        ("/v1/xyzzy", None),
        ("/v1", None),
    ],
)
def test_an_address_without_a_call_names_the_one_that_is_meant(asking, path, meant):
    answer = asking.get(path, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert answer.json["detail"].partition("Did you mean ")[2] == (f"{meant}?" if meant else "")
    assert "versions" not in (answer.json or {})


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_a_method_that_a_call_does_not_take_is_a_problem_that_names_the_others(asking, method):
    answer = asking.open("/v1/ask", method=method, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.content_type) == (405, "application/problem+json")
    assert {"GET", "POST"} <= set(answer.allow)


# --- in whose language


def wording(part, names):
    """Whether ``part`` is marked as one to translate, or comes from something that is."""
    if isinstance(part, ast.Name):
        return part.id in names and wording(
            names[part.id], {name: value for name, value in names.items() if name != part.id}
        )
    if isinstance(part, ast.IfExp):
        return wording(part.body, names) and wording(part.orelse, names)
    if isinstance(part, ast.Attribute):
        return part.attr in ("text", "detail")  # of another problem
    if not isinstance(part, ast.Call):
        return False
    called = part.func.id if isinstance(part.func, ast.Name) else ""
    if called in ("N_", "sentence_of", "unknown_name", "_unknown_field", "_value_text"):
        return True
    return called == "TranslatableText" and (
        not isinstance(part.args[0], ast.Constant) or part.args[0].value == "%(message)s."
    )


@pytest.mark.parametrize("language", ["de", "it"])
def test_titles_are_translated(language):
    assert all(str(catalogue(language).gettext(title)) != title for title in TITLES.values())


WRONG: list[Any] = [
    None,
    "",
    "x" * 20_001,
    "\u0000",
    -1,
    1.5,
    True,
    [],
    [None],
    ["x"] * 101,
    {"x": 1},
]


def schema_of(app, path):
    """The schema of the body that a POST to ``path`` takes."""
    body = describe()["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return describe()["components"]["schemas"][body["$ref"].rpartition("/")[2]]


def test_whatever_is_wrong_with_a_field_is_told_in_the_language_of_whoever_asks(app, asking):
    told: set[str] = set()
    for path, shape in SHAPES.items():
        for name in schema_of(app, path)["properties"]:
            for value in WRONG:
                body = shape | {name: value}
                german = asking.post(path, json=body, headers=GERMAN)
                if german.status_code >= 400:
                    told |= check_told(asking.post(path, json=body).json, german.json)
    assert len(told) > 15


def test_whatever_is_wrong_with_a_parameter_is_too(app, asking):
    for method, path, operation in operations(app):
        address = re.sub(r"\{\w+\}", "x", path)
        for parameter in operation.get("parameters", []):
            for value in ("", "x" * 2001, "-1", "\u0007"):
                asked: dict[str, Any] = (
                    {"query_string": {parameter["name"]: value}}
                    if parameter["in"] == "query"
                    else {}
                )
                asked |= {"json": SHAPES[path]} if method == "post" else {}
                german = asking.open(address, method=method.upper(), headers=GERMAN, **asked)
                if german.status_code >= 400:
                    check_told(
                        asking.open(address, method=method.upper(), **asked).json, german.json
                    )
                    assert german.headers["Content-Language"] == "de"


def check_told(english, german):
    """Two problems that differ in what people read alone; returns what the English one says."""
    same = set(english) - {"title", "detail", "request"}
    assert {name: english[name] for name in same} == {name: german[name] for name in same}
    assert german["title"] != english["title"]
    assert german["detail"] != english["detail"], english
    return {english["detail"]}


def test_numbers_are_written_as_the_language_does(asking):
    body = {"question": "x" * 2001}
    details = [
        asking.post("/v1/ask", json=body, headers={"Accept-Language": language}).json["detail"]
        for language in LANGUAGES
    ]
    assert sorted(re.findall(r"2.001", " ".join(details))) == ["2,001", "2.001", "2.001"]
    batch = {"questions": [{"question": "a"}, {"question": "b", "edition": "none"}]}
    assert (
        asking.post("/v1/batch", json=batch, headers=GERMAN)
        .json["detail"]
        .startswith("Frage 2: Dieser Wert von edition ")
    )


@pytest.mark.parametrize(
    "headers", [{}, {"Accept-Language": "*"}, {"Accept-Language": "fr, *;q=0.5"}]
)
def test_a_script_without_a_language_reads_english_and_is_told_so(asking, headers):
    answer = asking.get("/v1/ask?q=Flaute&k=99", headers=headers)
    assert answer.json["detail"] == "This has to be a whole number from 1 to 50."
    assert answer.headers["Content-Language"] == "en"


def test_turned_away_and_not_ready_in_german_too():
    asking = create_app(Indexes(Harbour(library())), Settings(rate_limit="1/minute")).test_client()
    answers = [asking.get("/v1/ask?q=Flaute", headers=GERMAN) for _ in range(2)]
    assert answers[1].json["title"] == "Zu viele Anfragen"
    waiting = create_app(Indexes(None)).test_client().get("/v1/ask?q=Flaute", headers=GERMAN)
    assert (waiting.status_code, waiting.headers["Retry-After"]) == (503, str(RETRY_SECONDS))
    assert waiting.json["detail"].startswith("Noch ist kein Index geladen.")
