"""Texts as vectors: the built-in encoder, how it is trained, and models from a hub as an
alternative.
"""
