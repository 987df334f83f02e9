"""Headings of a rulebook in this layout that is no Markdown: in a PDF or a word processor's file,
looks stand in the place of signs.
"""

from __future__ import annotations

from collections import Counter

from corpus.blocks import Block, BlockKind
from corpus.document import Document
from corpus.layouts.markdown.patterns import is_answer, is_question, is_references

LONGEST = 120  # characters of a heading
_LARGER = 1.04  # times the size of the text
_SURELY_LARGER = 1.2  # a line of this size is a heading whatever sign it ends with
_ENDS = (".", ":", ";", ",")

_Look = tuple[float, bool]  # size in points, bold


def printed_headings(document: Document) -> dict[int, int]:
    """The level of every heading by the number of its line; none for text, where signs tell.

    Headings that the format marks as such have its level. Otherwise short paragraphs that are
    larger than the text, or bold, are headings, and those that look alike have the same level.
    """
    if document.extracted is None:
        return {}
    blocks = [
        block
        for block in document.blocks
        if block.span.start < len(document.text) and block.kind is not BlockKind.FURNITURE
    ]
    marked = [block for block in blocks if block.kind is BlockKind.HEADING]
    if marked:
        return {document.line_at(block.span.start): max(block.level, 1) for block in marked}
    sizes: Counter[float] = Counter()
    for block in blocks:
        sizes[block.size] += block.span.end - block.span.start
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    found = [
        block
        for block in blocks
        if block.kind is BlockKind.PARAGRAPH and _is_heading(block, document, body)
    ]
    looks = sorted({_look(block) for block in found}, reverse=True)
    return {document.line_at(block.span.start): looks.index(_look(block)) + 1 for block in found}


def printed_emphasis(document: Document) -> frozenset[int]:
    """The numbers of lines with which paragraphs in italics begin; none for text."""
    blocks = document.blocks if document.extracted is not None else ()
    return frozenset(document.line_at(block.span.start) for block in blocks if block.italic)


def _look(block: Block) -> _Look:
    return round(block.size * 2) / 2, block.bold


def _is_heading(block: Block, document: Document, body: float) -> bool:
    """Whether ``block`` looks like a heading beside text whose size is ``body``."""
    text = document.text[block.span.start : block.span.end]
    if len(text) > LONGEST or not any(sign.isalpha() for sign in text):
        return False
    if block.size > _SURELY_LARGER * body:
        return True
    looks = block.size > _LARGER * body or (block.bold and block.size >= body / _LARGER)
    return (
        looks
        and not text.endswith(_ENDS)
        and not (is_question(text) or is_answer(text) or is_references(text))
    )
