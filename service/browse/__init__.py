"""What a reader looks up: entries, cards, names, neighbours, the same entry in another language."""
