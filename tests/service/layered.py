"""The sample's rulings and cards as answers cite them, and the strings that stand where they
point.
"""

from __future__ import annotations

import csv
import hashlib
import io
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import SAMPLE

GAME = "pegelwacht"
FOLDERS = (SAMPLE.parent / "rulings" / GAME, SAMPLE.parent / "cards" / GAME)
# Asked of a ruling that superseded another
HOOK = "Kann ein durchnässter Lotse den Enterhaken benutzen?"


@cache
def _data(text: str, suffix: str) -> Any:
    return (
        list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";"))
        if suffix == ".csv"
        else yaml.safe_load(text)
    )


def cited(source: dict[str, Any], folders: tuple[Path, ...] = FOLDERS) -> str:
    """The characters that ``source`` points at, in the file of one of the ``folders`` that has its
    hash.
    """
    files = [folder / source["file"] for folder in folders if (folder / source["file"]).is_file()]
    (path,) = [
        file for file in files if hashlib.sha256(file.read_bytes()).hexdigest() == source["sha256"]
    ]
    value = _data(path.read_bytes().decode("utf-8"), path.suffix)
    for step in source["pointer"].split("/")[1:]:
        value = (
            value[int(step)]
            if isinstance(value, list)
            else value[step.replace("~1", "/").replace("~0", "~")]
        )
    return "".join(value[start:end] for start, end in source["spans"])


def assert_exact(passage: dict[str, Any]) -> None:
    """What is quoted of a ruling or card is to the character what its citation points at, and what
    is marked lies within it.
    """
    assert cited(passage["citation"]["source"]) == passage["text"]
    assert all(0 <= start < end <= len(passage["text"]) for start, end in passage["highlights"])
    if question := passage.get("question"):
        assert cited(question["source"]) == question["text"]
