"""Reads any document as an outline, from its marked headings, its numbers and its tables of
contents.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from corpus import titles
from corpus.blocks import Block, BlockKind
from corpus.document import Document
from corpus.draft import DraftEntry, DraftRulebook, walk
from corpus.formats.lines import front_matter
from corpus.languages import any_of
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.layouts.outline.contents import ContentsLists, find_contents, title_key
from corpus.layouts.outline.headings import (
    Heading,
    HeadingFinder,
    alphabetical_runs,
    join_split_headings,
    raise_titles,
)
from corpus.layouts.outline.numbering import NumberedUnit, find_numbering, mark_headings
from corpus.layouts.outline.passages import PassageBuilder, asks, lead_in, listing
from corpus.layouts.outline.printed_numbers import NumberStyle
from corpus.layouts.outline.remarks import drop_cited_numbers, drop_foreign_labels
from corpus.layouts.outline.units import (
    LONGEST_HEADING,
    SHORT,
    Unit,
    add_bare_numbers,
    add_small_labels,
    make_units,
)
from corpus.model import FRONT_MATTER, MARKUP, Corrections, Edition, Fault, Furniture, Kind

_GLOSSARY = re.compile(rf"\W*{any_of('sections.glossary')}\W*", re.IGNORECASE)
_NOTE_MARK = re.compile(r"\[\^[\w-]{1,20}\]")
_NOTE = re.compile(rf"({_NOTE_MARK.pattern}):")  # a footnote of Markdown
_TITLES = 0.5  # share of numbers of a depth that are titles, from which all short ones are
_INDENTED = 6  # least points by which an item is indented further than text after its list
_SENTENCE = 60  # characters; a longer numbered heading with a full stop is a rule

# Key for numbers of one kind with the same parent (None: at the top)
_Siblings = tuple[NumberedUnit | None, tuple[NumberStyle, str]]


@dataclass(slots=True)
class OutlineEvidence:
    """Everything known of the units of a document before its tree is built: tables of contents,
    numbers and headings.
    """

    text: str
    units: Sequence[Unit]
    contents: ContentsLists
    numbering: dict[int, NumberedUnit]
    headings: dict[int, Heading]


def gather(document: Document) -> OutlineEvidence:
    """Gather the evidence for the outline of ``document``."""
    units = make_units(document)
    add_small_labels(units, document.text)
    drop_foreign_labels(units, document.text)
    drop_cited_numbers(units)
    units = join_split_headings(units, document)
    add_bare_numbers(units)
    raise_titles(units)
    contents = find_contents(units, document.text)
    candidates = [
        at
        for at, unit in enumerate(units)
        if at not in contents.listed
        and (
            (unit.number and not _is_in_cells(unit.block) and not _is_listed_label(unit))
            or unit.looks_like_heading
            or (len(unit.text) <= LONGEST_HEADING and title_key(unit.text) in contents.levels)
        )
    ]
    numbering = find_numbering(units, candidates)
    headings = HeadingFinder(document, units, contents, numbering).find()
    mark_headings(numbering, headings)
    return OutlineEvidence(document.text, units, contents, numbering, headings)


def _is_listed_label(unit: Unit) -> bool:
    # "• Art. 6" in a list of the articles of a part.
    labelled = unit.number and unit.number.style is NumberStyle.LABELLED
    return bool(labelled) and unit.bullet and not unit.name


def _is_in_cells(block: Block) -> bool:
    # A number in a table belongs to a rule only if it is in the cell before the text.
    return len(block.cells) > 2 or (len(block.cells) == 2 and not block.cells[0])


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the entries of ``document``: headings and numbered units, nested by level and number;
    all other units are text.
    """
    evidence = gather(document)
    for fault in (Fault.FURNITURE, Fault.HEADING, Fault.NOT_HEADING):
        lines = {correction.line for correction in corrections.of(fault)}
        for at, unit in enumerate(evidence.units) if lines else ():
            if document.line_at(unit.span.start) not in lines:
                continue
            if fault is Fault.FURNITURE:
                unit.block = replace(unit.block, kind=BlockKind.FURNITURE)
            elif fault is Fault.HEADING:
                evidence.headings.setdefault(at, Heading(0))
            else:
                evidence.headings.pop(at, None)
                if at in evidence.numbering:
                    evidence.numbering[at].system = False
    return build(evidence, edition.title)


@dataclass(slots=True)
class _OpenEntry:
    """An entry to which text and entries may be added. ``level`` is that of its heading, 0 if
    unknown; ``given`` means that the file itself marks the heading.
    """

    entry: DraftEntry
    at: int
    level: int = 0
    given: bool = False
    number: NumberedUnit | None = None
    body: list[int] = field(default_factory=list)


def build(evidence: OutlineEvidence, title: str) -> DraftRulebook:
    """Return the tree of entries of a document called ``title``, with their passages."""
    return _TreeBuilder(evidence, title).rulebook


class _TreeBuilder:
    def __init__(self, evidence: OutlineEvidence, title: str):
        self._units, self._contents = evidence.units, evidence.contents
        self._numbering, self._headings = evidence.numbering, evidence.headings
        self._text, self._title = evidence.text, title
        self._front = front_matter(evidence.text)
        self._open: list[_OpenEntry] = []
        self._all: list[_OpenEntry] = []
        self._notes: dict[str, _OpenEntry] = {}  # the entries that refer to footnotes
        self._parents = {each.parent.at for each in self._numbering.values() if each.parent}
        # The items so far of the current list in each unit, and the last items of all lists.
        self._items: dict[int, list[_OpenEntry]] = defaultdict(list)
        self._ending = _last_items(self._numbering)
        # Depths of numbers that headings have, or that are mostly titles.
        depths = Counter(each.number.depth for each in self._numbering.values())
        titles = Counter(
            each.number.depth for at, each in self._numbering.items() if self._stands_as_title(at)
        )
        self._titled = {
            self._numbering[at].number.depth for at in self._headings.keys() & self._numbering
        } | {depth for depth, count in titles.items() if count >= _TITLES * depths[depth]}
        self._beside: dict[_Siblings, Counter[bool]] = defaultdict(Counter)
        for at, number in self._numbering.items():
            unit = self._units[at]
            stands = unit.is_title and unit.alone and self._has_text_below(at)
            self._beside[number.parent, number.number.kind][stands] += 1
        self.rulebook = DraftRulebook()
        for at, unit in enumerate(self._units):
            if unit.block.kind is BlockKind.FURNITURE:
                self.rulebook.furniture.append(Furniture(unit.span, self._furniture(unit)))
                continue
            listed = at in self._contents.listed
            if listed or not (self._add_numbered(at) or self._add_heading(at)):
                if not self._open:  # before the first heading
                    self._push(_OpenEntry(DraftEntry(Kind.SECTION, title), at))
                while self._is_behind_list(unit):
                    self._open.pop()
                note = _NOTE.match(unit.text)
                noted = self._notes.get(note[1]) if note else None
                (noted or self._open[-1]).body.append(at)
            for mark in _NOTE_MARK.findall(unit.text):
                self._notes.setdefault(mark, self._open[-1])
        self._entered = {each.at for each in self._all}
        for each in self._all:
            self._add_passages(each)
        self._set_lead_ins()
        _mark_terms(self.rulebook.entries)

    def _furniture(self, unit: Unit) -> str:
        # A running head on pages, markup in a text file.
        if not unit.printed and unit.span.end <= self._front:
            return FRONT_MATTER
        return "running head or page number" if unit.printed or unit.block.page else MARKUP

    def _push(self, opened: _OpenEntry) -> None:
        siblings = self._open[-1].entry.children if self._open else self.rulebook.entries
        siblings.append(opened.entry)
        self._open.append(opened)
        self._all.append(opened)

    def _add_heading(self, at: int) -> bool:
        # An unnumbered heading is added to the nearest entry of a higher level.
        if (heading := self._headings.get(at)) is None:
            return False
        unit = self._units[at]
        if self._heads_front(unit):
            front = self._all[0]
            front.entry.heading, front.entry.heading_spans = unit.text, [unit.span]
            front.level, front.given = heading
            return True
        while self._open and not (0 < self._open[-1].level < heading.level):
            self._open.pop()
        entry = DraftEntry(
            Kind.SECTION, unit.text or self._title, [unit.span], title=unit.title or None
        )
        self._push(_OpenEntry(entry, at, heading.level, heading.given))
        return True

    def _is_behind_list(self, unit: Unit) -> bool:
        # Whether a paragraph after the last item of a list belongs to the numbered unit around
        # the list. In a text file it is indented no further than the items, elsewhere less. It may
        # belong to the item if an item has such paragraphs, is a title, or ends in a colon.
        item = self._open[-1]
        outer = item.number.parent if item.number else None
        if not unit.first or unit.bullet or not item.body or item.number is None or outer is None:
            return False
        block, last = self._units[item.at].block, self._units[item.body[-1]].text
        items = self._items[outer.at]
        if unit.printed:
            behind = unit.block.indent <= block.indent - _INDENTED
            behind = behind and len(items) > 1 and not last.endswith(":")
        else:
            behind = unit.block.indent <= block.indent and last.endswith((".", ";", ",", ")"))
        return (
            behind
            and unit.block.kind is BlockKind.PARAGRAPH
            and block.kind is BlockKind.ITEM
            and len(item.number.number.parts) == 1  # "2.3" is a rule, no item
            and item.at in self._ending
            and len(self._open) > 1
            and self._open[-2].number is outer
            and not any(self._is_own_paragraph(at, each) for each in items for at in each.body)
        )

    def _is_own_paragraph(self, at: int, item: _OpenEntry) -> bool:
        # Whether a unit in an item is a further paragraph, indented no more than the first.
        block, first = self._units[at].block, self._units[item.at].block
        other = block is not first and block.kind is not BlockKind.ITEM
        return other and block.indent <= first.indent

    def _heads_front(self, unit: Unit) -> bool:
        # Whether it is the title of the document, below the first lines of a title page.
        one = len(self._all) == 1 and not self._all[0].entry.heading_spans
        return one and title_key(unit.text) == title_key(self._title)

    def _add_numbered(self, at: int) -> bool:
        number = self._numbering.get(at)
        if number is None or not number.system:
            return False
        unit, heading = self._units[at], self._headings.get(at)
        closed = all(number.parent and each.at != number.parent.at for each in self._open)
        if not number.is_own and not heading and closed:
            return False  # an item of a list whose rule has ended
        section = self._is_section(at)
        level, given = heading or Heading(0)
        while self._open and not self._goes_into(self._open[-1], number, section):
            self._open.pop()
        if section:
            title = titles.title(unit.title, {}) if unit.title else None
            entry = DraftEntry(Kind.SECTION, unit.text, [unit.span], title=title)
        elif unit.block.kind is BlockKind.HEADING and len(unit.text) <= LONGEST_HEADING:
            entry = DraftEntry(Kind.RULE, unit.text)
        else:
            title = number.full if number.full.endswith(")") else None
            entry = DraftEntry(Kind.RULE, number.full, title=title)
        entry.number = number.full
        body = [] if section else [at]
        self._push(_OpenEntry(entry, at, level, given, number, body))
        if number.parent:
            items = self._items[number.parent.at]
            if number.number.is_first:
                items.clear()
            items.append(self._open[-1])
        return True

    def _goes_into(self, opened: _OpenEntry, number: NumberedUnit, section: bool) -> bool:
        heading = self._headings.get(number.at)
        level = heading.level if heading else 0
        if outer := opened.number:
            parts, around = number.number.parts, outer.number.parts
            related = outer.number.contains(number.number) or around[:-1] == parts[:-1] != ()
            if heading and heading.given and not related:
                # Levels marked in the file win over a number of another sequence, except for
                # articles within a chapter.
                in_chapter = outer is number.parent and outer.number.is_chapter
                inside = in_chapter and not number.number.is_chapter and opened.level == level
                return inside or 0 < opened.level < level
            return outer is number.parent
        if level and opened.level:
            return opened.level < level
        return opened.given or not section

    def _is_section(self, at: int) -> bool:
        # Whether a numbered unit is only a heading: not a sentence, and marked, in bold, or with
        # numbers inside it.
        unit, heading = self._units[at], self._headings.get(at)
        number = self._numbering[at].number
        if not unit.name:  # "Art. 1" on a line of its own
            own = not number.is_whole and at in self._parents
            return number.style is NumberStyle.LABELLED or own
        if self._numbering[at].titled or unit.title:
            return True
        if unit.block.kind is BlockKind.HEADING:
            sentence = unit.text.endswith((".", ";")) and len(unit.text) > _SENTENCE
            return len(unit.text) <= LONGEST_HEADING and not sentence
        if heading and (unit.in_heading_style or heading.given):
            return True
        if not unit.is_title or not (unit.last or heading) or self._looks_plain(at):
            return False
        if heading is None and self._is_item(at):
            return False
        return (
            heading is not None
            or at in self._parents
            or "**" in self._text[unit.span.start : unit.span.end]
            or (unit.alone and self._has_text_below(at))
        )

    def _is_item(self, at: int) -> bool:
        # Whether it is an item: most of its siblings are not titles with text below.
        number = self._numbering[at]
        if number.is_own and not number.runs_on:
            return False
        count = self._beside[number.parent, number.number.kind]
        return count[True] < count[False]

    def _looks_plain(self, at: int) -> bool:
        # Whether it is printed like text, unlike headings, and is not a title like most numbers
        # of its depth.
        if at in self._headings or not self._headings or not self._units[at].block.size:
            return False
        depth = self._numbering[at].number.depth
        return depth not in self._titled or not self._stands_as_title(at)

    def _stands_as_title(self, at: int) -> bool:
        # Whether it is a short line of its own with text or its own numbers below, and not a
        # list item.
        unit, below = self._units[at], self._numbering.get(at + 1)
        title = self._numbering[at].is_own and unit.is_title and unit.alone
        inside = below is not None and below.parent is self._numbering[at]
        inside = inside and len(unit.text) <= SHORT
        return title and (inside or self._has_text_below(at))

    def _has_text_below(self, at: int) -> bool:
        below = at + 1
        return (
            below < len(self._units)
            and below not in self._numbering
            and below not in self._headings
        )

    def _add_passages(self, opened: _OpenEntry) -> None:
        passages, listed = opened.entry.passages, []
        unit, more, inner = self._units[opened.at], opened.body[1:], opened.entry.children
        labels = (unit.alone and (more or inner)) or (inner and not more)
        if opened.entry.kind is Kind.RULE and not unit.name and labels:
            # "Art. 3" alone above its text, "3." before "a) The first item"
            opened.entry.heading_spans = [self._units[opened.body.pop(0)].span]
        questions = [asks(self._units[at], self._text) for at in opened.body]
        numbered = opened.entry.kind is Kind.RULE and questions[:1] == [True]
        many, rule = numbered or sum(questions) > 1, opened.entry.kind is Kind.RULE
        builder = PassageBuilder(self._text, passages, many, rule)
        for at in opened.body:
            if at in self._contents.listed:
                listed.append(self._units[at].span)
            else:
                builder.add(self._units[at], self._item(at) if at != opened.at else "")
        builder.close()
        if listed:
            passages += listing(listed, self._text)
            passages.sort(key=lambda passage: passage.spans[0])
        if opened.entry.kind is Kind.RULE and passages:
            passages[0].depth = 0

    def _item(self, at: int) -> str:
        # Its list number, after those of the items around it.
        marks: list[str] = []
        number = self._numbering.get(at)
        while number and number.at not in self._entered:
            marks.insert(0, number.number.mark)
            number = number.parent
        return " ".join(marks)

    def _set_lead_ins(self) -> None:
        # The context of list items, and of rules after a colon in a rule, is the sentence that
        # introduces them.
        items = {
            id(o.entry)
            for o in self._all
            if o.at in self._numbering and not self._numbering[o.at].is_own
        }
        for entry in (opened.entry for opened in self._all):
            context, colon, at = None, False, 0
            for child in entry.children:
                if child.kind is not Kind.RULE or not child.passages:
                    continue
                # Text after a list does not introduce it.
                while (
                    at < len(entry.passages) and entry.passages[at].start < child.passages[0].start
                ):
                    context = lead_in(entry.passages[at], self._text)
                    text = self._text[context.start : context.end].rstrip("*_ ") if context else ""
                    colon = entry.kind is Kind.RULE and text.endswith(":")
                    at += 1
                if context and (colon or id(child) in items):
                    child.passages[0].context = context


def _last_items(numbering: Mapping[int, NumberedUnit]) -> set[int]:
    # The units with the last number of each sequence inside another number.
    inside: dict[int, list[int]] = defaultdict(list)
    for at in sorted(numbering):
        if parent := numbering[at].parent:
            inside[parent.at].append(at)
    return {
        at
        for units in inside.values()
        for at, behind in zip_longest(units, units[1:])
        if behind is None or numbering[behind].number.is_first
    }


def _mark_terms(entries: list[DraftEntry], glossary: bool = False) -> None:
    # Headings in alphabetical order at any level are terms, and all headings in a ``glossary``;
    # headings inside terms are subsections.
    unnumbered = [entry for entry in entries if entry.kind is Kind.SECTION and entry.number is None]
    titles = [entry.title or entry.heading for entry in unnumbered]
    for run in [range(len(titles))] if glossary else alphabetical_runs(titles):
        for entry in unnumbered[run.start : run.stop]:
            redirect = not entry.children and entry.is_see_list
            entry.kind = Kind.REDIRECT if redirect else Kind.TERM
            for child, _ in walk(entry.children):
                if child.kind is Kind.SECTION:
                    child.kind = Kind.SUBSECTION
    for entry in entries:
        if entry.kind is Kind.SECTION:
            _mark_terms(entry.children, bool(_GLOSSARY.fullmatch(entry.title or entry.heading)))


def score(document: Document) -> float:
    """Return 0.0, because this layout is chosen by its results (`corpus.layouts.recognise`)."""
    return 0.0


LAYOUT = Layout(name="outline", score=score, read=read, references=ReferenceStyle.ANY)
