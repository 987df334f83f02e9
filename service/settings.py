"""Where rulebooks and index are: said on the command line, by a variable, or found in the usual places."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "corpus" / "sample" / "rulebooks"
USUAL = (ROOT / "corpus" / "rulebooks", ROOT.parent / "shared" / "rulebooks")


class SettingFault(ValueError):
    """A setting that cannot be used; its message is one line that says what to do."""


@dataclass(frozen=True)
class Settings:
    """``rulebooks`` is the folder read, ``index`` the folder of snapshots; ``is_sample`` where nobody's rulebooks were found.

    ``encoder`` is a sentence-transformers model by name or folder, empty for the built-in encoder.
    """

    rulebooks: Path
    index: Path
    is_sample: bool
    encoder: str = ""


def resolve(rulebooks: str | None = None, index: str | None = None, encoder: str | None = None) -> Settings:
    """The settings in force: arguments first, then REGULA_RULEBOOKS, REGULA_INDEX, REGULA_ENCODER, then the usual places.

    Raises `SettingFault` where a named folder does not exist.
    """
    named = rulebooks or os.environ.get("REGULA_RULEBOOKS")
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise SettingFault(f"{named}: no such folder; name the folder that holds your rulebooks as text files")
    else:
        folder = next((p for p in USUAL if p.is_dir() and any(f.is_file() and f.name[0] != "." for f in p.iterdir())), SAMPLE)
    kept = index or os.environ.get("REGULA_INDEX")
    place = Path(kept).expanduser() if kept else _default_index(folder)
    if place.exists() and not place.is_dir():
        raise SettingFault(f"{place}: is a file; name a folder for the index")
    return Settings(folder, place, not named and folder == SAMPLE, encoder or os.environ.get("REGULA_ENCODER", ""))


def _default_index(folder: Path) -> Path:
    """A folder of its own for the index of each folder of rulebooks, so that sample and real ones do not displace each other."""
    name = "sample" if folder == SAMPLE else hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]
    return ROOT / ".regula" / name
