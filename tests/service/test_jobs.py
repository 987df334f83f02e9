import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psutil
import pytest
from flask.testing import FlaskClient

from index.building.snapshots import Snapshots
from service.core.jobs import page_pictures, stored_works
from service.core.jobs.queue import CURRENT_BUDGET, JobBudget, JobQueue
from service.core.problems import Problem
from service.ops.indexes import IndexManager
from service.ops.settings import Locations
from service.web.app import create_app
from tests.conftest import ROOT, SAMPLE
from tests.tasks import die
from tests.timing import until

OLD, NEW = "pegelwacht-de-1.0", "pegelwacht-de-1.1"

ENDS = 30  # seconds until a helper has ended; one that nobody ends has a minute of work

LONG = """
import sys
from pathlib import Path
from service.core.jobs.queue import CURRENT_BUDGET, JobBudget
from service.core.jobs.queue import JobQueue
from tests.tasks import linger

if __name__ == "__main__":
    JobQueue().run(linger, Path(sys.argv[1]))
"""


@contextmanager
def budget(seconds):
    """Inside, a request may wait so many ``seconds`` for jobs."""
    token = CURRENT_BUDGET.set(JobBudget(seconds))
    try:
        yield CURRENT_BUDGET.get()
    finally:
        CURRENT_BUDGET.reset(token)


def gone(pid):
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except (
        psutil.NoSuchProcess
    ):  # asked first whether there is one, it could end before its state is read
        return True


@pytest.fixture
def helped() -> Iterator[JobQueue]:
    made = JobQueue(limit=120, idle=2)
    yield made
    if made.pid:
        psutil.Process(made.pid).kill()


@pytest.fixture
def client(own_index, monkeypatch) -> FlaskClient:
    monkeypatch.setattr(
        stored_works, "_flights", cache(stored_works._Flights)
    )  # nobody remembers what failed in another test
    indexes = IndexManager(Locations(SAMPLE, own_index, True))
    indexes.load()
    return create_app(indexes).test_client()


def test_a_job_runs_in_a_process_behind_all_others_that_ends_when_there_is_no_more_to_do(helped):
    pid = helped.run(os.getpid)
    assert pid == helped.pid
    assert psutil.Process(pid).nice() >= min(os.nice(0) + 10, 19)
    assert helped.run(os.getpid) == pid
    until(lambda: gone(pid), ENDS)
    assert helped.run(os.getpid) not in (pid, os.getpid())


def test_jobs_that_a_reader_waits_for_go_before_the_others():
    both = JobQueue(idle=2.0), page_pictures._queue()
    others, pictures = (psutil.Process(each.run(os.getpid)).nice() for each in both)
    assert os.nice(0) < pictures < others


def test_a_job_whose_helper_is_killed_is_done_by_another(helped, tmp_path):
    assert helped.run(die, tmp_path / "died", 1) == "done"


def test_a_job_that_kills_every_helper_is_given_up(helped, tmp_path):
    with pytest.raises(Problem) as raised:
        helped.run(die, tmp_path / "died", 9)
    assert raised.value.status == 503
    assert len((tmp_path / "died").read_text()) == 2
    assert helped.run(len, "abc") == 3


def test_a_job_that_takes_too_long_is_given_up_and_its_helper_ended():
    helped = JobQueue(limit=120, idle=0.5)
    pid = helped.run(os.getpid)
    helped._limit = 0.5
    with pytest.raises(Problem) as raised:
        helped.run(time.sleep, 60)
    assert raised.value.status == 503
    until(lambda: gone(pid), ENDS)


def test_a_request_does_not_wait_longer_than_it_may(helped):
    helped.run(len, "abc")
    with budget(1), pytest.raises(Problem) as raised:
        helped.run(time.sleep, 3)
    assert raised.value.status == 503
    assert helped.run(len, "abc") == 3


def test_a_helper_ends_with_a_service_that_is_killed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(LONG)
    serving = subprocess.Popen(
        [sys.executable, str(program), str(tmp_path / "pid")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert serving.poll() is None
        time.sleep(0.05)
    serving.kill()
    serving.wait()
    pid = int((tmp_path / "pid").read_text())
    until(lambda: gone(pid), ENDS)


def test_a_comparison_of_a_snapshot_that_is_gone_is_a_problem_that_says_when_to_come_back(
    client, own_index
):
    snapshots = Snapshots(own_index)
    shutil.rmtree(snapshots.path(str(snapshots.current())))
    response = client.get(f"/v1/compare/{OLD}/{NEW}")
    assert (response.status_code, response.content_type) == (503, "application/problem+json")
    assert int(response.headers["Retry-After"]) > 0
    page = client.get(f"/compare/{OLD}/{NEW}")
    while page.status_code == 202:
        page = client.get(f"/compare/{OLD}/{NEW}")
    assert page.status_code == 503
    assert client.get(f"/e/{NEW}/pegel").status_code == 200


def test_what_is_altered_while_it_is_compared_is_neither_shown_nor_stored_and_heals(
    client, own_index
):
    snapshots = Snapshots(own_index)
    whole = client.get(f"/v1/compare/{OLD}/{NEW}").data
    parts = (snapshots.path(str(snapshots.current())) / "library").glob("passage*")
    path = max(parts, key=lambda part: part.stat().st_size)
    was = path.read_bytes()
    with path.open("r+b") as file:  # in place: the helper has it mapped
        file.seek(len(was) // 2)
        file.write(bytes(byte ^ 1 for byte in was[len(was) // 2 :][:2000]))
    assert client.get(f"/v1/compare/{OLD}/{NEW}/csv").status_code == 503
    with path.open("r+b") as file:
        file.truncate(len(was) // 2)  # which ends whoever reads from the rest
    assert client.get(f"/v1/compare/{OLD}/{NEW}/tbx").status_code == 503
    path.write_bytes(was)
    assert client.get(f"/v1/compare/{OLD}/{NEW}/csv").status_code == 200
    shutil.rmtree(own_index / ".rendered")
    assert client.get(f"/v1/compare/{OLD}/{NEW}").data == whole
