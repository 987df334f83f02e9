"""Write backups of a workspace while it is in use, and check a backup before restoring it."""
