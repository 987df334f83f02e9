import json
import shutil
import subprocess
import sys

import pytest

from tests.environment import without_settings
from tests.index.small_indexes import CHANGED, ROOT

pytestmark = pytest.mark.acceptance

ALONE = ("unshare", "--user", "--map-root-user", "--mount")  # may mount a small disk of its own


@pytest.fixture(scope="module")
def report(twins_folder, word_tables_folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("hardship")
    able = (
        shutil.which("unshare")
        and subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode == 0
    )
    done = subprocess.run(
        [
            *(ALONE if able else ()),
            sys.executable,
            "-m",
            "tests.index.failing_builds",
            place,
            twins_folder,
            word_tables_folder,
            "--refused",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=without_settings(),
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    yield json.loads(done.stdout)
    shutil.rmtree(place, ignore_errors=True)


def test_without_room_a_build_says_so_in_a_line_leaves_nothing_and_the_old_index_serves(report):
    *refused, after = report["full"]
    assert [turn["how"] for turn in refused].count("limit") == 3
    for turn in refused:
        assert turn["status"] == 1, turn
        assert [line.startswith("regula: ") and "no room" in line for line in turn["last"]] == [
            True
        ], turn
        assert turn["same"], turn
        assert turn["fault"] == "", turn
    for turn in refused:
        if "asked" in turn:
            assert turn["asked"] == 0, turn
            assert "the last good index serves" in turn["answer"]
            assert next(iter(CHANGED)) in turn["answer"]
    assert after["status"] == 0
    assert after["fault"] == ""


def test_a_folder_that_may_only_be_read_serves_and_building_there_fails_in_a_line(report):
    if not report["read-only"]:
        pytest.skip("nothing can be made read-only here")
    fits, changed, listed, *writing = report["read-only"]
    assert (fits["status"], changed["status"], listed["status"]) == (0, 0, 0)
    assert next(iter(CHANGED)) in fits["told"]
    assert "cannot be written" not in fits["told"]
    assert next(iter(CHANGED)) in changed["told"]
    assert "cannot be written to" in changed["told"]
    assert "the last good index serves" in changed["told"]
    assert "whole" in listed["told"]
    for turn in writing:
        assert turn["status"] == 1, turn
        assert len(turn["told"].splitlines()) == 1, turn
        assert "cannot be written to" in turn["told"], turn
