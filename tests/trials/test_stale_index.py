import asyncio
import json
import os
import signal
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psutil
import pytest
from mcp import Client

from index.building.fingerprints import DEPENDS, combined
from index.building.snapshots import MANIFEST, Snapshots
from tests.index.small_indexes import QUESTIONS, publish_copy
from tests.service.serving import free_port, started
from tests.timing import until
from tests.trials.clients import asking, questions
from tests.trials.test_processes import gone

CLIENTS = 8
# Seconds from the start of the process to the first answer, on a machine that has nothing else to
# do
ANSWERS = 3.0


def of_another_program(snapshots, built, **changed):
    """Publish the index in the folder ``built`` as another version of the program would have, its
    manifest ``changed`` besides.
    """
    id = publish_copy(snapshots, built)
    path = snapshots.path(id) / MANIFEST
    manifest = json.loads(path.read_text(encoding="utf-8"))
    depends = {**manifest[DEPENDS], "program": "of another version"}
    others = {
        DEPENDS: depends,
        "fingerprint": combined(depends),
        "program": "of another version",
        **changed,
    }
    path.write_text(json.dumps({**manifest, **others}), encoding="utf-8")
    return id


def ready(served):
    with urllib.request.urlopen(f"{served.address}/readyz", timeout=20) as response:
        return dict(json.loads(response.read()))


def metric(served, name):
    with urllib.request.urlopen(f"{served.address}/metrics", timeout=20) as response:
        (line,) = [
            line for line in response.read().decode().splitlines() if line.startswith(f"{name} ")
        ]
    return float(line.rpartition(" ")[2])


def published(folder):
    snapshots = Snapshots(folder)
    return snapshots.path(str(snapshots.current()))


@pytest.mark.parametrize(
    ("on", "command"),
    [
        pytest.param("twins", ("serve", "--production"), id="short"),
        pytest.param("place", ("serve", "--production"), id="long", marks=pytest.mark.trial),
        pytest.param("place", ("serve",), id="long, alone", marks=pytest.mark.trial),
    ],
)
def test_an_index_of_another_version_serves_at_once_and_a_new_one_takes_its_place(
    request, tmp_path, command, on
):
    if on == "twins":
        twins = request.getfixturevalue("twins_folder")
        rulebooks, built = twins / "books" / "one", published(twins / "index0")
    else:
        rulebooks, index = request.getfixturevalue("place")
        built = published(index)
    snapshots = Snapshots(tmp_path / "index")
    old = of_another_program(snapshots, built)
    served = started(
        rulebooks, snapshots.folder, tmp_path / "log", command=command, rate_limit="none", watch=0.2
    )
    begun = time.monotonic()
    try:
        with asking(served.port, questions(QUESTIONS), CLIENTS, pause=0.02) as askers:

            def found():
                return [asked for asker in askers for asked in asker.found]

            until(lambda: any(asked.status == 200 for asked in found()), 300, served.log.read_text)
            seen = ready(served)
            assert (seen["index"], seen["stale"], seen["differs"]) == (old, True, ["program"])
            assert metric(served, "regula_index_stale") == 1
            page = urllib.request.urlopen(f"{served.address}/state", timeout=60).read().decode()
            assert "version of the program" in page
            until(lambda: snapshots.current() != old, 1200, served.log.read_text)
            new, built_after = snapshots.current(), time.monotonic() - begun
            until(lambda: all(ready(served)["index"] == new for _ in range(10)))
            time.sleep(1)
        every = found()
        assert [ready(served)[name] for name in ("stale", "differs")] == [False, []]
        assert metric(served, "regula_index_stale") == 0
        assert metric(served, "regula_last_build_succeeded") == 1
    finally:
        served.process.send_signal(signal.SIGTERM)
        served.process.wait(60)
    first = min(asked.begun + asked.seconds for asked in every if asked.status == 200)
    assert {asked.status for asked in every} <= {200, 0}, served.log.read_text()
    refused = [asked for asked in every if asked.status != 200 and asked.begun > first]
    assert refused == []
    print(
        f"first answer after {first - begun:.1f} s, new index after {built_after:.1f} s, "
        f"{len(every)} requests"
    )
    assert first - begun < max(ANSWERS, built_after / 3)
    said = served.log.read_text()
    assert f"index {old} serves although it does not fit any more (program)" in said
    assert f"index {new} was published and serves now" in said


def test_assistants_get_the_index_there_is_and_its_build_ends_with_the_process(
    twins_folder, tmp_path
):
    snapshots = Snapshots(tmp_path / "index")
    old, port = of_another_program(snapshots, published(twins_folder / "index0")), free_port()
    command = ("mcp", "--http", "--port", str(port))
    served = started(
        twins_folder / "books" / "one", snapshots.folder, tmp_path / "log", command=command
    )
    pool = ThreadPoolExecutor(1)  # browser tests leave a loop running in this thread
    try:

        async def ask():
            async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                answer = await client.call_tool("ask", {"question": QUESTIONS[0]})
                assert (answer.structured_content or {})["passages"]
                return str(await client.call_tool("list_editions", {}))  # names the index

        def answer():
            with suppress(Exception):  # while nothing listens yet
                return pool.submit(asyncio.run, asyncio.wait_for(ask(), 60)).result()
            return ""

        until(lambda: old in answer(), 300, served.log.read_text)
        until(
            lambda: bool(psutil.Process(served.process.pid).children()), told=served.log.read_text
        )
        (build,) = psutil.Process(served.process.pid).children()
        until(lambda: build.nice() >= min(os.nice(0) + 10, 19))  # it says so itself, once begun
        served.process.kill()
        served.process.wait()
        until(lambda: gone(build), 20)  # it would take a minute
        assert snapshots.current() == old
    finally:
        served.process.kill()
        served.process.wait()
