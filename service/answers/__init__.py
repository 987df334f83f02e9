"""Answers as JSON with citations, as context for a model, as chat messages; quotations verified."""
