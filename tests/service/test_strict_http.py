import json
import random
import socket

import pytest

from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library
from tests.service.test_connections import rest, send, served

POST, CLOSE = b"POST / HTTP/1.1\r\nHost: x\r\n", b"Connection: close\r\n"
CHUNKED = POST + CLOSE + b"Transfer-Encoding: chunked\r\n\r\n"
TWO_LENGTHS = {
    "both": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "both, the other way round": POST
    + b"transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n",
    "the length twice": POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nab",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
    "a list of lengths": POST + b"Content-Length: 2, 2\r\n\r\nab",
    "a length with a sign": POST + b"Content-Length: +2\r\n\r\nab",
    "a negative length": POST + b"Content-Length: -2\r\n\r\nab",
    "a length in hexadecimal": POST + b"Content-Length: 0x2\r\n\r\nab",
    "a length of blanks": POST + b"Content-Length: 2 2\r\n\r\nab",
    "no length": POST + b"Content-Length:\r\n\r\nab",
    "a length of 5,000 figures": POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nab",
    "chunked twice": POST
    + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "another coding": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "no coding": POST + b"Transfer-Encoding: identity\r\n\r\n",
    "a hidden coding": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "a blank before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "chunks of HTTP/1.0": b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
}
LINE_ENDS = {
    "line feeds alone": b"GET / HTTP/1.1\nHost: x\n\n",
    "one behind the first line": b"GET / HTTP/1.1\nHost: x\r\n\r\n",
    "one at the end": b"GET / HTTP/1.1\r\nHost: x\r\n\n",
    "one in a header": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\nTransfer-Encoding: chunked\r\n\r\n",
    "a carriage return in a header": (
        b"GET / HTTP/1.1\r\nHost: x\r\nA: b\rTransfer-Encoding: chunked\r\n\r\n"
    ),
    "carriage returns alone": b"GET / HTTP/1.1\rHost: x\r\r",
    "two carriage returns": b"GET / HTTP/1.1\r\nHost: x\r\r\n\r\n",
    "one behind the last chunk": CHUNKED + b"2\r\nab\r\n0\r\n\n",
    "one behind a size": CHUNKED + b"2\nab\r\n0\r\n\r\n",
    "one in what a chunk says besides": CHUNKED + b"2;a\nab\r\n0\r\n\r\n",
    "one behind a chunk": CHUNKED + b"2\r\nab\n0\r\n\r\n",
    "one in a trailer": CHUNKED + b"2\r\nab\r\n0\r\nA: b\nC: d\r\n\r\n",
}
OTHERS = {
    "a header in two lines": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
    "the same by a tabulator": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\tc\r\n\r\n",
    "the first in two lines": b"GET / HTTP/1.1\r\n Host: x\r\n\r\n",
    "a trailer in two lines": CHUNKED + b"2\r\nab\r\n0\r\nA: b\r\n c\r\n\r\n",
    "NUL": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n",
    "another control character": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\7c\r\n\r\n",
    "a deleted character": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\x7fc\r\n\r\n",
    "a header without a name": b"GET / HTTP/1.1\r\nHost: x\r\n: c\r\n\r\n",
    "a header without a colon": b"GET / HTTP/1.1\r\nHost: x\r\nAbc\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    "HTTP/0.9": b"GET /\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "small letters": b"GET / http/1.1\r\nHost: x\r\n\r\n",
    "a negative chunk": CHUNKED + b"-2\r\nab\r\n0\r\n\r\n",
    "a chunk in another notation": CHUNKED + b"0x2\r\nab\r\n0\r\n\r\n",
    "an endless chunk": CHUNKED + b"f" * 30 + b"\r\nab\r\n0\r\n\r\n",
    "a chunk that is longer than it says": CHUNKED + b"2\r\nabc\r\n0\r\n\r\n",
    "an address with a user": b"GET http://a@y/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "an address that is none": b"GET http://[/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "an address of another kind": b"GET ftp://y/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "a host alone": b"CONNECT y:80 HTTP/1.1\r\nHost: x\r\n\r\n",
}
FINE = {
    "a tabulator in a value": b"GET /fine HTTP/1.1\r\nHost: x\r\nA: b\tc\r\n" + CLOSE + b"\r\n",
    "other letters in a value": "GET /fine HTTP/1.1\r\nHost: x\r\nA: ä\r\n".encode()
    + CLOSE
    + b"\r\n",
    "a whole address": b"GET http://y/fine HTTP/1.1\r\nHost: x\r\n" + CLOSE + b"\r\n",
    "HTTP/1.0": b"GET /fine HTTP/1.0\r\n\r\n",
    "chunks": CHUNKED.replace(b"/ ", b"/fine ") + b"2;a=b\r\nab\r\n0\r\nA: b\r\n\r\n",
    "line feeds in a body": b"POST /fine HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
    + CLOSE
    + b"\r\n\n\n a",
}


@pytest.fixture(scope="module")
def server():
    with served(read_timeout=20) as found:
        yield found


def answered(port, raw, *sizes):
    """What is answered to ``raw``, which is sent in parts of these ``sizes``, then whole."""
    with send(port, b"") as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for size in sizes:
            client.sendall(raw[:size])
            raw = raw[size:]
        client.sendall(raw)
        client.shutdown(socket.SHUT_WR)
        return rest(client)


@pytest.mark.parametrize("name", [*TWO_LENGTHS, *LINE_ENDS, *OTHERS])
def test_what_could_be_divided_in_two_ways_is_refused(server, name):
    port, application = server
    raw = {**TWO_LENGTHS, **LINE_ENDS, **OTHERS}[name]
    cut = random.Random(name).randrange(1, len(raw))
    for sizes in ((), (cut,)):
        application.calls.clear()
        answer = answered(port, raw, *sizes)
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 "), answer
        assert json.loads(body)["status"] == 400
        assert application.calls == []


@pytest.mark.parametrize("name", FINE)
def test_all_others_are_read_as_ever(server, name):
    port, application = server
    for sizes in ((), *((cut,) for cut in range(1, len(FINE[name]), 7))):
        application.calls.clear()
        assert answered(port, FINE[name], *sizes).startswith(b"HTTP/1.1 200 ")
        assert application.calls == ["/fine"]


def test_a_doubtful_request_behind_a_good_one_is_refused(server):
    port, application = server
    good = b"GET /first HTTP/1.1\r\nHost: x\r\n\r\n"
    for raw in (*TWO_LENGTHS.values(), *LINE_ENDS.values()):
        application.calls.clear()
        with send(port, good + raw) as client:
            answer = rest(client)
        assert application.calls == ["/first"]
        assert answer.count(b"HTTP/1.1 200 ") == answer.count(b"HTTP/1.1 400 ") == 1


def test_a_bare_line_feed_is_refused_before_the_rest_has_come(server):
    port, _ = server
    with send(port, b"GET / HTTP/1.1\nHost: x\n\n") as client:
        client.settimeout(10)
        assert client.recv(65536).startswith(b"HTTP/1.1 400 ")


def test_a_whole_address_is_taken_for_its_path_at_its_host():
    with served(threads=1) as (
        port,
        application,
    ):  # questions do not wait for what takes long, whatever form its address has
        long = [
            send(port, b"GET http://y/compare/../late HTTP/1.1\r\nHost: x\r\n\r\n")
            for _ in range(3)
        ]
        assert answered(port, b"GET /v1/ask HTTP/1.1\r\nHost: x\r\n" + CLOSE + b"\r\n").startswith(
            b"HTTP/1.1 200 "
        )
        for client in long:
            client.close()
        assert "/v1/ask" in application.calls


def test_the_route_of_a_request_is_told_for_the_log_without_what_is_asked():
    app = create_app(Indexes(Harbour(library())))
    assert app.route_of("GET", "/v1/ask") == "/v1/ask"
    assert app.route_of("GET", "/e/sternenhafen-de-1.0/flaute") == "/e/<path:entry_id>"
    assert app.route_of("GET", "/nothing/of/the/kind") == "none"
    assert app.route_of("PUT", "/v1/ask") == "none"
