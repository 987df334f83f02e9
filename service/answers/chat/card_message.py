"""A card as a message for a chat: its name, its texts and the newest rulings on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.cards.model import Card, name_in
from corpus.model import Passage
from corpus.rulings.model import Ruling
from index.layers.passages import CardPassage, ruling_passage, texts_in
from service.answers.chat.markup import MARKUP_STYLES, MarkupStyle
from service.answers.chat.quotations import (
    ChatQuotation,
    service_address,
    utf16_length,
    write_quotations,
)
from service.answers.layer_citations import card_label, card_url, ruling_label, ruling_url
from service.answers.sources import Sources
from service.core.i18n import N_, translate
from service.core.snapshot import Snapshot
from service.schemas.answer import CardMessageOut
from service.schemas.fields import MESSAGE_LIMITS, MessageFormat
from service.schemas.layers import LayerCitationOut

MOST_RULINGS = 2  # that are quoted; the page of the card has all
_NO_TEXT = N_("This card has no text.")
_OTHERS = N_("Other cards of this name")


@dataclass(frozen=True)
class CardMessage:
    """A message on a card; ``quoted`` are the passages in it (`index.layers.passages`), ``cut``
    says that one of them is not whole.

    ``limit`` counts UTF-16 code units, as ``length`` does.
    """

    text: str
    format: MessageFormat
    limit: int
    cut: bool
    quoted: tuple[Passage, ...]

    @property
    def length(self) -> int:
        """The length of the text in UTF-16 code units."""
        return utf16_length(self.text)


def compose_card_message(
    card: Card,
    rulings: Sequence[Ruling],
    language: str,
    format: MessageFormat,
    base: str | None,
    limit: int | None = None,
    others: Sequence[Card] = (),
) -> CardMessage:
    """Return ``card`` as a message in ``format`` with at most ``limit`` UTF-16 code units.

    Its texts are in ``language`` if it has any there, else in English, what its errata say first;
    then the first of ``rulings`` that hold, official ones before others; then, as far as they fit,
    links to the ``others`` of its name. ``base`` is the address that links begin with; without it
    there are none. ``limit`` is at most that of the platform.
    """
    style, limit = (
        MARKUP_STYLES[format],
        min(limit or MESSAGE_LIMITS[format], MESSAGE_LIMITS[format]),
    )
    name, texts = card.name(language), _distinct(texts_in(card, language))
    opening = [style.heading(name)]
    if not texts:
        link = style.link_citation(name, service_address(base, card_url(card)))
        opening += [style.escape(translate(language, _NO_TEXT)), f"— {link}"]
    holding = sorted(
        (ruling for ruling in rulings if not ruling.superseded_by),
        key=lambda ruling: not ruling.authority.official,
    )
    quotations = [
        *(_quoted_text(text, language, base) for text in texts),
        *(_quoted_ruling(ruling, language, base) for ruling in holding[:MOST_RULINGS]),
    ]
    written = write_quotations(style, opening, quotations, limit)
    text = _with_others(style, written.text, others, language, base, limit)
    return CardMessage(text, format, limit, written.cut, written.passages)


def card_message_out(
    snapshot: Snapshot, card: Card, message: CardMessage, language: str
) -> CardMessageOut:
    """Return a ``message`` on ``card``, which is in ``snapshot``, cited in ``language``."""
    sources = Sources(snapshot)
    return CardMessageOut(
        card=card.id,
        game=card.game,
        name=card.name(language),
        url=card_url(card),
        language=language,
        index=snapshot.id,
        format=message.format,
        message=message.text,
        length=message.length,
        limit=message.limit,
        cut=message.cut,
        citations=[
            citation
            for passage in message.quoted
            if isinstance(citation := sources.citation_out(passage, language), LayerCitationOut)
        ],
    )


def _distinct(texts: Sequence[CardPassage]) -> list[CardPassage]:
    """Return ``texts`` without what an erratum has said already."""
    found: dict[str, CardPassage] = {}
    for text in texts:
        found.setdefault(text.passage.display, text)
    return list(found.values())


def _with_others(
    style: MarkupStyle,
    text: str,
    others: Sequence[Card],
    language: str,
    base: str | None,
    limit: int,
) -> str:
    """Return ``text`` with a line for each of the ``others`` that fits."""
    lines = [style.heading(translate(language, _OTHERS))]
    written = text
    for card in others:
        lines.append(
            f"• {style.link_citation(_told_apart(card, language), service_address(base, card_url(card)))}"
        )
        longer = style.block.join([text, style.line.join(lines)])
        if utf16_length(longer) > limit:
            break
        written = longer
    return written


def _told_apart(card: Card, language: str) -> str:
    """Return the name of ``card`` with the first product that it is printed in and its number
    there.
    """
    printing = next(iter(card.printings), None)
    product = name_in(printing.products, language) if printing else ""
    return ", ".join(
        filter(None, (card.name(language), product, printing.number if printing else ""))
    )


def _quoted_text(text: CardPassage, language: str, base: str | None) -> ChatQuotation:
    spoken = text.text.quoted.language
    return ChatQuotation(
        text.passage, spoken, card_label(text, language), service_address(base, card_url(text.card))
    )


def _quoted_ruling(ruling: Ruling, language: str, base: str | None) -> ChatQuotation:
    passage = ruling_passage(ruling)
    address = service_address(base, ruling_url(ruling))
    return ChatQuotation(
        passage,
        ruling.answer.language,
        ruling_label(ruling, language),
        address,
        asked=passage.lead_in,
    )
