import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.ops.settings import (
    USUAL,
    UsualFolders,
    usual_folders,
)
from tests.conftest import ROOT
from tests.environment import without_settings


@pytest.fixture
def installed(tmp_path, monkeypatch) -> UsualFolders:
    """The folders of a program in site-packages that is started in an empty folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "work" / "game").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "game")
    return usual_folders(tmp_path / "site-packages")


def put(folder):
    folder.mkdir(parents=True)
    (folder / "rules.txt").write_text("RULES")


def test_this_checkout_keeps_everything_within_itself():
    assert USUAL.rulebooks == (ROOT / "corpus" / "rulebooks", ROOT.parent / "shared" / "rulebooks")
    assert USUAL.index_of(USUAL.sample) == ROOT / ".regula" / "sample"
    assert USUAL.own_rulebooks == "corpus/rulebooks"


def test_rulebooks_of_a_checkout_come_before_shared_ones_and_these_before_the_sample(tmp_path):
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "pyproject.toml").touch()
    usual = usual_folders(tmp_path / "main")
    assert usual.find_rulebooks() == usual.sample
    put(tmp_path / "shared" / "rulebooks")
    (tmp_path / "main" / "corpus" / "rulebooks").mkdir(parents=True)  # has no file yet
    assert usual.find_rulebooks() == tmp_path / "shared" / "rulebooks"
    (tmp_path / "main" / "corpus" / "rulebooks" / "rules.txt").touch()
    assert usual.find_rulebooks() == tmp_path / "main" / "corpus" / "rulebooks"


def test_an_installed_program_looks_where_it_is_started_and_then_in_the_users_folder(
    installed, tmp_path
):
    assert installed.find_rulebooks() == installed.sample
    put(tmp_path / "regula" / "rulebooks")
    assert (
        installed.find_rulebooks()
        == tmp_path / "regula" / "rulebooks"
        == Path(installed.own_rulebooks)
    )
    put(tmp_path / "work" / "shared" / "rulebooks")
    assert installed.find_rulebooks().resolve() == tmp_path / "work" / "shared" / "rulebooks"
    put(tmp_path / "work" / "game" / "corpus" / "rulebooks")
    assert (
        installed.find_rulebooks().resolve() == tmp_path / "work" / "game" / "corpus" / "rulebooks"
    )


def test_an_installed_program_keeps_an_index_for_each_folder_in_the_users_folder(
    installed, tmp_path
):
    places = {
        installed.index_of(folder) for folder in (installed.sample, tmp_path / "a", tmp_path / "b")
    }
    assert len(places) == 3
    assert {place.parent for place in places} == {tmp_path / "regula" / "indexes"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other user folders")
def test_a_program_outside_a_checkout_finds_its_sample_and_the_users_folder(tmp_path):
    site = tmp_path / "site-packages"
    for package in ("corpus", "glossary", "index", "service"):
        shutil.copytree(
            ROOT / package,
            site / package,
            ignore=shutil.ignore_patterns("__pycache__", "rulebooks"),
        )
    shutil.copytree(
        ROOT / "corpus" / "sample" / "rulebooks", site / "corpus" / "sample" / "rulebooks"
    )
    (tmp_path / "empty").mkdir()
    code = (
        "from service.ops.settings import load, locations; found = locations(load()); "
        "print(found.rulebooks, found.index, found.is_sample)"
    )
    environment = {
        **without_settings(),
        "PYTHONPATH": str(site),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "empty",
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [
        str(site / "corpus" / "sample" / "rulebooks"),
        str(tmp_path / "data" / "regula" / "indexes" / "sample"),
        "True",
    ], done.stderr
