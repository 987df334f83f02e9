"""Reads a document of a known edition: checks the draft of its layout's reader and adds ids, line
numbers and texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from corpus import anchors, titles
from corpus.display import readable
from corpus.document import Document
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.layouts import LAYOUTS
from corpus.model import (
    Corrections,
    Edition,
    Entry,
    Fault,
    Furniture,
    Kind,
    Lines,
    Passage,
    Role,
    Rulebook,
    Span,
)
from corpus.paragraph_lines import closed
from corpus.split import split_passage


class ReaderError(RuntimeError):
    """A layout reader claimed the same characters twice. That is a defect of the reader, not of the
    document.
    """


def read(document: Document, edition: Edition) -> Rulebook:
    """Read ``document`` as a rulebook, with the reader of its edition's layout.

    Every character that is not white space belongs to exactly one heading, passage or piece of
    furniture. Text that the reader did not claim becomes a passage of the entry around it, so no
    line is lost. The corrections of the edition are moved to the lines where this document has
    their text. Raises `ReaderError` where two claims overlap.
    """
    edition = replace(edition, corrections=anchors.relocate(document, edition.corrections))
    corrections = Corrections(document, edition.corrections)
    draft = LAYOUTS[edition.layout].read(document.body, edition, corrections)
    if len(document.body.text) < len(document.text):
        draft.furniture.append(
            Furniture(
                Span(len(document.body.text), len(document.text)), "running heads and page numbers"
            )
        )
    _trim(draft, document.text)
    strays = _add_unclaimed(draft, document, edition)
    entries, passages = _finish(draft, document, edition, corrections)
    return Rulebook(
        document=document,
        edition=edition,
        entries=entries,
        passages=passages,
        furniture=tuple(sorted(draft.furniture, key=lambda f: f.span)),
        index_items=tuple(draft.index_items),
        unfit=corrections.unfit,
        strays=tuple(strays),
    )


def claims(draft: DraftRulebook) -> Iterator[tuple[Span, str]]:
    """Every span that ``draft`` claims, each with a description of what claims it."""
    for entry in walk(draft.entries):
        for span in entry.heading_spans:
            yield span, f"heading {entry.heading!r}"
        for passage in entry.passages:
            for span in passage.spans:
                yield span, f"passage of {entry.heading!r}"
    for furniture in draft.furniture:
        yield furniture.span, f"furniture ({furniture.why})"


def walk(drafts: list[DraftEntry]) -> Iterator[DraftEntry]:
    """``drafts`` and all entries inside them, in document order."""
    for draft in drafts:
        yield draft
        yield from walk(draft.children)


def _stripped(span: Span, text: str) -> Span:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _trim(draft: DraftRulebook, text: str) -> None:
    """Remove white space from the ends of all spans, then remove empty spans and passages."""

    def trimmed(spans: list[Span]) -> list[Span]:
        return [s for s in (_stripped(span, text) for span in spans) if s.start < s.end]

    for entry in walk(draft.entries):
        entry.heading_spans = trimmed(entry.heading_spans)
        for passage in entry.passages:
            passage.spans = trimmed(passage.spans)
        entry.passages = [p for p in entry.passages if p.spans]
    draft.furniture = [Furniture(s, f.why) for f in draft.furniture for s in trimmed([f.span])]


def unclaimed(draft: DraftRulebook, text: str) -> list[Span]:
    """The spans of ``text`` that ``draft`` does not claim and that are not only white space. Raises
    `ReaderError` where claims overlap.
    """
    gaps, end, previous = [], 0, "the beginning"
    for span, claim in sorted(claims(draft)):
        if span.start < end:
            raise ReaderError(
                f"characters {span.start} to {min(end, span.end)} are claimed by {previous} and by {claim}"
            )
        gaps.append(_stripped(Span(end, span.start), text))
        end, previous = span.end, claim
    gaps.append(_stripped(Span(end, len(text)), text))
    return [gap for gap in gaps if gap.start < gap.end]


def _add_unclaimed(draft: DraftRulebook, document: Document, edition: Edition) -> list[Span]:
    """Add every unclaimed span as a passage to the last entry that begins before it. Returns these
    spans.
    """
    strays = unclaimed(draft, document.text)
    for span in strays:
        nearest = None
        for entry in walk(draft.entries):
            if (first := _first(entry)) is not None and first <= span.start:
                nearest = entry
        if nearest is None:
            nearest = DraftEntry(Kind.SECTION, edition.title)
            draft.entries.insert(0, nearest)
        nearest.passages.append(DraftPassage([span]))
        nearest.passages.sort(key=lambda p: p.spans[0])
    return strays


def _spans(entry: DraftEntry) -> list[Span]:
    spans = [*entry.heading_spans, *(s for p in entry.passages for s in p.spans)]
    for child in entry.children:
        spans += _spans(child)
    return spans


def _first(entry: DraftEntry) -> int | None:
    return min((s.start for s in _spans(entry)), default=None)


def _flat(
    drafts: list[DraftEntry], parent: DraftEntry | None = None
) -> Iterator[tuple[DraftEntry, DraftEntry | None]]:
    """``drafts`` and all entries inside them, each with its parent, in document order."""
    for entry in drafts:
        yield entry, parent
        yield from _flat(entry.children, entry)


def _finish(
    draft: DraftRulebook, document: Document, edition: Edition, corrections: Corrections
) -> tuple[tuple[Entry, ...], tuple[Passage, ...]]:
    """The entries of ``draft`` with titles and ids, and their passages, both in document order."""
    nested = [(entry, parent) for entry, parent in _flat(draft.entries) if _spans(entry)]
    if document.extracted is not None:
        _close_words([entry for entry, _ in nested])
    _set_titles(draft, [entry for entry, _ in nested], document, corrections)
    ids = _ids(nested, edition)
    entries = [
        _entry(entry, ids[id(entry)], ids[id(parent)] if parent else None, document, edition)
        for entry, parent in nested
    ]
    passages: list[Passage] = []
    for entry, _ in nested:
        parts = [
            part for passage in entry.passages for part in split_passage(passage, document.text)
        ]
        passages += [
            _passage(part, ids[id(entry)], ordinal, document) for ordinal, part in enumerate(parts)
        ]
    return tuple(entries), tuple(sorted(passages, key=lambda p: p.spans[0]))


def _close_words(entries: list[DraftEntry]) -> None:
    """Join words of headings that are hyphenated at the end of a line."""
    for entry in entries:
        entry.heading = closed(entry.heading)
        entry.card = closed(entry.card) if entry.card else entry.card
        entry.product = closed(entry.product) if entry.product else entry.product


def _set_titles(
    draft: DraftRulebook, entries: list[DraftEntry], document: Document, corrections: Corrections
) -> None:
    """Set the title of every entry that has none: that of a correction, else the heading, spelled
    as in the lists of references.
    """
    spellings = titles.spellings(
        document.text[p.spans[0].start : p.spans[-1].end]
        for e in walk(draft.entries)
        for p in e.passages
        if p.role is Role.SEE
    )
    for entry in entries:
        if entry.title is None:
            correction = corrections.at(document.line_at(_first(entry) or 0), Fault.TITLE)
            corrected = correction is not None and correction.meant is not None
            entry.title = (
                str(correction.meant)
                if correction and corrected
                else titles.title(entry.heading, spellings)
            )


def _ids(nested: list[tuple[DraftEntry, DraftEntry | None]], edition: Edition) -> dict[int, str]:
    """The ids of entries, by the Python ``id()`` of their drafts.

    People link to terms and rules, so these get the plain slug where a section or a card has the
    same name. Subsections come last because their slugs begin with those of their parents.
    """
    slugs = _Slugs(edition.id)
    ids: dict[int, str] = {}
    order = sorted(
        nested,
        key=lambda pair: (
            pair[0].kind is Kind.SUBSECTION,
            pair[0].kind not in (Kind.TERM, Kind.RULE),
        ),
    )
    for entry, parent in order:
        ids[id(entry)] = slugs.new(entry, ids.get(id(parent)) if parent else None)
    return ids


def _entry(
    entry: DraftEntry, id: str, parent: str | None, document: Document, edition: Edition
) -> Entry:
    spans = _spans(entry)
    whole = Span(min(s.start for s in spans), max(s.end for s in spans))
    return Entry(
        id=id,
        edition=edition.id,
        kind=entry.kind,
        heading=entry.heading,
        title=entry.title or entry.heading,
        number=entry.number,
        card=entry.card,
        product=entry.product,
        parent=parent,
        heading_spans=tuple(entry.heading_spans),
        spans=(whole,),
        lines=_lines(document, [whole]),
    )


def _passage(part: DraftPassage, entry_id: str, ordinal: int, document: Document) -> Passage:
    context = _stripped(part.context, document.text) if part.context else None
    return Passage(
        id=f"{entry_id}#{ordinal}",
        entry=entry_id,
        ordinal=ordinal,
        role=part.role,
        depth=part.depth,
        spans=tuple(part.spans),
        lines=_lines(document, part.spans),
        text="\n".join(document.text[a:b] for a, b in part.spans),
        display=readable(document.text, list(part.spans), part.insertions),
        context=context,
        lead_in=document.text[context.start : context.end] if context else "",
    )


def _lines(document: Document, spans: list[Span]) -> Lines:
    return Lines(document.line_at(spans[0].start), document.line_at(max(spans[-1].end - 1, 0)))


class _Slugs:
    """Makes the ids of entries: readable, unique, and the same every time a document is read."""

    def __init__(self, edition: str):
        self._edition = edition
        self._used: Counter[str] = Counter()

    def new(self, entry: DraftEntry, parent: str | None) -> str:
        slug = self._base_slug(entry, parent)
        self._used[slug] += 1
        count = self._used[slug]
        while count > 1 and f"{slug}-{count}" in self._used:
            count += 1
        if count > 1:
            slug = f"{slug}-{count}"
            self._used[slug] += 1
        return f"{self._edition}/{slug}"

    def _base_slug(self, entry: DraftEntry, parent: str | None) -> str:
        name = titles.slug(entry.title or entry.heading) or "entry"
        if entry.kind is Kind.RULE or (entry.kind is Kind.SECTION and entry.number):
            return re.sub(r"[^\w.]", "", entry.number or "").strip(".") or name
        if entry.kind in (Kind.RULING, Kind.ERRATUM):
            card = titles.slug(entry.card or "", 0) or name
            return "-".join(
                filter(None, (entry.kind.value, card, titles.slug(entry.number or "", 0)))
            )
        if entry.kind is Kind.SUBSECTION and parent:
            return f"{parent.removeprefix(self._edition + '/')}.{name}"
        return name
