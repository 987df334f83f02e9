import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT, SAMPLE
from tests.service.serving import free_port

FILE = ROOT / "deploy" / "Containerfile"
PATIENCE = 300.0  # seconds until it answers; it builds no index


def test_the_base_is_named_by_its_digest_and_the_image_installs_what_is_locked():
    text = FILE.read_text()
    (base,) = re.findall(r"^ARG BASE=(\S+)$", text, re.MULTILINE)
    assert re.fullmatch(r"[\w./-]+:3\.11[\w.-]*@sha256:[0-9a-f]{64}", base)
    assert {said.split()[0] for said in re.findall(r"^FROM (.+)$", text, re.MULTILINE)} == {
        "${BASE}"
    }
    assert "deploy/install requirements.lock" in text


def test_everything_that_the_image_copies_is_there():
    ignored = (ROOT / ".containerignore").read_text().split()
    for said in re.findall(r"^COPY (?!--)(.+) \S+$", FILE.read_text(), re.MULTILINE):
        for name in said.split():
            assert (ROOT / name).exists()
            assert name not in ignored


def test_the_image_runs_as_somebody_of_no_rights_and_says_when_it_is_well():
    last = FILE.read_text().rpartition("FROM ")[2]
    (user,) = re.findall(r"^USER (\S+)$", last, re.MULTILINE)
    assert re.fullmatch(
        r"[1-9]\d*:[1-9]\d*", user
    )  # Kubernetes' runAsNonRoot looks at the number alone
    uid, gid = user.split(":")
    assert f"--uid {uid} --gid {gid} regula" in last
    assert f"groupadd --system --gid {gid} regula" in last
    assert re.search(r"^HEALTHCHECK ", last, re.MULTILINE)


@pytest.fixture
def engine() -> str:
    """podman or docker, where it works."""
    for name in ("podman", "docker"):
        if (
            shutil.which(name)
            and subprocess.run([name, "info"], capture_output=True).returncode == 0
        ):
            return name
    pytest.skip("neither podman nor docker works here")


@pytest.fixture
def image(engine) -> Iterator[str]:
    """The image, built; skipped where its base cannot be had."""
    base = re.findall(r"^ARG BASE=(\S+)$", FILE.read_text(), re.MULTILINE)[0]
    if subprocess.run([engine, "pull", base], capture_output=True).returncode:
        pytest.skip("the base image cannot be had here")
    name = f"regula-test-{os.getpid()}"
    subprocess.run([engine, "build", "--file", str(FILE), "--tag", name, str(ROOT)], check=True)
    yield name
    subprocess.run([engine, "rmi", "--force", name], check=True)


@pytest.mark.acceptance
def test_the_container_answers_with_nothing_writable_but_its_index_and_workspace(
    engine, image, sample_snapshots, tmp_path
):
    shutil.copytree(
        sample_snapshots.folder, tmp_path / "index", ignore=shutil.ignore_patterns(".*")
    )
    subprocess.run(["chmod", "-R", "a+rwX", str(tmp_path / "index")], check=True)
    port = free_port()
    shares = ["--volume", f"{SAMPLE}:/rulebooks:ro", "--volume", f"{tmp_path / 'index'}:/index"]
    command = [
        engine,
        "run",
        "--detach",
        "--read-only",
        "--tmpfs",
        "/tmp",
        "--publish",
        f"127.0.0.1:{port}:8080",
        *shares,
        image,
    ]
    container = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(
                    f"http://127.0.0.1:{port}/readyz", timeout=5
                ) as response:
                    assert response.status == 200
                break
            except OSError:
                assert time.monotonic() < end, subprocess.run(
                    [engine, "logs", container], capture_output=True, text=True
                )
                time.sleep(1)
        begun = time.monotonic()
        subprocess.run([engine, "stop", "--time", "30", container], check=True)
        assert time.monotonic() - begun < 30
    finally:
        subprocess.run([engine, "rm", "--force", container], check=True, capture_output=True)
