"""Rulings and texts of cards in words: what they are, who has ruled so and when; and the addresses of their pages."""

from __future__ import annotations

from datetime import date
from urllib.parse import quote

from corpus.cards.model import Card
from corpus.rulings.model import Authority, Ruling
from index.layers.passages import CardPassage
from service.core.i18n import DEFAULT, LANGUAGES, N_, translate

AUTHORITIES = {
    Authority.PUBLISHER: N_("Official ruling"),
    Authority.DESIGNER: N_("Official ruling of the designer"),
    Authority.HEAD_JUDGE: N_("Ruling of the head judge"),
    Authority.HOUSE: N_("House ruling"),
}
NOT_PRINTED = N_("not in the rulebook")
SUPERSEDED = N_("superseded")
OLDER = N_("older than the rulebook")
_CARD_TEXT = N_("Card text")
_ERRATUM = N_("Erratum of the card")


def ruling_label(ruling: Ruling, language: str, older: bool = False) -> str:
    """Return in ``language`` what ``ruling`` is: "Official ruling, 2 March 2025, not in the rulebook – Publisher's forum"."""
    said = [translate(language, AUTHORITIES[ruling.authority])]
    if ruling.date:
        said.append(shown_day(ruling.date, language))
    said.append(translate(language, NOT_PRINTED))
    if ruling.superseded_by:
        said.append(translate(language, SUPERSEDED))
    if older:
        said.append(translate(language, OLDER))
    published = " ".join(filter(None, (ruling.source, f"({ruling.answer.language})")))
    return f"{', '.join(said)} – {published}"


def card_label(quoted: CardPassage, language: str) -> str:
    """Return in ``language`` what a text of a card is: "Card text, Otter (de)"."""
    kind = translate(language, _ERRATUM if quoted.erratum else _CARD_TEXT)
    spoken = quoted.text.quoted.language
    return f"{kind}, {quoted.card.name(spoken)} ({spoken})"


def shown_day(day: str, language: str) -> str:
    """Return the ``day``, as ISO 8601 writes it, in words of ``language``, in English where the pages do not speak it."""
    from babel.dates import format_date  # takes longer to import than a command without dates should wait

    try:
        return str(format_date(date.fromisoformat(day), "long", locale=language if language in LANGUAGES else DEFAULT))
    except ValueError:  # a year or a month alone
        return day


def ruling_url(ruling: Ruling) -> str:
    """Return the address of ``ruling`` on this service."""
    return f"/rulings/{quote(ruling.game)}#{quote(ruling.id.partition('/')[2])}"


def card_url(card: Card) -> str:
    """Return the address of the page of ``card`` on this service."""
    return f"/cards/{quote(card.game)}/{quote(card.slug)}"
