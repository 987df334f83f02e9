"""From a document and its edition to a rulebook: the layout's draft gets ids, lines, texts, and is held against the document."""

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
from corpus.model import Corrections, Edition, Entry, Fault, Furniture, Kind, Lines, Passage, Role, Rulebook, Span
from corpus.split import split_passage


class ReaderError(RuntimeError):
    """A layout reader claimed the same characters twice: a defect of the reader, not of the document."""


def read(document: Document, edition: Edition) -> Rulebook:
    """Read ``document`` with the reader of its edition's layout.

    Every character that is not white space belongs to exactly one heading, passage or piece of furniture.
    What the reader left over is kept as passages of the entry around it, so that no line is ever lost. The corrections of
    the edition handed over are those of ``edition`` at the lines where this document has their text.
    Raises `ReaderError` where two claims overlap.
    """
    edition = replace(edition, corrections=anchors.relocate(document, edition.corrections))
    corrections = Corrections(document, edition.corrections)
    draft = LAYOUTS[edition.layout].read(document, edition, corrections)
    _trim(draft, document.text)
    strays = tuple(_keep_strays(draft, document, edition))
    entries, passages = _finish(draft, document, edition, corrections)
    furniture = tuple(sorted(draft.furniture, key=lambda f: f.span))
    return Rulebook(document, edition, entries, passages, furniture, tuple(draft.index_items), corrections.unfit, strays)


def claims(draft: DraftRulebook) -> Iterator[tuple[Span, str]]:
    """Every span that ``draft`` claims, with what it is claimed for."""
    for entry in walk(draft.entries):
        for span in entry.heading_spans:
            yield span, f"heading {entry.heading!r}"
        for passage in entry.passages:
            for span in passage.spans:
                yield span, f"passage of {entry.heading!r}"
    for furniture in draft.furniture:
        yield furniture.span, f"furniture ({furniture.why})"


def walk(drafts: list[DraftEntry]) -> Iterator[DraftEntry]:
    """The drafts and all inside them, in document order."""
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
    def trimmed(spans: list[Span]) -> list[Span]:
        return [s for s in (_stripped(span, text) for span in spans) if s.start < s.end]

    for entry in walk(draft.entries):
        entry.heading_spans = trimmed(entry.heading_spans)
        for passage in entry.passages:
            passage.spans = trimmed(passage.spans)
        entry.passages = [p for p in entry.passages if p.spans]
    draft.furniture = [Furniture(s, f.why) for f in draft.furniture for s in trimmed([f.span])]


def unclaimed(draft: DraftRulebook, text: str) -> list[Span]:
    """Stretches of ``text`` that hold more than white space and that nothing claims. Raises `ReaderError` on overlaps."""
    left, end, before = [], 0, "the beginning"
    for span, claim in sorted(claims(draft)):
        if span.start < end:
            raise ReaderError(f"characters {span.start} to {min(end, span.end)} are claimed by {before} and by {claim}")
        left.append(_stripped(Span(end, span.start), text))
        end, before = span.end, claim
    left.append(_stripped(Span(end, len(text)), text))
    return [s for s in left if s.start < s.end]


def _keep_strays(draft: DraftRulebook, document: Document, edition: Edition) -> list[Span]:
    strays = unclaimed(draft, document.text)
    for span in strays:
        home = None
        for entry in walk(draft.entries):
            if (first := _first(entry)) is not None and first <= span.start:
                home = entry
        if home is None:
            home = DraftEntry(Kind.SECTION, edition.title)
            draft.entries.insert(0, home)
        home.passages.append(DraftPassage([span]))
        home.passages.sort(key=lambda p: p.spans[0])
    return strays


def _spans(entry: DraftEntry) -> list[Span]:
    spans = [*entry.heading_spans, *(s for p in entry.passages for s in p.spans)]
    for child in entry.children:
        spans += _spans(child)
    return spans


def _first(entry: DraftEntry) -> int | None:
    return min((s.start for s in _spans(entry)), default=None)


def _finish(
    draft: DraftRulebook, document: Document, edition: Edition, corrections: Corrections
) -> tuple[tuple[Entry, ...], tuple[Passage, ...]]:
    known = titles.spellings(
        document.text[p.spans[0].start : p.spans[-1].end] for e in walk(draft.entries) for p in e.passages if p.role is Role.SEE
    )
    slugs = _Slugs(edition.id)
    flat: list[tuple[DraftEntry, DraftEntry | None]] = []

    def flatten(drafts: list[DraftEntry], parent: DraftEntry | None) -> None:
        for entry in drafts:
            flat.append((entry, parent))
            flatten(entry.children, entry)

    flatten(draft.entries, None)
    flat = [(entry, parent) for entry, parent in flat if _spans(entry)]
    for entry, _ in flat:
        first = document.line_at(_first(entry) or 0)
        if entry.title is None:
            correction = corrections.at(first, Fault.TITLE)
            entry.title = str(correction.meant) if correction and correction.meant is not None else titles.title(entry.heading, known)
    # Terms are what people link to, so they get the plain slug when a section or a card has the same name.
    order = sorted(flat, key=lambda pair: pair[0].kind not in (Kind.TERM, Kind.RULE))
    ids: dict[int, str] = {}
    for entry, parent in sorted(order, key=lambda pair: pair[0].kind is Kind.SUBSECTION):
        ids[id(entry)] = slugs.new(entry, ids.get(id(parent)) if parent else None)
    entries, passages = [], []
    for entry, parent in flat:
        spans = _spans(entry)
        whole = Span(min(s.start for s in spans), max(s.end for s in spans))
        entry_id = ids[id(entry)]
        entries.append(
            Entry(
                id=entry_id,
                edition=edition.id,
                kind=entry.kind,
                heading=entry.heading,
                title=entry.title or entry.heading,
                number=entry.number,
                card=entry.card,
                product=entry.product,
                parent=ids[id(parent)] if parent else None,
                heading_spans=tuple(entry.heading_spans),
                spans=(whole,),
                lines=_lines(document, [whole]),
            )
        )
        parts = [part for passage in entry.passages for part in split_passage(passage, document.text)]
        for ordinal, part in enumerate(parts):
            passages.append(_passage(part, entry_id, ordinal, document))
    return tuple(entries), tuple(sorted(passages, key=lambda p: p.spans[0]))


def _passage(part: DraftPassage, entry_id: str, ordinal: int, document: Document) -> Passage:
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
    )


def _lines(document: Document, spans: list[Span]) -> Lines:
    return Lines(document.line_at(spans[0].start), document.line_at(max(spans[-1].end - 1, 0)))


class _Slugs:
    """Ids that stay the same from build to build and say what they are for."""

    def __init__(self, edition: str):
        self._edition = edition
        self._used: Counter[str] = Counter()

    def new(self, entry: DraftEntry, parent: str | None) -> str:
        slug = self._wanted(entry, parent)
        self._used[slug] += 1
        count = self._used[slug]
        while count > 1 and f"{slug}-{count}" in self._used:
            count += 1
        if count > 1:
            slug = f"{slug}-{count}"
            self._used[slug] += 1
        return f"{self._edition}/{slug}"

    def _wanted(self, entry: DraftEntry, parent: str | None) -> str:
        name = titles.slug(entry.title or entry.heading) or "entry"
        if entry.kind is Kind.RULE or (entry.kind is Kind.SECTION and entry.number):
            return re.sub(r"[^\w.]", "", entry.number or "").strip(".") or name
        if entry.kind in (Kind.RULING, Kind.ERRATUM):
            card = titles.slug(entry.card or "", 0) or name
            return "-".join(filter(None, (entry.kind.value, card, titles.slug(entry.number or "", 0))))
        if entry.kind is Kind.SUBSECTION and parent:
            return f"{parent.removeprefix(self._edition + '/')}.{name}"
        return name
