"""Finds tables of contents: links to the headings that follow, lines with page numbers, and runs of
lines that are repeated further down as headings.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from urllib.parse import unquote

from corpus.blocks import Block, BlockKind
from corpus.formats.lines import SourceLine, list_mark
from corpus.languages import any_of

_CANDIDATES = {BlockKind.ITEM, BlockKind.PARAGRAPH, BlockKind.ROW}
_LINKS = 3  # at least; a sentence may have fewer
_LINKED = 0.8  # least share of a line's letters that are links
_LINKS_ORDERED = 0.9  # least share of links that lead further down than the link before
_DENSE = 0.5  # least share of headings, between its first and its last, that it lists

_LONGEST = 120  # characters of a line of a printed table of contents
_LEAST = 5  # lines
_PAGED = 3  # lines with page numbers
_GAP = 8  # most consecutive lines within the contents that are not repeated further down
_FIRST = 3  # the text after the contents may begin with one of so many first lines
_SHARE = 0.7  # least share of lines that are repeated further down
_ORDERED = 0.8  # least share of these in the same order
_EARLY = 20  # lines before a table of contents without a heading
_EARLY_SHARE = 0.1  # the same as a share of all lines
_ADJACENT = 0.5  # highest share of repeated lines without other lines between them
_SPREAD = 3  # the listed text is at least so many times as long as the contents
_PAGE = re.compile(
    r"(?P<title>\S.{0,100}?)"
    r"(?:\s?(?:\.\s?){3,100}+|\s?…++\s?|\s?_{3,100}+\s?|\s{3,80}+|\t\s{0,20}+)"
    r"(?P<page>\d{1,4}|[ivxlc]{1,7})"
)
_HEADING = re.compile(any_of("sections.contents"), re.IGNORECASE)


def mark_contents(blocks: Sequence[Block], text: str) -> tuple[Block, ...]:
    """Return ``blocks`` with the lines of a linked table of contents marked as
    `BlockKind.CONTENTS`.

    A list of references ("see also") does not count, because it names few of the headings between
    its first and its last target.
    """
    found = list(blocks)
    positions = [at for at, block in enumerate(found) if block.kind is BlockKind.HEADING]
    headings = {anchor: at for at in reversed(positions) for anchor in found[at].anchors}
    if not headings:
        return tuple(found)
    start, targets = 0, list[int]()
    for at, block in enumerate([*blocks, None]):
        led = _linked_headings(block, text, headings) if block is not None else []
        if led:
            start = start if targets else at
            targets += led
        elif targets:
            if _explains(targets, positions, found, at):
                found[start:at] = [
                    replace(each, kind=BlockKind.CONTENTS) for each in found[start:at]
                ]
            targets = []
    return tuple(found)


def _linked_headings(block: Block, text: str, headings: Mapping[str, int]) -> list[int]:
    """Return the indices of the headings to which ``block`` links, [] if it has other text."""
    if block.kind not in _CANDIDATES or not block.links:
        return []
    led = [
        (link.span, headings[name])
        for link in block.links
        if (name := unquote(link.target.removeprefix("#"))) in headings
    ]
    letters = sum(map(str.isalpha, text[block.span.start + len(block.mark) : block.span.end]))
    linked = sum(map(str.isalpha, "".join(text[a:b] for (a, b), _ in led)))
    return [at for _, at in led] if linked >= _LINKED * letters else []


def _explains(
    targets: Sequence[int], positions: list[int], blocks: Sequence[Block], end: int
) -> bool:
    """Return whether ``targets``, indices of linked headings, fit a table of contents that ends
    before block ``end``.
    """
    if len(targets) < _LINKS or targets[0] < end:
        return False
    if sum(a <= b for a, b in pairwise(targets)) < _LINKS_ORDERED * (len(targets) - 1):
        return False
    deepest = max(blocks[at].level for at in targets)
    first, last = bisect_left(positions, min(targets)), bisect_right(positions, max(targets))
    named = sum(blocks[at].level <= deepest for at in positions[first:last])
    return len(set(targets)) >= _DENSE * named


def contents_lines(lines: Sequence[SourceLine]) -> set[int]:
    """Return the indices of the ``lines`` of a printed table of contents, without its heading."""
    printed = [at for at, line in enumerate(lines) if line.text]
    return _paged(lines, printed) | _recurring(lines, printed)


def _paged(lines: Sequence[SourceLine], printed: Sequence[int]) -> set[int]:
    found: set[int] = set()
    run: list[int] = []
    last = -1
    for at in [*printed, -1]:
        text = lines[at].text if at >= 0 else ""
        match = _PAGE.fullmatch(text) if len(text) <= 2 * _LONGEST else None
        page = int(match["page"]) if match and match["page"].isdigit() else last if match else -1
        if match is None or page < last:
            if len(run) >= _PAGED:
                found |= set(run)
            run, last = [], -1
        if match is not None:
            run.append(at)
            last = page
    return found


def _key(text: str) -> str:
    if match := _PAGE.fullmatch(text):
        text = match["title"]
    mark = list_mark(text)
    if mark is not None and not mark.numbered:
        text = text[mark.end :]
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def _recurring(lines: Sequence[SourceLine], printed: Sequence[int]) -> set[int]:
    """Return the lines of contents without page numbers: runs of lines that are repeated further
    down, in the same order and with more text between them.
    """
    keys = [_key(lines[at].text) if len(lines[at].text) <= _LONGEST else "" for at in printed]
    places: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        for each in {key, _key(lines[printed[at]].text.partition(" (")[0]) if key else ""} - {""}:
            places.setdefault(each, []).append(at)
    found: set[int] = set()
    for start, end in _repeated_runs(keys, places):
        early = start <= max(_EARLY, _EARLY_SHARE * len(keys))
        headed = any(map(_HEADING.fullmatch, keys[max(start - 2, 0) : min(start + 2, end)]))
        if (early or headed) and _lists_what_follows(keys, places, start, end):
            found |= {printed[at] for at in range(start, end)}
    return found


def _repeated_runs(
    keys: Sequence[str], places: Mapping[str, list[int]]
) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each run of short lines of which most are repeated further down; a run
    ends where the first lines are repeated.
    """
    at = 0
    while at < len(keys):
        first: list[str] = []
        end, place = at, at
        while (
            place < len(keys) and place - end <= _GAP and keys[place] and keys[place] not in first
        ):
            if places[keys[place]][-1] > place:
                end = place + 1
                if len(first) < _FIRST:
                    first.append(keys[place])
            elif end == at:
                break
            place += 1
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _lists_what_follows(
    keys: Sequence[str], places: Mapping[str, list[int]], start: int, end: int
) -> bool:
    if end - start < _LEAST:
        return False
    targets = [
        places[key][following]
        for key in keys[start:end]
        if key and (following := bisect_right(places[key], end - 1)) < len(places[key])
    ]
    if len(targets) < max(_LEAST, _SHARE * (end - start)):
        return False
    if sum(b == a + 1 for a, b in pairwise(targets)) > _ADJACENT * len(targets):
        return False  # a text that is printed twice
    ordered = sum(a < b for a, b in pairwise(targets))
    spread = max(targets) - min(targets)
    return ordered >= _ORDERED * (len(targets) - 1) and spread >= _SPREAD * (end - start)
