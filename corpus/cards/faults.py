"""What is wrong in card databases: a line for each record or file that is left out, so that the
rest can be read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_FAULTS = 2_000  # of a folder; of those beyond, the number alone is told
_LONGEST = 300  # characters of a line
_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")


class CardFault(NamedTuple):
    """What is wrong at ``pointer`` (a JSON pointer, "" for the whole) of ``file``, in one line."""

    file: str
    pointer: str
    what: str

    def __str__(self) -> str:
        """The line for people: file, place and what is wrong."""
        return f"{self.file}{'#' if self.pointer else ''}{self.pointer}: {self.what}"


class FaultList:
    """The faults found in a folder, in order; how many, where there are more than `MOST_FAULTS`."""

    def __init__(self) -> None:
        self._found: list[CardFault] = []
        self._further = 0

    def add(self, file: str, pointer: str, what: object) -> None:
        """Take in a fault. Control characters become spaces and long lines are cut, as all of it
        may be anything.
        """
        if len(self._found) < MOST_FAULTS:
            self._found.append(CardFault(_line(file), _line(pointer), _line(str(what))))
        else:
            self._further += 1

    def all(self) -> tuple[CardFault, ...]:
        """The faults, with a last one that counts those that were not kept."""
        further = (CardFault("", "", f"{self._further:,} further faults"),) if self._further else ()
        return (*self._found, *further)


def _line(text: str) -> str:
    shown = _UNPRINTED.sub(" ", text[: _LONGEST + 1])
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
