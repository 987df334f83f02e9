"""Headings that are printed as two or three lines apart: "Chapter 3" above its title, or a long
title of two lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpus.blocks import BlockKind, PageMap
from corpus.document import Document
from corpus.layouts.outline.bookmarks import letters
from corpus.layouts.outline.contents import title_key
from corpus.layouts.outline.numbers import NumberStyle, parse_number
from corpus.layouts.outline.printed_lines import follows_closely
from corpus.layouts.outline.units import LONGEST_HEADING, OutlineUnit
from corpus.model import Span

_MOST = 3  # lines of a heading


def join_split_headings(units: Sequence[OutlineUnit], document: Document) -> list[OutlineUnit]:
    """``units`` in which the lines of a heading are one unit.

    They stand below each other on a page, in a heading style, and together are what a bookmark or a
    line of the contents says, while none of them is; or the first is nothing but a number with its
    label; or they stand as close as lines of one paragraph.
    """
    titles = {letters(bookmark.title) for bookmark in document.bookmarks}
    listed = {
        letters(title_key(unit.text))
        for unit in units
        if not unit.in_heading_style and len(unit.text) <= 2 * LONGEST_HEADING
    }
    found: list[OutlineUnit] = []
    at = 0
    while at < len(units):
        count = (
            _lines(units[at : at + _MOST], titles or listed, document.pages)
            if units[at].in_heading_style
            else 1
        )
        found.append(_joined(units[at : at + count]))
        at += count
    return found


def _lines(units: Sequence[OutlineUnit], titles: set[str], pages: PageMap | None) -> int:
    """How many of ``units`` are the lines of the heading that begins with the first one."""
    first = units[0]
    together = 1
    while together < len(units) and _below(units[together - 1], units[together]):
        together += 1
    for count in range(together, 1, -1):
        lines = units[:count]
        key = letters("".join(unit.text for unit in lines))
        bare = letters("".join((first.name, *(unit.text for unit in lines[1:]))))
        if (
            {key, bare} & titles
            and not any(letters(unit.text) in titles for unit in lines)
            and _one_style(lines)
        ):
            return count
    if together > 1 and _is_label(first) and not units[1].number and units[1].is_title:
        return 2
    return _close_lines(units[:together], titles, pages) if pages else 1


def _close_lines(units: Sequence[OutlineUnit], titles: set[str], pages: PageMap) -> int:
    """How many of ``units`` stand as close below each other as lines of one heading that is larger
    than the text.
    """
    count = 1
    while (
        count < len(units)
        and _one_style(units[: count + 1])
        and not units[count].number
        and units[count].block.kind is not BlockKind.ITEM
    ):
        if letters(units[count].text) in titles or not follows_closely(
            pages, units[count - 1].span, units[count].span
        ):
            break
        count += 1
    return count


def _below(above: OutlineUnit, unit: OutlineUnit) -> bool:
    return (
        unit.in_heading_style
        and unit.block.page == above.block.page
        and unit.block.kind is not BlockKind.FURNITURE
        and not unit.bullet
    )


def _one_style(units: Sequence[OutlineUnit]) -> bool:
    return len({(round(unit.block.size), unit.block.bold) for unit in units}) == 1


def _is_label(unit: OutlineUnit) -> bool:
    """Whether ``unit`` is a number with its label and nothing more: "Chapter 3", "Appendix A"."""
    return (
        bool(unit.number)
        and unit.number is not None
        and unit.number.style is NumberStyle.LABELLED
        and not unit.name
    )


def _joined(units: Sequence[OutlineUnit]) -> OutlineUnit:
    if len(units) == 1:
        return units[0]
    text = " ".join(unit.text for unit in units)
    number = parse_number(text)
    labelled, below = _is_label(units[0]), " ".join(unit.text for unit in units[1:])
    return replace(
        units[0],
        span=Span(units[0].span.start, units[-1].span.end),
        text=text,
        last=True,
        number=units[0].number if labelled else number,
        name=below if labelled else text[number.length if number else 0 :].strip(),
        title=below if labelled else "",
    )
