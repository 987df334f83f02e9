"""What pages with long lists share: which part of one is shown, and addresses that keep all other
parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar
from urllib.parse import quote, urlencode

from flask import request

from service.core.paging import ListPage, list_page, page_count

LONGEST = 200  # characters of the words that a list is searched for

T = TypeVar("T")


def requested_page(items: Sequence[T], length: int) -> ListPage[T]:
    """Return the page of ``items`` that the address asks for by ``page``; the nearest one that
    there is.
    """
    wanted = request.args.get("page", "")
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 9 else 1
    return list_page(items, min(max(number, 1), page_count(items, length)), length)


def search_words() -> str:
    """Return the words that the address searches the list for."""
    return request.args.get("q", "").strip()[:LONGEST]


def one_of(name: str, known: Sequence[str]) -> str:
    """Return the value of a parameter where it is one of the ``known``, else the empty text, which
    asks for nothing special.
    """
    value = request.args.get(name, "")
    return value if value in known else ""


def address_with(**values: object) -> str:
    """Return the address of this page with ``values`` asked for instead; without a value, a
    parameter is left out.
    """
    arguments = {**request.args.to_dict(), **values}
    query = urlencode(
        {name: value for name, value in arguments.items() if value not in (None, "")},
        errors="replace",
    )
    return quote(request.path) + (f"?{query}" if query else "")
