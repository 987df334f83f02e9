"""Text files: encodings, and the blocks of plain text, Markdown and reStructuredText."""
