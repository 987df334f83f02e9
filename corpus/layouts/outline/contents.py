"""Tables of contents and printed indexes: found by their headings, by page numbers behind titles,
and because the titles come again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from corpus import titles
from corpus.blocks import BlockKind
from corpus.languages import any_of
from corpus.layouts.outline.units import LONGEST_HEADING, OutlineUnit

_FEWEST = 4  # lines of a table of contents
_GAP = 5  # units from a line of contents to the next, at most
_OFTEN = 20  # places at which the first title may come again
_LINES = 2  # lines at most of an item
_AGAIN = 0.7  # share of its lines that come again
_HEAD = re.compile(any_of("sections.contents"), re.IGNORECASE)
_INDEX = re.compile(any_of("sections.index"), re.IGNORECASE)
_FIRST_DOT = r"(?<![.·…_])(?<![.·…_]\s)"
_PAGE = re.compile(
    rf"(?:(?<!\s)\s+)?{_FIRST_DOT}(?>(?:[.·…_]\s?){{3,}})\s*+(?:\d{{1,4}}|[ivxl]{{1,6}})?\s*\Z"
    r"|(?<!\s)\s{2,}\d{1,4}\s*\Z|\t\d{1,4}\s*\Z|(?<=[^\W\d]) \d{1,3}\s*\Z"
)
_LEADER = re.compile(
    rf"{_FIRST_DOT}(?>(?:[.·…_]\s?){{3,}})\s*+\d{{1,4}}\s*\Z|\S\s{{2,}}\d{{1,4}}\s*\Z|\t\d{{1,4}}\s*\Z"
)
_NUMBER = re.compile(r"\A\d{1,3}\s+(?=\D)")
_DOTS = re.compile(rf"{_FIRST_DOT}(?>(?:[.·…_]\s?){{5,}})\s*+\d{{0,4}}\s*\Z")
_PAGES = re.compile(r"\S *\s\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,40}\s*\Z")


@dataclass(slots=True)
class ContentsLists:
    """The units that ``listed`` titles of others, those that head a list (``heads``), and the level
    of each title, by its key.
    """

    listed: set[int] = field(default_factory=set)
    heads: set[int] = field(default_factory=set)
    levels: dict[str, int] = field(default_factory=dict)


def title_key(text: str) -> str:
    """A key for ``text`` as an item of a table of contents, without the page number at its end."""
    return titles.key(_PAGE.sub("", text))


def find_contents(units: Sequence[OutlineUnit], texts: Sequence[str]) -> ContentsLists:
    """All lists of contents and the printed index; ``texts`` are the units as they stand in the
    document.
    """
    found = ContentsLists()
    found.listed.update(
        at for at, unit in enumerate(units) if unit.block.kind is BlockKind.CONTENTS
    )
    places: dict[str, list[int]] = defaultdict(list)
    keys = [
        title_key(unit.text) if len(unit.text) <= LONGEST_HEADING + 20 else "" for unit in units
    ]
    for at, key in enumerate(keys):
        places[key].append(at)
    bare = _BareTitles(units)
    for at, unit in enumerate(units):
        if at in found.listed:
            continue
        if _HEAD.fullmatch(unit.text.strip(" :")) and len(unit.text) < 60 and not unit.bullet:
            listed = _below(at, units, keys, places, bare)
            if listed:
                found.heads.add(at)
                found.listed.update(listed)
        elif _INDEX.fullmatch(unit.text.strip(" :")):
            listed = list(_index_items(at, units))
            if len(listed) >= _FEWEST:
                found.heads.add(at)
                found.listed.update(listed)
    found.listed.update(_with_leaders(units, texts))
    found.listed.update(_links(units, texts))
    found.listed.update(_between(found.listed, units))
    found.heads.update(
        at
        for at, unit in enumerate(units)
        if _HEAD.fullmatch(unit.text.strip(" :")) and {at + 1, at + 2} & found.listed
    )
    found.listed -= found.heads
    found.listed |= {
        at
        for at in range(len(units) - 1)
        if at + 1 in found.listed and units[at].bullet and _is_link(units[at], texts[at])
    }
    _set_levels(found, units, keys)
    return found


class _BareTitles:
    """Keys of titles without their numbers: contents may print another one, "1. Setup" for "Chapter
    1: Setup".
    """

    def __init__(self, units: Sequence[OutlineUnit]) -> None:
        self._units = units

    @cached_property
    def keys(self) -> list[str]:
        """A key for each unit, "" for one that is too long for a title."""
        return [
            ""
            if len(unit.text) > LONGEST_HEADING + 20
            else title_key(_NUMBER.sub("", unit.name)) or title_key(unit.text)
            for unit in self._units
        ]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The units with each key, in order."""
        found: dict[str, list[int]] = defaultdict(list)
        for at, key in enumerate(self.keys):
            found[key].append(at)
        return found


def _below(
    at: int,
    units: Sequence[OutlineUnit],
    keys: list[str],
    places: dict[str, list[int]],
    bare: _BareTitles,
) -> list[int]:
    """The lines below the heading ``at`` that come again after them; [] if they are no table of
    contents.

    They end where the first of them comes again, else before the first line that has been listed or
    is a sentence.
    """
    first = next((i for i in range(at + 1, min(at + 6, len(units))) if keys[i]), None)
    if first is None:
        return []
    title = bare.keys[first]
    same = bare.places[title] if title else []
    start = bisect_left(same, first + _FEWEST)
    for again in reversed(same[start : start + _OFTEN]):
        listed = [i for i in range(first, again) if units[i].block.kind is not BlockKind.FURNITURE]
        back = sum(1 for i in listed if bare.keys[i] and bare.places[bare.keys[i]][-1] >= again)
        if listed and back >= _AGAIN * len(listed):
            return listed
    end = first
    for i in range(first, len(units)):
        if not keys[i] or (units[i].block.kind is BlockKind.HEADING and units[i].block.level):
            break
        if places[keys[i]][-1] == i or first <= places[keys[i]][0] < i:
            break
        end = i + 1
    return list(range(first, end)) if end - first >= _FEWEST else []


def _index_items(at: int, units: Sequence[OutlineUnit]) -> Iterator[int]:
    """The lines below the heading ``at`` that end with page numbers, and single letters between
    them.
    """
    for i in range(at + 1, len(units)):
        if not (_PAGES.search(units[i].text) or len(units[i].text) <= 2):
            return
        yield i


def _between(listed: set[int], units: Sequence[OutlineUnit]) -> Iterator[int]:
    """Lines that stand between lines of contents, or before the first one, and end with the number
    of a page too.
    """
    order = sorted(listed)
    for one, other in pairwise(order):
        if 1 < other - one <= _GAP and all(
            len(units[i].text) <= LONGEST_HEADING for i in range(one + 1, other)
        ):
            few = other - one <= _LINES and units[one].block.page == units[other].block.page
            yield from (i for i in range(one + 1, other) if few or _PAGE.search(units[i].text))
    for at in order[:1]:
        while (
            at and _PAGE.search(units[at - 1].text) and len(units[at - 1].text) <= LONGEST_HEADING
        ):
            at -= 1
            yield at


def _with_leaders(units: Sequence[OutlineUnit], texts: Sequence[str]) -> Iterator[int]:
    """Lines that end with dots or a gap and a page number, where several come together."""
    run: list[int] = []
    for at, text in enumerate(texts):
        if len(text) < 4 * LONGEST_HEADING and (
            _DOTS if units[at].block.kind is BlockKind.ROW else _LEADER
        ).search(text):
            run.append(at)
            continue
        if len(run) >= _FEWEST:
            yield from run
        run = []
    if len(run) >= _FEWEST:
        yield from run


_LINKED = re.compile(r"[\s*+\d.-]*\[[^\[\]]+\]\(#[^()\s]*\)[\s.,]*")


def _links(units: Sequence[OutlineUnit], texts: Sequence[str]) -> Iterator[int]:
    """Lines that are nothing but a link within the document, where several come together."""
    run: list[int] = []
    for at in range(len(units) + 1):
        if (
            at < len(units)
            and units[at].block.kind in (BlockKind.ITEM, BlockKind.PARAGRAPH)
            and _is_link(units[at], texts[at])
        ):
            run.append(at)
            continue
        if len(run) > _FEWEST:
            yield from run
        run = []


def _is_link(unit: OutlineUnit, text: str) -> bool:
    if _LINKED.fullmatch(text):
        return True
    links = [link for link in unit.block.links if link.target.startswith("#")]
    return (
        unit.alone
        and len(links) == 1
        and links[0].span.end - links[0].span.start >= len(unit.name.rstrip(" .")) - 1
    )


def _set_levels(found: ContentsLists, units: Sequence[OutlineUnit], keys: list[str]) -> None:
    """Set the level of each title: by indentation, bullets and depth of lists, 1 for the outermost
    of its list.
    """
    ranks = {
        at: (units[at].bullet, round(units[at].block.indent), units[at].block.level)
        for at in found.listed
    }
    order = {rank: level for level, rank in enumerate(sorted(set(ranks.values())), 1)}
    for at in sorted(found.listed):
        if keys[at]:
            found.levels.setdefault(keys[at], order[ranks[at]])
