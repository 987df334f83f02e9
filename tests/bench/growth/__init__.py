"""How quality and cost grow with the number of passages: rulebooks made up in any number, asked, measured and drawn."""
