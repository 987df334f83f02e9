"""Finds, checks and decodes the files with rulings, and reads `confirmed.yaml` beside them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from corpus.cards.files import BrokenValue, parse_json
from corpus.data_files import load_bounded
from corpus.errors import RegulaError
from corpus.rulings.model import Basis, Ruling

LARGEST = 40_000_000  # bytes of a file; the largest card database seen has 9 million
LARGEST_YAML = 5_000_000  # which takes seconds to read
SUFFIXES = (".yaml", ".yml", ".csv", ".json")
_TOLD = 100  # faults about files of other kinds
_LONGEST = 200  # characters quoted from a file in a message
CONFIRMED = "confirmed.yaml"

# By ruling and rule: the SHA-256 of the rule's wording when somebody confirmed that the ruling
# still holds. Files of rulings are never changed.
Confirmations = dict[str, dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]]]
_CONFIRMATIONS = TypeAdapter(Confirmations)


class UnreadableRulings(RegulaError, ValueError):
    """A file of rulings that cannot be read at all; the message says why."""


class RulingFault(NamedTuple):
    """A fault at the JSON pointer ``pointer`` ("" for the whole) of a file of rulings."""

    file: str
    pointer: str
    what: str

    def __str__(self) -> str:
        line = f"{self.file}{self.pointer and '#'}{self.pointer}: {self.what}"
        return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


class RulingCollection(NamedTuple):
    """The rulings of a game in order of files, and a fault for everything left out."""

    rulings: tuple[Ruling, ...]
    faults: tuple[RulingFault, ...]


def short(value: object) -> str:
    """Return ``value`` on one line, cut to `_LONGEST` characters, for a message."""
    text = " ".join(str(value).split())
    return f"{text[:_LONGEST]}…" if len(text) > _LONGEST else text


class SourceFile(NamedTuple):
    """A file: its path in the folder of its game, with slashes, its SHA-256 and its bytes."""

    name: str
    sha256: str
    raw: bytes

    @classmethod
    def of(cls, name: str, raw: bytes) -> SourceFile:
        """Return the file ``name`` with the content ``raw``."""
        return cls(name, hashlib.sha256(raw).hexdigest(), raw)

    @property
    def suffix(self) -> str:
        """The suffix of the file name, in lower case."""
        return os.path.splitext(self.name)[1].lower()

    def text(self) -> str:
        """Return the content as text. Raises `UnreadableRulings` if it is not UTF-8."""
        try:
            return self.raw.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            raise UnreadableRulings(f"not UTF-8 at byte {fault.start}") from fault


def source_files(
    folder: Path, suffixes: tuple[str, ...] = SUFFIXES
) -> Iterator[SourceFile | RulingFault]:
    """Yield every file in ``folder`` with one of ``suffixes``, in order of names, and a fault for
    each file that is not read; nothing if the folder does not exist.

    Hidden files and README files are skipped. Links out of the folder are not followed.
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
    """Return the bytes of the file at ``path``. Raises `UnreadableRulings` if it cannot be read or
    is larger than `LARGEST`.
    """
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
    """Return the JSON of ``file``, with a `BrokenValue` for each unreadable part.

    Raises `UnreadableRulings` if no part can be read.
    """
    data = parse_json(file.text())
    if isinstance(data, BrokenValue):
        raise UnreadableRulings(short(data.why))
    return data


def yaml_data(file: SourceFile) -> Any:
    """Return the YAML data of ``file``. Raises `UnreadableRulings`."""
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


def read_confirmations(file: SourceFile) -> Confirmations:
    """Return the content of the file `CONFIRMED`, by ids of rulings without the game.

    Raises `UnreadableRulings`.
    """
    try:
        return _CONFIRMATIONS.validate_python(yaml_data(file) or {})
    except ValidationError as fault:
        what = short(fault.errors(include_input=False)[0]["msg"])
        raise UnreadableRulings(f"is no file of confirmations: {what}") from fault


def confirmed(ruling: Ruling, confirmations: Confirmations) -> Ruling:
    """Return ``ruling`` with the hash of each rule's wording updated to the confirmed one."""
    known = confirmations.get(ruling.id.split("/", 1)[1], {})
    return ruling._replace(
        bases=tuple(Basis(b.entry, b.number, known.get(b.rule, b.wording)) for b in ruling.bases)
    )
