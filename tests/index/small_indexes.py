"""Make two small rulebooks that differ in a few numbers, their indexes, and copies of an index
under new ids.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from index.building.snapshots import Snapshots
from index.model import Query
from index.search import Index
from service.ops.indexes import IndexManager
from service.ops.settings import Locations

ROOT = Path(__file__).resolve().parent.parent.parent
BOOK = ROOT / "corpus" / "sample" / "rulebooks" / "pegelduell-de-2.0.txt"
CHANGED = {
    "9 oder mehr Laternen": "8 oder mehr Laternen",
    "bei 15 oder höher": "bei 16 oder höher",
    "Stehen sie alle": "Stehen alle",
}
QUESTIONS = (
    "Wie viele Laternen brauche ich, um zu gewinnen?",
    "Bei welchem Pegel ist ein Lotse abgesoffen?",
    "Was ist die Hafenschau?",
    "Wann sinkt ein Kahn?",
)

_numbers = count()


def books(folder: Path) -> tuple[Path, Path]:
    """Write two folders with a rulebook each, of the same edition, and return them."""
    text = BOOK.read_text(encoding="utf-8")
    other = text
    for old, new in CHANGED.items():
        other = other.replace(old, new)
    assert other != text
    for name, content in (("one", text), ("other", other)):
        (folder / name).mkdir(parents=True)
        (folder / name / "book.txt").write_text(content, encoding="utf-8")
    return folder / "one", folder / "other"


def found(index: Index) -> list[tuple[str, str]]:
    """Return the results for `QUESTIONS`."""
    return [
        (hit.passage.id, hit.passage.text)
        for question in QUESTIONS
        for hit in index.search(Query(question)).hits
    ]


def indexes(
    rulebooks: Path,
    folder: Path,
    say: Callable[[str], None] = lambda _: None,
    kept: int = 3,
    private: bool = False,
) -> IndexManager:
    """Return a manager that serves an index of ``rulebooks`` from ``folder``; with ``private``,
    from a private copy.
    """
    return IndexManager(Locations(rulebooks, folder, is_sample=False), say, kept, private)


def build_twins(folder: Path) -> None:
    """Write the two rulebooks to folders in ``folder``/books, and build their indexes in
    ``folder``/index0 and /index1.
    """
    for number, book in enumerate(books(folder / "books")):
        indexes(book, folder / f"index{number}").build()


def publish_copy(snapshots: Snapshots, built: Path) -> str:
    """Publish an exact copy of the files of ``built`` as a snapshot with an id of its own."""
    with snapshots.building() as place:
        shutil.copytree(built, place, dirs_exist_ok=True)
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        manifest["id"] = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{next(_numbers):08x}"
        (place / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        snapshots.publish(place, manifest["id"])
    return str(manifest["id"])
