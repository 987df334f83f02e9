"""Rank passages: compute signals, combine them into a score, estimate how certain the answer is,
and choose the words to highlight.
"""
