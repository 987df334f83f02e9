"""Requests made up from the description of the API, sound and unsound ones: each is answered as described.

`REGULA_CASES` is the number of cases; the acceptance is 10,000, fewer by default to keep the test run short.
"""

from __future__ import annotations

import os
import time

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode

from service.app import create_app
from service.settings import Settings
from tests.service.harbour import Harbour, Indexes, library

CASES = int(os.environ.get("REGULA_CASES", "1500"))


@pytest.fixture(scope="module")
def schema():
    app = create_app(Indexes(Harbour(library())), Settings(rate_limit="none", compress=False))  # the transport in process unpacks nothing
    return schemathesis.openapi.from_wsgi("/openapi.json", app, config=SchemathesisConfig.from_dict({}))


def operations() -> list[str]:
    app = create_app(Indexes(Harbour(library())))
    document = app.test_client().get("/openapi.json").json
    return [f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item]


OPERATIONS = operations()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_call_answers_as_described_whatever_is_sent(schema, name, mode):
    method, _, path = name.partition(" ")
    operation = schema[path][method]
    each = max(1, CASES // (2 * len(OPERATIONS)))
    made = 0

    @settings(
        max_examples=each, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def answers(case):
        nonlocal made
        made += 1
        case.call_and_validate()

    begun = time.monotonic()
    try:
        answers()
    except schemathesis.core.errors.InvalidSchema:
        raise
    except Exception as fault:
        if "Unsatisfiable" in type(fault).__name__ or "SkipTest" in type(fault).__name__:
            pytest.skip("nothing of this kind can be made up for this call")
        raise
    assert made, f"{name}: no case in {time.monotonic() - begun:.1f} s"
