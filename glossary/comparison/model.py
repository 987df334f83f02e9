"""A comparison of two editions: its entries, its aligned passages, and what became of them."""

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
    """How far two texts that correspond say the same."""

    SAME = "same"  # every clause and term has its counterpart
    FREELY_RENDERED = "freely-rendered"  # of some it is not sure
    DIFFERS = "differs"  # a clause, term, number, condition, exception or limit has none


_LEAST_FIRST = (Agreement.DIFFERS, Agreement.FREELY_RENDERED, Agreement.SAME)


class ComparisonStatus(StrEnum):
    """What became of an entry or a passage from left to right."""

    ONLY_LEFT = "only-left"
    ONLY_RIGHT = "only-right"
    CHANGED = "changed"
    SAME = "same"


class Doubt(StrEnum):
    """Why a segment may be no true translation."""

    WORDS = "words"  # words of one side have nothing in the other
    LENGTH = "length"  # one side is longer than it would be
    NUMBERS = "numbers"  # other numbers
    DENIALS = "denials"  # only one side has a word that denies
    SIGNS = "signs"  # brackets, commas, full stops that only one side has
    TERMS = "terms"  # terms that only one side has
    JOINED = "joined"  # several sentences face one
    ROW = "row"  # around it there are sentences that only one edition has
    ONE_SIDED = "one-sided"  # only one edition has it


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence of one edition with its counterpart in the other; more than one sentence where the
    other says them in fewer.

    ``left`` and ``right`` are empty where only one edition has it. ``score`` says from 0 to 1 how
    surely both say the same, ``doubts`` why it may be that they do not, ``differences`` what they
    differ in (numbers, symbols, names, terms). ``alone`` are the words of either side that the
    other has nothing for: a clause or the whole sentence, "" for none. ``free`` says that a term or
    a condition of one side has no counterpart word for word.
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
        """Whether both editions have it."""
        return bool(self.left and self.right)

    @property
    def doubtful(self) -> bool:
        """Whether it may be no true translation, or has none."""
        return bool(self.doubts)

    @property
    def texts(self) -> tuple[str, str]:
        """What each side says, in one line without bullets and list numbers; empty where it does
        not have it.
        """
        labelled = all(side and side[0].label for side in (self.left, self.right))
        left, right = (
            " ".join(f"{s.label} {s.text}" if labelled and s.label else s.text for s in side)
            for side in (self.left, self.right)
        )
        return left, right

    @property
    def passages(self) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
        """The passages that each side is from, in order."""
        left, right = (
            tuple({s.passage.id: s.passage for s in side}.values())
            for side in (self.left, self.right)
        )
        return left, right

    @property
    def entries(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the entries that each side is from."""
        left, right = (tuple(dict.fromkeys(p.entry for p in side)) for side in self.passages)
        return left, right

    @property
    def id(self) -> str:
        """A name that no other segment of the comparison has, made of passages and the places of
        sentences in them.
        """
        return segment_id(self.left, self.right)


def segment_id(left: Sequence[Sentence], right: Sequence[Sentence]) -> str:
    """Return what names sentences of two editions that correspond: their passages, each with the
    places in it, "passage:2.1" or "passage:2.1-3" for sentences of its third paragraph.
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
    """Passages that say the same, several on a side where the other has them in one, none where
    there is no counterpart.

    ``moved`` says that they stand in another order than their neighbours, ``elsewhere`` are the
    passages of the other edition, in other entries, that say what only one side has here.
    ``doubtful`` are differences that a reader may well find to be none: they do not count.
    ``segments`` are the sentences of both sides, in two languages, and ``agreement`` how far they
    say the same: a row that has one side alone differs where both editions have the entry and do
    not say it elsewhere, else it has none. ``source`` are the passages of the source edition that
    they render, where one was asked for, and ``source_agreed`` says that both sides correspond to
    all of these. ``by_hand`` says that somebody has put them together or apart.
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
        """Whether both sides have it, and alike."""
        differs = self.agreement is Agreement.DIFFERS
        return _status(self, bool(self.differences or self.moved or self.divided or differs))

    @property
    def divided(self) -> bool:
        """Whether both sides have it and one divides into several passages what the other has in
        fewer.
        """
        return bool(self.left and self.right) and len(self.left) != len(self.right)

    @property
    def texts(self) -> tuple[str, str]:
        """What each side says, for readers, a passage a line; empty where it does not have it."""
        return "\n".join(p.display for p in self.left), "\n".join(p.display for p in self.right)

    @property
    def source_text(self) -> str:
        """What the source edition says, as `texts`."""
        return "\n".join(p.display for p in self.source)


@dataclass(frozen=True)
class EntryPair:
    """Entries that correspond, several where one edition splits what the other has in one, with
    their passages in rows.

    ``references`` are the references that only one side has, by the title or concept they lead to;
    ``source`` are the entries of the source edition.
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
        """Whether both editions have it, and alike."""
        rows = any(row.status is not ComparisonStatus.SAME for row in self.rows)
        return _status(self, self.renamed or any(self.references) or rows)

    @property
    def agreement(self) -> Agreement | None:
        """How far both editions say the same in all rows; None where one does not have it."""
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
    """Two editions, entry by entry: in the order of the left one, what only the right one has at
    the place it has there.

    ``source`` is the edition that both were translated from, where one was asked for
    (`with_source`), and ``source_sides`` compare the left and the right edition with it.
    """

    left: Edition
    right: Edition
    pairs: tuple[EntryPair, ...]
    source: Edition | None = None
    source_sides: tuple[EditionComparison, ...] = ()

    @property
    def same_language(self) -> bool:
        """Whether both are in one language, so that words can be compared."""
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
        """How many entries there are of each status."""
        found = Counter(pair.status for pair in self.pairs)
        return {status: found[status] for status in ComparisonStatus}
