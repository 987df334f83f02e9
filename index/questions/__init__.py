"""Questions: parsed, and prepared for a search."""
