import json
import os
import subprocess

import pytest

from tests.clients.running import HERE, Described

_QUIET = {"NO_COLOR": "1", "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def lint(program, *arguments):
    """What a linter says in its form for programs."""
    command = [str(program), "lint", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | _QUIET
    ).stdout


@pytest.fixture(params=["service", "for_bots"])
def described(request) -> Described:
    """Each of the two descriptions."""
    return request.getfixturevalue(request.param)


def test_redocly_finds_nothing(described, packages):
    said = lint(
        packages / ".bin" / "redocly",
        described.file,
        "--config",
        HERE / "redocly.yaml",
        "--format",
        "json",
    )
    report = json.loads(said)
    assert report["problems"] == []
    assert report["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_spectral_finds_nothing(described, packages):
    said = lint(
        packages / ".bin" / "spectral",
        described.file,
        "--ruleset",
        HERE / "spectral.yaml",
        "--format",
        "json",
        "--quiet",
    )
    assert json.loads(said) == []
