"""Measure the service under load: `/v1/ask` with distinct questions, compared with a bare Flask
route that returns the same bytes.

`regula serve --production` runs without an answer cache and without limits; the bare route has as
many processes and threads. Each question, a query variant of the rulebooks' passages in any of
three languages, is asked once a round, of all rulebooks. The table has the median of several
rounds, with minimum and maximum in brackets. Both share the processor with wrk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask, Response

from index.library.library import Library
from service.ops.indexes import IndexManager
from service.ops.settings import ROOT, load, locations
from tests.bench.questions import from_variants
from tests.bench.report import Table, say
from tests.service.serving import PATIENCE, free_port, serving

CONNECTIONS = 8
WORKERS, THREADS = 2, 4
SECONDS = 15
ROUNDS = 3
MOST_QUESTIONS = 60_000
MOST_LETTERS = 300  # of a question
_SETTINGS: dict[str, Any] = {
    "rate_limit": "none",
    "answers_kept": 0,
    "log_level": "warning",
    "watch": 0,
    "workers": WORKERS,
    "threads": THREADS,
}
_SCRIPT = Path(__file__).parent / "asking.lua"


@dataclass(frozen=True)
class Load:
    """One round: requests a second; milliseconds at the median, at p99 and at most; failed
    requests.
    """

    throughput: float
    p50: float
    p99: float
    slowest: float
    failed: int


def main() -> int:
    """Run the command."""
    argparse.ArgumentParser(prog="python -m tests.bench.load", description=__doc__).parse_args()
    if shutil.which("wrk") is None:
        print("wrk is not installed: nothing was measured under load (Debian: apt-get install wrk)")
        return 0
    here = locations(load())
    print(measure_load(here.rulebooks, here.index, IndexManager(here, say).ready().library).plain())
    return 0


def measure_load(rulebooks: Path, index: Path, library: Library) -> Table:
    """Measure the bare route and the service alternately, `ROUNDS` times for `SECONDS` each."""
    asked = sorted(
        {
            question.text
            for question in from_variants(library, MOST_QUESTIONS)
            if len(question.text) <= MOST_LETTERS
        }
    )
    random.Random(7).shuffle(asked)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        bodies, answer = place / "bodies", place / "answer"
        bodies.write_text(
            "".join(json.dumps({"question": text}, ensure_ascii=False) + "\n" for text in asked),
            encoding="utf-8",
        )
        with serving(rulebooks, index, place / "log", **_SETTINGS) as service:
            answer.write_bytes(_ask(service.address, asked[0]))
            with _serving_bare(answer) as bare:
                _round(service.address, bodies, 5)  # fills the caches
                rounds = [
                    (_round(bare, bodies, SECONDS), _round(service.address, bodies, SECONDS))
                    for _ in range(ROUNDS)
                ]
            memory = [process.memory_full_info().pss for process in service.workers()]
            together = service.memory()
    of_bare, of_service = zip(*rounds, strict=True)
    return _table(
        {"bare Flask route, the same bytes": of_bare, "`/v1/ask`, distinct questions": of_service},
        memory,
        together,
    )


def bare() -> Flask:
    """Create the bare route for gunicorn, which returns the bytes in the file BARE_ANSWER for every
    question.
    """
    app = Flask(__name__)
    answer = Path(os.environ["BARE_ANSWER"]).read_bytes()
    app.post("/v1/ask")(lambda: Response(answer, content_type="application/json"))
    return app


@contextmanager
def _serving_bare(answer: Path) -> Iterator[str]:
    """Yield the address of the bare route under gunicorn, with as many processes and threads as the
    service.
    """
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "--bind",
        f"127.0.0.1:{port}",
        "--workers",
        str(WORKERS),
        "--worker-class",
        "gthread",
    ]
    command += [
        "--threads",
        str(THREADS),
        "--keep-alive",
        "15",
        "--preload",
        "--log-level",
        "warning",
        "tests.bench.load:bare()",
    ]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "BARE_ANSWER": str(answer)})
    address = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < end:
            with suppress(OSError):
                _ask(address, "a")
                break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(10)


def _ask(address: str, question: str) -> bytes:
    request = urllib.request.Request(
        f"{address}/v1/ask",
        json.dumps({"question": question}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return bytes(response.read())


def _round(address: str, bodies: Path, seconds: int) -> Load:
    command = [
        "wrk",
        "--threads",
        "1",
        "--connections",
        str(CONNECTIONS),
        "--duration",
        f"{seconds}s",
        "--timeout",
        "10s",
    ]
    done = subprocess.run(
        [*command, "--script", str(_SCRIPT), f"{address}/v1/ask"],
        env={**os.environ, "BODIES": str(bodies)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"wrk failed: {done.stdout} {done.stderr}")
    line = next(line for line in done.stdout.splitlines() if line.startswith("measured "))
    requests, micro, p50, p99, slowest, broken, refused = map(int, line.split()[1:])
    return Load(requests / (micro / 1e6), p50 / 1e3, p99 / 1e3, slowest / 1e3, broken + refused)


def _table(measured: Mapping[str, Sequence[Load]], memory: Sequence[int], together: int) -> Table:
    def over(name: str, rounds: Sequence[Load], digits: int) -> str:
        values = sorted(getattr(each, name) for each in rounds)
        return (
            f"{values[len(values) // 2]:.{digits}f} ({values[0]:.{digits}f} to "
            f"{values[-1]:.{digits}f})"
        )

    columns = [
        ("requests a second", "throughput", 0),
        ("p50 ms", "p50", 1),
        ("p99 ms", "p99", 1),
        ("slowest ms", "slowest", 0),
    ]
    rows = []
    for name, rounds in measured.items():
        rows.append(
            (
                name,
                *(over(field, rounds, digits) for _, field, digits in columns),
                str(sum(each.failed for each in rounds)),
            )
        )
    of_bare, of_service = measured.values()
    ratio = sorted(
        one.throughput / other.throughput for one, other in zip(of_bare, of_service, strict=True)
    )
    processes = " and ".join(f"{each / 1e6:.0f}" for each in memory)
    for name, value in (
        ("bare route to `/v1/ask`", f"{ratio[len(ratio) // 2]:.1f} times"),
        ("MB of each process (proportional set size)", processes),
        ("MB of all processes together", f"{together / 1e6:.0f}"),
    ):
        rows.append((name, value, "", "", "", ""))
    title = (
        f"Under load: {CONNECTIONS} connections, gunicorn with {WORKERS} processes, {ROUNDS} "
        f"rounds of {SECONDS} s in turn"
    )
    return Table(title, ("", *(name for name, _, _ in columns), "failed"), tuple(rows))


if __name__ == "__main__":
    sys.exit(main())
