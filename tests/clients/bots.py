"""The programs of docs/api.md, the ten questions they answer, and the expected output."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from urllib.request import Request, urlopen

from tests.conftest import ROOT, SAMPLE_QUESTIONS

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
GAME = "pegelwacht"


def program(language: str) -> str:
    """Return the program in ``language`` from the page."""
    (found,) = re.findall(rf"(?ms)^```{language}\n(.*?)^```$", PAGE)
    return str(found)


def questions() -> dict[str, list[str]]:
    """Return ten questions on the German sample, short as players type them to a bot, with the
    quotations that settle each.
    """
    rows = [json.loads(line) for line in SAMPLE_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    typed = [
        row
        for row in rows
        if row["document"] == "pegelwacht-de-1.1.txt"
        and row["kind"] in ("keyword", "noisy", "crosslingual")
    ]
    return {row["question"]: [answer["quote"] for answer in row["answers"]] for row in typed[:10]}


def answered(printed: str) -> int:
    """Return how many questions a bot's ``printed`` output answers with a quotation that settles
    them, judged by its words alone.
    """
    words = _words(printed)
    return sum(any(_words(quote) in words for quote in quotes) for quotes in questions().values())


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def expected(address: str) -> str:
    """Return the expected output of a bot: the service's message for each question."""
    return "".join(f"{_message(address, question)}\n\n" for question in questions())


def _message(address: str, question: str) -> str:
    body = json.dumps({"question": question, "game": GAME, "format": "plain"}).encode()
    with urlopen(
        Request(f"{address}/v1/message", body, {"Content-Type": "application/json"})
    ) as response:
        return str(json.load(response)["message"])


def run(
    command: Sequence[str],
    address: str,
    variables: Mapping[str, str] | None = None,
    asked: Sequence[str] | None = None,
) -> str:
    """Return the output of a bot that asks the service at ``address``."""
    environment = (
        os.environ | {"REGULA": address, "PYTHONIOENCODING": "utf-8"} | dict(variables or {})
    )
    lines = "\n".join(questions() if asked is None else asked)
    done = subprocess.run(
        command,
        input=lines,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=environment,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
