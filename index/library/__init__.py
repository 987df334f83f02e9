"""The contents of all rulebooks: editions, entries, passages, references, and relations."""
