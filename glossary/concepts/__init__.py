"""Concepts: the terms of a game, whatever an edition, a language or a player calls them."""

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
