"""Makes passages from the blocks of a Markdown rulebook; joins interrupted paragraphs and restores
lost nesting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from corpus.document import Document
from corpus.draft import DraftPassage
from corpus.languages import any_of
from corpus.layouts.markdown.blocks import Block, Shape, is_references
from corpus.layouts.markdown.outline import OLD_WORDING
from corpus.model import Corrections, Fault, Role, Span
from corpus.sentences import is_question

SHORT_LIST = 700  # most characters of a lead-in with its list that are one passage
SHORT_ITEM = 100  # mean characters of the items of a short list

_CLOSERS = "*_\"”“»«’')] \t\n"
_OPENERS = "*_\"“„»«‘'([ \t\n"
_SENTENCE_END = ".!?:;…"
_PAIRS = (("“", "”"), ("«", "»"), ("(", ")"), ("[", "]"))
_EXAMPLE = re.compile(
    rf"[\s*_(•-]{{0,8}}{any_of('labels.for_example', 'labels.example')}\b", re.IGNORECASE
)
_BINDING = re.compile(any_of("sentences.binding"))


@dataclass
class _Group:
    """A passage that is being built: its blocks, and the state needed to decide whether the next
    block belongs to it.
    """

    passage: DraftPassage
    blocks: list[Block] = field(default_factory=list)
    child_number: int | None = None  # last number of the numbered list inside this bullet
    letter: str = ""  # last letter of the lettered list inside this item
    nested_numbers: dict[int, int] = field(default_factory=dict)  # last number by indent
    indents: list[int] = field(default_factory=list)  # displayed indentation of each block
    number_indent: int = 0  # of the last numbered block
    letter_indent: int = 0  # of the last lettered block

    @property
    def first(self) -> Block:
        return self.blocks[0]

    @property
    def last(self) -> Block:
        return self.blocks[-1]

    @property
    def is_enclosed(self) -> bool:
        # A quotation mark or bracket is not closed.
        text = "".join(block.text for block in self.blocks)
        brackets = sum(text.count(left) - text.count(right) for left, right in _PAIRS)
        return text.count('"') % 2 == 1 or brackets > 0


@dataclass
class PassageBuilder:
    """Makes passages from blocks. ``inner`` are the bullets of nested items in this document, which
    show the nesting if indentation is lost.
    """

    document: Document
    corrections: Corrections
    inner: frozenset[str]

    def passages(
        self, body: Sequence[Block], role: Role = Role.TEXT, with_lead_ins: bool = False
    ) -> list[DraftPassage]:
        """Return the passages of the ``body`` of one entry, with ``role`` unless they are
        references or void.

        If ``with_lead_ins``, a paragraph that ends in a colon and the next one are one passage.
        """
        made: list[_Group] = []
        item: _Group | None = None  # the list item to which nested items are added
        for block in body:
            above = made[-1] if made else None
            torn = self.corrections.at(block.first, Fault.TORN)
            is_item = block.shape is Shape.ITEM
            if torn and above:
                target = next((m for m in reversed(made) if m.last.last == torn.meant), above)
                indent = max(2, target.indents[-1]) if is_item else 0
                self._extend(target, block, indent, torn=not is_item)
            elif is_references(block.text):
                item = None
                made.append(self._group(block, Role.SEE))
            elif item and self._is_inside(item, block):
                self._extend(item, block, _indent(item, block))
            elif is_item and not (above and _explains_bold(above.last, block)):
                item = self._group(block, role)
                made.append(item)
            elif above and _is_torn(above, block):
                self._extend(above, block, torn=True)
            elif above and _belongs_to(above, block, role, with_lead_ins):
                self._extend(above, block)
            else:
                item = None
                made.append(self._group(block, Role.VOID if block.void else role))
        self._join_short_lists(made)
        return [group.passage for group in made]

    def whole(self, body: Sequence[Block]) -> DraftPassage:
        """Return all of ``body`` as one passage, for a question with its answer."""
        group = self._group(body[0], Role.TEXT)
        for block in body[1:]:
            torn = block.shape is Shape.PARAGRAPH and _is_torn(group, block)
            self._extend(group, block, torn=torn)
        return group.passage

    def _group(self, block: Block, role: Role) -> _Group:
        depth = 1 if block.shape is Shape.ITEM and role is not Role.SEE else 0
        group = _Group(DraftPassage([block.span], role, depth), [block], indents=[0])
        self._restore_number(group.passage, block)
        return group

    def _extend(self, group: _Group, block: Block, indent: int = 0, torn: bool = False) -> None:
        """Add ``block`` to ``group``, displayed with the indentation ``indent``.

        If it continues a ``torn`` sentence, it becomes a new span, so that `readable` puts it on
        the same line.
        """
        passage, start = group.passage, block.span.start
        touching = not torn and not self.document.text[passage.end : start].strip()
        passage.extend(block.span, self.document.text, separate=torn)
        passage.split_points.append(start)
        # Begins a new line even if the span before ends like an interrupted sentence.
        line = "" if touching or torn else "\n"
        printed = block.indent if touching and self.document.extracted is None else 0
        bullet = "- " if indent and block.shape is Shape.PARAGRAPH else ""
        if signs := line + " " * (indent - printed) + bullet:
            passage.insertions[start] = signs
        self._restore_number(passage, block)
        group.blocks.append(block)
        group.indents.append(indent)
        if block.letter:
            group.letter, group.letter_indent = block.letter, indent
        if block.number is not None:
            group.number_indent = indent
            group.nested_numbers[block.indent] = block.number
            if group.child_number is not None or block.number == 1:
                group.child_number = block.number

    def _restore_number(self, passage: DraftPassage, block: Block) -> None:
        lost = self.corrections.at(block.first, Fault.NUMBER)
        unnumbered = block.shape is Shape.ITEM and block.number is None
        if lost and unnumbered and isinstance(lost.meant, int):
            number = lost.meant + self.corrections.ordinal(block.first, lost)
            passage.insertions[block.body] = f"{number}. "

    def _is_inside(self, item: _Group, block: Block) -> bool:
        """Return whether ``block`` belongs to the list item ``item``."""
        head = item.first
        deeper = block.indent > head.indent
        if block.shape is Shape.PARAGRAPH:
            indented = block.indent > head.indent + 1 and not block.void
            return indented or _follows(item.letter, block.letter)
        if _EXAMPLE.match(self.document.text[block.body : block.span.end]):
            return True
        if block.inner and block.inner in self.inner and block.inner != head.inner:
            return True
        if block.number is None:
            return deeper or (_follows(item.letter, block.letter) and not head.letter)
        if deeper:
            in_sequence = item.nested_numbers.get(block.indent) == block.number - 1
            return head.number is None or block.number != head.number + 1 or in_sequence
        first_child = block.number == 1 and head.number is None and _is_lead_in(item.last.text)
        return first_child or (item.child_number == block.number - 1 and not block.sign)

    def _join_short_lists(self, made: list[_Group]) -> None:
        # Joins short lists of short items to their lead-in, without which they cannot be
        # quoted.
        position = 0
        while position < len(made):
            lead, position = made[position], position + 1
            role = lead.passage.role
            paragraph = lead.first.shape is Shape.PARAGRAPH and not lead.first.void
            if role is Role.SEE or not paragraph or not _is_lead_in(lead.last.text):
                continue
            end = position
            while end < len(made) and made[end].first.shape is Shape.ITEM:
                if made[end].passage.role is not role:
                    break
                end += 1
            items = made[position:end]
            size = sum(len(block.text) for item in items for block in item.blocks)
            whole = size + sum(len(block.text) for block in lead.blocks)
            if items and size <= SHORT_ITEM * len(items) and whole <= SHORT_LIST:
                for item in items:
                    for block, indent in zip(item.blocks, item.indents, strict=True):
                        self._extend(lead, block, indent)
                del made[position:end]


def without_old_wording(body: Sequence[Block]) -> list[Block]:
    """Return ``body`` with each replaced wording (in brackets or on a line of its own) as a
    separate void block.
    """
    parts: list[Block] = []
    for block in body:
        start, text = 0, block.text
        while match := OLD_WORDING.search(text, start):
            if match.group():
                end = _after_bracket(text, match.end() - 1)
            else:
                end = text.find("\n", match.end())
                end = end if end >= 0 else len(text)
            parts += _cut(block, start, match.start())
            parts += _cut(block, match.start(), end, void=True)
            start = end
        parts += _cut(block, start, len(text))
    return parts


def _cut(block: Block, start: int, end: int, void: bool = False) -> list[Block]:
    # This part of the block without white space at its ends, or nothing if it is empty.
    text = block.text[start:end]
    first = block.span.start + start + len(text) - len(text.lstrip())
    text = text.strip()
    if not text:
        return []
    span = Span(first, first + len(text))
    if first == block.span.start and not void:
        return [replace(block, span=span, text=text)]
    return [Block(Shape.PARAGRAPH, block.first, block.last, span, text, first, void=void)]


def _after_bracket(text: str, opening: int) -> int:
    # The offset after the bracket that closes the one at ``opening``, and after emphasis signs.
    depth = 0
    for match in re.compile(r"([()])[*_]*").finditer(text, opening):
        depth += 1 if match[1] == "(" else -1
        if depth == 0:
            return match.end()
    return len(text)


def _indent(item: _Group, block: Block) -> int:
    # The indentation at which the block is displayed inside the item.
    if block.shape is Shape.PARAGRAPH and not block.letter:
        return 0
    level = block.indent <= item.first.indent  # the nesting was lost
    if block.number is not None and level:
        return item.indents[-1] + 2 if item.child_number is None else item.number_indent
    return max(2, item.letter_indent if block.letter and level else block.indent)


def _follows(before: str, letter: str) -> bool:
    return bool(before and letter) and ord(letter) == ord(before) + 1


def _is_lead_in(text: str) -> bool:
    return text.rstrip(_CLOSERS).endswith(":")


def _ends(text: str) -> bool:
    # With punctuation of a sentence or a lead-in.
    return text.rstrip(_CLOSERS)[-1:] in _SENTENCE_END


def _explains_bold(before: Block, block: Block) -> bool:
    # ``before`` is only a name in bold, and ``block`` its explanation after a dash.
    text = before.text.strip()
    bold = text.startswith("**") and text.endswith("**") and "**" not in text[2:-2]
    named = before.shape is Shape.PARAGRAPH and bold
    return named and block.text[:1] in "–—" and not _ends(text)


def _is_torn(group: _Group, block: Block) -> bool:
    # The block continues an unfinished sentence at the end of the group.
    role, before = group.passage.role, group.last.text
    if role is Role.SEE or (block.void and role is not Role.VOID):
        return False
    if _explains_bold(group.last, block):
        return True
    if _ends(before):
        return False
    before = before.rstrip()
    return (
        block.text.lstrip(_OPENERS)[:1].islower()
        or before[-1:] in ",-–"
        or _BINDING.fullmatch(before[-24:].split(" ")[-1]) is not None
        or group.is_enclosed
    )


def _belongs_to(group: _Group, block: Block, role: Role, with_lead_ins: bool) -> bool:
    # The block is an example, answers the question above it, or follows a colon.
    if block.void or group.passage.role is not role:
        return False
    if group.first.shape is Shape.PARAGRAPH and is_question(group.first.text):
        return not is_question(block.text)
    example = _EXAMPLE.match(block.text) is not None
    return example or (with_lead_ins and _is_lead_in(group.last.text))
