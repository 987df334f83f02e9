"""Resolve JSON pointers (RFC 6901) in files of rulings and cards."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def _data(text: str, suffix: str) -> Any:
    if suffix == ".csv":
        return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";"))
    return json.loads(text) if suffix == ".json" else yaml.safe_load(text)


def value_at(path: Path, pointer: str) -> Any:
    """Return the value at ``pointer`` in the file ``path``; do not modify it."""
    data = _data(path.read_bytes().decode("utf-8-sig"), path.suffix)
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        data = data[int(name)] if isinstance(data, list) else data[name]
    return data
