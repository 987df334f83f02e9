"""Reads the data files in a folder of cards, with size limits and even if parts of the JSON are
broken; faults are collected as messages.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, NoReturn

from corpus.sourced_text import StringSource
from corpus.workspace import DATA_SUFFIXES

MOST_FILES = 5_000
LARGEST_FILE = 64_000_000  # bytes
LARGEST_FOLDER = 256_000_000  # bytes
MOST_FAULTS = 2_000  # of a folder; further ones are only counted
_LONGEST_LINE = 300  # characters of each part of a fault
_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
_SALVAGED = 3  # levels down to which parts of broken JSON are tried
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)


class CardFault(NamedTuple):
    """A fault at the JSON pointer ``pointer`` of ``file`` ("" for the whole file)."""

    file: str
    pointer: str
    what: str

    def __str__(self) -> str:
        """Return the fault as a message of one line."""
        return f"{self.file}{'#' if self.pointer else ''}{self.pointer}: {self.what}"


class FaultList:
    """The faults found in a folder, in order; at most `MOST_FAULTS` are stored."""

    def __init__(self) -> None:
        self._found: list[CardFault] = []
        self._further = 0

    def add(self, file: str, pointer: str, what: object) -> None:
        """Add a fault; control characters become spaces and long parts are cut."""
        if len(self._found) < MOST_FAULTS:
            self._found.append(CardFault(*map(_line, (file, pointer, str(what)))))
        else:
            self._further += 1

    def all(self) -> tuple[CardFault, ...]:
        """Return the faults; if some were not stored, a last one counts them."""
        further = (CardFault("", "", f"{self._further:,} further faults"),) if self._further else ()
        return (*self._found, *further)


def _line(text: str) -> str:
    shown = _UNPRINTED.sub(" ", text[: _LONGEST_LINE + 1])
    return shown if len(shown) <= _LONGEST_LINE else f"{shown[:_LONGEST_LINE]}…"


class CardFile(NamedTuple):
    """A data file: its path ``name`` in the folder, with slashes, the SHA-256 of its bytes, and its
    text.

    Bytes that are not UTF-8 become surrogates in ``text``, so that the faulty record can be named.
    """

    name: str
    sha256: str
    text: str

    def source(self, pointer: str) -> StringSource:
        """Return the source of the value at the JSON ``pointer`` in this file."""
        return StringSource(self.name, self.sha256, pointer)


class CardFiles:
    """The data files of ``folder``, by relative path, sorted. Raises `OSError` if it cannot be
    listed.

    Hidden files, links out of the folder and links to folders are left out.
    """

    def __init__(self, folder: Path, faults: FaultList):
        self._folder, self._faults, self._left = folder, faults, LARGEST_FOLDER
        found: list[str] = []
        os.scandir(folder).close()  # raises what `os.walk` would hide
        for place, folders, files in os.walk(folder):
            here = Path(place).relative_to(folder)
            for name in sorted(folders):
                if Path(place, name).is_symlink() and name[0] != ".":
                    faults.add((here / name).as_posix(), "", "a link to a folder; left out")
            folders[:] = sorted(name for name in folders if name[0] != ".")
            found += [
                (here / name).as_posix()
                for name in files
                if name[0] != "." and name.lower().endswith(DATA_SUFFIXES)
            ]
            if len(found) > MOST_FILES:
                faults.add("", "", f"more than {MOST_FILES:,} files; the others are left out")
                break
        self.names = tuple(sorted(found)[:MOST_FILES])

    def in_folder(self, folder: str) -> list[str]:
        """Return the names of the files directly in ``folder`` ("" for the top folder)."""
        return [name for name in self.names if PurePosixPath(name).parent == PurePosixPath(folder)]

    def copy(self, folder: Path) -> None:
        """Copy every readable file to ``folder``. Raises `FileExistsError` if one exists."""
        for name in self.names:
            raw = self._bytes(name)
            if raw is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with (folder / name).open("xb") as file:
                    file.write(raw)

    def read(self, name: str) -> CardFile | None:
        """Return the file ``name``, or None, with a fault added, if it cannot be read."""
        raw = self._bytes(name)
        if raw is None:
            return None
        text = raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        return CardFile(name, hashlib.sha256(raw).hexdigest(), text)

    def _bytes(self, name: str) -> bytes | None:
        path = self._folder / name
        most = min(LARGEST_FILE, self._left)
        raw = b""
        try:
            found = path.stat()
            if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self._folder)):
                why = "a link that leads out of the folder; left out"
            elif not stat.S_ISREG(found.st_mode):
                why = "no regular file; left out"
            else:
                if found.st_size <= most:
                    with path.open("rb") as file:
                        raw = file.read(most + 1)
                large = max(found.st_size, len(raw)) > most
                why = f"larger than {most / 1e6:,.0f} MB; left out" if large else ""
        except OSError as fault:
            why = f"cannot be read: {fault.strerror}"
        if why:
            self._faults.add(name, "", why)
            return None
        self._left -= len(raw)
        return raw


class BrokenValue(NamedTuple):
    """The placeholder for a part of JSON that cannot be parsed, and the reason ``why``."""

    why: str


def parse_json(text: str) -> Any:
    """Parse ``text`` like `json.loads`, but with a `BrokenValue` for each part that is invalid or
    nested too deeply.

    A part is a member of one of the three outermost levels of lists and objects; members of a list
    are parsed whole or not at all. "NaN" and numbers of thousands of digits are invalid here.
    """
    return _parsed(text, _SALVAGED)


def _parsed(text: str, depth: int) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        why = "nested too deep"
    except json.JSONDecodeError as fault:
        why = f"not JSON: {fault if depth == _SALVAGED else fault.msg}"
    except ValueError as fault:
        why = f"not JSON: {fault}"
    inner = text.strip()
    if not depth or inner[:1] not in ("[", "{"):
        return BrokenValue(why)
    members = _members(inner)
    if inner[0] == "[":
        return [_parsed(member, 0) for member in members]  # a record is read whole or not at all
    found = dict(_pair(member, depth - 1) for member in members)
    readable = any(not isinstance(value, BrokenValue) for value in found.values())
    return found if readable else BrokenValue(why)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _members(text: str) -> Iterator[str]:
    """Yield the comma-separated members of the JSON list or object ``text``, unparsed."""
    depth, start = 0, 1
    for token in _TOKEN.finditer(text):
        sign = token.group()
        depth += (sign in "[{") - (sign in "]}")
        if depth == 0 or (depth == 1 and sign == ","):
            yield text[start : token.start()]
            start = token.end()
        if depth == 0:
            return
    yield text[start:] + "…"  # no bracket closes it: it must not be taken for whole


def _pair(member: str, depth: int) -> tuple[str, Any]:
    """Return the name and value of a ``member`` of an object; the name is "" if it is missing."""
    try:
        name, end = json.JSONDecoder().raw_decode(member.lstrip())
        rest = member.lstrip()[end:].lstrip()
    except (ValueError, RecursionError):
        name, rest = None, ""
    if not isinstance(name, str) or not rest.startswith(":"):
        return "", BrokenValue("not JSON: no name")
    return name, _parsed(rest[1:], depth)


def pointer(*steps: str | int) -> str:
    """Return the JSON pointer (RFC 6901) for ``steps``: `pointer("cards", 3)` is "/cards/3"."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
