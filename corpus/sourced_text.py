"""Strings quoted from files of data, and where each stands: what passages and spans are for
rulebooks.
"""

from __future__ import annotations

from typing import NamedTuple


class StringSource(NamedTuple):
    """The place of a string in a file of data.

    ``file`` is its path in the folder of its game, with slashes; ``sha256`` is that of its bytes.
    ``pointer`` is a JSON pointer (RFC 6901) to the string; a YAML file is pointed into as the JSON
    of the same data, a CSV file as a list of objects, one a row from 0, by the names of its
    columns.
    """

    file: str
    sha256: str
    pointer: str


class SourcedText(NamedTuple):
    """A string as it stands in a file, never edited; spans of a citation count its characters.
    ``language`` is its language.
    """

    text: str
    language: str
    source: StringSource
