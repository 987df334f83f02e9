"""Splits sheets that show two pages each. The pages are ordered by their printed numbers, or,
without numbers, so that sentences continue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from corpus.formats.pdf.lines import Row, Segment, line, rows
from corpus.formats.pdf.paragraphs import begins_small, ends_sentence

_LANDSCAPE = 1.15  # width to height of a sheet with two pages, at least
_FOLD = 0.01  # share of the sheet's width in the middle that no text crosses
_CROSSING = 0.03  # highest share of segments that do, such as titles over both pages
_OUTER = 2  # rows at the top and at the bottom of a page that may have its number
_ALONE = re.compile(r"\W*(?:[^\W\d_]{1,6}\.?\s)?(\d{1,3})\W*")  # "– 4 –", "Seite 4"
_AT_EDGE = re.compile(r"(\d{1,3})\s\D++|\D{1,100}\s(\d{1,3})")
_NUMBERED = re.compile(r"(\d{1,3})[.)]?\s+\S")
_UNNUMBERED = -1_000_000


@dataclass
class Leaf:
    """One page on a ``sheet`` (counted from 1): its ``left`` edge there, and its segments.

    ``printed`` is its printed page number; ``number_rows`` are the rows that contain only this.
    """

    sheet: int
    left: float
    parts: list[Segment]
    printed: int | None = None
    number_rows: list[Row] = field(default_factory=list)


class _Page:
    """A leaf with its text by rows, and the numbers at its edges, each with the rows that contain
    only the number.
    """

    def __init__(self, leaf: Leaf):
        self.leaf = leaf
        found = rows(leaf.parts)
        texts = [" ".join(line([part], leaf.sheet).text for part in row) for row in found]
        self.numbers: dict[int, list[Row]] = {}
        for at in {*range(len(found))[:_OUTER], *range(len(found))[-_OUTER:]}:
            alone = _ALONE.fullmatch(texts[at])
            if match := alone or _AT_EDGE.fullmatch(texts[at]):
                number = int(next(filter(None, match.groups())))
                self.numbers.setdefault(number, []).extend([found[at]] if alone else [])
        own = {id(row) for each in self.numbers.values() for row in each}
        self.texts = [text for row, text in zip(found, texts, strict=True) if id(row) not in own]
        self.largest = max((part.size for part in leaf.parts), default=0.0)


def may_be_spread(width: float, height: float) -> bool:
    """Return whether a sheet of this size can have two pages side by side."""
    return width >= _LANDSCAPE * height


def in_order(sheets: Sequence[tuple[float, float, list[Segment]]]) -> list[Leaf] | None:
    """Return the pages on ``sheets`` (width, height, segments) in reading order, or None if the
    sheets do not have two pages each.
    """
    pages: list[_Page] = []
    for number, (width, height, parts) in enumerate(sheets, 1):
        halves = _halves(width, height, parts)
        for at, half in enumerate(halves or [parts]):
            pages.append(_Page(Leaf(number, at * width / 2, half)))
    if len(pages) == len(sheets):
        return None
    best: tuple[int, int] = (_UNNUMBERED, 0)
    order, first = pages, _UNNUMBERED
    for tried in _orders(pages, len(sheets)):
        differences = Counter(n - at for at, page in enumerate(tried) for n in page.numbers)
        likely, count = max(
            differences.items(), key=lambda pair: (pair[1], pair[0]), default=(0, 0)
        )
        if count < 2:
            likely, count = _UNNUMBERED, 0
        # No page with text has a number below 1.
        below = sum(likely + at < 1 for at, page in enumerate(tried) if count and page.texts)
        if (score := (count - below, _flow(tried))) > best:
            best, order, first = score, tried, likely
    for at, page in enumerate(order):
        if (rows_of_number := page.numbers.get(first + at)) is not None:
            page.leaf.printed, page.leaf.number_rows = first + at, rows_of_number
    numbered = Counter(page.leaf.sheet for page in pages if page.leaf.printed is not None)
    if order is pages and max(numbered.values(), default=0) < 2:
        return None  # columns
    return [page.leaf for page in order]


def _halves(width: float, height: float, parts: Sequence[Segment]) -> list[list[Segment]] | None:
    if not may_be_spread(width, height) or not parts:
        return None
    middle, fold = width / 2, _FOLD * width
    crossing = sum(part.left < middle - fold and part.right > middle + fold for part in parts)
    if crossing > _CROSSING * len(parts):
        return None
    left = [part for part in parts if (part.left + part.right) / 2 < middle]
    return [left, [part for part in parts if (part.left + part.right) / 2 >= middle]]


def _orders(pages: list[_Page], sheets: int) -> list[list[_Page]]:
    """Return the possible orders of ``pages``: as they are; as in a booklet of nested sheets; with
    the last page first; by their numbers.
    """
    found, count = [pages], len(pages)
    if count == 2 * sheets:
        booklet = list(pages)
        for at, page in enumerate(pages):
            sheet, right = divmod(at, 2)
            booklet[sheet if right != sheet % 2 else count - 1 - sheet] = page
        found += [booklet, [*pages[1:], pages[0]]]
    if all(len(page.numbers) == 1 for page in pages):
        found.append(sorted(pages, key=lambda page: min(page.numbers)))
    return found


def _flow(pages: Sequence[_Page]) -> int:
    """Return a score for the order of ``pages``: sentences and list numbers continue, and the
    largest letters are on the first page.
    """
    score = int(pages[0].largest > max(page.largest for page in pages[1:]))
    for one, other in pairwise(pages):
        if not one.texts or not other.texts:
            continue
        score += 2 * (begins_small(other.texts[0]) and not ends_sentence(one.texts[-1]))
        before, after = (
            [int(match.group(1)) for text in each.texts if (match := _NUMBERED.match(text))]
            for each in (one, other)
        )
        score += bool(before and after and after[0] == before[-1] + 1)
    return score
