"""Plain text: paragraphs divided by empty lines."""

from __future__ import annotations

import re

from corpus.blocks import Block
from corpus.formats.format import TextFormat
from corpus.spans import Span

_PARAGRAPH = re.compile(r"\S(?:.*?\S)??(?=\s*\n[ \t]*\n|\s*\Z)", re.DOTALL)


def score(text: str) -> float:
    """Plain text is what nothing else fits better."""
    return 0.1


def blocks(text: str) -> tuple[Block, ...]:
    """A block for each paragraph of ``text``."""
    return tuple(Block(Span(*match.span())) for match in _PARAGRAPH.finditer(text))


PLAIN = TextFormat("text", score, blocks)
