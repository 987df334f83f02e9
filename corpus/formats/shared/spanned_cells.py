"""Cells of tables that reach over several rows: their text is repeated in each, so that every row
says what it is about.
"""

from __future__ import annotations

from corpus.formats.shared.text_assembler import CELL
from corpus.spans import Span

LONGEST_REPEATED = 100  # characters of a cell that is repeated; a longer one leaves its place in the rows below it empty
MOST_REPEATED = 500_000  # characters that are repeated in one table
MOST_COLUMNS = 100  # that one cell may reach over
MOST_ROWS = 1000


class SpannedCells:
    """The cells of one table that reach down into rows that have not been read, by their column,
    from 0.
    """

    def __init__(self) -> None:
        self._cells: dict[int, tuple[str, int]] = {}
        self._left = MOST_REPEATED

    def add(self, column: int, columns: int, rows: int, text: str) -> None:
        """A cell with ``text`` begins in ``column`` of this row and reaches over so many
        ``columns`` and ``rows``.
        """
        text = " ".join(text.replace(CELL.strip(), " ").split())
        for at in range(column, column + min(columns, MOST_COLUMNS)):
            if rows > 1:
                first = text if at == column and len(text) <= LONGEST_REPEATED else ""
                self._cells[at] = first, min(rows, MOST_ROWS) - 1
            else:
                self._cells.pop(at, None)

    def take(self, column: int) -> str | None:
        """The text that a cell above this row repeats in its ``column``; None where none reaches
        down to it, or too many do.
        """
        if column not in self._cells or self._left < 0:
            return None
        text, rows = self._cells.pop(column)
        if rows > 1:
            self._cells[column] = text, rows - 1
        self._left -= len(text) + len(CELL)
        return text


class TableHeader:
    """The header of one table: ``span`` is that of its first row, or of all rows at its top that
    are marked as header.
    """

    def __init__(self) -> None:
        self.span: Span | None = None
        self._complete = False

    def end_row(self, span: Span | None, marked: bool) -> None:
        """A row was read: its ``span``, None where it was empty, and whether it is ``marked`` as
        one of the header.
        """
        if span is None:
            return
        if self.span is None or (marked and not self._complete):
            self.span = Span(self.span.start if self.span else span.start, span.end)
        self._complete = self._complete or not marked
