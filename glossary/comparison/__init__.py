"""Compare two editions, or two versions of one edition: what corresponds and what differs."""

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
