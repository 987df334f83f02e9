"""Two editions side by side, and two versions of one: what corresponds, what differs, what became
of it.
"""

from glossary.comparison.edition_comparison import compare_editions, with_source
from glossary.comparison.hints import DifferenceKind, HintEvidence, PassageDifference
from glossary.comparison.model import (
    Agreement,
    AlignedPassages,
    ComparisonStatus,
    EditionComparison,
    EntryPair,
)

__all__ = [
    "Agreement",
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
