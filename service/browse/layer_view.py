"""What the pages show of rulings and texts of cards: quoted, with who has ruled so and when."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.languages import get_language
from corpus.model import Passage
from index.model import CardTextHit, RulingHit
from service.answers.layer_citations import card_label, card_url, ruling_label, ruling_url
from service.browse.text_blocks import AnnotatedPassage, TextBlock, text_blocks
from service.core.highlighting import display_spans


@dataclass(frozen=True)
class QuotedLayer:
    """A ruling or a text of a card in its wording with what answers marked.

    ``label`` says in the reader's language what it is, ``heading`` names its cards; ``asked`` is the question that was ruled on, "" where
    there is none. ``kind`` is "ruling", "card" or "erratum"; ``authority`` that of a ruling, else "". ``url`` is its page here,
    ``published`` the address where it was published, "" where none is known; ``citation`` is to be pasted.
    """

    kind: str
    heading: str
    label: str
    language: str
    passage: Passage
    blocks: list[TextBlock]
    asked: str
    authority: str
    url: str
    published: str
    citation: str
    settles: bool = False
    superseded: bool = False


def quoted_layer(hit: RulingHit | CardTextHit, language: str) -> QuotedLayer:
    """Return the ruling or card of ``hit`` as a page in ``language`` quotes it."""
    passage = hit.passage
    blocks = text_blocks([AnnotatedPassage(passage, display_spans(passage, hit.highlights))])
    if isinstance(hit, CardTextHit):
        card, spoken = hit.quoted.card, hit.quoted.text.quoted.language
        label = card_label(hit.quoted, language)
        return QuotedLayer(
            kind="erratum" if hit.quoted.erratum else "card",
            heading=card.name(spoken),
            label=label,
            language=spoken,
            passage=passage,
            blocks=blocks,
            asked="",
            authority="",
            url=card_url(card),
            published="",
            citation=_cited(passage, spoken, label),
        )
    ruling, spoken = hit.ruling, hit.ruling.answer.language
    label = ruling_label(ruling, language, hit.older)
    return QuotedLayer(
        kind="ruling",
        heading=", ".join(ruling.cards) or passage.lead_in or ruling.id,
        label=label,
        language=spoken,
        passage=passage,
        blocks=blocks,
        asked=passage.lead_in,
        authority=ruling.authority,
        url=ruling_url(ruling),
        published=ruling.url,
        citation=_cited(passage, spoken, label),
        settles=hit.settles,
        superseded=bool(ruling.superseded_by),
    )


def _cited(passage: Passage, language: str, label: str) -> str:
    """Return a quotation to paste, with the marks of the ``language`` that it is in."""
    opening, closing = get_language(language).citation.quotes
    return f"{opening}{' '.join(passage.display.split())}{closing} – {label}"
