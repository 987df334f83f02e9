"""Reads a folder of cards in whichever form it has, which is told by its content."""

from __future__ import annotations

from pathlib import Path

from corpus.cards.faults import FaultList
from corpus.cards.files import CardFiles
from corpus.cards.folder import CardFolder
from corpus.cards.lorcanajson import read_lorcanajson
from corpus.cards.marvelsdb import is_marvelsdb, read_marvelsdb
from corpus.cards.plain import read_plain


def read_cards(folder: Path, game: str) -> CardFolder:
    """The cards of ``game`` in ``folder``: marvelsdb-json-data, LorcanaJSON, or YAML and CSV files
    as docs/cards.md describes them.

    What cannot be read is a line in the faults, the rest is read. Raises `OSError` if ``folder`` is
    not a folder.
    """
    faults = FaultList()
    files = CardFiles(folder, faults)
    if is_marvelsdb(files):
        return read_marvelsdb(files, game, faults)
    return read_lorcanajson(files, game, faults) or read_plain(files, game, faults)
