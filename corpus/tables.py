"""Tables of any format: which rows are the header, and how to show one row on its own, each value
with its column header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from corpus.blocks import Block, Cell, Span

LARGEST = 400  # columns
_NAMES = 1.8  # the texts in two columns are so many times longer than their headers
_LONG = 40  # characters; a longer value is more than a figure or a name
_QUANTITY = re.compile(
    r"[+\-−–±~≈<>≤≥×x]{0,2}\s?\d[\d.,:/–-]*+(?:\s?[^\W\d]{1,12}\.?|\s?[%°€])?|[-–—−]+"
)
_FIGURES = re.compile(r"\W{0,2}\d[\d\W]*+")
_NUMBER = re.compile(r"\d{1,6}\+?")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(r"""[.!?:;…][)\]"'”’“»]*\Z""")


class ReadRow(NamedTuple):
    """A row for readers: its text ``display``, and the span of each cell in it.

    The span of an empty cell is (0, 0); a merged cell repeats the span of the cell before.
    """

    display: str
    cells: tuple[Span, ...]


def headers(rows: Sequence[Block], texts: Sequence[Sequence[str]]) -> int:
    """Return the number of header rows at the top of a table; ``texts`` are the displayed cells of
    all ``rows``.
    """
    marked = [row.header for row in rows]
    if marked[0] and not all(marked):
        return next(at for at, mark in enumerate(marked) if not mark)
    if False in marked or len(rows) < 2:
        return 0
    first, below = texts[0], texts[1:]
    if is_title(first) and len(rows) > 2:
        rest = headers(rows[1:], below)
        return rest + 1 if rest else 0
    if rows[0].bold and not all(row.bold for row in rows[1:]) and all(first[1:]):
        return 1
    named = all(0 < len(cell) <= _LONG and not _SENTENCE.search(cell) for cell in first[1:])
    if not named or len(first) < max(map(len, below)):
        return 0
    if _counts(first[1:]):
        return 1
    if any(map(_QUANTITY.fullmatch, first)):
        return 0
    lengths = [sum(map(len, cells)) for cells in (first, *below)]
    if len(first) == 2 and _NAMES * lengths[0] * len(below) < sum(lengths[1:]):
        return 1
    return int(
        len(first) > 2 or any(map(_is_quantitative, zip(*map(tuple, _even(below)), strict=True)))
    )


def is_title(cells: Sequence[str]) -> bool:
    """Return whether a row is only a title for the rows below it: of at least three cells, only the
    first has text, and this is short.
    """
    title = cells[0] if cells else ""
    alone = len(cells) > 2 and all(cell in ("", title) for cell in cells[1:])
    return alone and 0 < len(title) <= 2 * _LONG and not _SENTENCE.search(title)


def _counts(cells: Sequence[str]) -> bool:
    # Whether they are ascending numbers, like "2 | 3 | 4" players.
    numbers = [int(cell.rstrip("+")) for cell in cells if _NUMBER.fullmatch(cell)]
    return len(cells) == len(numbers) > 2 and all(a < b for a, b in pairwise(numbers))


def _even(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    width = max(map(len, rows))
    return [[*row, *[""] * (width - len(row))] for row in rows]


def _is_quantitative(column: Sequence[str]) -> bool:
    cells = [cell for cell in column if cell]
    return 2 * sum(bool(_QUANTITY.fullmatch(cell)) for cell in cells) > len(cells)


def read_header(cells: Sequence[Cell], texts: Sequence[str]) -> ReadRow:
    """Return a header row, ``cells`` with their ``texts``, for readers."""
    return _written(cells, [(text, "") for text in texts], " | ", "")


def labels(header: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return the label of each of ``width`` columns, made of the texts of the ``header`` rows."""
    found = []
    for column in zip(*(_even([row, [""] * width])[0][:width] for row in header), strict=True):
        found.append(" ".join(dict.fromkeys(filter(None, column))))
    return found or [""] * width


def read_row(
    cells: Sequence[Cell], texts: Sequence[str], heads: Sequence[str], title: str
) -> ReadRow:
    """Return a row, ``cells`` with their ``texts``, for readers: the first cell, then each value
    after its column header from ``heads``. ``title`` is the title row above it in the table.
    """
    heads = [*heads, *[""] * (len(texts) - len(heads))][: len(texts)]
    corner, first = heads[0], texts[0]
    if title:
        title = f"{title}, "
    values = [text for text in texts[1:] if text]
    if len(texts) == 2 and not all(map(_QUANTITY.fullmatch, values)):
        heads[1] = ""  # "key: value"
    if corner and _LETTER.search(corner) and _FIGURES.fullmatch(first):
        title = f"{title}{corner} "  # "Players 4: …"
    elif corner and _LETTER.search(corner):
        heads = [
            f"{corner} {head}" if head and not _LETTER.search(head) else head for head in heads
        ]
    told = [head for head, text in zip(heads[1:], texts[1:], strict=True) if head and text]
    long = any(
        len(each) > _LONG or _SENTENCE.search(each) or ", " in each for each in (*values, *told)
    ) or any(not each[-1].isalpha() and not each.endswith(")") for each in told)
    pairs = [
        (text, f"{head}: " if head and long else f"{head} " if head else "")
        for text, head in zip(texts, ["", *heads[1:]], strict=True)
    ]
    if first and (len(first) > 2 * _LONG or _SENTENCE.search(first)):
        return _written(cells, pairs, "\n", title)
    return _written(cells, pairs, "; " if long else ", ", title, behind=": " if first else "")


def _written(
    cells: Sequence[Cell],
    pairs: Sequence[tuple[str, str]],
    between: str,
    title: str,
    behind: str = "",
) -> ReadRow:
    """Write the ``pairs`` of text and label; ``behind`` is written after the first cell."""
    display, spans = title, list[Span]()
    last = title
    for _, run in groupby(range(len(pairs)), lambda at: cells[at] or at):
        columns = list(run)
        text, head = pairs[columns[0]]
        if len(columns) > 1:  # merged
            heads = list(dict.fromkeys(filter(None, (pairs[at][1] for at in columns))))
            everything = len(columns) >= len(pairs) - 1
            head = "/".join([*(each.rstrip(": ") for each in heads[:-1]), *heads[-1:]])
            head = "" if everything else head
        if not text:
            spans += [Span(0, 0)] * len(columns)
            continue
        if display != last:
            display += " " if between == "; " and display[-1] in ".!?;" else between
        display += head
        spans += [Span(len(display), len(display) + len(text))] * len(columns)
        display += text
        if behind and 0 in columns and any(text for text, _ in pairs[columns[-1] + 1 :]):
            display += behind
            last = display
    return ReadRow(display, tuple(spans))
