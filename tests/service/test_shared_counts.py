import logging
import threading
import time
from collections.abc import Iterator

import pytest

from service.ops.settings import SettingError, Settings
from service.web import counts
from service.web.app import create_app
from tests.service.harbour import Harbour, Indexes, library
from tests.service.redis_server import RedisServer, redis_server
from tests.service.serving import free_port

pytestmark = pytest.mark.acceptance

ASK = "/v1/ask?q=Flaute"


@pytest.fixture
def server(tmp_path) -> Iterator[RedisServer]:
    with redis_server(tmp_path / "redis", "hunter2") as found:
        yield found


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """On a busy machine Redis may take longer than a service should wait for it."""
    monkeypatch.setattr(counts, "TIMEOUT", 20)


def client(address, limit="4/minute", **said):
    return create_app(
        Indexes(Harbour(library())), Settings(rate_storage=address, rate_limit=limit, **said)
    ).test_client()


def asked(client, times):
    return [client.get(ASK).status_code for _ in range(times)]


def test_two_services_count_together(server):
    one, other = client(server.address), client(server.address)
    assert asked(one, 2) + asked(other, 3) + asked(one, 1) == [200, 200, 200, 200, 429, 429]
    refused = other.get(ASK)
    assert 0 < int(refused.headers["Retry-After"]) <= 61
    assert refused.headers["X-RateLimit-Remaining"] == "0"


def test_a_window_moves(server):
    one = client(server.address, "2/2 seconds")
    assert asked(one, 3) == [200, 200, 429]
    time.sleep(2.1)
    assert asked(one, 3) == [200, 200, 429]


@pytest.mark.parametrize("jump", [-3600.0, 3600.0], ids=["behind", "ahead"])
def test_a_machine_whose_clock_is_wrong_counts_like_the_others(server, jump, monkeypatch):
    right, wrong = client(server.address), client(server.address)
    clock = time.time
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: clock() + jump)
        assert asked(wrong, 3) == [200, 200, 200]
        assert 0 < int(wrong.get(ASK).headers["X-RateLimit-Reset"]) - time.time() <= 61
    assert asked(right, 2) == [429, 429]


def test_a_clock_of_redis_that_is_set_back_shuts_nobody_out(server):
    one = client(server.address)
    assert asked(one, 5) == [200, 200, 200, 200, 429]
    with server.client() as redis_client:
        (key,) = redis_client.keys("*")
        times = [float(each) + 3600 for each in redis_client.lrange(key, 0, -1)]
        redis_client.delete(key)
        redis_client.rpush(key, *times)
    assert asked(one, 5) == [200, 200, 200, 200, 429]


@pytest.mark.parametrize("end", ["kill", "hang"])
def test_without_redis_each_counts_for_itself_and_no_request_fails(
    server, end, monkeypatch, caplog
):
    monkeypatch.setattr(counts, "_AGAIN", 0.5)
    monkeypatch.setattr(counts, "TIMEOUT", 0.5)
    one = client(server.address, "1000/minute")
    caplog.set_level(logging.INFO, "regula")
    found: list[tuple[int, float]] = []
    over = threading.Event()

    def ask():
        asking = one.application.test_client()
        while not over.is_set():
            began, address = time.monotonic(), f"192.0.2.{len(found) % 250}"
            status = asking.get(ASK, environ_base={"REMOTE_ADDR": address}).status_code
            found.append((status, time.monotonic() - began))
            time.sleep(0.005)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    getattr(server, end)()
    time.sleep(4)
    down = len(found)
    server.start() if end == "kill" else server.go_on()
    time.sleep(1.5)
    over.set()
    for thread in threads:
        thread.join()
    assert len(found) > down > 50
    assert {status for status, _ in found} == {200}
    assert max(seconds for _, seconds in found) < 3.0
    said = [record.getMessage() for record in caplog.records if record.name == "regula"]
    assert [line.partition(" (")[0].partition(";")[0] for line in said if "counts" in line] == [
        f"the counts of calls at redis://***@127.0.0.1:{server.port}/0 cannot be reached",
        f"the counts of calls at redis://***@127.0.0.1:{server.port}/0 can be reached again",
    ]
    assert "hunter2" not in caplog.text


def test_limits_hold_in_each_process_while_redis_is_away(server, monkeypatch):
    monkeypatch.setattr(counts, "_AGAIN", 0.2)
    one, other = client(server.address), client(server.address)
    assert asked(one, 5) == [200, 200, 200, 200, 429]
    server.kill()
    for each in (one, other):
        assert asked(each, 5) == [200, 200, 200, 200, 429]
    server.start()
    time.sleep(0.3)
    assert one.get(ASK).status_code == 429  # as Redis has it still
    with server.client() as redis_client:
        redis_client.flushall()
    assert asked(one, 2) + asked(other, 3) == [200, 200, 200, 200, 429]


def test_a_service_starts_without_redis_and_counts_there_once_it_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(counts, "_AGAIN", 0.2)
    with redis_server(tmp_path / "redis") as server:
        server.kill()
        one = client(server.address)
        assert asked(one, 5) == [200, 200, 200, 200, 429]
        server.start()
        time.sleep(0.3)
        assert asked(one, 5) == [200, 200, 200, 200, 429]
        with server.client() as redis_client:
            assert redis_client.keys("*")


def test_redis_that_does_not_let_in_is_as_one_that_is_away(server, caplog):
    one = client(server.address.replace("hunter2", "hunter3"))
    assert asked(one, 5) == [200, 200, 200, 200, 429]
    assert "cannot be reached" in caplog.text
    assert "hunter3" not in caplog.text


def test_without_the_package_the_setting_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "redis", None)
    with pytest.raises(SettingError, match=r"rate_storage: .*regula\[redis\]"):
        client(f"redis://127.0.0.1:{free_port()}")
