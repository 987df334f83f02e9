"""Passages as a page shows them: paragraphs and nested bullets as printed, with marks and links in
the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from corpus.languages import any_of
from corpus.model import Passage, Role, Span

_BULLET = re.compile(r"([ \t]*)•\s+")
_COUNT = re.compile(r"(\(?(?:\d{1,2}[a-z]?|[a-z])[.)]{1,2})\s+(?=\S)")
_STYLES = {
    "question": re.compile(rf"{any_of('labels.question')}\s*:\s"),
    "example": re.compile(
        rf"{any_of('labels.example', 'labels.for_example')}\b[^:.\n]{{0,12}}[:.]"
    ),
}


class TextLink(NamedTuple):
    """A span of a passage's display that links to ``url``, and a remark about the link."""

    span: Span
    url: str
    remark: str | None = None


class TextSymbol(NamedTuple):
    """A span of a passage's display that is a symbol; ``sign`` is "" where no character fits."""

    span: Span
    sign: str
    name: str


class StyledRun(NamedTuple):
    """A stretch of text that looks the same; ``symbol`` is the name of one, "" for plain text."""

    text: str
    mark: bool = False
    link: TextLink | None = None
    symbol: str = ""


@dataclass
class TextBlock:
    """A paragraph, or a bullet with what is inside it.

    ``number`` is the number or letter that counts a bullet; ``style`` is "question" or "example"
    where the first words say so, else empty; ``passage`` is set on the first block of a passage.
    """

    level: int
    bullet: bool
    number: str
    runs: list[StyledRun]
    role: Role
    style: str = ""
    passage: Passage | None = None
    children: list[TextBlock] = field(default_factory=list)


class AnnotatedPassage(NamedTuple):
    """A passage with the spans of its display that are marked, its links and symbols."""

    passage: Passage
    marks: Sequence[Span] = ()
    links: Sequence[TextLink] = ()
    symbols: Sequence[TextSymbol] = ()


def text_blocks(passages: Iterable[AnnotatedPassage]) -> list[TextBlock]:
    """Return the blocks of ``passages``, bullets inside the bullets and paragraphs that they stand
    under.
    """
    top: list[TextBlock] = []
    open_: list[TextBlock] = []
    for annotated in passages:
        for block in _line_blocks(annotated):
            while open_ and (
                open_[-1].level > block.level or (block.bullet and open_[-1].level == block.level)
            ):
                open_.pop()
            (open_[-1].children if open_ else top).append(block)
            if block.bullet:
                open_.append(block)
    return top


def _line_blocks(annotated: AnnotatedPassage) -> list[TextBlock]:
    """Return one block for every line of a passage's display, not nested yet."""
    passage, display = annotated.passage, annotated.passage.display
    blocks: list[TextBlock] = []
    indents: list[int] = []
    start = 0
    for line in display.split("\n"):
        end = start + len(line)
        first = not blocks
        level, bullet = passage.depth, passage.depth > 0 and first
        text = start + len(line) - len(line.lstrip())
        if match := _BULLET.match(line):
            bullet, text = True, start + match.end()
            level = (
                max(passage.depth, 1)
                if first
                else passage.depth + _nesting(indents, len(match.group(1)))
            )
        number = ""
        if match := _COUNT.match(display, text, end):
            # A counted line is a bullet of its own with its number as the sign, under the line that
            # leads in.
            number, text = match.group(1), match.end()
            if not bullet:
                bullet, level = True, passage.depth + 1
        if text < end:
            blocks.append(
                TextBlock(
                    level=level,
                    bullet=bullet,
                    number=number,
                    runs=_runs(annotated, text, end),
                    role=passage.role,
                    style=next(
                        (name for name, words in _STYLES.items() if words.match(display, text)), ""
                    ),
                    passage=passage if first else None,
                )
            )
        start = end + 1
    return blocks


def _nesting(indents: list[int], indent: int) -> int:
    """Return how deep a bullet behind ``indent`` blanks is nested; ``indents``, those of the open
    bullets, are updated.
    """
    while indents and indents[-1] > indent:
        indents.pop()
    if not indents or indents[-1] < indent:
        indents.append(indent)
    return len(indents)


def _runs(annotated: AnnotatedPassage, start: int, end: int) -> list[StyledRun]:
    """Return the display from ``start`` to ``end``, cut wherever a mark, link or symbol begins or
    ends.

    Of overlapping links the first counts. A mark that ends in a symbol has all of it.
    """
    display = annotated.passage.display
    links, last = [], 0
    for link in sorted(annotated.links, key=lambda link: link.span):
        if link.span.start >= last:
            links.append(link)
            last = link.span.end
    spans = [
        *annotated.marks,
        *(link.span for link in links),
        *(symbol.span for symbol in annotated.symbols),
    ]
    cuts = {min(max(cut, start), end) for cut in (start, end, *(c for span in spans for c in span))}
    cuts -= {
        cut for cut in cuts for each in annotated.symbols if each.span.start < cut < each.span.end
    }
    symbols = {symbol.span: symbol for symbol in annotated.symbols}
    runs = []
    for a, b in pairwise(sorted(cuts)):
        symbol = symbols.get(Span(a, b))
        around = (link for link in links if link.span.start <= a and b <= link.span.end)
        runs.append(
            StyledRun(
                text=(symbol.sign or symbol.name) if symbol else display[a:b],
                mark=any(mark.start < b and a < mark.end for mark in annotated.marks),
                link=next(around, None),
                symbol=symbol.name if symbol else "",
            )
        )
    return runs
