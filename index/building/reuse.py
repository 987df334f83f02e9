"""What a build takes over from the published index: the trained encoder, where training would
hardly change it, and the word tables.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.building.fingerprints import build_program_hash
from index.building.snapshots import Damaged, Snapshots, file_digest
from index.building.vector_cache import text_hash
from index.library.indexed_texts import IndexedText

TRAINED_TEXTS = "encoder/trained.npz"


class TrainingTexts(NamedTuple):
    """Hashes of 8 bytes of what an encoder is trained on: the ``passages`` and their ``phrasings``,
    each once, ascending.
    """

    passages: NDArray[np.uint64]
    phrasings: NDArray[np.uint64]

    @classmethod
    def of(cls, texts: Sequence[IndexedText]) -> TrainingTexts:
        """The hashes of ``texts`` and of their phrasings."""
        return cls(
            _hashes(text.text for text in texts),
            _hashes(phrasing.text for text in texts for phrasing in text.phrasings),
        )

    def save(self, folder: Path) -> None:
        """Write the hashes to ``folder``."""
        np.savez(folder / TRAINED_TEXTS, **self._asdict())


def _hashes(texts: Iterable[str]) -> NDArray[np.uint64]:
    return np.unique(np.array([text_hash(text) for text in dict.fromkeys(texts)], dtype=np.uint64))


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
        """Copy the folder called ``name`` into ``place``, where the new index is built; False where
        it is missing or damaged.
        """
        return self._copy([file for file in self._files if file.startswith(f"{name}/")], place)

    def copy_without(self, folders: Sequence[str], place: Path) -> bool:
        """Copy everything but ``folders`` into ``place``, where the new index is built; False where
        any of it is missing or damaged.
        """
        return self._copy(
            [file for file in self._files if file.partition("/")[0] not in folders], place
        )

    def read(self, file: str) -> bytes | None:
        """The content of ``file``, None where it is missing or damaged."""
        return (
            (self._folder / file).read_bytes()
            if self._folder is not None and self._whole(file)
            else None
        )

    def whole_folder(self, *names: str) -> Path | None:
        """The folder of the index if all files and folders called ``names`` are there and
        undamaged; else None.
        """
        parts = [
            [file for file in self._files if file == name or file.startswith(f"{name}/")]
            for name in names
        ]
        return (
            self._folder
            if all(parts) and all(self._whole(file) for files in parts for file in files)
            else None
        )

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
        return (
            file in self._files
            and (place / file).exists()
            and self._files[file] == file_digest(place / file)
        )

    def trained_share(self, texts: TrainingTexts) -> float:
        """Return which share of ``texts`` the encoder was trained on, of passages or of phrasings,
        whichever is less; 0.0 without one.
        """
        if self._folder is None or not self._whole(TRAINED_TEXTS):
            return 0.0
        with np.load(self._folder / TRAINED_TEXTS) as trained:
            shares = [
                float(np.isin(here, trained[name]).mean())
                for name, here in texts._asdict().items()
                if len(here)
            ]
        return min(shares, default=0.0)

    def _whole(self, file: str) -> bool:
        try:
            return self._folder is not None and file_digest(self._folder / file) == self._files.get(
                file
            )
        except OSError:
            return False
