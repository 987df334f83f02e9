"""Exported files for people, spreadsheets and translation tools; here, what all formats have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec

from corpus.errors import WrongUse
from service.schemas.base import ResponseModel

P = ParamSpec("P")


@dataclass(frozen=True)
class Format(Generic[P]):
    """A format of exported files; ``write`` makes the content, ``binary`` says that a terminal cannot show it."""

    extension: str
    mimetype: str
    write: Callable[P, bytes]
    binary: bool = False


class NothingToExport(WrongUse, ValueError):
    """There is nothing that the format could hold; the message says what is missing."""


def json_file(body: ResponseModel) -> bytes:
    """Return ``body`` as indented JSON."""
    return (body.model_dump_json(indent=1) + "\n").encode()
