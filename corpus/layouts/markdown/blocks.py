"""Groups the lines of a Markdown rulebook into headings, list items, paragraphs and furniture."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from corpus.document import Document, Line
from corpus.languages import any_of
from corpus.layouts.markdown.patterns import is_answer, is_colophon, is_question
from corpus.layouts.markdown.printed_headings import printed_emphasis, printed_headings
from corpus.model import Corrections, Fault, Span
from corpus.paragraphs import paragraph_lines, paragraph_text


class BlockShape(Enum):
    """What a block looks like."""

    HEADING = auto()
    ITEM = auto()
    PARAGRAPH = auto()
    FURNITURE = auto()


@dataclass
class MarkdownBlock:
    """Consecutive lines that belong together (``first`` to ``last``), and the signs at the
    beginning of the first one.

    ``text`` is the printed text from the first character that is not white space. ``level`` is the
    number of ``#`` of a heading (0 if only a correction makes it one), ``indent`` the indentation
    of a list item in columns. ``sign`` is the bullet of a list item, ``inner`` a bullet for nested
    items that is printed behind it or instead of it, ``number`` and ``letter`` are those of an
    ordered list.
    """

    shape: BlockShape
    first: int
    last: int
    span: Span
    text: str
    level: int = 0
    indent: int = 0
    sign: str = ""
    inner: str = ""
    number: int | None = None
    letter: str = ""
    body: int = 0  # offset in the document of the first word of the item
    why: str = ""  # of furniture: what it is
    void: bool = False  # wording that an erratum replaces
    kind: str = ""  # of a heading: the kind of entry that a correction gives it
    emphasised: bool = False  # printed in italics as a whole


_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(?=\S)")
_BULLETS = "-*+•·▪■●○◦‣⁃–—"
_INNER = "✦✧◆◇❖»›►▶➤▸☆★□▫"
_ITEM = re.compile(
    rf"([ \t]*)(?:([{_BULLETS}])[ \t]+)?(?:([{_INNER}])[ \t]+)?"
    r"(?:\*\*)?(?:(\d{1,3})[.)](?:\*\*)?[ \t]+|([a-z])[.)](?:\*\*)?[ \t]+)?(?=\S)"
)
_RULE = re.compile(r"[-*_=]{3,}|[-*_](?:[ \t][-*_]){2,}")
_PAGE = re.compile(
    rf"[*_]{{0,3}}(?:{any_of('references.page')}[ \t]*)?[-–]?[ \t]?\d{{1,4}}[ \t]?[-–]?[*_]{{0,3}}",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)")
_TAG = re.compile(r"<[!/]?[a-zA-Z-][^<>]*>")


@dataclass
class _BlockCollector:
    """Collects blocks; ``block`` is the open one, to which the next line may belong."""

    text: str
    block: MarkdownBlock | None = None
    blocks: list[MarkdownBlock] = field(default_factory=list)

    def close(self) -> None:
        if self.block is not None:
            self.block.text = self.text[self.block.span.start : self.block.span.end]
            self.blocks.append(self.block)
        self.block = None


def blocks(document: Document, corrections: Corrections) -> list[MarkdownBlock]:
    """The blocks of ``document`` in order; every character that is not white space is in exactly
    one of them.
    """
    state = _BlockCollector(paragraph_text(document))
    printed, emphasised = printed_headings(document), printed_emphasis(document)
    for line in paragraph_lines(document):
        if not line.text.strip():
            state.close()
            continue
        new = _read_line(line, corrections, printed.get(line.number, 0))
        new.emphasised = line.number in emphasised
        open_ = state.block
        if new.shape is BlockShape.PARAGRAPH and open_ is not None and not _begins_paragraph(new):
            open_.last, open_.span = new.last, Span(open_.span.start, new.span.end)
            continue
        state.close()
        state.block = new
        if new.shape in (BlockShape.HEADING, BlockShape.FURNITURE):
            state.close()
    state.close()
    return [_colophon(block) for block in state.blocks]


def heading_text(printed: str) -> str:
    """The printed heading ``printed`` without Markdown signs."""
    text = printed.strip().lstrip("#").strip().rstrip("#").strip()
    text = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    text = re.sub(r"\\([\\*_#\[\](){}.!+-])", r"\1", text.replace("**", "").replace("__", ""))
    return " ".join(text.strip("*_ \t").split())


def inner_signs(blocks: list[MarkdownBlock]) -> frozenset[str]:
    """The bullets of nested items in ``blocks``. They show the nesting where the indentation is
    lost.
    """
    return frozenset(
        block.inner for block in blocks if block.inner and (block.sign or block.indent > 1)
    )


def _read_line(line: Line, corrections: Corrections, level: int) -> MarkdownBlock:
    """A block that begins with ``line``; ``level`` is that of a heading which is printed as one
    without a sign, else 0.
    """
    printed = line.text.strip()
    start = line.start + len(line.text) - len(line.text.lstrip())
    span = Span(start, start + len(printed))
    block = MarkdownBlock(
        BlockShape.PARAGRAPH,
        line.number,
        line.number,
        span,
        printed,
        indent=start - line.start + line.indent,
        body=start,
    )
    if furniture := corrections.at(line.number, Fault.FURNITURE):
        block.shape, block.why = BlockShape.FURNITURE, furniture.why
    elif why := _furniture(printed):
        block.shape, block.why = BlockShape.FURNITURE, why
    elif corrections.at(line.number, Fault.NOT_HEADING):
        pass
    elif heading := corrections.at(line.number, Fault.HEADING):
        signs = _HEADING.match(line.text)
        block.shape, block.level, block.kind = (
            BlockShape.HEADING,
            len(signs.group(1)) if signs else level,
            str(heading.meant),
        )
    elif (signs := _HEADING.match(line.text)) or level:
        block.shape, block.level = BlockShape.HEADING, len(signs.group(1)) if signs else level
    elif (item := _ITEM.match(line.text)) and any(item.group(2, 3, 4)):
        indent, sign, inner, number, letter = item.group(1, 2, 3, 4, 5)
        block.shape, block.indent = BlockShape.ITEM, len(indent.expandtabs(4)) + line.indent
        block.sign, block.inner, block.letter = sign or "", inner or "", letter or ""
        block.number, block.body = int(number) if number else None, line.start + item.end()
    elif item:
        block.letter = item.group(5) or ""
    return block


def _furniture(printed: str) -> str:
    """The reason why the line ``printed`` is furniture; "" if it is text."""
    if not any(c.isalnum() for c in printed) and (
        _RULE.fullmatch(printed) or not printed.strip("#* ")
    ):
        return "rule"
    if len(printed) <= 24 and _PAGE.fullmatch(printed):
        return "page number"
    if printed.startswith("![") and _PICTURE.fullmatch(printed):
        return "picture"
    if printed.startswith("<") and _TAG.fullmatch(printed):
        return "markup"
    return ""


def _begins_paragraph(block: MarkdownBlock) -> bool:
    """Whether a line begins a new paragraph even without a blank line above it."""
    return is_question(block.text) or is_answer(block.text)


def _colophon(block: MarkdownBlock) -> MarkdownBlock:
    if block.shape is BlockShape.PARAGRAPH and is_colophon(block.text):
        block.shape, block.why = BlockShape.FURNITURE, "colophon"
    return block
