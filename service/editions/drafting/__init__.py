"""Phrasings drafted by the owner's model: what it is shown, what its replies must be like, and
where they are written.
"""
