"""What takes long to make and is the same for all tests: made once, by whichever test process needs
it first.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from glossary.word_tables import WordTables
from index.building.reuse import PreviousIndex
from index.ranking.answerability import WordingModel

KEPT = 3 * 3600  # seconds after the start of the last run that needed it


def folder_for(sources: Iterable[Path], kept: Path) -> Path:
    """Return the folder in ``kept`` for what is made from ``sources``, files or folders; remove
    folders that no run has needed for hours.

    Its name depends on the content of the sources, on Python and on all settings of Regula.
    """
    settings = sorted(each for each in os.environ.items() if each[0].startswith("REGULA_"))
    state = hashlib.sha256(repr([sys.version, settings]).encode())
    for source in sources:
        for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
            if (
                path.is_file()
                and "__pycache__" not in path.parts
                and not path.name.endswith(".yaml.lock")
            ):
                state.update(repr((str(path), hashlib.sha256(path.read_bytes()).digest())).encode())
    folder = kept / state.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in kept.iterdir():
        with suppress(FileNotFoundError):  # another process removes it, too
            if time.time() - other.stat().st_mtime > KEPT:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """``folder`` after ``make`` has filled it, which one process does while others wait; nobody may
    alter it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = folder.with_name(f"{folder.name}.done")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            for left in folder.iterdir():  # by a process that was killed
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            make(folder)
            done.touch()
    return folder


def load_word_tables(folder: Path) -> WordTables:
    """The word tables in ``folder``, where they are compiled if nobody has yet."""
    return WordTables.load(made_once(folder, lambda place: WordTables.compile().save(place)))


@contextmanager
def builds_share_word_tables(folder: Path) -> Iterator[None]:
    """Inside, builds in this process take the tables in ``folder``, and learn only once how
    questions are worded: both take longer than to index a small rulebook.
    """

    copy_folder, fit = PreviousIndex.copy_folder, WordingModel.fit
    learned: dict[int, WordingModel] = {}

    def fit_once(inside: Sequence[str], outside: Sequence[str]) -> WordingModel:
        key = hash((*inside, "", *outside))
        if key not in learned:
            learned[key] = fit(inside, outside)
        return learned[key]

    def copy_or_share(previous: PreviousIndex, name: str, place: Path) -> bool:
        if copy_folder(previous, name, place):
            return True
        if name == "forms":
            load_word_tables(folder).save(place / name)
        return name == "forms"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PreviousIndex, "copy_folder", copy_or_share)
        patch.setattr(WordingModel, "fit", fit_once)
        yield
