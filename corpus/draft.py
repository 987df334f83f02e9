"""The result of a layout's reader: a tree of entries with spans, to which `corpus.read` adds ids,
texts and parents.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus.model import Furniture, IndexItem, Kind, Role, Span


@dataclass
class DraftPassage:
    """One passage as spans of the document; several spans where page furniture interrupts it.

    ``spans`` are in document order and may begin and end with white space, which `corpus.read`
    removes. ``insertions`` are characters that are missing in print, by offset into the document:
    ``{offset: "6. "}`` puts a list number before the character at that offset. They appear only in
    the ``display`` of the passage. ``split_points`` are offsets at which a passage that is too long
    may be split: the beginnings of examples, sub-bullets and answers. Sentences need not be listed.
    ``context`` is what one should read before it and is no part of it: the sentence that leads in
    to the list that it is an item of, or the header of its table.
    """

    spans: list[Span]
    role: Role = Role.TEXT
    depth: int = 0
    insertions: dict[int, str] = field(default_factory=dict)
    split_points: list[int] = field(default_factory=list)
    context: Span | None = None


@dataclass
class DraftEntry:
    """One entry, with its own passages and the entries inside it (``children``), both in document
    order.

    ``heading`` is as printed, without Markdown signs and with its lines joined by spaces.
    ``heading_spans`` are its characters in the document; a numbered rule has none, because its
    number is part of its passage. ``title`` is the heading for readers; where it is None,
    `corpus.read` makes it from the heading.
    """

    kind: Kind
    heading: str
    heading_spans: list[Span] = field(default_factory=list)
    title: str | None = None
    number: str | None = None
    card: str | None = None
    product: str | None = None
    passages: list[DraftPassage] = field(default_factory=list)
    children: list[DraftEntry] = field(default_factory=list)


@dataclass
class DraftRulebook:
    """Everything that the reader of a layout found in a document."""

    entries: list[DraftEntry] = field(default_factory=list)
    furniture: list[Furniture] = field(default_factory=list)
    index_items: list[IndexItem] = field(default_factory=list)
