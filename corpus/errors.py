"""Errors that are not the program's: something typed, a file, a disk, another process."""

from __future__ import annotations

from typing import ClassVar


class RegulaError(Exception):
    """What whoever runs the program can mend: the message is one line that says what is wrong and what to do.

    Any other exception that ends a command is a fault of the program. ``exit_status`` is what the command line ends with.
    """

    exit_status: ClassVar[int] = 1


class WrongUse(RegulaError):
    """Something typed or set that cannot be worked with."""

    exit_status: ClassVar[int] = 2


class NotFound(WrongUse, LookupError):
    """Something named that is not here; the message says what is."""
