"""Tables of contents in text without links: lines with page numbers, and runs of lines that all
stand again further down.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpus.formats.text.list_marks import list_mark
from corpus.formats.text.source_lines import SourceLine
from corpus.languages import any_of

_LONGEST = 120  # characters of a line of a table of contents
_LEAST = 5  # lines
_PAGED = 3  # lines with page numbers
_GAP = 8  # lines within the contents that no line further down repeats
_FIRST = 3  # lines of the contents with which the text behind it may begin
_SHARE = 0.7  # least share of the lines that stand again further down
_ORDERED = 0.8  # least share of them in the same order
_EARLY, _EARLY_SHARE = (
    20,
    0.1,
)  # lines, and share of all lines, before a table of contents without a heading
_ADJACENT = 0.5  # most of them with nothing between them
_SPREAD = 3  # how many times as long as the contents what they list is at least
_PAGE = re.compile(
    r"(?P<title>\S.{0,100}?)(?:\s?(?:\.\s?){3,100}+|\s?…++\s?|\s?_{3,100}+\s?|\s{3,80}+|\t\s{0,20}+)(?P<page>\d{1,4}|[ivxlc]{1,7})"
)
_HEADING = re.compile(any_of("sections.contents"), re.IGNORECASE)


def contents_lines(lines: Sequence[SourceLine]) -> set[int]:
    """The numbers, from 0, of those of ``lines`` that are a table of contents, without its
    heading.
    """
    printed = [at for at, line in enumerate(lines) if line.text]
    return _paged(lines, printed) | _recurring(lines, printed)


def _paged(lines: Sequence[SourceLine], printed: Sequence[int]) -> set[int]:
    """Runs of lines that end with ascending page numbers behind dots or blanks."""
    found: set[int] = set()
    run: list[int] = []
    last = -1
    for at in [*printed, -1]:
        match = (
            _PAGE.fullmatch(lines[at].text)
            if at >= 0 and len(lines[at].text) <= 2 * _LONGEST
            else None
        )
        page = int(match["page"]) if match and match["page"].isdigit() else last if match else -1
        if match is None or page < last:
            found |= set(run) if len(run) >= _PAGED else set()
            run, last = [], -1
        if match is not None:
            run.append(at)
            last = page
    return found


def _key(text: str) -> str:
    """``text`` without signs, bullets and the page number at its end."""
    if match := _PAGE.fullmatch(text):
        text = match["title"]
    mark = list_mark(text)
    if mark is not None and not mark.numbered:
        text = text[mark.end :]
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def _recurring(lines: Sequence[SourceLine], printed: Sequence[int]) -> set[int]:
    """Runs of lines that stand again further down, in the same order and with more between them."""
    keys = [_key(lines[at].text) if len(lines[at].text) <= _LONGEST else "" for at in printed]
    places: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        for each in {key, _key(lines[printed[at]].text.partition(" (")[0]) if key else ""} - {""}:
            places.setdefault(each, []).append(at)
    found: set[int] = set()
    for start, end in _runs(keys, places):
        early = start <= max(_EARLY, _EARLY_SHARE * len(keys))
        headed = any(
            _HEADING.fullmatch(keys[at]) for at in range(max(start - 2, 0), min(start + 2, end))
        )
        if (early or headed) and _lists_what_follows(keys, places, start, end):
            found |= {printed[at] for at in range(start, end)}
    return found


def _runs(keys: Sequence[str], places: dict[str, list[int]]) -> Iterator[tuple[int, int]]:
    """Every longest run of short lines that stand again further down, with few others among them,
    up to where the first ones return.
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
    keys: Sequence[str], places: dict[str, list[int]], start: int, end: int
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
    ordered = sum(a < b for a, b in pairwise(targets))
    if sum(b == a + 1 for a, b in pairwise(targets)) > _ADJACENT * len(targets):
        return False  # a text that stands there twice
    return ordered >= _ORDERED * (len(targets) - 1) and max(targets) - min(targets) >= _SPREAD * (
        end - start
    )
