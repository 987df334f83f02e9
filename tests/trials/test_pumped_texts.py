import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from service.ops.workspace import make_workspace
from tests.service.hostile import Hostile, put
from tests.service.serving import Served, serving
from tests.trials.clients import asking, fetch
from tests.trials.pumped_requests import pumped_requests

SOON = 0.5  # seconds until /healthz answers, or as below
USUAL = 4  # times as long as it takes at worst while long questions are asked that no pattern minds
OFTEN = 0.05  # seconds between two questions whether it does
# Of requests during which others waited longer: a busy machine may have been why, and what is slow
# by nature stays so
TRIES = 3
# Seconds until a request counts as lost; the slowest take three, the first ones that are asked
PATIENCE = 60.0
PLAIN = quote(" Darf ein nasser Lotse angreifen, bevor der Pegel steigt?" * 30)

Timed = tuple[float, float, Any]  # when a request began and ended, and which it was


@pytest.fixture
def home(tmp_path) -> Path:
    """A workspace, where feedback is kept."""
    make_workspace(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def served(place, home, tmp_path) -> Iterator[Served]:
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


def during(timed, late):
    """The requests that were under way while one of those that came ``late`` was."""
    return [
        each
        for begun, ended, each in timed
        if any(begun < a.begun + a.seconds and a.begun < ended for a in late)
    ]


def slowest(timed):
    return max(ended - begun for begun, ended, _ in timed)


def put_all(served, requests):
    """Put ``requests``, two at a time, so that each process has one; and what /healthz took
    meanwhile.
    """

    def timed(request):
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
def test_no_text_holds_a_process_up_whatever_field_it_is_put_into(served, number):
    workers = {worker.pid for worker in served.workers()}
    requests = pumped_requests(
        json.loads(fetch(served.port, "/openapi-translators.json")[1]), number
    )
    assert len(requests) == number
    plain = [Hostile("plain", "GET", f"/v1/ask?q={number}{PLAIN}", (200,)) for number in range(40)]
    soon = max(SOON, USUAL * max(asked.seconds for asked in put_all(served, plain)[1]))
    suspects = requests
    for _ in range(TRIES):
        done, health = put_all(served, suspects)
        print(
            f"{len(done)} requests, slowest {slowest(done):.2f} s; slowest /healthz "
            f"{max(asked.seconds for asked in health):.3f} s"
        )
        assert {asked.status for asked in health} == {200}
        if not (suspects := during(done, [asked for asked in health if asked.seconds > soon])):
            break
    assert not suspects, [(each.address[:200], each.body[:200]) for each in suspects]
    assert {worker.pid for worker in served.workers()} == workers, served.log.read_text()[-4000:]
    assert "WORKER TIMEOUT" not in served.log.read_text()
