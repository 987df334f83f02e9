"""A running service with its description, from which clients are generated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Described:
    """A running service: its address, and the file of its description."""

    address: str
    file: Path

    def document(self) -> Any:
        """Return the parsed description."""
        return json.loads(self.file.read_text(encoding="utf-8"))
