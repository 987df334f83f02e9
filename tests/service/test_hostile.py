import json
import re
import socket
import time
from contextlib import suppress

import pytest

from tests.service.hostile import RAW
from tests.service.serving import serving

pytestmark = pytest.mark.acceptance

SOON = 1.0  # seconds
# Seconds that a client may take to send its request; one on a busy machine needs half a second at
# times
READ = 1.0
INSIDE = re.compile(
    rb"Traceback|File "
    rb"\"|site-packages|\.py\b|/home/|/usr/|root:|Werkzeug|werkzeug|gunicorn/|pydantic|KeyError|ValueError"
)


@pytest.fixture(scope="module")
def served(sample_snapshots, tmp_path_factory):
    from tests.conftest import SAMPLE

    log = tmp_path_factory.mktemp("hostile") / "log"
    with serving(
        SAMPLE,
        sample_snapshots.folder,
        log,
        rate_limit="none",
        read_timeout=READ,
        workers=2,
        watch=0,
        answers_kept=0,
    ) as found:
        yield found


@pytest.mark.parametrize("raw", RAW)
def test_what_is_no_http_is_told_so(served, raw):
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as client:
        client.sendall(raw)
        client.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert answer or b"\n" not in raw  # whoever hangs up in the middle of the first line gets none
    if answer:
        assert head.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")), answer
        assert not INSIDE.search(answer)
        assert json.loads(body)["status"] >= 400


def test_a_request_that_arrived_while_the_process_was_held_up_is_answered(served):
    workers = served.workers()
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        time.sleep(0.2 * READ)  # until a process has taken the connection
        try:
            for worker in workers:
                worker.suspend()
            client.sendall(b"Connection: close\r\n\r\n")
            time.sleep(READ + SOON)
        finally:
            for worker in workers:
                worker.resume()
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200 "), answer


def test_a_client_that_never_begins_is_cut_off(served):
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as client:
        since = time.monotonic()
        answer = b"".join(iter(lambda: client.recv(65536), b""))
        assert (
            time.monotonic() - since <= 10 * READ
        )  # it is looked at twice in the time allowed, and the machine is busy
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_request_hidden_behind_a_body_that_is_too_large_is_not_answered(served):
    hidden = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    size = 700_000
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as client:
        head = (
            "POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Type: "
            f"application/json\r\nContent-Length: {size}\r\n\r\n"
        )
        answer = b""
        with suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(head.encode() + hidden + b"x" * (size - len(hidden)))
            answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert answer.count(b"HTTP/1.1") <= 1
    assert b'"status":"ok"' not in answer
