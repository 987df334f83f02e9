"""Finds the table of contents that a page or a document has of its own: links to its own headings,
in their order, ahead of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from urllib.parse import unquote

from corpus.blocks import Block, BlockKind

LEAST = 3  # links; with fewer it may be any sentence
LINKED = 0.8  # least share of the letters of a line of the contents that are links
ORDERED = 0.9  # least share of its links that lead further than the one before
DENSE = 0.5  # least share of headings, between its first and its last, that it names

_CANDIDATES = {BlockKind.ITEM, BlockKind.PARAGRAPH, BlockKind.ROW}


def mark_contents(blocks: Sequence[Block], text: str) -> tuple[Block, ...]:
    """``blocks`` with those of a table of contents as such.

    A list of references ("see also") is none: it names few of the headings that stand between the
    first and the last that it names.
    """
    found = list(blocks)
    headings = {
        anchor: at
        for at in reversed(range(len(found)))
        if found[at].kind is BlockKind.HEADING
        for anchor in found[at].anchors
    }
    if not headings:
        return tuple(found)
    positions = [at for at, block in enumerate(found) if block.kind is BlockKind.HEADING]
    for start, end, targets in _runs(found, text, headings):
        if _explains(targets, positions, found, end):
            found[start:end] = [
                replace(block, kind=BlockKind.CONTENTS, header=None) for block in found[start:end]
            ]
    return tuple(found)


def internal(target: str) -> str:
    """The anchor that the link ``target`` means within the document."""
    return unquote(target.removeprefix("#"))


def _runs(
    blocks: Sequence[Block], text: str, headings: dict[str, int]
) -> Iterator[tuple[int, int, list[int]]]:
    """Every longest run of blocks that only link to headings: its first block, the one behind its
    last, and the headings.
    """
    start, targets = 0, list[int]()
    for at, block in enumerate([*blocks, None]):
        led = _targets(block, text, headings) if block is not None else []
        if led:
            start = start if targets else at
            targets += led
        elif targets:
            yield start, at, targets
            targets = []


def _targets(block: Block, text: str, headings: dict[str, int]) -> list[int]:
    if block.kind not in _CANDIDATES or not block.links:
        return []
    led = [
        (link, headings[name])
        for link in block.links
        if (name := internal(link.target)) in headings
    ]
    letters = sum(map(str.isalpha, text[block.span.start + len(block.mark) : block.span.end]))
    linked = sum(map(str.isalpha, "".join(text[a:b] for (a, b), _ in (link for link, _ in led))))
    return [at for _, at in led] if linked >= LINKED * letters else []


def _explains(targets: list[int], positions: list[int], blocks: Sequence[Block], end: int) -> bool:
    """Whether the headings ``targets`` are those of a table of contents that ends before block
    ``end``.
    """
    if len(targets) < LEAST or targets[0] < end:
        return False
    ordered = sum(a <= b for a, b in pairwise(targets))
    if ordered < ORDERED * (len(targets) - 1):
        return False
    deepest = max(blocks[at].level for at in targets)
    between = positions[
        bisect_left(positions, min(targets)) : bisect_right(positions, max(targets))
    ]
    named = [at for at in between if blocks[at].level <= deepest]
    return len(set(targets)) >= DENSE * len(named)
