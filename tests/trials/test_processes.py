import asyncio
import faulthandler
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError

import psutil
import pytest

from index.building.snapshots import Snapshots
from service.web.server.http_server import LoopWatch
from tests.index.small_indexes import QUESTIONS, ROOT, publish_copy
from tests.service.serving import started
from tests.timing import until
from tests.trials.clients import asking, questions

HOLDING = "from tests.tasks import serve_and_hold; serve_and_hold()"
STUCK = 4  # seconds without a sign of life after which a process counts as stuck, in these tests
KILLS = max(
    3, int(os.environ.get("REGULA_KILLS", "0")) // 20
)  # of parents; each takes some seconds
FREE = 20.0  # seconds in which the port has to be free; a stuck process would hold it for good
COMPARISON = "/v1/compare/pegelwacht-de-1.0/pegelwacht-de-1.1/xlsx"


@pytest.fixture
def small(twins_folder, tmp_path) -> tuple[Path, Path]:
    """A small rulebook, and a folder with an index that fits it."""
    snapshots = Snapshots(tmp_path / "index")
    (built,) = (path.parent for path in (twins_folder / "index0").glob("*/manifest.json"))
    publish_copy(snapshots, built)
    return twins_folder / "books" / "one", snapshots.folder


def get(served, path, id="x", timeout=60.0):
    """The status and the id of the response to one request, 0 and "" where there was none."""
    request = urllib.request.Request(served.address + path, headers={"X-Request-ID": id})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, response.headers["X-Request-ID"]
    except HTTPError as refused:
        return refused.code, refused.headers["X-Request-ID"]
    except OSError:
        return 0, ""


@contextmanager
def running(*given, **named):
    """A service that answers, and nothing of it afterwards, whatever has become of it."""
    served = started(*given, **named)
    below: list[psutil.Process] = []
    try:
        until(
            lambda: get(served, "/readyz")[0] == 200 or served.process.poll() is not None,
            300,
            served.log.read_text,
        )
        assert served.process.poll() is None, served.log.read_text()
        below = psutil.Process(served.process.pid).children(recursive=True)
        yield served
    finally:
        with suppress(psutil.Error):
            below += psutil.Process(served.process.pid).children(recursive=True)
        served.process.kill()
        served.process.wait()
        for each in below:
            with suppress(psutil.Error):
                each.kill()


def can_be_listened_at(port):
    with socket.socket() as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(("127.0.0.1", port))
            found.listen()
        except OSError:
            return False
    return True


def gone(process):
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    return True


def log_lines(served):
    return [json.loads(line) for line in served.log.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    "command", [("serve", "--production"), ("serve",)], ids=["processes", "alone"]
)
@pytest.mark.parametrize(
    "times", [pytest.param(1, id="short"), pytest.param(KILLS, id="long", marks=pytest.mark.trial)]
)
def test_the_port_is_free_and_nothing_is_left_when_a_service_is_killed_under_load(
    sample_snapshots, tmp_path, command, times
):
    from tests.conftest import SAMPLE

    publish_copy(
        Snapshots(tmp_path / "index"), sample_snapshots.path(str(sample_snapshots.current()))
    )
    choice, slowest = random.Random(2), 0.0
    for _ in range(times):
        shutil.rmtree(tmp_path / "index" / ".rendered", ignore_errors=True)
        with running(
            SAMPLE,
            tmp_path / "index",
            tmp_path / "log",
            command=command,
            rate_limit="none",
            answers_kept=0,
        ) as served:
            slowest = max(slowest, seconds_until_free(served, choice.uniform(0.5, 3.0)))
    print(f"{times} killed: port free after {slowest:.1f} s at most")


def seconds_until_free(served, moment):
    """Kill a service that answers questions and works out a comparison, after so many seconds; how
    long its port was taken.
    """
    with ThreadPoolExecutor(1) as one, asking(served.port, questions(QUESTIONS), 4):
        export = one.submit(get, served, COMPARISON)
        time.sleep(moment)
        below = psutil.Process(served.process.pid).children(recursive=True)
        served.process.kill()
        served.process.wait()
        taken = until(lambda: can_be_listened_at(served.port), FREE, served.log.read_text)
        until(
            lambda: all(map(gone, below)), told=lambda: [each for each in below if not gone(each)]
        )
    assert export.done()
    return taken


def test_a_process_that_is_stuck_when_its_parent_is_killed_does_not_hold_the_port(small, tmp_path):
    with (
        running(
            *small, tmp_path / "log", {"REGULA_SIGN_OF_LIFE": "30"}, program=HOLDING, workers=2
        ) as served,
        ThreadPoolExecutor(1) as one,
    ):
        workers = served.workers()
        used = {worker: worker.cpu_times().user for worker in workers}
        held = one.submit(get, served, "/v1/suggest?q=hold")
        until(lambda: any(worker.cpu_times().user > used[worker] + 1 for worker in workers))
        served.process.kill()
        served.process.wait()
        until(lambda: can_be_listened_at(served.port), FREE, served.log.read_text)
        assert held.result()[0] == 0
        until(lambda: all(map(gone, workers)))


def test_a_service_alone_that_is_stuck_says_where_and_ends_when_it_is_told(small, tmp_path):
    with (
        running(
            *small, tmp_path / "log", {"REGULA_SIGN_OF_LIFE": str(STUCK)}, ("serve",), HOLDING
        ) as served,
        ThreadPoolExecutor(1) as one,
    ):
        held = one.submit(get, served, "/v1/suggest?q=hold")
        until(lambda: get(served, "/healthz", timeout=1)[0] == 0)
        served.process.send_signal(signal.SIGTERM)
        served.process.wait(120)  # a thread keeps the interpreter for good
        assert held.result()[0] == 0
        assert "in hold" in served.log.read_text()


def test_a_service_alone_ends_when_it_is_told_whatever_a_thread_waits_for(small, tmp_path):
    with (
        running(
            *small,
            tmp_path / "log",
            {"REGULA_SIGN_OF_LIFE": "30"},
            ("serve",),
            HOLDING,
            graceful_timeout=1,
        ) as served,
        ThreadPoolExecutor(1) as one,
    ):
        one.submit(get, served, "/v1/suggest?q=wait", timeout=20)
        time.sleep(1)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(45) is not None  # it waits a minute


def test_an_interpreter_that_one_thread_keeps_to_itself_says_where_and_ends():
    code = (
        "from service.web.server.http_server import watch_interpreter; watch_interpreter(1.0)\n"
        "import re; re.match('(a+)+$', 'a' * 99 + 'b')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1
    assert "in match" in done.stderr


def test_signs_of_life_do_not_wait_for_the_time_of_day(monkeypatch):
    beats: list[float] = []
    clock = time.time
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda *_, **__: None)
    monkeypatch.setattr(time, "time", lambda: clock() - (3600 if beats else 0))

    async def live():
        watch = LoopWatch(30, 2, lambda: beats.append(time.monotonic()))
        await watch.start()
        await watch.start()
        await asyncio.sleep(2.5)

    with ThreadPoolExecutor(1) as pool:  # browser tests leave a loop running in this thread
        pool.submit(asyncio.run, live()).result()
    assert 1 < len(beats) <= 3  # three, where no other process delays the second


def test_of_requests_that_were_lost_the_log_says_which_and_where_they_were(small, tmp_path):
    with (
        running(
            *small,
            tmp_path / "log",
            {"REGULA_SIGN_OF_LIFE": str(STUCK)},
            program=HOLDING,
            request_timeout=8,
            workers=2,
        ) as served,
        ThreadPoolExecutor(4) as clients,
    ):
        held = clients.submit(get, served, "/v1/suggest?q=hold", "held-one")
        until(lambda: any(line.get("request") == "held-one" for line in log_lines(served)))
        waiting = clients.submit(get, served, "/v1/suggest?q=wait", "killed-one")
        time.sleep(2)
        for worker in served.workers():
            worker.kill()
        until(lambda: any(line.get("request") == "killed-one" for line in log_lines(served)))
        assert held.result()[0] == waiting.result()[0] == 0
        until(lambda: get(served, "/healthz")[0] == 200)
        assert get(served, "/v1/suggest?q=wait", "slow-one") == (503, "slow-one")
        until(lambda: get(served, "/healthz")[0] == 200)
        lines = log_lines(served)
        counted = urllib.request.urlopen(f"{served.address}/metrics").read().decode()
    for id, least in (("held-one", STUCK - 1), ("killed-one", 1), ("slow-one", 7)):
        (said,) = [line for line in lines if line.get("request") == id]
        assert (said["method"], said["route"], said["level"]) == ("GET", "/v1/suggest", "ERROR")
        assert said["seconds"] > least
        assert id in said["message"]
    stacks = [line["stack_info"] for line in lines if "stack_info" in line]
    assert ["in hold" in stack for stack in stacks] == [True, True]
    assert [
        "re.match" in stacks[0] or "re/__init__.py" in stacks[0],
        "time.sleep(60)" in stacks[1],
    ] == [True, True]
    assert "q=" not in served.log.read_text()
    for reason, least in (("no sign of life", 1), ("killed", 1), ("request timeout", 1)):
        (found,) = [
            line
            for line in counted.splitlines()
            if line.startswith(f'regula_worker_restarts_total{{reason="{reason}"}}')
        ]
        assert float(found.rpartition(" ")[2]) >= least
