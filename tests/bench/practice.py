"""Practice questions: rows of question files, and what is asked by them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus.languages import LANGUAGES
from index.model import Query


def rows(files: Sequence[Path]) -> list[dict[str, Any]]:
    """The questions of ``files``."""
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def query_of(row: Mapping[str, Any]) -> Query:
    """The question of ``row``; its language is left to be recognised where there is no file for it."""
    language = row["language"]
    return Query(row["question"], document=row["document"], language=language if language in LANGUAGES else None)


def story_of(row: Mapping[str, Any]) -> str:
    """What a question has in common with its translations and its twins put to other documents: "wild-002" of "wild-002-000-de"."""
    return "-".join(row["id"].split("-")[:2])
