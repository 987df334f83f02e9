"""Parse questions, and prepare them for a search."""
