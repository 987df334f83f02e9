"""The files that rulings are read from: found, guarded, and decoded; JSON and YAML of anybody are read without harm."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from corpus.errors import RegulaError
from corpus.rulings.collection import RulingFault, short

LARGEST = 40_000_000  # bytes of a file; the largest card database seen has 9 million
LARGEST_YAML = 5_000_000  # which takes seconds to read
DEEPEST = 40  # levels of mappings and lists
SUFFIXES = (".yaml", ".yml", ".csv", ".json")
_TOLD = 100  # of the files of other kinds, each in a line


class UnreadableRulings(RegulaError, ValueError):
    """A file that cannot be read as a whole; the message says why."""


class SourceFile(NamedTuple):
    """A file: its path in the folder of its game, with slashes, the SHA-256 of its bytes, and these."""

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


def source_files(folder: Path, suffixes: tuple[str, ...] = SUFFIXES) -> Iterator[SourceFile | RulingFault]:
    """Every file of ``folder`` with one of ``suffixes``, in order of names, its folders' included, and a fault for each that is not read.

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
    """What the JSON of ``file`` says. Raises `UnreadableRulings`."""
    try:
        return json.loads(file.text(), parse_constant=_refused)
    except RecursionError as fault:
        raise UnreadableRulings("is nested too deep") from fault
    except ValueError as fault:
        raise fault if isinstance(fault, UnreadableRulings) else UnreadableRulings(f"not JSON: {short(fault)}") from fault


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def yaml_data(file: SourceFile) -> Any:
    """What the YAML of ``file`` says. Raises `UnreadableRulings`.

    Aliases are refused: a few of them can stand for any number of rulings. So is a name given twice in a mapping.
    """
    import yaml  # imported here because answering from an index needs no data files

    if len(file.raw) > LARGEST_YAML:
        raise UnreadableRulings(f"has more than {LARGEST_YAML:,} bytes, which is too large for YAML; use CSV")
    text = file.text()
    try:
        _check_events(yaml.parse(text, Loader=yaml.CSafeLoader))
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except UnreadableRulings:
        raise
    except yaml.MarkedYAMLError as fault:
        line = f" in line {fault.problem_mark.line + 1}" if fault.problem_mark else ""
        raise UnreadableRulings(f"not YAML{line}: {short(fault.problem or fault)}") from fault
    except (yaml.YAMLError, ValueError) as fault:  # a ValueError of a date or number that there is not
        raise UnreadableRulings(f"not YAML: {short(fault)}") from fault


def _check_events(events: Iterator[Any]) -> None:
    """Raise `UnreadableRulings` for what a file of data does not need and might do harm."""
    import yaml

    seen: list[tuple[set[str], bool] | None] = []  # of each mapping its names so far, and whether the next is one; None for a list

    def is_name() -> bool:
        """Whether what begins is a name in a mapping; the next one is then not."""
        if not seen or seen[-1] is None:
            return False
        names, expected = seen[-1]
        seen[-1] = (names, not expected)
        return expected

    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise UnreadableRulings(f"has an alias in line {line}")
        if isinstance(event, yaml.ScalarEvent):
            if is_name():
                assert seen[-1] is not None
                if event.value in seen[-1][0]:
                    raise UnreadableRulings(f"has {short(event.value)!r} twice in a mapping, in line {line}")
                seen[-1][0].add(event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            if is_name():
                raise UnreadableRulings(f"has a name that is no text in line {line}")
            seen.append((set(), True) if isinstance(event, yaml.MappingStartEvent) else None)
            if len(seen) > DEEPEST:
                raise UnreadableRulings(f"is nested too deep in line {line}")
        elif isinstance(event, yaml.CollectionEndEvent):
            seen.pop()
