import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.environment import without_settings
from tests.service.serving import free_port

PACKAGES = ("corpus", "glossary", "index", "service")
BESIDE = (
    "pyproject.toml",
    "MANIFEST.in",
    "Makefile",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
)
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
# Seconds until it answers; it builds no index, unless one that was kept for test runs is old
PATIENCE = 240.0
BUILD = """
import sys
from setuptools.build_meta import build_sdist, build_wheel
place = sys.argv[1]  # building alters the arguments
build_sdist(place)
build_wheel(place)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the source distribution and the wheel of this checkout."""
    place = tmp_path_factory.mktemp("built")
    source = place / "source"
    own = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info")
    for folder in (*PACKAGES, "docs", "deploy", "examples"):
        shutil.copytree(ROOT / folder, source / folder, ignore=own)
    for file in (*BESIDE, *(each.name for each in ROOT.glob("requirements*.lock"))):
        shutil.copy(ROOT / file, source)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(place)], cwd=source, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="module")
def packed(built) -> set[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        return set(wheel.namelist())


def tracked(*folders):
    """The files of ``folders`` that are under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True
    )
    found = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    if not found:
        pytest.skip("this is no checkout")
    return found


def test_a_wheel_holds_every_file_of_the_packages(packed):
    files = tracked(*PACKAGES)
    sources_of_translations = {name for name in files if Path(name).suffix == ".pot"}
    assert files - sources_of_translations - packed == set()


def test_a_wheel_says_that_its_packages_are_typed(packed):
    assert {f"{package}/py.typed" for package in PACKAGES} <= packed


def test_a_wheel_holds_nothing_else(packed):
    assert {name.partition("/")[0] for name in packed if ".dist-info/" not in name} == set(PACKAGES)
    assert not [name for name in packed if name.startswith("corpus/rulebooks/")]


def test_a_source_distribution_has_all_that_a_wheel_is_made_of_and_how_to_run_it(built, packed):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in packed if ".dist-info/" not in name} - names == set()
    assert {*BESIDE, "requirements.lock", "requirements-torch.lock"} <= names
    assert tracked("deploy", "docs", "examples") - names == set()
    assert not [name for name in names if name.startswith(("tests/", ".", "corpus/rulebooks/"))]


def test_the_version_is_the_newest_in_the_changes_and_its_day_is_said(built):
    assert {file.name for file in built.glob("regula-*")} == {
        f"regula-{VERSION}.tar.gz",
        f"regula-{VERSION}-py3-none-any.whl",
    }
    headings = re.findall(
        r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert headings[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(VERSION)} - 20\d\d-[01]\d-[0-3]\d", headings[1])


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory) -> tuple[list[str], dict[str, str]]:
    """A command that runs what was installed from the wheel, and its environment: the packages of
    this one, without this checkout.
    """
    target = tmp_path_factory.mktemp("installed")
    options = [
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-compile",
        "--target",
        str(target),
        str(next(built.glob("*.whl"))),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    # Of the folders on this path no .pth file is read, so that nothing leads to the checkout.
    found = os.pathsep.join(
        [str(target), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    )
    python = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    return [str(python), str(target / "bin" / "regula")], without_settings() | {
        "PYTHONPATH": found,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_what_was_installed_from_a_wheel_starts_and_answers_on_the_sample(
    installed, sample_snapshots, tmp_path
):
    command, environment = installed
    told = subprocess.run(
        [*command, "--version"], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert told.stdout.strip() == f"regula, version {VERSION}"
    shutil.copytree(
        sample_snapshots.folder, tmp_path / "index", ignore=shutil.ignore_patterns(".*")
    )
    address = f"http://127.0.0.1:{(port := free_port())}"
    log = tmp_path / "log"
    with log.open("wb") as lines:
        process = subprocess.Popen(
            [*command, "serve", "--port", str(port), "--index", str(tmp_path / "index")],
            stderr=lines,
            env=environment,
            cwd=tmp_path,
        )
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"{address}/readyz", timeout=5) as response:
                    assert response.status == 200
                break
            except OSError:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.2)
        for path in ("/v1/ask?q=Wer+entscheidet+bei+gleichzeitigen+Effekten%3F", "/openapi.json"):
            with urllib.request.urlopen(address + path, timeout=30) as response:
                answer = json.load(response)
        assert answer["info"]["version"] == VERSION
        german = urllib.request.Request(f"{address}/?q=Flut", headers={"Accept-Language": "de"})
        with urllib.request.urlopen(german, timeout=30) as response:
            page = response.read().decode()
        assert '<html lang="de"' in page
        for file in set(re.findall(r'"(/static/[^"]+)"', page)):
            with urllib.request.urlopen(address + file, timeout=30) as response:
                assert response.read()
    finally:
        process.terminate()
        process.wait(30)
    assert "building" not in log.read_text()
