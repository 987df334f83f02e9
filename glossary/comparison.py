"""Two editions side by side: which entries correspond, which passages within them, and what differs between these."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

import numpy as np
from scipy.optimize import linear_sum_assignment

from corpus.model import Edition, Entry, Kind, Passage
from corpus.titles import key
from glossary.alignment import tied_passages, vocabulary
from glossary.concepts import Concept
from glossary.likeness import Likeness, texts_of
from glossary.model import Book, Reference
from glossary.phrasings import fingerprint
from glossary.rewording import changed_words

JOINED = 0.5  # share of a further passage that one of a pair must cover: where one print divides what the other has in one
NEAR = 3  # passages that it stands from the one that this is paired with, at most
RENAMED = 0.6  # likeness of content that makes an entry the same under another heading, within one language

_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w]|\.\d)")
_SYMBOL = re.compile(r"[★☆⚡→↻☰◆▲●✦]|\[[^\]\s]{1,20}\]")


class Status(StrEnum):
    """What became of an entry or a passage from left to right."""

    ONLY_LEFT = "only-left"
    ONLY_RIGHT = "only-right"
    CHANGED = "changed"
    SAME = "same"


class Sort(StrEnum):
    """In what two corresponding passages differ."""

    WORDS = "words"
    NUMBERS = "numbers"
    SYMBOLS = "symbols"
    NAMES = "names"
    TERMS = "terms"


@dataclass(frozen=True, slots=True)
class Difference:
    """What only one side has; for terms, concept ids."""

    sort: Sort
    left: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Passages that say the same, several on a side where the other has them in one, none where there is no counterpart.

    ``moved`` says that they stand in another order than their neighbours.
    """

    left: tuple[Passage, ...]
    right: tuple[Passage, ...]
    moved: bool
    differences: tuple[Difference, ...]

    @property
    def status(self) -> Status:
        """Whether both sides have it, and alike."""
        if not self.left or not self.right:
            return Status.ONLY_LEFT if self.left else Status.ONLY_RIGHT
        return Status.CHANGED if self.differences or self.moved or self.divided else Status.SAME

    @property
    def divided(self) -> bool:
        """Whether both sides have it and one divides into several passages what the other has in fewer."""
        return bool(self.left and self.right) and len(self.left) != len(self.right)

    @property
    def texts(self) -> tuple[str, str]:
        """What each side says, for readers, a passage a line; empty where it does not have it."""
        return "\n".join(p.display for p in self.left), "\n".join(p.display for p in self.right)


@dataclass(frozen=True)
class Pair:
    """Entries that correspond, several where one edition splits what the other has in one, with their passages in rows.

    ``references`` are the references that only one side has, by the title or concept they lead to.
    """

    concept: str | None
    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    rows: tuple[Row, ...]
    references: tuple[tuple[str, ...], tuple[str, ...]]
    renamed: bool

    @property
    def status(self) -> Status:
        """Whether both editions have it, and alike."""
        if not self.left or not self.right:
            return Status.ONLY_LEFT if self.left else Status.ONLY_RIGHT
        changed = self.renamed or any(self.references) or any(row.status is not Status.SAME for row in self.rows)
        return Status.CHANGED if changed else Status.SAME


@dataclass(frozen=True)
class Comparison:
    """Two editions, entry by entry: in the order of the left one, what only the right one has at the place it has there."""

    left: Edition
    right: Edition
    pairs: tuple[Pair, ...]

    @property
    def versions(self) -> bool:
        """Whether both are in one language, so that words can be compared."""
        return self.left.language == self.right.language

    @cached_property
    def counts(self) -> Mapping[Status, int]:
        """How many entries there are of each status."""
        found = Counter(pair.status for pair in self.pairs)
        return {status: found[status] for status in Status}


def compare(
    left: Book,
    right: Book,
    tied: Mapping[str, str],
    references: Mapping[str, Sequence[Reference]],
    concepts: Sequence[Concept],
    topics: Mapping[str, str] = MappingProxyType({}),
) -> Comparison:
    """``left`` and ``right``, editions of one game, side by side.

    ``tied`` are concept ids by entry id, ``references`` those of each entry by id, ``concepts`` those of the game, ``topics``
    what entries share that are of no concept, by entry id. Entries correspond by concept or topic; in versions of one
    language also by number, by heading, and, renamed, by content.
    """
    texts = texts_of(left), texts_of(right)
    both = [[p for passages in side.values() for p in passages] for side in texts]
    called = vocabulary(left, concepts, tied), vocabulary(right, concepts, tied)
    likeness = Likeness(both[0], both[1], called, tied_passages(left, right, {**topics, **tied}))
    versions = left.edition.language == right.edition.language
    groups = _groups(left, right, tied, topics, versions)
    if versions:
        groups = _renamed(groups, texts, likeness)
    pairs = [_pair(group, tied, references, texts, likeness, versions) for group in groups]
    return Comparison(left.edition, right.edition, tuple(pairs))


_Group = tuple[str | None, list[Entry], list[Entry]]
_Passages = tuple[list[Passage], list[Passage]]  # that correspond, left and right
_Texts = tuple[Mapping[str, list[Passage]], Mapping[str, list[Passage]]]  # by entry id, of either side


def _groups(left: Book, right: Book, tied: Mapping[str, str], topics: Mapping[str, str], versions: bool) -> list[_Group]:
    """Entries that correspond, in the order of ``left``, each entry of ``right`` without counterpart after its neighbour."""

    def name(entry: Entry) -> tuple[str, ...]:
        if entry.id in tied:
            return ("concept", tied[entry.id])
        if entry.id in topics:
            return ("topic", topics[entry.id])
        if versions or entry.kind is Kind.RULE:
            return (entry.kind, entry.number or "", entry.product or "", key(entry.title) or entry.title)
        return ("alone", entry.id)

    groups: dict[tuple[str, ...], _Group] = {}
    for entry in left.entries:
        groups.setdefault(name(entry), (tied.get(entry.id), [], []))[1].append(entry)
    order = list(groups)
    after: tuple[str, ...] | None = None
    for entry in right.entries:
        called = name(entry)
        if called not in groups:
            groups[called] = (tied.get(entry.id), [], [])
            order.insert(order.index(after) + 1 if after else 0, called)
        groups[called][2].append(entry)
        after = called
    return [groups[called] for called in order]


def _renamed(groups: list[_Group], texts: _Texts, likeness: Likeness) -> list[_Group]:
    """``groups`` with entries that only one side has put together where their passages are alike."""
    gone = [g for g in groups if g[1] and not g[2] and any(texts[0].get(e.id) for e in g[1])]
    new = [g for g in groups if g[2] and not g[1] and any(texts[1].get(e.id) for e in g[2])]
    if not gone or not new:
        return groups
    alike = np.zeros((len(gone), len(new)))
    for i, (_, entries, _) in enumerate(gone):
        here = [p for e in entries for p in texts[0].get(e.id, ())]
        for j, (_, _, others) in enumerate(new):
            content = likeness.content(here, [p for e in others for p in texts[1].get(e.id, ())])
            alike[i, j] = (content.max(axis=1).mean() + content.max(axis=0).mean()) / 2
    joined = {}
    for i, j in zip(*linear_sum_assignment(-alike), strict=True):
        if alike[i, j] >= RENAMED and {e.kind for e in gone[i][1]} == {e.kind for e in new[j][2]}:
            joined[id(gone[i])] = (gone[i][0] or new[j][0], gone[i][1], new[j][2])
            joined[id(new[j])] = (None, [], [])
    return [g for g in (joined.get(id(group), group) for group in groups) if g[1] or g[2]]


def _pair(
    group: _Group,
    tied: Mapping[str, str],
    references: Mapping[str, Sequence[Reference]],
    texts: _Texts,
    likeness: Likeness,
    versions: bool,
) -> Pair:
    concept, left, right = group
    here = [p for e in left for p in texts[0].get(e.id, ())]
    there = [p for e in right for p in texts[1].get(e.id, ())]
    rows = _rows(here, there, likeness, versions)
    leads = [Counter(n for e in side for n in _leads(e, references.get(e.id, ()), tied)) for side in (left, right)]
    only = (tuple((leads[0] - leads[1]).elements()), tuple((leads[1] - leads[0]).elements())) if left and right else ((), ())
    renamed = bool(versions and left and right and {e.heading for e in left} != {e.heading for e in right})
    return Pair(concept, tuple(left), tuple(right), tuple(rows), only, renamed)


def _leads(entry: Entry, references: Sequence[Reference], tied: Mapping[str, str]) -> Iterable[str]:
    """Where an entry's references lead, as far as it can be compared: the concept, else the slug of the target."""
    targets = {r.target for r in references if r.target and r.target != entry.id}
    return sorted({tied.get(target) or target.partition("/")[2] for target in targets})


def _rows(here: Sequence[Passage], there: Sequence[Passage], likeness: Likeness, versions: bool) -> list[Row]:
    """The passages of two entries aligned, in the order of the left ones, those only on the right at the place they have there."""
    mine: dict[str, _Passages] = {}
    theirs: dict[str, _Passages] = {}
    if here and there:
        for i, j in _joined(here, there, likeness):
            row = mine.get(here[i].id) or theirs.get(there[j].id) or ([], [])
            for side, known, passage in zip(row, (mine, theirs), (here[i], there[j]), strict=True):
                if passage.id not in known:
                    known[passage.id] = row
                    side.append(passage)
    ordered: list[_Passages] = []
    for passage in here:
        row = mine.get(passage.id, ([passage], []))
        if all(row is not known for known in ordered):
            ordered.append(row)
    place = 0
    for passage in there:
        row = theirs.get(passage.id, ([], [passage]))
        at = next((n for n, other in enumerate(ordered) if other is row), None)
        if at is None:
            ordered.insert(place, row)
            at = place
        place = at + 1
    return [_row(left, right, place, there, ordered, likeness, versions) for place, (left, right) in enumerate(ordered)]


def _joined(here: Sequence[Passage], there: Sequence[Passage], likeness: Likeness) -> Iterable[tuple[int, int]]:
    """The counterparts, and the further passages that one of a pair covers, by their numbers in ``here`` and ``there``."""
    pairs = {i: j for i, j, _ in likeness.assigned(here, there)}
    back = {j: i for i, j in pairs.items()}
    yield from pairs.items()
    forth, others = likeness.covered(here, there)
    for i in range(len(here)):
        near = [j for j in back if i not in pairs and abs(back[j] - i) <= NEAR and forth[i, j] >= JOINED]
        if near:
            yield i, max(near, key=lambda j: forth[i, j])
    for j in range(len(there)):
        near = [i for i in pairs if j not in back and abs(pairs[i] - j) <= NEAR and others[i, j] >= JOINED]
        if near:
            yield max(near, key=lambda i: others[i, j]), j


def _row(
    left: list[Passage],
    right: list[Passage],
    place: int,
    there: Sequence[Passage],
    ordered: Sequence[_Passages],
    likeness: Likeness,
    versions: bool,
) -> Row:
    at = {p.id: n for n, p in enumerate(there)}
    before = [at[p.id] for _, others in ordered[:place] for p in others]
    moved = bool(left and right and before and at[right[0].id] < max(before))
    left, right = sorted(left, key=lambda p: p.ordinal), sorted(right, key=lambda p: at[p.id])
    differences = tuple(_differences(left, right, likeness, versions)) if left and right else ()
    return Row(tuple(left), tuple(right), moved, differences)


def _differences(left: Sequence[Passage], right: Sequence[Passage], likeness: Likeness, versions: bool) -> Iterable[Difference]:
    texts = [" ".join(p.display for p in side) for side in (left, right)]
    if fingerprint(texts[0]) == fingerprint(texts[1]):
        return
    if versions:
        gone, new = changed_words(*texts)
        if gone or new:
            yield Difference(Sort.WORDS, gone, new)
        return
    for sort, pattern in ((Sort.NUMBERS, _NUMBER), (Sort.SYMBOLS, _SYMBOL)):
        counts = [Counter(pattern.findall(text)) for text in texts]
        if counts[0] != counts[1]:
            yield Difference(sort, tuple((counts[0] - counts[1]).elements()), tuple((counts[1] - counts[0]).elements()))
    for sort, only in (
        (Sort.NAMES, [likeness.names_without_like(n, *both) for n, both in enumerate(((left, right), (right, left)))]),
        (Sort.TERMS, [tuple(sorted(likeness.terms_without_like(n, *both))) for n, both in enumerate(((left, right), (right, left)))]),
    ):
        if any(only):
            yield Difference(sort, only[0], only[1])
