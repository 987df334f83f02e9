"""Two editions side by side, and two versions of one: what corresponds, what differs, what became
of it.
"""

from glossary.comparison.edition_comparison import (
    AlignedPassages,
    ComparisonStatus,
    EditionComparison,
    EntryPair,
    compare_editions,
    with_source,
)
from glossary.comparison.hints import DifferenceKind, HintEvidence, PassageDifference

__all__ = [
    "AlignedPassages",
    "ComparisonStatus",
    "DifferenceKind",
    "EditionComparison",
    "EntryPair",
    "HintEvidence",
    "PassageDifference",
    "compare_editions",
    "with_source",
]
