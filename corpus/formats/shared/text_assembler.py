"""Puts the canonical text of an extracted document together, block by block, and knows the span of
everything in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from corpus.blocks import Block, BlockKind, Bookmark, ExtractedText, Link
from corpus.spans import Span

_COLLAPSED = re.compile(
    r"[ \t\n\r\f]+"
)  # what browsers make one blank of; a non-breaking space is not among it
DIVISION = "\n\n"  # between two blocks
CELL = " | "  # between two cells of a row


@dataclass
class BlockDraft:
    """A block that is being written; spans in it count from its own beginning.

    White space is made one blank, as browsers do, and none stands at the beginning of a line.
    ``mark`` is put in front of the text.
    """

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    mark: str = ""
    indent: float = 0.0
    bold: bool = False  # whatever its letters are
    anchors: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    header: Span | None = None
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _blank: bool = True  # another blank would be dropped
    _letters: int = 0
    _styled: list[int] = field(default_factory=lambda: [0, 0])  # bold and italic letters
    _sizes: dict[float, int] = field(default_factory=dict)
    _substance: bool = False  # has more than what only accompanies text
    _own: bool = False  # the mark stands in the text

    @property
    def length(self) -> int:
        """Characters written so far."""
        return self._length

    def __bool__(self) -> bool:
        return self._substance

    def add(
        self,
        text: str,
        *,
        bold: bool = False,
        italic: bool = False,
        size: float = 0.0,
        keep: bool = False,
        aside: bool = False,
    ) -> None:
        """Add ``text``; with ``keep`` its white space as it is. What is ``aside`` (the name of a
        picture) makes no block by itself.
        """
        if not keep:
            text = _COLLAPSED.sub(" ", text)
            if self._blank and text.startswith(" "):
                text = text[1:]
        if not text:
            return
        self._parts.append(text)
        self._length += len(text)
        self._blank = not keep and text.endswith(" ")
        stripped = text.strip()
        self._substance = self._substance or (bool(stripped) and not aside)
        letters = sum(map(str.isalpha, stripped))
        self._letters += letters
        self._styled[0] += letters * bold
        self._styled[1] += letters * italic
        if size:
            self._sizes[size] = self._sizes.get(size, 0) + len(stripped)

    def line_break(self) -> bool:
        """End the line. False where it is empty already, so that the next text belongs to another
        block.
        """
        if self._blank and self._parts and self._parts[-1].endswith(" "):
            last = self._parts.pop()
            self._parts.append(last[:-1])
            self._length -= 1
        if not self._parts or self._parts[-1].endswith("\n"):
            return not self._parts
        self._parts.append("\n")
        self._length += 1
        self._blank = True
        return True

    def link(self, start: int, target: str) -> None:
        """Link what was written from ``start`` on to ``target``."""
        if self._length > start and target:
            self.links.append(Link(Span(start, self._length), target))

    def text(self) -> str:
        """What was written so far."""
        return "".join(self._parts)

    def since(self, start: int) -> str:
        """What was written from offset ``start`` on."""
        parts, length = list[str](), self._length
        for part in reversed(self._parts):
            if length <= start:
                break
            parts.append(part)
            length -= len(part)
        return "".join(reversed(parts))[max(start - length, 0) :]

    def drop_trailing(self, part: str) -> None:
        """Take back every ``part`` that was added after the last other text."""
        while self._parts and self._parts[-1].strip() == part.strip():
            self._length -= len(self._parts.pop())

    def own_mark(self, mark: str) -> None:
        """Take ``mark``, with which the text begins, for the mark."""
        self.mark, self._own = mark, True

    def block(self, offset: int) -> tuple[str, Block]:
        """The text, without white space around it, and the block that it is when it begins at
        ``offset``.
        """
        raw = self.text()
        text = raw.strip()
        lead = len(raw) - len(raw.lstrip())
        mark = f"{self.mark} " if self.mark and not self._own else ""
        shift = offset + len(mark) - lead
        end = offset + len(mark) + len(text)
        links = (
            Link(Span(*(at + shift for at in _trimmed(raw, span))), target)
            for span, target in self.links
        )
        block = Block(
            span=Span(offset, end),
            kind=self.kind,
            level=self.level,
            mark=self.mark,
            size=max(self._sizes, key=lambda size: self._sizes[size], default=0.0),
            bold=self.bold or 0 < self._letters == self._styled[0],
            italic=0 < self._letters == self._styled[1],
            indent=self.indent,
            anchors=tuple(dict.fromkeys(self.anchors)),
            links=tuple(link for link in links if link.span.start < link.span.end),
            header=self.header,
        )
        return mark + text, block


def _trimmed(text: str, span: Span) -> Span:
    """``span`` of ``text`` without white space around it."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


class TextAssembler:
    """Collects blocks in the order of reading, and furniture apart; `finished` puts both
    together.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._texts: list[str] = []
        self._length = 0
        self._furniture: list[BlockDraft] = []
        self._anchors: list[str] = []  # of what had no text: they go to the next block

    def append(self, draft: BlockDraft, *, furniture: bool = False) -> Span | None:
        """Append ``draft``. Returns its span; None where it is empty or furniture."""
        if not draft:
            self._anchors += draft.anchors
            return None
        if furniture:
            self._furniture.append(draft)
            return None
        draft.anchors[:0] = self._anchors
        self._anchors = []
        return self._write(draft)

    def anchor(self, name: str) -> None:
        """Give the next block the anchor ``name``."""
        self._anchors.append(name)

    def _write(self, draft: BlockDraft) -> Span:
        if self._texts:
            self._texts.append(DIVISION)
            self._length += len(DIVISION)
        text, block = draft.block(self._length)
        self._texts.append(text)
        self._length += len(text)
        self.blocks.append(block)
        return block.span

    def finished(
        self, bookmarks: tuple[Bookmark, ...] = (), title: str = "", notes: tuple[str, ...] = ()
    ) -> ExtractedText:
        """The text of everything that was appended, ended by a newline. Furniture stands behind all
        other blocks, each text of it once.
        """
        if self._anchors and self.blocks:
            self.blocks[-1] = replace(
                self.blocks[-1], anchors=(*self.blocks[-1].anchors, *self._anchors)
            )
        body = self._length
        seen = set()
        for draft in self._furniture:
            if (text := draft.text().strip()) not in seen:
                seen.add(text)
                draft.kind, draft.header = BlockKind.FURNITURE, None
                self._write(draft)
        if self._length > body and body:
            body += len(DIVISION)
        if self._texts:
            self._texts.append("\n")
            self._length += 1
        if body + 1 == self._length:
            body = self._length
        return ExtractedText(
            "".join(self._texts),
            tuple(self.blocks),
            body,
            bookmarks,
            title=title.strip(),
            notes=notes,
        )


def with_blocks(found: ExtractedText, blocks: tuple[Block, ...]) -> ExtractedText:
    """``found`` with other ``blocks``."""
    return replace(found, blocks=blocks)
