"""Compare two editions: match entries, align the passages within these, list what differs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from corpus.layouts import LAYOUTS
from corpus.model import Entry, Kind, Passage
from corpus.titles import key
from glossary.comparison.bullet_alignment import BulletAlignment
from glossary.comparison.fixed_rows import NO_FIXED_ROWS, FixedRows
from glossary.comparison.hints import DifferenceKind, FacingRow, PassageDifference, TranslationHints
from glossary.comparison.model import Agreement, AlignedPassages, EditionComparison, EntryPair
from glossary.comparison.passage_similarity import (
    PassageSimilarity,
    compare_passages,
    ruling_passages,
)
from glossary.comparison.rewording import changed_words
from glossary.comparison.segments import FEW_ROWS, learn_sentences, with_segments
from glossary.concepts import Concept
from glossary.longest_increasing import out_of_order
from glossary.matching.likeness import best_assignment
from glossary.model import Reference, RulebookView
from glossary.query_variants import fingerprint

MIN_RENAMED_SIMILARITY = 0.6  # likeness of content under another heading, within one language
MIN_COVERAGE = 0.45  # share of a further passage that a paired one must cover
MIN_GAIN = 0.3  # by which it must cover it better than the passage's own counterpart, if any
MAX_DISTANCE = 3  # passages between the further and the paired one, at most


def compare_editions(
    left: RulebookView,
    right: RulebookView,
    tied: Mapping[str, str],
    references: Mapping[str, Sequence[Reference]],
    concepts: Sequence[Concept],
    topics: Mapping[str, str] = MappingProxyType({}),
    fixed: FixedRows = NO_FIXED_ROWS,
) -> EditionComparison:
    """Return the comparison of ``left`` and ``right``, editions of one game.

    Entries correspond by concept or topic; in versions of one language also by number, by heading,
    and, if renamed, by content. A part of an entry is joined with the whole entry if the other
    edition has its text there. What an excerpt lacks is no difference.

    Args:
        tied: Concept ids by entry id.
        references: The references of each entry by its id.
        concepts: The concepts of the game.
        topics: Shared topics of entries without a concept, by entry id.
        fixed: Rows that somebody has fixed; they stay as they are, whatever entries their passages
            are in.
    """
    similarity, _ = compare_passages(left, right, concepts, tied, topics)
    groups = _group_by_name(left, right, tied, topics, similarity.same_language)
    if similarity.same_language:
        groups = _join_renamed(groups, similarity)
    groups = _join_fixed(_join_parts(groups, similarity), fixed)
    for side, rulebook in enumerate((left, right)):
        if LAYOUTS[rulebook.edition.layout].excerpt:
            groups = [group for group in groups if group.entries[side]]
    pairs = [_compare_entries(group, tied, references, similarity, fixed) for group in groups]
    if not similarity.same_language:
        pairs = _in_two_languages(pairs, similarity, concepts, fixed)
    return EditionComparison(left.edition, right.edition, tuple(pairs))


@dataclass(eq=False)
class _Group:
    """Entries that correspond, left and right, with their normative passages."""

    concept: str | None = None
    entries: tuple[list[Entry], ...] = field(default_factory=lambda: ([], []))
    passages: tuple[list[Passage], ...] = field(default_factory=lambda: ([], []))

    def join(self, other: _Group) -> None:
        """Move the entries and passages of ``other`` into this group."""
        for side in (0, 1):
            self.entries[side].extend(other.entries[side])
            self.passages[side].extend(other.passages[side])
            other.entries[side].clear()


def _group_by_name(
    left: RulebookView,
    right: RulebookView,
    tied: Mapping[str, str],
    topics: Mapping[str, str],
    same_language: bool,
) -> list[_Group]:
    """Return every entry in one group, in the order of ``left``; an entry only in ``right`` comes
    after its neighbour there.
    """
    groups: dict[tuple[str, ...], _Group] = {}
    order: list[tuple[str, ...]] = []
    for side, rulebook in enumerate((left, right)):
        passages = ruling_passages(rulebook)
        place = 0
        for entry in rulebook.entries:
            name: tuple[str, ...] = ("alone", entry.id)
            if entry.id in tied:
                name = ("concept", tied[entry.id])
            elif entry.id in topics:
                name = ("topic", topics[entry.id])
            elif same_language or entry.kind is Kind.RULE:
                title = key(entry.title) or entry.title
                name = (entry.kind, entry.number or "", entry.product or "", title)
            if name not in groups:
                groups[name] = _Group(tied.get(entry.id))
                order.insert(place if side else len(order), name)
            place = order.index(name) + 1
            groups[name].entries[side].append(entry)
            groups[name].passages[side].extend(passages.get(entry.id, ()))
    return [groups[name] for name in order]


def _join_renamed(groups: list[_Group], similarity: PassageSimilarity) -> list[_Group]:
    """Join entries that only one side has if their passages are similar."""
    gone = [g for g in groups if not g.entries[1] and g.passages[0]]
    new = [g for g in groups if not g.entries[0] and g.passages[1]]
    alike = np.zeros((len(gone), len(new)))
    for i, one in enumerate(gone):
        for j, other in enumerate(new):
            content = similarity.similarity(one.passages[0], other.passages[1])
            alike[i, j] = (content.max(axis=1).mean() + content.max(axis=0).mean()) / 2
    for i, j in best_assignment(alike):
        kinds = [{entry.kind for entry in side} for side in (gone[i].entries[0], new[j].entries[1])]
        if alike[i, j] >= MIN_RENAMED_SIMILARITY and kinds[0] == kinds[1]:
            gone[i].concept = gone[i].concept or new[j].concept
            gone[i].join(new[j])
    return [group for group in groups if any(group.entries)]


def _join_parts(groups: list[_Group], similarity: PassageSimilarity) -> list[_Group]:
    """Join parts of an entry with the whole entry if that has their text in the other edition."""
    at = {
        (side, entry.id): place
        for place, group in enumerate(groups)
        for side in (0, 1)
        for entry in group.entries[side]
    }
    into: dict[int, int] = {}
    for place, group in enumerate(groups):
        for side in (0, 1):
            parts = [e for e in group.entries[side] if e.kind is Kind.SUBSECTION and e.parent]
            if parts and (own := group.passages[side]):
                around = at[side, str(parts[0].parent)]
                alone, whole = (
                    similarity.mean_coverage(side, own, other.passages[1 - side])
                    for other in (group, groups[around])
                )
                if whole > alone:
                    into[place] = around
    for place in into:
        whole_at = place
        while whole_at in into:
            whole_at = into[whole_at]
        groups[whole_at].join(groups[place])
    return [group for place, group in enumerate(groups) if place not in into]


def _join_fixed(groups: list[_Group], fixed: FixedRows) -> list[_Group]:
    """Move the passages of each ``fixed`` row into one group; join one-sided groups for that."""
    at = {p.id: group for group in groups for side in group.passages for p in side}
    for row in fixed.rows:
        if not (row.left and row.right):
            continue
        own, other = at[row.left[0]], at[row.right[0]]
        if own is not other and not (own.entries[1] or other.entries[0]):
            own.concept = own.concept or other.concept
            own.join(other)
            at.update((p.id, own) for side in own.passages for p in side)
        elif not all(own.entries) and all(other.entries):
            own = other
        for side, ids in enumerate(row):
            for group in [at[id] for id in ids if at[id] is not own]:
                moved = [p for p in group.passages[side] if p.id in ids]
                own.passages[side].extend(moved)
                group.passages[side][:] = [p for p in group.passages[side] if p not in moved]
    return [group for group in groups if any(group.entries)]


def _compare_entries(
    group: _Group,
    tied: Mapping[str, str],
    references: Mapping[str, Sequence[Reference]],
    similarity: PassageSimilarity,
    fixed: FixedRows,
) -> EntryPair:
    left, right = group.entries
    here, there = (sorted(side, key=lambda p: p.spans) for side in group.passages)
    own = {entry.id for entry in (*left, *right)}
    one, other = (
        Counter(each for e in side for each in _targets(references.get(e.id, ()), tied, own))
        for side in group.entries
    )
    both = bool(left and right)
    return EntryPair(
        concept=group.concept,
        left=tuple(left),
        right=tuple(right),
        rows=tuple(_align(here, there, _counterparts(here, there, similarity), similarity, fixed)),
        references=(tuple((one - other).elements()), tuple((other - one).elements()))
        if both
        else ((), ()),
        renamed=similarity.same_language
        and both
        and {e.heading for e in left} != {e.heading for e in right},
    )


def _targets(
    references: Sequence[Reference], tied: Mapping[str, str], own: Collection[str]
) -> list[str]:
    """Return the targets of references outside the entries ``own``, in a form that can be compared:
    the concept, else the slug of the target.
    """
    inside = {tied[entry] for entry in own if entry in tied}
    names = {tied.get(r.target, r.target) for r in references if r.target and r.target not in own}
    return sorted(name.partition("/")[2] or name for name in names - inside)


def _align(
    here: Sequence[Passage],
    there: Sequence[Passage],
    counterparts: Iterable[tuple[int, int]],
    similarity: PassageSimilarity,
    fixed: FixedRows,
) -> Iterator[AlignedPassages]:
    """Yield rows with the passages of two entries, in the order of the left ones; rows with only
    right passages come after their neighbour there.

    ``counterparts`` are pairs of indices that belong in one row, unless somebody has ``fixed``
    their row.
    """
    mine: dict[int, tuple[list[int], list[int]]] = {}
    theirs: dict[int, tuple[list[int], list[int]]] = {}
    for i, j in fixed.links(here, there, counterparts):
        row = mine.setdefault(i, ([i], []))
        other = theirs.setdefault(j, ([], [j]))
        if row is not other:
            row[0].extend(other[0])
            row[1].extend(other[1])
            mine.update(dict.fromkeys(other[0], row))
            theirs.update(dict.fromkeys(other[1], row))
    ordered: list[tuple[list[int], list[int]]] = []
    for i in range(len(here)):
        row = mine.get(i, ([i], []))
        if min(row[0]) == i:
            ordered.append(row)
    place = 0
    for j in range(len(there)):
        row = theirs.get(j, ([], [j]))
        if row not in ordered:
            ordered.insert(place, row)
        place = ordered.index(row) + 1
    both = [n for n, (left, right) in enumerate(ordered) if left and right]
    moved = {both[n] for n in out_of_order([min(ordered[n][1]) for n in both])}
    for n, (left, right) in enumerate(ordered):
        sides = tuple(here[i] for i in sorted(left)), tuple(there[j] for j in sorted(right))
        differences: tuple[PassageDifference, ...] = ()
        texts = [" ".join(p.display for p in side) for side in sides]
        if (
            n in both
            and similarity.same_language
            and fingerprint(texts[0]) != fingerprint(texts[1])
        ):
            words = changed_words(*texts)
            if any(words):
                differences = (PassageDifference(DifferenceKind.WORDS, *words),)
        agreement = None
        if n in both:
            agreement = Agreement.DIFFERS if differences else Agreement.SAME
        by_hand = fixed.has(*sides)
        yield AlignedPassages(*sides, n in moved, differences, agreement=agreement, by_hand=by_hand)


def _counterparts(
    here: Sequence[Passage], there: Sequence[Passage], similarity: PassageSimilarity
) -> Iterator[tuple[int, int]]:
    """Yield corresponding passages, and further ones with the counterpart of a neighbour that
    covers them, as indices into ``here`` and ``there``.
    """
    if not here or not there:
        return
    pairs = {i: j for i, j, _ in similarity.counterparts(here, there)}
    forth, back = similarity.coverage(here, there)
    for i, j in sorted(pairs.items(), key=lambda pair: float(forth[pair] * back[pair])):
        # If a neighbour covers either much better, the two are no row of their own.
        others = [(k, its) for k, its in pairs.items() if k != i]
        near_i = [forth[i, its] for k, its in others if abs(k - i) <= MAX_DISTANCE]
        near_j = [back[k, j] for k, its in others if abs(its - j) <= MAX_DISTANCE]
        if max(near_i, default=0.0) >= max(MIN_COVERAGE, forth[i, j] + MIN_GAIN) or max(
            near_j, default=0.0
        ) >= max(MIN_COVERAGE, back[i, j] + MIN_GAIN):
            del pairs[i]
    yield from pairs.items()
    for i in set(range(len(here))) - pairs.keys():
        near = [
            j
            for k, j in pairs.items()
            if abs(k - i) <= MAX_DISTANCE and forth[i, j] >= MIN_COVERAGE
        ]
        if near:
            yield i, max(near, key=lambda j: float(forth[i, j]))
    for j in set(range(len(there))) - set(pairs.values()):
        near = [
            i for i, k in pairs.items() if abs(k - j) <= MAX_DISTANCE and back[i, j] >= MIN_COVERAGE
        ]
        if near:
            yield max(near, key=lambda i: float(back[i, j])), j


def _in_two_languages(
    pairs: Sequence[EntryPair],
    similarity: PassageSimilarity,
    concepts: Sequence[Concept],
    fixed: FixedRows,
) -> list[EntryPair]:
    """Align the passages of ``pairs`` again, by their bullets and by word translations learned from
    these rows, and find the differences of each row.
    """
    sentences, aligner = learn_sentences(pairs, similarity.languages)
    bullets = BulletAlignment(sentences, aligner)
    found = []
    for pair in pairs:
        here, there = (
            sorted(
                (p for row in pair.rows for p in (row.left, row.right)[side]), key=lambda p: p.spans
            )
            for side in (0, 1)
        )
        links = list(bullets.counterparts(here, there))
        linked = {i for i, _ in links}, {j for _, j in links}
        links += [
            (i, j)
            for i, j in _counterparts(here, there, similarity)
            if i not in linked[0] and j not in linked[1]
        ]
        found.append(replace(pair, rows=tuple(_align(here, there, links, similarity, fixed))))
    found = _with_moved(
        found, [same for same in bullets.elsewhere() if not any(id in fixed for id in same)]
    )
    found = _with_translation_hints(found, similarity, concepts)
    if sum(bool(row.left and row.right) for pair in pairs for row in pair.rows) < FEW_ROWS:
        _, aligner = learn_sentences(pairs, similarity.languages, concepts)
    return with_segments(found, sentences, aligner, similarity.languages, concepts)


def _with_moved(pairs: Sequence[EntryPair], same: Iterable[tuple[str, str]]) -> list[EntryPair]:
    """Set ``elsewhere`` in the one-sided rows of ``pairs``; ``same`` are pairs of ids of passages
    that say the same.
    """
    rows = [row for pair in pairs for row in pair.rows]
    known = {p.id: p for row in rows for p in (*row.left, *row.right)}
    others: dict[str, list[Passage]] = defaultdict(list)
    for left, right in same:
        others[left].append(known[right])
        others[right].append(known[left])
    return [
        replace(
            pair,
            rows=tuple(
                row
                if row.left and row.right
                else replace(
                    row, elsewhere=tuple(o for p in row.left or row.right for o in others[p.id])
                )
                for row in pair.rows
            ),
        )
        for pair in pairs
    ]


def _with_translation_hints(
    pairs: Sequence[EntryPair], similarity: PassageSimilarity, concepts: Sequence[Concept]
) -> list[EntryPair]:
    """Add the differences of rows in two languages, judged by the rows of all entries."""
    facing: list[list[FacingRow | None]] = []
    for pair in pairs:
        facing.append([])
        for row in pair.rows:
            others = [other for other in pair.rows if other is not row]
            left = tuple(p for other in others for p in other.left)
            right = tuple(p for other in others for p in other.right)
            both = row.left and row.right
            facing[-1].append(FacingRow((row.left, row.right), (left, right)) if both else None)
    hints = TranslationHints(similarity, concepts, [row for rows in facing for row in rows if row])
    found = []
    for pair, rows in zip(pairs, facing, strict=True):
        compared = []
        for row, its in zip(pair.rows, rows, strict=True):
            if its is not None and fingerprint(row.texts[0]) != fingerprint(row.texts[1]):
                differences = hints.differences(its)
                row = replace(
                    row,
                    differences=tuple(each for each in differences if not each.doubtful),
                    doubtful=tuple(each for each in differences if each.doubtful),
                )
            compared.append(row)
        found.append(replace(pair, rows=tuple(compared)))
    return found


def with_source(
    comparison: EditionComparison, left: EditionComparison, right: EditionComparison
) -> EditionComparison:
    """Return ``comparison`` with the passages of the source edition in its rows, and the entries of
    the source in its pairs.

    ``left`` and ``right`` compare the left and the right edition of ``comparison`` with the source,
    which is on their right. A passage of the source is put into the rows that assign it to the most
    sides: if one row does so for both sides, rows that do so for one side do not get it. If the two
    sides of a row are assigned different passages, it has both, and its ``source_agreed`` is False.
    """
    sides = left, right
    passages = [
        {p.id: row.right for pair in side.pairs for row in pair.rows for p in row.left}
        for side in sides
    ]
    entries = [{e.id: pair.right for pair in side.pairs for e in pair.left} for side in sides]
    known = {p.id: p for side in passages for facing in side.values() for p in facing}

    def votes(row: AlignedPassages) -> Counter[str]:
        """Count the sides of ``row`` that are assigned each passage of the source."""
        return Counter(
            id
            for own, facing in zip((row.left, row.right), passages, strict=True)
            for id in {p.id for passage in own for p in facing.get(passage.id, ())}
        )

    most: Counter[str] = Counter()
    for row in (row for pair in comparison.pairs for row in pair.rows):
        most |= votes(row)
    pairs = []
    for pair in comparison.pairs:
        rows = []
        for row in pair.rows:
            counts = votes(row)
            named = [id for id, count in counts.items() if count == most[id]]
            source = tuple(sorted((known[id] for id in named), key=lambda p: p.spans))
            agreed = bool(named) and all(counts[id] == len(sides) for id in named)
            rows.append(replace(row, source=source, source_agreed=agreed))
        own = {
            e.id: e
            for side, facing in zip((pair.left, pair.right), entries, strict=True)
            for entry in side
            for e in facing.get(entry.id, ())
        }
        of_source = tuple(sorted(own.values(), key=lambda entry: entry.lines.first))
        pairs.append(replace(pair, rows=tuple(rows), source=of_source))
    return replace(comparison, pairs=tuple(pairs), source=left.right, source_sides=sides)
