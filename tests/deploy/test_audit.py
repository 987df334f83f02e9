"""The audit of dependencies: nothing audited is never taken for nothing found."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOUND = {"name": "sound", "version": "1.0", "vulns": []}
BROKEN = {"name": "broken", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}
UNKNOWN = {
    "name": "sound",
    "skip_reason": "Dependency not found on PyPI and could not be audited: sound (1.0)",
}

Audit = Callable[..., tuple[int, str]]


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """Runs .ci/audit where pip-audit says what is given, and ends as given; None for no pip-audit
    at all.
    """
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "audit", tmp_path / ".ci")
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)

    def run(
        found: list[dict[str, object]] | None, status: int = 0, complaint: str = ""
    ) -> tuple[int, str]:
        answer = "" if found is None else json.dumps({"dependencies": found, "fixes": []})
        program = programs / "pip-audit"
        program.write_text(
            f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\ncat >&2 <<'END'\n{complaint}\nEND\nexit "
            f"{status}\n"
        )
        program.chmod(0o755)
        return ended(tmp_path)

    return run


def ended(place: Path) -> tuple[int, str]:
    done = subprocess.run([".ci/audit"], cwd=place, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_sound_packages_pass(audit: Audit) -> None:
    assert audit([SOUND]) == (0, "dependencies: 1 of 1 audited, 0 known vulnerabilities\n")


def test_a_known_vulnerability_fails_and_is_named(audit: Audit) -> None:
    status, said = audit([SOUND, BROKEN], status=1)
    assert status == 1
    assert "broken 1.0: PYSEC-1, mended in 1.1" in said


def test_what_was_left_out_of_an_audit_is_named(audit: Audit) -> None:
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
def test_advisories_out_of_reach_are_told_by_a_status_of_their_own(
    audit: Audit, complaint: str
) -> None:
    status, said = audit(None, status=1, complaint=complaint)
    assert status == 3
    assert "NOT audited, the advisories cannot be reached" in said


def test_an_index_without_advisories_is_out_of_reach(audit: Audit) -> None:
    assert audit([UNKNOWN])[0] == 3


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
def test_an_audit_that_does_not_work_fails(
    audit: Audit, found: list[dict[str, object]] | None, status: int, complaint: str
) -> None:
    ended, said = audit(found, status, complaint)
    assert ended == 2
    assert "the audit FAILED" in said


def test_a_missing_pip_audit_fails(audit: Audit, tmp_path: Path) -> None:
    assert ended(tmp_path)[0] == 2


@pytest.mark.parametrize(("status", "goes_on"), [(0, True), (1, False), (2, False), (3, True)])
def test_the_checks_go_on_after_an_audit_out_of_reach_and_stop_after_any_other_fault(
    tmp_path: Path, status: int, goes_on: bool
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    commands = tmp_path / "commands"
    commands.mkdir()
    for file, does in {
        tmp_path / ".ci" / "audit": f"exit {status}",
        commands / "make": "echo made $1",
        **{
            commands / name: "exit 0"
            for name in ("soffice", "chromium", "systemd-analyze", "python3.11", "apt-get")
        },
    }.items():
        file.write_text(f"#!/bin/sh\n{does}\n")
        file.chmod(0o755)
    done = subprocess.run(
        ["bash", ".ci/run"],
        cwd=tmp_path,
        env={"PATH": f"{commands}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert ("made test" in done.stdout) is goes_on
    assert (done.returncode == 0) is goes_on
