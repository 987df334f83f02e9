"""Which units the bookmarks of a file lead to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from corpus.blocks import Bookmark
from corpus.layouts.outline.units import LONGEST_HEADING, OutlineUnit

_FAR = 2  # pages between a bookmark and its heading, at most one
_SIGNS = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"(?<![\d.])[\d.]*\d[a-z]?[.):]?\s+|[A-Z](?:\.\d+)*[.):]\s+")


def letters(text: str) -> str:
    """A key for ``text`` that tells neither blanks nor signs: its letters and digits in lower
    case.
    """
    return _SIGNS.sub("", text.casefold())


def bookmarked(
    bookmarks: Sequence[Bookmark], units: Sequence[OutlineUnit], free: Sequence[int]
) -> dict[int, int]:
    """The level of each of the ``units`` in ``free`` that a bookmark names: one with its title on
    its page, or near it.

    A number before the title may stand only in one of them. Where the title is printed more than
    once, the one that the bookmark leads to by its anchor is meant, else heads of its page come
    first.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for at in free if bookmarks else ():
        if len(units[at].text) <= 2 * LONGEST_HEADING:
            for key in {
                letters(units[at].text),
                letters(units[at].name),
                letters(_NUMBER.sub("", units[at].text, count=1)),
            } - {""}:
                places[key].append(at)
    found: dict[int, int] = {}
    for bookmark in bookmarks:
        keys = dict.fromkeys(
            (letters(bookmark.title), letters(_NUMBER.sub("", bookmark.title, count=1)))
        )
        for key in keys:
            near = [
                at
                for at in places.get(key, ())
                if at not in found and _is_near(units[at], bookmark)
            ]
            near = [at for at in near if bookmark.target in units[at].block.anchors] or near
            if near:
                best = min(near, key=lambda at: (*_distance(units[at], bookmark), at))
                found[best] = bookmark.level
                break
    return found


def _distance(unit: OutlineUnit, bookmark: Bookmark) -> tuple[int, bool, bool]:
    """How far ``unit`` is from what the ``bookmark`` leads to: in pages, by its level, and by its
    look.
    """
    return (
        abs(unit.block.page - bookmark.page),
        unit.block.level != bookmark.level,
        not unit.in_heading_style,
    )


def _is_near(unit: OutlineUnit, bookmark: Bookmark) -> bool:
    return not bookmark.page or not unit.block.page or abs(unit.block.page - bookmark.page) < _FAR
