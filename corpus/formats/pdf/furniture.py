"""Running heads, page numbers and footers: what stands at the same place of many pages and repeats
or counts up.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpus.formats.pdf.baseline_segments import PrintedLine

_OUTER = 4  # rows at the top and at the bottom of a page that may be furniture
_PAGES = 3  # that a line repeats on at least
_SHORT = 5  # a document of so few pages: then it is enough that a line stands on two
_SHARE = 0.5  # of the pages: where so many have furniture at a place, what looks like it there is furniture too
_FEW = 3  # pages: then nothing may repeat, and the size of a line tells
_SMALLER = 0.95  # of the size of the text
_LONGEST = 120  # characters of such a line
_NEAR = 3.0  # points
_LEVEL = 0.2  # of the size
_NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d.,]*\d)")
_FOOTER = re.compile(r"\D{0,40}(\d{1,4})(?:\D{1,8}\d{1,4})?\W*")
_FIRST_NUMBER, _LAST_NUMBER = re.compile(r"\d{1,4}(?=\s)"), re.compile(r"(?<=\s)\d{1,4}\Z")
_ROMAN = re.compile(r"\W*([ivxl]{1,7})\W*", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}


class EdgeRow(NamedTuple):
    """Lines of a page that stand beside each other."""

    lines: tuple[PrintedLine, ...]

    @property
    def text(self) -> str:
        """Their text from left to right."""
        return " ".join(line.text for line in sorted(self.lines, key=lambda line: line.left))

    @property
    def look(self) -> tuple[float, bool, bool]:
        """The size of the first one, and whether it is bold and italic."""
        return self.lines[0].size, self.lines[0].bold, self.lines[0].italic


class _Place(NamedTuple):
    """A row at the edge of a page: its place is ``height`` points from the top, or from the bottom
    with a minus.
    """

    page: int
    row: int
    height: float
    text: str
    look: tuple[float, bool, bool]


def edge_rows(lines: Sequence[PrintedLine]) -> list[EdgeRow]:
    """The ``lines`` of a page from top to bottom, those on a baseline together."""
    rows: list[list[PrintedLine]] = []
    for line in sorted(lines, key=lambda line: line.baseline):
        if rows and line.baseline - rows[-1][0].baseline <= _LEVEL * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [EdgeRow(tuple(row)) for row in rows]


def furniture(pages: Sequence[Sequence[EdgeRow]], heights: Sequence[float]) -> list[set[int]]:
    """For each of ``pages``, given as rows from top to bottom and with its height in points, which
    rows are furniture.
    """
    found: list[set[int]] = [set() for _ in pages]
    if len(pages) <= _FEW:
        found = [_small_edges(rows, number) for number, rows in enumerate(pages, 1)]
        if 2 * sum(map(bool, found)) < len(pages):
            found = [set() for _ in pages]
    for top in (True, False):
        for depth in range(_OUTER):
            places = list(_places(pages, heights, found, depth, top))
            for place in _repeated(places, len(pages)):
                found[place.page].add(place.row)
    return found


def _small_edges(rows: Sequence[EdgeRow], page: int) -> set[int]:
    """The first of ``rows`` of a page if it is smaller than the text, and the last one if it is and
    has the number of the ``page``.
    """
    sizes: Counter[float] = Counter()
    for row in rows:
        sizes[row.look[0]] += len(row.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    small = {
        at
        for at in (0, len(rows) - 1)
        if len(rows) > 2 and rows[at].look[0] < _SMALLER * body and len(rows[at].text) < _LONGEST
    }
    return {
        at
        for at in small
        if at == 0
        or ((footer := _FOOTER.fullmatch(rows[at].text)) and int(footer.group(1)) == page)
    }


def _places(
    pages: Sequence[Sequence[EdgeRow]],
    heights: Sequence[float],
    found: Sequence[set[int]],
    depth: int,
    top: bool,
) -> Iterator[_Place]:
    """The row of each page that is the next towards its middle after ``depth`` rows, if all of
    these are furniture.
    """
    for at, rows in enumerate(pages):
        row = depth if top else len(rows) - 1 - depth
        outer = range(depth) if top else range(row + 1, len(rows))
        if (
            0 <= row < len(rows)
            and row not in found[at]
            and all(each in found[at] for each in outer)
        ):
            baseline = rows[row].lines[0].baseline
            yield _Place(
                at, row, baseline if top else baseline - heights[at], rows[row].text, rows[row].look
            )


def _repeated(places: Sequence[_Place], count: int) -> list[_Place]:
    """Those of ``places`` that repeat, count up with the pages, or look like others that do at the
    same height.
    """
    offsets = _offsets(places)
    groups: dict[str, list[_Place]] = defaultdict(list)
    for place in places:
        groups[_pattern(place, offsets)].append(place)
    found = [place for group in groups.values() for place in group if _near(place, group) >= _PAGES]
    found += _numbered(places, offsets, {place.page for place in found})
    if count == 2 and len(places) == 2 and _pair(*places):
        return list(places)
    known = {place.page for place in found}
    looks = Counter((round(place.height), place.look) for place in found)
    for place in places:
        near = sum(looks[round(place.height) + at, place.look] for at in (-1, 0, 1))
        if place.page not in known and near >= max(_SHARE * len(places), _PAGES):
            found.append(place)
    return found


def _numbered(places: Sequence[_Place], offsets: set[int], known: set[int]) -> list[_Place]:
    """Those of ``places``, on pages that are not ``known``, that begin or end with the number of
    the page, as heads with chapters do.

    Several of them must stand at a height, though each says something else.
    """
    ends = [
        place
        for place in places
        if place.page not in known
        and {n - place.page for n in _outer_numbers(place.text)} & offsets
    ]
    return [place for place in ends if _near(place, ends) >= _PAGES]


def _near(place: _Place, others: Sequence[_Place]) -> int:
    """How many of ``others`` stand at the height of ``place``."""
    return sum(abs(place.height - each.height) <= _NEAR for each in others)


def _outer_numbers(text: str) -> set[int]:
    """The whole numbers that ``text`` begins and ends with."""
    found = (_FIRST_NUMBER.match(text), _LAST_NUMBER.search(text))
    return {int(match.group()) for match in found if match}


def _pair(one: _Place, other: _Place) -> bool:
    """Whether the only two pages have at the same height the number of the page, or heads that
    differ by it or are part of each other.
    """
    if _alone(one.text) == one.page + 1 and _alone(other.text) == other.page + 1:
        return True
    alike = one.look == other.look and abs(one.height - other.height) <= _NEAR
    return alike and (
        one.text in other.text
        or other.text in one.text
        or _pattern(one, {1}) == _pattern(other, {1})
    )


def _numbers(text: str) -> list[int]:
    if roman := _ROMAN.fullmatch(text):
        return [_roman(roman.group(1))]
    return [int(match.group()) for match in _NUMBER.finditer(text)]


def _alone(text: str) -> int | None:
    """The page number that ``text`` is, with at most signs beside it."""
    return int(match.group(1)) if (match := re.fullmatch(r"[\W_]*(\d{1,4})[\W_]*", text)) else None


def _roman(text: str) -> int:
    values = [_ROMAN_VALUES[sign] for sign in text.casefold()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _offsets(places: Sequence[_Place]) -> set[int]:
    """By how much printed page numbers differ from the count of pages: what holds on several
    pages.
    """
    offsets = Counter(
        offset
        for place in places
        for offset in {number - place.page for number in _numbers(place.text)}
    )
    return {offset for offset, count in offsets.items() if count >= _PAGES}


def _pattern(place: _Place, offsets: set[int]) -> str:
    """The text of ``place`` with a sign for the page number, without blanks."""
    text = place.text
    if roman := _ROMAN.fullmatch(text):
        text = "#" if _roman(roman.group(1)) - place.page in offsets else text
    text = _NUMBER.sub(
        lambda match: "#" if int(match.group()) - place.page in offsets else match.group(), text
    )
    return re.sub(r"\s+", "", text).casefold()
