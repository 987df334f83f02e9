"""Test regular expressions with texts made to slow them down: thousands of repetitions of what each
repeat matches.
"""

from __future__ import annotations

import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # there is no public way to see what a pattern repeats
from typing import Any

SIZE = 20_000  # characters of a pumped text
LIMIT = 0.05  # seconds of processor time allowed for it
_LATE = 0.3  # seconds after which a match is aborted
_SHORT, _REPETITIONS = 250, 40  # characters, and repetitions, of the first try
_TIMES = 4  # factor from one text length to the next
_TRIES = 5  # tries when a pattern seems slow, since other processes may disturb one

_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}
_CLASSES = {_constants.IN, _constants.ANY, _constants.NOT_LITERAL}
# Characters to try, grouped by kind; a pattern may match some of a kind and not the others.
_KINDS = (
    "aAxéßI",
    " \n\t\u00a0",
    "10²",
    ".,:;!?…",
    "-–•/|+=~%&§@$\\",
    "*_#`",
    "([{<",
    ")]}>",
    "\"'„“”»«’",
    "\0\u0300\ue000",
)
_ALWAYS = (
    " ",
    "\n",
    " \n",
    "1",
    "1.",
    "a",
    "A",
    "a ",
    "(",
    "[",
    ")",
    "]",
    '"',
    "„",
    "“",
    "'",
    "*",
    "-",
    "- ",
    ">",
    ".",
    ". ",
)
_BEHIND = (" ", "1", "(", '"', "a")
_LAST = ("", "\0", "a")  # possible endings of a text
_FEW = 4
_WIDE, _ALIKE = 8, 2  # alternatives that make a list of words; equal repeats tried in such a list
_MOST = 6  # texts made for one part of a pattern


@dataclass(frozen=True)
class Pumped:
    """A text of ``prefix``, repetitions of ``unit``, and ``last``."""

    prefix: str
    unit: str
    last: str

    def text(self, size: int) -> str:
        """Return the text with about ``size`` characters."""
        return self.prefix + self.unit * (size // len(self.unit)) + self.last


def pumped_texts(pattern: re.Pattern[Any]) -> list[Pumped]:
    """Return texts that may slow ``pattern`` down: for each of its repeats a matching text, alone
    and after the text that leads to the repeat.
    """
    parsed = _parser.parse(pattern.pattern, pattern.flags)
    found: dict[tuple[str, str], None] = dict.fromkeys(("", unit) for unit in _ALWAYS)
    for prefix, units in _repeats(parsed, "", parsed.state):
        for unit in filter(None, units):
            found |= dict.fromkeys([("", unit), (prefix, unit), ("", prefix + unit)])
        if prefix:
            found |= dict.fromkeys([("", prefix), *((prefix, each) for each in _BEHIND)])
    return [
        Pumped(prefix, unit, last)
        for prefix, unit in found
        for last in (_LAST if prefix or unit not in _ALWAYS else _LAST[:2])
    ]


def _repeats(nodes: Sequence[Any], prefix: str, state: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield for each repeat in ``nodes`` a text that leads to it and texts that match it or what
    follows. Repeats with a small maximum are skipped.
    """
    for at, (op, value) in enumerate(nodes):
        if op in _REPEATS and value[1] > _FEW:
            yield prefix, _samples(value[2], state)
            for behind in (nodes[at + 1 : at + 2], nodes[at + 1 :]):
                yield prefix, _samples(behind, state)[:2]
        inside = _inside(op, value)
        seen: Counter[tuple[str, ...]] = Counter()
        for inner in inside:
            for found in _repeats(inner, prefix, state):
                seen[tuple(found[1])] += 1
                if len(inside) <= _WIDE or seen[tuple(found[1])] <= _ALIKE:
                    yield found
        prefix += _samples_of(op, value, state)[0]


def _inside(op: Any, value: Any) -> Sequence[Any]:
    """Return the sequences of nodes within a node."""
    if op in _REPEATS:
        return [value[2]]
    if op is _constants.SUBPATTERN:
        return [value[-1]]
    if op is _constants.ATOMIC_GROUP:
        return [value]
    if op is _constants.BRANCH:
        return value[1]
    return [value[1]] if op in (_constants.ASSERT, _constants.ASSERT_NOT) else []


def _samples(nodes: Sequence[Any], state: Any) -> list[str]:
    """Return some short texts that ``nodes`` match, ignoring their context."""
    found = [""]
    for op, value in nodes:
        parts = _samples_of(op, value, state)
        found = [
            found[min(n, len(found) - 1)] + parts[min(n, len(parts) - 1)]
            for n in range(max(len(found), len(parts)))
        ]
    return list(dict.fromkeys(found))[:_MOST]


def _samples_of(op: Any, value: Any, state: Any) -> list[str]:
    if op is _constants.LITERAL:
        return [chr(value)]
    if op in _CLASSES:
        one = _compiler.compile(_parser.SubPattern(state, [(op, value)]), state.flags)
        binary = isinstance(state.str, bytes)
        tried = [
            [
                each
                for each in kind
                if one.fullmatch(each.encode("latin-1", "replace") if binary else each)
            ]
            for kind in _KINDS
        ]
        return [kind[0] for kind in tried if kind][:_MOST] or [""]
    if op in _REPEATS:
        least, _, body = value
        return [each * max(least, 1) for each in _samples(body, state)] + (
            [""] if least == 0 else []
        )
    if op in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [""]
    return [each for inner in _inside(op, value) for each in _samples(inner, state)][:_MOST] or [""]


Use = Callable[[re.Pattern[Any], Any], object]
USES: dict[str, Use] = {
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: pattern.search(text),
    "finditer": lambda pattern, text: sum(1 for _ in pattern.finditer(text)),
}


def slowest(pattern: re.Pattern[Any], use: str, longest: int = SIZE) -> tuple[float, str]:
    """Return the processor time in seconds of the worst text with one of `USES`, and that text.

    If ``pattern`` gets texts of at most ``longest`` characters, it is the time for as many of them
    as have `SIZE` characters in total. A text is not tried at full size where shorter ones give a
    clear result. Call this in the main thread only, because a signal aborts a match that hangs.
    """
    worst = 0.0, ""
    handler = signal.signal(signal.SIGVTALRM, _late)
    try:
        for each in pumped_texts(pattern):
            seconds, size = _seconds(pattern, USES[use], each, longest)
            if seconds > worst[0]:
                worst = (
                    seconds,
                    f"{each.prefix!r} + {each.unit!r} … to {size} characters + {each.last!r}",
                )
            if seconds > LIMIT:
                break
    finally:
        signal.signal(signal.SIGVTALRM, handler)
    return worst


def _seconds(pattern: re.Pattern[Any], use: Use, pumped: Pumped, longest: int) -> tuple[float, int]:
    """Return the seconds for ``pumped`` and the number of characters: `SIZE`, or fewer where that
    already takes too long.
    """

    def taken(size: int, tries: int = 1, enough: float = 0.0) -> float:
        text = pumped.text(size)
        given = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
        least = _LATE
        for _ in range(tries):
            least = min(least, _timed(pattern, use, given))
            if least <= enough or least > 5 * LIMIT:
                break
        return least

    size = max(_SHORT, _REPETITIONS * len(pumped.unit))
    if longest < size * _TIMES:
        size = min(longest, SIZE)
        return taken(size, _TRIES, LIMIT * size / SIZE) * SIZE / size, size
    short = taken(size)
    if short <= LIMIT * (size / SIZE) ** 2:  # fast enough even with quadratic growth
        return short * SIZE / size, SIZE
    expected = _expected(short, taken(_TIMES * size), SIZE / size)
    if expected > LIMIT / 2:  # disturbed, or slow
        expected = _expected(taken(size, _TRIES), taken(_TIMES * size, _TRIES), SIZE / size)
    return (expected if expected <= LIMIT else taken(SIZE, _TRIES, LIMIT)), SIZE


def _expected(short: float, longer: float, times: float) -> float:
    """Return the expected seconds for a text ``times`` as long as one that takes ``short``, if one
    `_TIMES` as long takes ``longer``.

    Growth beyond proportional is assumed to be quadratic.
    """
    square = max(longer - _TIMES * short, 0) / (_TIMES**2 - _TIMES)
    return max(short - square, 0) * times + square * times**2


def _timed(pattern: re.Pattern[Any], use: Use, text: str | bytes) -> float:
    signal.setitimer(signal.ITIMER_VIRTUAL, _LATE)
    try:
        began = time.thread_time()
        use(pattern, text)
        return time.thread_time() - began
    except _Late:
        return _LATE
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _late(*_: object) -> None:
    raise _Late


class _Late(Exception):
    """Aborts a match that takes longer than `_LATE`."""
