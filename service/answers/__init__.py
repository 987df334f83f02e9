"""Render answers as JSON with citations, as context for a language model and as chat messages;
verify quotations.
"""
