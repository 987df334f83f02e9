"""What games are called, and which of them an answer has to name: all where it was not said in
which one to search.
"""

from __future__ import annotations

from corpus.model import Passage
from index.library.library import Library
from index.model import Query
from service.answers.citations import cite


def game_title(library: Library, game: str) -> str:
    """Return what ``game`` is called, by its id or, where nobody has described an edition of it, by
    the title of the first.
    """
    editions = [edition for edition in library.editions if edition.game == game]
    return (
        game.replace("-", " ").title()
        if any(edition.known for edition in editions)
        else editions[0].title
    )


def games_to_name(library: Library, query: Query) -> dict[str, str]:
    """Return the titles of games by their ids where ``query`` searches several; nothing where it
    searches one.
    """
    if query.edition or query.game or query.document or len(library.games) < 2:
        return {}
    return {game: game_title(library, game) for game in library.games}


def unnamed_game(library: Library, query: Query, passage: Passage) -> str:
    """Return the game of ``passage`` where an answer to ``query`` has to name it and the citation
    does not; else "".
    """
    citation = cite(library, passage)
    title = games_to_name(library, query).get(citation.edition.game, "")
    return "" if title.casefold() in citation.edition_name.casefold() else title
