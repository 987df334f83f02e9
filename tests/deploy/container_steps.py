"""Run the steps of deploy/Containerfile in a throwaway copy of this machine instead of its base
image, for machines without a registry.

``python -m tests.deploy.container_steps INDEX`` builds, starts the command of CMD with the sample
and a copy of INDEX, asks a question, and stops; it takes minutes. It needs root and a package index
for pip. It does not show whether the base image has everything that the steps need. A real image
has only the files of the last stage; here everything that the first stage installed is there too.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import ROOT, SAMPLE

FILE = ROOT / "deploy" / "Containerfile"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PATIENCE = 300.0  # seconds until it answers
_APART = "--apart"  # says that this process already has its own mounts and processes
_WITHOUT_EFFECT = ("ARG", "FROM", "VOLUME", "EXPOSE", "HEALTHCHECK", "STOPSIGNAL")


def instructions() -> Iterator[tuple[str, str]]:
    """Yield the instructions of the file, each with its arguments."""
    lines = [
        line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.partition(" ")
            yield name, rest.strip()


def copy(said: str, directory: Path) -> None:
    """Do what COPY does: copy files and contents of folders from this checkout, without ignored
    ones.
    """
    ignored = shutil.ignore_patterns("__pycache__", ".*_cache", "*.egg-info")
    *names, to = said.split()
    for name in names:
        source, target = ROOT / name, directory / to
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignored, dirs_exist_ok=True)
            continue
        target = target / source.name if to.endswith(("/", ".")) else target
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def run(root: Path, directory: str, *command: str) -> None:
    subprocess.run(
        ["chroot", str(root), "env", f"--chdir={directory}", f"PATH={PATH}", *command], check=True
    )


def mount(*said: str) -> None:
    subprocess.run(["mount", *said], check=True)


def mount_system(root: Path) -> None:
    mount("-t", "proc", "proc", str(root / "proc"))
    mount("--rbind", "/dev", str(root / "dev"))


def build(root: Path) -> tuple[str, str, dict[str, str], list[str]]:
    """Run the steps in ``root``; return the directory, the user, the environment and the command of
    the image.
    """
    directory, user, command = "/", "root", [""]
    environment: dict[str, str] = {}
    for name, said in instructions():
        if name in _WITHOUT_EFFECT or said.startswith("--from="):
            continue
        print(f"{name} {said}", flush=True)
        if name == "WORKDIR":
            directory = said
            (root / said.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            copy(said, root / directory.lstrip("/"))
        elif name == "RUN":
            run(root, directory, "sh", "-ec", said)
        elif name == "ENV":
            environment |= dict(pair.split("=", 1) for pair in shlex.split(said))
        elif name == "USER":
            user = said
        elif name == "CMD":
            command = json.loads(said)
        else:
            raise ValueError(f"an instruction that is not known here: {name}")
    return directory, user, environment, command


def start(
    root: Path,
    upper: Path,
    index: Path,
    built: tuple[str, str, dict[str, str], list[str]],
    port: int,
) -> None:
    """Run the command of the image, with only its index, its workspace and /tmp writable; ask a
    question, and stop it.
    """
    directory, user, environment, command = built
    shutil.copytree(SAMPLE, root / "rulebooks", dirs_exist_ok=True)
    shutil.copytree(index, root / "index", dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))
    run(root, "/", "chown", "-R", user, "/index")
    uid, gid = user.split(":")
    mount("--bind", str(root), str(root))
    mount("-o", "remount,bind,ro", str(root))
    for name in ("index", "workspace"):
        mount("--bind", str(upper / name), str(root / name))
    mount("-t", "tmpfs", "tmpfs", str(root / "tmp"))
    mount_system(root)  # an engine gives a container its own /proc and a writable /dev/shm
    said = [f"{name}={value}" for name, value in (environment | {"REGULA_PORT": str(port)}).items()]
    rights = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs"]
    process = subprocess.Popen(
        ["chroot", str(root), *rights, "env", "-i", f"--chdir={directory}", *said, *command]
    )
    try:
        ask(process, port)
        process.terminate()
        assert process.wait(30) == 0
        print("stopped in order", flush=True)
    finally:
        process.kill()
        process.wait()


def ask(process: subprocess.Popen[bytes], port: int) -> None:
    """Ask until ``process`` answers. Raises `OSError` where it does not answer or has ended."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/v1/ask?q=Flut&k=1", timeout=5
            ) as response:
                assert json.load(response)["passages"]
            break
        except OSError:
            if process.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(1)
    print("answered", flush=True)


def main(index: Path, port: int = 8080) -> None:
    """Run everything, in namespaces of its own, so that all mounts and processes are gone at the
    end.
    """
    if _APART not in sys.argv:
        apart = [
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--propagation",
            "private",
        ]
        arguments = [
            sys.executable,
            "-m",
            "tests.deploy.container_steps",
            str(index),
            str(port),
            _APART,
        ]
        sys.exit(subprocess.run([*apart, *arguments], cwd=ROOT).returncode)
    with TemporaryDirectory() as place:
        root, upper, scratch = (Path(place) / name for name in ("root", "upper", "scratch"))
        for folder in (root, upper, scratch):
            folder.mkdir()
        mount(
            "-t",
            "overlay",
            "overlay",
            "-o",
            f"lowerdir=/,upperdir={upper},workdir={scratch}",
            str(root),
        )
        mount_system(root)
        for name in ("regula", "index", "rulebooks", "workspace"):
            assert not (root / name).exists(), f"/{name} is there already"
        try:
            start(root, upper, index, build(root), port)
        finally:
            while (
                subprocess.run(
                    ["umount", "--recursive", "--lazy", str(root)], capture_output=True
                ).returncode
                == 0
            ):
                pass  # what is mounted over it, then itself


if __name__ == "__main__":
    given = [each for each in sys.argv[1:] if each != _APART]
    if os.geteuid() != 0 or not re.fullmatch(r"\d*", "".join(given[1:])):
        sys.exit("python -m tests.deploy.container_steps INDEX [PORT], as root")
    main(Path(given[0]).resolve(), int(given[1]) if len(given) > 1 else 8080)
