"""Editions, entries, passages and references as JSON records: entries, passages and references as
lists of their fields, in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.model import DocumentKind, Edition, Entry, Kind, Lines, Passage, Role, Span
from glossary.model import Reference, ReferenceKind, ReferenceProblem

_KINDS = {str(kind): kind for kind in Kind}
_ROLES = {str(role): role for role in Role}
_REFERENCES = {str(kind): kind for kind in ReferenceKind}
_PROBLEMS: dict[str | None, ReferenceProblem | None] = {
    None: None,
    **{str(problem): problem for problem in ReferenceProblem},
}


def edition(fields: Mapping[str, Any]) -> Edition:
    """The edition of a record, without its corrections.

    One that an earlier program wrote, whose index serves until there is another, has no kind and is
    one of rules. Raises `TypeError` or `ValueError` where the record is none.
    """
    return Edition(
        **{
            **fields,
            "corrections": (),
            "kind": DocumentKind(fields.get("kind", DocumentKind.RULES)),
        }
    )


def entry_record(entry: Entry) -> Sequence[Any]:
    """The record of an entry; a title that is its heading is left out."""
    e = entry
    title = None if e.title == e.heading else e.title
    return (
        *(e.id, e.edition, e.kind, e.heading, title, e.number, e.card, e.product, e.parent),
        *(e.heading_spans, e.spans, e.lines),
    )


def entry(record: Sequence[Any]) -> Entry:
    """The entry of a record. Raises `ValueError` or `KeyError` where it is none."""
    (
        id,
        edition,
        kind,
        heading,
        title,
        number,
        card,
        product,
        parent,
        heading_spans,
        spans,
        (first, last),
    ) = record
    return Entry(
        id=id,
        edition=edition,
        kind=_KINDS[kind],
        heading=heading,
        title=heading if title is None else title,
        number=number,
        card=card,
        product=product,
        parent=parent,
        heading_spans=_spans(heading_spans),
        spans=_spans(spans),
        lines=Lines(first, last),
    )


def passage_record(passage: Passage) -> Sequence[Any]:
    """The record of a passage; a display that is its text is left out."""
    p = passage
    display = None if p.display == p.text else p.display
    return (
        p.id,
        p.entry,
        p.ordinal,
        p.role,
        p.depth,
        p.spans,
        p.lines,
        p.text,
        display,
        p.context,
        p.lead_in,
    )


def passage(record: Sequence[Any]) -> Passage:
    """The passage of a record. Raises `ValueError` or `KeyError` where it is none."""
    id, entry, ordinal, role, depth, spans, (first, last), text, display, context, lead_in = record
    return Passage(
        id=id,
        entry=entry,
        ordinal=ordinal,
        role=_ROLES[role],
        depth=depth,
        spans=_spans(spans),
        lines=Lines(first, last),
        text=text,
        display=text if display is None else display,
        context=Span(*context) if context else None,
        lead_in=lead_in,
    )


def reference_record(reference: Reference) -> Sequence[Any]:
    """The record of a reference."""
    r = reference
    return (r.entry, r.line, r.raw, r.span, r.kind, r.target, r.problem, r.meant)


def reference(record: Sequence[Any]) -> Reference:
    """The reference of a record. Raises `ValueError` or `KeyError` where it is none."""
    entry, line, raw, (start, end), kind, target, problem, meant = record
    return Reference(
        entry=entry,
        line=line,
        raw=raw,
        span=Span(start, end),
        kind=_REFERENCES[kind],
        target=target,
        problem=_PROBLEMS[problem],
        meant=meant,
    )


def _spans(pairs: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    return tuple([Span(start, end) for start, end in pairs])
