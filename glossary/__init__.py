"""Terms, concepts, aliases, player phrasings and references: what ties entries to each other and to players' words."""
