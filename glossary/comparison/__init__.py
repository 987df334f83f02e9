"""Two editions side by side, and two versions of one: what corresponds, what differs, what became of it."""

from glossary.comparison.edition_comparison import (
    AlignedPassages,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    EntryPair,
    PassageDifference,
    compare_editions,
)
from glossary.comparison.source_column import with_source

__all__ = [
    "AlignedPassages",
    "ComparisonStatus",
    "DifferenceKind",
    "EditionComparison",
    "EntryPair",
    "PassageDifference",
    "compare_editions",
    "with_source",
]
