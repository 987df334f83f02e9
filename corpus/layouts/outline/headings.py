"""Decides which units are headings, and their levels: by the file format, bookmarks, size and
weight of the print, tables of contents, numbers, and alphabetical order.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from corpus.blocks import BlockKind, PageMap
from corpus.document import Document
from corpus.languages import any_of
from corpus.layouts.layout import SEE
from corpus.layouts.outline.contents import ContentsLists, find_bookmarked, letters, title_key
from corpus.layouts.outline.numbering import NumberedUnit
from corpus.layouts.outline.printed_numbers import NumberStyle, parse_number
from corpus.layouts.outline.remarks import heads_nothing, signatures
from corpus.layouts.outline.units import (
    LONGEST_HEADING,
    SHORT,
    SHORT_TITLE,
    Style,
    Unit,
)
from corpus.model import Span

_MOST_LINES = 3  # of a heading
_NEXT = 1.25  # largest distance of two lines of a heading, in line heights
_FEWEST = 3  # marked headings, from which a document counts as one with marked headings
_SECTION = 6000  # most characters per marked heading, on average
_NAMED = 0.3  # least share of contents lines among marked headings, if all are marked
_COVER = 20  # most units on a title page
_GLOSSARY_SIZE = 12  # least headings of a glossary
_MOST_RAISED = 3  # most kinds of numbered lines above headings
_MISSING_LETTERS = 10  # of the alphabet that a glossary may skip

_IN_BRACKETS = re.compile(r"\(([^()]{2,100})\)\.?")

_FINITE = re.compile(rf"\b{any_of('sentences.finite_verbs')}\b")
_LABELS = any_of(
    "references.related",
    "labels.question",
    "labels.answer",
    "labels.example",
    "labels.for_example",
    "labels.example_abbreviation",
)
_LABELLED = re.compile(rf"\W*(?:{SEE}|{_LABELS})\s*:", re.IGNORECASE)  # does not begin a heading
_AUTHORS = re.compile(rf"\W*{any_of('labels.authors')}\W*", re.IGNORECASE)
_COUNTED = re.compile(r"[^\W\d]{1,20} \d{1,3}")  # "Partie 2"
_FEWEST_COLONS, _COLON_WORDS = 3, 4  # headings with a colon, if there are no others; words of one
# "-Turm", "3x Holz": list items, but not "--- Turm ---"
_TYPED_ITEM = re.compile(r"(?:[-–—+*=~>→]|\d{1,3}\s?[x×]\s)(?!.*[-–—+*=~<←]\Z)")
_GLOSSARY = re.compile(any_of("sections.glossary"), re.IGNORECASE)
_ARTICLE = re.compile(
    rf"(?:{any_of('sentences.articles', 'sentences.all_articles')}\s+"
    rf"|{any_of('sentences.article_elisions')}['’])(?=\S)",
    re.IGNORECASE,
)


class Heading(NamedTuple):
    """A heading: its level (1 is the topmost, 0 unknown), and whether the file or a bookmark marks
    it.
    """

    level: int
    given: bool = False


def alphabetical_runs(titles: Sequence[str]) -> list[range]:
    """Return the runs of ``titles`` in alphabetical order that are long enough for a glossary;
    single titles may be out of order.
    """
    keys = [_sorting_keys(title) for title in titles]
    runs, start, last = [], 0, ""

    def following(at: int) -> str | None:
        # The sorting key of the title if it comes after the last one, by its first three letters.
        return next((key for key in keys[at] if key[:3] >= last[:3]), None)

    for at in range(len(titles)):
        reach = chr(ord(last[0]) + _MISSING_LETTERS) if last else "\U0010ffff"
        key = following(at)
        if key is not None and (at == start or key[:1] <= reach):
            last = key
            continue
        after = following(at + 1) if start < at < len(titles) - 1 else None
        if after is not None and after[:1] <= reach:
            continue  # only this one is out of place
        runs.append(range(start, at))
        start, last = at, keys[at][0]
    runs.append(range(start, len(titles)))
    return [run for run in runs if len(run) >= _GLOSSARY_SIZE]


def _sorting_keys(title: str) -> list[str]:
    # Its letters without accents, with and without an article at the beginning.
    bare = title.strip(" \"“”„«»'’.…([")
    texts = (bare.casefold(), _ARTICLE.sub("", bare, count=1).casefold())
    return ["".join(filter(str.isalnum, unicodedata.normalize("NFKD", text))) for text in texts]


def join_split_headings(units: Sequence[Unit], document: Document) -> list[Unit]:
    """Return ``units`` with the lines of each heading joined to one unit: "Chapter 3" and its
    title, or a title of two lines.

    The lines are below each other on a page, in a heading style, and one of these applies:
    together, but not alone, they are the title of a bookmark or a line of contents; the first is
    only a label with a number; or they are as close as lines of one paragraph.
    """
    titles = {letters(bookmark.title) for bookmark in document.bookmarks} or {
        letters(title_key(unit.text))
        for unit in units
        if not unit.in_heading_style and len(unit.text) <= 2 * LONGEST_HEADING
    }
    found, at = [], 0
    labels = _labels_above_titles(units)
    while at < len(units):
        count = 1
        if at in labels:
            count = 2
            if units[at].in_heading_style and units[at + 1].in_heading_style:
                more = units[at + 1 : at + 1 + _MOST_LINES]
                count = 1 + _heading_lines(more, titles, document.pages)
        elif units[at].in_heading_style:
            count = _heading_lines(units[at : at + _MOST_LINES], titles, document.pages)
        found.append(_joined(units[at : at + count]))
        at += count
    return found


def _heading_lines(units: Sequence[Unit], titles: set[str], pages: PageMap | None) -> int:
    first, together = units[0], 1
    while together < len(units) and (
        units[together].in_heading_style
        and units[together].block.page == first.block.page
        and not units[together].bullet
    ):
        together += 1

    def is_in_one_style(count: int) -> bool:
        return len({(round(u.block.size), u.block.bold) for u in units[:count]}) == 1

    for count in range(together, 1, -1):
        rest = "".join(unit.text for unit in units[1:count])
        named = {letters(first.text + rest), letters(first.name + rest)} & titles
        single = any(letters(unit.text) in titles for unit in units[:count])
        if named and not single and is_in_one_style(count):
            return count
    if together > 1 and _is_label(first) and not units[1].number and units[1].is_title:
        return 2
    count = 1
    while (
        pages
        and count < together
        and is_in_one_style(count + 1)
        and not units[count].number
        and units[count].block.kind is not BlockKind.ITEM
        and letters(units[count].text) not in titles
        and _follows_closely(pages, units[count - 1].span, units[count].span)
    ):
        count += 1
    return count


def _follows_closely(pages: PageMap, above: Span, below: Span) -> bool:
    upper, lower = pages.boxes([above]), pages.boxes([below])
    if not upper or not lower or upper[-1].page != lower[0].page:
        return False
    last, first = upper[-1].boxes[-1], lower[0].boxes[0]
    close = 0 < first.top - last.top < _NEXT * (last.bottom - last.top)
    return close and first.left < last.right and last.left < first.right


def _is_label(unit: Unit) -> bool:
    # "Chapter 3", "Appendix A"
    return bool(unit.number and unit.number.style is NumberStyle.LABELLED and not unit.name)


def _labels_above_titles(units: Sequence[Unit]) -> set[int]:
    # "Capitolo 1" with its title on the next line, if most such labels have one; a title with a
    # full stop counts only if others have none.
    labels: dict[str, list[tuple[int, bool, bool]]] = defaultdict(list)
    for at, unit in enumerate(units[:-2]):
        if unit.number and _is_label(unit) and unit.first:
            below = units[at + 1]
            titled = _heads_label(units, at)
            sentence = not below.is_title and not _IN_BRACKETS.fullmatch(below.text)
            labels[unit.number.form].append((at, titled, titled and not sentence))
    return {
        at
        for each in labels.values()
        if 2 * sum(sure for _, _, sure in each) > len(each)
        for at, titled, _ in each
        if titled
    }


def _heads_label(units: Sequence[Unit], at: int) -> bool:
    # Whether the line below the label ``at`` is its title instead of text.
    label, below, after = units[at : at + 3]
    if below.number or below.bullet or not (below.first or below.block is label.block):
        return False
    if below.block.kind in (BlockKind.ROW, BlockKind.CODE, BlockKind.CONTENTS, BlockKind.FURNITURE):
        return False
    if not (below.is_title or _IN_BRACKETS.fullmatch(below.text)):
        short = len(below.text) <= SHORT_TITLE and below.text.endswith(".")
        if not short or _FINITE.search(below.text) or not below.text[:1].isupper():
            return False
    level = label.block.level if label.block.kind is BlockKind.HEADING else 0
    if below.block.kind is BlockKind.HEADING and below.block.level > level > 0:
        # The only heading in it
        for unit in units[at + 2 :]:
            if unit.block.kind is BlockKind.HEADING and unit.block.level <= below.block.level:
                return unit.block.level <= level
        return True
    if below.last:
        return after.block is not below.block
    begins = after.number or not after.text[:1].islower()
    return len(below.text) <= SHORT_TITLE and not _FINITE.search(below.text) and bool(begins)


def _joined(units: Sequence[Unit]) -> Unit:
    first, below = units[0], " ".join(unit.text for unit in units[1:])
    if not below:
        return first
    joined = replace(first, text=f"{first.text} {below}", last=True)
    joined.span = Span(first.span.start, units[-1].span.end)
    if _is_label(first):
        joined.name = joined.title = below
        if in_brackets := _IN_BRACKETS.fullmatch(below):
            joined.title = in_brackets[1]
        if not first.looks_like_heading:
            heading = next((unit for unit in units if unit.looks_like_heading), first)
            joined.block, joined.in_heading_style = heading.block, heading.in_heading_style
    else:
        joined.number = number = parse_number(joined.text)
        joined.name = joined.text[number.length if number else 0 :].strip()
    return joined


def raise_titles(units: Sequence[Unit]) -> None:
    """Mark numbered lines right above marked headings as headings, too, if they count up from a
    first number: "I. Singles" and "II. Teams" above "### § 1" and "### § 4".
    """
    for _ in range(_MOST_RAISED):
        runs: dict[tuple[NumberStyle, str], list[int]] = defaultdict(list)
        for at in range(len(units) - 1):
            number = units[at].number
            if number and _is_right_above(units, at):
                run = runs[number.kind]
                if run and (before := units[run[-1]].number) and before.is_followed_by(number):
                    run.append(at)
                elif len(run) < _FEWEST and number.is_first:
                    runs[number.kind] = [at]
        long = [run for run in runs.values() if len(run) >= _FEWEST]
        # "1. Rounds" right below "V. Teams" is raised first.
        deep = [run for run in long if any(units[at - 1].is_numbered_title for at in run)]
        run = next(iter([*deep, *long]), [])
        level = min((units[at + 1].block.level for at in run), default=0)
        for unit in units if run else ():
            if unit.block.kind is BlockKind.HEADING and unit.block.level >= level:
                unit.block = replace(unit.block, level=unit.block.level + 1)
        for at in run:
            units[at].block = replace(units[at].block, kind=BlockKind.HEADING, level=level)


def _is_right_above(units: Sequence[Unit], at: int) -> bool:
    # Whether it is a short numbered title above a marked heading, and not the end of a list.
    unit, below = units[at], units[at + 1].block
    number, before = unit.number, units[at - 1].number if at else None
    return (
        below.kind is BlockKind.HEADING
        and below.level > 0
        and not below.page
        and unit.is_numbered_title
        and number is not None
        and not _FINITE.search(unit.text)
        and not (before and before.is_followed_by(number))
    )


@dataclass
class HeadingFinder:
    """Finds the headings among the ``units`` of ``document``."""

    document: Document
    units: Sequence[Unit]
    contents: ContentsLists
    numbering: dict[int, NumberedUnit]
    _free: list[int] = field(init=False)  # units that are neither lines of contents nor furniture
    _signatures: range = field(init=False)
    _found: dict[int, Heading] = field(init=False, default_factory=dict)

    def find(self) -> dict[int, Heading]:
        """Return the headings by the indices of their units."""
        units, contents, found = self.units, self.contents, self._found
        self._free = [
            at
            for at, unit in enumerate(units)
            if at not in contents.listed and unit.block.kind is not BlockKind.FURNITURE
        ]
        self._signatures = signatures(units)
        marked = [
            at
            for at in self._free
            if units[at].block.kind is BlockKind.HEADING
            and (
                units[at].block.level
                or (not _LABELLED.match(units[at].text) and self._may_head(at))
            )
        ]
        in_style = [
            at
            for at in self._free
            if units[at].looks_like_heading and (units[at].block.level or self._may_head(at))
        ]
        cover, beside = self._cover(in_style)
        in_style = [at for at in in_style if at not in beside]
        later = [units[at] for at in in_style if at not in cover]
        ranks = _style_ranks({unit.style for unit in later if unit.block.size})
        named = find_bookmarked(self.document.bookmarks, units, self._free)
        largest = max((units[at].block.size for at in cover), default=0.0)
        if not named and largest > max((size for size, _ in ranks), default=0.0):
            # All headings are below the title.
            ranks = {style: rank + 1 for style, rank in ranks.items()}
        for at in marked:
            unit = units[at]
            listed = contents.levels.get(title_key(unit.text), 0) if not unit.block.size else 0
            level = unit.block.level or listed or ranks.get(unit.style, 0)
            found[at] = Heading(level, unit.block.level > 0)
        found.update({at: Heading(level, True) for at, level in named.items()})
        items = self._list_items()
        styled = [
            at
            for at in in_style
            if at not in found and units[at].in_heading_style and at not in items
        ]
        if self._marks_all(marked):
            titled = sum(units[at].block.level == 1 for at in marked) == 1
            styled = [at for at in styled if at in cover and not titled]
        levels = self._levels_of_styles(ranks)
        for at in styled:
            found[at] = Heading(1 if at in cover else levels.get(units[at].style, 0))
        given = {title_key(units[at].text) for at, heading in found.items() if heading.given}
        few = len(given & contents.levels.keys()) < _NAMED * len(contents.levels)
        if not given and not styled:
            self._find_in_plain_text(only_named=False)
        elif self.document.extracted is None and few:  # underlined by chance
            self._find_in_plain_text(only_named=True)
        elif len(found) == 1:  # the title of a page whose other headings are only bold
            bold = [at for at in self._free if at not in found and _is_bold_line(units[at])]
            bold = [at for at in bold if self._may_head(at)]
            found.update({at: Heading(2) for at in bold})
        elif self._marks_all(marked):
            self._find_bold_titles()
        self._head_contents()
        self._nest_glossaries()
        return found

    def _may_head(self, at: int) -> bool:
        unit, above = self.units[at], self.units[at - 1].text if at else ""
        return not (
            _AUTHORS.fullmatch(above)  # "Herausgegeben von" above a name
            or at in self._signatures
            or heads_nothing(unit.text)
            or _TYPED_ITEM.match(unit.text)
            or self._is_in_a_sentence(at)
        )

    def _is_in_a_sentence(self, at: int) -> bool:
        # A long line on a page that continues the line before, or continues on the next.
        unit, below = self.units[at], self.units[at + 1 : at + 2]
        if not unit.block.page or unit.number or len(unit.text) <= SHORT:
            return False
        return any(line.text[:1].islower() for line in (unit, *below))

    def _find_bold_titles(self) -> None:
        # Short bold lines above text, below the headings marked in Markdown.
        found, units = self._found, self.units
        lines = {
            at
            for at in self._free
            if at not in found
            and at not in self.numbering
            and self.document.text[slice(*units[at].span)].startswith("**")
            and len(units[at].text) <= SHORT_TITLE
            and _is_bold_line(units[at])
            and not _FINITE.search(units[at].text)
            and self._may_head(at)
        }
        texts = (BlockKind.PARAGRAPH, BlockKind.ITEM)
        headed = [
            at
            for at, below in pairwise(self._free)
            if at in lines and not {below} & {*lines, *found} and units[below].block.kind in texts
        ]
        if len(headed) >= _FEWEST:
            level, given = 0, sorted(at for at, heading in found.items() if heading.given)
            for at in headed:
                before = bisect_right(given, at)
                if before and (level := found[given[before - 1]].level) > 1:
                    found[at] = Heading(level + 1)

    def _marks_all(self, marked: Sequence[int]) -> bool:
        # Whether so many headings are marked with levels that lines which only look like headings
        # are none.
        blocks = [self.units[at].block for at in marked]
        levels = sum(block.level > 0 and not block.page for block in blocks)
        spans = [self.units[at].span for at in self._free]
        length = sum(span.end - span.start for span in spans)
        return levels >= _FEWEST and length <= _SECTION * levels

    def _head_contents(self) -> None:
        # Headings of contents get the level of the first marked heading below, or else of the first
        # heading after the list, because they contain only the list.
        found, order = self._found, sorted(self._found)
        given = [at for at in order if found[at].given]
        others = [at for at in order if at not in self.contents.heads]
        listed = sorted(self.contents.listed)

        def level_after(at: int, headings: Sequence[int]) -> int:
            after = bisect_right(headings, at)
            return found[headings[after]].level if after < len(headings) else 0

        for at in sorted(self.contents.heads):
            if at not in found or not found[at].given:
                first = bisect_right(listed, at)
                below = listed[first] if first < len(listed) else at
                found[at] = Heading(level_after(at, given) or level_after(below, others))

    def _nest_glossaries(self) -> None:
        # Headings in alphabetical order with unknown levels go below the heading of the glossary
        # before them.
        found, units = self._found, self.units
        order = [at for at in sorted(found) if not units[at].number]
        for run in alphabetical_runs([units[at].text for at in order]):
            for first in (run.start, run.start + 1):
                if 0 < first < len(order) and _GLOSSARY.fullmatch(units[order[first - 1]].text):
                    break
            else:
                continue
            if not found[order[first]].given:
                head = order[first - 1]
                found[head] = found[head]._replace(level=found[head].level or 1)
                for at in order[first : run.stop]:
                    found[at] = found[at]._replace(level=found[head].level + 1)

    def _list_items(self) -> set[int]:
        # Bulleted items, and numbers whose siblings are mostly not in a heading style, unless one
        # in the same style is above a number like 1.1.
        units, numbering = self.units, self.numbering
        chapters = {
            (above.parent, units[above.at].style)
            for each in numbering.values()
            if (above := each.parent)
            and units[above.at].in_heading_style
            and units[each.at].in_heading_style
        }
        whole = [
            each
            for each in numbering.values()
            if each.number.is_whole and (each.parent, units[each.at].style) not in chapters
        ]
        styled: dict[tuple[NumberedUnit | None, NumberStyle], Counter[bool]] = defaultdict(Counter)
        for each in whole:
            styled[each.parent, each.number.style][units[each.at].in_heading_style] += 1
        return {
            each.at
            for each in whole
            if (count := styled[each.parent, each.number.style])[True] < count[False]
        } | {
            at
            for at, unit in enumerate(units)
            if unit.block.kind is BlockKind.ITEM and unit.bullet and at not in numbering
        }

    def _cover(self, in_style: Sequence[int]) -> tuple[set[int], set[int]]:
        # The lines of a title page, in styles that no later heading has: the title (in the largest
        # style), and other lines such as names of authors.
        units = self.units
        first = min(_COVER, len(units))
        first = next((at for at in range(first) if self._ends_cover(at)), first)
        later = {units[at].style for at in in_style if at >= first}
        page = units[0].block.page if units else 0
        alone = first < len(units) and units[first].block.page > page > 0  # a page of its own
        lines = [
            at
            for at in in_style
            if at < first
            and units[at].block.size
            and (units[at].style not in later or (alone and units[at].block.page == page))
        ]
        largest = max((units[at].block.size for at in lines), default=0.0)
        title = {at for at in lines if units[at].block.size > 0.95 * largest}
        last = max(title, default=first)
        names = {at for at in in_style if last < at < first and at + 1 in in_style}
        return title, (set(lines) | names) - title

    def _ends_cover(self, at: int) -> bool:
        unit, contents = self.units[at], self.contents
        return unit.block.kind is not BlockKind.FURNITURE and (
            at in contents.heads
            or at in contents.listed
            or at in self.numbering
            or len(unit.text) > LONGEST_HEADING
            or unit.block.kind is BlockKind.ITEM
        )

    def _levels_of_styles(self, ranks: dict[Style, int]) -> dict[Style, int]:
        # The level of most marked headings in that style, or else one below the next larger style.
        seen: dict[Style, Counter[int]] = defaultdict(Counter)
        for at, heading in self._found.items():
            seen[self.units[at].style][heading.level] += 1
        if not seen:
            return ranks
        levels: dict[Style, int] = {}
        above = 0
        for style in _style_ranks({*ranks, *(style for style in seen if style[0])}):
            if style in seen:
                above = levels[style] = seen[style].most_common(1)[0][0]
            else:
                levels[style] = above + 1
        return levels

    def _find_in_plain_text(self, only_named: bool) -> None:
        # Headings of a text without marked ones: lines named in the contents, separate lines, and
        # lines in capitals; also first lines of paragraphs if many are in alphabetical order.
        levels = self.contents.levels
        plain: dict[int, Heading] = {}
        run_in: list[int] = []
        colons = [] if only_named else [at for at in self._free if self._announces(at)]
        for at, below in zip(self._free, [*self._free[1:], None], strict=False):
            unit, numbered = self.units[at], at in self.numbering
            if (
                not unit.is_title
                or unit.bullet
                or unit.block.kind in (BlockKind.ROW, BlockKind.CODE)
                or _LABELLED.match(unit.text)
            ):
                continue
            level = levels.get(title_key(unit.text))
            if level is not None and (unit.first or numbered):
                plain[at] = Heading(0 if unit.number else level)
            elif numbered or unit.number:
                continue
            elif (
                unit.first
                and not unit.last
                and len(unit.text) <= SHORT // 2 + 20
                and unit.text[:1].isalnum()
            ):
                run_in.append(at)
            elif below is not None and _stands_alone(unit) and self._may_head(at):
                plain[at] = Heading(0)
        if len(colons) >= _FEWEST_COLONS and len(colons) > len(plain):
            plain = {at: Heading(0) for at in colons}
        for run in alphabetical_runs([self.units[at].text for at in run_in]):
            plain.update({at: Heading(0) for at in run_in[run.start : run.stop]})
        for at, heading in plain.items():
            if not only_named or title_key(self.units[at].text) in levels:
                self._found.setdefault(at, heading)

    def _announces(self, at: int) -> bool:
        # Whether it is a separate line of a few words with a colon above text: "Buying cards:".
        unit, few = self.units[at], len(self.units[at].text) <= SHORT_TITLE
        free = unit.alone and unit.block.kind is BlockKind.PARAGRAPH and at not in self.numbering
        return (
            few
            and free
            and not (unit.bullet or unit.number or unit.text[:1].islower())
            and unit.text.endswith(":")
            and len(unit.text.split()) <= _COLON_WORDS
            and not _FINITE.search(unit.text)
            and self._may_head(at)
        )


def _style_ranks(styles: set[Style]) -> dict[Style, int]:
    # The largest is 1; bold ranks above plain in the same size.
    order = sorted(styles, key=lambda style: (-style[0], not style[1]))
    return {style: level for level, style in enumerate(order, 1)}


def _is_bold_line(unit: Unit) -> bool:
    bold = unit.block.kind is BlockKind.PARAGRAPH and unit.block.bold and unit.alone
    return bold and unit.is_title and not _LABELLED.match(unit.text)


def _stands_alone(unit: Unit) -> bool:
    # Whether it is a line of its own that begins like a heading.
    if len(unit.text) > SHORT or unit.text[:1].islower() or _COUNTED.fullmatch(unit.text):
        return False
    if unit.first and unit.text.isupper() and sum(map(str.isalpha, unit.text)) > 3:
        return True
    return unit.alone and not _FINITE.search(unit.text)
