"""The service under load: `/v1/ask` with distinct questions beside a bare Flask route that returns the same bytes."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glossary.comparison.shared_phrasings import gather_phrasings as phrasings_of
from index.library.library import Library
from service.ops.indexes import IndexManager
from service.ops.settings import load as load_settings
from service.ops.settings import locations
from tests.bench.tables import Table
from tests.service.serving import ROOT, free_port, serving

CONNECTIONS = 8
WORKERS = 2
SECONDS = 15
ROUNDS = 3
_HEAD = """Measured on {when} by `python -m tests.bench.load`, which also writes this page, on {cores} cores that wrk shared:
`regula serve --production` with {workers} processes of 4 threads, no answers kept ready, no limits; as many processes and threads for the
bare route, which returns the bytes of one answer. Each question, a phrasing of the rulebooks' passages in any of three languages, is put
once in a round, to all rulebooks. Of several rounds the median, and in brackets the least and the most."""
_SCRIPT = Path(__file__).parent / "asking.lua"


@dataclass(frozen=True)
class Load:
    """What one round measured: requests a second, milliseconds at the median, at the 99th of 100 and at most, and what failed."""

    throughput: float
    p50: float
    p99: float
    slowest: float
    failed: int


def questions(library: Library, count: int, seed: int = 7) -> list[str]:
    """``count`` distinct questions as players type them: phrasings, in an order drawn from ``seed``."""
    found = sorted({text for text in _phrasings(library) if len(text) <= 300})
    random.Random(seed).shuffle(found)
    return found[:count]


def _phrasings(library: Library) -> Iterator[str]:
    for edition in library.editions:
        for entry in library.entries_of(edition.id):
            yield entry.title
    rulebooks: Any = library.rulebooks  # have what is needed of a rulebook
    for phrased in phrasings_of(rulebooks, library.concepts).values():
        yield from (phrasing.text for phrasing in phrased)


def load(rulebooks: Path, index: Path, library: Library) -> Table | None:
    """Both measured in turn, `ROUNDS` times `SECONDS` each; None where wrk is not installed.

    Each question is put once in a round, and no answers are kept ready.
    """
    if shutil.which("wrk") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        bodies = place / "bodies"
        asked = questions(library, 60_000)
        bodies.write_text("".join(json.dumps({"question": text}, ensure_ascii=False) + "\n" for text in asked), encoding="utf-8")
        said: dict[str, Any] = {
            "rate_limit": "none",
            "answers_kept": 0,
            "log_level": "warning",
            "watch": 0,
            "workers": WORKERS,
            "threads": 4,
        }
        with serving(rulebooks, index, place / "log", **said) as service:
            (place / "answer").write_bytes(_ask(service.address, asked[0]))
            with _bare(place / "answer") as bare:
                _round(service.address, bodies, 5)  # until everything that is made once is made
                rounds = [(_round(bare, bodies, SECONDS), _round(service.address, bodies, SECONDS)) for _ in range(ROUNDS)]
            memory = [p.memory_full_info() for p in service.workers()]
            together = service.memory()
    return _table([r[0] for r in rounds], [r[1] for r in rounds], [m.pss for m in memory], together)


def _ask(address: str, question: str) -> bytes:
    request = urllib.request.Request(f"{address}/v1/ask", json.dumps({"question": question}).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return bytes(response.read())


@contextmanager
def _bare(answer: Path) -> Iterator[str]:
    """The bare route under gunicorn with as many processes and threads; its address."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", str(WORKERS), "--worker-class", "gthread"]
    command += [
        "--threads",
        "4",
        "--keep-alive",
        "15",
        "--preload",
        "--log-level",
        "warning",
        "tests.bench.bare:app",
    ]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "BARE_ANSWER": str(answer)})
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(100):
            try:
                _ask(address, "a")
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(10)


def _round(address: str, bodies: Path, seconds: int) -> Load:
    command = ["wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{seconds}s", "--timeout", "10s"]
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


def _table(bare: Sequence[Load], ask: Sequence[Load], workers: Sequence[int], together: int) -> Table:
    def over(name: str, measured: Sequence[Load], digits: int) -> str:
        values = sorted(getattr(each, name) for each in measured)
        return f"{values[len(values) // 2]:.{digits}f} ({values[0]:.{digits}f} to {values[-1]:.{digits}f})"

    columns = [("requests a second", "throughput", 0), ("p50 ms", "p50", 1), ("p99 ms", "p99", 1), ("slowest ms", "slowest", 0)]
    rows = [(name, *(over(field, m, digits) for _, field, digits in columns), str(sum(x.failed for x in m)))
            for name, m in (("bare Flask route, the same bytes", bare), ("`/v1/ask`, distinct questions", ask))]  # fmt: skip
    ratio = sorted(b.throughput / a.throughput for b, a in zip(bare, ask, strict=True))
    rows.append(("bare route to `/v1/ask`", f"{ratio[len(ratio) // 2]:.1f} times", "", "", "", ""))
    mega = [f"{each / 1e6:.0f}" for each in workers]
    rows.append(("MB of each process (proportional set size)", " and ".join(mega), "", "", "", ""))
    rows.append(("MB of all processes together", f"{together / 1e6:.0f}", "", "", "", ""))
    title = f"Under load: {CONNECTIONS} connections, gunicorn with {WORKERS} processes, {ROUNDS} rounds of {SECONDS} s in turn"
    return Table(title, ("", *(name for name, _, _ in columns), "failed"), tuple(rows))


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the table as a page")
    given = parser.parse_args()
    here = locations(load_settings())
    indexes = IndexManager(here, lambda line: print(line, file=sys.stderr))
    made = load(here.rulebooks, here.index, indexes.ready().library)
    if made is None:
        print("wrk is not installed: nothing was measured under load (Debian: apt-get install wrk)")
        return 0
    print(made.plain())
    if given.write:
        when = f"{datetime.now(UTC):%Y-%m-%d}"
        head = textwrap.fill(_HEAD.format(when=when, cores=os.cpu_count(), workers=WORKERS), 140)
        given.write.write_text("\n\n".join(["# Under load", head, made.markdown()]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
