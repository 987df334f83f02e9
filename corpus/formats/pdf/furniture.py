"""Finds running heads, page numbers and footers: lines at the same height of many pages that repeat
or count up.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from corpus.formats.assembly import roman_value
from corpus.formats.pdf.lines import PrintedLine

_OUTER = 4  # rows at the top and at the bottom of a page that may be furniture
_PAGES = 3  # least pages on which a line is repeated
_SHARE = 0.5  # share of pages with furniture at a place, from which similar lines count as well
_FEW = 3  # pages; so few may repeat nothing, and the font size decides
_SMALLER = 0.95  # in units of the font size of the text
_LONGEST = 120  # characters of such a line
_NEAR = 3.0  # points
_LEVEL = 0.2  # in units of the font size
_APART = 1.5  # in units of the distance between the next lines
_HEAD = 2.0  # distance of a head from the text, in units of the font size
NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d.,]*\d)")
_FOOTER = re.compile(r"\D{0,40}(\d{1,4})(?:\D{1,8}\d{1,4})?\W*")
# "Beschlossen: 04.06.2014", "Stand 5/2020"
_DATED = re.compile(r"[^\d]{0,30}(?:\d{1,2}[./-]\s?){1,2}(?:19|20)?\d{2}\W*")
_ALONE = re.compile(r"[\W_]*(\d{1,4})[\W_]*")
_OUTER_NUMBERS = re.compile(r"\A\d{1,4}(?=\s)|(?<=\s)\d{1,4}\Z")
_ROMAN = re.compile(r"\W*([ivxl]{1,7})\W*", re.IGNORECASE)


class _Row(NamedTuple):
    """Lines of a page at the same height: their text from left to right, and size, bold and italic
    of the first line.
    """

    lines: list[PrintedLine]
    text: str
    look: tuple[float, bool, bool]


class _Place(NamedTuple):
    """A row at the edge of a page; ``height`` is in points from the top, negative from the
    bottom. ``title``: it looks like text, is apart from it and stands elsewhere, too.
    """

    page: int
    row: int
    height: float
    text: str
    look: tuple[float, bool, bool]
    title: bool


def furniture(
    pages: Sequence[Sequence[PrintedLine]], heights: Sequence[float]
) -> list[list[PrintedLine]]:
    """Return the furniture lines of each of ``pages``, from top to bottom; ``heights`` are the page
    heights in points.
    """
    rows = [_rows(page) for page in pages]
    found: list[set[int]] = [set() for _ in pages]
    if len(pages) <= _FEW:
        small = [_small_edges(each, number) for number, each in enumerate(rows, 1)]
        if 2 * sum(map(bool, small)) >= len(pages):
            found = small
        for outer, each in zip(found[1:], rows[1:], strict=True):
            if _is_dated_head(each):
                outer.add(0)
    for top in (True, False):
        for depth in range(_OUTER):
            places = list(_places(rows, heights, found, depth, top))
            for place in _repeated(places, len(pages)):
                found[place.page].add(place.row)
    return [
        [line for at in sorted(outer) for line in page[at].lines]
        for page, outer in zip(rows, found, strict=True)
    ]


def _rows(lines: Sequence[PrintedLine]) -> list[_Row]:
    rows: list[list[PrintedLine]] = []
    for line in sorted(lines, key=lambda line: line.baseline):
        if rows and line.baseline - rows[-1][0].baseline <= _LEVEL * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [
        _Row(
            row,
            " ".join(line.text for line in sorted(row, key=lambda line: line.left)),
            (row[0].size, row[0].bold, row[0].italic),
        )
        for row in rows
    ]


def _small_edges(rows: Sequence[_Row], page: int) -> set[int]:
    """Return the index of the first row if it is in smaller print than the text, and of the last
    row if it is, too, and contains the number of the ``page``.
    """
    if len(rows) < 3:
        return set()
    smaller = _SMALLER * _text_size(rows)
    found = set()
    for at in (0, len(rows) - 1):
        size, text = rows[at].look[0], rows[at].text
        footer = _FOOTER.fullmatch(text)
        numbered = at == 0 or (footer and int(footer.group(1)) == page)
        if size < smaller and len(text) < _LONGEST and numbered:
            found.add(at)
    return found


def _text_size(rows: Iterable[_Row]) -> float:
    sizes: Counter[float] = Counter()
    for row in rows:
        sizes[row.look[0]] += len(row.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _is_dated_head(rows: Sequence[_Row]) -> bool:
    """Return whether the first row of a page is a date, perhaps after a word like "adopted", and
    separate from the other rows.
    """
    if len(rows) < 3 or not _DATED.fullmatch(rows[0].text):
        return False
    first, second, third = (row.lines[0].baseline for row in rows[:3])
    return second - first > _APART * (third - second)


def _places(
    pages: Sequence[Sequence[_Row]],
    heights: Sequence[float],
    found: Sequence[set[int]],
    depth: int,
    top: bool,
) -> Iterator[_Place]:
    """Yield the row with index ``depth`` from the top or bottom of each page, if all rows between
    it and the edge are furniture.
    """
    size = _text_size(row for page in pages for row in page)
    texts = Counter(text for rows in pages for text in {_letters(row.text) for row in rows})
    for at, rows in enumerate(pages):
        row = depth if top else len(rows) - 1 - depth
        outer = range(depth) if top else range(row + 1, len(rows))
        if 0 <= row < len(rows) and row not in found[at] and found[at].issuperset(outer):
            height = rows[row].lines[0].baseline - (0 if top else heights[at])
            beside = rows[row + 1 if top else row - 1 : row + 2 if top else row]
            gap = abs(beside[0].lines[0].baseline - rows[row].lines[0].baseline) if beside else 0
            head = gap > _HEAD * size >= _HEAD * rows[row].look[0] and not rows[row].look[1]
            title = head and texts[_letters(rows[row].text)] > 1
            yield _Place(at, row, height, rows[row].text, rows[row].look, title)


def _repeated(places: Sequence[_Place], count: int) -> list[_Place]:
    """Return the ``places`` that are repeated on other pages, count up with the pages, or look like
    others of these at the same height.
    """
    if count == 2 and len(places) == 2 and _are_pair(*places):
        return list(places)
    # Differences between printed numbers and page indices.
    differences = Counter(
        difference
        for place in places
        for difference in {number - place.page for number in _numbers(place.text)}
    )
    offsets = {difference for difference, count in differences.items() if count >= _PAGES}
    groups: dict[str, list[_Place]] = defaultdict(list)
    for place in places:
        groups[_pattern(place, offsets)].append(place)
    found = [place for group in groups.values() for place in group if _near(place, group) >= _PAGES]
    # Running heads with a page number and varying text, such as chapter titles.
    known = {place.page for place in found}
    numbered = [
        place
        for place in places
        if place.page not in known
        and {int(number) - place.page for number in _OUTER_NUMBERS.findall(place.text)} & offsets
    ]
    found += [place for place in numbered if _near(place, numbered) >= _PAGES]
    known = {place.page for place in found}
    # Heads with the title of a chapter that has few pages.
    titles = [place for place in places if place.title and place.page not in known]
    others = [place for place in places if not place.title and place.page not in known]
    found += [
        place for place in titles if _near(place, titles) >= _PAGES and not _near(place, others)
    ]
    known = {place.page for place in found}
    looks = Counter((round(place.height), place.look) for place in found)
    for place in places:
        near = sum(looks[round(place.height) + at, place.look] for at in (-1, 0, 1))
        if place.page not in known and near >= max(_SHARE * len(places), _PAGES):
            found.append(place)
    return found


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text[:_LONGEST])).casefold()


def _near(place: _Place, others: Sequence[_Place]) -> int:
    return sum(abs(place.height - each.height) <= _NEAR for each in others)


def _are_pair(one: _Place, other: _Place) -> bool:
    """Return whether the rows of a document with two pages are their page numbers, or heads at the
    same height that differ only by the number or contain each other.
    """
    alone = (_ALONE.fullmatch(one.text), _ALONE.fullmatch(other.text))
    if all(
        match and int(match.group(1)) == place.page + 1
        for match, place in zip(alone, (one, other), strict=True)
    ):
        return True
    if one.look != other.look or abs(one.height - other.height) > _NEAR:
        return False
    inside = one.text in other.text or other.text in one.text
    return inside or _pattern(one, {1}) == _pattern(other, {1})


def _numbers(text: str) -> list[int]:
    if roman := _ROMAN.fullmatch(text):
        return [roman_value(roman.group(1))]
    return [int(number) for number in NUMBER.findall(text)]


def _pattern(place: _Place, offsets: set[int]) -> str:
    """Return the text of ``place`` without blanks, with placeholders for the page number and what
    else is counted beside it: "3/3".
    """

    def is_page(number: int) -> bool:
        return number - place.page in offsets

    text = place.text
    if (roman := _ROMAN.fullmatch(text)) and is_page(roman_value(roman.group(1))):
        return "#"
    if any(is_page(int(number)) for number in NUMBER.findall(text)):
        text = NUMBER.sub("#", text)
    return re.sub(r"\s+", "", text).casefold()
