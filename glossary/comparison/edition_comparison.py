"""Two editions side by side: which entries correspond, which passages within them, and what differs between these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from corpus.model import Edition, Entry, Passage
from glossary.comparison import numbers
from glossary.comparison.alignment import tied_passages, vocabulary
from glossary.comparison.correspondence import Group, Texts, corresponding
from glossary.comparison.likeness import Likeness, texts_of
from glossary.comparison.rewording import changed_words
from glossary.concepts import Concept
from glossary.longest_increasing import out_of_order
from glossary.model import Book, Reference
from glossary.normalization import is_symbol
from glossary.phrasings import fingerprint

JOINED = 0.45  # share of a further passage that one of a pair must cover: where one print divides what the other has in one
BETTER = 0.3  # by which it covers it better than its own counterpart does, where it has one
NEAR = 3  # passages that it stands from the one that this is paired with, at most


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
    language also by number, by heading, and, renamed, by content. Of an edition that is an excerpt, what it does not have
    is no difference.
    """
    texts = texts_of(left), texts_of(right)
    both = [[p for passages in side.values() for p in passages] for side in texts]
    called = vocabulary(left, concepts, tied), vocabulary(right, concepts, tied)
    likeness = Likeness(both[0], both[1], called, tied_passages(left, right, {**topics, **tied}))
    groups = corresponding(left, right, tied, topics, texts, likeness)
    pairs = [_pair(group, tied, references, texts, likeness) for group in groups]
    return Comparison(left.edition, right.edition, tuple(pairs))


_Passages = tuple[list[Passage], list[Passage]]  # that correspond, left and right


def _pair(
    group: Group,
    tied: Mapping[str, str],
    references: Mapping[str, Sequence[Reference]],
    texts: Texts,
    likeness: Likeness,
) -> Pair:
    concept, left, right = group
    here, there = (
        sorted((p for e in entries for p in by_entry.get(e.id, ())), key=lambda p: p.spans)
        for entries, by_entry in zip((left, right), texts, strict=True)
    )
    rows = _rows(here, there, likeness)
    own = {entry.id for entry in (*left, *right)}
    leads = [Counter(lead for e in side for lead in _leads(references.get(e.id, ()), tied, own)) for side in (left, right)]
    only = (tuple((leads[0] - leads[1]).elements()), tuple((leads[1] - leads[0]).elements())) if left and right else ((), ())
    renamed = bool(likeness.versions and left and right and {e.heading for e in left} != {e.heading for e in right})
    return Pair(concept, tuple(left), tuple(right), tuple(rows), only, renamed)


def _leads(references: Sequence[Reference], tied: Mapping[str, str], own: Collection[str]) -> Iterable[str]:
    """Where references lead out of the entries ``own``, as far as it can be compared: the concept, else the slug of the target."""
    inside = {tied[entry] for entry in own if entry in tied}
    names = {tied.get(r.target, r.target) for r in references if r.target and r.target not in own}
    return sorted(name.partition("/")[2] or name for name in names - inside)


def _rows(here: Sequence[Passage], there: Sequence[Passage], likeness: Likeness) -> list[Row]:
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
    where = {p.id: n for n, p in enumerate(there)}
    both = [n for n, (left, right) in enumerate(ordered) if left and right]
    moved = {both[n] for n in out_of_order([min(where[p.id] for p in ordered[n][1]) for n in both])}
    return [_row(left, right, n in moved, likeness) for n, (left, right) in enumerate(ordered)]


def _joined(here: Sequence[Passage], there: Sequence[Passage], likeness: Likeness) -> Iterable[tuple[int, int]]:
    """The counterparts, and the further passages that one of a pair covers, by their numbers in ``here`` and ``there``."""
    pairs = {i: j for i, j, _ in likeness.assigned(here, there)}
    forth, back = likeness.covered(here, there)
    for i, j in sorted(pairs.items(), key=lambda pair: float(forth[pair] * back[pair])):
        one = max((forth[i, other] for k, other in pairs.items() if k != i and abs(k - i) <= NEAR), default=0.0)
        other = max((back[k, j] for k, its in pairs.items() if k != i and abs(its - j) <= NEAR), default=0.0)
        if one >= max(JOINED, forth[i, j] + BETTER) or other >= max(JOINED, back[i, j] + BETTER):
            del pairs[i]
    yield from pairs.items()
    taken = {j: i for i, j in pairs.items()}
    for i in set(range(len(here))) - pairs.keys():
        near = [j for j, its in taken.items() if abs(its - i) <= NEAR and forth[i, j] >= JOINED]
        if near:
            yield i, max(near, key=lambda j: float(forth[i, j]))
    for j in set(range(len(there))) - taken.keys():
        near = [i for i, its in pairs.items() if abs(its - j) <= NEAR and back[i, j] >= JOINED]
        if near:
            yield max(near, key=lambda i: float(back[i, j])), j


def _row(left: list[Passage], right: list[Passage], moved: bool, likeness: Likeness) -> Row:
    left, right = (sorted(side, key=lambda p: p.spans) for side in (left, right))
    differences = tuple(_differences(left, right, likeness)) if left and right else ()
    return Row(tuple(left), tuple(right), moved, differences)


def _differences(left: Sequence[Passage], right: Sequence[Passage], likeness: Likeness) -> Iterable[Difference]:
    texts = [" ".join(p.display for p in side) for side in (left, right)]
    if fingerprint(texts[0]) == fingerprint(texts[1]):
        return
    if likeness.versions:
        gone, new = changed_words(*texts)
        if gone or new:
            yield Difference(Sort.WORDS, gone, new)
        return
    here, there = zip(texts, likeness.languages, strict=True)
    sides = ((0, left, right), (1, right, left))
    signs = [Counter(filter(is_symbol, text)) for text in texts]
    for sort, only in (
        (Sort.NUMBERS, [numbers.only(*here, *there), numbers.only(*there, *here)]),
        (Sort.SYMBOLS, [tuple((signs[n] - signs[1 - n]).elements()) for n in (0, 1)]),
        (Sort.NAMES, [likeness.names_without_like(*side) for side in sides]),
        (Sort.TERMS, [tuple(sorted(likeness.terms_without_like(*side))) for side in sides]),
    ):
        if any(only):
            yield Difference(sort, only[0], only[1])
