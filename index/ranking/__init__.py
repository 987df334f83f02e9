"""Rank passages: compute signals, fuse them to a score, estimate how sure the answer is, and choose
which words to highlight.
"""
