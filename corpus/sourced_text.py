"""Strings quoted from data files, with their sources: the counterpart of passages and spans in
rulebooks.
"""

from __future__ import annotations

from typing import NamedTuple


class StringSource(NamedTuple):
    """The place of a string in a data file.

    ``file`` is its path in the folder of its game, with slashes; ``sha256`` is that of its bytes.
    ``pointer`` is a JSON pointer (RFC 6901) to the string. For a YAML file it refers to the same
    data as JSON, for a CSV file to a list of objects, one per row from 0, with the column names as
    keys.
    """

    file: str
    sha256: str
    pointer: str


class SourcedText(NamedTuple):
    """A string as it is in a file, never edited; spans of a citation count its characters.
    ``language`` is its language.
    """

    text: str
    language: str
    source: StringSource
