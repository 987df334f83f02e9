"""Rulings outside the rulebooks as programs are told them, each text with its place."""

from __future__ import annotations

from corpus.rulings import QuotedPart, Ruling
from service.answers.layer_citations import ruling_url
from service.answers.layers import string_source_out
from service.schemas.layers import BasisOut, LoadedRulingOut, QuotedStringOut


def loaded_ruling_out(ruling: Ruling) -> LoadedRulingOut:
    """Return ``ruling`` with question and answer word for word."""
    return LoadedRulingOut(
        id=ruling.id,
        game=ruling.game,
        authority=ruling.authority,
        date=ruling.date or None,
        language=ruling.answer.language,
        cards=list(ruling.cards),
        question=_quoted(ruling.asked) if ruling.asked else None,
        answer=_quoted(ruling.answered),
        publication=ruling.source or None,
        published=ruling.url or None,
        author=ruling.author or None,
        rests_on=[BasisOut(entry=b.entry or None, number=b.number or None, wording=b.wording or None) for b in ruling.bases],
        superseded_by=ruling.superseded_by or None,
        url=ruling_url(ruling),
    )


def _quoted(part: QuotedPart) -> QuotedStringOut:
    return QuotedStringOut(text=part.text, source=string_source_out(part.quoted, part.span))
