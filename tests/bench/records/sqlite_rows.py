"""Entries, passages and references as rows of SQLite tables, and the schema of these tables."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from corpus.model import Entry, Kind, Lines, Passage, Role, Span
from glossary.model import Reference, ReferenceKind, ReferenceProblem

# Rows are numbered in document order. Spans are pairs of 32-bit integers. ``searchable`` numbers the passages of running text.
TABLES = """
CREATE TABLE edition (number INTEGER PRIMARY KEY, record TEXT, file TEXT, sha256 TEXT, bound INTEGER, fallback INTEGER);
CREATE TABLE entry (number INTEGER PRIMARY KEY, id TEXT NOT NULL, edition TEXT NOT NULL, kind TEXT NOT NULL, heading TEXT, title TEXT,
    printed TEXT, card TEXT, product TEXT, parent TEXT, heading_spans BLOB, spans BLOB, first INTEGER, last INTEGER);
CREATE TABLE passage (number INTEGER PRIMARY KEY, id TEXT NOT NULL, entry TEXT NOT NULL, ordinal INTEGER, role TEXT NOT NULL,
    depth INTEGER, spans BLOB, first INTEGER, last INTEGER, text TEXT, display TEXT, edition INTEGER, searchable INTEGER);
CREATE TABLE reference (number INTEGER PRIMARY KEY, entry TEXT NOT NULL, line INTEGER, raw TEXT, start INTEGER, stop INTEGER,
    kind TEXT NOT NULL, target TEXT, problem TEXT, meant TEXT);
CREATE TABLE page (entry TEXT, place INTEGER, page INTEGER, PRIMARY KEY (entry, place)) WITHOUT ROWID;
CREATE TABLE concept (entry TEXT PRIMARY KEY, concept TEXT) WITHOUT ROWID;
"""
INDEXES = (
    "CREATE UNIQUE INDEX entry_by_id ON entry (id)",
    "CREATE INDEX entry_by_edition ON entry (edition)",
    "CREATE INDEX entry_by_parent ON entry (parent) WHERE parent IS NOT NULL",
    "CREATE INDEX entry_by_card ON entry (edition) WHERE card IS NOT NULL",
    "CREATE INDEX passage_by_entry ON passage (entry)",
    "CREATE INDEX passage_by_edition ON passage (edition)",
    "CREATE UNIQUE INDEX passage_by_searchable ON passage (searchable) WHERE searchable IS NOT NULL",
    "CREATE INDEX reference_by_entry ON reference (entry)",
    "CREATE INDEX reference_by_target ON reference (target) WHERE target IS NOT NULL",
)
ENTRY = """entry.id, entry.edition, entry.kind, entry.heading, entry.title, entry.printed, entry.card, entry.product, entry.parent,
    entry.heading_spans, entry.spans, entry.first, entry.last"""
PASSAGE = "id, entry, ordinal, role, depth, spans, first, last, text, display"
REFERENCE = """reference.entry, reference.line, reference.raw, reference.start, reference.stop, reference.kind, reference.target,
    reference.problem, reference.meant"""

_PAIR = struct.Struct("<2i")
_KINDS = {str(kind): kind for kind in Kind}
_ROLES = {str(role): role for role in Role}
_REFERENCES = {str(kind): kind for kind in ReferenceKind}
_PROBLEMS: dict[str | None, ReferenceProblem | None] = {None: None, **{str(problem): problem for problem in ReferenceProblem}}


def entry_row(entry: Entry) -> tuple[Any, ...]:
    """The columns of an entry after its number; a title that equals the heading is NULL."""
    e = entry
    title = None if e.title == e.heading else _stored(e.title)
    names = (_stored(e.heading), title, e.number, e.card, e.product, e.parent)
    return (e.id, e.edition, str(e.kind), *names, _packed(e.heading_spans), _packed(e.spans), *e.lines)


def entry(row: Sequence[Any]) -> Entry:
    """The entry in the columns `ENTRY`."""
    id, edition, kind, heading, title, number, card, product, parent, heading_spans, spans, first, last = row
    heading = _loaded(heading)
    title = heading if title is None else _loaded(title)
    lines = Lines(first, last)
    return Entry(id, edition, _KINDS[kind], heading, title, number, card, product, parent, _spans(heading_spans), _spans(spans), lines)


def passage_row(passage: Passage) -> tuple[Any, ...]:
    """The columns of a passage after its number, without edition and searchable; a display that equals the text is NULL."""
    p = passage
    display = None if p.display == p.text else _stored(p.display)
    return (p.id, p.entry, p.ordinal, str(p.role), p.depth, _packed(p.spans), *p.lines, _stored(p.text), display)


def passage(row: Sequence[Any]) -> Passage:
    """The passage in the columns `PASSAGE`."""
    id, entry, ordinal, role, depth, spans, first, last, text, display = row
    text = _loaded(text)
    display = text if display is None else _loaded(display)
    return Passage(id, entry, ordinal, _ROLES[role], depth, _spans(spans), Lines(first, last), text, display)


def reference_row(reference: Reference) -> tuple[Any, ...]:
    """The columns of a reference after its number."""
    r = reference
    return (r.entry, r.line, _stored(r.raw), *r.span, str(r.kind), r.target, str(r.problem) if r.problem else None, r.meant)


def reference(row: Sequence[Any]) -> Reference:
    """The reference in the columns `REFERENCE`."""
    entry, line, raw, start, stop, kind, target, problem, meant = row
    return Reference(entry, line, _loaded(raw), Span(start, stop), _REFERENCES[kind], target, _PROBLEMS[problem], meant)


def _packed(spans: Sequence[Span]) -> bytes:
    return b"".join([_PAIR.pack(*span) for span in spans])


def _spans(packed: bytes) -> tuple[Span, ...]:
    return tuple([Span(start, end) for start, end in _PAIR.iter_unpack(packed)])


def _stored(text: str) -> str | bytes:
    """``text``, or its bytes where it has half of a surrogate pair, which SQLite cannot store as text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _loaded(stored: str | bytes) -> str:
    return stored if isinstance(stored, str) else stored.decode("utf-8", "surrogatepass")
