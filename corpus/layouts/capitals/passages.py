"""Makes passages from the lines below a heading; joins interrupted paragraphs and restores lost
bullets and list numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from corpus.document import Document, Line
from corpus.draft import DraftPassage, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.capitals.blocks import Block, continues_sentence, is_references, is_unfinished
from corpus.model import Corrections, Fault, Furniture, Role, Span

SHORT_LIST = 900  # characters of a list of names that is one passage with the sentence before it

_SIGNS = re.compile(r"([ \t]*)((?:[-–•▪●*➤►▶>✦»][ \t]+)*)")
_INNER = re.compile(r"[-–•*][ \t]+[➤►▶>✦»]")
_MARK = re.compile(r"\*{0,3}(\d{1,2}|[a-l])[.)](?!\s?\w\.)\*{0,3}(?=[\s*])")
_SENTENCE = re.compile(r"[.!?][\"”“»)*_]{0,4}(?:\s|$)")
_EXAMPLE = re.compile(rf"[\s*_(]{{0,6}}{any_of('labels.example')}\b[^:\n]{{0,30}}:")
_DOTS = ("...", "…")


@dataclass(frozen=True)
class _ParsedLine:
    """A line below a heading.

    ``after_blank``: a blank line is above it. ``indent`` is in columns. ``bullets`` are those at
    its beginning; ``text`` is the text after them, ``start`` its offset in the document. ``mark``
    is the number or letter of a list item.
    """

    source: Line
    after_blank: bool
    indent: int
    bullets: str
    start: int
    text: str
    mark: str | None

    @property
    def span(self) -> Span:
        return Span(self.source.start, self.source.end)

    @property
    def is_item(self) -> bool:
        return bool(self.bullets or self.mark)

    @property
    def first_letter(self) -> str:
        return self.text.lstrip('*_"„“»«([')[:1]

    @property
    def is_sentence(self) -> bool:
        # It contains the end of a sentence, so it is more than a name.
        mark = _MARK.match(self.text)
        return _SENTENCE.search(self.text, mark.end() if mark else 0) is not None


@dataclass
class _Item:
    """A list item: its line, the number of its list, and the passage that contains it."""

    line: _ParsedLine
    list_number: int
    passage: DraftPassage

    @property
    def number(self) -> int:
        mark = self.line.mark or ""
        return int(mark) if mark.isdigit() else ord(mark) - ord("a") + 1


@dataclass
class _Group:
    """A passage that is being built: its lines, and the items of a list nested in it."""

    passage: DraftPassage
    lines: list[_ParsedLine]
    nested: list[_Item] = field(default_factory=list)

    @property
    def last(self) -> _ParsedLine:
        return self.lines[-1]


@dataclass
class PassageBuilder:
    """Makes passages from the blocks below a heading; characters that are not text become furniture
    of ``rulebook``.
    """

    document: Document
    corrections: Corrections
    rulebook: DraftRulebook

    def passages(self, body: Sequence[Block]) -> list[DraftPassage]:
        """Return the passages of one entry, in document order."""
        groups: list[_Group] = []
        items: list[_Item] = []  # items of the outer list
        base: int | None = None  # indentation of the outer list
        list_number = 0  # a paragraph between bullets ends a list
        for line in self._lines(body):
            if groups and self._continues(line, groups):
                continue
            see = is_references(line.source.text)
            if see and (line.after_blank or not (line.indent or line.bullets)):
                groups.append(self._group(line, Role.SEE))
            elif not (line.is_item or line.indent):
                base, list_number = None, list_number + 1
                groups.append(self._group(line))
            elif groups and groups[-1].passage.depth and _is_nested(line, groups[-1], base or 0):
                self._nest(groups[-1], line)
            else:
                if base is None:
                    base = line.indent if line.is_item else 0
                groups.append(self._group(line, depth=1))
                items.append(_Item(line, list_number, groups[-1].passage))
                if not line.is_item:
                    groups[-1].passage.insertions[line.start] = "- "
        self._restore_numbers(groups, [items])
        self._join_name_lists(groups)
        return [group.passage for group in groups]

    def whole(self, body: Sequence[Block], role: Role = Role.TEXT) -> list[DraftPassage]:
        """Return all of ``body`` as one passage, for a question with its answer or an erratum; []
        if it has no text.
        """
        group: _Group | None = None
        items: list[_Item] = []
        list_number = 0
        for line in self._lines(body):
            if group is None:
                group = self._group(line, role)
            else:
                self._extend(group, line)
            if line.is_item:
                items.append(_Item(line, list_number, group.passage))
            elif line.after_blank:
                list_number += 1
        if group is None:
            return []
        self._restore_numbers([group], [items])
        return [group.passage]

    def _lines(self, body: Sequence[Block]) -> Iterator[_ParsedLine]:
        previous: str | None = None  # the mark of the line before
        for block in body:
            first = block.first.strip()
            number = len(block.lines) == 1 and first.isdigit() and len(first) <= 3
            if number or not any(c.isalnum() for line in block.lines for c in line.text):
                why = "page number" if number else "rule or figure"
                spans = (Span(line.start, line.end) for line in block.lines)
                self.rulebook.furniture += [Furniture(span, why) for span in spans]
                continue
            for position, line in enumerate(block.lines):
                signs = _SIGNS.match(line.text)
                assert signs  # the pattern also matches the empty string
                opens, text = position == 0, line.text[signs.end() :]
                match = _MARK.match(text)
                if match and not (signs[2] or opens or previous):
                    match = None  # a number inside a sentence, after a line break
                previous = match[1] if match else None
                indent = len(signs[1].expandtabs(4)) + line.indent
                start = line.start + signs.end()
                yield _ParsedLine(line, opens, indent, signs[2], start, text, previous)

    def _group(self, line: _ParsedLine, role: Role = Role.TEXT, depth: int = 0) -> _Group:
        return _Group(DraftPassage([line.span], role, depth), [line])

    def _extend(self, group: _Group, line: _ParsedLine) -> None:
        passage = group.passage
        passage.extend(line.span, self.document.text)
        if line.after_blank or line.is_item:
            passage.split_points.append(line.source.start)
        if not line.after_blank and self._cuts_word(group.last.source.text, line.source.text):
            passage.insertions[group.last.source.end] = "-"
        group.lines.append(line)

    def _nest(self, group: _Group, line: _ParsedLine) -> None:
        self._extend(group, line)
        if not line.source.text[:1].isspace():
            # Its indentation was lost at a page break or in extraction.
            group.passage.insertions[line.source.start] = " "
        group.nested.append(_Item(line, 0, group.passage))

    def _add_torn(self, group: _Group, line: _ParsedLine) -> None:
        # The rest of an interrupted sentence becomes a new span, its wrong bullet furniture.
        group.passage.spans.append(Span(line.start, line.source.end))
        if line.bullets:
            bullet = Span(line.source.start, line.start)
            self.rulebook.furniture.append(Furniture(bullet, "bullet inside a sentence"))
        group.lines.append(line)

    def _continues(self, line: _ParsedLine, groups: Sequence[_Group]) -> bool:
        """Add ``line`` to the group whose sentence, list or example it continues. Returns False if
        there is none.
        """
        above = groups[-1]
        before, see = above.last.source.text, is_references(line.source.text)
        if torn := self.corrections.at(line.source.number, Fault.TORN):
            ends = (group for group in reversed(groups) if group.last.source.number == torn.meant)
            target = next(ends, above)
            if line.bullets and not continues_sentence(target.last.source.text, line.text):
                self._nest(target, line)
            elif line.after_blank:
                self._add_torn(target, line)
            else:
                self._extend(target, line)
        elif line.is_item:
            if not _is_false_bullet(line, above):
                return False
            self._add_torn(above, line)
        elif above.passage.role is Role.SEE:
            if line.after_blank and not before.rstrip().endswith(","):
                return False
            self._extend(above, line)
        elif not line.after_blank:
            unmarked = line.indent and line.first_letter.isupper() and not is_unfinished(before)
            if (see and not line.indent) or (not see and unmarked):
                return False  # a list of references, or an item that lost its bullet
            self._extend(above, line)
        elif see:
            return False
        elif continues_sentence(before, line.text):
            self._add_torn(above, line)
        elif _EXAMPLE.match(line.source.text) and not above.passage.depth:
            self._extend(above, line)
        else:
            return False
        return True

    def _restore_numbers(self, groups: Sequence[_Group], levels: list[list[_Item]]) -> None:
        # Restores list numbers missing in print, from other numbers and from corrections.
        for series in [*levels, *(group.nested for group in groups)]:
            for item, number in missing_numbers(series):
                insertions = item.passage.insertions
                insertions[item.line.start] = insertions.get(item.line.start, "") + number
        for group in groups:
            for line in group.lines:
                lost = self.corrections.at(line.source.number, Fault.NUMBER)
                if lost and lost.meant is not None and not line.mark:
                    place = self.corrections.ordinal(line.source.number, lost)
                    whole = isinstance(lost.meant, int)
                    number = str(int(lost.meant) + place if whole else str(lost.meant).rstrip(". "))
                    bullet = "" if line.bullets else "- "
                    group.passage.insertions[line.start] = f"{bullet}{number}. "

    def _join_name_lists(self, groups: list[_Group]) -> None:
        """Join every short list of names to the sentence before it, because a name alone cannot be
        quoted.

        A sentence that ends in dots is joined with the bullets that complete it, too.
        """
        position = 0
        while position < len(groups):
            lead, position = groups[position], position + 1
            if lead.passage.depth or lead.passage.role is not Role.TEXT:
                continue
            end = position
            while end < len(groups) and groups[end].passage.depth:
                end += 1
            items = groups[position:end]
            length = sum(b - a for group in (lead, *items) for a, b in group.passage.spans)
            completed = lead.last.text.rstrip().endswith(_DOTS) and all(
                item.lines[0].first_letter.islower() for item in items
            )
            names = not any(line.is_sentence for item in items for line in item.lines)
            if len(items) > 1 and length <= SHORT_LIST and (completed or names):
                for item in items:
                    lead.passage.join(item.passage, self.document.text)
                del groups[position:end]

    def _cuts_word(self, before: str, after: str) -> bool:
        # The line ``before`` ends with the first letter of a word that continues in ``after``.
        letter = before.rstrip()[-2:]
        rest = re.match(r"[^\W\d_]+", after)
        cut = rest and letter[:1] == " " and letter[1:].islower()
        return bool(rest and cut and letter[1] + rest.group() in self._words)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+", self.document.text))


def missing_numbers(series: Sequence[_Item]) -> Iterator[tuple[_Item, str]]:
    """Yield the items of ``series`` (one list level, in document order) that lost their number,
    each with its number ("3. ").

    Numbers are restored between two printed numbers if exactly as many items as numbers are between
    them, and at the beginning of a list if exactly as many items precede the first printed number.
    """
    before: _Item | None = None  # the last item with a printed number
    gap: list[_Item] = []  # items after it
    for item in series:
        if (mark := item.line.mark) is None:
            gap.append(item)
            continue
        same_kind = before and (before.line.mark or "").isdigit() == mark.isdigit()
        first = before.number + 1 if before else 1
        if not same_kind or item.number != first + len(gap):
            gap = [each for each in gap if each.list_number == item.list_number]
            first = 1
            if len(gap) != item.number - 1:
                gap = []
        for number, each in enumerate(gap, first):
            yield each, f"{number if mark.isdigit() else chr(ord('a') + number - 1)}. "
        before, gap = item, []


def _is_nested(line: _ParsedLine, above: _Group, base: int) -> bool:
    # By indentation, bullet or letter, or because it completes the sentence of the item above.
    if not line.is_item:
        return False
    if _INNER.search(line.bullets) or (line.bullets and line.indent > base):
        return True
    if line.text.startswith(_DOTS) and above.lines[0].text.rstrip().endswith(_DOTS):
        return True
    letters = [item.line.mark for item in above.nested if (item.line.mark or "").isalpha()]
    letter = line.mark if line.mark and line.mark.isalpha() else ""
    return bool(letter and letters) and ord(letter) == ord(letters[-1] or "") + 1


def _is_false_bullet(line: _ParsedLine, above: _Group) -> bool:
    # Despite its bullet, it is the rest of an unfinished sentence in the item above.
    return bool(
        line.after_blank
        and line.bullets
        and above.passage.depth
        and not line.mark
        and line.first_letter.islower()
        and not above.last.first_letter.islower()
        and continues_sentence(above.last.source.text, line.text)
    )
