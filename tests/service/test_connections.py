import json
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest
import uvicorn

from service.ops.settings import Settings
from service.web.server.connections import network
from service.web.server.http_server import CannotListen, connection_pool, listen, options
from service.web.server.wsgi_bridge import WsgiBridge
from tests.timing import until

LARGE = 8 * 1024 * 1024  # bytes of a response: more than the kernel holds for a client


class Application:
    """Says how often it was called, and answers by the address: at once, late, or with much."""

    def __init__(self):
        self.calls: list[str] = []
        self.go = threading.Event()

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        self.calls.append(path)
        if path == "/late":
            assert self.go.wait(20)
        body = b"x" * LARGE if path == "/large" else environ["wsgi.input"].read() or b"here"
        start_response(
            "200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))]
        )
        return [body]


@contextmanager
def served(**said):
    """A server in a thread of this process: its port, and the application."""
    settings = Settings(**said)
    application = Application()
    listener = listen("127.0.0.1", 0)
    bridge = WsgiBridge(application, settings)
    server = uvicorn.Server(
        uvicorn.Config(bridge, **options(bridge, settings, connection_pool(settings)))
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    port = listener.getsockname()[1]
    thread.start()
    try:
        yield port, application
    finally:
        application.go.set()
        server.should_exit = server.force_exit = True
        thread.join(10)


def send(port, data):
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    client.sendall(data)
    return client


def rest(client):
    with suppress(ConnectionResetError):
        return b"".join(iter(lambda: client.recv(65536), b""))
    return b""


def ask(port, path="/", header="Host: x"):
    with send(
        port, f"GET {path} HTTP/1.1\r\n{header}\r\nConnection: close\r\n\r\n".encode()
    ) as client:
        return rest(client)


def test_clients_that_never_end_their_request_hold_nobody_up_and_are_told():
    with served(read_timeout=1.0, threads=1) as (port, application):
        slow = [
            send(port, b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab")
            for _ in range(50)
        ]
        slow += [send(port, b"GET / HTTP/1.1\r\nHo") for _ in range(50)]
        assert ask(port).startswith(b"HTTP/1.1 200 ")
        assert application.calls == ["/"]
        answers = [rest(client) for client in slow]
        assert all(answer.startswith(b"HTTP/1.1 408 ") for answer in answers)
        assert (
            json.loads(answers[0].partition(b"\r\n\r\n")[2])["type"]
            == "urn:regula:problem:too-slow"
        )
        assert application.calls == ["/"]


def test_whose_question_is_too_long_for_an_address_is_told_how_long_it_may_be():
    with served() as (port, _):

        def detail(path, header="Host: x"):
            head, _, body = ask(port, path, header).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 414 ")
            return str(json.loads(body)["detail"])

        asked = f"/v1/ask?k=3&q={'x' * 20_000}"
        assert detail(asked).startswith("The question has 20,000 characters; 2,000 are the most.")
        assert "POST" in detail(asked)
        german = detail(asked, "Host: x\r\nAccept-Language: de-AT, en;q=0.3")
        assert german.startswith("Die Frage hat 20.000 Zeichen; höchstens 2.000 sind möglich.")
        assert "POST" in german
        within = detail(f"/v1/message?q={'%C3%A4' * 1_900}")  # short enough, but for an address
        assert "2,000" in within
        assert "POST" in within
        assert "POST" in detail(f"/v1/editions?x={'x' * 9_000}")


def test_a_byte_now_and_then_gains_no_time():
    with served(read_timeout=0.5) as (port, _):
        client = send(port, b"GET / HTTP/1.1\r\n")
        begun = time.monotonic()
        with suppress(OSError):
            while time.monotonic() < begun + 20:
                client.sendall(b"X-A: b\r\n")
                client.settimeout(0.1)
                with suppress(TimeoutError):
                    assert client.recv(65536).startswith(b"HTTP/1.1 408 ")
                    break
        assert time.monotonic() - begun < 10


def test_who_takes_no_response_is_cut_off_and_has_no_further_ones_made():
    with served(write_timeout=0.5) as (port, application):
        client = send(port, b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
        until(lambda: application.calls.count("/large") >= 1)
        assert ask(port).startswith(b"HTTP/1.1 200 ")
        time.sleep(1.5)
        assert application.calls.count("/large") <= 2
        assert len(rest(client)) < 2 * LARGE
        assert ask(port).startswith(b"HTTP/1.1 200 ")  # the process lives


def test_many_who_take_no_response_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("service.web.server.connections.MOST_UNSENT", 5 * LARGE)
    with served(write_timeout=30) as (port, application):
        clients = [send(port, b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(12)]
        until(lambda: application.calls.count("/large") == 12)
        assert ask(port).startswith(b"HTTP/1.1 200 ")
        for client in clients:  # all responses have begun
            with suppress(ConnectionResetError):
                client.recv(1, socket.MSG_PEEK)
        time.sleep(0.2)
        got = [taken(client) for client in clients]
        assert (
            4 <= sum(size >= LARGE for size in got) <= 6
        )  # the last ones; those before them were cut off


def taken(client):
    """How much of a large response comes, all of it or until the connection is cut off."""
    size = 0
    with suppress(ConnectionResetError):
        while size < LARGE and (part := client.recv(1 << 20)):
            size += len(part)
    return size


def test_who_takes_a_large_response_slowly_but_steadily_gets_all_of_it():
    with served(write_timeout=1.0) as (port, _):
        client = send(port, b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        size, begun = 0, time.monotonic()
        while part := client.recv(256 * 1024):
            size += len(part)
            time.sleep(0.08)
        assert time.monotonic() - begun > 2.0
        assert size > LARGE


def test_one_address_has_no_more_connections_than_it_may_and_slow_ones_make_room():
    with served(connections_per_client=5, read_timeout=20) as (port, application):
        slow = [send(port, b"GET /") for _ in range(5)]
        assert ask(port).startswith(b"HTTP/1.1 200 ")
        assert rest(slow[0]).startswith(b"HTTP/1.1 429 ")  # the one that has been at it for longest
        waiting = [
            send(port, b"GET /late HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            for _ in range(5)
        ]
        until(lambda: application.calls.count("/late") >= 4)  # as many as there are threads
        refused = rest(send(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
        assert refused.startswith(b"HTTP/1.1 429 ")
        assert b"Retry-After" in refused
        application.go.set()
        assert all(rest(client).startswith(b"HTTP/1.1 200 ") for client in waiting)
        assert ask(port).startswith(b"HTTP/1.1 200 ")


def test_behind_a_proxy_its_connections_are_not_counted():
    with served(connections_per_client=2, trusted_proxies=1, read_timeout=20) as (port, _):
        slow = [send(port, b"GET /") for _ in range(8)]
        assert ask(port).startswith(b"HTTP/1.1 200 ")
        for client in slow:
            client.sendall(b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert all(rest(client).startswith(b"HTTP/1.1 200 ") for client in slow)


def test_a_client_that_says_it_sends_no_more_still_gets_its_answer():
    with served() as (port, application):
        client = send(port, b"GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        until(lambda: application.calls == ["/late"])
        time.sleep(0.1)
        application.go.set()
        assert rest(client).endswith(b"here")


def test_a_small_response_comes_in_one_piece():
    with served() as (port, _):
        client = send(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        piece = client.recv(65536)
        assert piece.startswith(b"HTTP/1.1 200 ")
        assert piece.endswith(b"\r\n\r\nhere")


def test_a_body_in_chunks_is_read_whole():
    with served() as (port, _):
        client = send(
            port,
            b"POST /v1/ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: "
            b"close\r\n\r\n3\r\nabc\r\n",
        )
        client.sendall(b"2\r\nde\r\n0\r\n\r\n")
        assert rest(client).endswith(b"\r\n\r\nabcde")


def test_requests_one_after_the_other_on_one_connection_are_answered_in_their_order():
    with served() as (port, application):
        head = b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n"
        client = send(
            port,
            b"".join(head % n for n in range(9))
            + b"GET /9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        )
        assert rest(client).count(b"HTTP/1.1 200 OK") == 10
        assert application.calls == [f"/{n}" for n in range(10)]


def test_what_takes_long_does_not_keep_questions_from_a_thread():
    with served(threads=2) as (port, application):
        long = [
            send(port, b"GET /compare/../late HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            for _ in range(20)
        ]
        assert ask(port, "/v1/ask").startswith(b"HTTP/1.1 200 ")
        for client in long:
            client.close()
        assert "/v1/ask" in application.calls


def test_a_request_that_takes_too_long_is_given_up_and_the_process_is_told():
    stuck = threading.Event()
    settings = Settings(request_timeout=1)
    application = Application()
    bridge = WsgiBridge(application, settings, stuck.set)
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(bridge, **options(bridge, settings, connection_pool(settings)))
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        answer = ask(listener.getsockname()[1], "/late")
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert stuck.wait(60)
    finally:
        application.go.set()
        server.should_exit = server.force_exit = True
        thread.join(10)


def test_a_port_that_is_taken_is_said_with_what_to_do():
    with (
        listen("127.0.0.1", 0) as taken,
        pytest.raises(CannotListen, match=r"cannot be listened at .*--port"),
    ):
        listen("127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::7", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_an_ipv6_client_is_the_network_it_is_in(address, client):
    assert network(address) == client
