"""Test builds that are killed, run out of disk space or lack permission to write, in processes
forked from one that has everything loaded.

``python -m tests.index.failing_builds FOLDER TWINS WORD_TABLES --kills N`` and ``… --refused``
print the results as JSON. TWINS is the folder made by `build_twins`, WORD_TABLES the word tables
made by `made_once`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from service.core.snapshot import Snapshot

os.environ["OMP_NUM_THREADS"] = "1"  # a team of threads does not survive a fork

import scipy.sparse  # noqa: F401
import sklearn.linear_model  # noqa: F401
import torch

import index.training.encoder  # noqa: F401 - which every build would import
from index.building.snapshots import Snapshots
from index.model import Query
from service.cli import main
from tests.index.small_indexes import QUESTIONS, indexes, publish_copy
from tests.service.serving import free_port
from tests.shared import builds_share_word_tables
from tests.tasks import forked


def regula(
    *arguments: str, out: Path = Path(os.devnull), limit: int | None = None
) -> Callable[[], None]:
    """Return the command as work for a separate process; ``limit`` is the largest file that it may
    write, in bytes.
    """

    def work() -> None:
        target = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, 1)
        os.dup2(target, 2)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        os.environ["REGULA_PREPARE"] = "false"
        main(arguments)

    return work


def done(child: int) -> int:
    """Wait for ``child`` and return its exit status."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Stage:
    """Two rulebooks, a published index of each, and the correct answers."""

    def __init__(self, folder: Path, twins: Path) -> None:
        torch.set_num_threads(1)
        self.folder = folder
        shutil.copytree(twins, folder, dirs_exist_ok=True)
        self.books = folder / "books" / "one", folder / "books" / "other"
        self.built: list[Path] = []
        self.answers: dict[str, list[list[tuple[str, str]]]] = {}
        for number, book in enumerate(self.books):
            found = indexes(book, folder / f"index{number}")
            index = found.load()
            self.built.append(found.snapshots.path(index.id))
            self.answers[self._document(index)] = self._answers(index)
        assert len(self.answers) == 2
        assert len({str(a) for a in self.answers.values()}) == 2
        self.bytes = sum(p.stat().st_size for p in self.built[0].rglob("*") if p.is_file())

    @staticmethod
    def manifest(built: Path) -> dict[str, Any]:
        """Return the manifest of the index in the folder ``built``."""
        found: dict[str, Any] = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
        return found

    @staticmethod
    def _document(index: Snapshot) -> str:
        return " ".join(source.sha256 for source in index.library.sources.values())

    @staticmethod
    def _answers(index: Snapshot) -> list[list[tuple[str, str]]]:
        return [
            [(h.passage.id, h.passage.text) for h in index.search(Query(q)).hits] for q in QUESTIONS
        ]

    def fault(self, snapshots: Snapshots) -> str:
        """Return what is wrong with the folder of ``snapshots``; "" where an index loads and gives
        the answers of its own rulebook.
        """
        try:
            for id in snapshots.all():
                snapshots.verify(id)
            said: list[str] = []
            index = indexes(self.books[0], snapshots.folder, said.append).load()
            if said or index.id != snapshots.current():
                return f"the published index did not load: {said}"
            if self.answers.get(self._document(index)) != self._answers(index):
                return f"index {index.id} does not answer as it should"
        except Exception as fault:
            return f"{type(fault).__name__}: {fault}"
        return ""


def kills(stage: Stage, number: int, seed: int) -> list[dict[str, Any]]:
    """Kill ``number`` processes that build, publish, roll back or serve, in turn, at random
    moments. Return the findings after each.
    """
    chance = random.Random(seed)
    snapshots = Snapshots(stage.folder / "killed")
    publish_copy(snapshots, stage.built[0])
    begun = time.monotonic()
    assert (
        done(
            forked(
                regula(
                    "build",
                    "--fresh",
                    "--rulebooks",
                    str(stage.books[0]),
                    "--index",
                    str(snapshots.folder),
                )
            )
        )
        == 0
    )
    lasts = time.monotonic() - begun
    turns = [chance.choice(("build", *2 * ("publish", "rollback", "serve"))) for _ in range(number)]
    found = []
    for turn, what in enumerate(turns):
        before = snapshots.pointer()
        if what == "serve":
            killed = _kill_serving(stage, snapshots, turns[:turn].count("serve"), chance)
        elif what in ("publish", "rollback"):
            endless = _publishing if what == "publish" else _rolling_back
            killed = _kill(forked(partial(endless, stage, snapshots)), chance.uniform(0, 0.8))
        else:
            # Fresh, because an index with the other rulebook's encoder answers slightly
            # differently.
            work = regula(
                "build",
                "--fresh",
                "--rulebooks",
                str(stage.books[turn % 2]),
                "--index",
                str(snapshots.folder),
            )
            killed = _kill(forked(work), chance.uniform(chance.choice([0, 0.8]), 1.05) * lasts)
        left = [p.name for p in snapshots.folder.iterdir()]
        pointer = snapshots.pointer()
        states = {
            "ended before": not killed,
            "building": ".building" in left,
            "pointer written": ".current" in left,
            "removing": any(name.startswith(".removing-") for name in left),
            "copying": any(name.startswith(".regula-serving-") for name in left),
            "not yet published": pointer is not None
            and not pointer.pinned
            and max(snapshots.all()) != pointer.id,
            "published": pointer != before,
            "one too many": len(snapshots.all()) > snapshots.keep,
        }
        found.append(
            {
                "what": what,
                "states": [name for name, there in states.items() if there],
                "fault": stage.fault(snapshots),
                "left": left,
                "bytes": sum(p.stat().st_size for p in snapshots.folder.rglob("*") if p.is_file()),
            }
        )
    indexes(stage.books[0], snapshots.folder).snapshots.tidy()
    found.append(
        {
            "what": "tidy",
            "states": [],
            "fault": stage.fault(snapshots),
            "left": [p.name for p in snapshots.folder.iterdir()],
        }
    )
    return found


def _kill(child: int, moment: float) -> bool:
    """Kill ``child`` after ``moment`` seconds, and return whether it was still running."""
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    return done(child) == -signal.SIGKILL


def _publishing(stage: Stage, snapshots: Snapshots) -> None:
    while True:
        for built in stage.built:
            publish_copy(snapshots, built)


def _rolling_back(stage: Stage, snapshots: Snapshots) -> None:
    while True:
        for id in snapshots.all():
            roll_back = regula(
                "rollback", id, "--rulebooks", str(stage.books[0]), "--index", str(snapshots.folder)
            )
            with suppress(SystemExit):
                roll_back()


def _kill_serving(stage: Stage, snapshots: Snapshots, number: int, chance: random.Random) -> bool:
    """Kill a service while it starts, and return whether it was still running.

    Depending on ``number``, it is killed as soon as it copies the index, soon after, or, without a
    copy, at any moment.
    """
    id = snapshots.current()
    assert id is not None
    mark = snapshots.manifest(id)["fingerprint"]
    (book,) = [
        b
        for b, built in zip(stage.books, stage.built, strict=True)
        if stage.manifest(built)["fingerprint"] == mark
    ]
    arguments = (
        "serve",
        "--rulebooks",
        str(book),
        "--index",
        str(snapshots.folder),
        "--port",
        str(free_port()),
    )
    copies = {"REGULA_PRIVATE_COPIES": str(number % 3 < 2)}
    child = forked(lambda: (os.environ.update(copies), regula(*arguments)()))
    moment = chance.uniform(0, 2)
    if number % 3 < 2:
        end = time.monotonic() + 60
        while time.monotonic() < end and not any(snapshots.folder.glob(".regula-serving-*")):
            time.sleep(0.001)
        moment = chance.uniform(0, 0.1) if number % 3 else 0.0
    return _kill(child, moment)


def full(stage: Stage) -> list[dict[str, Any]]:
    """Build without disk space: on a small full disk, where one may be mounted, and with a limit on
    the size of files.
    """
    found = []
    disk = stage.folder / "disk"
    mounted = _mount(disk, 4 * stage.bytes)
    snapshots = Snapshots(disk / "index")
    publish_copy(snapshots, stage.built[0])
    for share in (0.0, 0.5, 0.99):
        if mounted:
            with (disk / "filler").open("wb") as filler:
                os.posix_fallocate(
                    filler.fileno(),
                    0,
                    os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
                    - int(share * stage.bytes),
                )
            found.append({"how": "disk", **_refused(stage, snapshots, share, None)})
            if share == 0.5:
                asked = done(
                    forked(
                        regula(
                            "ask",
                            QUESTIONS[0],
                            *_changed(stage, snapshots),
                            out=stage.folder / "told",
                        )
                    )
                )
                found[-1] |= {
                    "asked": asked,
                    "answer": (stage.folder / "told").read_text(encoding="utf-8"),
                }
            (disk / "filler").unlink()
    largest = max(p.stat().st_size for p in stage.built[0].rglob("*"))
    for share in (0.0, 0.05, 0.9):
        found.append({"how": "limit", **_refused(stage, snapshots, share, int(share * largest))})
    status = done(forked(regula("build", "--fresh", *_changed(stage, snapshots))))
    found.append(
        {
            "how": "room again",
            "status": status,
            "fault": stage.fault(snapshots),
            "current": snapshots.current(),
        }
    )
    if mounted:
        subprocess.run(["umount", disk], check=True)
    return found


def _changed(stage: Stage, snapshots: Snapshots) -> tuple[str, ...]:
    """Return the options of a command after the rulebook was changed."""
    return "--rulebooks", str(stage.books[1]), "--index", str(snapshots.folder)


def _mount(disk: Path, size: int) -> bool:
    """Mount an in-memory disk of ``size`` bytes, and return whether that is allowed here."""
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def read_only(stage: Stage) -> list[dict[str, Any]]:
    """Return what each command does if the index folder is read-only; empty where no such folder
    can be made here.
    """
    disk = stage.folder / "read-only"
    mounted = _mount(disk, 2 * stage.bytes)
    snapshots = Snapshots(disk / "index")
    publish_copy(snapshots, stage.built[0])
    if mounted:
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    elif os.getuid():
        for path in (snapshots.folder, *snapshots.folder.rglob("*")):
            path.chmod(path.stat().st_mode & 0o555)
    else:
        return []  # root may write anywhere
    found = []
    for book, command in (
        (0, ["ask", QUESTIONS[0]]),
        (1, ["ask", QUESTIONS[0]]),
        (0, ["indexes", "--verify"]),
        (1, ["build"]),
        (0, ["rollback"]),
    ):
        told = stage.folder / "told"
        status = done(
            forked(
                regula(
                    *command,
                    "--rulebooks",
                    str(stage.books[book]),
                    "--index",
                    str(snapshots.folder),
                    out=told,
                )
            )
        )
        found.append(
            {
                "book": book,
                "command": command[0],
                "status": status,
                "told": told.read_text(encoding="utf-8"),
            }
        )
    if mounted:
        subprocess.run(["umount", disk], check=True)
    return found


def _refused(stage: Stage, snapshots: Snapshots, share: float, limit: int | None) -> dict[str, Any]:
    def names() -> Iterator[str]:
        return (
            str(p) for p in sorted(snapshots.folder.rglob("*")) if p.name != ".last-build"
        )  # how it ended, if there is room to record it

    before = list(names())
    told = stage.folder / "told"
    allowed = None if limit is None else max(limit, 4096)
    status = done(
        forked(regula("build", "--fresh", *_changed(stage, snapshots), out=told, limit=allowed))
    )
    last = told.read_text(encoding="utf-8").splitlines()[-1:]
    same = before == list(names())
    return {
        "share": share,
        "status": status,
        "last": last,
        "same": same,
        "fault": stage.fault(snapshots),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for place in ("folder", "twins", "word_tables"):
        parser.add_argument(place, type=Path)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--refused", action="store_true")
    given = parser.parse_args()
    stage = Stage(given.folder, given.twins)
    report: dict[str, Any] = {"bytes": stage.bytes}
    with builds_share_word_tables(given.word_tables):
        if given.kills:
            report["kills"] = kills(stage, given.kills, given.seed)
        if given.refused:
            report |= {"full": full(stage), "read-only": read_only(stage)}
    json.dump(report, sys.stdout)
