import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
HOLDS = {
    "requirements.lock": [],
    "requirements-dev.lock": ["dev", "milvus", "general", "redis"],
    "requirements-bench.lock": ["bench"],
}
ALREADY_THERE = {"requirements-bench.lock": "requirements-dev.lock"}


@dataclass(frozen=True)
class Locked:
    """One requirement of a lock, with the number of its hashes."""

    requirement: Requirement
    hashes: int

    @property
    def name(self):
        return canonicalize_name(self.requirement.name)

    @property
    def version(self):
        return next(iter(self.requirement.specifier)).version


def locked(file):
    lines = re.sub(r" *\\\n *", " ", (ROOT / file).read_text()).splitlines()
    kinds = [line.partition(" --hash=") for line in lines if line and not line.startswith("#")]
    return [
        Locked(Requirement(said), len(re.findall(r"\bsha256:[0-9a-f]{64}\b", hashes)))
        for said, _, hashes in kinds
    ]


def wanted(extras):
    return [
        Requirement(said)
        for said in [
            *PROJECT["project"]["dependencies"],
            *(one for extra in extras for one in EXTRAS[extra]),
        ]
    ]


def test_every_extra_is_in_a_lock():
    assert set(EXTRAS) == {extra for extras in HOLDS.values() for extra in extras}


@pytest.mark.parametrize("file", HOLDS)
def test_a_lock_has_every_dependency_at_a_version_that_fits(file):
    there: dict[str, list[str]] = {}
    files = [file, "requirements-torch.lock"]
    files += [ALREADY_THERE[file]] if file in ALREADY_THERE else []
    for each in (each for name in files for each in locked(name)):
        there.setdefault(each.name, []).append(each.version)
    for requirement in wanted(HOLDS[file]):
        versions = there.get(canonicalize_name(requirement.name), [])
        assert versions, f"{requirement}: not in {file}; run 'make lock'"
        fit = all(requirement.specifier.contains(version) for version in versions)
        assert fit, f"{requirement}: {file} has {versions}; run 'make lock'"


def test_what_builds_the_project_is_locked():
    there = {each.name: each.version for each in locked("requirements.lock")}
    for each in map(Requirement, PROJECT["build-system"]["requires"]):
        assert each.specifier.contains(there[canonicalize_name(each.name)])


@pytest.mark.parametrize("file", [*HOLDS, "requirements-torch.lock"])
def test_everything_locked_has_hashes_and_no_address(file):
    for each in locked(file):
        assert each.hashes, f"{each.requirement} in {file} has no hash"
        assert [said.operator for said in each.requirement.specifier] == ["=="], (
            f"{each.requirement} in {file} is not one version"
        )
        assert each.requirement.url is None
    assert not re.search(r"://|--index|--find-links|--trusted", (ROOT / file).read_text())


@pytest.mark.parametrize("file", HOLDS)
def test_no_lock_brings_what_only_cuda_needs(file):
    assert not [
        each.name for each in locked(file) if re.match(r"torch$|triton|nvidia|cuda", each.name)
    ]


def test_a_package_has_the_same_versions_in_all_locks():
    fewer, more, other = ({(each.name, each.version) for each in locked(file)} for file in HOLDS)
    assert fewer <= more
    assert not {name for name, _ in more} & {name for name, _ in other}


BACKEND = """
import os, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "installed-1-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for file, text in FILES.items():
            wheel.writestr("installed-1.dist-info/" + file, text)
    return name

FILES = {
    "METADATA": "Metadata-Version: 2.1\\nName: installed\\nVersion: 1\\n",
    "WHEEL": "Wheel-Version: 1.0\\nGenerator: tests\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    "RECORD": "",
}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A project of two locked packages, one of them called torch, that is installed by the script
    that installs this one.
    """
    place = tmp_path_factory.mktemp("project")
    (place / "deploy").mkdir()
    shutil.copy(ROOT / "deploy" / "install", place / "deploy")
    (place / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    (place / "backend.py").write_text(BACKEND)
    (place / "shelf").mkdir()
    for name in ("tiny", "torch"):
        with zipfile.ZipFile(place / "shelf" / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}.py", "")
            wheel.writestr(
                f"{name}-1.0.dist-info/METADATA",
                f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
            )
            wheel.writestr(
                f"{name}-1.0.dist-info/WHEEL",
                "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            )
            wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return place


def install(project, tampered=""):
    for name, file in (("tiny", "requirements.lock"), ("torch", "requirements-torch.lock")):
        wheel = (project / "shelf" / f"{name}-1.0-py3-none-any.whl").read_bytes()
        digest = hashlib.sha256(wheel + b"other" * (name == tampered)).hexdigest()
        (project / file).write_text(f"{name}==1.0 --hash=sha256:{digest}\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    environment |= {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(project / "shelf"),
        "PYTHON": sys.executable,
    }
    return subprocess.run(
        ["deploy/install"], cwd=project, env=environment, capture_output=True, text=True
    )


def installed(project):
    return {
        each.name.partition("-")[0]
        for each in project.glob(".venv/lib/python3*/site-packages/*-1*.dist-info")
    }


def test_what_has_another_hash_than_the_lock_is_refused_and_what_has_the_same_is_installed(project):
    refused = install(project, tampered="tiny")
    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    assert not installed(project)

    refused = install(project, tampered="torch")
    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    assert installed(project) == {"tiny"}

    done = install(project)
    assert done.returncode == 0, done.stderr
    assert installed(project) == {"tiny", "torch", "installed"}
