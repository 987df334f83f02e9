"""The wheel: it holds every file that the program reads, the marks of typed packages, and nothing of the tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = ("corpus", "glossary", "index", "service")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a wheel of this checkout."""
    place = tmp_path_factory.mktemp("wheel")
    source = place / "source"
    own = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, source / package, ignore=own)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    build = "from setuptools.build_meta import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", build, str(place)], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(place.glob("*.whl"))) as wheel:
        return set(wheel.namelist())


def test_a_wheel_holds_every_file_of_the_packages(packed: set[str]) -> None:
    listed = subprocess.run(["git", "ls-files", "-z", *PACKAGES], cwd=ROOT, capture_output=True, text=True)
    tracked = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    if not tracked:
        pytest.skip("this is no checkout")
    sources_of_translations = {name for name in tracked if Path(name).suffix == ".pot"}
    assert tracked - sources_of_translations - packed == set()


def test_a_wheel_says_that_its_packages_are_typed(packed: set[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= packed


def test_a_wheel_holds_nothing_else(packed: set[str]) -> None:
    assert {name.partition("/")[0] for name in packed if ".dist-info/" not in name} == set(PACKAGES)
    assert not [name for name in packed if name.startswith("corpus/rulebooks/")]
