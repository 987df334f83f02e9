"""Compares two editions: which entries correspond, which passages within them, and what differs
between these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from corpus.layouts import LAYOUTS
from corpus.model import Edition, Entry, Kind, Passage
from corpus.titles import key
from glossary.comparison.hints import DifferenceKind, FacingRow, PassageDifference, TranslationHints
from glossary.comparison.passage_similarity import (
    PassageSimilarity,
    edition_name_finder,
    ruling_passages,
    tied_passages,
)
from glossary.comparison.rewording import changed_words
from glossary.concepts import Concept
from glossary.longest_increasing import out_of_order
from glossary.matching.likeness import best_assignment
from glossary.model import Reference, RulebookView
from glossary.query_variants import fingerprint

MIN_RENAMED_SIMILARITY = 0.6  # likeness of content that makes an entry the same under another heading, within one language

PassagesByEntry = tuple[Mapping[str, list[Passage]], Mapping[str, list[Passage]]]
"""The passages of each entry that can settle something, by its id, left and right."""


class EntryGroup(NamedTuple):
    """Entries that correspond, left and right, and their concept; one side may have none."""

    concept: str | None
    left: list[Entry]
    right: list[Entry]

    @property
    def sides(self) -> tuple[list[Entry], list[Entry]]:
        """Left and right."""
        return self.left, self.right


def group_entries(
    left: RulebookView,
    right: RulebookView,
    tied: Mapping[str, str],
    topics: Mapping[str, str],
    texts: PassagesByEntry,
    similarity: PassageSimilarity,
) -> list[EntryGroup]:
    """Return every entry of either book in one group, in the order of ``left``; what only ``right``
    has stands behind its neighbour there.

    ``tied`` are concepts and ``topics`` what else entries share, by entry id. A part of an entry
    goes with the whole where the other edition has it in the text of the whole. Of an edition that
    is an excerpt, what it does not have is left out.
    """
    groups = _group_by_name(left, right, tied, topics, similarity.same_language)
    if similarity.same_language:
        groups = _join_renamed(groups, texts, similarity)
    groups = _join_parts(groups, texts, similarity)
    for side, rulebook in enumerate((left, right)):
        if LAYOUTS[rulebook.edition.layout].excerpt:
            groups = [group for group in groups if group.sides[side]]
    return groups


def _group_by_name(
    left: RulebookView,
    right: RulebookView,
    tied: Mapping[str, str],
    topics: Mapping[str, str],
    same_language: bool,
) -> list[EntryGroup]:
    def name(entry: Entry) -> tuple[str, ...]:
        if entry.id in tied:
            return ("concept", tied[entry.id])
        if entry.id in topics:
            return ("topic", topics[entry.id])
        if same_language or entry.kind is Kind.RULE:
            return (
                entry.kind,
                entry.number or "",
                entry.product or "",
                key(entry.title) or entry.title,
            )
        return ("alone", entry.id)

    groups: dict[tuple[str, ...], EntryGroup] = {}
    for entry in left.entries:
        groups.setdefault(name(entry), EntryGroup(tied.get(entry.id), [], [])).left.append(entry)
    order = list(groups)
    after: tuple[str, ...] | None = None
    for entry in right.entries:
        called = name(entry)
        if called not in groups:
            groups[called] = EntryGroup(tied.get(entry.id), [], [])
            order.insert(order.index(after) + 1 if after else 0, called)
        groups[called].right.append(entry)
        after = called
    return [groups[called] for called in order]


def _join_renamed(
    groups: list[EntryGroup], texts: PassagesByEntry, similarity: PassageSimilarity
) -> list[EntryGroup]:
    """Return ``groups`` with entries that only one side has put together where their passages are
    alike.
    """
    gone = [g for g in groups if not g.right and _passages_of(g, 0, texts)]
    new = [g for g in groups if not g.left and _passages_of(g, 1, texts)]
    if not gone or not new:
        return groups
    alike = np.zeros((len(gone), len(new)))
    for i, one in enumerate(gone):
        for j, other in enumerate(new):
            content = similarity.similarity(
                _passages_of(one, 0, texts), _passages_of(other, 1, texts)
            )
            alike[i, j] = (content.max(axis=1).mean() + content.max(axis=0).mean()) / 2
    joined: dict[int, EntryGroup] = {}
    for i, j in best_assignment(alike):
        if alike[i, j] >= MIN_RENAMED_SIMILARITY and {e.kind for e in gone[i].left} == {
            e.kind for e in new[j].right
        }:
            joined[id(gone[i])] = EntryGroup(
                gone[i].concept or new[j].concept, gone[i].left, new[j].right
            )
            joined[id(new[j])] = EntryGroup(None, [], [])
    return [
        group
        for group in (joined.get(id(group), group) for group in groups)
        if group.left or group.right
    ]


def _passages_of(group: EntryGroup, side: int, texts: PassagesByEntry) -> list[Passage]:
    """Return the passages of one side of ``group``."""
    return [p for e in group.sides[side] for p in texts[side].get(e.id, ())]


def _join_parts(
    groups: list[EntryGroup], texts: PassagesByEntry, similarity: PassageSimilarity
) -> list[EntryGroup]:
    """Return ``groups`` with the parts of an entry put together with it where the other edition has
    them in the text of the whole.
    """

    at = {
        (side, entry.id): n
        for n, group in enumerate(groups)
        for side in (0, 1)
        for entry in group.sides[side]
    }
    into: dict[int, int] = {}
    for n, group in enumerate(groups):
        for side in (0, 1):
            around = [
                at[side, e.parent]
                for e in group.sides[side]
                if e.kind is Kind.SUBSECTION and e.parent
            ]
            if around and (own := _passages_of(group, side, texts)):
                alone, whole = (
                    similarity.mean_coverage(
                        side, own, _passages_of(groups[other], 1 - side, texts)
                    )
                    for other in (n, around[0])
                )
                if whole > alone:
                    into[n] = around[0]
    for n in into:
        whole = n
        while whole in into:
            whole = into[whole]
        for mine, its in zip(groups[whole].sides, groups[n].sides, strict=True):
            mine.extend(its)
    return [group for n, group in enumerate(groups) if n not in into]


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
    """Passages that say the same, several on a side where the other has them in one, none where
    there is no counterpart.

    ``moved`` says that they stand in another order than their neighbours. ``doubtful`` are hints
    that a reader may well find to be none: they make no difference. ``source`` are the passages of
    the source edition that they render, where one was asked for, and ``source_agreed`` says that
    both sides correspond to all of these.
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
        return (
            ComparisonStatus.CHANGED
            if self.differences or self.moved or self.divided
            else ComparisonStatus.SAME
        )

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
        if not self.left or not self.right:
            return ComparisonStatus.ONLY_LEFT if self.left else ComparisonStatus.ONLY_RIGHT
        changed = (
            self.renamed
            or any(self.references)
            or any(row.status is not ComparisonStatus.SAME for row in self.rows)
        )
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
    """Return ``left`` and ``right``, editions of one game, side by side.

    ``tied`` are concept ids by entry id, ``references`` those of each entry by id, ``concepts``
    those of the game, ``topics`` what entries share that are of no concept, by entry id. Entries
    correspond by concept or topic; in versions of one language also by number, by heading, and,
    renamed, by content. Of an edition that is an excerpt, what it does not have is no difference.
    """
    texts = ruling_passages(left), ruling_passages(right)
    both = [[p for passages in side.values() for p in passages] for side in texts]
    finders = edition_name_finder(left, concepts, tied), edition_name_finder(right, concepts, tied)
    similarity = PassageSimilarity(
        both[0], both[1], finders, tied_passages(left, right, {**topics, **tied})
    )
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
    leads = [
        Counter(
            lead for e in side for lead in _reference_targets(references.get(e.id, ()), tied, own)
        )
        for side in (left, right)
    ]
    sides_only = (
        (tuple((leads[0] - leads[1]).elements()), tuple((leads[1] - leads[0]).elements()))
        if left and right
        else ((), ())
    )
    renamed = bool(
        similarity.same_language
        and left
        and right
        and {e.heading for e in left} != {e.heading for e in right}
    )
    return EntryPair(concept, tuple(left), tuple(right), tuple(rows), sides_only, renamed)


def _reference_targets(
    references: Sequence[Reference], tied: Mapping[str, str], own: Collection[str]
) -> Iterable[str]:
    """Return where references lead out of the entries ``own``, as far as it can be compared: the
    concept, else the slug of the target.
    """
    inside = {tied[entry] for entry in own if entry in tied}
    names = {tied.get(r.target, r.target) for r in references if r.target and r.target not in own}
    return sorted(name.partition("/")[2] or name for name in names - inside)


def _align(
    here: Sequence[Passage], there: Sequence[Passage], similarity: PassageSimilarity
) -> list[AlignedPassages]:
    """Return the passages of two entries aligned, in the order of the left ones, those only on the
    right at the place they have there.
    """
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
    moved = {
        both[n] for n in out_of_order([min(position[p.id] for p in ordered[n][1]) for n in both])
    }
    return [
        _compare_passages(left, right, n in moved, similarity.same_language)
        for n, (left, right) in enumerate(ordered)
    ]


def _counterparts(
    here: Sequence[Passage], there: Sequence[Passage], similarity: PassageSimilarity
) -> Iterable[tuple[int, int]]:
    """Yield the counterparts, and the further passages that one of a pair covers, by their numbers
    in ``here`` and ``there``.
    """
    pairs = {i: j for i, j, _ in similarity.counterparts(here, there)}
    forth, back = similarity.coverage(here, there)
    for i, j in sorted(pairs.items(), key=lambda pair: float(forth[pair] * back[pair])):
        one = max(
            (
                forth[i, other]
                for k, other in pairs.items()
                if k != i and abs(k - i) <= MAX_DISTANCE
            ),
            default=0.0,
        )
        other = max(
            (back[k, j] for k, its in pairs.items() if k != i and abs(its - j) <= MAX_DISTANCE),
            default=0.0,
        )
        if one >= max(MIN_COVERAGE, forth[i, j] + MIN_GAIN) or other >= max(
            MIN_COVERAGE, back[i, j] + MIN_GAIN
        ):
            del pairs[i]
    yield from pairs.items()
    taken = {j: i for i, j in pairs.items()}
    for i in set(range(len(here))) - pairs.keys():
        near = [
            j
            for j, its in taken.items()
            if abs(its - i) <= MAX_DISTANCE and forth[i, j] >= MIN_COVERAGE
        ]
        if near:
            yield i, max(near, key=lambda j: float(forth[i, j]))
    for j in set(range(len(there))) - taken.keys():
        near = [
            i
            for i, its in pairs.items()
            if abs(its - j) <= MAX_DISTANCE and back[i, j] >= MIN_COVERAGE
        ]
        if near:
            yield max(near, key=lambda i: float(back[i, j])), j


def _compare_passages(
    left: Iterable[Passage], right: Iterable[Passage], moved: bool, same_language: bool
) -> AlignedPassages:
    left, right = (tuple(sorted(side, key=lambda p: p.spans)) for side in (left, right))
    differences: tuple[PassageDifference, ...] = ()
    texts = [" ".join(p.display for p in side) for side in (left, right)]
    if left and right and same_language and fingerprint(texts[0]) != fingerprint(texts[1]):
        gone, new = changed_words(*texts)
        if gone or new:
            differences = (PassageDifference(DifferenceKind.WORDS, gone, new),)
    return AlignedPassages(left, right, moved, differences)


def _with_translation_hints(
    pairs: Iterable[EntryPair], similarity: PassageSimilarity, concepts: Sequence[Concept]
) -> list[EntryPair]:
    """Return ``pairs`` of two languages with what differs in their rows, which the rows of all
    entries tell.
    """
    pairs = list(pairs)
    facing = {}
    for n, pair in enumerate(pairs):
        for m, row in enumerate(pair.rows):
            if row.left and row.right:
                others = [other for other in pair.rows if other is not row]
                around = (
                    tuple(p for other in others for p in other.left),
                    tuple(p for other in others for p in other.right),
                )
                facing[n, m] = FacingRow((row.left, row.right), around)
    hints = TranslationHints(similarity, concepts, list(facing.values()))
    found = []
    for n, pair in enumerate(pairs):
        rows = list(pair.rows)
        for m, row in enumerate(rows):
            if (n, m) in facing and fingerprint(row.texts[0]) != fingerprint(row.texts[1]):
                differences = hints.differences(facing[n, m])
                likely, doubtful = (
                    tuple(each for each in differences if each.doubtful is doubt)
                    for doubt in (False, True)
                )
                rows[m] = replace(row, differences=likely, doubtful=doubtful)
        found.append(replace(pair, rows=tuple(rows)))
    return found


_Sources = Mapping[
    str, tuple[Passage, ...]
]  # the passages of the source that a passage corresponds to, by its id


def with_source(
    comparison: EditionComparison, left: EditionComparison, right: EditionComparison
) -> EditionComparison:
    """Return ``comparison`` with the passages of the source edition in its rows, and its entries in
    its pairs.

    ``left`` and ``right`` compare the left and the right edition of ``comparison`` with the source,
    which is their right edition. A passage of the source stands in the rows that most sides are
    assigned it in: where one row has it for both sides, in no row that has it for one. Where the
    two sides of a row are assigned different passages, it has both, and its ``source_agreed`` is
    False.
    """
    source = left.right
    sides = _passages(left), _passages(right)
    votes = {id(row): _votes(row, sides) for pair in comparison.pairs for row in pair.rows}
    most: Counter[str] = Counter()
    for counts in votes.values():
        for passage, count in counts.items():
            most[passage] = max(most[passage], count)
    known = {p.id: p for side in sides for passages in side.values() for p in passages}
    entries = _entries(left), _entries(right)

    def facing(row: AlignedPassages) -> AlignedPassages:
        named = [name for name, count in votes[id(row)].items() if count == most[name]]
        agreed = bool(named) and all(votes[id(row)][name] == len(sides) for name in named)
        return replace(
            row,
            source=tuple(sorted((known[name] for name in named), key=lambda p: p.spans)),
            source_agreed=agreed,
        )

    pairs = [
        replace(pair, rows=tuple(map(facing, pair.rows)), source=_facing_entries(pair, entries))
        for pair in comparison.pairs
    ]
    return replace(comparison, pairs=tuple(pairs), source=source, source_sides=(left, right))


def _votes(row: AlignedPassages, sides: tuple[_Sources, _Sources]) -> Counter[str]:
    """Return how many sides of ``row`` are assigned each passage of the source."""
    return Counter(
        name
        for passages, sources in zip((row.left, row.right), sides, strict=True)
        for name in {p.id for passage in passages for p in sources.get(passage.id, ())}
    )


def _passages(comparison: EditionComparison) -> _Sources:
    """Return the passages on the right of ``comparison`` that face each passage on its left, by the
    id of that.
    """
    return {
        passage.id: row.right
        for pair in comparison.pairs
        for row in pair.rows
        for passage in row.left
    }


def _entries(comparison: EditionComparison) -> Mapping[str, tuple[Entry, ...]]:
    return {entry.id: pair.right for pair in comparison.pairs for entry in pair.left}


def _facing_entries(
    pair: EntryPair, sides: Iterable[Mapping[str, tuple[Entry, ...]]]
) -> tuple[Entry, ...]:
    """Return the entries of the source that entries of either side of ``pair`` correspond to, in
    the order of the document.
    """
    found = {
        e.id: e
        for side, own in zip(sides, (pair.left, pair.right), strict=True)
        for entry in own
        for e in side.get(entry.id, ())
    }
    return tuple(sorted(found.values(), key=lambda entry: entry.lines.first))
