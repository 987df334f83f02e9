"""Long lists by pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class ListPage(Generic[T]):
    """Page ``number`` of ``pages`` of a list of ``total`` items; pages count from 1."""

    items: Sequence[T]
    number: int
    pages: int
    total: int


def page_count(items: Sequence[object], length: int) -> int:
    """Return how many pages of ``length`` items there are, at least one."""
    return max(1, -(-len(items) // length))


def list_page(items: Sequence[T], number: int, length: int) -> ListPage[T]:
    """Return page ``number`` of ``items``, ``length`` on each; it has no items behind the last
    page.
    """
    shown = items[(number - 1) * length : number * length]
    return ListPage(items=shown, number=number, pages=page_count(items, length), total=len(items))
