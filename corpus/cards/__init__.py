"""Card databases of players and publishers: cards, their printings, texts and errata."""
