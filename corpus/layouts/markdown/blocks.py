"""Groups the lines of a Markdown rulebook into headings, list items, paragraphs and furniture.

In a PDF or a word processor's file, styles replace the markup.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto

from corpus.blocks import Block as DocumentBlock
from corpus.blocks import BlockKind
from corpus.document import Document, Line
from corpus.languages import any_of
from corpus.layouts.layout import SEE
from corpus.model import Corrections, Fault, Span
from corpus.paragraphs import paragraph_lines, paragraph_text

LONGEST_HEADING = 120  # characters of a heading without signs
_LARGER = 1.04  # times the font size of the text
_SURELY_LARGER = 1.2  # larger lines are headings even if they end like a sentence

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
_QUESTION = re.compile(rf"\W{{0,8}}{any_of('labels.question')}[*_]{{0,3}}\s?:", re.IGNORECASE)
_ANSWER = re.compile(rf"\W{{0,8}}{any_of('labels.answer')}[*_]{{0,3}}\s?:", re.IGNORECASE)
_REFERENCES = re.compile(rf"[\s*_>]{{0,8}}{SEE}[*_]{{0,3}}\s?:", re.IGNORECASE)
_COLOPHON = re.compile(r"[\s*_]{0,8}(?:©|\([cC]\)\s?\d{4}|Copyright\b)")


class Shape(Enum):
    """The type of a block."""

    HEADING = auto()
    ITEM = auto()
    PARAGRAPH = auto()
    FURNITURE = auto()


@dataclass
class Block:
    """Consecutive lines that belong together (``first`` to ``last``), with the markup at the
    beginning of the first one.

    Attributes:
        text: The printed text from the first character that is not white space.
        level: The number of ``#`` of a heading; 0 if only a correction makes it one.
        indent: The indentation of a list item in columns.
        sign: The bullet of a list item.
        inner: A bullet for nested items that is printed after ``sign`` or instead of it.
        number: The number of an item in an ordered list.
        letter: The letter of an item in an ordered list.
        body: The offset in the document of the first word of the item.
    """

    shape: Shape
    first: int
    last: int
    span: Span
    text: str
    body: int
    level: int = 0
    indent: int = 0
    sign: str = ""
    inner: str = ""
    number: int | None = None
    letter: str = ""
    why: str = ""  # for furniture: the reason
    void: bool = False  # a wording that an erratum replaces
    kind: str = ""  # for a heading: the kind of entry according to a correction
    emphasised: bool = False  # entirely in italics


def is_question(text: str) -> bool:
    """Return whether the block ``text`` begins a question ("D: …", "F: …")."""
    return _QUESTION.match(text) is not None


def is_references(text: str) -> bool:
    """Return whether the block ``text`` is a list of references ("Vedi anche: …")."""
    return _REFERENCES.match(text) is not None


def _begins_paragraph(text: str) -> bool:
    # Even without a blank line above it.
    return is_question(text) or _ANSWER.match(text) is not None


def read_blocks(document: Document, corrections: Corrections) -> list[Block]:
    """Return the blocks of ``document`` in order. Every character that is not white space is in
    exactly one block.
    """
    levels, italic = _printed_headings(document), set()
    if document.extracted is not None:
        starts = (block.span.start for block in document.blocks if block.italic)
        italic = set(map(document.line_at, starts))
    blocks: list[Block] = []
    is_open = False  # the next line may belong to the last block
    for line in paragraph_lines(document):
        if not line.text.strip():
            is_open = False
            continue
        new = _read_line(line, corrections, levels.get(line.number, 0))
        new.emphasised = line.number in italic
        if is_open and new.shape is Shape.PARAGRAPH and not _begins_paragraph(new.text):
            blocks[-1].last = new.last
            blocks[-1].span = Span(blocks[-1].span.start, new.span.end)
        else:
            blocks.append(new)
            is_open = new.shape in (Shape.ITEM, Shape.PARAGRAPH)
    text = paragraph_text(document)
    for block in blocks:
        block.text = text[block.span.start : block.span.end]
        if block.shape is Shape.PARAGRAPH and _COLOPHON.match(block.text):
            block.shape, block.why = Shape.FURNITURE, "colophon"
    return blocks


def _read_line(line: Line, corrections: Corrections, level: int) -> Block:
    # ``level`` is that of a heading recognised by its style, 0 for other lines.
    printed = line.text.strip()
    start = line.start + len(line.text) - len(line.text.lstrip())
    span = Span(start, start + len(printed))
    block = Block(Shape.PARAGRAPH, line.number, line.number, span, printed, start)
    block.indent = start - line.start + line.indent
    signs = _HEADING.match(line.text)
    level = len(signs[1]) if signs else level
    furniture = corrections.at(line.number, Fault.FURNITURE)
    heading = corrections.at(line.number, Fault.HEADING)
    if why := furniture.why if furniture else _furniture(printed):
        block.shape, block.why = Shape.FURNITURE, why
    elif corrections.at(line.number, Fault.NOT_HEADING):
        pass
    elif heading or level:
        block.shape, block.level = Shape.HEADING, level
        block.kind = str(heading.meant) if heading else ""
    elif item := _ITEM.match(line.text):
        indent, sign, inner, number, letter = item.groups(default="")
        block.letter = letter
        if sign or inner or number:
            block.shape, block.indent = Shape.ITEM, len(indent.expandtabs(4)) + line.indent
            block.sign, block.inner = sign, inner
            block.number, block.body = int(number) if number else None, line.start + item.end()
    return block


def _furniture(printed: str) -> str:
    # The kind of furniture, or "" if the line is text.
    if not any(map(str.isalnum, printed)) and (
        _RULE.fullmatch(printed) or not printed.strip("#* ")
    ):
        return "rule"
    if len(printed) <= 24 and _PAGE.fullmatch(printed):
        return "page number"
    if _PICTURE.fullmatch(printed):
        return "picture"
    return "markup" if _TAG.fullmatch(printed) else ""


def heading_text(printed: str) -> str:
    """Return the printed heading ``printed`` without Markdown markup."""
    text = printed.strip().lstrip("#").strip().rstrip("#").strip()
    text = re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    text = re.sub(r"\\([\\*_#\[\](){}.!+-])", r"\1", text.replace("**", "").replace("__", ""))
    return " ".join(text.strip("*_ \t").split())


def _printed_headings(document: Document) -> dict[int, int]:
    """Return the level of every heading recognised by its style, by line number; empty for a text
    file, which has markup.

    Headings marked by the file format keep their level. Otherwise short paragraphs in bold or
    larger print are headings; those that look alike have the same level.
    """
    if document.extracted is None:
        return {}
    blocks = [
        block
        for block in document.blocks
        if block.span.start < len(document.text) and block.kind is not BlockKind.FURNITURE
    ]
    if marked := [block for block in blocks if block.kind is BlockKind.HEADING]:
        return {document.line_at(block.span.start): max(block.level, 1) for block in marked}
    sizes: Counter[float] = Counter()
    for block in blocks:
        sizes[block.size] += block.span.end - block.span.start
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    found = [
        block
        for block in blocks
        if block.kind is BlockKind.PARAGRAPH
        and _is_heading(block, document.text[slice(*block.span)], body)
    ]
    looks = {block.span.start: (round(block.size * 2) / 2, block.bold) for block in found}
    order = sorted(set(looks.values()), reverse=True)
    return {document.line_at(start): order.index(look) + 1 for start, look in looks.items()}


def _is_heading(block: DocumentBlock, text: str, body: float) -> bool:
    # Whether it looks like a heading; ``body`` is the font size of the text.
    if len(text) > LONGEST_HEADING or not any(map(str.isalpha, text)):
        return False
    if block.size > _SURELY_LARGER * body:
        return True
    looks = block.size > _LARGER * body or (block.bold and block.size >= body / _LARGER)
    sentence = text.endswith((".", ":", ";", ","))
    return looks and not sentence and not _begins_paragraph(text) and not is_references(text)
