"""Requests made up from the description of the API, sound and unsound ones: each is answered as
described.

`REGULA_CASES` is the number of cases, by default four times the examples of the profile of
Hypothesis.
"""

import os
from collections import Counter

import pytest
import schemathesis
from flask import jsonify
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from service.ops.settings import Settings
from service.web.app import create_app
from tests.service.described import of_the_loaded
from tests.service.harbour import Harbour, Indexes, library

pytestmark = pytest.mark.hypothesis
CASES = int(os.environ.get("REGULA_CASES", 4 * settings().max_examples))


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    kept = tmp_path_factory.mktemp("home")
    settings = Settings(
        rate_limit="none", compress=False, feedback=True, home=kept
    )  # the transport in process unpacks nothing
    app = create_app(Indexes(Harbour(library())), settings)
    app.view_functions["openapi"] = lambda: jsonify(DOCUMENT)
    return schemathesis.openapi.from_wsgi(
        "/openapi.json", app, config=SchemathesisConfig.from_dict({})
    )


def operations(document):
    """Every operation, and where something can be said to it: in its path, in its query, in a
    body.
    """
    return {
        f"{method.upper()} {path}": {p["in"] for p in operation.get("parameters", [])}
        | ({"body"} if "requestBody" in operation else set())
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }


def open_ended(document):
    """The operations that take more than a choice from a list: sound calls of the others are few
    and run out.
    """
    return {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if "requestBody" in operation
        or not all("enum" in p["schema"] for p in operation.get("parameters", []))
    }


DOCUMENT = of_the_loaded(
    create_app(Indexes(Harbour(library()))).test_client().get("/openapi-translators.json").json
)
OPERATIONS = operations(DOCUMENT)
WRONG = {
    name for name, places in OPERATIONS.items() if places - {"path"}
}  # any text may stand in a path
EACH = -(-CASES // (len(WRONG) + len(open_ended(DOCUMENT))))
MADE: Counter[str] = Counter()


@pytest.mark.parametrize(
    "mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value
)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_call_answers_as_described_whatever_is_sent(schema, name, mode):
    if mode is GenerationMode.NEGATIVE and name not in WRONG:
        pytest.skip("nothing can be said to this call, so nothing wrong")
    method, _, path = name.partition(" ")
    operation = schema[path][method]

    @settings(
        max_examples=EACH,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def answers(case):
        MADE[f"{name} {mode.value}"] += 1
        response = case.call()
        # There may be nothing that a format could hold, two editions are no source of each other,
        # and no language has two regions.
        unfit = response.status_code == 422 and response.json().get("field") in (
            "format",
            "source",
            "regions",
        )
        case.validate_response(
            response, excluded_checks=[positive_data_acceptance] if unfit else []
        )

    answers()
    assert MADE[f"{name} {mode.value}"]
