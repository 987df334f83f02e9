"""Which units are headings, and of which level: told by the format, by bookmarks, size and weight,
the contents, and numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corpus.blocks import BlockKind
from corpus.document import Document
from corpus.languages import any_of
from corpus.layouts.outline.alphabet import alphabetical_runs
from corpus.layouts.outline.bookmarks import bookmarked
from corpus.layouts.outline.contents import ContentsLists, title_key
from corpus.layouts.outline.numbering import NumberedUnit
from corpus.layouts.outline.numbers import NumberStyle
from corpus.layouts.outline.units import LONGEST_HEADING, SHORT, OutlineUnit

_FINITE = re.compile(rf"\b{any_of('sentences.finite_verbs')}\b")
_SEE = (
    rf"{any_of('references.see')}(?:\s+{any_of('references.also')})?|{any_of('references.related')}"
)
_LABELS = any_of(
    "labels.question",
    "labels.answer",
    "labels.example",
    "labels.for_example",
    "labels.example_abbreviation",
)
_LABELLED = re.compile(
    rf"\W*(?:{_SEE}|{_LABELS})\s*:", re.IGNORECASE
)  # what begins so is no heading
_FEWEST = 3  # headings that a format marks, so that it is seen to do so
_SECTION = 6000  # characters between them, on average
_NAMED = 0.3  # least share of the contents in the headings of a format that marks them all
_COVER = 20  # units at most on a title page
_GLOSSARY = re.compile(any_of("sections.glossary"), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HeadingEvidence:
    """Unit ``at`` is a heading. ``level`` is 1 for the topmost, 0 where nothing tells it.

    ``sure`` says that the file itself marks the heading, ``given`` that it or a bookmark gives the
    level.
    """

    at: int
    level: int
    sure: bool
    given: bool = False


def find_headings(
    document: Document,
    units: Sequence[OutlineUnit],
    contents: ContentsLists,
    numbering: dict[int, NumberedUnit],
) -> dict[int, HeadingEvidence]:
    """The headings among ``units`` by their index."""
    free = [
        at
        for at, unit in enumerate(units)
        if at not in contents.listed and unit.block.kind is not BlockKind.FURNITURE
    ]
    found: dict[int, HeadingEvidence] = {}
    marked = [
        at
        for at in free
        if units[at].block.kind is BlockKind.HEADING
        and (units[at].block.level or not _LABELLED.match(units[at].text))
    ]
    in_style = [
        at for at in free if units[at].in_heading_style or units[at].block.kind is BlockKind.HEADING
    ]
    cover, beside = _cover(units, in_style, contents, numbering)
    in_style = [at for at in in_style if at not in beside]
    ranks = _style_ranks([units[at] for at in in_style if at not in cover])
    named = bookmarked(document.bookmarks, units, free)
    if cover and not named and _size(units, cover) > max((size for size, _ in ranks), default=0.0):
        ranks = {
            style: rank + 1 for style, rank in ranks.items()
        }  # everything stands below the title
    for at in marked:
        unit = units[at]
        listed = contents.levels.get(title_key(unit.text), 0) if not unit.block.size else 0
        found[at] = HeadingEvidence(
            at,
            unit.block.level or listed or ranks.get(_style(unit), 0),
            unit.block.level > 0,
            unit.block.level > 0,
        )
    for at, level in named.items():
        found[at] = HeadingEvidence(at, level, True, True)
    items = _list_items(units, numbering)
    styled = [
        at for at in in_style if at not in found and units[at].in_heading_style and at not in items
    ]
    if _marks_all(units, free, marked):
        titled = sum(units[at].block.level == 1 for at in marked) == 1
        styled = [at for at in styled if at in cover and not titled]
    levels = _levels_of_styles(units, found, ranks)
    for at in styled:
        found[at] = HeadingEvidence(
            at, 1 if at in cover else levels.get(_style(units[at]), 0), False
        )
    sure = {title_key(units[at].text) for at, evidence in found.items() if evidence.sure}
    if not sure and not styled:
        found = {**_in_plain_text(units, free, contents, numbering), **found}
    elif document.extracted is None and len(sure & contents.levels.keys()) < _NAMED * len(
        contents.levels
    ):  # underlined by chance
        plain = _in_plain_text(units, free, contents, numbering)
        found = {
            **{
                at: evidence
                for at, evidence in plain.items()
                if title_key(units[at].text) in contents.levels
            },
            **found,
        }
    elif len(found) == 1:  # the title of a page whose other headings are only bold
        found |= {
            at: HeadingEvidence(at, 2, False)
            for at in free
            if at not in found and _is_bold_line(units[at])
        }
    _head_contents(found, contents)
    _nest_glossaries(found, units)
    return found


def _marks_all(units: Sequence[OutlineUnit], free: Sequence[int], marked: Sequence[int]) -> bool:
    """Whether the format marks so many headings with their levels that what only looks like one is
    none.
    """
    levels = sum(units[at].block.level > 0 and not units[at].block.page for at in marked)
    return (
        levels >= _FEWEST
        and sum(units[at].span.end - units[at].span.start for at in free) <= _SECTION * levels
    )


def _is_bold_line(unit: OutlineUnit) -> bool:
    return (
        unit.block.kind is BlockKind.PARAGRAPH
        and unit.block.bold
        and unit.alone
        and unit.is_title
        and not _LABELLED.match(unit.text)
    )


def _head_contents(found: dict[int, HeadingEvidence], contents: ContentsLists) -> None:
    """Make the heads of the contents headings: of the level of the first below that the file gives,
    else of the first after the list.
    """
    given = [at for at in sorted(found) if found[at].given]
    others = [
        at for at in sorted(found) if at not in contents.heads
    ]  # nothing but its lines stands in a table of contents
    listed = sorted(contents.listed)
    for at in sorted(contents.heads):
        if at in found and found[at].given:
            continue
        level = _level_after(at, given, found)
        if not level:
            first = bisect_right(listed, at)
            level = _level_after(listed[first] if first < len(listed) else at, others, found)
        found[at] = HeadingEvidence(at, level, False)


def _level_after(at: int, headings: Sequence[int], found: dict[int, HeadingEvidence]) -> int:
    """The level of the first of the ``headings``, in order, after unit ``at``; 0 where there is
    none.
    """
    after = bisect_right(headings, at)
    return found[headings[after]].level if after < len(headings) else 0


def _nest_glossaries(found: dict[int, HeadingEvidence], units: Sequence[OutlineUnit]) -> None:
    """Put headings in the order of the alphabet, whose level nothing tells, below the heading of a
    glossary before them.
    """
    order = [at for at in sorted(found) if not units[at].number]
    for run in alphabetical_runs([units[at].text for at in order]):
        first = next(
            (
                i
                for i in (run.start, run.start + 1)
                if 0 < i < len(order) and _GLOSSARY.fullmatch(units[order[i - 1]].text)
            ),
            None,
        )
        if first is None or found[order[first]].given:
            continue
        head = found[order[first - 1]]
        found[head.at] = replace(head, level=head.level or 1)
        for at in order[first : run.stop]:
            found[at] = replace(found[at], level=(head.level or 1) + 1)


def _list_items(units: Sequence[OutlineUnit], numbering: dict[int, NumberedUnit]) -> set[int]:
    """Items of lists: those with a bullet, and numbers of which most beside them are not in a
    heading style.
    """
    styled: dict[tuple[int | None, NumberStyle], Counter[bool]] = defaultdict(Counter)
    for each in numbering.values():
        if len(each.number.parts) == 1:
            styled[each.parent, each.number.style][units[each.at].in_heading_style] += 1
    return {
        at
        for at, unit in enumerate(units)
        if unit.block.kind is BlockKind.ITEM and unit.bullet and at not in numbering
    } | {
        each.at
        for each in numbering.values()
        if len(each.number.parts) == 1
        and (counts := styled[each.parent, each.number.style])[True] < counts[False]
    }


def _style(unit: OutlineUnit) -> tuple[float, bool]:
    return (round(unit.block.size * 2) / 2, unit.block.bold)


def _style_ranks(units: Sequence[OutlineUnit]) -> dict[tuple[float, bool], int]:
    """A level for each style of headings: the largest is 1, bold goes before what is not. Where
    sizes are unknown there is none.
    """
    styles = sorted(
        {_style(unit) for unit in units if unit.block.size},
        key=lambda style: (-style[0], not style[1]),
    )
    return {style: level for level, style in enumerate(styles, 1)}


def _cover(
    units: Sequence[OutlineUnit],
    in_style: Sequence[int],
    contents: ContentsLists,
    numbering: dict[int, NumberedUnit],
) -> tuple[set[int], set[int]]:
    """The lines of a title page, in styles that no heading after them has: the title, in the
    largest one, and what stands beside it.
    """
    first = next(
        (
            at
            for at, unit in enumerate(units[:_COVER])
            if _ends_cover(at, unit, contents, numbering)
        ),
        min(_COVER, len(units)),
    )
    later = {_style(units[at]) for at in in_style if at >= first}
    page = units[0].block.page if units else 0
    alone = first < len(units) and units[first].block.page > page > 0  # a page of its own
    lines = [
        at
        for at in in_style
        if at < first
        and units[at].block.size
        and (_style(units[at]) not in later or (alone and units[at].block.page == page))
    ]
    largest = max((units[at].block.size for at in lines), default=0.0)
    title = {at for at in lines if units[at].block.size > 0.95 * largest}
    names = {
        at for at in in_style if title and max(title) < at < first and at + 1 in in_style
    }  # of authors: no text, a heading below
    return title, (set(lines) | names) - title


def _size(units: Sequence[OutlineUnit], ats: Iterable[int]) -> float:
    return max(units[at].block.size for at in ats)


def _ends_cover(
    at: int, unit: OutlineUnit, contents: ContentsLists, numbering: dict[int, NumberedUnit]
) -> bool:
    if unit.block.kind is BlockKind.FURNITURE:
        return False
    return (
        at in contents.heads
        or at in contents.listed
        or at in numbering
        or len(unit.text) > LONGEST_HEADING
        or unit.block.kind is BlockKind.ITEM
    )


def _levels_of_styles(
    units: Sequence[OutlineUnit],
    found: dict[int, HeadingEvidence],
    ranks: dict[tuple[float, bool], int],
) -> dict[tuple[float, bool], int]:
    """The level of each style: that of most headings in it of which the file says the level, else
    one below the next larger style.
    """
    seen: dict[tuple[float, bool], Counter[int]] = defaultdict(Counter)
    for at, evidence in found.items():
        seen[_style(units[at])][evidence.level] += 1
    if not seen:
        return ranks
    levels: dict[tuple[float, bool], int] = {}
    above = 0
    for style in sorted(
        {*ranks, *(style for style in seen if style[0])},
        key=lambda style: (-style[0], not style[1]),
    ):
        if style in seen:
            above = seen[style].most_common(1)[0][0]
            levels[style] = above
        else:
            levels[style] = above + 1
    return levels


def _in_plain_text(
    units: Sequence[OutlineUnit],
    free: Sequence[int],
    contents: ContentsLists,
    numbering: dict[int, NumberedUnit],
) -> dict[int, HeadingEvidence]:
    """Headings of a text that marks none: lines that the contents name, that stand alone, or that
    are in capitals.

    First lines of paragraphs are headings if there are many in the order of the alphabet.
    """
    found: dict[int, HeadingEvidence] = {}
    run_in: list[int] = []
    for position, at in enumerate(free):
        unit = units[at]
        if (
            not unit.is_title
            or unit.bullet
            or unit.block.kind in (BlockKind.ROW, BlockKind.CODE)
            or _LABELLED.match(unit.text)
        ):
            continue
        if (level := contents.levels.get(title_key(unit.text))) is not None and (
            unit.first or at in numbering
        ):
            found[at] = HeadingEvidence(at, 0 if unit.number else level, False)
        elif at in numbering or unit.number:
            continue
        elif (
            unit.first
            and not unit.last
            and len(unit.text) <= SHORT // 2 + 20
            and unit.text[:1].isalnum()
        ):
            run_in.append(at)
        elif _stands_alone(unit, units, free, position):
            found[at] = HeadingEvidence(at, 0, False)
    for run in alphabetical_runs([units[at].text for at in run_in]):
        found.update({run_in[i]: HeadingEvidence(run_in[i], 0, False) for i in run})
    return found


def _stands_alone(
    unit: OutlineUnit, units: Sequence[OutlineUnit], free: Sequence[int], position: int
) -> bool:
    """Whether ``unit`` is a line of its own that begins like a heading and has something below
    it.
    """
    if len(unit.text) > SHORT or unit.text[:1].islower() or position + 1 >= len(free):
        return False
    if unit.first and unit.text.isupper() and sum(c.isalpha() for c in unit.text) > 3:
        return True
    return unit.alone and not _FINITE.search(unit.text)
