"""How many phrasings a new version of a rulebook keeps, with every rule renumbered and some sentences reworded."""
