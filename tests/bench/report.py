"""Tables of benchmarks, as aligned text for a terminal and as Markdown for a page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table; ``rows`` have a cell for each of ``columns``, the first with the name of the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def plain(self) -> str:
        """Return the table with its columns aligned."""
        widths = [
            max(len(cell) for cell in column)
            for column in zip(self.columns, *self.rows, strict=True)
        ]
        return "\n".join(
            [self.title, *(_aligned(row, widths) for row in (self.columns, *self.rows))]
        )

    def markdown(self) -> str:
        """Return a heading and the table in Markdown, with figures right-aligned."""
        rule = ["---", *["---:"] * (len(self.columns) - 1)]
        return "\n".join(
            [
                f"## {self.title}",
                "",
                *(f"| {' | '.join(row)} |" for row in (self.columns, rule, *self.rows)),
            ]
        )


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = [
        cell.ljust(width) if n == 0 else cell.rjust(width)
        for n, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return ("  " + "  ".join([first, *rest])).rstrip()


def say(line: str) -> None:
    """Print one line of progress on standard error."""
    print(line, file=sys.stderr, flush=True)
