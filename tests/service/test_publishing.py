"""Publication under load: workers take up each new index without a failed request, and no answer is
mixed from two.

``REGULA_PUBLICATIONS=20`` publishes as often, over three seconds each, as the service is meant to
bear; fewer take part in every test run.
"""

import json
import os
import threading
import time
from functools import partial
from http.client import HTTPConnection
from typing import Any

import pytest

from index.building.snapshots import Snapshots
from index.model import Query
from service.answers.answer import answer_out
from service.answers.small_answer import small_answer_out, with_fields
from service.schemas.base import compact_json
from service.schemas.fields import FieldGroup
from tests.index.small_indexes import QUESTIONS, indexes, publish_copy
from tests.service.serving import serving
from tests.timing import until

pytestmark = pytest.mark.acceptance

PUBLICATIONS = int(os.environ.get("REGULA_PUBLICATIONS", "3"))
APART = 3.0 if "REGULA_PUBLICATIONS" in os.environ else 2.0  # seconds
CONNECTIONS = 8


def _ask(connection, question):
    connection.request(
        "POST",
        "/v1/ask",
        json.dumps({"question": question, "k": 3, "fields": "all"}),
        {"Content-Type": "application/json"},
    )
    response = connection.getresponse()
    body = json.loads(response.read())
    assert response.status != 200 or response.headers["X-Regula-Index"] == body["index"]
    return response.status, body


def _answer(index, question, port):
    """What a service at ``port`` has to answer from ``index``, but for the id of the index."""
    found = index.search(Query(question, k=3))
    small = small_answer_out(index, found, f"http://127.0.0.1:{port}/")
    whole = with_fields(small, answer_out(index, found), {FieldGroup.ALL})
    return json.loads(compact_json({**whole, "index": None}))


class Client(threading.Thread):
    """Asks one question after the other over one connection, and keeps what was answered."""

    def __init__(self, port, over):
        super().__init__()
        self.port, self.over = port, over
        self.answers: list[Any] = []
        self.failed: list[Any] = []

    def run(self):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        number, last = 0, time.monotonic()
        while not self.over.is_set():
            question = QUESTIONS[number % len(QUESTIONS)]
            number += 1
            try:
                status, body = _ask(connection, question)
            except Exception as fault:
                self.failed.append(
                    f"{type(fault).__name__}: {fault}, {time.monotonic() - last:.1f} s after the "
                    "last answer"
                )
                connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
                continue
            if status != 200:
                self.failed.append(f"{status}: {body}")
            self.answers.append((question, body))
            last = time.monotonic()


@pytest.fixture
def server(twins, tmp_path):
    """The port of a service with two workers, and the snapshots that it serves from."""
    snapshots = Snapshots(tmp_path / "index")
    publish_copy(snapshots, twins.built[0])
    said: dict[str, Any] = {"rate_limit": "none", "watch": 0.2, "workers": 2, "log_level": "info"}
    with serving(twins.books[0], snapshots.folder, tmp_path / "log", **said) as served:
        yield served.port, snapshots, served.log


def _answered_from(id, clients):
    """Whether a client has had an answer of the index ``id`` lately."""
    return any(body["index"] == id for client in clients for _, body in client.answers[-50:])


def test_each_publication_is_taken_up_without_a_failed_or_a_wrong_answer(server, twins):
    port, snapshots, log = server
    right = []
    for number in (0, 1):
        index = twins.indexes[number].load()
        right.append({question: _answer(index, question, port) for question in QUESTIONS})
    assert right[0] != right[1]
    made_from = {snapshots.current(): 0}
    over = threading.Event()
    clients = [Client(port, over) for _ in range(CONNECTIONS)]
    for client in clients:
        client.start()
    try:
        for turn in range(1, PUBLICATIONS + 1):
            time.sleep(APART)
            if turn == PUBLICATIONS:  # a rollback is a publication too
                last = indexes(twins.books[0], snapshots.folder).rollback()
            else:
                last = publish_copy(snapshots, twins.built[turn % 2])
                made_from[last] = turn % 2
            until(partial(_answered_from, last, clients), told=log.read_text)
        time.sleep(APART)
    finally:
        over.set()
        for client in clients:
            client.join()
    assert [failure for client in clients for failure in client.failed] == []
    for client in clients:
        for question, body in client.answers:
            assert {**body, "index": None} == right[made_from[body["index"]]][question]
    assert {body["index"] for client in clients for _, body in client.answers} == set(made_from)
    until(
        lambda: all(
            _ask(HTTPConnection("127.0.0.1", port), QUESTIONS[0])[1]["index"] == last
            for _ in range(20)
        ),
        told=log.read_text,
    )
    print(sum(len(client.answers) for client in clients), "answers")


def test_a_publication_leaves_hardly_more_memory_in_use_than_there_was_before(twins, tmp_path):
    snapshots = Snapshots(tmp_path / "index")
    publish_copy(snapshots, twins.built[0])
    with serving(
        twins.books[0],
        snapshots.folder,
        tmp_path / "log",
        rate_limit="none",
        watch=0.2,
        workers=2,
        builds=False,
    ) as served:
        before = _used_after_questions(served)
        for turn in (1, 0, 1):
            last = publish_copy(snapshots, twins.built[turn])
            until(partial(_serves, served, last), told=served.log.read_text)
            assert _used_after_questions(served) <= 1.1 * before, served.log.read_text()


def _used_after_questions(served):
    """The memory of all processes once each has answered some questions."""
    for _ in range(20):
        for question in QUESTIONS:
            assert _ask(HTTPConnection("127.0.0.1", served.port), question)[0] == 200
    return served.memory()


def _serves(served, id):
    """Whether both processes are there and one answers from the index ``id``."""
    connection = HTTPConnection("127.0.0.1", served.port)
    connection.request("GET", "/readyz")
    index = json.loads(connection.getresponse().read())["index"]
    return index == id and len(served.workers()) == 2
