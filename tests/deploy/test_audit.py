import json
import shutil
import subprocess
from collections.abc import Callable

import pytest

from tests.conftest import ROOT

SOUND = {"name": "sound", "version": "1.0", "vulns": []}
BROKEN = {"name": "broken", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}

Audit = Callable[..., tuple[int, str]]


@pytest.fixture
def audit(tmp_path) -> Audit:
    """Runs .ci/audit where pip-audit says what is given, and ends as given; None for no pip-audit
    at all.
    """
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "audit", tmp_path / ".ci")
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)

    def run(found, status=0, complaint=""):
        answer = "" if found is None else json.dumps({"dependencies": found, "fixes": []})
        program = programs / "pip-audit"
        program.write_text(
            f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\ncat >&2 <<'END'\n{complaint}\nEND\nexit "
            f"{status}\n"
        )
        program.chmod(0o755)
        return ended(tmp_path)

    return run


def ended(place):
    done = subprocess.run([".ci/audit"], cwd=place, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_known_vulnerability_fails_and_is_named(audit):
    status, said = audit([SOUND, BROKEN], status=1)
    assert status == 1
    assert "broken 1.0: PYSEC-1, mended in 1.1" in said


def test_what_was_left_out_of_an_audit_is_named(audit):
    status, said = audit([SOUND, {"name": "other", "skip_reason": "no reason"}])
    assert status == 0
    assert "1 of 2 audited" in said
    assert "other: not audited" in said


@pytest.mark.parametrize(
    "complaint",
    [
        "Traceback (most recent call last):\nrequests.exceptions.ConnectionError: name or service "
        "not known",
        "requests.exceptions.ProxyError: HTTPSConnectionPool(...): Max retries exceeded",
        "ERROR:pip_audit._cli:Tip: your network may be blocking this service. Try another service "
        "with `-s SERVICE`",
        "Traceback (most recent call last):\npip_audit._service.interface.ServiceError",
    ],
    ids=["no-network", "proxy", "blocked", "service-fault"],
)
def test_advisories_out_of_reach_are_told_by_a_status_of_their_own(audit, complaint):
    status, said = audit(None, status=1, complaint=complaint)
    assert status == 3
    assert "NOT audited, the advisories cannot be reached" in said


@pytest.mark.parametrize(
    ("found", "status", "complaint"),
    [
        (None, 1, "Traceback (most recent call last):\nImportError: no module named that"),
        (None, 0, ""),
        (None, 2, "pip-audit: error: unrecognized arguments"),
        ([], 0, ""),
        ([{"name": "sound", "skip_reason": "invalid version"}], 0, ""),
    ],
    ids=["crashed", "silent", "refused", "looked-at-nothing", "skipped-all"],
)
def test_an_audit_that_does_not_work_fails(audit, found, status, complaint):
    ended, said = audit(found, status, complaint)
    assert ended == 2
    assert "the audit FAILED" in said
