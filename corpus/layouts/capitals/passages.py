"""Makes passages of the lines below a heading: joins interrupted paragraphs and restores lost
bullets and list numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from corpus.document import Document
from corpus.draft import DraftPassage, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.capitals.blocks import (
    CapitalsBlock,
    continues_sentence,
    is_references,
    is_unfinished,
)
from corpus.layouts.capitals.lines import CapitalsLine, read_lines
from corpus.layouts.capitals.list_numbers import ListItem, missing_numbers
from corpus.model import Corrections, Fault, Furniture, Role, Span

SHORT_LIST = 900  # characters up to which a list of names and the sentence that introduces it are one passage

_EXAMPLE = re.compile(rf"[\s*_(]{{0,6}}{any_of('labels.example')}\b[^:\n]{{0,30}}:")
_DOTS = ("...", "…")


@dataclass
class _PassageGroup:
    """A passage that is being built: its lines, and the items of the list nested in it."""

    passage: DraftPassage
    lines: list[CapitalsLine]
    nested_items: list[ListItem] = field(default_factory=list)

    @property
    def first(self) -> CapitalsLine:
        return self.lines[0]

    @property
    def last(self) -> CapitalsLine:
        return self.lines[-1]


@dataclass
class CapitalsPassageBuilder:
    """Makes passages of the blocks below a heading; characters that are not text become furniture
    of ``rulebook``.
    """

    document: Document
    corrections: Corrections
    rulebook: DraftRulebook

    def passages(self, body: list[CapitalsBlock]) -> list[DraftPassage]:
        """The passages of one entry, in document order."""
        groups: list[_PassageGroup] = []
        items: list[ListItem] = []  # bullets of the outer level
        base: int | None = None  # indentation of the bullets of the outer level
        list_number = 0  # counts the lists; a paragraph between bullets ends a list
        for line in read_lines(body, self.rulebook):
            above = groups[-1] if groups else None
            if above and self._continues(line, groups):
                continue
            if is_references(line.source.text) and (
                line.after_blank or not (line.indent or line.bullets)
            ):
                groups.append(self._begin(line, Role.SEE))
            elif line.is_item or line.indent:
                if (
                    line.is_item
                    and above
                    and above.passage.depth
                    and _is_nested(line, above, base or 0)
                ):
                    self._nest(above, line)
                    continue
                if base is None:
                    base = line.indent if line.is_item else 0
                groups.append(self._begin(line, Role.TEXT, depth=1))
                items.append(ListItem(line.start, line.mark, list_number, groups[-1].passage))
                if not line.is_item:
                    groups[-1].passage.insertions[line.start] = "- "
            else:
                base, list_number = None, list_number + 1
                groups.append(self._begin(line, Role.TEXT))
        self._restore_numbers(groups, [items])
        return [group.passage for group in self._join_name_lists(groups)]

    def whole(self, body: list[CapitalsBlock], role: Role = Role.TEXT) -> list[DraftPassage]:
        """All of ``body`` as one passage, for a question with its answer or an erratum; an empty
        list if it has no text.
        """
        group: _PassageGroup | None = None
        items: list[ListItem] = []
        list_number = 0
        for line in read_lines(body, self.rulebook):
            if group is None:
                group = self._begin(line, role)
            else:
                self._extend(group, line)
            if line.is_item:
                items.append(ListItem(line.start, line.mark, list_number, group.passage))
            elif line.after_blank:
                list_number += 1
        if group is None:
            return []
        self._restore_numbers([group], [items])
        return [group.passage]

    def _begin(self, line: CapitalsLine, role: Role, depth: int = 0) -> _PassageGroup:
        return _PassageGroup(
            DraftPassage([Span(line.source.start, line.source.end)], role, depth), [line]
        )

    def _extend(self, group: _PassageGroup, line: CapitalsLine) -> None:
        """Add ``line`` to ``group``, as a new span only if other text lies between them."""
        self._join_spans(group.passage.spans, [Span(line.source.start, line.source.end)])
        if line.after_blank or line.is_item:
            group.passage.split_points.append(line.source.start)
        if not line.after_blank and self._cuts_word(group.last.source.text, line.source.text):
            group.passage.insertions[group.last.source.end] = "-"
        group.lines.append(line)

    def _nest(self, group: _PassageGroup, line: CapitalsLine) -> None:
        self._extend(group, line)
        if not line.source.text[:1].isspace():
            group.passage.insertions[line.source.start] = (
                " "  # it lost its indentation at a page break, or it is one of the page
            )
        group.nested_items.append(ListItem(line.start, line.mark, 0, group.passage))

    def _add_torn(self, group: _PassageGroup, line: CapitalsLine) -> None:
        """Add ``line`` to ``group`` as the rest of an interrupted sentence: as a new span, with its
        wrong bullet as furniture.
        """
        group.passage.spans.append(Span(line.start, line.source.end))
        if line.bullets:
            self.rulebook.furniture.append(
                Furniture(Span(line.source.start, line.start), "bullet inside a sentence")
            )
        group.lines.append(line)

    def _join_spans(self, spans: list[Span], others: list[Span]) -> None:
        """Append ``others`` to ``spans``; the spans where they meet become one if only white space
        lies between them.
        """
        if self.document.text[spans[-1].end : others[0].start].strip():
            spans += others
        else:
            spans[-1:] = [Span(spans[-1].start, others[0].end), *others[1:]]

    def _continues(self, line: CapitalsLine, groups: list[_PassageGroup]) -> bool:
        """Add ``line`` to the group whose sentence, list or example it continues. Returns False if
        it continues none.
        """
        above = groups[-1]
        before = above.last.source.text
        if torn := self.corrections.at(line.source.number, Fault.TORN):
            target = next(
                (group for group in reversed(groups) if group.last.source.number == torn.meant),
                above,
            )
            if line.bullets and not continues_sentence(target.last.source.text, line.text):
                self._nest(target, line)
            elif line.after_blank:
                self._add_torn(target, line)
            else:
                self._extend(target, line)
            return True
        if line.is_item:
            if not _is_false_bullet(line, above):
                return False
            self._add_torn(above, line)
        elif above.passage.role is Role.SEE:
            if line.after_blank and not before.rstrip().endswith(","):
                return False
            self._extend(above, line)
        elif not line.after_blank:
            if is_references(line.source.text):
                if not line.indent:
                    return False
            elif line.indent and line.first_letter.isupper() and not is_unfinished(before):
                return False  # an item without its bullet
            self._extend(above, line)
        elif is_references(line.source.text):
            return False
        elif continues_sentence(before, line.text):
            self._add_torn(above, line)
        elif _EXAMPLE.match(line.source.text) and not above.passage.depth:
            self._extend(above, line)
        else:
            return False
        return True

    def _restore_numbers(self, groups: list[_PassageGroup], levels: list[list[ListItem]]) -> None:
        """Restore list numbers that are missing in print: those that follow from other numbers, and
        those in corrections.
        """
        for series in [*levels, *(group.nested_items for group in groups)]:
            for item, number in missing_numbers(series):
                item.passage.insertions[item.start] = (
                    item.passage.insertions.get(item.start, "") + number
                )
        for group in groups:
            for line in group.lines:
                lost = self.corrections.at(line.source.number, Fault.NUMBER)
                if lost and lost.meant is not None and not line.mark:
                    place = self.corrections.ordinal(line.source.number, lost)
                    number = str(
                        lost.meant + place
                        if isinstance(lost.meant, int)
                        else lost.meant.rstrip(". ")
                    )
                    group.passage.insertions[line.start] = (
                        f"{'' if line.bullets else '- '}{number}. "
                    )

    def _join_name_lists(self, groups: list[_PassageGroup]) -> list[_PassageGroup]:
        """``groups`` with every short list of names joined to the sentence before it, because a
        name alone cannot be quoted.

        A sentence that ends in dots and is completed by each of its bullets is joined with them,
        too.
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
            ends = lead.last.text.rstrip().endswith(_DOTS) and all(
                item.first.first_letter.islower() for item in items
            )
            names = not any(line.is_sentence for item in items for line in item.lines)
            if len(items) > 1 and length <= SHORT_LIST and (ends or names):
                for item in items:
                    self._join_spans(lead.passage.spans, item.passage.spans)
                    lead.passage.insertions.update(item.passage.insertions)
                position = end
        return result

    def _cuts_word(self, before: str, after: str) -> bool:
        """Whether the line ``before`` ends with the first letter of a word and the line ``after``
        begins with the rest of it.
        """
        letter = before.rstrip()[-2:]
        rest = re.match(r"[^\W\d_]+", after)
        return bool(
            rest
            and letter[:1] == " "
            and letter[1:].islower()
            and letter[1] + rest.group() in self._words
        )

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+", self.document.text))


def _is_nested(line: CapitalsLine, above: _PassageGroup, base: int) -> bool:
    """Whether ``line`` is nested in the bullet ``above``, by its indentation, bullet or letter, or
    because it completes its sentence.
    """
    if line.has_inner_bullet or (line.bullets and line.indent > base):
        return True
    if line.text.startswith(_DOTS) and above.first.text.rstrip().endswith(_DOTS):
        return True
    if line.mark is None or not line.mark.isalpha():
        return False
    letter = next(
        (item.mark for item in reversed(above.nested_items) if item.mark and item.mark.isalpha()),
        None,
    )
    return letter is not None and ord(line.mark) == ord(letter) + 1


def _is_false_bullet(line: CapitalsLine, above: _PassageGroup) -> bool:
    """Whether ``line``, in spite of its bullet, is the rest of an unfinished sentence in the bullet
    ``above``.
    """
    if not (
        line.after_blank
        and line.bullets
        and above.passage.depth
        and not line.mark
        and line.first_letter.islower()
    ):
        return False
    return not above.last.first_letter.islower() and continues_sentence(
        above.last.source.text, line.text
    )
