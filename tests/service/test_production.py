import json
import signal
import time
import urllib.request
from urllib.error import HTTPError

import pytest

from index.building.snapshots import Snapshots
from service.ops.keys import KeyRing
from tests.index.small_indexes import publish_copy
from tests.service.serving import serving
from tests.trials.clients import asking

pytestmark = pytest.mark.acceptance


@pytest.fixture(scope="module")
def operated(twins, tmp_path_factory):
    """A service with two processes, its snapshots, and the key of an administrator."""
    place = tmp_path_factory.mktemp("production")
    snapshots = Snapshots(place / "index")
    publish_copy(snapshots, twins.built[0])
    ring = KeyRing(place / "keys.toml")
    token = ring.make("chief", admin=True)
    with serving(
        twins.books[0],
        snapshots.folder,
        place / "log",
        keys=ring.file,
        watch=0.2,
        rate_limit="none",
        metrics="key",
    ) as served:
        yield served, snapshots, token


def call(served, path, token="", body=None):
    request = urllib.request.Request(
        served.address + path, json.dumps(body).encode() if body is not None else None
    )
    if body is not None:
        request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read().decode()
    except HTTPError as refused:
        return refused.code, refused.read().decode()


def test_metrics_are_of_all_processes_together(operated):
    served, _, token = operated

    def asked():
        lines = call(served, "/metrics", token)[1].splitlines()
        return sum(
            float(line.rpartition(" ")[2])
            for line in lines
            if line.startswith("regula_questions_total")
        )

    before = asked()
    for number in range(20):
        assert call(served, f"/v1/ask?q=Laterne+{number}")[0] == 200
    assert asked() - before == 20
    assert call(served, "/metrics")[0] == 401


def test_every_line_of_the_log_is_json_and_none_has_what_was_asked(operated):
    served, _, _ = operated
    call(served, "/v1/ask?q=Geheimniskraemerei")
    lines = [json.loads(line) for line in served.log.read_text(encoding="utf-8").splitlines()]
    assert {"time", "level", "message"} <= set(lines[0])
    assert any(line.get("route") == "/v1/ask" and line["status"] == 200 for line in lines)
    assert "Geheimniskraemerei" not in served.log.read_text(encoding="utf-8")


def test_an_administrator_goes_back_to_a_kept_index_and_all_processes_follow(operated, twins):
    served, snapshots, token = operated
    first = snapshots.current()
    second = publish_copy(snapshots, twins.built[1])
    follow(served, second)
    listed = json.loads(call(served, "/v1/admin/indexes", token)[1])["indexes"]
    assert [row["id"] for row in listed if row["current"]] == [second]
    assert {first, second} <= {row["id"] for row in listed}
    assert call(served, "/v1/admin/serve", token, {"index": "no-such"})[0] == 404
    assert call(served, "/v1/admin/serve", "", {"index": first})[0] == 401
    status, body = call(served, "/v1/admin/serve", token, {"index": first})
    assert (status, json.loads(body)) == (200, {"index": first})
    follow(served, first)
    assert [
        row["pinned"]
        for row in json.loads(call(served, "/v1/admin/indexes", token)[1])["indexes"]
        if row["current"]
    ] == [True]


def follow(served, index):
    """Wait until every process answers from ``index``."""
    end = time.monotonic() + 120
    while {json.loads(call(served, "/readyz")[1])["index"] for _ in range(12)} != {index}:
        assert time.monotonic() < end, served.log.read_text()
        time.sleep(0.2)


def test_on_a_hangup_settings_are_read_again_and_a_broken_file_leaves_them(twins, tmp_path):
    snapshots = Snapshots(tmp_path / "index")
    publish_copy(snapshots, twins.built[0])
    file = tmp_path / "regula.toml"
    file.write_text("docs = true\nkeep = 3\n")

    def hang_up(text, said):
        file.write_text(text)
        served.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 60
        while said not in served.log.read_text():
            assert time.monotonic() < end, said
            time.sleep(0.1)

    variables = {"REGULA_CONFIG": str(file)}
    with (
        serving(
            twins.books[0], snapshots.folder, tmp_path / "log", variables, rate_limit="none"
        ) as served,
        asking(served.port, ["/v1/ask?q=Laterne"], 4, pause=0.01) as askers,
    ):
        before = {worker.pid for worker in served.workers()}
        hang_up("docs = tru\n", "cannot be used, those before go on holding")
        hang_up("docs = true\nkeep = 3\n", "nothing that was not so before")
        hang_up(
            "docs = true\nkeep = 9\n", "keep is 9 there; 3 holds until the service is started anew"
        )
        assert {worker.pid for worker in served.workers()} == before
        assert call(served, "/docs")[0] == 200
        hang_up("docs = false\n", "docs is false now, was true")
        end = time.monotonic() + 60
        while {call(served, "/docs")[0] for _ in range(20)} != {404} or {
            worker.pid for worker in served.workers()
        } & before:
            assert time.monotonic() < end, served.log.read_text()
            time.sleep(0.1)
        hang_up("docs = false\nthreads = 'x'\n", "threads cannot be")
        assert {call(served, "/docs")[0] for _ in range(20)} == {404}
    assert {asked.status for asker in askers for asked in asker.found} == {200}
    restarts = [line for line in served.log.read_text().splitlines() if "was under way" in line]
    assert restarts == []


def test_a_service_that_is_stopped_answers_what_is_under_way_and_leaves_nothing(twins, tmp_path):
    snapshots = Snapshots(tmp_path / "index")
    publish_copy(snapshots, twins.built[0])
    with serving(twins.books[0], snapshots.folder, tmp_path / "log", rate_limit="none") as served:
        workers = served.workers()
        assert len(workers) == 2
        assert call(served, "/v1/ask?q=Laterne")[0] == 200
    assert served.process.returncode == 0
    assert not any(worker.is_running() for worker in workers)
