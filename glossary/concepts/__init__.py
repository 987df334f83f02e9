"""Concepts: what entries of different editions and words of different players are about, whatever
they call it.
"""

from glossary.concepts.entry_ties import tie_entries
from glossary.concepts.loading import FOLDER, games_with_concepts, load_concepts
from glossary.concepts.model import Concept, ConceptTies, UnmatchedHeading

__all__ = [
    "FOLDER",
    "Concept",
    "ConceptTies",
    "UnmatchedHeading",
    "games_with_concepts",
    "load_concepts",
    "tie_entries",
]
