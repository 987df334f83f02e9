"""The rulings of a game as they were read, and what was wrong in their files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corpus.rulings.model import Ruling

_LONGEST = 200  # characters of what is quoted from a file


class RulingFault(NamedTuple):
    """Something wrong in a file of rulings: where, by a JSON pointer ("" for the whole file), and
    ``what``.
    """

    file: str
    pointer: str
    what: str

    def __str__(self) -> str:
        line = f"{self.file}{self.pointer and '#'}{self.pointer}: {self.what}"
        return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


class RulingCollection(NamedTuple):
    """The ``rulings`` of a game, in order of files, and the ``faults`` of what was left out."""

    rulings: tuple[Ruling, ...]
    faults: tuple[RulingFault, ...]


def short(value: object) -> str:
    """``value`` as it stands in a message: on one line, cut where it is long."""
    text = " ".join(str(value).split())
    return f"{text[:_LONGEST]}…" if len(text) > _LONGEST else text


def shown_field(steps: Sequence[str | int]) -> str:
    """The name of a field in a message."""
    return ".".join(map(str, steps))
