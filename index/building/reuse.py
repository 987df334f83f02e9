"""What a build takes over from the index before it: the trained encoder, where it would hardly be another one, and the word forms."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.building.snapshots import Damaged, Snapshots, file_digest
from index.building.vector_cache import text_hash
from index.encoding.training_pairs import TrainingPair
from index.library.indexed_texts import IndexedText

ENOUGH = 0.9  # share of the texts to train on that the encoder before was trained on
TRAINED = "encoder/trained.npy"

_PROGRAM = Path(__file__).resolve().parents[2]
_LIBRARIES = ("numpy", "pystemmer", "spacy", "spacy-lookups-data", "torch")


@cache
def program_hash() -> str:
    """The code that reads, ties, analyses and trains, and the versions of what it does this with, in one hash."""
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in _LIBRARIES).encode())
    for package in ("corpus", "glossary", "index"):
        for path in sorted((_PROGRAM / package).rglob("*.py")):
            digest.update(str(path.relative_to(_PROGRAM)).encode() + path.read_bytes())
    return digest.hexdigest()


def training_text_hashes(texts: Sequence[IndexedText], examples: Iterable[TrainingPair]) -> NDArray[np.uint64]:
    """A number for each text that an encoder learns from, each once, ascending: 8 bytes of its hash."""
    every = dict.fromkeys(chain((t.text for t in texts), (p.text for p in examples)))
    return np.unique(np.array([text_hash(text) for text in every], dtype=np.uint64))


class PreviousIndex:
    """The published index, as far as a build by the same program may take parts of it over."""

    def __init__(self, snapshots: Snapshots):
        self._folder: Path | None = None
        self._files: dict[str, object] = {}
        try:
            id = snapshots.current()
            manifest = snapshots.manifest(id) if id else {}
        except (Damaged, OSError):
            return
        files = manifest.get("files")
        if id and manifest.get("program") == program_hash() and isinstance(files, dict):
            self._folder, self._files = snapshots.path(id), files

    def copy_folder(self, name: str, place: Path) -> bool:
        """Copy the folder called ``name`` into the folder ``place`` that is built; whether it was there, and whole."""
        files = [file for file in self._files if file.startswith(f"{name}/")]
        if not files or not all(self._whole(file) for file in files):
            return False
        for file in files:
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            assert self._folder is not None
            shutil.copyfile(self._folder / file, place / file)
        return True

    def trained_share(self, texts: NDArray[np.uint64]) -> float:
        """Which share of ``texts``, as `trained_on` numbers them, the encoder was trained on; 0.0 where there is none."""
        if self._folder is None or not len(texts) or not self._whole(TRAINED):
            return 0.0
        return float(np.isin(texts, np.load(self._folder / TRAINED)).mean())

    def _whole(self, file: str) -> bool:
        try:
            return self._folder is not None and file_digest(self._folder / file) == self._files.get(file)
        except OSError:
            return False
