"""Two editions side by side, and two versions of one: what corresponds, what differs, what became of it."""

from glossary.comparison.edition_comparison import Comparison, Difference, Pair, Row, Sort, Status, compare

__all__ = ["Comparison", "Difference", "Pair", "Row", "Sort", "Status", "compare"]
