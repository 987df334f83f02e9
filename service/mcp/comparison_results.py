"""Two editions side by side as the tools give them."""

from __future__ import annotations

from pydantic import Field

from glossary.comparison import EntryPair
from service.core.snapshot import Snapshot
from service.editions.comparison import differences_text
from service.mcp.result_model import ToolResult
from service.mcp.results import LinkResult, QuotationResult, link_result, printed_result


class ComparedRowResult(ToolResult):
    """Passages that correspond; one side is empty where only the other has them."""

    status: str
    left: list[QuotationResult]
    right: list[QuotationResult]
    differs_in: str


class ComparedEntryResult(ToolResult):
    """An entry in two editions; ``rows`` only where one entry was asked for."""

    status: str = Field(description="only-left, only-right, changed or same.")
    left: list[LinkResult]
    right: list[LinkResult]
    differs_in: list[str] = Field(description="Differences passage by passage, left | right.")
    rows: list[ComparedRowResult]


class ComparedResult(ToolResult):
    """Two editions side by side, by pages, entries that differ first."""

    left: str
    right: str
    summary: dict[str, int] = Field(description="How many entries there are of each status.")
    total: int
    page: int
    pages: int
    entries: list[ComparedEntryResult]


def compared_entry_result(snapshot: Snapshot, pair: EntryPair, texts: bool) -> ComparedEntryResult:
    """Return an entry in two editions, with the ``texts`` of both sides or without."""
    return ComparedEntryResult(
        status=pair.status.value,
        left=[link_result(snapshot, entry) for entry in pair.left],
        right=[link_result(snapshot, entry) for entry in pair.right],
        differs_in=[words for row in pair.rows if (words := differences_text(row))] if pair.left and pair.right else [],
        rows=[
            ComparedRowResult(
                status=row.status.value,
                left=[printed_result(snapshot, passage) for passage in row.left],
                right=[printed_result(snapshot, passage) for passage in row.right],
                differs_in=differences_text(row),
            )
            for row in (pair.rows if texts else ())
        ],
    )
