"""Units: what an outline is made of. A line of a paragraph or list item, or a whole heading, row or
piece of furniture.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.blocks import Block, BlockKind
from corpus.document import Document
from corpus.layouts.outline.numbers import NumberStyle, PrintedNumber, parse_number
from corpus.layouts.outline.printed_lines import has_cells
from corpus.model import Span

LONGEST_HEADING = 120  # characters
SHORT = (
    80  # characters of a line that stands alone and may be a heading though nothing marks it as one
)
_BOLD = 0.4  # of the text is in bold: then this tells nothing
_LARGER = 1.1  # times the size of the body text
_WHOLE = (BlockKind.HEADING, BlockKind.ROW, BlockKind.FURNITURE, BlockKind.CODE)

_BULLET = re.compile(r"[ \t]*(?:(?:--|[-–—•●◦▪‣*+·])[ \t]+)+")
_MARKUP = re.compile(
    r"<[^<>\n]{1,80}>|[*`]+|(?<!\w)_+|_+(?!\w)|\\(?=[\W_])|\A\s*#{1,6}(?=\s)|\s#+\s*\Z|\{#[^{}\s]{1,80}\}\s*\Z"
)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]{0,200}\)|\[[^\[\]]{1,80}\])")
_LINE = re.compile(r"[^\n]+")
_HYPHENS = (
    re.compile(r"(?<=[^\W\d_]-)\n(?=\w+-)"),
    re.compile(r"(?<=[^\W\d_])[-\u00ad]\n(?=[^\W\d_A-Z])"),
)  # at the end of a line
_REMARK = re.compile(r"(?<=\S)\s+\([^()]{1,40}\)\Z")  # "Falling rocks (see 3.2.)"
_END = re.compile(r"[.!?;:,…][\"”“»«’)\]*_ \t]*\Z")


@dataclass(slots=True)
class OutlineUnit:
    """A line or block with what its format says of it; ``first`` and ``last`` tell whether it
    begins and ends its block.

    ``text`` is free of markup, bullets and line ends. ``number`` is a number at its beginning,
    which may be no more than looks like one; ``name`` is what follows it. ``title`` is that of a
    heading whose number stands in a line of its own: "Setup" for "Chapter 1 Setup".
    """

    block: Block
    span: Span
    text: str
    first: bool
    last: bool
    bullet: bool
    number: PrintedNumber | None
    name: str
    in_heading_style: bool = False
    title: str = ""

    @property
    def alone(self) -> bool:
        """Whether it is a whole block."""
        return self.first and self.last

    @property
    def is_title(self) -> bool:
        """Whether it can be a heading: short, not a sentence, with a letter."""
        return (
            len(self.text) <= LONGEST_HEADING
            and any(c.isalpha() for c in self.name)
            and not self.ends_sentence
        )

    @property
    def ends_sentence(self) -> bool:
        """Whether it ends with a full stop or another sign that ends no heading; "..." and "?" may
        end one.
        """
        return bool(_END.search(self.text)) and not self.text.endswith(("...", "…", "?", "!"))


def plain(text: str) -> str:
    """``text`` without markup, with single blanks and whole words."""
    if "-\n" in text or "\u00ad\n" in text:
        for pattern in _HYPHENS:
            text = pattern.sub("", text)
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", text)).split())


def make_units(document: Document) -> list[OutlineUnit]:
    """The units of ``document`` in order."""
    blocks = [block for block in document.blocks if block.span.start < len(document.text)]
    body, bold = body_size(blocks), not _mostly_bold(blocks)
    running = _running_styles(blocks)
    units: list[OutlineUnit] = []
    for block in blocks:
        apart = block.kind is not BlockKind.FURNITURE and style_of(block) not in running
        styled = apart and _in_heading_style(block, body, document, bold)
        for span, first, last in _parts(block, document.text, styled):
            units.append(_unit(block, span, document.text, first, last, styled))
    return units


def body_size(blocks: list[Block]) -> float:
    """The size of most characters in points; 0.0 where the sizes of most are unknown."""
    sizes: Counter[float] = Counter()
    for block in blocks:
        if block.kind is not BlockKind.FURNITURE:
            sizes[round(block.size * 2) / 2] += block.span.end - block.span.start
    return (
        0.0
        if 2 * sizes[0.0] > sizes.total()
        else max(sizes, key=lambda size: sizes[size] if size else 0, default=0.0)
    )


def style_of(block: Block) -> tuple[float, bool]:
    """The size of ``block``, rounded to half a point, and whether it is bold."""
    return round(block.size * 2) / 2, block.bold


def _running_styles(blocks: list[Block]) -> set[tuple[float, bool]]:
    """The styles in which most of what is printed is longer than a heading: most of the text, or in
    bold most of the blocks.
    """
    counts: dict[tuple[float, bool], Counter[bool]] = defaultdict(Counter)
    for block in blocks:
        length = block.span.end - block.span.start
        if block.kind is not BlockKind.FURNITURE:
            counts[style_of(block)][length > LONGEST_HEADING] += 1 if block.bold else length
    return {style for style, count in counts.items() if count[True] > count[False]}


def _mostly_bold(blocks: list[Block]) -> bool:
    """Whether so much is in bold that this tells no headings."""
    bold = sum(block.span.end - block.span.start for block in blocks if block.bold)
    return bold > _BOLD * sum(block.span.end - block.span.start for block in blocks)


def _in_heading_style(block: Block, body: float, document: Document, bold: bool) -> bool:
    """Whether ``block`` is short, and larger than the text or in bold, which counts only if
    ``bold`` says so.
    """
    text = document.text
    if (
        not body
        or block.kind in (BlockKind.ROW, BlockKind.CODE, BlockKind.CONTENTS)
        or block.span.end - block.span.start > 2 * LONGEST_HEADING
    ):
        return False
    larger = block.size >= _LARGER * body
    if not (larger or (bold and block.bold and block.size >= 0.97 * body)):
        return False
    content = plain(text[block.span.start : block.span.end])
    if len(content) > LONGEST_HEADING or not any(map(str.isalpha, content)) or content[0] in "-–—•":
        return False
    if document.pages is not None and has_cells(document.pages, text, block.span):
        return False
    number = parse_number(content)
    content = _REMARK.sub("", content)
    if len(content) <= SHORT and larger:
        content = content.removesuffix(".").removesuffix(":")
    elif len(content) <= SHORT and (
        content.isupper() or (number and number.style is not NumberStyle.BRACKETED and block.bold)
    ):
        content = content.removesuffix(".")
    return not _END.search(content.rstrip("?!…").removesuffix("..."))


def _parts(block: Block, text: str, styled: bool) -> Iterator[tuple[Span, bool, bool]]:
    """The spans of the units of ``block``, each with whether it is the first and the last."""
    start, end = block.span
    if block.kind in _WHOLE or styled:
        yield block.span, True, True
        return
    lines = [
        Span(*match.span())
        for match in _LINE.finditer(text, start, end)
        if not match.group().isspace()
    ]
    for at, span in enumerate(lines):
        yield span, at == 0, at == len(lines) - 1


def _unit(
    block: Block, span: Span, text: str, first: bool, last: bool, styled: bool
) -> OutlineUnit:
    raw = text[span.start : span.end].lstrip("\ufeff")
    bullet = _BULLET.match(raw) if block.kind is not BlockKind.HEADING else None
    content = plain(raw[bullet.end() :] if bullet else raw)
    number = parse_number(content, styled)
    name = content[number.length :].strip() if number else content
    if (
        number
        and name
        and not any(c.isalpha() for c in name)
        and number.style is NumberStyle.DECIMAL
    ):
        number, name = None, content  # a row of figures
    return OutlineUnit(block, span, content, first, last, bullet is not None, number, name, styled)
