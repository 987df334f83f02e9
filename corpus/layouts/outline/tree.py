"""The tree of entries: nested by levels of headings and by numbers, and by nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from corpus.blocks import BlockKind
from corpus.draft import DraftEntry, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.outline.alphabet import alphabetical_runs
from corpus.layouts.outline.contents import ContentsLists
from corpus.layouts.outline.headings import HeadingEvidence
from corpus.layouts.outline.numbering import NumberedUnit
from corpus.layouts.outline.numbers import NumberStyle, contains
from corpus.layouts.outline.passages import OutlinePassageBuilder, is_see_list, lead_in, listing
from corpus.layouts.outline.units import LONGEST_HEADING, OutlineUnit
from corpus.model import Furniture, Kind

_GLOSSARY = re.compile(rf"\W*{any_of('sections.glossary')}\W*", re.IGNORECASE)
_TITLES = 0.5  # of the numbers of a depth are titles: then all short ones are
_SENTENCE = 60  # characters from which a heading with a number and a full stop is a rule


@dataclass(slots=True)
class OutlineEvidence:
    """Everything that is known of the units of a document before its tree is built."""

    text: str
    units: Sequence[OutlineUnit]
    contents: ContentsLists
    numbering: dict[int, NumberedUnit]
    headings: dict[int, HeadingEvidence]


@dataclass(slots=True)
class _OpenEntry:
    """An entry that may get more text and entries; ``level`` is that of its heading, 0 without
    one.
    """

    entry: DraftEntry
    at: int
    level: int
    numbered: bool
    sure: bool
    body: list[int] = field(default_factory=list)


class OutlineTreeBuilder:
    """Makes the entries of a document whose title is ``title``."""

    def __init__(self, evidence: OutlineEvidence, title: str):
        self._evidence = evidence
        self._title = title
        self._rulebook = DraftRulebook()
        self._open: list[_OpenEntry] = []
        self._all: list[_OpenEntry] = []
        self._with_children = {each.parent for each in evidence.numbering.values()}
        self._shown = {
            _depth(evidence.numbering[at])
            for at in evidence.headings.keys() & evidence.numbering.keys()
        }
        titles = Counter(
            _depth(each) for at, each in evidence.numbering.items() if self._stands_as_title(at)
        )
        depths = Counter(map(_depth, evidence.numbering.values()))
        self._titled = {
            depth for depth, count in titles.items() if count >= _TITLES * depths[depth]
        }

    def build(self) -> DraftRulebook:
        """The tree of entries with their passages."""
        evidence = self._evidence
        for at, unit in enumerate(evidence.units):
            if unit.block.kind is BlockKind.FURNITURE:
                self._rulebook.furniture.append(Furniture(unit.span, "running head or page number"))
            elif at in evidence.contents.listed:
                self._current(at).body.append(at)
            elif (
                at in evidence.numbering
                and evidence.numbering[at].system
                and self._add_numbered(at)
            ):
                continue
            elif at in evidence.headings:
                self._add_heading(at)
            else:
                self._current(at).body.append(at)
        for each in self._all:
            self._add_passages(each)
        self._set_lead_ins()
        mark_terms(self._rulebook.entries)
        return self._rulebook

    def _current(self, at: int) -> _OpenEntry:
        """The entry that is read; one with the title of the document for what stands before all
        headings.
        """
        if not self._open:
            self._push(DraftEntry(Kind.SECTION, self._title), at, 0, numbered=False)
        return self._open[-1]

    def _push(
        self, entry: DraftEntry, at: int, level: int, *, numbered: bool, sure: bool = False
    ) -> _OpenEntry:
        (self._open[-1].entry.children if self._open else self._rulebook.entries).append(entry)
        opened = _OpenEntry(entry, at, level, numbered, sure)
        self._open.append(opened)
        self._all.append(opened)
        return opened

    def _add_heading(self, at: int) -> None:
        """Open the entry of a heading without a number of the document: within the nearest one of a
        higher level.
        """
        evidence, unit = self._evidence.headings[at], self._evidence.units[at]
        while self._open and not (0 < self._open[-1].level < evidence.level):
            self._open.pop()
        entry = DraftEntry(
            Kind.SECTION, unit.text or self._title, [unit.span], title=unit.title or None
        )
        self._push(entry, at, evidence.level, numbered=False, sure=evidence.given)

    def _add_numbered(self, at: int) -> bool:
        """Open the entry of a numbered unit. False if it is an item of a list whose rule is
        closed.
        """
        numbered, unit = self._evidence.numbering[at], self._evidence.units[at]
        parent = (
            self._evidence.numbering.get(numbered.parent) if numbered.parent is not None else None
        )
        is_open = parent is not None and any(each.at == parent.at for each in self._open)
        heading = self._evidence.headings.get(at)
        if parent is not None and not is_open and not heading and not _own_number(parent, numbered):
            return False
        section = self._is_section(at)
        level = heading.level if heading else 0
        while self._open and not self._goes_into(self._open[-1], numbered, level, section):
            self._open.pop()
        if section:
            entry = DraftEntry(
                Kind.SECTION, unit.text, [unit.span], title=unit.title or None, number=numbered.full
            )
            self._push(entry, at, level, numbered=True, sure=bool(heading and heading.given))
        else:
            is_title = unit.block.kind is BlockKind.HEADING and len(unit.text) <= LONGEST_HEADING
            entry = DraftEntry(
                Kind.RULE, unit.text if is_title else numbered.full, number=numbered.full
            )
            self._push(
                entry, at, level, numbered=True, sure=bool(heading and heading.given)
            ).body.append(at)
        return True

    def _goes_into(
        self, opened: _OpenEntry, numbered: NumberedUnit, level: int, section: bool
    ) -> bool:
        """Whether an entry with the number ``numbered`` goes into ``opened``, the innermost one
        that is open.
        """
        heading = self._evidence.headings.get(numbered.at)
        if (
            opened.numbered
            and heading
            and heading.given
            and not self._is_around(opened.at, numbered)
        ):
            return (
                0 < opened.level < level
            )  # the file knows better than a number of another sequence
        if opened.numbered:
            return opened.at == numbered.parent
        if level and opened.level:
            return opened.level < level
        return opened.sure or not section

    def _is_around(self, outer: int, numbered: NumberedUnit) -> bool:
        """Whether the number of unit ``outer`` is around ``numbered`` by its parts or those of what
        it stands in: 3 around 3.2.
        """
        number = self._evidence.numbering[outer].number
        return (
            contains(number.parts, numbered.number.parts)
            or number.parts[:-1] == numbered.number.parts[:-1] != ()
        )

    def _is_section(self, at: int) -> bool:
        """Whether a numbered unit is only a heading: no sentence, and marked as one, in bold, or
        with numbers in it.
        """
        unit = self._evidence.units[at]
        if not unit.name:
            return False
        if unit.block.kind is BlockKind.HEADING:
            return len(unit.text) <= LONGEST_HEADING and not (
                unit.text.endswith((".", ";")) and len(unit.text) > _SENTENCE
            )
        if (heading := self._evidence.headings.get(at)) and (
            unit.in_heading_style or heading.given
        ):
            return True
        if (
            not unit.is_title
            or not (unit.last or at in self._evidence.headings)
            or self._looks_plain(at)
        ):
            return False
        raw = self._evidence.text[unit.span.start : unit.span.end]
        return (
            at in self._evidence.headings
            or at in self._with_children
            or "**" in raw
            or (unit.alone and self._has_text_below(at))
        )

    def _looks_plain(self, at: int) -> bool:
        """Whether unit ``at`` is printed like text where headings are not, and no title like most
        numbers as deep as it.
        """
        if (
            at in self._evidence.headings
            or not self._evidence.units[at].block.size
            or not self._evidence.headings
        ):
            return False
        return _depth(
            self._evidence.numbering[at]
        ) not in self._shown | self._titled or not self._stands_as_title(at)

    def _stands_as_title(self, at: int) -> bool:
        """Whether unit ``at`` is a short line of its own with its text below, and its number is no
        mark of a list.
        """
        numbering, unit = self._evidence.numbering, self._evidence.units[at]
        parent = numbering[at].parent
        own = parent is None or _own_number(numbering[parent], numbering[at])
        return own and unit.is_title and unit.alone and self._has_text_below(at)

    def _has_text_below(self, at: int) -> bool:
        """Whether what stands below unit ``at`` is its text: neither the next number nor a
        heading.
        """
        below = at + 1
        return (
            below < len(self._evidence.units)
            and below not in self._evidence.numbering
            and below not in self._evidence.headings
        )

    def _add_passages(self, opened: _OpenEntry) -> None:
        evidence = self._evidence
        builder = OutlinePassageBuilder(evidence.text, opened.entry.passages)
        listed = [at for at in opened.body if at in evidence.contents.listed]
        for at in opened.body:
            if at not in evidence.contents.listed:
                builder.add(evidence.units[at], at != opened.at and at in evidence.numbering)
        builder.close()
        if listed:
            opened.entry.passages += listing(
                [evidence.units[at].span for at in listed], evidence.text
            )
            opened.entry.passages.sort(key=lambda passage: passage.spans[0])
        if opened.entry.kind is Kind.RULE and opened.entry.passages:
            opened.entry.passages[0].depth = 0

    def _set_lead_ins(self) -> None:
        """Give rules within a rule the sentence that leads in to them as their context: to marks of
        a list, and to any behind a colon.
        """
        numbering = self._evidence.numbering
        found = [(each, numbering[each.at]) for each in self._all if each.at in numbering]
        marks = {
            id(each.entry)
            for each, n in found
            if n.parent is not None and not _own_number(numbering[n.parent], n)
        }
        for each in self._all:
            entry = each.entry
            if entry.kind is not Kind.RULE or not entry.passages or not entry.children:
                continue
            context = lead_in(entry.passages[-1], self._evidence.text)
            if context is not None:
                announced = (
                    self._evidence.text[context.start : context.end].rstrip("*_ ").endswith(":")
                )
                for child in entry.children:
                    if (
                        child.kind is Kind.RULE
                        and child.passages
                        and (announced or id(child) in marks)
                    ):
                        child.passages[0].context = context


def _depth(numbered: NumberedUnit) -> tuple[NumberStyle, int]:
    return numbered.number.style, len(numbered.number.parts)


def _own_number(parent: NumberedUnit, numbered: NumberedUnit) -> bool:
    """Whether ``numbered`` is a number of its own, "3.2.1" within "3.2", and no mark of a list."""
    return numbered.number.style is NumberStyle.LABELLED or (
        numbered.number.style is NumberStyle.DECIMAL
        and contains(parent.number.parts, numbered.number.parts)
    )


def mark_terms(entries: list[DraftEntry], glossary: bool = False) -> None:
    """Make terms of headings in the order of the alphabet, at every level, and of all in a
    ``glossary``; subsections of what is in them.
    """
    unnumbered = [entry for entry in entries if entry.kind is Kind.SECTION and entry.number is None]
    runs = (
        [range(len(unnumbered))]
        if glossary
        else alphabetical_runs([entry.title or entry.heading for entry in unnumbered])
    )
    for run in runs:
        for entry in unnumbered[run.start : run.stop]:
            entry.kind = (
                Kind.REDIRECT if not entry.children and is_see_list(entry.passages) else Kind.TERM
            )
            _mark_subsections(entry.children)
    for entry in entries:
        if entry.kind is Kind.SECTION:
            mark_terms(entry.children, bool(_GLOSSARY.fullmatch(entry.title or entry.heading)))


def _mark_subsections(entries: list[DraftEntry]) -> None:
    for entry in entries:
        if entry.kind is Kind.SECTION:
            entry.kind = Kind.SUBSECTION
        _mark_subsections(entry.children)
