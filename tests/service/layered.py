"""The sample's rulings and cards as answers cite them, and the strings that stand where they
point.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from tests.conftest import SAMPLE
from tests.pointers import value_at

GAME = "pegelwacht"
FOLDERS = (SAMPLE.parent / "rulings" / GAME, SAMPLE.parent / "cards" / GAME)
# Asked of a ruling that superseded another
HOOK = "Kann ein durchnässter Lotse den Enterhaken benutzen?"


def cited(source: dict[str, Any], folders: tuple[Path, ...] = FOLDERS) -> str:
    """The characters that ``source`` points at, in the file of one of the ``folders`` that has its
    hash.
    """
    files = [folder / source["file"] for folder in folders if (folder / source["file"]).is_file()]
    (path,) = [
        file for file in files if hashlib.sha256(file.read_bytes()).hexdigest() == source["sha256"]
    ]
    value = value_at(path, source["pointer"])
    return "".join(value[start:end] for start, end in source["spans"])


def assert_exact(passage: dict[str, Any]) -> None:
    """What is quoted of a ruling or card is to the character what its citation points at, and what
    is marked lies within it.
    """
    assert cited(passage["citation"]["source"]) == passage["text"]
    assert all(0 <= start < end <= len(passage["text"]) for start, end in passage["highlights"])
    if question := passage.get("question"):
        assert cited(question["source"]) == question["text"]
