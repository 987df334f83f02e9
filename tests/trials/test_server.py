import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import psutil
import pytest

from tests.conftest import SAMPLE
from tests.service.serving import Served, serving
from tests.timing import until
from tests.trials.clients import (
    asking,
    attackers,
    batch,
    fetch,
    percentile,
    questions,
    slow_readers,
    slow_senders,
)

TEXTS = [
    "Wer entscheidet, wenn zwei Fähigkeiten gleichzeitig wirken?",
    "Darf ich meinen Kahn verschieben, nachdem er nass geworden ist?",
    "Quando si pesca una carta?",
    "Wann endet das Spiel?",
    "Che cosa succede quando il livello sale?",
    "Muss ich zahlen, obwohl der Angriff ausfällt?",
]
ROUNDS = int(os.environ.get("REGULA_ROUNDS", "6"))
SECONDS = float(os.environ.get("REGULA_SLOW_SECONDS", "5"))
FULL_SECONDS = float(os.environ.get("REGULA_FULL_SECONDS", "3"))


@pytest.fixture
def served(place, tmp_path) -> Iterator[Served]:
    rulebooks, index = place
    with serving(
        rulebooks, index, tmp_path / "log", rate_limit="none", answers_kept=0, watch=0
    ) as found:
        yield found


def held(worker, server):
    """The ports of clients whose connections a worker has."""
    with suppress(psutil.Error):
        return {
            c.raddr.port
            for c in worker.net_connections("tcp")
            if c.raddr and c.laddr.port == server
        }
    return set()


def replaced(worker, served):
    return not worker.is_running() and len(served.workers()) >= 2


def flat(askers):
    return [asked for asker in askers for asked in asker.found]


@pytest.mark.parametrize(
    ("rounds", "patience"),  # seconds; beside other tests all takes longer
    [
        pytest.param(6, 5.0, id="short"),
        pytest.param(ROUNDS, 1.0, id="long", marks=pytest.mark.trial),
    ],
)
def test_a_worker_that_ends_for_any_reason_is_replaced_and_nobody_else_notices(
    served, rounds, patience
):
    choice = random.Random(16)
    held_by_killed: list[tuple[float, int]] = []
    with (
        asking(served.port, questions(TEXTS), 8) as askers,
        asking(served.port, ["/healthz"], fresh=True, pause=0.02) as health,
    ):
        time.sleep(2)  # as it is without this
        usual = max(asked.seconds for asked in flat([*askers, *health]))
        for number in range(rounds):
            worker = choice.choice(served.workers())
            kind = (signal.SIGTERM, signal.SIGABRT, signal.SIGKILL)[number % 3]
            before = time.monotonic()
            if kind is not signal.SIGTERM:  # an orderly end loses nothing
                worker.suspend()  # until it is known what it holds
                held_by_killed += [(before, port) for port in held(worker, served.port)]
            worker.send_signal(kind)
            with suppress(psutil.NoSuchProcess):  # a killed one is gone without being continued
                worker.send_signal(signal.SIGCONT)
            time.sleep(choice.uniform(0.3, 1.2))
            until(partial(replaced, worker, served), told=served.log.read_text)
        time.sleep(0.5)
    every = flat([*askers, *health])
    assert len(every) > 10 * rounds
    assert {asked.status for asked in every} <= {200, 0}, served.log.read_text()[-4000:]
    lost = [asked for asked in every if asked.status == 0]
    ports = {port for _, port in held_by_killed}
    assert [asked for asked in lost if asked.port not in ports] == []
    slowest = max(asked.seconds for asked in flat(health))
    print(
        f"{rounds} rounds: {len(every)} requests, {len(lost)} lost with their worker, slowest "
        f"/healthz {slowest:.3f} s, slowest before {usual:.3f} s"
    )
    assert slowest <= max(patience, 5 * usual)
    assert max(asked.seconds for asked in every) <= 2 * max(patience, 5 * usual)


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(5.0, id="short"), pytest.param(SECONDS, id="long", marks=pytest.mark.trial)],
)
def test_clients_that_dawdle_cost_the_others_nothing(served, place, seconds):
    pair = (
        "pegelwacht-de-1.0/pegelwacht-de-1.1"
        if place[0] == SAMPLE
        else "marvel-champions-de-1.5/marvel-champions-it-1.7"
    )
    workers = {worker.pid for worker in served.workers()}
    paths = [*questions(TEXTS), "/healthz"]
    with asking(served.port, paths, 4, fresh=True, pause=0.02) as alone:
        time.sleep(seconds)
    before = flat(alone)
    with (
        attackers(slow_senders, served.port, 200),
        attackers(slow_readers, served.port, 20, f"/v1/compare/{pair}"),
    ):
        time.sleep(2)
        with asking(served.port, paths, 4, fresh=True, pause=0.02) as askers:
            time.sleep(seconds)
    found = flat(askers)
    assert [asked for asked in found if asked.status != 200] == []
    p99, usual = percentile(found, 0.99), percentile(before, 0.99)
    print(f"{len(found)} requests beside those that dawdle, p99 {p99:.3f} s")
    print(f"{len(before)} without them, p99 {usual:.3f} s")
    assert len(found) > len(before) / 4
    assert p99 <= max(0.5, 4 * usual)
    assert {worker.pid for worker in served.workers()} == workers


@pytest.mark.trial
def test_the_largest_batches_and_cold_exports_leave_questions_quick(served, place):
    sample, real = (
        ("pegelwacht-de-1.1", "pegelwacht-it-1.1"),
        ("marvel-champions-de-1.5", "marvel-champions-it-1.7"),
    )
    left, right = sample if place[0] == SAMPLE else real
    formats = ["", "/csv", "/html", "/xlsx", "/tbx", "/tbx3", "/tmx"]
    exports = [
        f"/v1/compare/{a}/{b}{form}" for form in formats for a, b in ((left, right), (right, left))
    ]
    exports += [
        f"/v1/terms/{form}?game={left.rpartition('-')[0].rpartition('-')[0]}"
        for form in ("xlsx", "tbx")
    ]
    texts = [text for text in TEXTS for _ in range(9)]
    shutil.rmtree(place[1] / ".rendered", ignore_errors=True)
    with (
        asking(served.port, questions(TEXTS), 2, fresh=True, pause=0.05) as askers,
        ThreadPoolExecutor(28) as many,
    ):
        batches = [many.submit(batch, served.port, texts) for _ in range(12)]
        files = [many.submit(fetch, served.port, path) for path in exports]
        assert all(future.result()[0] == 200 for future in files)
        for future in batches:
            status, body, _ = future.result()
            assert status == 200
            assert len(body["responses"]) + len(body["undone"]) == 86
            assert [row["id"] for row in body["responses"]] + body["undone"] == [
                str(n) for n in range(86)
            ]
    found = flat(askers)
    assert [asked for asked in found if asked.status != 200] == []
    assert percentile(found, 0.99) <= 1.0
    print(f"questions {len(found)}, p99 {percentile(found, 0.99):.3f} s; slowest batch "
          f"{max(f.result()[2] for f in batches):.1f} s, "
          f"undone {sum(len(f.result()[1]['undone']) for f in batches)}")  # fmt: skip


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(3.0, id="short"), pytest.param(FULL_SECONDS, id="long", marks=pytest.mark.trial)],
)
def test_a_full_temporary_folder_fails_no_question_and_metrics_go_on(place, tmp_path, seconds):
    small = tmp_path / "tmp"
    small.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)], check=False
        ).returncode
    ):
        pytest.skip("a small disk can only be made by root")
    try:
        variables = {"TMPDIR": str(small)}
        with serving(
            place[0],
            place[1],
            tmp_path / "log",
            variables,
            rate_limit="none",
            answers_kept=0,
            watch=0,
        ) as served:
            full = small / "full"
            with suppress(OSError), full.open("wb") as file:
                while file.write(bytes(4096)):
                    file.flush()
            with asking(
                served.port, [*questions(TEXTS), "/healthz", "/metrics"], 4, fresh=True, pause=0.02
            ) as askers:
                time.sleep(seconds / 2)
                for worker in served.workers():  # those that begin now find the disk full
                    worker.kill()
                    time.sleep(0.5)
                time.sleep(seconds / 2)
                full.unlink()
                time.sleep(0.5)
            found = flat(askers)
            before = metric(served, "regula_questions_total")
            with asking(served.port, questions(TEXTS), 1) as more:
                time.sleep(0.5)
            assert metric(served, "regula_questions_total") == before + len(more[0].found)
        assert (
            len([asked for asked in found if asked.status != 200]) <= 2 * 4
        )  # what the two killed held
        assert not [asked for asked in found if asked.status not in (200, 0)]
    finally:
        subprocess.run(["umount", "-l", str(small)], check=False)


def metric(served, name):
    lines = fetch(served.port, "/metrics")[1].decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))
