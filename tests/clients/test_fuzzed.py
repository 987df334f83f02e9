"""Schemathesis, with each of its phases run to the end, finds nothing in the calls that bots need."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.clients.running import HERE, Described
from tests.service.described import of_the_loaded

PHASES = "examples,coverage,fuzzing,stateful"
EXAMPLES = 10  # of each call in a phase
UNAVAILABLE = 503


def prepare(address: str) -> None:
    """Wait until texts can be verified, which a service that has just started prepares."""
    for _ in range(300):
        body = json.dumps({"text": "„Ein Lotse kann angreifen.“"}).encode()
        try:
            urlopen(Request(f"{address}/v1/verify", body, {"Content-Type": "application/json"}))
        except HTTPError as fault:
            if fault.code != UNAVAILABLE:
                raise
            time.sleep(1)
        else:
            return


def test_schemathesis_finds_nothing(for_bots: Described, tmp_path: Path) -> None:
    prepare(for_bots.address)
    narrowed = tmp_path / "openapi.json"
    narrowed.write_text(json.dumps(of_the_loaded(for_bots.document())), encoding="utf-8")
    command = [
        *(
            str(Path(sys.executable).parent / "st"),
            "--config-file",
            str(HERE / "schemathesis.toml"),
        ),
        *("run", str(narrowed), "--url", for_bots.address, "--phases", PHASES),
        *("--max-examples", str(EXAMPLES), "--continue-on-failure", "--no-color"),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    assert "Stateful" in done.stdout
