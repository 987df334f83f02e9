import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import index.building.build
import index.training.encoder
from index.building.build import build
from index.building.snapshots import Snapshots
from index.training.encoder import SubwordEmbedding
from tests.conftest import ROOT, SAMPLE
from tests.timing import until

LONG = """
import sys
from pathlib import Path
from index.building.subprocess_task import run_in_subprocess
from tests.tasks import linger

with run_in_subprocess(True, linger, Path(sys.argv[1])) as wait:
    wait()
"""

UNGUARDED = """
import os
import sys
from pathlib import Path
from index.building.subprocess_task import run_in_subprocess

print("begun")
with run_in_subprocess(True, os.path.basename, Path(sys.argv[1]) / "done") as wait:
    print(wait())
"""


def test_a_program_without_a_guard_is_run_once(tmp_path):
    (tmp_path / "program.py").write_text(UNGUARDED)
    command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path)]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.stdout, done.returncode) == ("begun\ndone\n", 0), done.stderr


def test_work_ends_with_a_build_that_is_killed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(LONG)
    begun = subprocess.Popen(
        [sys.executable, str(program), str(tmp_path / "pid")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    other = 0
    while not other:
        time.sleep(0.05)
        assert begun.poll() is None
        other = int((tmp_path / "pid").read_text() or 0) if (tmp_path / "pid").exists() else 0
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    status = Path(f"/proc/{other}/status")

    def gone():
        try:
            return "\nState:\tZ" in status.read_text()
        except OSError:  # it can end while it is looked at
            return True

    until(gone, 30, lambda: "it goes on alone")  # for a minute


@pytest.mark.acceptance
def test_an_index_is_the_same_whether_its_words_are_indexed_beside_or_at_once(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(index.training.encoder, "train", lambda *_, **__: SubwordEmbedding(seed=1))
    books = tmp_path / "books"
    books.mkdir()
    shutil.copy(SAMPLE / "pegelwacht-it-1.1.txt", books)
    files = []
    for many in (10**6, 0):
        monkeypatch.setattr(index.building.build, "SUBPROCESS_TEXTS", many)
        snapshots = Snapshots(tmp_path / str(many))
        files.append(snapshots.manifest(build(books, snapshots).id)["files"])
    assert files[0] == files[1]
