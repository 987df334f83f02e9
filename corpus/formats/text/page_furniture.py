"""Running heads and page numbers in plain text, told by form feeds, by repetition, and by numbers
that count the pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from corpus.formats.text.source_lines import SourceLine
from corpus.languages import any_of

_EDGE = 2  # lines at the top and the bottom of a page that can be furniture
_LEAST = 3  # pages
_LEAST_HEADS = 8  # running heads with the numbers of their pages
_STARTS = 30  # lines with one of which they may begin
_MISSING = 3  # pages that may have none, and the next one
_HEAD = re.compile(r"(?P<first>\d{1,4})\s\D.{2,}|.{2,}\D\s(?P<last>\d{1,4})")
_SHARE = 0.1  # of the pages that repeat a running head
_NUMBER = re.compile(
    rf"[-–—|\[(]?\s?(?:{any_of('references.page')}\s?)?(\d{{1,4}})(?:\s?(?:/|\||{any_of('references.of_pages')})\s?\d{{1,4}})?\s?[-–—|\])]?",
    re.IGNORECASE,
)


def page_furniture(lines: Sequence[SourceLine]) -> set[int]:
    """The numbers, from 0, of those of ``lines`` that are running heads, footers and page
    numbers.
    """
    return _repeated(lines) | _page_numbers(lines) | _numbered_heads(lines)


def _numbered_heads(lines: Sequence[SourceLine]) -> set[int]:
    """Lines in capitals with a number at an edge that counts the pages: "12 CHAPTER 1. BOATS",
    "1.2. SAILS 13".
    """
    found: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        if line.text.isupper() and len(line.text) <= 150 and (match := _HEAD.fullmatch(line.text)):
            found.append((at, int(match["first"] or match["last"])))
    best: list[int] = []
    for start in range(min(len(found), _STARTS)):
        chain, last = [found[start][0]], found[start][1]
        for at, page in found[start + 1 :]:
            if last < page <= last + _MISSING:
                chain.append(at)
                last = page
        best = max(best, chain, key=len)
    return set(best) if len(best) >= _LEAST_HEADS else set()


def _repeated(lines: Sequence[SourceLine]) -> set[int]:
    """Lines at the edges of pages that other pages have there too, but for their numbers."""
    if not lines or lines[-1].page < _LEAST:
        return set()
    pages: dict[int, list[int]] = {}
    for at, line in enumerate(lines):
        if line.text:
            pages.setdefault(line.page, []).append(at)
    edges = [
        at
        for page in pages.values()
        for at in {*page[:_EDGE], *page[-_EDGE:]}
        if len(lines[at].text) <= 150
    ]
    keys = {at: re.sub(r"\d+", "#", lines[at].text.casefold()) for at in edges}
    counts = Counter(keys.values())
    return {at for at, key in keys.items() if counts[key] >= max(_LEAST, _SHARE * len(pages))}


def _page_numbers(lines: Sequence[SourceLine]) -> set[int]:
    """Lines that only have a number, between empty lines, each one more than the one before."""
    found: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        if (
            0 < len(line.text) <= 30
            and _isolated(lines, at)
            and (match := _NUMBER.fullmatch(line.text))
        ):
            found.append((at, int(match.group(1))))
    best: list[int] = []
    chain: list[int] = []
    last = -1
    for at, number in found:
        if number != last + 1:
            chain = []
        chain.append(at)
        last = number
        if len(chain) > len(best):
            best = chain
    return set(best) if len(best) > _LEAST else set()


def _isolated(lines: Sequence[SourceLine], at: int) -> bool:
    return (at == 0 or not lines[at - 1].text) and (at + 1 == len(lines) or not lines[at + 1].text)
