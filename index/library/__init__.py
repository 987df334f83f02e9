"""The contents of all rulebooks: editions, entries, passages and references, and the relations
between them.
"""
