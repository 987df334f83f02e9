"""Parses the lines of passages in the capitals layout: indentation, bullets, list number and
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.document import Line
from corpus.draft import DraftRulebook
from corpus.layouts.capitals.blocks import CapitalsBlock
from corpus.model import Furniture, Span

_SIGNS = re.compile(r"([ \t]*)((?:[-–•▪●*➤►▶>✦»][ \t]+)*)")
_INNER = re.compile(r"[-–•*][ \t]+[➤►▶>✦»]")
_MARK = re.compile(r"\*{0,3}(\d{1,2}|[a-l])[.)](?!\s?\w\.)\*{0,3}(?=[\s*])")
_SENTENCE = re.compile(r"[.!?][\"”“»)*_]{0,4}(?:\s|$)")


@dataclass(frozen=True)
class CapitalsLine:
    """A line of text below a heading, parsed.

    ``source`` is the line of the document, ``after_blank`` whether a blank line is above it,
    ``indent`` its indentation in columns. ``bullets`` are the bullets at its beginning, ``start``
    the offset in the document behind them, ``text`` the text from there on. ``mark`` is the number
    or letter of a list item ("3", "b").
    """

    source: Line
    after_blank: bool
    indent: int
    bullets: str
    start: int
    text: str
    mark: str | None

    @property
    def is_item(self) -> bool:
        """Whether it begins an item of a list."""
        return bool(self.bullets or self.mark)

    @property
    def first_letter(self) -> str:
        """The first character of the text behind signs of emphasis and quotation marks."""
        return self.text.lstrip('*_"„“»«([')[:1]

    @property
    def has_inner_bullet(self) -> bool:
        """Whether it begins with a bullet inside a bullet ("- ➤")."""
        return _INNER.search(self.bullets) is not None

    @property
    def is_sentence(self) -> bool:
        """Whether it contains the end of a sentence, so that it is more than a name."""
        mark = _MARK.match(self.text)
        return _SENTENCE.search(self.text, mark.end() if mark else 0) is not None


def read_lines(body: list[CapitalsBlock], rulebook: DraftRulebook) -> Iterator[CapitalsLine]:
    """Parse the lines of ``body``; page numbers and ornamental rules become furniture of
    ``rulebook``.
    """
    previous: CapitalsLine | None = None
    for block in body:
        number = (
            len(block.lines) == 1
            and block.first.strip().isdigit()
            and len(block.first.strip()) <= 3
        )
        if number or not any(c.isalnum() for line in block.lines for c in line.text):
            why = "page number" if number else "rule or figure"
            rulebook.furniture += [
                Furniture(Span(line.start, line.end), why) for line in block.lines
            ]
            continue
        for position, line in enumerate(block.lines):
            previous = _read_line(line, position == 0, previous)
            yield previous


def _read_line(line: Line, opens: bool, before: CapitalsLine | None) -> CapitalsLine:
    signs = _SIGNS.match(line.text)
    assert signs is not None  # the pattern also matches the empty string
    text = line.text[signs.end() :]
    mark = _MARK.match(text)
    if mark and not (signs.group(2) or opens or (before and before.mark)):
        mark = None  # a number inside a sentence, after a line break
    indent = len(signs.group(1).expandtabs(4)) + line.indent
    return CapitalsLine(
        source=line,
        after_blank=opens,
        indent=indent,
        bullets=signs.group(2),
        start=line.start + signs.end(),
        text=text,
        mark=mark.group(1) if mark else None,
    )
