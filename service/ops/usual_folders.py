"""The folders of rulebooks and indexes where no setting names one: those of a checkout, or those of
an installed program's user.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_RULEBOOKS = (Path("corpus", "rulebooks"), Path("..", "shared", "rulebooks"))


@dataclass(frozen=True)
class UsualFolders:
    """``rulebooks`` are looked in one after the other; ``sample`` is read where none has a file.
    ``indexes`` has one folder for each.
    """

    rulebooks: tuple[Path, ...]
    sample: Path
    indexes: Path
    own_rulebooks: str  # where a user is told to put rulebooks

    def find_rulebooks(self) -> Path:
        """Return the first folder of rulebooks that has a file, else the sample."""
        return next((folder for folder in self.rulebooks if _has_files(folder)), self.sample)

    def index_of(self, rulebooks: Path) -> Path:
        """Return a folder of its own for each folder of rulebooks, so that their indexes do not
        displace each other.
        """
        name = (
            "sample"
            if rulebooks == self.sample
            else hashlib.sha256(str(rulebooks.resolve()).encode()).hexdigest()[:12]
        )
        return self.indexes / name


def usual_folders(root: Path) -> UsualFolders:
    """Return the usual folders for packages that lie in ``root``: a checkout, which has a
    pyproject.toml, or site-packages.

    A checkout keeps everything within itself. An installed program writes nothing beside its
    packages: it looks for rulebooks relative to the folder that it is started in, then in the
    user's data folder, where it also keeps indexes.
    """
    sample = root / "corpus" / "sample" / "rulebooks"
    if (root / "pyproject.toml").is_file():
        return UsualFolders(
            rulebooks=(root / "corpus" / "rulebooks", root.parent / "shared" / "rulebooks"),
            sample=sample,
            indexes=root / ".regula",
            own_rulebooks="corpus/rulebooks",
        )
    data = platformdirs.user_data_path("regula", appauthor=False)
    return UsualFolders(
        rulebooks=(*_RULEBOOKS, data / "rulebooks"),
        sample=sample,
        indexes=data / "indexes",
        own_rulebooks=str(data / "rulebooks"),
    )


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(
        file.is_file() and file.name[0] != "." for file in folder.iterdir()
    )
