"""Builds, publications, rollbacks, services and commands that are killed: a whole index always
serves, nothing acknowledged is lost.

``REGULA_KILLS`` is how many are killed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from index.building.snapshots import SNAPSHOTS_KEPT
from tests.environment import without_settings
from tests.index.small_indexes import ROOT

KILLS = int(os.environ.get("REGULA_KILLS", "15"))
BESIDE = [
    ".lock",
    "current",
    "encoded-",
    "former-words.db",
    ".last-build",
    "read-",
]  # what the folder has beside the indexes
LEFT = [
    ".current",
    ".building",
    ".removing-",
    ".regula-serving-",
]  # and what one killed process may leave there


@pytest.mark.acceptance
def test_whenever_a_process_is_killed_an_index_serves_and_nothing_is_left_that_grows(
    twins_folder: Path, word_tables_folder: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.index.failing_builds",
            tmp_path,
            twins_folder,
            word_tables_folder,
            "--kills",
            str(KILLS),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=without_settings(),
        timeout=300 + 10 * KILLS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    *killed, tidied = report["kills"]
    assert len(killed) == KILLS
    assert [turn for turn in killed if turn["fault"]] == []
    for turn in killed:
        assert len(turn["left"]) <= SNAPSHOTS_KEPT + 1 + len(BESIDE) + len(LEFT), turn
        assert turn["bytes"] <= 1.1 * report["bytes"] * (SNAPSHOTS_KEPT + 3), turn
    states = Counter(state for turn in killed for state in turn["states"])
    print(Counter(turn["what"] for turn in killed), states)
    assert states["building"]
    assert states["published"]
    assert states["copying"]
    assert tidied["fault"] == ""
    assert len(tidied["left"]) <= SNAPSHOTS_KEPT + len(BESIDE)
    shutil.rmtree(tmp_path)


COMMANDS = {
    "add", "rulings "
           "add", "cards "
                  "add", "concepts "
                         "propose", "review "
                                    "import", "keys new", "keys revoke", "feedback", "backup",
    "restore", "restore --replace",
}  # fmt: skip


def test_whenever_a_command_is_killed_nothing_is_lost_and_nothing_there_by_half(
    tmp_path: Path,
) -> None:
    each = max(3, KILLS // len(COMMANDS) + 1)
    done = subprocess.run(
        [sys.executable, "-m", "tests.trials.killed_commands", tmp_path, "--kills", str(each)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=without_settings(),
        timeout=300 + 10 * KILLS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    for row in report:
        print(row)
    assert {row["command"]: row["wrong"] for row in report} == {command: [] for command in COMMANDS}
    assert sum(row["kills"] for row in report) >= each * len(COMMANDS)
    assert any(row["states"].get("after") for row in report)
    shutil.rmtree(tmp_path)
