"""Compares two editions: which entries correspond, which passages within them, and what differs between these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from corpus.model import Edition, Entry, Passage
from glossary.comparison.alignment import edition_name_finder, tied_passages
from glossary.comparison.correspondence import EntryGroup, PassagesByEntry, group_entries
from glossary.comparison.differences import DifferenceKind, PassageDifference
from glossary.comparison.passage_similarity import PassageSimilarity, ruling_passages
from glossary.comparison.rewording import changed_words
from glossary.comparison.term_hints import FacingRow
from glossary.comparison.translation_hints import TranslationHints
from glossary.concepts import Concept
from glossary.longest_increasing import out_of_order
from glossary.model import Reference, RulebookView
from glossary.phrasings import fingerprint

MIN_COVERAGE = 0.45  # share of a further passage that one of a pair must cover: where one print divides what the other has in one
MIN_GAIN = 0.3  # by which it covers it better than its own counterpart does, where it has one
MAX_DISTANCE = 3  # passages that it stands from the one that this is paired with, at most


class ComparisonStatus(StrEnum):
    """What became of an entry or a passage from left to right."""

    ONLY_LEFT = "only-left"
    ONLY_RIGHT = "only-right"
    CHANGED = "changed"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class AlignedPassages:
    """Passages that say the same, several on a side where the other has them in one, none where there is no counterpart.

    ``moved`` says that they stand in another order than their neighbours. ``doubtful`` are hints that a reader may well find to be
    none: they make no difference. ``source`` are the passages of the source edition that they render, where one was asked for, and
    ``source_agreed`` says that both sides correspond to all of these.
    """

    left: tuple[Passage, ...]
    right: tuple[Passage, ...]
    moved: bool
    differences: tuple[PassageDifference, ...]
    doubtful: tuple[PassageDifference, ...] = ()
    source: tuple[Passage, ...] = ()
    source_agreed: bool = False

    @property
    def status(self) -> ComparisonStatus:
        """Whether both sides have it, and alike."""
        if not self.left or not self.right:
            return ComparisonStatus.ONLY_LEFT if self.left else ComparisonStatus.ONLY_RIGHT
        return ComparisonStatus.CHANGED if self.differences or self.moved or self.divided else ComparisonStatus.SAME

    @property
    def divided(self) -> bool:
        """Whether both sides have it and one divides into several passages what the other has in fewer."""
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
    """Entries that correspond, several where one edition splits what the other has in one, with their passages in rows.

    ``references`` are the references that only one side has, by the title or concept they lead to; ``source`` are the entries of the
    source edition.
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
        if not self.left or not self.right:
            return ComparisonStatus.ONLY_LEFT if self.left else ComparisonStatus.ONLY_RIGHT
        changed = self.renamed or any(self.references) or any(row.status is not ComparisonStatus.SAME for row in self.rows)
        return ComparisonStatus.CHANGED if changed else ComparisonStatus.SAME


@dataclass(frozen=True)
class EditionComparison:
    """Two editions, entry by entry: in the order of the left one, what only the right one has at the place it has there.

    ``source`` is the edition that both were translated from, where one was asked for (`glossary.comparison.source_column`), and
    ``source_sides`` compare the left and the right edition with it.
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

    @cached_property
    def counts(self) -> Mapping[ComparisonStatus, int]:
        """How many entries there are of each status."""
        found = Counter(pair.status for pair in self.pairs)
        return {status: found[status] for status in ComparisonStatus}


def compare_editions(
    left: RulebookView,
    right: RulebookView,
    tied: Mapping[str, str],
    references: Mapping[str, Sequence[Reference]],
    concepts: Sequence[Concept],
    topics: Mapping[str, str] = MappingProxyType({}),
) -> EditionComparison:
    """``left`` and ``right``, editions of one game, side by side.

    ``tied`` are concept ids by entry id, ``references`` those of each entry by id, ``concepts`` those of the game, ``topics``
    what entries share that are of no concept, by entry id. Entries correspond by concept or topic; in versions of one
    language also by number, by heading, and, renamed, by content. Of an edition that is an excerpt, what it does not have
    is no difference.
    """
    texts = ruling_passages(left), ruling_passages(right)
    both = [[p for passages in side.values() for p in passages] for side in texts]
    finders = edition_name_finder(left, concepts, tied), edition_name_finder(right, concepts, tied)
    similarity = PassageSimilarity(both[0], both[1], finders, tied_passages(left, right, {**topics, **tied}))
    groups = group_entries(left, right, tied, topics, texts, similarity)
    pairs = [_compare_entries(group, tied, references, texts, similarity) for group in groups]
    if not similarity.same_language:
        pairs = _with_translation_hints(pairs, similarity, concepts)
    return EditionComparison(left.edition, right.edition, tuple(pairs))


_Passages = tuple[list[Passage], list[Passage]]  # that correspond, left and right


def _compare_entries(
    group: EntryGroup,
    tied: Mapping[str, str],
    references: Mapping[str, Sequence[Reference]],
    texts: PassagesByEntry,
    similarity: PassageSimilarity,
) -> EntryPair:
    concept, left, right = group
    here, there = (
        sorted((p for e in entries for p in by_entry.get(e.id, ())), key=lambda p: p.spans)
        for entries, by_entry in zip((left, right), texts, strict=True)
    )
    rows = _align(here, there, similarity)
    own = {entry.id for entry in (*left, *right)}
    leads = [Counter(lead for e in side for lead in _reference_targets(references.get(e.id, ()), tied, own)) for side in (left, right)]
    sides_only = (tuple((leads[0] - leads[1]).elements()), tuple((leads[1] - leads[0]).elements())) if left and right else ((), ())
    renamed = bool(similarity.same_language and left and right and {e.heading for e in left} != {e.heading for e in right})
    return EntryPair(concept, tuple(left), tuple(right), tuple(rows), sides_only, renamed)


def _reference_targets(references: Sequence[Reference], tied: Mapping[str, str], own: Collection[str]) -> Iterable[str]:
    """Where references lead out of the entries ``own``, as far as it can be compared: the concept, else the slug of the target."""
    inside = {tied[entry] for entry in own if entry in tied}
    names = {tied.get(r.target, r.target) for r in references if r.target and r.target not in own}
    return sorted(name.partition("/")[2] or name for name in names - inside)


def _align(here: Sequence[Passage], there: Sequence[Passage], similarity: PassageSimilarity) -> list[AlignedPassages]:
    """The passages of two entries aligned, in the order of the left ones, those only on the right at the place they have there."""
    mine: dict[str, _Passages] = {}
    theirs: dict[str, _Passages] = {}
    if here and there:
        for i, j in _counterparts(here, there, similarity):
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
    position = {p.id: n for n, p in enumerate(there)}
    both = [n for n, (left, right) in enumerate(ordered) if left and right]
    moved = {both[n] for n in out_of_order([min(position[p.id] for p in ordered[n][1]) for n in both])}
    return [_compare_passages(left, right, n in moved, similarity) for n, (left, right) in enumerate(ordered)]


def _counterparts(here: Sequence[Passage], there: Sequence[Passage], similarity: PassageSimilarity) -> Iterable[tuple[int, int]]:
    """The counterparts, and the further passages that one of a pair covers, by their numbers in ``here`` and ``there``."""
    pairs = {i: j for i, j, _ in similarity.counterparts(here, there)}
    forth, back = similarity.coverage(here, there)
    for i, j in sorted(pairs.items(), key=lambda pair: float(forth[pair] * back[pair])):
        one = max((forth[i, other] for k, other in pairs.items() if k != i and abs(k - i) <= MAX_DISTANCE), default=0.0)
        other = max((back[k, j] for k, its in pairs.items() if k != i and abs(its - j) <= MAX_DISTANCE), default=0.0)
        if one >= max(MIN_COVERAGE, forth[i, j] + MIN_GAIN) or other >= max(MIN_COVERAGE, back[i, j] + MIN_GAIN):
            del pairs[i]
    yield from pairs.items()
    taken = {j: i for i, j in pairs.items()}
    for i in set(range(len(here))) - pairs.keys():
        near = [j for j, its in taken.items() if abs(its - i) <= MAX_DISTANCE and forth[i, j] >= MIN_COVERAGE]
        if near:
            yield i, max(near, key=lambda j: float(forth[i, j]))
    for j in set(range(len(there))) - taken.keys():
        near = [i for i, its in pairs.items() if abs(its - j) <= MAX_DISTANCE and back[i, j] >= MIN_COVERAGE]
        if near:
            yield max(near, key=lambda i: float(back[i, j])), j


def _compare_passages(left: list[Passage], right: list[Passage], moved: bool, similarity: PassageSimilarity) -> AlignedPassages:
    left, right = (sorted(side, key=lambda p: p.spans) for side in (left, right))
    differences = tuple(_changed_words(left, right)) if left and right and similarity.same_language else ()
    return AlignedPassages(tuple(left), tuple(right), moved, differences)


def _changed_words(left: Sequence[Passage], right: Sequence[Passage]) -> Iterable[PassageDifference]:
    texts = [" ".join(p.display for p in side) for side in (left, right)]
    if fingerprint(texts[0]) != fingerprint(texts[1]):
        gone, new = changed_words(*texts)
        if gone or new:
            yield PassageDifference(DifferenceKind.WORDS, gone, new)


def _with_translation_hints(pairs: Iterable[EntryPair], similarity: PassageSimilarity, concepts: Sequence[Concept]) -> list[EntryPair]:
    """``pairs`` of two languages with what differs in their rows, which the rows of all entries tell."""
    pairs = list(pairs)
    facing = {(n, m): _facing_row(pair, row) for n, pair in enumerate(pairs) for m, row in enumerate(pair.rows) if row.left and row.right}
    hints = TranslationHints(similarity, concepts, list(facing.values()))
    found = []
    for n, pair in enumerate(pairs):
        rows = list(pair.rows)
        for m, row in enumerate(rows):
            if (n, m) in facing and fingerprint(row.texts[0]) != fingerprint(row.texts[1]):
                differences = hints.differences(facing[n, m])
                likely, doubtful = (tuple(each for each in differences if each.doubtful is doubt) for doubt in (False, True))
                rows[m] = replace(row, differences=likely, doubtful=doubtful)
        found.append(replace(pair, rows=tuple(rows)))
    return found


def _facing_row(pair: EntryPair, row: AlignedPassages) -> FacingRow:
    others = [other for other in pair.rows if other is not row]
    around = tuple(p for other in others for p in other.left), tuple(p for other in others for p in other.right)
    return FacingRow((row.left, row.right), around)
