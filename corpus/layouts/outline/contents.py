"""Finds tables of contents and printed indexes by their headings, by page numbers after titles, and
by titles that recur in the document; also matches the bookmarks of a file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from corpus import titles
from corpus.blocks import BlockKind, Bookmark
from corpus.languages import any_of
from corpus.layouts.outline.units import LONGEST_HEADING, Unit

_FEWEST = 4  # lines of a table of contents
_GAP = 5  # most units from one line of contents to the next
_OFTEN = 20  # most recurrences of the first title that are tried
_LINES = 2  # most lines of an item
_AGAIN = 0.7  # least share of lines that recur
_FAR = 2  # a heading is fewer pages than this away from its bookmark's page

_HEAD = re.compile(any_of("sections.contents"), re.IGNORECASE)
_INDEX = re.compile(any_of("sections.index"), re.IGNORECASE)
_FIRST_DOT = r"(?<![.·…_])(?<![.·…_]\s)"
_LEADERS = rf"{_FIRST_DOT}(?>(?:[.·…_]\s?){{%s,}})\s*+"
_DOTS = re.compile(_LEADERS % 5 + r"\d{0,4}\s*\Z")
_LEADER = re.compile(_LEADERS % 3 + r"\d{1,4}\s*\Z|\S\s{2,}\d{1,4}\s*\Z|\t\d{1,4}\s*\Z")
_PAGE = re.compile(
    rf"(?:(?<!\s)\s+)?{_LEADERS % 3}(?:\d{{1,4}}|[ivxl]{{1,6}})?\s*\Z"
    r"|(?<!\s)\s{2,}\d{1,4}\s*\Z|\t\d{1,4}\s*\Z|(?<=[^\W\d]) \d{1,3}\s*\Z"
)
_BRACKET_PAGE = re.compile(r"[)”»\"?!] \d{1,3}\s*\Z")  # "Setup (two players) 4"
_PAGES = re.compile(r"\S *\s\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,40}\s*\Z")
_LINKED = re.compile(r"[\s*+\d.-]*\[[^\[\]]+\]\(#[^()\s]*\)[\s.,]*")
_NUMBER = re.compile(r"\A\d{1,3}\s+(?=\D)")
_BOOKMARK_NUMBER = re.compile(r"(?<![\d.])[\d.]*\d[a-z]?[.):]?\s+|[A-Z](?:\.\d+)*[.):]\s+")
_SIGNS = re.compile(r"[\W_]+")


@dataclass(slots=True)
class ContentsLists:
    """The units that are ``listed`` titles of other units, the headings of these lists (``heads``),
    and the level of each title by its key.
    """

    listed: set[int] = field(default_factory=set)
    heads: set[int] = field(default_factory=set)
    levels: dict[str, int] = field(default_factory=dict)


def title_key(text: str) -> str:
    """Return a key to compare the title ``text``, without a page number at its end."""
    return titles.key(_PAGE.sub("", text))


def letters(text: str) -> str:
    """Return a key to compare ``text`` that ignores blanks and punctuation."""
    return _SIGNS.sub("", text.casefold())


def find_contents(units: Sequence[Unit], text: str) -> ContentsLists:
    """Return the tables of contents and the printed index among the ``units`` of ``text``."""
    return _ContentsFinder(units, text).found


class _ContentsFinder:
    def __init__(self, units: Sequence[Unit], text: str):
        self._units = units
        self._texts = [text[unit.span.start : unit.span.end] for unit in units]
        short = [_is_short(unit.text) for unit in units]
        self._keys = [title_key(u.text) if ok else "" for u, ok in zip(units, short, strict=True)]
        # Contents may print another number, "1. Setup" for "Chapter 1: Setup".
        self._bare = [
            title_key(_NUMBER.sub("", unit.name)) or key if ok else ""
            for unit, key, ok in zip(units, self._keys, short, strict=True)
        ]
        self._places = _places(self._keys)
        self._bare_places = _places(self._bare)
        self.found = found = ContentsLists()
        found.listed |= {at for at, u in enumerate(units) if u.block.kind is BlockKind.CONTENTS}
        headed = {at for at, unit in enumerate(units) if _HEAD.fullmatch(unit.text.strip(" :"))}
        for at, unit in enumerate(units):
            if at in found.listed:
                continue
            listed: list[int] = []
            if at in headed and len(unit.text) < 60 and not unit.bullet:
                listed = self._below(at)
            elif _INDEX.fullmatch(unit.text.strip(" :")):
                listed = list(takewhile(self._is_index_item, range(at + 1, len(units))))
                listed = listed if len(listed) >= _FEWEST else []
            if listed:
                found.heads.add(at)
                found.listed.update(listed)
        every = range(len(units))
        found.listed |= _in_runs([at for at in every if self._has_leaders(at)], _FEWEST)
        found.listed |= _in_runs([at for at in every if self._is_linked_line(at)], _FEWEST + 1)
        found.listed |= set(self._between(sorted(found.listed)))
        found.listed |= self._on_cover()
        found.heads |= {at for at in headed if {at + 1, at + 2} & found.listed}
        found.listed -= found.heads
        found.listed |= {
            at
            for at in every[:-1]
            if at + 1 in found.listed and units[at].bullet and self._is_link(at)
        }
        self._set_levels()

    def _below(self, at: int) -> list[int]:
        # The lines below the heading ``at`` that recur after them: up to the recurrence of the
        # first, or else to the first line that was listed or is a sentence.
        units, keys = self._units, self._keys
        first = next((i for i in range(at + 1, min(at + 6, len(units))) if keys[i]), None)
        if first is None:
            return []
        same = self._bare_places[self._bare[first]] if self._bare[first] else []
        start = bisect_left(same, first + _FEWEST)
        for again in reversed(same[start : start + _OFTEN]):
            listed = [i for i in range(first, again) if units[i].block.kind != BlockKind.FURNITURE]
            bare = [self._bare[i] for i in listed]
            back = sum(bool(key) and self._bare_places[key][-1] >= again for key in bare)
            if listed and back >= _AGAIN * len(listed):
                return listed
        end = first
        for i in range(first, len(units)):
            marked = units[i].block.kind is BlockKind.HEADING and units[i].block.level
            places = self._places[keys[i]]
            if not keys[i] or marked or places[-1] == i or first <= places[0] < i:
                break
            end = i + 1
        return list(range(first, end)) if end - first >= _FEWEST else []

    def _on_cover(self) -> set[int]:
        # Numbered lines on a first page without text that recur: the parts of the document.
        page = self._units[0].block.page if self._units else 0
        last = next((at for at, unit in enumerate(self._units) if unit.block.page != page), 0)
        if not page or any(unit.ends_sentence for unit in self._units[:last]):
            return set()
        keys = {at: self._keys[at] for at in range(last) if self._units[at].number}
        return _in_runs([at for at, key in keys.items() if self._places[key][-1] >= last], 2)

    def _is_index_item(self, at: int) -> bool:
        text = self._units[at].text
        return bool(_PAGES.search(text)) or len(text) <= 2  # a letter between index items

    def _between(self, listed: Sequence[int]) -> Iterator[int]:
        # Lines before or between lines of contents that also end with a page number.
        units = self._units

        def is_short(at: int) -> bool:
            return len(units[at].text) <= LONGEST_HEADING

        def is_text(at: int) -> bool:
            ends = units[at].ends_sentence and not units[at].text.endswith(" .")
            return ends or units[at].looks_like_heading

        def is_paged(at: int) -> bool:
            text = units[at].text
            return is_short(at) and bool(_PAGE.search(text) or _BRACKET_PAGE.search(text))

        for one, other in pairwise(listed):
            inner = range(one + 1, other)
            if 1 < other - one <= _GAP and all(map(is_short, inner)):
                same = units[one].block.page == units[other].block.page
                few = other - one <= _LINES or not any(map(is_text, inner))
                yield from (at for at in inner if (same and few) or is_paged(at))
        if listed:
            yield from takewhile(is_paged, range(listed[0] - 1, -1, -1))

    def _has_leaders(self, at: int) -> bool:
        pattern = _DOTS if self._units[at].block.kind is BlockKind.ROW else _LEADER
        text = self._texts[at]
        return len(text) < 4 * LONGEST_HEADING and bool(pattern.search(text))

    def _is_linked_line(self, at: int) -> bool:
        kinds = (BlockKind.ITEM, BlockKind.PARAGRAPH)
        return self._units[at].block.kind in kinds and self._is_link(at)

    def _is_link(self, at: int) -> bool:
        # Whether it is only a link within the document.
        if _LINKED.fullmatch(self._texts[at]):
            return True
        unit = self._units[at]
        links = [link.span for link in unit.block.links if link.target.startswith("#")]
        if not unit.alone or len(links) != 1:
            return False
        return links[0].end - links[0].start >= len(unit.name.rstrip(" .")) - 1

    def _set_levels(self) -> None:
        # By indentation, bullets and list depth, from 1 in each list.
        ranks = {}
        for at in sorted(self.found.listed):
            block = self._units[at].block
            ranks[at] = (self._units[at].bullet, round(block.indent), block.level)
        order = {rank: level for level, rank in enumerate(sorted(set(ranks.values())), 1)}
        for at, rank in ranks.items():
            if self._keys[at]:
                self.found.levels.setdefault(self._keys[at], order[rank])


def _is_short(text: str) -> bool:
    # Whether it may be a title, not counting dot leaders and page number.
    if len(text) > 4 * LONGEST_HEADING:
        return False
    return len(text) <= LONGEST_HEADING + 20 or len(_PAGE.sub("", text)) <= LONGEST_HEADING


def _places(keys: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for at, key in enumerate(keys):
        places[key].append(at)
    return places


def _in_runs(ats: Sequence[int], fewest: int) -> set[int]:
    # The members of ``ats`` (ascending) in runs of at least ``fewest`` with small gaps.
    runs: list[list[int]] = []
    for at in ats:
        if runs and at == runs[-1][-1] + 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return {at for run in runs if len(run) >= fewest for at in run}


def find_bookmarked(
    bookmarks: Sequence[Bookmark], units: Sequence[Unit], free: Sequence[int]
) -> dict[int, int]:
    """Return the level of each unit in ``free`` that a bookmark names: a unit with its title, on or
    near its page.

    One of the two titles may have an additional number. If the title is printed more than once, the
    unit to whose anchor the bookmark leads is chosen, or else the nearest.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for at in free if bookmarks else ():
        text = units[at].text
        if len(text) <= 2 * LONGEST_HEADING:
            without = _BOOKMARK_NUMBER.sub("", text, count=1)
            for key in {letters(text), letters(units[at].name), letters(without)} - {""}:
                places[key].append(at)
    found: dict[int, int] = {}
    for title, level, page, target in bookmarks:
        for key in (letters(title), letters(_BOOKMARK_NUMBER.sub("", title, count=1))):
            near = []
            for at in places.get(key, ()):
                unit = units[at]
                away = abs(unit.block.page - page)
                if at not in found and (not page or not unit.block.page or away < _FAR):
                    marked = unit.block.kind is BlockKind.HEADING
                    other_level = not marked or unit.block.level != level
                    elsewhere = target not in unit.block.anchors
                    near.append((elsewhere, away, other_level, not unit.in_heading_style, at))
            if near:
                found[min(near)[-1]] = level
                break
    return found
