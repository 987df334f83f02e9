"""Places in a document: spans of characters and ranges of lines."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of the text of a document, counted from 0."""

    start: int
    end: int


class Lines(NamedTuple):
    """First and last line of something, counted from 1, both inclusive."""

    first: int
    last: int
