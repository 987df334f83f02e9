"""Render answers as JSON with citations, as context for a model, and as chat messages; verify
quotations.
"""
