"""Concepts: what entries of different editions and words of different players refer to, whatever
they call it.
"""

from glossary.concepts.entry_ties import ConceptTies, UnmatchedHeading, tie_entries
from glossary.concepts.loading import (
    FOLDER,
    Concept,
    games_with_concepts,
    heading_key,
    load_concepts,
)

__all__ = [
    "FOLDER",
    "Concept",
    "ConceptTies",
    "UnmatchedHeading",
    "games_with_concepts",
    "heading_key",
    "load_concepts",
    "tie_entries",
]
