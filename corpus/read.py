"""Reads a document of a known edition: checks the draft of the layout reader and adds ids, line
numbers and texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from corpus import anchors, titles
from corpus.display import readable
from corpus.document import Document
from corpus.draft import (
    DraftEntry,
    DraftPassage,
    DraftRulebook,
    split_passage,
    stripped,
    trimmed,
    walk,
)
from corpus.languages import capitals
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
    TableRow,
)
from corpus.paragraphs import closed
from corpus.torn_words import TornWords

_MIXED = 0.25  # of the sibling headings have small letters: then capitals are not the style
_CAPITALS = re.compile(rf"\b[{capitals()}]{{2,5}}\b")


class ReaderError(RuntimeError):
    """A bug in a layout reader, which claimed the same characters twice."""


def read(document: Document, edition: Edition) -> Rulebook:
    """Read ``document`` as a rulebook with the layout reader of ``edition``.

    Every character that is not white space belongs to exactly one heading, passage or piece of
    furniture. Text that the reader did not claim becomes a passage of the entry around it, so that
    no line is lost. Corrections are moved to the lines with their text. Raises `ReaderError` if two
    claims overlap.
    """
    edition = replace(edition, corrections=anchors.relocate(document, edition.corrections))
    corrections = Corrections(document, edition.corrections)
    draft = None
    if not edition.corrections:  # recognition may have read it already
        draft = document.drafts.pop((edition.layout, edition.title, edition.language), None)
    if draft is None:
        draft = LAYOUTS[edition.layout].read(document.body, edition, corrections)
    text, body = document.text, len(document.body.text)
    if body < len(text):
        why = "running heads and page numbers"
        draft.furniture.append(Furniture(Span(body, len(text)), why))
    for entry, _ in walk(draft.entries):
        entry.heading_spans = trimmed(entry.heading_spans, text)
        for passage in entry.passages:
            passage.spans = trimmed(passage.spans, text)
        entry.passages = [passage for passage in entry.passages if passage.spans]
    draft.furniture = [
        Furniture(span, each.why) for each in draft.furniture for span in trimmed([each.span], text)
    ]
    strays = unclaimed(draft, text)
    for span in strays:  # goes to the last entry that begins before it
        nearest = None
        for entry, _ in walk(draft.entries):
            spans = _spans(entry)
            if spans and min(spans).start <= span.start:
                nearest = entry
        if nearest is None:
            nearest = DraftEntry(Kind.SECTION, edition.title)
            draft.entries.insert(0, nearest)
        nearest.passages.append(DraftPassage([span]))
        nearest.passages.sort(key=lambda passage: passage.spans[0])
    entries, passages = _finish(draft, document, edition, corrections)
    return Rulebook(
        document=document,
        edition=edition,
        entries=entries,
        passages=passages,
        furniture=tuple(sorted(draft.furniture, key=lambda each: each.span)),
        index_items=tuple(draft.index_items),
        unfit=corrections.unfit,
        strays=tuple(strays),
    )


def claims(draft: DraftRulebook) -> list[tuple[Span, str]]:
    """Return every span that ``draft`` claims, with a description of the claiming part."""
    found = [(each.span, f"furniture ({each.why})") for each in draft.furniture]
    for entry, _ in walk(draft.entries):
        found += [(span, f"heading {entry.heading!r}") for span in entry.heading_spans]
        for passage in entry.passages:
            found += [(span, f"passage of {entry.heading!r}") for span in passage.spans]
    return found


def unclaimed(draft: DraftRulebook, text: str) -> list[Span]:
    """Return the spans of ``text`` that ``draft`` does not claim and that are not only white space.

    Raises `ReaderError` if claims overlap.
    """
    gaps, end, previous = [], 0, "the beginning"
    for span, claim in sorted(claims(draft)):
        if span.start < end:
            last = min(end, span.end)
            raise ReaderError(
                f"characters {span.start} to {last} are claimed by {previous} and by {claim}"
            )
        gaps.append(Span(end, span.start))
        end, previous = span.end, claim
    return trimmed([*gaps, Span(end, len(text))], text)


def _spans(entry: DraftEntry) -> list[Span]:
    return [
        span
        for each, _ in walk([entry])
        for spans in (each.heading_spans, *(passage.spans for passage in each.passages))
        for span in spans
    ]


def _abbreviations(text: str) -> frozenset[str]:
    """Return short words printed in capitals, more than once, in lines of mostly small letters."""
    lines = (line for line in text.splitlines() if 2 * sum(map(str.islower, line)) > len(line))
    counts = Counter(word for line in lines for word in _CAPITALS.findall(line))
    return frozenset(word for word, count in counts.items() if count > 1)


def _finish(
    draft: DraftRulebook, document: Document, edition: Edition, corrections: Corrections
) -> tuple[tuple[Entry, ...], tuple[Passage, ...]]:
    nested = [
        (entry, parent, Span(min(spans).start, max(span.end for span in spans)))
        for entry, parent in walk(draft.entries)
        if (spans := _spans(entry))
    ]
    see_lists = (
        document.text[passage.start : passage.end]
        for entry, _ in walk(draft.entries)
        for passage in entry.passages
        if passage.role is Role.SEE
    )
    spellings = titles.spellings(see_lists)
    torn = TornWords(document.text)
    in_small_letters = Counter(
        id(parent) for entry, parent, _ in nested if any(map(str.islower, entry.heading))
    )
    below = Counter(id(parent) for _, parent, _ in nested)
    abbreviations = _abbreviations(document.text)
    for entry, parent, whole in nested:
        if document.extracted is not None:  # words may be hyphenated at the end of a line
            entry.heading = closed(entry.heading)
            entry.card = closed(entry.card) if entry.card else entry.card
            entry.product = closed(entry.product) if entry.product else entry.product
        if entry.title is None:
            corrected = corrections.at(document.line_at(whole.start), Fault.TITLE)
            if corrected and corrected.meant is not None:
                entry.title = str(corrected.meant)
            else:
                # A heading in capitals among others in small letters may contain abbreviations.
                mixed = in_small_letters[id(parent)] >= _MIXED * below[id(parent)]
                kept = abbreviations if mixed else frozenset()
                entry.title = torn.whole(titles.title(entry.heading, spellings, kept))
    ids = _ids([(entry, parent) for entry, parent, _ in nested], edition.id)
    entries = tuple(
        Entry(
            id=ids[id(entry)],
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
        for entry, parent, whole in nested
    )
    passages = [
        _passage(part, ids[id(entry)], ordinal, document, torn)
        for entry, _, _ in nested
        for ordinal, part in enumerate(
            part for passage in entry.passages for part in split_passage(passage, document.text)
        )
    ]
    return entries, tuple(sorted(passages, key=lambda passage: passage.spans[0]))


def _passage(
    part: DraftPassage, entry_id: str, ordinal: int, document: Document, torn: TornWords
) -> Passage:
    context = stripped(part.context, document.text) if part.context else None
    display = (
        part.row.display if part.row else readable(document.text, list(part.spans), part.insertions)
    )
    return Passage(
        id=f"{entry_id}#{ordinal}",
        entry=entry_id,
        ordinal=ordinal,
        role=part.role,
        depth=part.depth,
        spans=tuple(part.spans),
        lines=_lines(document, part.spans),
        text="\n".join(document.text[start:end] for start, end in part.spans),
        display=torn.whole(display),
        context=context,
        lead_in=document.text[slice(*context)] if context else "",
        row=_row(part, context),
        item=part.item,
    )


def _row(part: DraftPassage, context: Span | None) -> TableRow | None:
    if part.row is None:
        return None
    header = part.header - context.start if context and part.header is not None else None
    return TableRow(part.row.cells, header)


def _lines(document: Document, spans: Sequence[Span]) -> Lines:
    return Lines(document.line_at(spans[0].start), document.line_at(max(spans[-1].end - 1, 0)))


def _ids(nested: Sequence[tuple[DraftEntry, DraftEntry | None]], edition: str) -> dict[int, str]:
    """Return the ids of entries by the Python ``id()`` of their drafts: readable, unique, and
    stable when the document is read again.

    Terms and rules, to which people link, get the plain slug if a section or a card has the same
    name. Subsections come last because their ids begin with those of their parents.
    """
    used: Counter[str] = Counter()
    ids: dict[int, str] = {}

    def rank(pair: tuple[DraftEntry, DraftEntry | None]) -> tuple[bool, bool]:
        kind = pair[0].kind
        return kind is Kind.SUBSECTION, kind not in (Kind.TERM, Kind.RULE)

    for entry, parent in sorted(nested, key=rank):
        base = _base_slug(entry)
        if entry.kind is Kind.SUBSECTION and parent:
            base = f"{ids[id(parent)].removeprefix(f'{edition}/')}.{base}"
        used[base] += 1
        slug, count = base, used[base]
        while count > 1 and (slug := f"{base}-{count}") in used:
            count += 1
        used[slug] += count > 1
        ids[id(entry)] = f"{edition}/{slug}"
    return ids


def _base_slug(entry: DraftEntry) -> str:
    name = titles.slug(entry.title or entry.heading) or "entry"
    if entry.kind is Kind.RULE or (entry.kind is Kind.SECTION and entry.number):
        # § 1 (3) is 1.3, not 13.
        number = re.sub(r"(?<!\s)\s*+\(|(?<=[\d.)])\s++(?=\w{1,3}[.)])", ".", entry.number or "")
        return re.sub(r"\.\.+", ".", re.sub(r"[^\w.]", "", number)).strip(".") or name
    if entry.kind in (Kind.RULING, Kind.ERRATUM):
        card = titles.slug(entry.card or "", 0) or name
        number = titles.slug(entry.number or "", 0)
        return "-".join(filter(None, (entry.kind.value, card, number)))
    return name
