"""A ruling sheet for programs."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.model import Span
from index.library.former_words import quotation_hash
from index.model import CardTextHit, Hit, RulingHit
from service.answers.answer import citation_out, link_out
from service.answers.layers import card_citation_out, ruling_citation_out
from service.core.snapshot import Snapshot
from service.editions.sheets.passage_history import changed_spans
from service.editions.sheets.sheet_view import SheetItem, SheetView, former_label
from service.schemas.layers import LayerCitationOut
from service.schemas.passage import CitationOut
from service.schemas.sheets import FormerWordsOut, NewerWordsOut, SheetOut, SheetPassageOut, SheetWordsOut


def sheet_out(snapshot: Snapshot, view: SheetView, language: str) -> SheetOut:
    """Return ``view`` of ``snapshot``, with citations in ``language`` where they are no rulebook's."""
    return SheetOut(
        question=view.link.question or None,
        context=list(view.before),
        settled=view.verdict,
        made=view.link.made or None,
        index=view.index,
        changed=view.changed,
        url=view.link.address(),
        passages=[_passage_out(snapshot, item, language) for item in view.items],
    )


def _passage_out(snapshot: Snapshot, item: SheetItem, language: str) -> SheetPassageOut:
    history = item.history
    now, newer = history.now, history.newer
    return SheetPassageOut(
        id=history.key.id,
        hash=history.key.hash,
        change=history.change,
        now=[_words_out(snapshot, now, item.now.marks, language)] if now and item.now else [],
        former=FormerWordsOut(
            text=item.then.passage.text,
            display=item.then.passage.display,
            marks=_pairs(item.then.marks),
            label=former_label(history.former, language),
            index=history.former.index,
        )
        if item.then and history.former
        else None,
        replaced_by=history.replaced.id if history.replaced else None,
        nearest=link_out(history.nearest) if history.nearest else None,
        newer=NewerWordsOut(edition=newer.edition.id, change=newer.change, now=_compared(snapshot, now, newer.now, language))
        if newer
        else None,
    )


def _compared(snapshot: Snapshot, before: Hit | None, hit: Hit | None, language: str) -> list[SheetWordsOut]:
    if before is None or hit is None:
        return []
    return [_words_out(snapshot, hit, changed_spans(before.passage.display, hit.passage.display)[1], language)]


def _words_out(snapshot: Snapshot, hit: Hit, marks: Iterable[Span], language: str) -> SheetWordsOut:
    passage = hit.passage
    return SheetWordsOut(
        id=passage.id,
        hash=quotation_hash(passage.display),
        text=passage.text,
        display=passage.display,
        marks=_pairs(marks),
        citation=_citation_out(snapshot, hit, language),
    )


def _citation_out(snapshot: Snapshot, hit: Hit, language: str) -> CitationOut | LayerCitationOut:
    if isinstance(hit, RulingHit):
        return ruling_citation_out(hit.ruling, hit.passage, language)
    if isinstance(hit, CardTextHit):
        return card_citation_out(hit.quoted, language)
    return citation_out(snapshot.library, hit.passage)


def _pairs(spans: Iterable[Span]) -> list[list[int]]:
    return [[start, end] for start, end in spans]
