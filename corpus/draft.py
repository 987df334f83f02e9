"""Drafts of rulebooks: what a layout reader returns, a tree of entries with spans.

`corpus.read` adds ids, texts and parents, and splits passages that are too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from corpus.languages import any_of
from corpus.model import Furniture, IndexItem, Kind, Role, Span
from corpus.sentences import sentences
from corpus.tables import ReadRow

LONGEST = 1500  # characters of a passage's text; the limit of the contract

_EXAMPLE = re.compile(
    rf"(?m)^[ \t]*(?:[-•]\s+)?[*_]{{0,3}}{any_of('labels.example', 'labels.for_example')}\b"
)


@dataclass
class DraftPassage:
    """One passage as spans of the document, in order: several if page furniture interrupts it.

    Attributes:
        insertions: Characters missing in print, by offset into the document: ``{offset: "6. "}``
            puts a list number before the character at that offset. They appear only in the
            ``display`` of the passage.
        split_points: Offsets at which a passage that is too long may be split: the beginnings of
            examples, sub-bullets and answers. Sentences need not be listed.
        context: Text to read before the passage, not part of it: the sentence that introduces
            its list, or the header of its table.
        row: The table row as readers see it.
        header: The offset of the header of its table.
        item: Its list number, after those of the items around it: "3. a)".
    """

    spans: list[Span]
    role: Role = Role.TEXT
    depth: int = 0
    insertions: dict[int, str] = field(default_factory=dict)
    split_points: list[int] = field(default_factory=list)
    context: Span | None = None
    row: ReadRow | None = None
    header: int | None = None
    item: str = ""

    @property
    def start(self) -> int:
        """The offset of the first character."""
        return self.spans[0].start

    @property
    def end(self) -> int:
        """The offset after the last character."""
        return self.spans[-1].end

    def extend(self, span: Span, text: str, separate: bool = False) -> None:
        """Add ``span`` of the document ``text``: as a new span if ``separate`` or if other text
        lies between, otherwise by extending the last span.
        """
        if separate or text[self.end : span.start].strip():
            self.spans.append(span)
        else:
            self.spans[-1] = Span(self.spans[-1].start, span.end)

    def join(self, other: DraftPassage, text: str) -> None:
        """Add the spans and insertions of ``other``, which follows in the document ``text``."""
        self.extend(other.spans[0], text)
        self.spans += other.spans[1:]
        self.insertions |= other.insertions


@dataclass
class DraftEntry:
    """One entry, with its own passages and the entries inside it (``children``), both in document
    order.

    ``heading`` is as printed, without Markdown markup, on one line. ``heading_spans`` are its
    characters in the document; a numbered rule has none, because its number is part of its passage,
    unless the number is on a line of its own. ``title`` is the heading for readers; if it is None,
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

    @property
    def is_see_list(self) -> bool:
        """Whether the entry contains only references to other entries."""
        return bool(self.passages) and all(each.role is Role.SEE for each in self.passages)


@dataclass
class DraftRulebook:
    """Everything that a layout reader found in one document."""

    entries: list[DraftEntry] = field(default_factory=list)
    furniture: list[Furniture] = field(default_factory=list)
    index_items: list[IndexItem] = field(default_factory=list)


def walk(
    entries: Sequence[DraftEntry], parent: DraftEntry | None = None
) -> Iterator[tuple[DraftEntry, DraftEntry | None]]:
    """Yield ``entries`` and all entries inside them, each with its parent, in document order."""
    for entry in entries:
        yield entry, parent
        yield from walk(entry.children, entry)


def stripped(span: Span, text: str) -> Span:
    """Return ``span`` of ``text`` without the white space at its ends."""
    piece = text[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, span.end - len(piece) + len(piece.rstrip())))


def trimmed(spans: Sequence[Span], text: str) -> list[Span]:
    """Return ``spans`` without white space at their ends, and without empty ones."""
    return [span for each in spans if (span := stripped(each, text)).start < span.end]


def split_passage(passage: DraftPassage, text: str) -> list[DraftPassage]:
    """Split ``passage`` of the document ``text`` into as few parts as possible of at most `LONGEST`
    characters each.

    It is cut at its split points and at examples; if that is not enough, at lines and sentences,
    and then between words. Every character that is not white space is in exactly one part.
    """
    if _length(passage.spans) <= LONGEST:
        return [passage]
    torn = {span.end for span in passage.spans}
    parts: list[list[Span]] = []
    for piece in _pieces(passage, text):
        joined = _joined(parts[-1], piece, torn, text) if parts else []
        if joined and _length(joined) <= LONGEST:
            parts[-1] = joined
        else:
            parts.append(piece)
    return [
        replace(
            passage,
            spans=spans,
            row=None,
            split_points=[],
            insertions={
                offset: signs
                for offset, signs in passage.insertions.items()
                if any(start <= offset < end for start, end in spans)
            },
        )
        for spans in parts
    ]


def _length(spans: Sequence[Span]) -> int:
    return sum(end - start for start, end in spans) + len(spans) - 1


def _pieces(passage: DraftPassage, text: str) -> Iterator[list[Span]]:
    """Cut ``passage`` at split points and examples; cut pieces that are still too long at lines,
    sentences and words.
    """
    cuts = set(passage.split_points)
    for start, end in passage.spans:
        cuts.update(match.start() for match in _EXAMPLE.finditer(text, start, end))
    for group in _cut(passage.spans, sorted(cuts), text):
        if _length(group) <= LONGEST:
            yield group
            continue
        for span in group:
            ends = [span.start + end for _, end in sentences(text[span.start : span.end])]
            for sentence in _cut([span], ends[:-1], text):
                if _length(sentence) <= LONGEST:
                    yield sentence
                else:
                    yield from ([word] for word in _words(sentence[0], text))


def _cut(spans: Sequence[Span], cuts: Sequence[int], text: str) -> list[list[Span]]:
    """Cut ``spans`` at the offsets ``cuts`` into pieces without white space at their ends."""
    groups: list[list[Span]] = [[]]
    for start, end in spans:
        for cut in [cut for cut in cuts if start < cut < end]:
            groups[-1].append(Span(start, cut))
            groups.append([])
            start = cut
        if start in cuts and groups[-1]:
            groups.append([])
        groups[-1].append(Span(start, end))
    return [piece for group in groups if (piece := trimmed(group, text))]


def _words(span: Span, text: str) -> list[Span]:
    """Cut ``span`` between words; a word is cut only if it is longer than `LONGEST`."""
    cuts, start = [], span.start
    while span.end - start > LONGEST:
        blank = max(text.rfind(sign, start + 1, start + LONGEST) for sign in " \n")
        cut = blank if blank > start else start + LONGEST
        cuts.append(Span(start, cut))
        start = cut
    return trimmed([*cuts, Span(start, span.end)], text)


def _joined(left: list[Span], right: list[Span], torn: set[int], text: str) -> list[Span]:
    """Join the spans of two pieces. The two spans where they meet become one if only a line end and
    an indentation are between them; ``torn`` are the offsets at which spans of the passage end.
    """
    between = text[left[-1].end : right[0].start]
    if not between.strip() and (left[-1].end not in torn or between.count("\n") <= 1):
        return [*left[:-1], Span(left[-1].start, right[0].end), *right[1:]]
    return [*left, *right]
