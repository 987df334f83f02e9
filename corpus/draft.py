"""What a layout reader hands over: a tree of drafts with spans, before ids, texts and parents are worked out."""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus.model import Furniture, IndexItem, Kind, Role, Span


@dataclass
class DraftPassage:
    """The spans of one passage, several where page furniture tears it apart.

    ``spans`` are in document order and may begin and end with white space (it is cut off later).
    ``insertions`` holds what print lost and readers need, by offset into the document: ``{offset: "6. "}``
    puts a list number before the character at that offset, in ``display`` only.
    ``split_points`` is where the passage may be divided when it is too long: offsets at which an example,
    a sub-bullet or an answer begins. Sentences are found without help.
    """

    spans: list[Span]
    role: Role = Role.TEXT
    depth: int = 0
    insertions: dict[int, str] = field(default_factory=dict)
    split_points: list[int] = field(default_factory=list)


@dataclass
class DraftEntry:
    """One entry as the layout shows it, with its own passages and the entries inside it, both in document order.

    ``heading`` is exactly as printed, without Markdown signs, lines of a heading joined by a space;
    ``heading_spans`` are the characters it is printed with (empty for a numbered rule, whose number is part
    of its passage). ``title`` is for readers; None means: worked out from the heading.
    Lines and parent follow from the tree.
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
    """Everything a layout reader found in one document."""

    entries: list[DraftEntry] = field(default_factory=list)
    furniture: list[Furniture] = field(default_factory=list)
    index_items: list[IndexItem] = field(default_factory=list)
