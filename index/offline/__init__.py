"""Packs: what a browser needs of an index to answer questions about one game without a network."""
