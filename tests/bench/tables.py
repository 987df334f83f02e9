"""Tables as aligned text for a terminal and as Markdown for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """``rows`` have a cell for each of ``columns``; the first cell of a row says what it is about."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def plain(self) -> str:
        """Columns aligned with blanks."""
        widths = [max(len(cell) for cell in column) for column in zip(self.columns, *self.rows, strict=True)]
        return "\n".join([self.title, *(_aligned(row, widths).rstrip() for row in (self.columns, *self.rows))])

    def markdown(self) -> str:
        """A heading and a table, figures to the right."""
        rule = ["---", *["---:"] * (len(self.columns) - 1)]
        return "\n".join([f"## {self.title}", "", *(f"| {' | '.join(row)} |" for row in (self.columns, rule, *self.rows))])


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = [cell.ljust(width) if n == 0 else cell.rjust(width) for n, (cell, width) in enumerate(zip(row, widths, strict=True))]
    return "  " + "  ".join([first, *rest])
