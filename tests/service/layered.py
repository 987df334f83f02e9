"""Check citations of the sample's rulings and cards against the strings in their files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from tests.conftest import SAMPLE
from tests.pointers import value_at

GAME = "pegelwacht"
FOLDERS = (SAMPLE.parent / "rulings" / GAME, SAMPLE.parent / "cards" / GAME)
# A question answered by a ruling that superseded another
HOOK = "Kann ein durchnässter Lotse den Enterhaken benutzen?"


def cited(source: dict[str, Any], folders: tuple[Path, ...] = FOLDERS) -> str:
    """Return the characters that ``source`` cites, from the file with its hash in one of
    ``folders``.
    """
    files = [folder / source["file"] for folder in folders if (folder / source["file"]).is_file()]
    (path,) = [
        file for file in files if hashlib.sha256(file.read_bytes()).hexdigest() == source["sha256"]
    ]
    value = value_at(path, source["pointer"])
    return "".join(value[start:end] for start, end in source["spans"])


def assert_exact(passage: dict[str, Any]) -> None:
    """Assert that the quotation of a ruling or card equals the cited characters, and that
    highlights lie within it.
    """
    assert cited(passage["citation"]["source"]) == passage["text"]
    assert all(0 <= start < end <= len(passage["text"]) for start, end in passage["highlights"])
    if question := passage.get("question"):
        assert cited(question["source"]) == question["text"]
