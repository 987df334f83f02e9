"""Rulings that are not in a rulebook: official answers and house rulings."""

from corpus.rulings.loading import games_with_rulings, load_rulings
from corpus.rulings.model import Authority, Basis, QuotedPart, Ruling
from corpus.rulings.source_files import RulingCollection, RulingFault

__all__ = [
    "Authority",
    "Basis",
    "QuotedPart",
    "Ruling",
    "RulingCollection",
    "RulingFault",
    "games_with_rulings",
    "load_rulings",
]
