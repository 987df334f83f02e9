"""Which numbers at the beginning of units number the document: those of sequences that hold
together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.blocks import BlockKind
from corpus.layouts.outline.units import NumberStyle, PrintedNumber, Unit

_PREFIXED = 8  # whole numbers in others from which that is how the document is numbered
_LOOK_AHEAD = 3  # numbers that must go on from one that comes out of turn


@dataclass(slots=True, eq=False)
class NumberedUnit:
    """A number of a sequence: its unit ``at``, the number it stands in (``parent``), the one
    ``before`` it in its sequence, and the number in full.

    ``full`` of a mark of its own style begins with the number around it: "3.2b" for "b)" in 3.2.
    ``system`` says that it belongs to the numbering of the document and not only to a list.
    """

    at: int
    number: PrintedNumber
    parent: NumberedUnit | None
    full: str
    before: NumberedUnit | None
    heading: bool
    system: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it is a number of its own, "3.2.1" within "3.2", and no mark of a list."""
        return (
            self.parent is None
            or self.number.style is NumberStyle.LABELLED
            or self.is_inside(self.parent)
        )

    def is_inside(self, outer: NumberedUnit) -> bool:
        """Whether the number of ``outer`` is a part of this one."""
        return self.number.style is NumberStyle.DECIMAL and outer.number.contains(self.number)


def find_numbering(units: Sequence[Unit], candidates: Sequence[int]) -> dict[int, NumberedUnit]:
    """Return the numbers of the ``candidates`` among ``units`` that hold together, by the index of
    their unit. Candidates without a number are headings.

    A number is one of a sequence if it is next to one that is open, or a first one within it. One
    that comes out of turn is believed if those after it go on from it: so a gap does not end a
    sequence, and "see rule⏎702.2" at the beginning of a line begins none.
    """
    walk = _NumberingWalk()
    numbers = [number for at in candidates if (number := units[at].number)]
    read = 0
    for at in candidates:
        if number := units[at].number:
            read += 1
            walk.add(at, number, numbers[read : read + _LOOK_AHEAD], units[at].looks_like_heading)
        else:
            walk.interrupt()
    _mark_system(walk.found, units)
    return walk.found


class _NumberingWalk:
    def __init__(self) -> None:
        self.found: dict[int, NumberedUnit] = {}
        self._open: list[NumberedUnit] = []  # those around the next number, the outermost first
        self._aside: list[NumberedUnit] = []  # open before a list that came after a heading
        self._interrupted = False
        self._heading = False

    def interrupt(self) -> None:
        # At a heading without a number lists end; numbers of the document may go on.
        styles = (NumberStyle.DECIMAL, NumberStyle.LABELLED)
        self._open = [each for each in self._open if each.number.style in styles]
        self._interrupted = True

    def add(
        self, at: int, number: PrintedNumber, after: Sequence[PrintedNumber], heading: bool
    ) -> None:
        self._heading = heading
        variants = [number]
        if number.style is NumberStyle.ROMAN and len(number.printed) == 1:
            # "C." is a letter after "B.", else a Roman number.
            variants.append(number._replace(style=NumberStyle.CAPITAL))
        if any(self._continue(at, variant) for variant in variants):
            return
        if self._aside:
            self._open, self._aside = self._aside, self._open
            if self._continue(at, number):
                self._aside = []
                return
            self._open, self._aside = self._aside, self._open
        within = bool(self._open) and self._open[-1].number.begins(number)  # A1 in "Article A"
        if not (
            number.is_first
            or within
            or any(number.precedes(each) or _leads_into(number, each) for each in after)
        ):
            return
        labelled = number.style is NumberStyle.LABELLED
        if self._interrupted and not heading and number.is_whole and not labelled:
            self._aside, self._open = self._aside or self._open, []
        self._push(at, number, self._depth_of_sequence(number))

    def _continue(self, at: int, number: PrintedNumber) -> bool:
        decimal = number.style is NumberStyle.DECIMAL
        for depth in range(len(self._open) - 1, -1, -1):
            each = self._open[depth]
            if each.number.style is not number.style or not self._is_alike(each, number):
                continue
            if decimal and each.number.begins(number):
                self._push(at, number, depth + 1)
                return True
            if each.number.precedes(number):
                siblings = number.parts[:-1] == each.number.parts[:-1]
                while depth and decimal and not siblings:
                    outer = self._open[depth - 1].number
                    if outer.style is not number.style or outer.contains(number):
                        break
                    depth -= 1
                self._push(at, number, depth)
                return True
        return False

    def _is_alike(self, each: NumberedUnit, number: PrintedNumber) -> bool:
        # Numbers of several parts may be headings or not, but stand in a heading if one is around.
        item = not each.heading and each.number.is_whole
        if (
            self._heading
            and item
            and any(o.heading and o.number.contains(number) for o in self._open)
        ):
            return False
        same = each.heading == self._heading
        return same or not number.is_whole or each.number.contains(number)

    def _depth_of_sequence(self, number: PrintedNumber) -> int:
        # A sequence begins within what is open if ``number`` is a mark or a first one, else beside
        # what does not contain it.
        numbers = [each.number for each in self._open]

        def places(fits: Callable[[NumberedUnit], bool]) -> list[int]:
            return [depth for depth, each in enumerate(self._open) if fits(each)]

        if number.style is NumberStyle.LABELLED:
            return 0
        same_style = places(lambda each: each.number.style is number.style)
        if self._heading and number.is_whole:
            beside = places(lambda each: not each.heading or each.number.style is number.style)
            return beside[0] if beside else len(numbers)
        if number.style is not NumberStyle.DECIMAL:
            return same_style[0] if same_style else len(numbers)
        if around := places(lambda each: each.number.contains(number)):
            return around[-1] + 1
        lists = [i + 1 for i, pair in enumerate(pairwise(numbers)) if _is_list_within(*pair)]
        if number.is_whole and number.is_first and lists:
            return lists[-1]  # another list within the same rule
        if number.is_whole and (headings := places(lambda each: each.heading)):
            return headings[-1] + 1
        same = [i for i in same_style if len(numbers[i].parts) >= len(number.parts)]
        begins_list = same and number.is_first and _is_list_within(numbers[-1], number)
        if not number.is_whole or (same and not begins_list):
            return same[0] if same else 0
        return len(numbers)

    def _push(self, at: int, number: PrintedNumber, depth: int) -> None:
        beside = self._open[depth] if depth < len(self._open) else None
        before = beside if beside and beside.number.precedes(number) else None
        del self._open[depth:]
        parent = self._open[-1] if self._open else None
        found = NumberedUnit(at, number, parent, number.printed, before, self._heading)
        if parent and not found.is_own:
            dot = "" if number.style is NumberStyle.LETTER else "."
            found.full = f"{parent.full}{dot}{number.printed}"
        self.found[at] = found
        self._interrupted = False
        self._open.append(found)


def _leads_into(number: PrintedNumber, after: PrintedNumber) -> bool:
    same_style = number.style is after.style is NumberStyle.DECIMAL
    return same_style and number.begins(after)


def _is_list_within(outer: PrintedNumber, inner: PrintedNumber) -> bool:
    # "1." in 3.2
    return inner.style is NumberStyle.DECIMAL and inner.is_whole and not outer.is_whole


def _mark_system(found: dict[int, NumberedUnit], units: Sequence[Unit]) -> None:
    # To the numbering of the document belong numbers of several parts, labels, headings that the
    # format marks, what is around such numbers or in them.
    prefixed = _has_prefixes(found)
    for each in found.values():
        number, parent = each.number, each.parent
        labelled = number.style is NumberStyle.LABELLED
        marked = units[each.at].block.kind is BlockKind.HEADING
        each.system = not number.is_whole or labelled or marked
        if parent and each.is_inside(parent):
            joined = prefixed or number.parts[0] == parent.number.parts[0]
            each.system |= joined
            while joined and parent and not parent.system:
                parent.system = True
                parent = parent.parent
    # What is in one sequence with a number of the document is one too: chapter 3 without rules.
    for order in (found.values(), reversed(found.values())):
        for each in order:
            if each.before:
                each.system = each.before.system = each.system or each.before.system
    taken = {
        each.full
        for each in found.values()
        if each.heading and each.number.style is NumberStyle.DECIMAL
    }
    lists = {
        each.parent
        for each in found.values()
        if not each.heading and each.full != each.number.printed and each.full in taken
    }
    for each in found.values():  # parents come before what is in them
        each.system = each.system or bool(each.parent and each.parent.system)
        if not each.heading and each.parent in lists:
            each.system = False  # "1." in 3.2 is no 3.2.1 where a heading is


def _has_prefixes(found: dict[int, NumberedUnit]) -> bool:
    # 11 has 111 and 1111, or 1 has 100 and 101. If few numbers do so, 10 in 1 is chance.
    whole = [
        each
        for each in found.values()
        if each.number.style is NumberStyle.DECIMAL and len(each.number.parts[0]) > 1
    ]
    inside = sum(bool(each.parent and each.is_inside(each.parent)) for each in whole)
    return inside >= max(_PREFIXED, len(whole) / 2)
