"""Records of a library in mapped files, as the program has them, compared with the same records in SQLite."""
