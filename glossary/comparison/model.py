"""The data model of a comparison of editions: entries, aligned passages, and differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import groupby

from corpus.model import Edition, Entry, Passage
from glossary.comparison.hints import PassageDifference
from glossary.comparison.sentence_text import Sentence


class Agreement(StrEnum):
    """The extent to which two corresponding texts say the same."""

    SAME = "same"  # every clause and term has its counterpart
    FREELY_RENDERED = "freely-rendered"  # some counterparts are not sure
    DIFFERS = "differs"  # a clause, term, number, condition, exception or limit has no counterpart


_LEAST_FIRST = (Agreement.DIFFERS, Agreement.FREELY_RENDERED, Agreement.SAME)


class ComparisonStatus(StrEnum):
    """Whether only one side has an entry or a passage, or it is changed or the same."""

    ONLY_LEFT = "only-left"
    ONLY_RIGHT = "only-right"
    CHANGED = "changed"
    SAME = "same"


class Doubt(StrEnum):
    """Why a segment may be no true translation."""

    WORDS = "words"  # words of one side have no counterpart
    LENGTH = "length"  # one side is longer than usual
    NUMBERS = "numbers"  # numbers differ
    DENIALS = "denials"  # only one side has a word that denies
    SIGNS = "signs"  # brackets, commas, full stops that only one side has
    TERMS = "terms"  # terms that only one side has
    JOINED = "joined"  # several sentences are aligned with one
    ROW = "row"  # its row has sentences that only one edition has
    ONE_SIDED = "one-sided"  # only one edition has it


@dataclass(frozen=True, slots=True)
class Segment:
    """Sentences of one edition with their counterpart in the other: one each, or several if the
    other edition says the same in fewer sentences.

    Attributes:
        left: The sentences of the left edition; empty if only the right one has them.
        right: The sentences of the right edition; empty if only the left one has them.
        score: How surely both say the same, from 0 to 1.
        doubts: Why they may not say the same.
        differences: Numbers, symbols, names and terms in which they differ.
        alone: Words of either side without a counterpart, a clause or the whole sentence; "" for
            none.
        free: Whether a term or condition has no literal counterpart.
    """

    left: tuple[Sentence, ...]
    right: tuple[Sentence, ...]
    score: float
    doubts: tuple[Doubt, ...]
    differences: tuple[PassageDifference, ...]
    alone: tuple[str, str] = ("", "")
    free: bool = False

    @property
    def aligned(self) -> bool:
        """Whether both editions have the segment."""
        return bool(self.left and self.right)

    @property
    def doubtful(self) -> bool:
        """Whether it may be no true translation, or has no counterpart."""
        return bool(self.doubts)

    @property
    def texts(self) -> tuple[str, str]:
        """The text of each side in one line, or "", without bullets and list numbers."""
        labelled = all(side and side[0].label for side in (self.left, self.right))
        left, right = (
            " ".join(f"{s.label} {s.text}" if labelled and s.label else s.text for s in side)
            for side in (self.left, self.right)
        )
        return left, right

    @property
    def passages(self) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
        """The passages of each side, in order."""
        left, right = (
            tuple({s.passage.id: s.passage for s in side}.values())
            for side in (self.left, self.right)
        )
        return left, right

    @property
    def entries(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The entry ids of each side."""
        left, right = (tuple(dict.fromkeys(p.entry for p in side)) for side in self.passages)
        return left, right

    @property
    def id(self) -> str:
        """An id unique within the comparison, made of passage ids and sentence numbers."""
        return segment_id(self.left, self.right)


def segment_id(left: Sequence[Sentence], right: Sequence[Sentence]) -> str:
    """Return an id for corresponding sentences of two editions: their passages with paragraph and
    sentence numbers, "passage:2.1" or "passage:2.1-3" for sentences of its third paragraph.
    """
    sides = []
    for side in (left, right):
        places = []
        for (passage, paragraph), found in groupby(side, key=lambda s: (s.passage.id, s.paragraph)):
            numbers = list(dict.fromkeys(str(s.number) for s in found))
            places.append(f"{passage}:{paragraph}.{'-'.join([numbers[0], *numbers[1:][-1:]])}")
        sides.append("+".join(places))
    return "=".join(sides)


@dataclass(frozen=True, slots=True)
class AlignedPassages:
    """Passages that say the same; several on a side if the other edition combines them, none if
    there is no counterpart.

    Attributes:
        moved: Whether they are out of order with their neighbours.
        elsewhere: For a one-sided row, the passages in other entries of the other edition that say
            the same.
        doubtful: Differences that a reader may well reject; they do not count.
        segments: The sentences of both sides, for editions in two languages.
        agreement: How far both sides say the same. A one-sided row differs if both editions have
            the entry and the other one does not say it elsewhere; otherwise None.
        source: The corresponding passages of the source edition, if one was asked for.
        source_agreed: Whether both sides correspond to all of ``source``.
        by_hand: Whether somebody has joined or split the row.
    """

    left: tuple[Passage, ...]
    right: tuple[Passage, ...]
    moved: bool
    differences: tuple[PassageDifference, ...]
    doubtful: tuple[PassageDifference, ...] = ()
    source: tuple[Passage, ...] = ()
    source_agreed: bool = False
    elsewhere: tuple[Passage, ...] = ()
    segments: tuple[Segment, ...] = ()
    agreement: Agreement | None = None
    by_hand: bool = False

    @property
    def status(self) -> ComparisonStatus:
        """Whether both sides have passages, and whether these are alike."""
        differs = self.agreement is Agreement.DIFFERS
        return _status(self, bool(self.differences or self.moved or self.divided or differs))

    @property
    def divided(self) -> bool:
        """Whether both sides have passages, but not equally many."""
        return bool(self.left and self.right) and len(self.left) != len(self.right)

    @property
    def texts(self) -> tuple[str, str]:
        """The text of each side for readers, one passage per line; empty if the side has none."""
        return "\n".join(p.display for p in self.left), "\n".join(p.display for p in self.right)

    @property
    def source_text(self) -> str:
        """The text of the source edition, in the form of `texts`."""
        return "\n".join(p.display for p in self.source)


@dataclass(frozen=True)
class EntryPair:
    """Corresponding entries with their passages in rows; several on one side if that edition splits
    an entry of the other.

    ``references`` are the references that only one side has, by the title or concept of their
    target; ``source`` are the entries of the source edition.
    """

    concept: str | None
    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    rows: tuple[AlignedPassages, ...]
    references: tuple[tuple[str, ...], tuple[str, ...]]
    renamed: bool
    source: tuple[Entry, ...] = ()

    @property
    def status(self) -> ComparisonStatus:
        """Whether both editions have the entry, and whether it is the same in both."""
        rows = any(row.status is not ComparisonStatus.SAME for row in self.rows)
        return _status(self, self.renamed or any(self.references) or rows)

    @property
    def agreement(self) -> Agreement | None:
        """The lowest agreement of the rows; None if only one edition has the entry."""
        if not (self.left and self.right):
            return None
        found = {row.agreement or Agreement.DIFFERS for row in self.rows}
        return next((each for each in _LEAST_FIRST if each in found), Agreement.SAME)


def _status(sides: AlignedPassages | EntryPair, changed: bool) -> ComparisonStatus:
    if not sides.left or not sides.right:
        return ComparisonStatus.ONLY_LEFT if sides.left else ComparisonStatus.ONLY_RIGHT
    return ComparisonStatus.CHANGED if changed else ComparisonStatus.SAME


@dataclass(frozen=True)
class EditionComparison:
    """Two editions, entry by entry, in the order of the left one; entries only in the right one
    come after their neighbour there.

    ``source`` is the edition that both were translated from, if one was asked for (`with_source`);
    ``source_sides`` compare the left and the right edition with it.
    """

    left: Edition
    right: Edition
    pairs: tuple[EntryPair, ...]
    source: Edition | None = None
    source_sides: tuple[EditionComparison, ...] = ()

    @property
    def same_language(self) -> bool:
        """Whether both editions are in one language, so that words can be compared."""
        return self.left.language == self.right.language

    @property
    def segments(self) -> Iterator[Segment]:
        """The sentences of both editions, in the order of the rows."""
        return (segment for pair in self.pairs for row in pair.rows for segment in row.segments)

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """All entries by id."""
        return {e.id: e for pair in self.pairs for e in (*pair.left, *pair.right)}

    @cached_property
    def counts(self) -> Mapping[ComparisonStatus, int]:
        """The number of entry pairs of each status."""
        found = Counter(pair.status for pair in self.pairs)
        return {status: found[status] for status in ComparisonStatus}
