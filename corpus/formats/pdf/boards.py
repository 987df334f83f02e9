"""Finds grids of letters or numbers, such as a game board, which are pictures and not text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from corpus.formats.pdf.lines import Segment

_SHORT = 2  # characters of a field
_LEAST = 4  # rows, and columns
_LEAST_NUMBERS = 5  # the same for grids of numbers only
_FILLED = 0.2  # least share of fields with text
_LINE = 5  # coordinates beside a board, at least
# In units of the font size:
_APART = 0.35  # least distance between fields
_WIDEST = 5.0  # largest distance between the middles of fields
_ALIGNED = 0.35  # difference between middles in a column
_LEVEL = 0.1  # difference between baselines in a row
_LABEL = 8.0  # distance of a row's label
_CORNER = 4.0  # distance between letters and numbers at a corner
_EVEN = 0.12  # relative difference between distances
_SQUARE = 1.75  # largest ratio of a field's sides
_LETTERS = 3  # of a word


class _Field(NamedTuple):
    text: str
    x: float  # its middle
    y: float
    size: float
    segment: int


def boards(parts: Sequence[Segment]) -> list[Segment]:
    """Return the ``parts`` of a page that are fields of a grid."""
    fields: list[_Field] = []
    words: list[Segment] = []
    for at, part in enumerate(parts):
        if told := list(_fields(part, at)):
            fields += told
        elif sum(sign.text.isalpha() for sign in part.characters) >= _LETTERS:
            words.append(part)
    if len(fields) < 2 * _LINE:
        return []
    labelled = {each for each in fields if any(_is_beside(each, word) for word in words)}
    right, below = _next(fields, across=True), _next(fields, across=False)
    found: set[int] = set()
    for group in _groups(fields, right, below):
        if 3 * sum(each in labelled for each in group) >= len(group):
            continue  # rows of a table
        if _is_grid(group, right, below):
            found.update(each.segment for each in fields if _is_inside(each, group))
    for line in _coordinates(fields, right, below):
        found.update(each.segment for each in line)
    return [parts[at] for at in sorted(found)]


def _fields(part: Segment, at: int) -> Iterator[_Field]:
    """Yield the fields of ``part``, or nothing if any piece of it is too long for a field."""
    groups = [[part.characters[0]]]
    for before, sign in pairwise(part.characters):
        if sign.left - before.right > _APART * part.size:
            groups.append([sign])
        else:
            groups[-1].append(sign)
    if any(len(group) > _SHORT for group in groups):
        return
    for group in groups:
        text = "".join(sign.text for sign in group)
        x = (group[0].left + group[-1].right) / 2
        yield _Field(text, x, part.baseline, part.size, at)


def _is_beside(field: _Field, word: Segment) -> bool:
    near = max(word.left - field.x, field.x - word.right) < _LABEL * field.size
    return near and abs(word.baseline - field.y) < _LEVEL * field.size


def _next(fields: Sequence[_Field], across: bool) -> dict[_Field, _Field]:
    """Return the next field of each field, to the right if ``across``, otherwise below."""
    lanes: dict[int, list[_Field]] = defaultdict(list)
    for each in fields:
        lanes[round(each.y if across else each.x)].append(each)
    found: dict[_Field, _Field] = {}
    for each in fields:
        level = round(each.y if across else each.x)
        most = _WIDEST * each.size
        near = [
            (distance, other)
            for lane in (level - 1, level, level + 1, level + 2, level - 2)
            for other in lanes.get(lane, ())
            for distance, off in [
                (other.x - each.x, other.y - each.y)
                if across
                else (other.y - each.y, other.x - each.x)
            ]
            if 0 < distance <= most
            and abs(off) <= (_LEVEL if across else _ALIGNED) * each.size
            and abs(other.size - each.size) < 0.1
        ]
        if near:
            found[each] = min(near)[1]
    return found


def _groups(
    fields: Sequence[_Field], right: dict[_Field, _Field], below: dict[_Field, _Field]
) -> Iterator[list[_Field]]:
    """Yield the groups of fields that are connected through neighbours."""
    beside: dict[_Field, list[_Field]] = defaultdict(list)
    for links in (right, below):
        for one, other in links.items():
            beside[one].append(other)
            beside[other].append(one)
    left = dict.fromkeys(fields)
    while left:
        group, todo = [], [left.popitem()[0]]
        while todo:
            each = todo.pop()
            group.append(each)
            for other in beside[each]:
                if other in left:
                    del left[other]
                    todo.append(other)
        yield group


def _is_inside(field: _Field, group: Sequence[_Field]) -> bool:
    inside = min(each.x for each in group) <= field.x <= max(each.x for each in group)
    return inside and min(each.y for each in group) <= field.y <= max(each.y for each in group)


def _is_grid(
    group: Sequence[_Field], right: dict[_Field, _Field], below: dict[_Field, _Field]
) -> bool:
    """Return whether the fields of ``group`` are evenly spaced in both directions."""
    across = [right[each].x - each.x for each in group if each in right]
    down = [below[each].y - each.y for each in group if each in below]
    if not across or not down:
        return False
    width, height = min(across), min(down)
    if not 1 / _SQUARE <= width / height <= _SQUARE:
        return False
    steps = [each / width for each in across] + [each / height for each in down]
    if sum(abs(step - round(step)) > _EVEN for step in steps) > len(steps) // 20:
        return False
    first_x, first_y = min(each.x for each in group), min(each.y for each in group)
    columns = 1 + max(round((each.x - first_x) / width) for each in group)
    rows = 1 + max(round((each.y - first_y) / height) for each in group)
    numbers = all(each.text.isdigit() for each in group)
    least = _LEAST_NUMBERS if numbers else _LEAST
    return min(columns, rows) >= least and len(group) >= _FILLED * columns * rows


def _coordinates(
    fields: Sequence[_Field], right: dict[_Field, _Field], below: dict[_Field, _Field]
) -> Iterator[list[_Field]]:
    """Yield the coordinates of boards: a row of letters and the column of numbers that meets it."""
    rows = [line for line in _lines(fields, right) if _counts(line, letters=True)]
    columns = [line for line in _lines(fields, below) if _counts(line, letters=False)]
    for row in rows:
        for column in columns:
            near = _CORNER * row[0].size
            ends = [(a, b) for a in (row[0], row[-1]) for b in (column[0], column[-1])]
            if any(abs(a.x - b.x) < near and abs(a.y - b.y) < near for a, b in ends):
                yield [*row, *column]


def _lines(fields: Sequence[_Field], links: dict[_Field, _Field]) -> Iterator[list[_Field]]:
    followers = set(links.values())
    for each in fields:
        if each in followers:
            continue
        line = [each]
        while line[-1] in links and len(line) < len(fields):
            line.append(links[line[-1]])
        yield line


def _counts(line: Sequence[_Field], letters: bool) -> bool:
    """Return whether the fields of ``line`` are consecutive letters or numbers."""
    texts = [each.text for each in line]
    if len(line) < _LINE:
        return False
    if letters:
        values = [ord(text) for text in texts if len(text) == 1 and text.isalpha()]
    else:
        values = [int(text) for text in texts if text.isdecimal()]
    if len(values) < len(texts):
        return False
    steps = {b - a for a, b in pairwise(values)}
    return steps in ({1}, {-1})
