"""Concepts: what entries of different editions and words of different players are about, whatever they call it."""

from glossary.concepts.entry_ties import tie
from glossary.concepts.loading import FOLDER, concepts, games
from glossary.concepts.model import Concept, Tied, Unfit

__all__ = ["FOLDER", "Concept", "Tied", "Unfit", "concepts", "games", "tie"]
