"""Encode texts as vectors: with the built-in encoder, or with models from a hub."""
