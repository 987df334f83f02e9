"""What takes long to make and is the same for all tests: made once, by whichever test process needs it first."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from glossary.word_tables import WordTables
from index.building.reuse import PreviousIndex


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """``folder`` after ``make`` has filled it, which one process does while others wait; nobody may alter it."""
    folder.mkdir(parents=True, exist_ok=True)
    done = folder.with_name(f"{folder.name}.done")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(folder)
            done.touch()
    return folder


def load_word_tables(folder: Path) -> WordTables:
    """The word tables in ``folder``, where they are compiled if nobody has yet."""
    return WordTables.load(made_once(folder, lambda place: WordTables.compile().save(place)))


@contextmanager
def builds_share_word_tables(folder: Path) -> Iterator[None]:
    """Inside, builds in this process take the tables in ``folder``: to compile them takes longer than to index a small rulebook."""

    copy_folder = PreviousIndex.copy_folder

    def copy_or_share(previous: PreviousIndex, name: str, place: Path) -> bool:
        if copy_folder(previous, name, place):
            return True
        if name == "forms":
            load_word_tables(folder).save(place / name)
        return name == "forms"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PreviousIndex, "copy_folder", copy_or_share)
        yield
