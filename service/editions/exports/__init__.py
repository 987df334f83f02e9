"""Files to take home, for people, spreadsheets and translation tools; here, what all their formats have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec

from corpus.errors import WrongUse

P = ParamSpec("P")


@dataclass(frozen=True)
class Format(Generic[P]):
    """One way to write something: the file it makes and how to make it; ``binary`` where a terminal cannot show it."""

    extension: str
    mimetype: str
    write: Callable[P, bytes]
    binary: bool = False


class NothingToExport(WrongUse, ValueError):
    """There is nothing that the format asked for could hold; the message says what is missing."""
