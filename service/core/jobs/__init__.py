"""Jobs that take seconds, done outside the process that answers."""
