"""A card as a message for a chat: its name, its texts and the newest rulings on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.cards.model import Card
from corpus.model import Passage
from corpus.rulings.model import Ruling
from index.layers.passages import CardPassage, card_passages, ruling_passage
from service.answers.chat.markup import MARKUP_STYLES
from service.answers.chat.quotations import ChatQuotation, service_address, utf16_length, write_quotations
from service.answers.layer_citations import card_label, card_url, ruling_label, ruling_url
from service.answers.sources import Sources
from service.core.i18n import N_, translate
from service.core.snapshot import Snapshot
from service.schemas.chat import CardMessageOut
from service.schemas.layers import LayerCitationOut
from service.schemas.limits import MESSAGE_LIMITS, MessageFormat

MOST_RULINGS = 2  # that are quoted; the page of the card has all
_ORIGINAL = "en"
_NO_TEXT = N_("This card has no text.")


@dataclass(frozen=True)
class CardMessage:
    """A message on a card; ``quoted`` are the passages in it (`index.layers.passages`), ``cut`` says that one of them is not whole.

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
    card: Card, rulings: Sequence[Ruling], language: str, format: MessageFormat, base: str | None, limit: int | None = None
) -> CardMessage:
    """Return ``card`` as a message in ``format`` with at most ``limit`` UTF-16 code units.

    Its texts are in ``language`` if it has any there, else in English, what its errata say first; then the first of ``rulings`` that
    hold, official ones before others. ``base`` is the address that links begin with; without it there are none. ``limit`` is at most
    that of the platform.
    """
    style, limit = MARKUP_STYLES[format], min(limit or MESSAGE_LIMITS[format], MESSAGE_LIMITS[format])
    name, texts = card.name(language), texts_in(card, language)
    opening = [style.heading(name)]
    if not texts:
        link = style.link_citation(name, service_address(base, card_url(card)))
        opening += [style.escape(translate(language, _NO_TEXT)), f"— {link}"]
    holding = sorted((ruling for ruling in rulings if not ruling.superseded_by), key=lambda ruling: not ruling.authority.official)
    quotations = [
        *(_quoted_text(text, language, base) for text in texts),
        *(_quoted_ruling(ruling, language, base) for ruling in holding[:MOST_RULINGS]),
    ]
    written = write_quotations(style, opening, quotations, limit)
    return CardMessage(written.text, format, limit, written.cut, written.passages)


def card_message_out(snapshot: Snapshot, card: Card, message: CardMessage, language: str) -> CardMessageOut:
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
            citation for passage in message.quoted if isinstance(citation := sources.citation_out(passage, language), LayerCitationOut)
        ],
    )


def texts_in(card: Card, language: str) -> list[CardPassage]:
    """Return the rules texts of ``card`` in ``language``, else in English, else in any: those of its errata, then the printed ones."""
    texts = [text for text in card_passages(card) if not text.replaced]
    printed = [text for text in texts if text.erratum is None]
    languages = [text.text.quoted.language for text in printed]
    wanted = next((code for code in (language, _ORIGINAL, *languages) if code in languages), "")
    return [*(text for text in texts if text.erratum), *(text for text in printed if text.text.quoted.language == wanted)]


def _quoted_text(text: CardPassage, language: str, base: str | None) -> ChatQuotation:
    spoken = text.text.quoted.language
    return ChatQuotation(text.passage, spoken, card_label(text, language), service_address(base, card_url(text.card)))


def _quoted_ruling(ruling: Ruling, language: str, base: str | None) -> ChatQuotation:
    passage = ruling_passage(ruling)
    address = service_address(base, ruling_url(ruling))
    return ChatQuotation(passage, ruling.answer.language, ruling_label(ruling, language), address, asked=passage.lead_in)
