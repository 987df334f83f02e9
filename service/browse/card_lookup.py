"""What is looked up of cards: which one an address leads to, and the rules that its texts touch."""

from __future__ import annotations

from corpus.cards.model import Card
from corpus.rulings.model import Ruling
from glossary.concepts import load_concepts
from index.cards.rule_links import CardRule, RuleLinker
from service.core.snapshot import Snapshot


def card_rules(snapshot: Snapshot, card: Card, language: str) -> list[CardRule]:
    """Return the rules that ``card`` touches; see `RuleLinker.rules`."""
    return _linker(snapshot, card.game).rules(card, language)


def ruling_rules(snapshot: Snapshot, ruling: Ruling, language: str) -> list[CardRule]:
    """Return the rules that ``ruling`` names; see `RuleLinker.rules_of_ruling`."""
    return _linker(snapshot, ruling.game).rules_of_ruling(ruling, language)


def find_card(snapshot: Snapshot, game: str, slug: str) -> Card | None:
    """Return the card at an address, by slug, id or the code of a printing, also at one that its name has changed since; None if none."""
    cards = snapshot.index.cards
    if (found := cards.get(game, slug)) is not None:
        return found
    rest = slug
    while "-" in rest:  # an address ends in the id of the card
        rest = rest.partition("-")[2]
        if (found := cards.get(game, rest)) is not None and found.slug.endswith(f"-{rest}"):
            return found
    return None


def named_card(snapshot: Snapshot, game: str, name: str) -> Card | None:
    """Return the card that a ruling on ``game`` calls by ``name``, its id, its code or a name of no other card; None if none."""
    cards = snapshot.index.cards
    if (found := cards.get(game, name)) is not None:
        return found
    called = cards.called(game, name)
    return called[0] if len(called) == 1 else None


def _linker(snapshot: Snapshot, game: str) -> RuleLinker:
    return snapshot.cache.get(("card rules", game), lambda: RuleLinker(snapshot.library, game, load_concepts(game), snapshot.index.cards))
