"""The files that rulings are read from: found, guarded, and decoded."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from corpus.bounded_yaml import load_bounded
from corpus.cards.files import BrokenValue, parse_json
from corpus.errors import RegulaError
from corpus.rulings.collection import RulingFault, short

LARGEST = 40_000_000  # bytes of a file; the largest card database seen has 9 million
LARGEST_YAML = 5_000_000  # which takes seconds to read
SUFFIXES = (".yaml", ".yml", ".csv", ".json")
_TOLD = 100  # of the files of other kinds, each in a line


class UnreadableRulings(RegulaError, ValueError):
    """A file that cannot be read as a whole; the message says why."""


class SourceFile(NamedTuple):
    """A file: its path in the folder of its game, with slashes, the SHA-256 of its bytes, and
    these.
    """

    name: str
    sha256: str
    raw: bytes

    @classmethod
    def of(cls, name: str, raw: bytes) -> SourceFile:
        """The file ``name`` with the content ``raw``."""
        return cls(name, hashlib.sha256(raw).hexdigest(), raw)

    @property
    def suffix(self) -> str:
        """That of its name, in lower case."""
        return os.path.splitext(self.name)[1].lower()

    def text(self) -> str:
        """Its text. Raises `UnreadableRulings` where it is not UTF-8."""
        try:
            return self.raw.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            raise UnreadableRulings(f"not UTF-8 at byte {fault.start}") from fault


def source_files(
    folder: Path, suffixes: tuple[str, ...] = SUFFIXES
) -> Iterator[SourceFile | RulingFault]:
    """Every file of ``folder`` with one of ``suffixes``, in order of names, its folders' included,
    and a fault for each that is not read.

    Hidden files are passed over, and README files. A link out of the folder is not followed.
    """
    root = Path(os.path.realpath(folder))
    others = 0
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            shown = path.relative_to(root).as_posix().encode("utf-8", "replace").decode()
            if name.startswith(".") or name.casefold().startswith("readme"):
                continue
            if path.suffix.lower() not in suffixes:
                others += 1
                if others <= _TOLD:
                    yield RulingFault(shown, "", f"is none of {', '.join(suffixes)}; left out")
                continue
            try:
                if not Path(os.path.realpath(path)).is_relative_to(root):
                    raise UnreadableRulings("leads out of the folder")
                yield SourceFile.of(shown, file_content(path))
            except UnreadableRulings as fault:
                yield RulingFault(shown, "", f"{fault}; left out")


def file_content(path: Path) -> bytes:
    """The bytes of the file at ``path``. Raises `UnreadableRulings`."""
    try:
        if not path.is_file():
            raise UnreadableRulings("is no file")
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as fault:
        raise UnreadableRulings(f"cannot be read ({fault.strerror})") from fault
    if len(raw) > LARGEST:
        raise UnreadableRulings(f"has more than {LARGEST:,} bytes")
    return raw


def json_data(file: SourceFile) -> Any:
    """What the JSON of ``file`` says, `BrokenValue` in the place of what cannot be read. Raises
    `UnreadableRulings`.
    """
    data = parse_json(file.text())
    if isinstance(data, BrokenValue):
        raise UnreadableRulings(short(data.why))
    return data


def yaml_data(file: SourceFile) -> Any:
    """What the YAML of ``file`` says. Raises `UnreadableRulings`."""
    if len(file.raw) > LARGEST_YAML:
        raise UnreadableRulings(
            f"has more than {LARGEST_YAML:,} bytes, which is too large for YAML; use CSV"
        )
    try:
        return load_bounded(file.text())
    except ValueError as fault:
        raise (
            fault if isinstance(fault, UnreadableRulings) else UnreadableRulings(short(fault))
        ) from fault
