"""What has been read: editions, entries, passages and references, where they stand and what belongs
together.
"""
