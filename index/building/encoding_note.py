"""How many texts of an index are still to be encoded: written by the process that encodes them,
read by those that answer.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

FILE = ".encoding"  # in the folder of the indexes; held by the process that encodes


def note_unencoded(indexes: Path, id: str, count: int) -> None:
    """Note in the folder ``indexes`` how many texts of index ``id`` are still to be encoded."""
    with suppress(OSError):  # only the progress is then unknown
        (indexes / FILE).write_text(f"{id} {count}", encoding="ascii")


def still_unencoded(folder: Path, count: int) -> int:
    """Return how many of the ``count`` texts that the build of the index in ``folder`` left
    unencoded are still unencoded.
    """
    with suppress(OSError, ValueError):
        id, left = (folder.parent / FILE).read_text(encoding="ascii").split()
        if count and id == folder.name:
            return max(min(count, int(left)), 0)
    return count
