"""Makes passages of the blocks of a Markdown rulebook: joins interrupted paragraphs and restores
lost nesting.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from corpus.document import Document
from corpus.draft import DraftPassage
from corpus.layouts.markdown.blocks import BlockShape, MarkdownBlock
from corpus.layouts.markdown.patterns import OLD_WORDING, ends_unfinished, is_example, is_references
from corpus.model import Corrections, Fault, Role, Span

SHORT_LIST = 700  # characters up to which a lead-in and its list are one passage
SHORT_ITEM = 100  # mean characters of the items of a short list

_CLOSERS = "*_\"”“»«’')] \t\n"
_OPENERS = "*_\"“„»«‘'([ \t\n"
_SENTENCE_END = ".!?:;…"
_PAIRS = (("“", "”"), ("«", "»"), ("(", ")"), ("[", "]"))


@dataclass
class _PassageInProgress:
    """A passage that is being built: its blocks, and what is needed to decide whether the next
    block belongs to it.
    """

    passage: DraftPassage
    blocks: list[MarkdownBlock]
    child_number: int | None = None  # last number of the numbered list inside this bullet
    letter: str = ""  # last letter of the lettered list inside this item
    nested_numbers: dict[int, int] = field(default_factory=dict)  # indent → last number
    indents: list[int] = field(default_factory=list)  # of the blocks, as they are displayed
    number_indent: int = 0  # of the last numbered block
    letter_indent: int = 0  # of the last lettered block
    quotes: int = 0  # number of straight quotation marks
    brackets: int = 0  # number of brackets that are opened and not closed

    @property
    def first(self) -> MarkdownBlock:
        return self.blocks[0]

    @property
    def last(self) -> MarkdownBlock:
        return self.blocks[-1]

    def add(self, block: MarkdownBlock, indent: int) -> None:
        """Add ``block``, to be displayed at the indentation ``indent``."""
        self.blocks.append(block)
        self.indents.append(indent)
        self.quotes += block.text.count('"')
        self.brackets += sum(
            block.text.count(left) - block.text.count(right) for left, right in _PAIRS
        )


@dataclass
class MarkdownPassageBuilder:
    """Makes passages of blocks. ``inner`` has the bullets of nested items in this document
    (`inner_signs`).
    """

    document: Document
    corrections: Corrections
    inner: frozenset[str]

    def passages(
        self, body: list[MarkdownBlock], role: Role = Role.TEXT, with_lead_ins: bool = False
    ) -> list[DraftPassage]:
        """The passages of the ``body`` of one entry, with ``role`` unless they are references or
        void.

        With ``with_lead_ins``, a paragraph that ends in a colon and the one after it are one
        passage.
        """
        made: list[_PassageInProgress] = []
        open_: _PassageInProgress | None = None  # the list item to which nested items are added
        for block in body:
            torn = self.corrections.at(block.first, Fault.TORN)
            if torn and made:
                target = next((m for m in reversed(made) if m.last.last == torn.meant), made[-1])
                item = block.shape is BlockShape.ITEM
                self.extend(target, block, max(2, target.indents[-1]) if item else 0, torn=not item)
            elif is_references(block.text):
                open_ = None
                self._begin(made, block, Role.SEE)
            elif open_ is not None and self._is_inside(open_, block):
                self.extend(open_, block, _indent(open_, block))
            elif block.shape is BlockShape.ITEM and not (
                made and _explains_bold(made[-1].last, block)
            ):
                open_ = self._begin(made, block, role)
            elif made and _is_torn(made[-1], block):
                self.extend(made[-1], block, torn=True)
            elif made and _belongs_to(made[-1], block, role, with_lead_ins):
                self.extend(made[-1], block)
            else:
                open_ = None
                self._begin(made, block, Role.VOID if block.void else role)
        return [m.passage for m in _join_short_lists(made, self)]

    def whole(self, body: list[MarkdownBlock]) -> DraftPassage:
        """All of ``body`` as one passage, for a question with its answer."""
        current = self._begin([], body[0], Role.TEXT)
        for block in body[1:]:
            self.extend(
                current,
                block,
                torn=block.shape is BlockShape.PARAGRAPH and _is_torn(current, block),
            )
        return current.passage

    def _begin(
        self, made: list[_PassageInProgress], block: MarkdownBlock, role: Role
    ) -> _PassageInProgress:
        depth = 1 if block.shape is BlockShape.ITEM and role is not Role.SEE else 0
        new = _PassageInProgress(DraftPassage([block.span], role, depth), [])
        new.add(block, 0)
        self._restore_number(new.passage, block)
        made.append(new)
        return new

    def extend(
        self, current: _PassageInProgress, block: MarkdownBlock, indent: int = 0, torn: bool = False
    ) -> None:
        """Add ``block`` to ``current``, to be displayed at ``indent`` whatever its printed
        indentation is.

        A block that continues a ``torn`` sentence becomes a new span, so that `readable` puts it on
        the same line.
        """
        passage = current.passage
        between = self.document.text[passage.spans[-1].end : block.span.start]
        touching = not torn and not between.strip()
        if touching:
            passage.spans[-1] = Span(passage.spans[-1].start, block.span.end)
        else:
            passage.spans.append(block.span)
        passage.split_points.append(block.span.start)
        line = (
            "" if touching or torn else "\n"
        )  # a new line, even if the span before ends like an interrupted sentence
        blanks = " " * (
            indent - (block.indent if touching and self.document.extracted is None else 0)
        )
        bullet = "- " if indent and block.shape is BlockShape.PARAGRAPH else ""
        if line or blanks or bullet:
            passage.insertions[block.span.start] = line + blanks + bullet
        self._restore_number(passage, block)
        current.add(block, indent)
        if block.letter:
            current.letter, current.letter_indent = block.letter, indent
        if block.number is not None:
            current.number_indent = indent
            current.nested_numbers[block.indent] = block.number
            if current.child_number is not None or block.number == 1:
                current.child_number = block.number

    def _restore_number(self, passage: DraftPassage, block: MarkdownBlock) -> None:
        lost = self.corrections.at(block.first, Fault.NUMBER)
        if (
            lost
            and block.shape is BlockShape.ITEM
            and block.number is None
            and isinstance(lost.meant, int)
        ):
            passage.insertions[block.body] = (
                f"{lost.meant + self.corrections.ordinal(block.first, lost)}. "
            )

    def _is_inside(self, open_: _PassageInProgress, block: MarkdownBlock) -> bool:
        """Whether ``block`` belongs to the list item ``open_``."""
        head = open_.first
        if block.shape is BlockShape.PARAGRAPH:
            return (block.indent > head.indent + 1 and not block.void) or _follows(
                open_.letter, block.letter
            )
        if is_example(self.document.text[block.body : block.span.end]):
            return True
        if block.inner and block.inner in self.inner and block.inner != head.inner:
            return True
        if block.number is not None:
            if block.indent > head.indent:
                return (
                    head.number is None
                    or block.number != head.number + 1
                    or _in_sequence(open_, block)
                )
            first_child = block.number == 1 and head.number is None and _is_lead_in(open_.last.text)
            return first_child or (open_.child_number == block.number - 1 and not block.sign)
        if block.indent > head.indent:
            return True
        return _follows(open_.letter, block.letter) and not head.letter


def without_old_wording(body: list[MarkdownBlock]) -> list[MarkdownBlock]:
    """``body`` with every replaced wording, in brackets or on a line of its own, as a separate void
    block.
    """
    parts: list[MarkdownBlock] = []
    for block in body:
        start, text = 0, block.text
        while match := OLD_WORDING.search(text, start):
            end = (
                _after_bracket(text, match.end() - 1)
                if match.group()
                else _line_end(text, match.end())
            )
            _cut(parts, block, start, match.start(), void=False)
            _cut(parts, block, match.start(), end, void=True)
            start = end
        _cut(parts, block, start, len(text), void=False)
    return parts


def _line_end(text: str, start: int) -> int:
    """The offset of the end of the line that contains offset ``start``."""
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _cut(
    parts: list[MarkdownBlock], block: MarkdownBlock, start: int, end: int, void: bool
) -> None:
    """Append the characters ``start`` to ``end`` of ``block`` to ``parts``, as a block without
    white space at its ends.
    """
    text = block.text[start:end]
    if not text.strip():
        return
    start += len(text) - len(text.lstrip())
    span = Span(block.span.start + start, block.span.start + start + len(text.strip()))
    if start == 0 and not void:
        parts.append(MarkdownBlock(**{**block.__dict__, "span": span, "text": text.strip()}))
    else:
        parts.append(
            MarkdownBlock(
                BlockShape.PARAGRAPH,
                block.first,
                block.last,
                span,
                text.strip(),
                body=span.start,
                void=void,
            )
        )


def _after_bracket(text: str, opening: int) -> int:
    """The offset behind the bracket that closes the one at ``opening``, and behind signs of
    emphasis; the end of ``text`` if none does.
    """
    depth = 0
    for match in re.compile(r"[()]").finditer(text, opening):
        depth += 1 if match.group() == "(" else -1
        if depth == 0:
            end = match.end()
            while end < len(text) and text[end] in "*_":
                end += 1
            return end
    return len(text)


def _indent(open_: _PassageInProgress, block: MarkdownBlock) -> int:
    """The indentation at which ``block`` is displayed inside the list item ``open_``."""
    if block.shape is BlockShape.PARAGRAPH and not block.letter:
        return 0
    level = block.indent <= open_.first.indent  # the nesting is lost in print
    if block.number is not None and level:
        return open_.indents[-1] + 2 if open_.child_number is None else open_.number_indent
    if block.letter and level:
        return max(2, open_.letter_indent)
    return max(2, block.indent)


def _follows(before: str, letter: str) -> bool:
    """Whether ``letter`` is the next letter after ``before``; False if one of them is empty."""
    return bool(before and letter) and ord(letter) == ord(before) + 1


def _in_sequence(open_: _PassageInProgress, block: MarkdownBlock) -> bool:
    """Whether ``block`` is the next item of a numbered list nested in ``open_``."""
    return block.number is not None and open_.nested_numbers.get(block.indent) == block.number - 1


def _is_lead_in(text: str) -> bool:
    return text.rstrip(_CLOSERS).endswith(":")


def _ends(text: str) -> bool:
    """Whether ``text`` ends like a sentence or a lead-in."""
    return text.rstrip(_CLOSERS)[-1:] in _SENTENCE_END


def _explains_bold(before: MarkdownBlock, block: MarkdownBlock) -> bool:
    """Whether ``before`` is nothing but a name in bold and ``block`` is its explanation, beginning
    with a dash.
    """
    text = before.text.strip()
    bold = (
        before.shape is BlockShape.PARAGRAPH
        and text.startswith("**")
        and text.endswith("**")
        and "**" not in text[2:-2]
    )
    return bold and block.text[:1] in "–—" and not _ends(text)


def _is_torn(current: _PassageInProgress, block: MarkdownBlock) -> bool:
    """Whether ``block`` continues an unfinished sentence at the end of ``current``."""
    if current.passage.role is Role.SEE or (block.void and current.passage.role is not Role.VOID):
        return False
    if _explains_bold(current.last, block):
        return True
    before = current.last.text
    if _ends(before):
        return False
    if (
        block.text.lstrip(_OPENERS)[:1].islower()
        or before.rstrip()[-1:] in ",-–"
        or ends_unfinished(before.rstrip())
    ):
        return True
    return current.quotes % 2 == 1 or current.brackets > 0


def _belongs_to(
    current: _PassageInProgress, block: MarkdownBlock, role: Role, with_lead_ins: bool
) -> bool:
    """Whether ``block`` is an example for ``current`` or, with ``with_lead_ins``, follows a colon
    at the end of ``current``.
    """
    if block.void or current.passage.role is not role:
        return False
    return is_example(block.text) or (with_lead_ins and _is_lead_in(current.last.text))


def _join_short_lists(
    made: list[_PassageInProgress], builder: MarkdownPassageBuilder
) -> list[_PassageInProgress]:
    """``made`` with every short list of short items joined to its lead-in, because such items
    cannot be quoted without it.
    """
    result: list[_PassageInProgress] = []
    position = 0
    while position < len(made):
        lead = made[position]
        result.append(lead)
        position += 1
        if (
            lead.passage.role is Role.SEE
            or lead.first.void
            or not _is_lead_in(lead.last.text)
            or lead.first.shape is not BlockShape.PARAGRAPH
        ):
            continue
        end = position
        while (
            end < len(made)
            and made[end].first.shape is BlockShape.ITEM
            and made[end].passage.role is lead.passage.role
        ):
            end += 1
        items = made[position:end]
        size = sum(len(b.text) for m in items for b in m.blocks)
        if (
            items
            and size <= SHORT_ITEM * len(items)
            and size + sum(len(b.text) for b in lead.blocks) <= SHORT_LIST
        ):
            for item in items:
                for block, indent in zip(item.blocks, item.indents, strict=True):
                    builder.extend(lead, block, indent)
            position = end
    return result
