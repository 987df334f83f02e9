"""Passages as a page shows them: paragraphs and nested bullets as printed, with marks and links in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from corpus.model import Passage, Role, Span

_BULLET = re.compile(r"([ \t]*)•\s+")
_COUNT = re.compile(r"(\(?(?:\d{1,2}[a-z]?|[a-z])[.)]{1,2})\s+(?=\S)")
_MANNERS = {
    "question": re.compile(r"(?:F|D|Q)\s*:\s"),
    "example": re.compile(r"(?:Beispiele?|Esempio|Esempi|Per esempio|Example)\b[^:.\n]{0,12}[:.]"),
}


@dataclass(frozen=True, slots=True)
class TextLink:
    """A place in a passage's display that leads somewhere, and a remark about it."""

    span: Span
    to: str
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class TextRun:
    """A stretch of text that looks the same throughout."""

    text: str
    mark: bool = False
    link: TextLink | None = None


@dataclass
class TextBlock:
    """A paragraph, or a bullet with what is inside it.

    ``sign`` is the number or letter a bullet is counted with; ``manner`` is "question" or "example" where its
    first words say so, else empty; ``passage`` is set where a passage begins.
    """

    level: int
    bullet: bool
    number: str
    runs: list[TextRun]
    role: Role
    style: str = ""
    passage: Passage | None = None
    children: list[TextBlock] = field(default_factory=list)


@dataclass(frozen=True)
class AnnotatedPassage:
    """A passage with the spans of its display that are marked, and those that lead somewhere."""

    passage: Passage
    marks: Sequence[Span] = ()
    links: Sequence[TextLink] = ()


def text_blocks(passages: Iterable[AnnotatedPassage]) -> list[TextBlock]:
    """The passages one after the other, bullets inside the bullets and paragraphs they stand under."""
    top: list[TextBlock] = []
    open_: list[TextBlock] = []
    for marked in passages:
        for block in _lines(marked):
            while open_ and (open_[-1].level > block.level or (block.bullet and open_[-1].level == block.level)):
                open_.pop()
            (open_[-1].children if open_ else top).append(block)
            if block.bullet:
                open_.append(block)
    return top


def _lines(marked: AnnotatedPassage) -> list[TextBlock]:
    """One block for every line of a passage's display, not nested yet."""
    passage, display = marked.passage, marked.passage.display
    found: list[TextBlock] = []
    indents: list[int] = []
    start = 0
    for line in display.split("\n"):
        end = start + len(line)
        first, level, bullet = not found, passage.depth, passage.depth > 0 and not found
        text = start + len(line) - len(line.lstrip())
        if match := _BULLET.match(line):
            bullet, text = True, start + match.end()
            if not first:
                indent = len(match.group(1))
                while indents and indents[-1] > indent:
                    indents.pop()
                if not indents or indents[-1] < indent:
                    indents.append(indent)
                level = passage.depth + len(indents)
            else:
                level = max(passage.depth, 1)
        sign = ""
        if match := _COUNT.match(display, text, end):
            # A counted line is a bullet of its own: beside its sign, under the line that leads in.
            sign, text = match.group(1), match.end()
            if not bullet:
                bullet, level = True, passage.depth + 1
        if text < end:
            runs = _runs(marked, text, end)
            manner = next((name for name, words in _MANNERS.items() if words.match(display, text)), "")
            found.append(TextBlock(level, bullet, sign, runs, passage.role, manner, passage if first else None))
        start = end + 1
    return found


def _runs(marked: AnnotatedPassage, start: int, end: int) -> list[TextRun]:
    """Display from ``start`` to ``end``, cut wherever a mark or link begins or ends; of links that overlap, the first."""
    display, links, last = marked.passage.display, [], 0
    for link in sorted(marked.links, key=lambda link: link.span):
        if link.span.start >= last:
            links.append(link)
            last = link.span.end
    cuts = {start, end}
    for a, b in [*marked.marks, *(link.span for link in links)]:
        cuts |= {min(max(a, start), end), min(max(b, start), end)}
    bounds = sorted(cuts)
    return [
        TextRun(
            display[a:b],
            any(m.start <= a and b <= m.end for m in marked.marks),
            next((link for link in links if link.span.start <= a and b <= link.span.end), None),
        )
        for a, b in pairwise(bounds)
    ]
