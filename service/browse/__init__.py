"""Look-ups for readers: entries, cards, names, neighbours, the same entry in another language."""
