import json
import subprocess
import sys

import pytest

import service
from service.core.problems import Problem
from tests.conftest import ROOT
from tests.service.bodies import whole
from tests.service.harbour import Indexes

QUESTION = "Kann ein betäubtes Schiff ankern?"


def test_a_program_gets_the_answer_that_the_api_gives(indexes, client):
    given = service.ask(indexes, QUESTION, language="de", k=2)
    assert len(given.passages) == 2
    asked = {"question": QUESTION, "language": "de", "k": 2, "fields": "all"}
    assert whole(given.model_dump(mode="json")) == whole(client.post("/v1/ask", json=asked).json)


def test_what_cannot_be_asked_is_a_problem(indexes):
    with pytest.raises(Problem) as raised:
        service.ask(indexes, QUESTION, edition="no-such")
    assert (raised.value.status, raised.value.field) == (422, "edition")


def test_without_an_index_there_is_a_problem():
    with pytest.raises(Problem) as raised:
        service.ask(Indexes(None), QUESTION)
    assert raised.value.status == 503


def test_the_web_application_answers_from_the_same_indexes(indexes):
    assert service.create_app(indexes).test_client().get("/readyz").json["index"] == "index-1"


def test_importing_the_package_loads_nothing_heavy():
    program = (
        "import json, sys, service; print(json.dumps(sorted({name.partition('.')[0] for name in "
        "sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=ROOT, check=True
    )
    assert not {"flask", "mcp", "numpy", "pydantic", "click"} & set(json.loads(done.stdout))
