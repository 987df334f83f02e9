"""A comparison as pages show it, entries side by side with their differences marked, and filters of
its entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from corpus.model import Edition, Entry, Passage
from glossary.comparison import (
    AlignedPassages,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    EntryPair,
    PassageDifference,
)
from glossary.comparison.reviews import (
    Marks,
    ReviewableRow,
    ReviewBook,
    ReviewStatus,
    facing_rows,
    has_review_status,
    marked_rows,
    row_key,
)
from glossary.comparison.rewording import TextRun, diff_words
from glossary.concepts import load_concepts
from index.analysis import plain
from service.answers.citations import line_range
from service.core.snapshot import Snapshot, SnapshotContents
from service.editions.comparison import named_values, stored_comparison

ConceptNamer = Callable[
    [str, str], str
]  # takes the id of a concept without its game, and a language; returns the name there
DIFFERENCE_KINDS = (
    *("numbers", "symbols", "names", "terms", "false-friends", "conditions", "references", "words"),
    *("passages", "moved", "divided", "renamed"),
)
ALL_STATUSES = "all"  # a status that shows entries of every status


class DifferenceBadge(NamedTuple):
    """A difference that a page names: its kind, and what only one side has.

    ``kind`` is the value of a `DifferenceKind`, or "references", "renamed", "moved" or "divided".
    """

    kind: str
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowSide:
    """The passages of one edition in a row.

    ``label`` is the short name of the edition, ``place`` the lines of the passages ("Z. 103–105"),
    ``text`` their text in runs, those changed that only this version has; ``place`` and ``text``
    are empty where there are no passages. ``first`` is the first passage.
    """

    edition: Edition
    label: str
    first: Passage | None
    place: str
    text: tuple[TextRun, ...]


@dataclass(frozen=True)
class ComparedRow:
    """Passages that correspond; one side is empty where only the other edition has them. By ``key``
    reviews find them.

    ``doubtful`` are badges of hints that a reader may well find to be none, ``source`` the passages
    of the source edition, None where there is no such edition.
    """

    key: str
    status: ComparisonStatus
    left: RowSide
    right: RowSide
    badges: tuple[DifferenceBadge, ...]
    doubtful: tuple[DifferenceBadge, ...] = ()
    source: RowSide | None = None


@dataclass(frozen=True)
class EntryComparison:
    """Entries that correspond, and their passages; ``id`` is that of the first entry, and the
    anchor on pages.
    """

    id: str
    status: ComparisonStatus
    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    badges: tuple[DifferenceBadge, ...]
    rows: tuple[ComparedRow, ...]
    source: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class ComparisonView:
    """A whole comparison. ``labels`` are short names of the editions, ``source_label`` is that of
    the source edition.

    ``groups`` are the entries in order, divided where entries that are the same end or begin.
    """

    left: Edition
    right: Edition
    labels: tuple[str, str]
    same_language: bool
    counts: Mapping[ComparisonStatus, int]
    groups: tuple[tuple[EntryComparison, ...], ...]
    source: Edition | None = None
    source_label: str = ""

    def with_status(self, status: ComparisonStatus) -> tuple[EntryComparison, ...]:
        """Return the entries of one status in order."""
        return tuple(entry for group in self.groups for entry in group if entry.status is status)


def comparison_view(comparison: EditionComparison) -> ComparisonView:
    """Return ``comparison`` as pages show it."""
    left, right, source = comparison.left, comparison.right, comparison.source
    # Short names, or ids where two editions would be called the same.
    labels = short_edition_name(left), short_edition_name(right)
    source_label = short_edition_name(source) if source else ""
    if source and source_label in labels:
        source_label = source.id
    if labels[0] == labels[1]:
        labels = left.id, right.id
    name = concept_namer(left.game)
    entries = [
        _entry_comparison(pair, comparison, (*labels, source_label), name)
        for pair in comparison.pairs
    ]
    groups = tuple(
        tuple(group)
        for _, group in groupby(entries, lambda entry: entry.status is ComparisonStatus.SAME)
    )
    return ComparisonView(
        left=left,
        right=right,
        labels=labels,
        same_language=comparison.same_language,
        counts=comparison.counts,
        groups=groups,
        source=source,
        source_label=source_label,
    )


def concept_namer(game: str) -> ConceptNamer:
    """Return the function that names the concepts of ``game``; one without a name in a language is
    called by its id.
    """
    concepts = {concept.id: concept for concept in load_concepts(game)}

    def name(concept: str, language: str) -> str:
        found = concepts.get(concept)
        return (found.name(language) if found else None) or concept

    return name


def short_edition_name(edition: Edition) -> str:
    """Return language and version of ``edition``: "de 1.5"."""
    return f"{edition.language} {edition.version}".strip()


def _entry_comparison(
    pair: EntryPair, comparison: EditionComparison, labels: tuple[str, str, str], name: ConceptNamer
) -> EntryComparison:
    sides = (comparison.left, comparison.right)
    badges = [DifferenceBadge("renamed")] if pair.renamed else []
    if any(pair.references):
        # The target of a reference is given as the id of its concept, game first, or as the slug of
        # an entry.
        left, right = (
            tuple(
                name(target.removeprefix(f"{edition.game}/"), edition.language)
                for target in targets
            )
            for edition, targets in zip(sides, pair.references, strict=True)
        )
        badges.append(DifferenceBadge("references", left, right))
    return EntryComparison(
        id=(pair.left or pair.right)[0].id,
        status=pair.status,
        left=pair.left,
        right=pair.right,
        badges=tuple(badges),
        rows=tuple(_compared_row(row, comparison, labels, name) for row in pair.rows),
        source=pair.source,
    )


def _compared_row(
    row: AlignedPassages,
    comparison: EditionComparison,
    labels: tuple[str, str, str],
    name: ConceptNamer,
) -> ComparedRow:
    left_label, right_label, source_label = labels
    left, right = row.texts
    if any(difference.kind is DifferenceKind.WORDS for difference in row.differences):
        left_text, right_text = diff_words(left, right)
    else:
        left_text, right_text = (
            (TextRun(text, changed=False),) if text else () for text in (left, right)
        )
    # Changed words are marked in the text, and need no badge.
    badges = [
        _difference_badge(each, comparison, name)
        for each in row.differences
        if each.kind is not DifferenceKind.WORDS
    ]
    badges += [DifferenceBadge("moved")] * row.moved + [DifferenceBadge("divided")] * row.divided
    source = comparison.source
    source_text = (TextRun(row.source_text, changed=False),) if row.source else ()
    return ComparedRow(
        key=row_key(row, (comparison.left.language, comparison.right.language)),
        status=row.status,
        left=row_side(comparison.left, left_label, row.left, left_text),
        right=row_side(comparison.right, right_label, row.right, right_text),
        badges=tuple(badges),
        doubtful=tuple(
            _difference_badge(difference, comparison, name) for difference in row.doubtful
        ),
        source=row_side(source, source_label, row.source, source_text) if source else None,
    )


def row_side(
    edition: Edition, label: str, passages: Sequence[Passage], text: tuple[TextRun, ...]
) -> RowSide:
    """Return ``passages`` of an ``edition`` called ``label`` as one side of a row."""
    return RowSide(
        edition=edition,
        label=label,
        first=passages[0] if passages else None,
        place=", ".join(line_range(edition.language, *passage.lines) for passage in passages),
        text=text,
    )


def _difference_badge(
    difference: PassageDifference, comparison: EditionComparison, name: ConceptNamer
) -> DifferenceBadge:
    """Return the badge of a difference: terms by their names, conditions and false friends by the
    words that stand there.
    """
    sides = []
    for side, edition in enumerate((comparison.left, comparison.right)):
        if difference.kind is DifferenceKind.TERMS:
            sides.append(
                [
                    name(concept, edition.language)
                    for concept in (difference.left, difference.right)[side]
                ]
            )
        elif difference.kind is DifferenceKind.NUMBERS:
            sides.append(named_values(difference, side))
        else:
            words = [each.words for each in difference.evidence[side]]
            sides.append(
                list(dict.fromkeys(words)) or list((difference.left, difference.right)[side])
            )
    return DifferenceBadge(difference.kind.value, tuple(sides[0]), tuple(sides[1]))


@dataclass(frozen=True)
class SearchableComparison:
    """A comparison, ready to be filtered. ``rows`` are all its rows in order, by which reviews find
    them.
    """

    view: ComparisonView
    rows: tuple[ReviewableRow, ...]

    @cached_property
    def entries(self) -> tuple[EntryComparison, ...]:
        """The entries in order."""
        return tuple(entry for group in self.view.groups for entry in group)

    @cached_property
    def by_entry(self) -> Mapping[str, EntryComparison]:
        """The entries by the id of any entry in them."""
        return {
            entry.id: compared
            for compared in self.entries
            for entry in (*compared.left, *compared.right)
        }

    @cached_property
    def difference_counts(self) -> Mapping[str, Counter[str]]:
        """In how many places each of `DIFFERENCE_KINDS` occurs, by the ids of entries."""
        return {compared.id: count_differences(compared) for compared in self.entries}

    @cached_property
    def headings(self) -> Mapping[str, str]:
        """Titles and headings as search compares them, by the ids of entries."""
        named = {each.id: (*each.left, *each.right) for each in self.entries}
        return {
            id: plain(" ".join(f"{entry.title} {entry.heading}" for entry in entries))
            for id, entries in named.items()
        }


@dataclass(frozen=True)
class ComparisonFilter:
    """What a reader wants to see.

    ``status`` is the value of a `ComparisonStatus`, `ALL_STATUSES`, or "" for every status but the
    same; ``kind`` one of `DIFFERENCE_KINDS` or "" for any; ``words`` have to be in the headings.
    ``review`` is the value of a `ReviewStatus` that a row has, by ``marks``, or "" for any.
    """

    status: str = ""
    kind: str = ""
    words: str = ""
    review: str = ""
    marks: Marks = field(default_factory=dict)


def searchable_comparison(
    snapshot: Snapshot, left: str, right: str, source: str | None = None
) -> SearchableComparison:
    """Return the comparison of two editions of a ``snapshot``, beside the edition ``source`` where
    it is given; cached.

    Raises as `service.editions.comparison.stored_comparison`.
    """
    key = ("comparison views", left, right, source)
    return snapshot.cache.get(
        key, lambda: make_searchable(stored_comparison(snapshot, left, right, source)), most=8
    )


def make_searchable(comparison: EditionComparison) -> SearchableComparison:
    """Return ``comparison`` ready to be filtered."""
    return SearchableComparison(comparison_view(comparison), facing_rows(comparison))


def review_marks(
    snapshot: SnapshotContents, comparison: SearchableComparison, book: ReviewBook
) -> Marks:
    """Return what ``book`` says of the rows of ``comparison``, one of a ``snapshot``; cached."""
    left, right = comparison.view.left, comparison.view.right
    key = ("review marks", left.id, right.id, book.digest)
    return snapshot.cache.get(key, lambda: marked_rows(comparison.rows, left, right, book), most=8)


def count_differences(compared: EntryComparison) -> Counter[str]:
    """Return how many rows of ``compared`` differ in each kind; nothing where only one edition has
    the entry.
    """
    if not (compared.left and compared.right):
        return Counter()
    counts = Counter(badge.kind for badge in compared.badges)
    for row in compared.rows:
        counts.update(badge.kind for badge in row.badges)
        counts["words"] += any(run.changed for run in (*row.left.text, *row.right.text))
        counts["passages"] += row.status in (
            ComparisonStatus.ONLY_LEFT,
            ComparisonStatus.ONLY_RIGHT,
        )
    return +counts


def filter_entries(
    comparison: SearchableComparison, filters: ComparisonFilter
) -> list[EntryComparison]:
    """Return the entries that ``filters`` let through, in order."""
    words = plain(filters.words).split()

    def fits(compared: EntryComparison) -> bool:
        differs = compared.status is not ComparisonStatus.SAME
        return (
            (filters.status in (ALL_STATUSES, compared.status) if filters.status else differs)
            and all(word in comparison.headings[compared.id] for word in words)
            and (not filters.kind or filters.kind in comparison.difference_counts[compared.id])
            and (
                not filters.review
                or any(
                    has_review_status(row, filters.marks, filters.review) for row in compared.rows
                )
            )
        )

    return list(filter(fits, comparison.entries))


def count_by_status(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each status would show with the other ``filters``; also for "" and
    `ALL_STATUSES`.
    """
    counts: Counter[str] = Counter(
        compared.status
        for compared in filter_entries(comparison, replace(filters, status=ALL_STATUSES))
    )
    counts[ALL_STATUSES] = counts.total()
    counts[""] = counts[ALL_STATUSES] - counts[ComparisonStatus.SAME]
    return counts


def count_by_review(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each review status would show with the other ``filters``; also for
    "".
    """
    return Counter(
        {
            status: len(filter_entries(comparison, replace(filters, review=status)))
            for status in ("", *ReviewStatus)
        }
    )


def count_by_kind(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each kind of difference would show with the other ``filters``."""
    found = filter_entries(comparison, replace(filters, kind=""))
    return Counter(kind for compared in found for kind in comparison.difference_counts[compared.id])
