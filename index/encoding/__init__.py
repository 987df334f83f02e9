"""Texts as vectors: the built-in encoder, how it is trained, and models of a hub in its place."""
