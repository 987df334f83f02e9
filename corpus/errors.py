"""Errors with causes outside the program: user input, files, disks, other processes."""

from __future__ import annotations

from typing import ClassVar


class RegulaError(Exception):
    """An error that the user can fix; the message says in one line what is wrong and what to do.

    Any other exception that ends a command is a bug. ``exit_status`` is the command's exit status.
    """

    exit_status: ClassVar[int] = 1


class WrongUse(RegulaError):
    """An argument or a setting with an invalid value."""

    exit_status: ClassVar[int] = 2


class NotFound(WrongUse, LookupError):
    """A name that does not exist; the message lists the existing names."""
