"""No text holds a process up: whatever is repeated thousands of times, the service goes on to
answer everybody else.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from service.ops.workspace import make_workspace
from tests.service.hostile import Hostile, put
from tests.service.loops import in_a_loop
from tests.service.serving import Served, free_port, serving, started
from tests.trials.clients import Asked, asking, fetch
from tests.trials.pumped_requests import pumped_calls, pumped_requests

SOON = 0.5  # seconds until /healthz answers
OFTEN = 0.05  # seconds between two questions whether it does
# Of requests during which others waited longer: a busy machine may have been why, and what is slow
# by nature stays so
TRIES = 3
# Seconds until a request counts as lost; the slowest take three, the first ones that are asked
PATIENCE = 20.0

Timed = tuple[float, float, Any]  # when a request began and ended, and which it was


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace, where feedback is kept."""
    make_workspace(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def served(place: tuple[Path, Path], home: Path, tmp_path: Path) -> Iterator[Served]:
    rulebooks, index = place
    with serving(
        rulebooks,
        index,
        tmp_path / "log",
        rate_limit="none",
        answers_kept=0,
        watch=0,
        feedback=True,
        home=home,
    ) as found:
        yield found


def during(timed: Sequence[Timed], late: Sequence[Asked]) -> list[Any]:
    """The requests that were under way while one of those that came ``late`` was."""
    return [
        each
        for begun, ended, each in timed
        if any(begun < a.begun + a.seconds and a.begun < ended for a in late)
    ]


def slowest(timed: Sequence[Timed]) -> float:
    return max(ended - begun for begun, ended, _ in timed)


def put_all(served: Served, requests: Sequence[Hostile]) -> tuple[list[Timed], list[Asked]]:
    """Put ``requests``, two at a time, so that each process has one; and what /healthz took
    meanwhile.
    """

    def timed(request: Hostile) -> Timed:
        begun = time.monotonic()
        status, _, body, _ = put(served, request, PATIENCE)
        assert status in request.statuses, (
            request.kind,
            request.address[:200],
            request.body[:200],
            status,
            body[:200],
        )
        return begun, time.monotonic(), request

    with (
        asking(served.port, ["/healthz"], fresh=True, pause=OFTEN) as health,
        ThreadPoolExecutor(2) as clients,
    ):
        done = list(clients.map(timed, requests))
    return done, [asked for asker in health for asked in asker.found]


@pytest.mark.parametrize(
    "number",
    [pytest.param(560, id="short"), pytest.param(2000, id="long", marks=pytest.mark.trial)],
)
def test_no_text_holds_a_process_up_whatever_field_it_is_put_into(
    served: Served, number: Any
) -> None:
    workers = {worker.pid for worker in served.workers()}
    requests = pumped_requests(
        json.loads(fetch(served.port, "/openapi-translators.json")[1]), number
    )
    assert len(requests) == number
    suspects = requests
    for _ in range(TRIES):
        done, health = put_all(served, suspects)
        print(
            f"{len(done)} requests, slowest {slowest(done):.2f} s; slowest /healthz "
            f"{max(asked.seconds for asked in health):.3f} s"
        )
        assert {asked.status for asked in health} == {200}
        if not (suspects := during(done, [asked for asked in health if asked.seconds > SOON])):
            break
    assert not suspects, [(each.address[:200], each.body[:200]) for each in suspects]
    assert {worker.pid for worker in served.workers()} == workers, served.log.read_text()[-4000:]
    assert "WORKER TIMEOUT" not in served.log.read_text()


async def call_all(
    address: str, calls: Sequence[tuple[str, dict[str, Any]]]
) -> tuple[list[Timed], list[Asked]]:
    """Call tools one after the other; and what another client waited for the list of prompts
    meanwhile.
    """
    done: list[Timed] = []
    lists: list[Asked] = []

    async def list_often() -> None:
        async with Client(address) as client:
            while True:
                begun = time.monotonic()
                await client.list_prompts()
                lists.append(Asked(begun, time.monotonic() - begun, 200, 0))
                await asyncio.sleep(OFTEN)

    listing = asyncio.create_task(list_often())
    async with Client(address) as client:
        for name, arguments in calls:
            begun = time.monotonic()
            await asyncio.wait_for(
                client.call_tool(name, arguments), PATIENCE
            )  # with a result, or told what is wrong with the call
            done.append((begun, time.monotonic(), (name, arguments)))
    await asyncio.sleep(OFTEN)
    assert not listing.done()
    listing.cancel()
    return done, lists


@pytest.mark.parametrize(
    "number", [pytest.param(80, id="short"), pytest.param(800, id="long", marks=pytest.mark.trial)]
)
def test_no_text_holds_the_server_of_assistants_up_whatever_tool_it_is_given_to(
    place: tuple[Path, Path], home: Path, tmp_path: Path, number: Any
) -> None:
    rulebooks, index = place
    port = free_port()
    command = ("mcp", "--http", "--port", str(port))
    server = replace(
        started(
            rulebooks, index, tmp_path / "log", command=command, watch=0, feedback=True, home=home
        ),
        port=port,
    )
    try:
        suspects = in_a_loop(calls_of_every_tool(server, number))
        for _ in range(TRIES):
            done, lists = in_a_loop(call_all(f"{server.address}/mcp", suspects))
            print(
                f"{len(done)} calls, slowest {slowest(done):.2f} s; slowest list "
                f"{max(asked.seconds for asked in lists):.3f} s"
            )
            if not (suspects := during(done, [asked for asked in lists if asked.seconds > SOON])):
                break
        assert not suspects, str(suspects)[:1000]
        assert server.process.poll() is None
    finally:
        server.process.kill()
        server.process.wait()


async def calls_of_every_tool(server: Served, number: int) -> list[tuple[str, dict[str, Any]]]:
    """So many calls with pumped texts for the tools of a server that was started, once it
    answers.
    """
    end = time.monotonic() + 10 * PATIENCE  # it loads an index
    while True:
        try:
            async with Client(f"{server.address}/mcp") as client:
                loaded = await client.call_tool("list_editions", {})
                tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
                break
        except Exception:  # it does not listen yet, which the client says in many ways
            assert time.monotonic() < end, server.log.read_text()
            assert server.process.poll() is None, server.log.read_text()
            await asyncio.sleep(0.1)
    editions = [each["edition"] for each in loaded.structured_content["editions"]]
    calls = pumped_calls(tools, {"left": editions[0], "right": editions[-1]}, number)
    assert {name for name, _ in calls} == tools.keys() - {"list_editions"}
    return calls
