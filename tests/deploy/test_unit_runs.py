import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import cast

import pytest

from corpus.workspace import FOLDERS, IGNORED, PAIRINGS, REVIEWS, RULEBOOKS
from service.core.jobs.stored_files import FOLDER as RENDERED
from service.ops.feedback.store import FOLDER as FEEDBACK
from tests.conftest import ROOT, SAMPLE

MISSING = 77  # what `boot` ends with where it is not allowed


@pytest.fixture(scope="module")
def seen(sample_snapshots, tmp_path_factory) -> dict[str, object]:
    """What `observe` saw."""
    if (
        os.geteuid() != 0
        or not Path("/lib/systemd/systemd").exists()
        or shutil.which("unshare") is None
    ):
        pytest.skip("needs root, systemd and unshare")
    if not (ROOT / ".venv" / "bin" / "regula").exists():
        pytest.skip("Regula is not installed in .venv")
    outcome = tmp_path_factory.mktemp("unit") / "outcome"
    outcome.touch()
    command = [
        str(ROOT / "tests" / "deploy" / "boot"),
        ROOT,
        SAMPLE,
        sample_snapshots.folder,
        outcome,
    ]
    done = subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode == MISSING:
        pytest.skip(
            "this machine has no Python for all users, or does not allow to boot another systemd "
            "apart from its own"
        )
    assert outcome.read_text(), done.stdout + done.stderr
    read: dict[str, object] = json.loads(outcome.read_text())
    assert "fault" not in read, read
    return read


def test_the_unit_starts_and_answers(seen):
    assert (seen["state"], seen["healthz"], seen["readyz"]) == ("active", 200, 200), seen["log"]


def test_it_runs_as_a_user_of_no_rights(seen):
    assert seen["user"] == "regula"


def test_it_can_write_what_people_enter_and_neither_rulebooks_nor_indexes(seen):
    data = {
        "/srv/regula",
        *(
            f"/srv/regula/{name}"
            for name in (*FOLDERS, REVIEWS, PAIRINGS, IGNORED, FEEDBACK)
            if name != RULEBOOKS
        ),
    }
    assert set(cast(list[str], seen["writable"])) == data | {f"/var/lib/regula/{RENDERED}"}


def test_the_timer_has_the_index_looked_at(seen):
    assert seen["build"] == "success", seen["log"]


def test_a_reload_reads_the_settings_again(seen):
    assert seen["reload"] == 0
    assert "the settings were read again" in str(seen["log"])


def test_it_is_started_again_when_it_is_killed(seen):
    assert seen["healthz after a kill"] == 200, seen["log"]


def test_it_stops_orderly_and_in_time(seen):
    assert seen["result"] == "success", seen["log"]
    assert float(str(seen["seconds to stop"])) < 25
