import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from corpus.workspace import FOLDERS, IGNORED, PAIRINGS, REVIEWS, RULEBOOKS
from service.core.jobs.stored_files import FOLDER as RENDERED
from service.ops.feedback.store import FOLDER as FEEDBACK
from tests.conftest import ROOT, SAMPLE
from tests.deploy import unit
from tests.environment import without_settings
from tests.service.serving import free_port

UNITS = (unit.FILE, unit.BUILDER, unit.TIMER, unit.PULLER, unit.PULL_TIMER)
# Tenths, as 'systemd-analyze security' counts: 100 is a service that nothing is kept from
EXPOSURE = 14

# What the steps call that only an administrator of the machine may: each does here what the other
# steps need of it.
STANDINS = {
    "git": 'mkdir -p "$3" && cp -r deploy "$3"',
    "make": 'mkdir -p "$2/.venv/bin" && ln -s "$REGULA_PROGRAM" "$2/.venv/bin/regula"',
    "useradd": ":",
    "systemctl": ":",
    "install": 'for said do shift; case $said in -g|-o|regula) ;; *) set -- "$@" "$said" ;; esac; '
    'done; exec "$INSTALL" "$@"',
}


@pytest.fixture
def analyze(tmp_path) -> list[str]:
    """The command that judges units, and where it puts the one to judge: with the program that is
    here, so that it is found.
    """
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here (Debian: apt-get install systemd)")
    program = Path(sys.executable).parent / "regula"
    for file in UNITS:
        text = (
            file.read_text()
            .replace("/opt/regula/.venv/bin/regula", str(program))
            .replace("/opt/regula", str(ROOT))
        )
        (tmp_path / file.name).write_text(text)
    return ["systemd-analyze", str(tmp_path)]


@pytest.mark.parametrize("pulling", [False, True], ids=["", "pulling"])
def test_the_units_are_sound(analyze, pulling):
    if pulling:
        besides = Path(analyze[1]) / f"{unit.FILE.name}.d"
        besides.mkdir()
        shutil.copy(unit.PULLING, besides)
    for file in UNITS:
        done = subprocess.run(
            [analyze[0], "verify", "--man=no", f"{analyze[1]}/{file.name}"],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "file", [unit.FILE, unit.BUILDER, unit.PULLER], ids=["serving", "building", "pulling"]
)
def test_the_units_are_closed(analyze, file):
    command = [
        analyze[0],
        "security",
        "--offline=true",
        f"--threshold={EXPOSURE}",
        f"{analyze[1]}/{file.name}",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_path_that_the_units_name_is_made_by_the_steps_of_the_comment():
    made = unit.paths("\n".join(unit.steps()))
    for file in (unit.FILE, unit.BUILDER):
        named = unit.paths(
            "\n".join(value for name, value in unit.directives(file) if name != "Documentation")
        )
        assert named
        assert named <= made
    for file in (unit.FILE, unit.BUILDER, unit.TIMER):
        assert f"deploy/{file.name}" in "\n".join(unit.steps())


def test_every_path_of_a_server_that_pulls_is_made_by_the_steps_of_its_comment():
    steps = "\n".join(unit.steps(unit.PULLER))
    named = unit.paths(
        "\n".join(value for name, value in unit.directives(unit.PULLER) if name != "Documentation")
    )
    assert named <= unit.paths("\n".join([*unit.steps(), steps]))
    for file in (unit.PULLER, unit.PULL_TIMER, unit.PULLING):
        assert f"deploy/{file.name}" in steps


def test_a_server_that_pulls_writes_nothing_but_files_made_once_and_builds_nothing():
    index = unit.environment()["REGULA_INDEX"]
    variables = {**unit.environment(), **unit.environment(unit.PULLING)}
    assert variables == {**unit.environment(), "REGULA_HOME": "", "REGULA_BUILDS": "false"}
    written = [value for name, value in unit.directives(unit.PULLING) if name == "ReadWritePaths"]
    assert written[0] == ""  # which takes back what the unit says
    assert set(written[1].split()) == {f"{index}/{RENDERED}"}
    there = unit.environment(unit.PULLER)
    assert (there["REGULA_INDEX"], there["REGULA_BUILDS"]) == (index, "false")
    assert f"%S/{unit.value('StateDirectory', unit.PULLER)}" == index


def test_the_service_can_write_what_people_enter_and_neither_rulebooks_nor_indexes():
    variables = unit.environment()
    assert variables["REGULA_BUILDS"] == "false"
    home, index = variables["REGULA_HOME"], variables["REGULA_INDEX"]
    assert unit.value("ProtectSystem") == "strict"
    assert [
        name
        for name, _ in unit.directives()
        if name.endswith("Directory") and name != "WorkingDirectory"
    ] == []
    assert set(unit.values("ReadWritePaths")) == {home, f"{index}/{RENDERED}"}
    assert unit.values("ReadOnlyPaths") == [f"{home}/{RULEBOOKS}"]
    assert {
        f"{home}/{name}"
        for name in (*FOLDERS, REVIEWS, PAIRINGS, IGNORED, FEEDBACK)
        if name != RULEBOOKS
    } <= unit.paths("\n".join(unit.steps()))
    there = unit.environment(unit.BUILDER)
    assert {**there, "REGULA_BUILDS": "false"} == variables
    assert unit.values("ReadWritePaths", unit.BUILDER) == []
    assert f"%S/{unit.value('StateDirectory', unit.BUILDER)}" == index


def test_a_reload_reads_the_settings_again():
    assert unit.value("ExecReload") == "/bin/kill -HUP $MAINPID"


def test_whatever_the_comment_says_of_further_files_is_made_by_its_steps():
    comment, _, _ = unit.FILE.read_text().partition("[Unit]")
    assert unit.paths(comment) <= unit.paths("\n".join(unit.steps()))


@pytest.fixture
def root(tmp_path) -> Path:
    """A folder in which the steps of the comment were taken, as if it were the root of the file
    system.
    """
    commands = tmp_path / "commands"
    commands.mkdir()
    for name, does in STANDINS.items():
        (commands / name).write_text(f"#!/bin/sh\n{does}\n")
        (commands / name).chmod(0o755)
    root = tmp_path / "root"
    (root / "etc" / "systemd" / "system").mkdir(parents=True)
    environment = without_settings() | {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "INSTALL": str(shutil.which("install")),
        "REGULA_PROGRAM": str(Path(sys.executable).parent / "regula"),
    }
    for step in unit.steps():
        done = subprocess.run(
            ["bash", "-c", f"set -eo pipefail; {unit.mapped(step, root)}"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
        )
        assert done.returncode == 0, (step, done.stderr)
    return root


def test_settings_and_keys_are_open_to_the_service_and_closed_to_others(root):
    for name in ("regula.toml", "keys.toml"):
        assert stat.S_IMODE((root / "etc" / "regula" / name).stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "etc" / "regula").stat().st_mode) == 0o750


def test_the_service_starts_as_the_unit_says_tells_systemd_and_stops_in_time(
    root, sample_snapshots
):
    port = free_port()
    settings = root / "etc" / "regula" / "regula.toml"
    settings.write_text(
        settings.read_text() + f'\nport = {port}\nkeys = "{root}/etc/regula/keys.toml"\n'
    )
    for book in SAMPLE.glob("*.txt"):
        shutil.copy(book, root / "srv" / "regula" / "rulebooks")
    state = root / "var" / "lib"
    shutil.copytree(
        sample_snapshots.folder,
        state / "regula",
        ignore=shutil.ignore_patterns(".*"),
        dirs_exist_ok=True,
    )
    variables = {
        name: unit.mapped(value, root).replace("%S", str(state))
        for name, value in unit.environment().items()
    }
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(str(root / "notify"))
    told.settimeout(60)
    process = subprocess.Popen(
        shlex.split(unit.mapped(unit.value("ExecStart"), root)),
        cwd=ROOT,
        env=without_settings() | variables | {"NOTIFY_SOCKET": str(root / "notify")},
        stderr=(root / "log").open("wb"),
    )
    try:
        assert unit.value("Type") == "notify"
        assert b"READY=1" in told.recv(1000)
        for page in ("healthz", "readyz"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=20) as response:
                assert response.status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(float(unit.value("TimeoutStopSec"))) == 0
    finally:
        process.kill()
        process.wait()
        told.close()
        print((root / "log").read_text())


def test_a_setting_that_cannot_be_is_not_tried_again(root):
    settings = root / "etc" / "regula" / "regula.toml"
    settings.write_text("port = 'none'\n")
    variables = {
        name: unit.mapped(value, root).replace("%S", str(root))
        for name, value in unit.environment().items()
    }
    done = subprocess.run(
        shlex.split(unit.mapped(unit.value("ExecStart"), root)),
        cwd=ROOT,
        env=without_settings() | variables,
        capture_output=True,
    )
    assert str(done.returncode) == unit.value("RestartPreventExitStatus")
