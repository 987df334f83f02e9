"""Rulings and texts of cards as answers have them."""

from __future__ import annotations

from corpus.model import Passage, Span
from corpus.rulings.model import Ruling
from corpus.sourced_text import SourcedText
from index.layers.passages import CardPassage
from index.model import CardTextHit, RulingHit
from service.answers.layer_citations import card_label, card_url, ruling_label, ruling_url
from service.schemas.layers import (
    CardPassageOut,
    LayerCitationOut,
    QuotedStringOut,
    RulingPassageOut,
    StringSourceOut,
)


def ruling_passage_out(hit: RulingHit, rank: int, language: str) -> RulingPassageOut:
    """Return the ruling of ``hit``, cited in ``language``."""
    ruling, passage, asked = hit.ruling, hit.passage, hit.ruling.asked
    return RulingPassageOut(
        rank=rank,
        score=round(float(hit.score), 6),
        text=passage.text,
        display=passage.display,
        highlights=[[start, end] for start, end in hit.highlights],
        role=passage.role,
        citation=ruling_citation_out(ruling, passage, language, hit.older),
        id=ruling.id,
        authority=ruling.authority,
        date=ruling.date or None,
        question=QuotedStringOut(
            text=asked.text, source=string_source_out(asked.quoted, asked.span)
        )
        if asked
        else None,
        cards=list(ruling.cards),
        settles=hit.settles,
        other_card=hit.other_card,
        older=hit.older,
        superseded_by=ruling.superseded_by or None,
    )


def card_passage_out(hit: CardTextHit, rank: int, language: str) -> CardPassageOut:
    """Return the text of a card of ``hit``, cited in ``language``."""
    passage, erratum = hit.passage, hit.quoted.erratum
    return CardPassageOut(
        rank=rank,
        score=round(float(hit.score), 6),
        text=passage.text,
        display=passage.display,
        highlights=[[start, end] for start, end in hit.highlights],
        role=passage.role,
        citation=card_citation_out(hit.quoted, language),
        card=hit.quoted.card.id,
        date=(erratum.date or None) if erratum else None,
    )


def ruling_citation_out(
    ruling: Ruling, passage: Passage, language: str, older: bool = False
) -> LayerCitationOut:
    """Return where a ``passage`` of ``ruling`` stands, in words of ``language``."""
    part = next(
        part
        for part in (ruling.answered, ruling.asked)
        if part and (part.text, (part.span,)) == (passage.text, passage.spans)
    )
    return LayerCitationOut(
        label=ruling_label(ruling, language, older),
        game=ruling.game,
        language=part.quoted.language,
        heading=", ".join(ruling.cards) or ruling.id,
        kind="ruling",
        number=None,
        url=ruling_url(ruling),
        published=ruling.url or None,
        source=string_source_out(part.quoted, part.span),
    )


def card_citation_out(quoted: CardPassage, language: str) -> LayerCitationOut:
    """Return where a text of a card stands, in words of ``language``."""
    card, text = quoted.card, quoted.text.quoted
    return LayerCitationOut(
        label=card_label(quoted, language),
        game=card.game,
        language=text.language,
        heading=card.name(text.language),
        kind="erratum" if quoted.erratum else "card",
        number=next((printing.number for printing in card.printings if printing.number), None),
        url=card_url(card),
        published=None,
        source=string_source_out(text, Span(0, len(text.text))),
    )


def string_source_out(quoted: SourcedText, span: Span) -> StringSourceOut:
    """Return the place of the characters ``span`` of ``quoted``."""
    source = quoted.source
    return StringSourceOut(
        file=source.file, sha256=source.sha256, pointer=source.pointer, spans=[list(span)]
    )
