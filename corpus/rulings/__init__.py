"""Rulings outside the rulebooks: official answers and those of the house."""
