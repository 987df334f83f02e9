"""Exports under load: who asks for the same waits for one rendering, and questions do not wait for
any.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote

import psutil
import pytest

from index.building.snapshots import Snapshots
from tests.conftest import SAMPLE, real_folder
from tests.service.serving import Served, serving

CLIENTS = int(os.environ.get("REGULA_EXPORT_CLIENTS", "8"))
ROUNDS = int(os.environ.get("REGULA_EXPORT_ROUNDS", "3"))  # of the trial, each with cold stores
OLD, NEW, ITALIAN = "pegelwacht-de-1.0", "pegelwacht-de-1.1", "pegelwacht-it-1.1"


def fetch(service: Served, address: str) -> bytes:
    """What is at ``address``, as a patient client gets it: one that comes back when it is told
    to.
    """
    end = time.monotonic() + 240
    while True:
        try:
            with urllib.request.urlopen(f"{service.address}{address}", timeout=90) as response:
                body: bytes = response.read()
            return body
        except HTTPError as fault:
            if fault.code != 503 or time.monotonic() > end:
                raise
            time.sleep(int(fault.headers["Retry-After"]) / 5)


def exports(pairs: list[tuple[str, str]], games: list[str]) -> list[str]:
    """The addresses of all files of some comparisons and term lists."""
    found = [
        f"/v1/compare/{left}/{right}{name}"
        for left, right in pairs
        for name in ("", "/csv", "/html", "/xlsx", "/tbx")
    ]
    return found + [
        f"/v1/terms{name}?game={game}" for game in games for name in ("", "/csv", "/xlsx", "/tbx")
    ]


@contextmanager
def questions(service: Served, text: str) -> Iterator[list[float]]:
    """Put one question after the other meanwhile; how many seconds each took. None may fail."""
    took: list[float] = []
    done = threading.Event()

    def asking() -> None:
        while not done.is_set():
            began = time.monotonic()
            fetch(service, f"/v1/ask?q={quote(text)}%20{len(took)}")
            took.append(time.monotonic() - began)
            time.sleep(0.01)

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(asking) for _ in range(2)]
        try:
            yield took
        finally:
            done.set()
        for each in both:
            each.result(120)


def cold(service: Served, addresses: list[str]) -> dict[str, set[str]]:
    """`CLIENTS` that ask for everything at once, half of them beginning with the same: what each
    address gave.
    """
    got: dict[str, set[str]] = defaultdict(set)

    def client(number: int) -> None:
        begin = number % len(addresses) if number % 2 else 0
        for address in (*addresses[begin:], *addresses[:begin]):
            got[address].add(hashlib.sha256(fetch(service, address)).hexdigest())

    with ThreadPoolExecutor(CLIENTS) as pool:
        for each in [pool.submit(client, number) for number in range(CLIENTS)]:
            each.result(300)
    return got


def renderings(service: Served) -> list[str]:
    """What the log says was rendered."""
    lines = [
        json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")
    ]
    return [
        line["message"].rpartition(" in ")[0]
        for line in lines
        if line["message"].startswith("rendered ")
    ]


def helpers(service: Served) -> list[psutil.Process]:
    """The processes that do the heavy work for those that answer."""
    found = [each for worker in service.workers() for each in worker.children()]
    return [each for each in found if "spawn_main" in " ".join(each.cmdline())]


def at_rank(share: float, took: list[float]) -> float:
    return sorted(took)[int(share * (len(took) - 1))]


@pytest.fixture
def index(sample_snapshots: Snapshots, tmp_path: Path) -> Path:
    shutil.copytree(
        sample_snapshots.folder, tmp_path / "index", ignore=shutil.ignore_patterns(".*")
    )
    return tmp_path / "index"


def test_every_export_is_rendered_once_for_all_clients_of_all_processes(
    index: Path, tmp_path: Path
) -> None:
    addresses = exports([(NEW, ITALIAN)], ["pegelwacht"])
    with serving(SAMPLE, index, tmp_path / "log", workers=2, rate_limit="none") as service:
        fetch(service, "/v1/ask?q=anker")
        with questions(service, "Was kostet ankern?") as took:
            got = cold(service, addresses)
        assert {len(each) for each in got.values()} == {1}
        assert len(got) == len(addresses)
        assert len(set(renderings(service))) == len(renderings(service)) == len(addresses)
        assert len(took) > 10
        assert at_rank(0.9, took) < 5
    with serving(SAMPLE, index, tmp_path / "again", workers=1, rate_limit="none") as service:
        assert cold(service, addresses) == got
        assert renderings(service) == []
        assert helpers(service) == []


def test_a_helper_that_is_killed_is_missed_by_nobody(index: Path, tmp_path: Path) -> None:
    addresses = exports([(OLD, NEW), (NEW, ITALIAN)], [])
    with serving(SAMPLE, index, tmp_path / "log", workers=1, rate_limit="none") as service:
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(fetch, service, address) for address in addresses]
            while not (found := helpers(service)):
                assert not all(each.done() for each in asked), "nothing was done outside"
            found[0].kill()
            assert all(each.result(90) for each in asked)
        assert "the helper process ended with status -9" in service.log.read_text()


@pytest.mark.trial
def test_questions_of_others_do_not_wait_for_exports_of_real_rulebooks(
    real_snapshots: Snapshots, tmp_path: Path
) -> None:
    folder = real_folder()
    assert folder is not None
    marvel = [f"marvel-champions-{rest}" for rest in ("de-1.5", "it-1.7", "de-online")]
    addresses = exports(list(combinations(marvel, 2)), ["marvel-champions", "lorcana", "behind"])
    for number in range(ROUNDS):
        shutil.rmtree(real_snapshots.folder / ".rendered", ignore_errors=True)
        with serving(
            folder, real_snapshots.folder, tmp_path / f"log{number}", workers=2, rate_limit="none"
        ) as service:
            fetch(service, "/v1/ask?q=angriff")
            with questions(service, "Wann darf ich angreifen?") as took:
                began = time.monotonic()
                got = cold(service, addresses)
                whole = time.monotonic() - began
            print(
                f"{CLIENTS} clients, {len(addresses)} exports: {whole:.1f} s; {len(took)} "
                "questions, "
                f"half within {at_rank(0.5, took):.3f} s, 99 of 100 within "
                f"{at_rank(0.99, took):.3f} s, the last {max(took):.3f} s"
            )
            assert {len(each) for each in got.values()} == {1}
            assert len(set(renderings(service))) == len(renderings(service)) == len(addresses)
            assert at_rank(0.99, took) <= 1
