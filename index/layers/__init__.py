"""The layers of an index beside the rulebooks, rulings and cards: stored, searched, and placed
among the passages of an answer.
"""
