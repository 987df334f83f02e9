"""Decides which numbers at the beginning of units form coherent sequences, and which of these
number the document instead of a list.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.blocks import Block, BlockKind
from corpus.languages import any_of
from corpus.layouts.outline.printed_numbers import NumberStyle, PrintedNumber
from corpus.layouts.outline.units import Unit, is_plain_title

_RULES = re.compile(any_of("documents.rules"), re.IGNORECASE)

_System = tuple[NumberStyle, str, int]

# Styles of numbers of rules in plain print
_PLAIN = (NumberStyle.DECIMAL, NumberStyle.BRACKETED, NumberStyle.ROMAN, NumberStyle.CAPITAL)
_PREFIXED = 8  # numbers like 11 in 1, from which the document counts as numbered that way
_FEWEST_RULES = 6  # plain rules whose numbers continue through sections
_MANY_RULES = 8  # plain rules that are most of a document
_MOST = 0.4  # of its text
_FEWEST_TITLED = 3  # plain rules with titles, or below "The rules of the game"
_TITLED = 0.8  # least share of these with a title
_DEEPER = 1.5  # characters or list steps by which an inner list is indented further
_DEEPER_PRINTED = 6.0  # the same in points, on pages
_LOOK_AHEAD = 3  # following numbers, one of which must continue a number out of turn


@dataclass(slots=True, eq=False)
class NumberedUnit:
    """A number in a sequence.

    Attributes:
        at: The index of its unit.
        parent: The number that contains it.
        full: The complete number. For list marks it includes the number around: "3.2b" for "b)" in
            3.2, "§ 1 (1) 2." for "2." in (1) of § 1.
        before: The previous number of its sequence.
        indent: The indentation of its line.
        system: Whether it belongs to the numbering of the document, not only to a list.
        runs_on: Whether its sequence ("1.", "2.", …) continues across parents.
        titled: Whether the rest of its line is the title of the text below.
        is_rule: Whether it numbers a rule in plain print, or is inside such a rule.
    """

    at: int
    number: PrintedNumber
    parent: NumberedUnit | None
    full: str
    before: NumberedUnit | None
    heading: bool
    indent: float = 0.0
    system: bool = False
    runs_on: bool = False
    titled: bool = False
    is_rule: bool = False

    @property
    def is_own(self) -> bool:
        """Whether this is a complete number, such as "3.2.1" in "3.2", and not a list mark."""
        return (
            self.parent is None
            or self.runs_on
            or self.number.style is NumberStyle.LABELLED
            or (self.number.style is NumberStyle.DECIMAL and not self.number.is_whole)
            or self.is_inside(self.parent)
        )

    @property
    def goes_on_from_label(self) -> bool:
        """Whether this unlabelled number continues labelled ones: "23 – Board" after "Art. 22"."""
        first = self
        while first.before:
            first = first.before
        return first.number.kind != self.number.kind

    def is_inside(self, outer: NumberedUnit) -> bool:
        """Return whether the number of ``outer`` is a prefix of this one: 1 of 10 and 11, unless 9
        precedes them in a list.
        """
        inside = self.number.style is NumberStyle.DECIMAL and outer.number.contains(self.number)
        first = self
        while inside and self.number.is_whole and first.before and first.before.parent is outer:
            first = first.before
            inside = outer.number.contains(first.number)
        return inside


def find_numbering(units: Sequence[Unit], candidates: Sequence[int]) -> dict[int, NumberedUnit]:
    """Return the numbers that form sequences, by the index of their unit; ``candidates`` are
    indices of ``units``. Candidates without a number are headings.

    A number belongs to a sequence if it is the next one of an open sequence, or a first one within
    it. A number out of turn is accepted if the numbers after it continue from it. So a gap does not
    end a sequence, and "see rule⏎702.2" at the beginning of a line does not begin one. Several
    systems may coexist: articles whose numbers continue through chapters, 1.2 after Art. 1 within
    1.1. Numbers of one kind always have the same kind of parent.
    """
    walk = _NumberingWalk()
    numbered = [(at, number) for at in candidates if (number := units[at].number)]
    numbers = [number for _, number in numbered]
    alike: dict[str, list[PrintedNumber]] = defaultdict(list)  # by label
    for at, number in numbered:
        alike[_label(units[at], number)].append(number)
    read: Counter[str] = Counter()
    for at in candidates:
        if number := units[at].number:
            label = _label(units[at], number)
            read[label] += 1
            read["all"] += 1
            near = numbers[read["all"] : read["all"] + _LOOK_AHEAD]
            after = alike[label][read[label] : read[label] + _LOOK_AHEAD]
            if number.style is not NumberStyle.LABELLED:
                after = [*near, *(after if label else ())]
            walk.add(at, number, after, units[at])
        else:
            walk.interrupt(units[at])
    runs = _plain_runs(walk.found)
    for run in runs:
        if len({each.parent for each in run}) > 1:
            for each in run:
                each.runs_on = True
    _complete(walk.found)
    _mark_system(walk.found, units)
    _mark_rules(runs, units, candidates)
    for each in walk.found.values():  # parents come before their children
        each.system |= bool(each.parent and each.parent.system and each.parent.is_rule)
        each.is_rule |= bool(each.parent and each.parent.is_rule)
    return walk.found


def _is_larger(heading: Block, other: Block) -> bool:
    # Whether ``heading`` has a higher level, or a larger font size, than ``other``.
    if heading.level and other.level:
        return heading.level < other.level
    return heading.size > other.size


def _plain_runs(found: dict[int, NumberedUnit]) -> list[list[NumberedUnit]]:
    # The sequences of whole numbers outside headings: "1.", "2.", "3."; "1)", "A.", "I."
    runs: dict[int, list[NumberedUnit]] = {}
    for each in found.values():
        if each.number.style in _PLAIN and each.number.is_whole and not each.heading:
            run = runs.pop(each.before.at, []) if each.before else []
            runs[each.at] = [*run, each]
    return list(runs.values())


def _mark_rules(
    runs: Sequence[Sequence[NumberedUnit]], units: Sequence[Unit], candidates: Sequence[int]
) -> None:
    # Plain rules 1, 2, 3 … number a document if they continue through its headings; if they are
    # most of its text, and many or below the title "The rules"; or if they have titles. A list of
    # steps after an introductory sentence does not.
    ends = dict(pairwise([*candidates, len(units)]))
    lengths = {at: sum(len(units[i].text) for i in range(at, end)) for at, end in ends.items()}
    headings = {at for at in candidates if not units[at].number}

    def is_led_in(run: Sequence[NumberedUnit]) -> bool:
        first = run[0].at
        before = units[first - 1] if first else None
        return before is not None and before.text.endswith(":") and first - 1 not in headings

    def is_headed(run: Sequence[NumberedUnit]) -> bool:
        above = units[run[0].at - 1] if run[0].at and run[0].number.is_first else None
        named = above is not None and above.alone and above.is_title and above.number is None
        return bool(named and above and _RULES.search(above.text))

    free = [run for run in runs if not any(each.system for each in run) and not is_led_in(run)]
    text = sum(len(unit.text) for unit in units if unit.block.kind is not BlockKind.FURNITURE)
    for run in free:
        places = [each.at for each in run]
        sections = sum(any(one < at < other for at in headings) for one, other in pairwise(places))
        sentences = sum(_is_sentence(units, at, ends[at]) for at in places)
        share = sum(lengths[at] for at in places) / max(text, 1)
        through = sections and len(run) >= _FEWEST_RULES
        fewest = _FEWEST_TITLED if is_headed(run) else _MANY_RULES
        most = len(run) >= fewest and share >= _MOST
        if (through or most) and 2 * sentences >= len(run):
            for each in run:
                each.system = each.runs_on = each.is_rule = True
    for run in free:
        titled = [is_plain_title(units, each.at) for each in run]
        if len(run) >= _FEWEST_TITLED and run[0].number.is_first and not run[0].parent:
            last = next((at for at in sorted(headings) if at > run[-1].at), len(units))
            length = sum(len(units[at].text) for at in range(run[0].at, last))
            if sum(titled) >= _TITLED * len(run) and length >= _MOST * text:
                for each, has_title in zip(run, titled, strict=True):
                    each.system, each.titled, each.is_rule = True, has_title, True


def _is_sentence(units: Sequence[Unit], first: int, end: int) -> bool:
    return any(units[at].ends_sentence for at in range(first, min(end, first + 12)))


def _system(number: PrintedNumber) -> _System:
    # Numbers of several parts form one system regardless of depth.
    return (*number.depth[:2], min(number.depth[2], 2))


def _label(unit: Unit, number: PrintedNumber) -> str:
    # A key for numbers to look ahead among: with the same label, or in headings.
    if number.style is NumberStyle.LABELLED:
        return number.form
    heading = unit.looks_like_heading and number.is_whole
    return f"{number.style.name} {number.form}" if heading else ""


def _complete(found: dict[int, NumberedUnit]) -> None:
    for each in found.values():  # parents come before their children
        parent, number = each.parent, each.number
        if parent is None or each.is_own:
            continue
        if (number.form == "(" and number.style is NumberStyle.BRACKETED) or _is_in_article(parent):
            each.full = f"{parent.full} {number.mark}"
        elif number.form and parent.number.printed.isalpha():
            each.full = f"{parent.full}. {number.mark}"  # II. 1)
        elif parent.full.endswith((")", ".")):
            each.full = f"{parent.full} {number.mark}"
        else:
            dot = "" if number.style is NumberStyle.LETTER else "."
            each.full = f"{parent.full}{dot}{number.printed}"


def _is_in_article(each: NumberedUnit | None) -> bool:
    # Marks within an article are cited with their punctuation: § 1 (1) 1., but 3.2b
    while each:
        if each.number.style is NumberStyle.LABELLED:
            return not each.number.is_chapter
        each = None if each.is_own else each.parent
    return False


class _NumberingWalk:
    def __init__(self) -> None:
        self.found: dict[int, NumberedUnit] = {}
        self._open: list[NumberedUnit] = []  # the numbers around the next one, outermost first
        self._aside: list[NumberedUnit] = []  # the numbers before a list that follows a heading
        self._last: dict[_System, NumberedUnit] = {}
        self._around: dict[_System, set[_System]] = {}  # the systems that contain each system
        self._interrupted = False
        self._blocks: dict[int, Block] = {}
        self._above: Block | None = None  # the last heading without a number
        self._heading = False
        self._indent = 0.0
        self._deeper = _DEEPER

    def interrupt(self, unit: Unit) -> None:
        # An unnumbered heading ends lists; numbers of the document may continue.
        styles = (NumberStyle.DECIMAL, NumberStyle.LABELLED)
        self._open = [each for each in self._open if each.number.style in styles or each.heading]
        self._interrupted = True
        self._above = unit.block

    def add(
        self, at: int, number: PrintedNumber, after: Sequence[PrintedNumber], unit: Unit
    ) -> None:
        self._heading = heading = unit.looks_like_heading
        self._indent = unit.indent
        self._blocks[at] = unit.block
        self._deeper = _DEEPER_PRINTED if unit.block.page else _DEEPER
        readings = list(number.readings())
        following = [reading for each in after[:1] for reading in each.readings()]
        # "i)" before "ii)" is a Roman number.
        readings.sort(key=lambda each: not any(map(each.is_followed_by, following)))
        if number.style is NumberStyle.LABELLED:
            self._add_labelled(at, number, after)
            return
        if (article := self._article_before(number, after)) is not None:
            self._push(at, number, article, self._open[article])
            return
        if any(self._continue(at, reading) for reading in readings):
            return
        if self._aside:
            self._open, self._aside = self._aside, self._open
            if self._continue(at, number):
                self._aside = []
                return
            self._open, self._aside = self._aside, self._open
        for reading in readings:
            if before := self._before(reading):
                self._push(at, reading, self._depth_of_labels(), before)
                return
        if self._is_passed_over(number, after):
            return
        number = readings[0]
        within = bool(self._open) and self._open[-1].number.begins(number)  # A1 in "Article A"
        marked = unit.block.kind is BlockKind.HEADING and number.style is NumberStyle.ROMAN
        if not (
            number.is_first
            or within
            or (marked and len(number.printed) > 1)
            or any(number.precedes(each) or _leads_into(number, each) for each in after)
        ):
            return
        if self._interrupted and not heading and number.is_whole:
            self._aside, self._open = self._aside or self._open, []
        depth = self._depth_of_sequence(number)
        if heading and number.style is NumberStyle.CAPITAL and self._above is not None:
            # "A. Fees" below "Appendices", which is larger than chapter 12 before it.
            larger = [_is_larger(self._above, self._blocks[each.at]) for each in self._open]
            depth = min([depth, *(i for i, is_closed in enumerate(larger) if is_closed)])
        self._push(at, number, depth)

    def _add_labelled(self, at: int, number: PrintedNumber, after: Sequence[PrintedNumber]) -> None:
        if self._aside:
            self._open, self._aside = self._aside, []
        last = self._last.get(_system(number))
        goes_on = last is not None and last.number.precedes(number)
        begins = last is None or (number.is_first and last not in self._open)
        if goes_on or begins or any(number.precedes(each) for each in after):
            self._push(at, number, self._depth_of_label(number), last if goes_on else None)

    def _article_before(self, number: PrintedNumber, after: Sequence[PrintedNumber]) -> int | None:
        # The depth at which "23 – Board", above 23.1, continues "Art. 22", which contains 22.1.
        if not (after and number.is_plain and number.begins(after[0])):
            return None
        for depth, (each, inner) in enumerate(pairwise(self._open)):
            label = each.number.style is NumberStyle.LABELLED and not each.number.is_chapter
            own = inner.number.parts[0] == each.number.parts[0] and not inner.number.is_whole
            if label and own and each.number.parts[0] == str(int(number.printed) - 1):
                return depth
        return None

    def _is_passed_over(self, number: PrintedNumber, after: Sequence[PrintedNumber]) -> bool:
        # "… die der⏎3. Mannschaft" between the rules 6 and 7
        return (
            bool(after)
            and number.is_whole
            and not number.is_first
            and any(
                each.number.kind == number.kind and each.number.is_followed_by(after[0])
                for each in self._open
            )
        )

    def _before(self, number: PrintedNumber) -> NumberedUnit | None:
        # The number before the last label or heading that it continues: rule 9 for rule 10 in
        # Part II.
        last = self._last.get(_system(number))
        if last is None or last in self._open or last.heading != self._heading:
            return None
        if any(each.number.begins(number) and each.goes_on_from_label for each in self._open):
            return None
        near = last.number.is_followed_by if number.is_whole else last.number.precedes
        letter = number.style is NumberStyle.CAPITAL and number.form == "." and not self._heading
        return last if (letter or number.style is NumberStyle.DECIMAL) and near(number) else None

    def _continue(self, at: int, number: PrintedNumber) -> bool:
        decimal = number.style is NumberStyle.DECIMAL
        for depth, each in enumerate(self._open):
            # The direct successor of an outer number: 1.2 after 1.1, not inside item 1.
            if not number.is_whole and each.number.is_followed_by(number):
                self._push(at, number, depth)
                return True
        for depth in self._nearest_first(number):
            each = self._open[depth]
            if each.number.kind != number.kind or not self._is_alike(each, number):
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

    def _nearest_first(self, number: PrintedNumber) -> list[int]:
        # Innermost first; among nested lists of one kind, the one with the same indentation.
        depths = list(range(len(self._open) - 1, -1, -1))
        lists = [
            depth
            for depth in depths
            if self._open[depth].number.kind == number.kind
            and number.is_whole
            and number.style is not NumberStyle.LABELLED
            and not self._open[depth].heading
            and self._open[depth].number.precedes(number)
        ]
        if len(lists) > 1:
            nearest = min(lists, key=lambda depth: abs(self._open[depth].indent - self._indent))
            depths.remove(nearest)
            depths.insert(0, nearest)
        return depths

    def _is_list_in_list(self, number: PrintedNumber) -> bool:
        # Whether it begins a list indented further than the item of its kind before it.
        last = self._open[-1] if self._open else None
        return (
            last is not None
            and not last.heading
            and last.number.kind == number.kind
            and number.is_whole
            and number.is_first
            and self._indent - last.indent >= self._deeper
        )

    def _is_alike(self, each: NumberedUnit, number: PrintedNumber) -> bool:
        # Numbers of several parts may be headings or not, but are alike inside a heading.
        item = not each.heading and each.number.is_whole
        if (
            self._heading
            and item
            and any(o.heading and o.number.contains(number) for o in self._open)
        ):
            return False
        same = each.heading == self._heading
        return same or not number.is_whole or each.number.contains(number)

    def _depth_of_label(self, number: PrintedNumber) -> int:
        # The depth of the last number with its label, or else inside the current parts.
        system = _system(number)
        around = self._around.get(system, set())
        for depth, each in enumerate(self._open):
            outer = _system(each.number)
            item = not each.heading and each.number.is_whole
            if not each.number.is_chapter and (item or (number.is_chapter and outer not in around)):
                return depth
            if outer == system or system in self._around[outer]:
                return depth
        return len(self._open)

    def _depth_of_labels(self) -> int:
        # Inside all current labels and headings.
        depth = 0
        for at, each in enumerate(self._open, 1):
            if each.heading or each.number.style is NumberStyle.LABELLED:
                depth = at
        return depth

    def _depth_of_sequence(self, number: PrintedNumber) -> int:
        # A list mark or first number begins a sequence inside the current number, any other number
        # beside the first that does not contain it.
        numbers = [each.number for each in self._open]

        def places(fits: Callable[[NumberedUnit], bool]) -> list[int]:
            return [depth for depth, each in enumerate(self._open) if fits(each)]

        if not self._heading and self._is_list_in_list(number):
            return len(numbers)
        same_kind = places(lambda each: each.number.kind == number.kind)
        if self._heading and number.style is NumberStyle.ROMAN:
            articles = places(
                lambda each: (
                    each.number.style is NumberStyle.LABELLED and not each.number.is_chapter
                )
            )
            if articles:  # a chapter, not part of the article before it
                return articles[0]
        if self._heading and number.is_whole:
            beside = places(
                lambda each: (
                    (not each.heading and each.number.style is not NumberStyle.LABELLED)
                    or each.number.kind == number.kind
                )
            )
            return beside[0] if beside else len(numbers)
        if number.style is not NumberStyle.DECIMAL:
            return same_kind[0] if same_kind else len(numbers)
        if around := places(lambda each: each.number.contains(number)):
            return around[-1] + 1
        lists = [i + 1 for i, pair in enumerate(pairwise(numbers)) if _is_list_within(*pair)]
        if number.is_whole and number.is_first and lists:
            return lists[-1]  # another list within the same rule
        if number.is_whole and (headings := places(lambda each: each.heading)):
            marks = places(lambda each: not each.heading and each.number.is_plain)
            inside = [depth for depth in marks if depth > headings[-1]]
            return inside[0] if inside else len(numbers)
        same = [i for i in same_kind if len(numbers[i].parts) >= len(number.parts)]
        begins_list = same and number.is_first and _is_list_within(numbers[-1], number)
        if not number.is_whole or (same and not begins_list):
            return same[0] if same else self._depth_of_labels()
        return len(numbers)

    def _push(
        self, at: int, number: PrintedNumber, depth: int, before: NumberedUnit | None = None
    ) -> None:
        system = _system(number)
        if depth < len(self._open) and self._open[depth].number.precedes(number):
            before = self._open[depth]
        del self._open[depth:]
        parent = self._open[-1] if self._open else None
        found = NumberedUnit(
            at, number, parent, number.printed, before, self._heading, self._indent
        )
        self.found[at] = self._last[system] = found
        self._around.setdefault(system, {_system(each.number) for each in self._open})
        self._interrupted = False
        self._open.append(found)


def _leads_into(number: PrintedNumber, after: PrintedNumber) -> bool:
    same_style = number.style is after.style is NumberStyle.DECIMAL
    return same_style and number.begins(after)


def _is_list_within(outer: PrintedNumber, inner: PrintedNumber) -> bool:
    # "1." in 3.2
    return inner.style is NumberStyle.DECIMAL and inner.is_whole and not outer.is_whole


def _mark_system(found: dict[int, NumberedUnit], units: Sequence[Unit]) -> None:
    # Numbers of several parts, labelled numbers and numbers of marked headings belong to the
    # numbering of the document, and so do the numbers around and inside them.
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
    # So do numbers in one sequence with them: chapter 3 without rules.
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
    for each in found.values():  # parents come before their children
        each.system = each.system or bool(each.parent and each.parent.system)
        if not each.heading and each.parent in lists:
            each.system = False  # "1." in 3.2 is not 3.2.1 if a heading is


def mark_headings(found: dict[int, NumberedUnit], headings: Container[int]) -> None:
    """Mark numbers of ``found`` as numbers of the document if they count up from a first one and
    all are ``headings``: "1 Setup", "2 Turns".
    """
    runs: dict[NumberedUnit | None, list[NumberedUnit]] = {}
    for each in found.values():
        if each.at in headings and each.number.is_whole:
            run = runs.pop(each.before, None) if each.before else None
            if run or each.number.is_first:
                runs[each] = [*(run or []), each]
    lettered = NumberStyle.CAPITAL  # two are enough: "A. Fees" and "B. Maps"
    long = (
        run
        for each, run in runs.items()
        if each and len(run) >= (2 if each.number.style is lettered else _FEWEST_TITLED)
    )
    marked = {each for run in long for each in run if not each.system}
    for each in found.values():  # parents come before their children
        if each in marked or each.parent in marked:
            marked.add(each)
            each.system = True


def _has_prefixes(found: dict[int, NumberedUnit]) -> bool:
    # Whether 11 contains 111 and 1111, or 1 contains 100 and 101; a few such numbers are chance.
    whole = [
        each
        for each in found.values()
        if each.number.style is NumberStyle.DECIMAL and len(each.number.parts[0]) > 1
    ]
    inside = sum(bool(each.parent and each.is_inside(each.parent)) for each in whole)
    return inside >= max(_PREFIXED, len(whole) / 2)
