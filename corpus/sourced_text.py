"""Strings quoted from data files, with their sources, as passages with spans are quoted from
rulebooks.
"""

from __future__ import annotations

from typing import NamedTuple


class StringSource(NamedTuple):
    """The place of a string in a data file.

    ``file`` is the path in the folder of its game, with slashes; ``sha256`` is that of its bytes.
    ``pointer`` is a JSON pointer (RFC 6901) to the string: in YAML as in the equivalent JSON, in
    CSV as in a list of objects, one per row from 0, with the column names as keys.
    """

    file: str
    sha256: str
    pointer: str


class SourcedText(NamedTuple):
    """An unedited string from a data file; citations refer to its characters."""

    text: str
    language: str
    source: StringSource
