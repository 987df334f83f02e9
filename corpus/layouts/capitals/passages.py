"""Makes passages of the lines below a heading; joins torn paragraphs and restores lost bullets and list numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from corpus.document import Document
from corpus.draft import DraftPassage, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.capitals.blocks import CapitalsBlock, breaks_off, goes_on, is_references
from corpus.layouts.capitals.lines import CapitalsRow, rows
from corpus.layouts.capitals.list_numbers import ListItem, missing_numbers
from corpus.model import Corrections, Fault, Furniture, Role, Span

SHORT_LIST = 900  # characters of a list of mere names up to which it is read out with the sentence that leads to it

_EXAMPLE = re.compile(rf"[\s*_(]{{0,6}}{any_of('labels.example')}\b[^:\n]{{0,30}}:")
_DOTS = ("...", "…")


@dataclass
class _PassageGroup:
    """A passage that is being built: its rows, and the items of the list inside it."""

    passage: DraftPassage
    rows: list[CapitalsRow]
    inside: list[ListItem] = field(default_factory=list)

    @property
    def first(self) -> CapitalsRow:
        return self.rows[0]

    @property
    def last(self) -> CapitalsRow:
        return self.rows[-1]


@dataclass
class CapitalsPassageBuilder:
    """Makes passages of the blocks below a heading. What is not text becomes furniture of ``rulebook``."""

    document: Document
    corrections: Corrections
    rulebook: DraftRulebook

    def passages(self, body: list[CapitalsBlock]) -> list[DraftPassage]:
        """The passages of one entry, in document order."""
        groups: list[_PassageGroup] = []
        items: list[ListItem] = []  # bullets of the outer level
        base: int | None = None  # how far the outer bullets are indented
        run = 0  # counts the lists: a paragraph between bullets begins another
        for row in rows(body, self.rulebook):
            above = groups[-1] if groups else None
            if above and self._continues(row, groups):
                continue
            if is_references(row.line.text) and (row.opens or not (row.indent or row.signs)):
                groups.append(self._begin(row, Role.SEE))
            elif row.is_item or row.indent:
                if row.is_item and above and above.passage.depth and _is_inside(row, above, base or 0):
                    self._nest(above, row)
                    continue
                if base is None:
                    base = row.indent if row.is_item else 0
                groups.append(self._begin(row, Role.TEXT, depth=1))
                items.append(ListItem(row.start, row.mark, run, groups[-1].passage))
                if not row.is_item:
                    groups[-1].passage.insertions[row.start] = "- "
            else:
                base, run = None, run + 1
                groups.append(self._begin(row, Role.TEXT))
        self._number(groups, [items])
        return [group.passage for group in self._with_names(groups)]

    def whole(self, body: list[CapitalsBlock], role: Role = Role.TEXT) -> list[DraftPassage]:
        """All of ``body`` as one passage, for a question with its answer or an erratum; none where it has no text."""
        group: _PassageGroup | None = None
        items: list[ListItem] = []
        run = 0
        for row in rows(body, self.rulebook):
            if group is None:
                group = self._begin(row, role)
            else:
                self._extend(group, row)
            if row.is_item:
                items.append(ListItem(row.start, row.mark, run, group.passage))
            elif row.opens:
                run += 1
        if group is None:
            return []
        self._number([group], [items])
        return [group.passage]

    def _begin(self, row: CapitalsRow, role: Role, depth: int = 0) -> _PassageGroup:
        return _PassageGroup(DraftPassage([Span(row.line.start, row.line.end)], role, depth), [row])

    def _extend(self, group: _PassageGroup, row: CapitalsRow) -> None:
        """Add ``row`` to ``group``, with a span of its own only where something else is between them."""
        self._join(group.passage.spans, [Span(row.line.start, row.line.end)])
        if row.opens or row.is_item:
            group.passage.split_points.append(row.line.start)
        if not row.opens and self._cuts_word(group.last.line.text, row.line.text):
            group.passage.insertions[group.last.line.end] = "-"
        group.rows.append(row)

    def _nest(self, group: _PassageGroup, row: CapitalsRow) -> None:
        self._extend(group, row)
        if not row.indent:
            group.passage.insertions[row.line.start] = " "  # a page break brought it to the outer level
        group.inside.append(ListItem(row.start, row.mark, 0, group.passage))

    def _tear(self, group: _PassageGroup, row: CapitalsRow) -> None:
        """Add ``row`` to ``group`` as the rest of a torn sentence, with a span of its own and without a wrong bullet."""
        group.passage.spans.append(Span(row.start, row.line.end))
        if row.signs:
            self.rulebook.furniture.append(Furniture(Span(row.line.start, row.start), "bullet inside a sentence"))
        group.rows.append(row)

    def _join(self, spans: list[Span], others: list[Span]) -> None:
        if self.document.text[spans[-1].end : others[0].start].strip():
            spans += others
        else:
            spans[-1:] = [Span(spans[-1].start, others[0].end), *others[1:]]

    def _continues(self, row: CapitalsRow, groups: list[_PassageGroup]) -> bool:
        """Add ``row`` to the group whose sentence, list or example it continues; False where it continues none."""
        above = groups[-1]
        before = above.last.line.text
        if torn := self.corrections.at(row.line.number, Fault.TORN):
            home = next((group for group in reversed(groups) if group.last.line.number == torn.meant), above)
            if row.signs and not goes_on(home.last.line.text, row.text):
                self._nest(home, row)
            elif row.opens:
                self._tear(home, row)
            else:
                self._extend(home, row)
            return True
        if row.is_item:
            if not _is_false_bullet(row, above):
                return False
            self._tear(above, row)
        elif above.passage.role is Role.SEE:
            if row.opens and not before.rstrip().endswith(","):
                return False
            self._extend(above, row)
        elif not row.opens:
            if is_references(row.line.text):
                if not row.indent:
                    return False
            elif row.indent and row.begins.isupper() and not breaks_off(before):
                return False  # a bullet that lost its sign
            self._extend(above, row)
        elif is_references(row.line.text):
            return False
        elif goes_on(before, row.text):
            self._tear(above, row)
        elif _EXAMPLE.match(row.line.text) and not above.passage.depth:
            self._extend(above, row)
        else:
            return False
        return True

    def _number(self, groups: list[_PassageGroup], levels: list[list[ListItem]]) -> None:
        """Restore list numbers that print lost: those that follow from the others, and those that corrections name."""
        for series in [*levels, *(group.inside for group in groups)]:
            for item, number in missing_numbers(series):
                item.passage.insertions[item.start] = item.passage.insertions.get(item.start, "") + number
        for group in groups:
            for row in group.rows:
                lost = self.corrections.at(row.line.number, Fault.NUMBER)
                if lost and lost.meant is not None and not row.mark:
                    number = str(lost.meant + row.line.number - lost.line if isinstance(lost.meant, int) else lost.meant.rstrip(". "))
                    group.passage.insertions[row.start] = f"{'' if row.signs else '- '}{number}. "

    def _with_names(self, groups: list[_PassageGroup]) -> list[_PassageGroup]:
        """``groups`` with every list of mere names joined to the sentence before it, because a name alone says nothing.

        The same holds for a sentence that breaks off in dots and ends in each of its bullets.
        """
        result: list[_PassageGroup] = []
        position = 0
        while position < len(groups):
            lead = groups[position]
            result.append(lead)
            position += 1
            if lead.passage.depth or lead.passage.role is not Role.TEXT:
                continue
            end = position
            while end < len(groups) and groups[end].passage.depth:
                end += 1
            items = groups[position:end]
            length = sum(b - a for group in (lead, *items) for a, b in group.passage.spans)
            ends = lead.last.text.rstrip().endswith(_DOTS) and all(item.first.begins.islower() for item in items)
            names = not any(row.is_sentence for item in items for row in item.rows)
            if len(items) > 1 and length <= SHORT_LIST and (ends or names):
                for item in items:
                    self._join(lead.passage.spans, item.passage.spans)
                    lead.passage.insertions.update(item.passage.insertions)
                position = end
        return result

    def _cuts_word(self, before: str, after: str) -> bool:
        """Whether a line ends in the first letter of a word and the next begins with the rest of it."""
        letter = before.rstrip()[-2:]
        rest = re.match(r"[^\W\d_]+", after)
        return bool(rest and letter[:1] == " " and letter[1:].islower() and letter[1] + rest.group() in self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+", self.document.text))


def _is_inside(row: CapitalsRow, above: _PassageGroup, base: int) -> bool:
    """Whether ``row`` is part of the bullet ``above``, by its indentation, sign or letter, or because it completes its sentence."""
    if row.inner or (row.signs and row.indent > base):
        return True
    if row.text.startswith(_DOTS) and above.first.text.rstrip().endswith(_DOTS):
        return True
    if row.mark is None or not row.mark.isalpha():
        return False
    letter = next((item.mark for item in reversed(above.inside) if item.mark and item.mark.isalpha()), None)
    return letter is not None and ord(row.mark) == ord(letter) + 1


def _is_false_bullet(row: CapitalsRow, above: _PassageGroup) -> bool:
    """Whether ``row`` is no bullet but the rest of an unfinished sentence in the bullet ``above``."""
    if not (row.opens and row.signs and above.passage.depth and not row.mark and row.begins.islower()):
        return False
    return not above.last.begins.islower() and goes_on(above.last.line.text, row.text)
