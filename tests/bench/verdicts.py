"""What readers have judged right or wrong of what is found by itself: files of facts without any text, drawn by chance and scored."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")
Facts = tuple[tuple[str, str], ...]  # what is judged: its fields and their values


class Verdict(NamedTuple):
    """What was judged, in the draws of which seed; ``cause`` says why it is wrong, "" where it is right."""

    facts: Facts
    seed: int
    right: bool
    cause: str


def load_verdicts(path: Path) -> list[Verdict]:
    """The verdicts in ``path``, one JSON object a line: the facts, then ``seed``, ``right`` and, where it is wrong, ``cause``."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        seed, right, cause = row.pop("seed"), row.pop("right"), row.pop("cause", "")
        found.append(Verdict(tuple(row.items()), seed, right, cause))
    return found


def unjudged_line(facts: Facts, seed: int) -> str:
    """The line of a verdict that is still to be given."""
    return json.dumps({**dict(facts), "seed": seed, "right": None}, ensure_ascii=False)


def rank(seed: int, *facts: str) -> bytes:
    """A place by chance in the draw of ``seed``, the same however many others are drawn from."""
    return hashlib.sha256("\x1f".join((str(seed), *facts)).encode()).digest()


def draw(items: Iterable[T], seed: int, facts_of: Callable[[T], Facts], limits_of: Callable[[T], Mapping[str, int]]) -> list[T]:
    """Some of ``items`` by chance: of each of the groups that ``limits_of`` names for an item, as many as it allows."""
    taken: Counter[str] = Counter()
    drawn: list[T] = []
    for item in sorted(items, key=lambda item: rank(seed, *(value for _, value in facts_of(item)))):
        limits = limits_of(item)
        if all(taken[name] < limit for name, limit in limits.items()):
            taken.update(limits.keys())
            drawn.append(item)
    return drawn


class Score(NamedTuple):
    """How many of those drawn are right and wrong, by the name of a group, "" for all, and which have no verdict yet."""

    right: Mapping[str, int]
    wrong: Mapping[str, int]
    causes: Mapping[str, int]
    unjudged: Sequence[Facts]


def score(drawn: Iterable[Facts], verdicts: Iterable[Verdict], groups: Callable[[Facts], Iterator[str]]) -> Score:
    """The verdicts on what was ``drawn``."""
    known = {verdict.facts: verdict for verdict in verdicts}
    right, wrong, causes = Counter[str](), Counter[str](), Counter[str]()
    unjudged = []
    for facts in drawn:
        if (verdict := known.get(facts)) is None:
            unjudged.append(facts)
            continue
        (right if verdict.right else wrong).update(("", *groups(facts)))
        causes.update([] if verdict.right else [verdict.cause])
    return Score(right, wrong, causes, unjudged)


def lines_of(score: Score) -> Iterator[str]:
    """``score`` as lines for a terminal."""
    for group in sorted({*score.right, *score.wrong}):
        right, wrong = score.right[group], score.wrong[group]
        yield f"{group or 'all':28} right {right:4} of {right + wrong:4}  {right / (right + wrong):.3f}"
    yield from (f"  wrong: {count:3} {cause}" for cause, count in sorted(score.causes.items(), key=lambda each: -each[1]))


def by_seed(verdicts: Iterable[Verdict]) -> dict[int, list[Verdict]]:
    """``verdicts`` by the draw that they were given in."""
    found: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        found[verdict.seed].append(verdict)
    return dict(sorted(found.items()))
