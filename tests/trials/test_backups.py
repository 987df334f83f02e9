"""Backups made and restored while a service answers from the workspace and keeps feedback in it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

from corpus.document import Document, documents
from service.ops.workspace import make_workspace
from tests.environment import without_settings
from tests.index.small_indexes import QUESTIONS, ROOT
from tests.service.serving import serving
from tests.trials.clients import asking, fetch, questions

ROUNDS = 3


def regula(*words: object) -> None:
    command = [sys.executable, "-m", "service.cli", *map(str, words)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=without_settings(),
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_service_answers_and_keeps_feedback_while_backups_are_made_and_restored(
    twins_folder: Path, tmp_path: Path
) -> None:
    home, file = tmp_path / "home", tmp_path / "b.zip"
    make_workspace(home)
    shutil.copytree(twins_folder / "books" / "one", home / "rulebooks", dirs_exist_ok=True)
    shutil.copytree(twins_folder / "index0", home / "index")
    variables = {"REGULA_HOME": str(home), "REGULA_FEEDBACK": "true"}
    with serving(
        home / "rulebooks",
        home / "index",
        tmp_path / "log",
        variables,
        watch=0.2,
        rate_limit="none",
        answers_kept=0,
    ) as served:
        address = f"/v1/ask?q={questions(QUESTIONS[:1])[0].partition('=')[2]}"
        before = fetch(served.port, address)[1]
        workers = {worker.pid for worker in served.workers()}
        kept: list[str] = []
        over = threading.Event()

        def tell() -> None:
            while not over.is_set():
                body = json.dumps({"question": QUESTIONS[0], "verdict": "miss"}).encode()
                asked = urllib.request.Request(
                    f"{served.address}/v1/feedback", body, {"Content-Type": "application/json"}
                )
                with urllib.request.urlopen(asked, timeout=30) as response:
                    kept.append(json.loads(response.read())["id"])
                over.wait(0.05)

        telling = threading.Thread(target=tell)
        telling.start()
        found: set[str] = set()
        try:
            with asking(
                served.port, [*questions(QUESTIONS), "/healthz", "/readyz"], 3, pause=0.02
            ) as askers:
                for number in range(ROUNDS):
                    regula(
                        "backup",
                        file,
                        "--home",
                        home,
                        *(["--with-index"] if number % 2 == 0 else []),
                    )
                    regula("restore", file, "--home", home, "--replace", "--yes")
                    (aside,) = home.glob(".before-restore-*")
                    found |= ids(aside)
        finally:
            over.set()
            telling.join(60)
        found |= ids(home)
        every = [asked for asker in askers for asked in asker.found]
        assert len(every) > 20
        assert [asked for asked in every if asked.status != 200] == []
        assert len(kept) > 5
        assert set(kept) - found == set()
        assert fetch(served.port, address)[1] == before
        assert {worker.pid for worker in served.workers()} == workers
    assert [read.sha256 for read in documents(home / "rulebooks") if isinstance(read, Document)]
    print(
        f"{len(every)} requests and {len(kept)} verdicts beside {ROUNDS} backups and restorations"
    )


def ids(home: Path) -> set[str]:
    """The ids of all feedback kept in a workspace."""
    return {
        json.loads(line)["id"]
        for path in (home / "feedback").glob("*.jsonl")
        for line in path.read_text().splitlines()
    }
