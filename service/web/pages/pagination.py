"""What pages with long lists share: which page of one is shown, and addresses that keep all else that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote, urlencode

from flask import request

LONGEST = 200  # characters of the words that a list is searched for

T = TypeVar("T")


@dataclass(frozen=True)
class Sheet(Generic[T]):
    """Page ``number`` of ``pages`` of a list of ``total`` things; both count from 1."""

    shown: Sequence[T]
    number: int
    pages: int
    total: int


def sheet(things: Sequence[T], length: int) -> Sheet[T]:
    """The page of ``things`` that the address asks for by ``page``; the nearest one that there is."""
    pages = max(1, -(-len(things) // length))
    asked = request.args.get("page", "")
    number = min(max(int(asked), 1), pages) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 1
    return Sheet(things[(number - 1) * length : number * length], number, pages, len(things))


def words() -> str:
    """The words that the address searches the list for."""
    return request.args.get("q", "").strip()[:LONGEST]


def one_of(name: str, known: Sequence[str]) -> str:
    """The value of a parameter where it is one of the ``known``, else the empty one, which asks for nothing special."""
    value = request.args.get(name, "")
    return value if value in known else ""


def here(**values: object) -> str:
    """The address of this page with ``values`` asked for instead; without a value, a parameter is left out."""
    asked = {**request.args.to_dict(), **values}
    query = urlencode({name: value for name, value in asked.items() if value not in (None, "")}, errors="replace")
    return quote(request.path) + (f"?{query}" if query else "")
