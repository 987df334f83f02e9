"""Files of rulings that tests write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpus.rulings import RulingCollection
from corpus.rulings.loading import read_rulings
from corpus.rulings.source_files import source_files


def described(**fields: Any) -> dict[str, Any]:
    """A ruling in the described form, with the ``fields`` given."""
    return {"answer": "Ja, das geht.", "language": "de", "authority": "house", **fields}


def written(folder: Path, name: str, content: str | bytes) -> Path:
    """The file ``name`` of ``folder`` with ``content``."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def load(folder: Path) -> RulingCollection:
    """The rulings in ``folder``, of a game called "game"."""
    return read_rulings(source_files(folder), "game")
