"""Expensive shared fixtures: made once, by the first test process that needs them."""

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

KEPT = 3 * 3600  # seconds to keep them after the start of the last run that needed them


def folder_for(sources: Iterable[Path], kept: Path) -> Path:
    """Return the folder in ``kept`` for things made from ``sources``, files or folders. Remove
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
    """Return ``folder`` after one process has filled it with ``make`` while others wait; do not
    modify it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = folder.with_name(f"{folder.name}.done")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            for left in folder.iterdir():  # by a killed process
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            make(folder)
            done.touch()
    return folder


def load_word_tables(folder: Path) -> WordTables:
    """Return the word tables in ``folder``, compiled on first use."""
    return WordTables.load(made_once(folder, lambda place: WordTables.compile().save(place)))


@contextmanager
def builds_share_word_tables(folder: Path) -> Iterator[None]:
    """Let builds in this process share the tables in ``folder`` and the model of how questions are
    worded. Making either takes longer than indexing a small rulebook.
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
