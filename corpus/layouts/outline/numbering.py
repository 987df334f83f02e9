"""Which printed numbers number the document: those of sequences that hold together, with what each
of them stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.blocks import BlockKind
from corpus.layouts.outline.numbers import (
    NumberStyle,
    PrintedNumber,
    begins_within,
    contains,
    follows,
    ordinal,
)
from corpus.layouts.outline.units import OutlineUnit

_FEWEST = 8  # whole numbers in others from which that is how the document is numbered
_LOOK_AHEAD = 3  # numbers that must go on from one that comes out of turn


@dataclass(slots=True)
class NumberedUnit:
    """A number that is one of a sequence: its unit ``at``, the unit it stands in (``parent``), and
    the number in full.

    ``full`` of a mark of its own style begins with the number around it: "3.2b" for "b)" in 3.2.
    ``system`` says that it belongs to the numbering of the document and not only to a list.
    """

    at: int
    number: PrintedNumber
    parent: int | None
    full: str
    before: int | None = None  # the number before it in its sequence
    heading: bool = False
    system: bool = False


def find_numbering(
    units: Sequence[OutlineUnit], passed_over: set[int], titles: set[int]
) -> dict[int, NumberedUnit]:
    """The numbers of ``units`` that hold together, by the index of their unit; ``passed_over`` are
    units not to look at, ``titles`` those that the contents name.

    A number is one of a sequence if it is next to one that is open, or a first one within it. One
    that comes out of turn is believed if those after it go on from it: so a gap does not end a
    sequence, and "see rule⏎702.2" at the beginning of a line begins none.
    """
    walk = _NumberingWalk()
    candidates = [
        at
        for at, unit in enumerate(units)
        if at not in passed_over and (unit.number or at in titles or _is_heading(unit))
    ]
    numbered = [at for at in candidates if units[at].number]
    position = {at: i for i, at in enumerate(numbered)}
    for at in candidates:
        unit = units[at]
        if unit.number is None:
            walk.interrupt()
            continue
        after = [
            number
            for each in numbered[position[at] + 1 : position[at] + 1 + _LOOK_AHEAD]
            if (number := units[each].number)
        ]
        walk.add(at, unit.number, after, _is_heading(unit))
    _mark_system(walk.found, units)
    return walk.found


def _is_heading(unit: OutlineUnit) -> bool:
    return unit.block.kind is BlockKind.HEADING or unit.in_heading_style


class _NumberingWalk:
    """Reads numbers in order. ``open`` are those around the next one, the outermost first."""

    def __init__(self) -> None:
        self.found: dict[int, NumberedUnit] = {}
        self._open: list[NumberedUnit] = []
        self._aside: list[
            NumberedUnit
        ] = []  # what was open before a list that came after a heading
        self._interrupted = False
        self._heading = False

    def interrupt(self) -> None:
        """A heading without a number: marks of lists end, numbers of the document may go on."""
        self._open = [
            each
            for each in self._open
            if each.number.style in (NumberStyle.DECIMAL, NumberStyle.LABELLED)
        ]
        self._interrupted = True

    def add(
        self, at: int, number: PrintedNumber, after: list[PrintedNumber], heading: bool
    ) -> None:
        """Read the number of unit ``at``, a ``heading`` or not; ``after`` are the numbers that come
        next.
        """
        self._heading = heading
        for variant in _variants(number):
            if self._continue(at, variant):
                return
        if self._aside:
            self._open, self._aside = self._aside, self._open
            if self._continue(at, number):
                self._aside = []
                return
            self._open, self._aside = self._aside, self._open
        if not (
            _first(number)
            or self._is_within(number)
            or any(_goes_on(number, each) for each in after)
        ):
            return
        if (
            self._interrupted
            and not heading
            and len(number.parts) == 1
            and number.style is not NumberStyle.LABELLED
        ):
            self._aside, self._open = self._aside or self._open, []
        self._begin(at, number)

    def _continue(self, at: int, number: PrintedNumber) -> bool:
        """Put ``number`` beside or into one that is open, if it goes there."""
        for depth in range(len(self._open) - 1, -1, -1):
            each = self._open[depth]
            if each.number.style is not number.style or not self._alike(each, number):
                continue
            if number.style is NumberStyle.DECIMAL and begins_within(
                each.number.parts, number.parts
            ):
                self._push(at, number, depth + 1)
                return True
            if follows(each.number.parts, number.parts, number.style):
                outer = depth
                siblings = number.parts[:-1] == each.number.parts[:-1]
                while (
                    outer
                    and not siblings
                    and number.style is NumberStyle.DECIMAL
                    and self._beside(outer - 1, number)
                ):
                    outer -= 1
                self._push(at, number, outer)
                return True
        return False

    def _alike(self, each: NumberedUnit, number: PrintedNumber) -> bool:
        """Whether both are headings or both are not; numbers of several parts may be either, but
        stand in a heading where one is around.
        """
        item = not each.heading and len(each.number.parts) == 1
        if (
            self._heading
            and item
            and any(
                other.heading and contains(other.number.parts, number.parts) for other in self._open
            )
        ):
            return False
        return (
            each.heading == self._heading
            or len(number.parts) > 1
            or contains(each.number.parts, number.parts)
        )

    def _is_within(self, number: PrintedNumber) -> bool:
        """Whether ``number`` is one of the first in the innermost one that is open: A1 in "Article
        A".
        """
        return bool(self._open) and begins_within(self._open[-1].number.parts, number.parts)

    def _beside(self, depth: int, number: PrintedNumber) -> bool:
        other = self._open[depth].number
        return other.style is number.style and not contains(other.parts, number.parts)

    def _begin(self, at: int, number: PrintedNumber) -> None:
        """Begin a sequence with ``number``: within what is open if it is a mark or a first number,
        else beside what does not contain it.
        """
        depth = len(self._open)
        if number.style is NumberStyle.LABELLED:
            depth = 0
        elif self._heading and len(number.parts) == 1:
            depth = next(
                (
                    i
                    for i, each in enumerate(self._open)
                    if not each.heading or each.number.style is number.style
                ),
                depth,
            )
        elif number.style is NumberStyle.DECIMAL:
            around = [
                i for i, each in enumerate(self._open) if contains(each.number.parts, number.parts)
            ]
            same = [i for i, each in enumerate(self._open) if _as_deep(each.number, number)]
            lists = [
                i + 1
                for i, (each, inner) in enumerate(pairwise(self._open))
                if _list_within(each.number, inner.number, begins=False)
            ]
            if around:
                depth = around[-1] + 1
            elif len(number.parts) == 1 and lists and _first(number):
                depth = lists[-1]  # another list within the same rule
            elif (
                len(number.parts) == 1
                and not self._heading
                and any(each.heading for each in self._open)
            ):
                depth = max(i for i, each in enumerate(self._open) if each.heading) + 1
            elif len(number.parts) > 1 or (
                same and not _list_within(self._open[-1].number, number)
            ):
                depth = same[0] if same else 0
        else:
            same = [i for i, each in enumerate(self._open) if each.number.style is number.style]
            depth = same[0] if same else depth
        self._push(at, number, depth)

    def _push(self, at: int, number: PrintedNumber, depth: int) -> None:
        before = (
            self._open[depth].at
            if depth < len(self._open) and self._goes_beside(depth, number)
            else None
        )
        del self._open[depth:]
        parent = self._open[-1] if self._open else None
        found = NumberedUnit(
            at, number, parent.at if parent else None, _full(parent, number), before, self._heading
        )
        self.found[at] = found
        self._interrupted = False
        self._open.append(found)

    def _goes_beside(self, depth: int, number: PrintedNumber) -> bool:
        beside = self._open[depth].number
        return beside.style is number.style and follows(beside.parts, number.parts, number.style)


def _variants(number: PrintedNumber) -> list[PrintedNumber]:
    """``number`` as it may be meant: "C." is a letter after "B.", else a Roman number."""
    if number.style is NumberStyle.ROMAN and len(number.printed) == 1:
        return [number, _in_style(number, NumberStyle.CAPITAL)]
    return [number]


def _in_style(number: PrintedNumber, style: NumberStyle) -> PrintedNumber:
    """``number`` taken for one in another style."""
    return number._replace(style=style)


def _first(number: PrintedNumber) -> bool:
    return all(ordinal(part, number.style) <= 1 for part in number.parts)


def _goes_on(number: PrintedNumber, after: PrintedNumber) -> bool:
    if number.style is not after.style:
        return False
    inside = number.style is NumberStyle.DECIMAL and begins_within(number.parts, after.parts)
    return inside or follows(number.parts, after.parts, number.style)


def _as_deep(number: PrintedNumber, other: PrintedNumber) -> bool:
    return number.style is other.style and len(number.parts) >= len(other.parts)


def _list_within(outer: PrintedNumber, inner: PrintedNumber, begins: bool = True) -> bool:
    """Whether ``inner``, "1.", is of a list within a rule, "3.2", and ``begins`` it."""
    mark = inner.style is NumberStyle.DECIMAL and len(inner.parts) == 1 and len(outer.parts) > 1
    return mark and (_first(inner) or not begins)


def _full(parent: NumberedUnit | None, number: PrintedNumber) -> str:
    if parent is None or (
        number.style is NumberStyle.DECIMAL and contains(parent.number.parts, number.parts)
    ):
        return number.printed
    if number.style is NumberStyle.LABELLED:
        return number.printed
    return (
        f"{parent.full}{number.printed}"
        if number.style is NumberStyle.LETTER
        else f"{parent.full}.{number.printed}"
    )


def _mark_system(found: dict[int, NumberedUnit], units: Sequence[OutlineUnit]) -> None:
    """Mark what belongs to the numbering of the document: numbers of several parts, labels, what is
    around such numbers or in them.
    """
    prefixed = _prefixed(found)
    for each in found.values():
        parts, style = each.number.parts, each.number.style
        each.system = (
            len(parts) > 1
            or style is NumberStyle.LABELLED
            or units[each.at].block.kind is BlockKind.HEADING
        )
        parent = found.get(each.parent) if each.parent is not None else None
        if (
            parent
            and style is NumberStyle.DECIMAL
            and contains(parent.number.parts, parts)
            and (prefixed or parts[:1] == parent.number.parts[:1])
        ):
            each.system = True
            outer: NumberedUnit | None = parent
            while outer and not outer.system:
                outer.system = True
                outer = found.get(outer.parent) if outer.parent is not None else None
    _mark_sequences(found)
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
        parent = found.get(each.parent) if each.parent is not None else None
        each.system = each.system or bool(parent and parent.system)
        if not each.heading and each.parent in lists:
            each.system = False  # "1." in 3.2 is no 3.2.1 where a heading is


def _prefixed(found: dict[int, NumberedUnit]) -> bool:
    """Whether whole numbers stand in those that they begin with: 11, 111, 1111 or 1, 100. Else 10
    in 1 is chance.
    """
    whole = [
        each
        for each in found.values()
        if each.number.style is NumberStyle.DECIMAL and len(each.number.parts[0]) > 1
    ]
    inside = sum(
        1
        for each in whole
        if each.parent is not None and contains(found[each.parent].number.parts, each.number.parts)
    )
    return inside >= max(_FEWEST, len(whole) / 2)


def _mark_sequences(found: dict[int, NumberedUnit]) -> None:
    """What is in one sequence with a number of the document is one too: chapter 3 that has no
    rules.
    """
    for order in (found.values(), reversed(found.values())):
        for each in order:
            if each.before is None or each.before not in found:
                continue
            before = found[each.before]
            each.system = before.system = each.system or before.system
