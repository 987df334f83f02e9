"""Filters of the entries of a comparison: by status, by the kind of difference, by words of their headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from glossary.comparison import ComparisonStatus, EditionComparison
from glossary.comparison.reviews import Marks, ReviewableRow, ReviewBook, ReviewStatus, facing_rows, has_review_status, marked_rows
from index.analysis import plain
from service.core.contents import SnapshotContents
from service.core.snapshot import Snapshot
from service.editions.comparison import stored_comparison
from service.editions.comparison_view import ComparisonView, EntryComparison, comparison_view

DIFFERENCE_KINDS = (
    *("numbers", "symbols", "names", "terms", "false-friends", "conditions", "references", "words"),
    *("passages", "moved", "divided", "renamed"),
)
ALL_STATUSES = "all"  # a status that shows entries of every status


@dataclass(frozen=True)
class SearchableComparison:
    """A comparison, ready to be filtered.

    ``entries`` are those of ``view`` in order; ``by_entry`` finds one by the id of any entry in it. By their ids, ``difference_counts``
    says in how many places each of `DIFFERENCE_KINDS` occurs, and ``headings`` has titles and headings as search compares them.
    ``rows`` are all rows in order, by which reviews find them.
    """

    view: ComparisonView
    entries: tuple[EntryComparison, ...]
    by_entry: Mapping[str, EntryComparison]
    difference_counts: Mapping[str, Counter[str]]
    headings: Mapping[str, str]
    rows: tuple[ReviewableRow, ...]


@dataclass(frozen=True)
class ComparisonFilter:
    """What a reader wants to see.

    ``status`` is the value of a `ComparisonStatus`, `ALL_STATUSES`, or "" for every status but the same; ``kind`` one of
    `DIFFERENCE_KINDS` or "" for any; ``words`` have to be in the headings. ``review`` is the value of a `ReviewStatus` that a row has, by
    ``marks``, or "" for any.
    """

    status: str = ""
    kind: str = ""
    words: str = ""
    review: str = ""
    marks: Marks = field(default_factory=dict)


def searchable_comparison(snapshot: Snapshot, left: str, right: str, source: str | None = None) -> SearchableComparison:
    """Return the comparison of two editions of a ``snapshot``, beside the edition ``source`` where it is given; cached.

    Raises as `service.editions.comparison.stored_comparison`.
    """
    key = ("comparison views", left, right, source)
    return snapshot.cache.get(key, lambda: make_searchable(stored_comparison(snapshot, left, right, source)), most=8)


def make_searchable(comparison: EditionComparison) -> SearchableComparison:
    """Return ``comparison`` ready to be filtered."""
    view = comparison_view(comparison)
    entries = tuple(entry for group in view.groups for entry in group)
    return SearchableComparison(
        view=view,
        entries=entries,
        by_entry={entry.id: compared for compared in entries for entry in (*compared.left, *compared.right)},
        difference_counts={compared.id: count_differences(compared) for compared in entries},
        headings={
            compared.id: plain(" ".join(f"{e.title} {e.heading}" for e in (*compared.left, *compared.right))) for compared in entries
        },
        rows=facing_rows(comparison),
    )


def review_marks(snapshot: SnapshotContents, comparison: SearchableComparison, book: ReviewBook) -> Marks:
    """Return what ``book`` says of the rows of ``comparison``, one of a ``snapshot``; cached."""
    left, right = comparison.view.left, comparison.view.right
    key = ("review marks", left.id, right.id, book.digest)
    return snapshot.cache.get(key, lambda: marked_rows(comparison.rows, left, right, book), most=8)


def _searchable_headings(compared: EntryComparison) -> str:
    return plain(" ".join(f"{entry.title} {entry.heading}" for entry in (*compared.left, *compared.right)))


def count_differences(compared: EntryComparison) -> Counter[str]:
    """Return how many rows of ``compared`` differ in each kind; nothing where only one edition has the entry."""
    if not (compared.left and compared.right):
        return Counter()
    counts = Counter(badge.kind for badge in compared.badges)
    for row in compared.rows:
        counts.update(badge.kind for badge in row.badges)
        counts["words"] += any(run.changed for run in (*row.left.text, *row.right.text))
        counts["passages"] += row.status in (ComparisonStatus.ONLY_LEFT, ComparisonStatus.ONLY_RIGHT)
    return +counts


def filter_entries(comparison: SearchableComparison, filters: ComparisonFilter) -> list[EntryComparison]:
    """Return the entries that ``filters`` let through, in order."""
    return [
        compared
        for compared in _filter_by_heading(comparison, filters.words)
        if _has_status(compared, filters.status)
        and (not filters.kind or filters.kind in comparison.difference_counts[compared.id])
        and (not filters.review or any(has_review_status(row, filters.marks, filters.review) for row in compared.rows))
    ]


def _filter_by_heading(comparison: SearchableComparison, words: str) -> list[EntryComparison]:
    sought = plain(words).split()
    return [compared for compared in comparison.entries if all(word in comparison.headings[compared.id] for word in sought)]


def _has_status(compared: EntryComparison, status: str) -> bool:
    return compared.status is not ComparisonStatus.SAME if not status else status in (ALL_STATUSES, compared.status)


def count_by_status(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each status would show with the other ``filters``; also for "" and `ALL_STATUSES`."""
    counts: Counter[str] = Counter(compared.status for compared in filter_entries(comparison, replace(filters, status=ALL_STATUSES)))
    counts[ALL_STATUSES] = counts.total()
    counts[""] = counts[ALL_STATUSES] - counts[ComparisonStatus.SAME]
    return counts


def count_by_review(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each review status would show with the other ``filters``; also for ""."""
    return Counter({status: len(filter_entries(comparison, replace(filters, review=status))) for status in ("", *ReviewStatus)})


def count_by_kind(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each kind of difference would show with the other ``filters``."""
    found = filter_entries(comparison, replace(filters, kind=""))
    return Counter(kind for compared in found for kind in comparison.difference_counts[compared.id])
