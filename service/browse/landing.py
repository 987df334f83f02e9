"""Choose the page that a search for a name opens: a card, a rule, or a list of similar cards."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from corpus.cards.model import Card
from corpus.model import Kind
from glossary.references.printed_numbers import number_key
from index.cards.card_store import CardHit
from index.model import SearchResult
from service.answers.citations import card_url, entry_url
from service.browse.lookup import CARD_KINDS, name_index
from service.core.snapshot import Snapshot

EXACT = 0.97  # score of a card with exactly this name
_SLIP = 0.85  # score of a clearly meant card, if no other is as near
_LIKE = 0.65  # score of a card that may be meant
_LEAD = 0.08  # lead of the nearest card over the next one
MOST_CARDS = 20
_MOST_WORDS = 6  # of a name
_MOST_MEANT = 4


class Meant(NamedTuple):
    """An entry or card that a reader may have meant."""

    title: str
    language: str
    url: str


def meant_card(hits: tuple[CardHit, ...]) -> Card | None:
    """Return the best card of ``hits`` if it is near and clearly ahead of the rest, else None."""
    if not hits or hits[0].score < _SLIP:
        return None
    rest = [hit for hit in hits[1:] if hit.score > hits[0].score - _LEAD]
    sure = not rest or (hits[0].score >= EXACT and rest[0].score < EXACT)
    return hits[0].card if sure else None


def landing(snapshot: Snapshot, found: SearchResult, game: str | None, language: str) -> str | None:
    """Return the address to open for a rule number ("5.2") or a card's name; None for questions.

    The name of a term counts as a question: the rulebook answers it.
    """
    parsed, asked = found.parsed, found.query.question
    if parsed is None or "?" in asked or len(asked.split()) > _MOST_WORDS:
        return None
    library = snapshot.library
    if parsed.only_rules and len(parsed.rules) == 1:
        cited = parsed.rules[0]
        parts = (*cited.rule, *cited.marks)
        editions = [library.edition[library.entry[hit.passage.entry].edition] for hit in found.hits]
        rules = [
            entry
            for edition in dict.fromkeys(edition.id for edition in editions)
            for entry in library.entries_of(edition)
            if entry.number and entry.kind in (Kind.RULE, Kind.SECTION)
            if (key := number_key(entry.number)).parts == parts
            if cited.is_general or not key.label or key.label == cited.label
        ]
        games = {library.edition[rule.edition].game for rule in rules}
        return entry_url(rules[0]) if len(games) == 1 else None
    entries = [
        library.entries[n]
        for sense in (parsed.look_up.senses if parsed.look_up else ())
        for n in sense.entries
    ]
    if parsed.look_up and not (entries and all(entry.kind in CARD_KINDS for entry in entries)):
        return None
    hits = snapshot.index.cards.find(asked, game, language, MOST_CARDS)
    if card := meant_card(hits):
        return card_url(card)
    like = bool(hits) and hits[0].score >= (_LIKE if parsed.strange else EXACT)
    scope = {"game": game} if game else {}
    return f"/cards?{urlencode({'q': asked, **scope})}" if like else None


def finds_nothing(found: SearchResult) -> bool:
    """Return whether no word of the question of ``found`` is in any loaded text."""
    return bool(found.parsed and found.parsed.strange) and not found.answered and not found.beside


def meant(snapshot: Snapshot, found: SearchResult, game: str | None, language: str) -> list[Meant]:
    """Return the entries and cards that a short search without an answer may have meant."""
    asked, library = found.query.question, snapshot.library
    if found.answered or "?" in asked or len(asked.split()) > _MOST_WORDS:
        return []
    entries = name_index(snapshot).suggest(asked, found.query.edition, game, language)
    hits = snapshot.index.cards.find(asked, game, language, _MOST_MEANT)
    listed = [Meant(e.title, library.edition[e.edition].language, entry_url(e)) for e in entries]
    listed += [
        Meant(hit.card.name(hit.language or language), hit.language or language, card_url(hit.card))
        for hit in hits
        if hit.score >= _LIKE
    ]
    return list({each.title: each for each in listed}.values())[:_MOST_MEANT]
