"""Questions that are nothing but the name of a card, and the message on it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from corpus.cards.model import Card
from glossary.normalization import tokenize
from index.layers.model import Layer
from index.model import SearchResult
from index.scopes import searched_editions
from service.answers.answer import answer_head
from service.answers.chat.card_message import compose_card_message
from service.answers.sources import Sources
from service.core.snapshot import Snapshot
from service.schemas.answer import ChatMessageOut
from service.schemas.fields import MessageFormat

_CERTAIN = 0.6  # of a name with slips, from which on it is one


class NamedCard(NamedTuple):
    """The ``card`` that a question is the name of, the ``others`` of that name, and the
    ``language`` of the name.
    """

    card: Card
    others: tuple[Card, ...]
    language: str


def named_card(snapshot: Snapshot, result: SearchResult) -> NamedCard | None:
    """Return the card whose name is all that was asked; None where more was, where it is a term of
    the game too, or as of a day.

    A name that is the same in several languages is one in the language of the question, if that is
    among them.
    """
    query, cards = result.query, snapshot.cards
    if query.as_of is not None or (query.layers is not None and Layer.CARDS not in query.layers):
        return None
    scope = {edition.game for edition in searched_editions(snapshot.library, query)}
    for game in (game for game in cards.games if game in scope):
        is_term = result.parsed is not None and bool(result.parsed.mentions.get(game))
        called = () if is_term else cards.called(game, query.question)
        if found := called or _misspelt(snapshot, query.question, game, result.language):
            return NamedCard(
                found[0],
                found[1:],
                query.language or _language(snapshot, query.question, game, result.language),
            )
    return None


def named_card_message(
    snapshot: Snapshot,
    result: SearchResult,
    named: NamedCard,
    format: MessageFormat,
    base: str | None,
    limit: int | None = None,
) -> ChatMessageOut:
    """Return the message on the ``named`` card, which answers what was asked of ``snapshot``; the
    rest is as in `compose_card_message`.
    """
    wanted = result.query.layers
    loaded = snapshot.index.rulings.of_card(named.card.game, named.card.id)
    rulings = loaded if wanted is None or Layer.RULINGS in wanted else ()
    message = compose_card_message(
        named.card, rulings, named.language, format, base, limit, named.others
    )
    sources = Sources(snapshot)
    return ChatMessageOut(
        **answer_head(snapshot, replace(result, language=named.language)),
        format=format,
        message=message.text,
        length=message.length,
        limit=message.limit,
        cut=message.cut,
        citations=[sources.citation_out(passage, named.language) for passage in message.quoted],
    )


def _misspelt(snapshot: Snapshot, question: str, game: str, language: str) -> tuple[Card, ...]:
    """Return the cards of ``game`` that the whole ``question`` is likely to name."""
    words = tokenize(question)
    for named in snapshot.cards.mentions(question, (game,), language):
        if (
            words
            and named.certainty >= _CERTAIN
            and (named.start, named.end) == (words[0].start, words[-1].end)
        ):
            return tuple(
                card for id in named.cards if (card := snapshot.cards.get(game, id)) is not None
            )
    return ()


def _language(snapshot: Snapshot, name: str, game: str, language: str) -> str:
    hit = next(iter(snapshot.cards.find(name, game, language, 1)), None)
    if hit is None or not hit.language:
        return language
    names = {
        code
        for code in hit.card.languages
        if hit.name in (hit.card.name(code), *(face.names.get(code) for face in hit.card.faces))
    }
    return language if language in names else hit.language
