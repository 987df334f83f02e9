"""What has been read: editions, entries, passages and references, and what belongs together."""
