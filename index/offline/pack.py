"""A pack: the fragments that a browser loads to answer questions about one game, and the manifest that lists them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from corpus.errors import RegulaError
from index.files.durable import replace_synced

FORMAT = 1  # of manifest and fragments; the engine in the browser refuses others
MOST_BYTES = 12_000_000  # of a pack


class NoPack(RegulaError, ValueError):
    """An index that cannot be asked in a browser: its encoder or its store is on a machine."""


@dataclass(frozen=True)
class Pack:
    """What answers questions about ``game``: ``fragments``, by the SHA-256 of their bytes, named in ``names``, in the order of loading.

    A fragment whose content did not change has the same bytes in the pack of the next index.
    """

    index: str
    game: str
    editions: Sequence[Mapping[str, Any]]
    names: Mapping[str, str]
    fragments: Mapping[str, bytes]

    @classmethod
    def of(cls, index: str, game: str, editions: Sequence[Mapping[str, Any]], fragments: Mapping[str, bytes]) -> Pack:
        """The pack with ``fragments`` given by name."""
        names = {name: hashlib.sha256(content).hexdigest() for name, content in fragments.items()}
        return cls(index, game, editions, names, {names[name]: content for name, content in fragments.items()})

    @property
    def size(self) -> int:
        """Bytes of all fragments."""
        return sum(map(len, self.fragments.values()))

    @property
    def manifest(self) -> dict[str, Any]:
        """What a browser reads first."""
        listed = [{"name": name, "sha256": digest, "bytes": len(self.fragments[digest])} for name, digest in self.names.items()]
        return {
            "format": FORMAT,
            "index": self.index,
            "game": self.game,
            "editions": list(self.editions),
            "bytes": self.size,
            "fragments": listed,
        }

    @property
    def manifest_bytes(self) -> bytes:
        """The manifest in JSON."""
        return json.dumps(self.manifest, ensure_ascii=False, separators=(",", ":")).encode()

    def save(self, folder: Path) -> None:
        """Write the fragments that are not there yet to ``folder``/fragments. Raises `OSError`."""
        place = folder / "fragments"
        place.mkdir(parents=True, exist_ok=True)
        for digest, content in self.fragments.items():
            if not (place / digest).exists():
                _write(place / digest, content)


def _write(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` in one step, whoever else is writing the same."""
    new = path.with_name(f".{uuid4().hex}")
    new.write_bytes(content)
    replace_synced(new, path)
