"""Takes the index that another machine has published: from its folder, or by HTTP."""
