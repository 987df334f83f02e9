"""Rulings and texts of cards in words: what they are, who has ruled so and when; and the addresses
of their pages.
"""

from __future__ import annotations

from urllib.parse import quote

from corpus.cards.model import Card
from corpus.rulings.model import Authority, Ruling
from index.layers.passages import CardPassage
from service.core.i18n import N_, day_in_words, language_in_words, translate

AUTHORITIES = {
    Authority.PUBLISHER: N_("Official ruling"),
    Authority.DESIGNER: N_("Official ruling of the designer"),
    Authority.HEAD_JUDGE: N_("Ruling of the head judge"),
    Authority.HOUSE: N_("House ruling"),
}
UNDATED = N_("undated")
NOT_PRINTED = N_("not in the rulebook")
SUPERSEDED = N_("superseded")
OLDER = N_("older than the rulebook")
OTHER_CARDS = N_("Rulings on single cards")
_SPOKEN = N_("in %(language)s")
_CARD_TEXT = N_("Card text")
_ERRATUM = N_("Erratum of the card")


def ruling_label(ruling: Ruling, language: str, older: bool = False) -> str:
    """Return in ``language`` what ``ruling`` is: "Official ruling, 2 March 2025, not in the
    rulebook – Publisher's forum (de)".
    """
    published = " ".join(filter(None, (ruling.source, f"({ruling.answer.language})")))
    return f"{ruling_title(ruling, language, older)} – {published}"


def ruling_title(ruling: Ruling, language: str, older: bool = False) -> str:
    """Return the same without where it was published; of a ruling in another language it says in
    which.
    """
    said = [translate(language, AUTHORITIES[ruling.authority])]
    said.append(
        day_in_words(language, ruling.date) if ruling.date else translate(language, UNDATED)
    )
    said.append(translate(language, NOT_PRINTED))
    if (spoken := ruling.answer.language) != language:
        said.append(
            translate(language, _SPOKEN) % {"language": language_in_words(language, spoken)}
        )
    if ruling.superseded_by:
        said.append(translate(language, SUPERSEDED))
    if older:
        said.append(translate(language, OLDER))
    return ", ".join(said)


def card_label(quoted: CardPassage, language: str) -> str:
    """Return in ``language`` what a text of a card is: "Card text, Otter (de)"."""
    spoken = quoted.text.quoted.language
    return f"{card_title(quoted, language)}, {quoted.card.name(spoken)} ({spoken})"


def card_title(quoted: CardPassage, language: str) -> str:
    """Return the same without the card: "Card text", "Erratum of the card, 4 November 2022"."""
    if quoted.erratum is None:
        return translate(language, _CARD_TEXT)
    kind = translate(language, _ERRATUM)
    return f"{kind}, {day_in_words(language, quoted.erratum.date)}" if quoted.erratum.date else kind


def ruling_url(ruling: Ruling) -> str:
    """Return the address of ``ruling`` on this service."""
    return f"/rulings/{quote(ruling.id)}"


def card_url(card: Card) -> str:
    """Return the address of the page of ``card`` on this service."""
    return f"/cards/{quote(card.game)}/{quote(card.slug)}"
