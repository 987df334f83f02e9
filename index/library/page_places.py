"""Where passages and headings stand on the pages of their documents, in files mapped into
memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from corpus.blocks import Box, PageBoxes
from corpus.model import Rulebook
from corpus.spans import Span
from index.files.ragged import RaggedArray
from index.library.document_texts import PARTS_OF_POINT, hundredths

_FIELDS = 5  # of a box: page, left, top, right, bottom


def _no_rows() -> RaggedArray:
    return RaggedArray(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))


@dataclass(frozen=True)
class PagePlaces:
    """Pages and boxes of the ``passages`` and of the headings of ``entries``, by number; rows are
    empty where there are no pages.
    """

    passages: RaggedArray
    entries: RaggedArray

    @classmethod
    def nowhere(cls) -> PagePlaces:
        """No places, for rulebooks without pages."""
        return cls(_no_rows(), _no_rows())

    @classmethod
    def build(cls, rulebooks: Sequence[Rulebook]) -> PagePlaces:
        """The places of all that is in ``rulebooks``, numbered through them all."""
        if not any(book.document.pages for book in rulebooks):
            return cls.nowhere()
        return cls(
            _rows([(book, passage.spans) for book in rulebooks for passage in book.passages]),
            _rows([(book, entry.heading_spans) for book in rulebooks for entry in book.entries]),
        )

    def of_passage(self, number: int) -> tuple[PageBoxes, ...]:
        """Where passage ``number`` stands, by page; nothing where it has no page."""
        return _places(self.passages, number)

    def of_heading(self, number: int) -> tuple[PageBoxes, ...]:
        """Where the heading of entry ``number`` stands, by page; nothing where it has none or there
        are no pages.
        """
        return _places(self.entries, number)

    def save(self, folder: Path) -> None:
        """Write the places to ``folder``."""
        self.passages.save(folder / "passage_place")
        self.entries.save(folder / "heading_place")

    @classmethod
    def load(cls, folder: Path) -> PagePlaces:
        """The places in ``folder``, mapped into memory. Raises `OSError` or `ValueError` where they
        are damaged.
        """
        return cls(
            RaggedArray.load(folder / "passage_place"), RaggedArray.load(folder / "heading_place")
        )


def _rows(things: Sequence[tuple[Rulebook, Iterable[Span]]]) -> RaggedArray:
    """A row for each of ``things``: `_FIELDS` numbers for each box of its spans."""
    owners: list[int] = []
    values: list[int] = []
    for number, (book, spans) in enumerate(things):
        for page, boxes in book.document.pages.boxes(spans) if book.document.pages else ():
            for box in boxes:
                owners += [number] * _FIELDS
                values += [page, *hundredths(box)]
    return RaggedArray.from_owners(owners, values, len(things))


def _places(rows: RaggedArray, number: int) -> tuple[PageBoxes, ...]:
    if number >= len(rows):
        return ()
    boxes = rows.row(number).reshape(-1, _FIELDS).tolist()
    by_page = groupby(boxes, key=lambda box: int(box[0]))
    return tuple(
        PageBoxes(page, tuple(Box(*(v / PARTS_OF_POINT for v in box[1:])) for box in found))
        for page, found in by_page
    )
