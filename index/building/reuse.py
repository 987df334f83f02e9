"""What a build takes over from the published index: the trained encoder, where training would hardly change it, and the word tables."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.building.fingerprints import build_program_hash
from index.building.snapshots import Damaged, Snapshots, file_digest
from index.building.vector_cache import text_hash
from index.encoding.training_pairs import TrainingPair
from index.library.indexed_texts import IndexedText

TRAINED_TEXTS = "encoder/trained.npy"


def training_text_hashes(texts: Sequence[IndexedText], examples: Iterable[TrainingPair]) -> NDArray[np.uint64]:
    """A hash of 8 bytes for each text that an encoder is trained on, each once, ascending."""
    every = dict.fromkeys(chain((t.text for t in texts), (p.text for p in examples)))
    return np.unique(np.array([text_hash(text) for text in every], dtype=np.uint64))


class PreviousIndex:
    """The published index, parts of which a build by the same program may take over."""

    def __init__(self, snapshots: Snapshots):
        self._folder: Path | None = None
        self._files: dict[str, object] = {}
        self._manifest: Mapping[str, object] = {}
        try:
            id = snapshots.current()
            manifest = snapshots.manifest(id) if id else {}
        except (Damaged, OSError):
            return
        files = manifest.get("files")
        if id and manifest.get("program") == build_program_hash() and isinstance(files, dict):
            self._folder, self._files, self._manifest = snapshots.path(id), files, manifest

    def said(self, name: str) -> object:
        """What the manifest of this index says under ``name``; None where it says nothing."""
        return self._manifest.get(name)

    def copy_folder(self, name: str, place: Path) -> bool:
        """Copy the folder called ``name`` into ``place``, where the new index is built; False where it is missing or damaged."""
        return self._copy([file for file in self._files if file.startswith(f"{name}/")], place)

    def copy_without(self, folders: Sequence[str], place: Path) -> bool:
        """Copy everything but ``folders`` into ``place``, where the new index is built; False where any of it is missing or damaged."""
        return self._copy([file for file in self._files if file.partition("/")[0] not in folders], place)

    def _copy(self, files: Sequence[str], place: Path) -> bool:
        if not files or not all(self._whole(file) for file in files):
            return False
        for file in files:
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            assert self._folder is not None
            shutil.copyfile(self._folder / file, place / file)
        return True

    def is_same(self, file: str, place: Path) -> bool:
        """Return whether ``file`` is the same in this index and in ``place``."""
        return file in self._files and (place / file).exists() and self._files[file] == file_digest(place / file)

    def trained_share(self, texts: NDArray[np.uint64]) -> float:
        """Which share of ``texts``, as `trained_on` numbers them, the encoder was trained on; 0.0 where there is none."""
        if self._folder is None or not len(texts) or not self._whole(TRAINED_TEXTS):
            return 0.0
        return float(np.isin(texts, np.load(self._folder / TRAINED_TEXTS)).mean())

    def _whole(self, file: str) -> bool:
        try:
            return self._folder is not None and file_digest(self._folder / file) == self._files.get(file)
        except OSError:
            return False
