"""Write and load files of rulings for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpus.rulings import RulingCollection
from corpus.rulings.loading import read_rulings
from corpus.rulings.source_files import source_files


def described(**fields: Any) -> dict[str, Any]:
    """Return a ruling in the described form, with the given ``fields``."""
    return {"answer": "Ja, das geht.", "language": "de", "authority": "house", **fields}


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """Write ``content`` to the file ``name`` of ``folder``, and return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def load(folder: Path) -> RulingCollection:
    """Return the rulings in ``folder``, of a game called "game"."""
    return read_rulings(source_files(folder), "game")
