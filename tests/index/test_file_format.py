"""The number of the format of an index is raised when its files change: else a version before or
after would misread them.

``python -m tests.index.test_file_format FOLDER`` prints the description of the index in a folder,
for `RECORDED`.
"""

import json
import sys
from pathlib import Path

import numpy as np

from index.building.snapshots import FORMAT

RECORDED = Path(__file__).with_name(f"file_format_{FORMAT}.txt")
_FEW = 40  # keys of an object that are its shape; more are content


def described(place):
    """A line for each file of the index in the folder ``place``: its name, and what is told of its
    shape without what is in it.
    """
    for path in sorted(path for path in place.rglob("*") if path.is_file()):
        name = path.relative_to(place).as_posix()
        if name.startswith("documents/"):
            continue
        yield f"{name}{_shape(path)}"


def _shape(path):
    if path.suffix == ".npy":
        found = np.load(path, mmap_mode="r")
        return f" {found.dtype.descr if found.dtype.names else found.dtype.str} {found.ndim}"
    if path.suffix in (".json", ".jsonl"):
        text = path.read_text(encoding="utf-8")
        value = (
            json.loads(text.partition("\n")[0] if path.suffix == ".jsonl" else text)
            if text.strip()
            else None
        )
        keys = sorted(value) if isinstance(value, dict) and len(value) <= _FEW else []
        fields = [str(len(value))] if path.suffix == ".jsonl" and isinstance(value, list) else keys
        return " ".join((f" {type(value).__name__}", *fields))
    return ""


def test_the_format_has_another_number_where_files_are_others(sample_snapshots):
    now = list(described(sample_snapshots.path(str(sample_snapshots.current()))))
    assert now == RECORDED.read_text(encoding="utf-8").splitlines(), (
        "The files of an index have changed. Raise FORMAT in index/building/snapshots.py, unless "
        "every version that reads this format "
        "reads these files too, and record the description anew (docs/indexes.md)."
    )


if __name__ == "__main__":
    print("\n".join(described(Path(sys.argv[1]))))
