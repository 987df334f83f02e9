"""Work that takes seconds, done outside the process that answers."""
