"""Reads the index printed at the end of a rulebook: names with page numbers, several in a line or
one over several lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from corpus.draft import DraftPassage
from corpus.layouts.capitals.blocks import CapitalsBlock
from corpus.model import Corrections, Fault, IndexItem, Role, Span

_PAGES = re.compile(r"(?<![\w(#/])\d{1,4}(?:\s*[,–-]\s*\d{1,4}\b|\s+\d{1,4}\b)*(?![\w)/])")
_BOLD = re.compile(r"\*\*(\w[^*\n]{0,80})\*\*")


def looks_like_index(blocks: list[CapitalsBlock]) -> bool:
    """Whether at least half of the lines at the beginning of ``blocks`` are names followed by a
    page number.
    """
    lines = [line.text for block in blocks[:12] for line in block.lines if not is_letter(line.text)]
    return bool(lines) and 2 * sum(
        bool(re.fullmatch(r"[\W\d_]*+[^\W\d_].*\s\d{1,4}\s*", text[-60:])) for text in lines
    ) >= len(lines)


def is_letter(text: str) -> bool:
    """Whether ``text`` is a single letter, which heads a part of the index."""
    return len(text.strip()) == 1


def passages(blocks: list[CapitalsBlock]) -> list[DraftPassage]:
    """The blocks of an index or a table of contents as passages; a letter and the items below it
    are one passage.
    """
    passages: list[DraftPassage] = []
    letter = False
    for block in blocks:
        span = Span(block.lines[0].start, block.lines[-1].end)
        if letter and passages:
            passages[-1].spans[-1] = Span(passages[-1].spans[-1].start, span.end)
        else:
            passages.append(DraftPassage([span], Role.LISTING))
        letter = len(block.lines) == 1 and is_letter(block.first)
    return passages


def read_items(blocks: list[CapitalsBlock], corrections: Corrections) -> list[IndexItem]:
    """The items of a printed index in document order; corrections of misread items are applied."""
    found: list[IndexItem] = []
    for block in blocks:
        lines = [line for line in block.lines if not is_letter(line.text)]
        starts, text = [], ""
        for line in lines:
            starts.append(len(text))
            misread = corrections.at(line.number, Fault.PAGE)
            printed = (
                line.text.replace(misread.printed, str(misread.meant), 1)
                if misread and misread.meant is not None
                else line.text
            )
            text += printed + "\n"
        last = 0
        for match in _PAGES.finditer(text):
            name = text[last : match.start()]
            start = last + len(name) - len(name.lstrip())
            last = match.end()
            name = _BOLD.sub(r"\1", " ".join(name.split())).strip(" ,;…")
            name = name.rstrip(". ") if name.endswith((". .", "..")) else name
            if any(c.isalpha() for c in name):
                number = lines[bisect_right(starts, start) - 1].number
                found.append(
                    IndexItem(
                        number, name, tuple(int(page) for page in re.findall(r"\d+", match.group()))
                    )
                )
    return found
