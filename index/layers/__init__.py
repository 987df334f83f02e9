"""Store and search the layers of an index beside the rulebooks: rulings and cards."""
