"""Operation: settings, keys, indexes, workspace, backups, feedback."""
