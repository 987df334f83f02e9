"""Comparisons as pages show them, and filters of their entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from corpus.model import Edition, Entry, Passage
from glossary.comparison import (
    Agreement,
    AlignedPassages,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    EntryPair,
    PassageDifference,
)
from glossary.comparison.pairings import NO_PAIRINGS, PairingBook
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

# Takes the id of a concept without its game, and a language; returns the name there.
ConceptNamer = Callable[[str, str], str]
DIFFERENCE_KINDS = (
    *("clauses", "numbers", "symbols", "names", "terms", "false-friends", "order", "conditions"),
    *("renderings", "forbidden", "patterns", "punctuation"),
    *("references", "words", "passages", "moved", "divided", "renamed"),
)
STATUSES = ("only-left", "only-right", "changed", "freely-rendered", "same")
ALL_STATUSES = "all"  # a status that shows entries of every status


class DifferenceBadge(NamedTuple):
    """A difference to show on a page: the value of a `DifferenceKind`, or "references", "renamed",
    "moved" or "divided", and the values that only one side has.
    """

    kind: str
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowSide:
    """The passages of one edition in a row, with a short ``label``, their lines ("Z. 103–105"), and
    their text in runs; runs that only this version has are marked as changed.
    """

    edition: Edition
    label: str
    passages: tuple[Passage, ...]
    place: str
    text: tuple[TextRun, ...]

    @property
    def first(self) -> Passage | None:
        """The first passage."""
        return self.passages[0] if self.passages else None


class MovedTo(NamedTuple):
    """For a row that only one edition has: a passage of the other edition with the same content,
    the title of its entry, and its lines.
    """

    edition: Edition
    title: str
    passage: Passage
    place: str


@dataclass(frozen=True)
class ComparedRow:
    """Aligned passages, identified in reviews by their ``key``.

    ``doubtful`` are badges of QA warnings that may be false. ``elsewhere`` are passages of the
    other edition with the content of a one-sided row. ``source`` is None without a source edition.
    """

    key: str
    status: ComparisonStatus
    left: RowSide
    right: RowSide
    badges: tuple[DifferenceBadge, ...]
    doubtful: tuple[DifferenceBadge, ...] = ()
    source: RowSide | None = None
    agreement: Agreement | None = None
    elsewhere: tuple[MovedTo, ...] = ()
    by_hand: bool = False

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of both sides."""
        return (*self.left.passages, *self.right.passages)


@dataclass(frozen=True)
class EntryComparison:
    """Corresponding entries and their passages; ``id`` is the anchor on pages."""

    id: str
    status: ComparisonStatus
    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    badges: tuple[DifferenceBadge, ...]
    rows: tuple[ComparedRow, ...]
    source: tuple[Entry, ...] = ()
    agreement: Agreement | None = None

    @property
    def shown(self) -> str:
        """The status or, if nothing surely differs, the agreement ("freely-rendered")."""
        if self.status is ComparisonStatus.SAME and self.agreement:
            return self.agreement.value
        return self.status.value


@dataclass(frozen=True)
class ComparisonView:
    """A whole comparison; ``groups`` are the entries in order, split where runs of identical
    entries begin or end.
    """

    left: Edition
    right: Edition
    labels: tuple[str, str]
    same_language: bool
    groups: tuple[tuple[EntryComparison, ...], ...]
    source: Edition | None = None
    source_label: str = ""

    @property
    def by_status(self) -> dict[str, list[EntryComparison]]:
        """The entries of each of `STATUSES` in order."""
        found: dict[str, list[EntryComparison]] = {status: [] for status in STATUSES}
        for entry in (entry for group in self.groups for entry in group):
            found[entry.shown].append(entry)
        return found


def comparison_view(comparison: EditionComparison) -> ComparisonView:
    """Return ``comparison`` as pages show it."""
    left, right, source = comparison.left, comparison.right, comparison.source
    # Short names, or ids if two editions would be called the same.
    labels = short_edition_name(left), short_edition_name(right)
    source_label = short_edition_name(source) if source else ""
    if source and source_label in labels:
        source_label = source.id
    if labels[0] == labels[1]:
        labels = left.id, right.id
    shown = (*labels, source_label)
    name = concept_namer(left.game)
    entries = [_entry_comparison(pair, comparison, shown, name) for pair in comparison.pairs]
    by_status = groupby(entries, lambda entry: entry.shown == ComparisonStatus.SAME)
    return ComparisonView(
        left=left,
        right=right,
        labels=labels,
        same_language=comparison.same_language,
        groups=tuple(tuple(group) for _, group in by_status),
        source=source,
        source_label=source_label,
    )


def concept_namer(game: str) -> ConceptNamer:
    """Return a function that names the concepts of ``game``, by their ids if they have no name."""
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
    badges = [DifferenceBadge("renamed")] if pair.renamed else []
    if any(pair.references):
        # The target of a reference is given as the id of its concept, game first, or as the slug of
        # an entry.
        prefix = f"{comparison.left.game}/"
        editions = comparison.left, comparison.right
        left, right = (
            tuple(name(target.removeprefix(prefix), edition.language) for target in targets)
            for edition, targets in zip(editions, pair.references, strict=True)
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
        agreement=pair.agreement,
    )


def _compared_row(
    row: AlignedPassages,
    comparison: EditionComparison,
    labels: tuple[str, str, str],
    name: ConceptNamer,
) -> ComparedRow:
    left, right, source = comparison.left, comparison.right, comparison.source
    texts: list[tuple[TextRun, ...]] = [
        (TextRun(text, changed=False),) if text else ()
        for text in (*row.texts, row.source_text if row.source else "")
    ]
    # Changed words are marked in the text, and need no badge.
    badges = [
        _difference_badge(each, comparison, name)
        for each in row.differences
        if each.kind is not DifferenceKind.WORDS
    ]
    if len(badges) < len(row.differences):
        texts[:2] = diff_words(*row.texts)
    badges += [DifferenceBadge("moved")] * row.moved + [DifferenceBadge("divided")] * row.divided
    return ComparedRow(
        key=row_key(row, (left.language, right.language)),
        status=row.status,
        left=row_side(left, labels[0], row.left, texts[0]),
        right=row_side(right, labels[1], row.right, texts[1]),
        badges=tuple(badges),
        doubtful=tuple(_difference_badge(each, comparison, name) for each in row.doubtful),
        source=row_side(source, labels[2], row.source, texts[2]) if source else None,
        agreement=None if comparison.same_language else row.agreement,
        elsewhere=tuple(
            MovedTo(
                edition=other,
                title=comparison.entries[passage.entry].title,
                passage=passage,
                place=line_range(other.language, *passage.lines),
            )
            for passage in row.elsewhere
            for other in (right if row.left else left,)
        ),
        by_hand=row.by_hand,
    )


def row_side(
    edition: Edition, label: str, passages: Sequence[Passage], text: tuple[TextRun, ...]
) -> RowSide:
    """Return ``passages`` of an ``edition`` called ``label`` as one side of a row."""
    return RowSide(
        edition=edition,
        label=label,
        passages=tuple(passages),
        place=", ".join(line_range(edition.language, *passage.lines) for passage in passages),
        text=text,
    )


def _difference_badge(
    difference: PassageDifference, comparison: EditionComparison, name: ConceptNamer
) -> DifferenceBadge:
    """Return the badge of a difference: terms are shown by name, conditions and false friends by
    their printed words.
    """
    sides = []
    for side, edition in enumerate((comparison.left, comparison.right)):
        shown = list((difference.left, difference.right)[side])
        if difference.kind is DifferenceKind.TERMS:
            shown = [name(concept, edition.language) for concept in shown]
        elif difference.kind in (
            DifferenceKind.NUMBERS,
            DifferenceKind.CLAUSES,
            DifferenceKind.ORDER,
        ):
            shown = named_values(difference, side)
        elif difference.kind is DifferenceKind.RENDERINGS:
            evidence = difference.evidence[side]
            titles = [comparison.entries[e.passage.partition("#")[0]].title for e in evidence]
            shown = [f"{e.value} ({title})" for e, title in zip(evidence, titles, strict=True)]
        elif difference.kind is DifferenceKind.PATTERNS:
            pass  # "name: words"
        elif words := dict.fromkeys(each.words for each in difference.evidence[side]):
            shown = list(words)
        sides.append(tuple(shown))
    return DifferenceBadge(difference.kind.value, *sides)


@dataclass(frozen=True)
class SearchableComparison:
    """A comparison prepared for filtering; reviews are matched by its ``rows``."""

    view: ComparisonView
    rows: tuple[ReviewableRow, ...]

    @cached_property
    def entries(self) -> tuple[EntryComparison, ...]:
        """The entries in order."""
        return tuple(entry for group in self.view.groups for entry in group)

    @cached_property
    def by_entry(self) -> Mapping[str, EntryComparison]:
        """The entries by the id of any entry in them."""
        return {e.id: found for found in self.entries for e in (*found.left, *found.right)}

    @cached_property
    def difference_counts(self) -> Mapping[str, Counter[str]]:
        """The number of places with each of `DIFFERENCE_KINDS`, by the ids of entries."""
        return {compared.id: count_differences(compared) for compared in self.entries}

    @cached_property
    def headings(self) -> Mapping[str, str]:
        """Titles and headings, normalized for search, by the ids of entries."""
        return {
            each.id: plain(" ".join(f"{e.title} {e.heading}" for e in (*each.left, *each.right)))
            for each in self.entries
        }


@dataclass(frozen=True)
class ComparisonFilter:
    """The filters chosen by a reader: one of `STATUSES`, `ALL_STATUSES` or "" for all but "same";
    one of `DIFFERENCE_KINDS`; words of headings; a `ReviewStatus`, found in ``marks``.
    """

    status: str = ""
    kind: str = ""
    words: str = ""
    review: str = ""
    marks: Marks = field(default_factory=dict)


def searchable_comparison(
    snapshot: Snapshot,
    left: str,
    right: str,
    source: str | None = None,
    pairings: PairingBook = NO_PAIRINGS,
) -> SearchableComparison:
    """Return the comparison of two editions of a ``snapshot`` with manual ``pairings``, prepared
    for filtering; cached. Raises what `stored_comparison` raises.
    """
    key = ("comparison views", left, right, source, pairings.digest)
    return snapshot.cache.get(
        key,
        lambda: make_searchable(stored_comparison(snapshot, left, right, source, pairings)),
        most=8,
    )


def make_searchable(comparison: EditionComparison) -> SearchableComparison:
    """Return ``comparison`` prepared for filtering."""
    return SearchableComparison(comparison_view(comparison), facing_rows(comparison))


def review_marks(
    snapshot: SnapshotContents, comparison: SearchableComparison, book: ReviewBook
) -> Marks:
    """Return the reviews in ``book`` of the rows of ``comparison``; cached."""
    left, right = comparison.view.left, comparison.view.right
    key = ("review marks", left.id, right.id, book.digest)
    return snapshot.cache.get(key, lambda: marked_rows(comparison.rows, left, right, book), most=8)


def count_differences(compared: EntryComparison) -> Counter[str]:
    """Return how many rows of ``compared`` have each kind of difference; none if one edition lacks
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
    """Return the entries that match ``filters``, in order."""
    words = plain(filters.words).split()

    marks, review = filters.marks, filters.review

    def fits(compared: EntryComparison) -> bool:
        same = compared.status is ComparisonStatus.SAME
        return (
            (filters.status in (ALL_STATUSES, compared.shown) if filters.status else not same)
            and all(word in comparison.headings[compared.id] for word in words)
            and (not filters.kind or filters.kind in comparison.difference_counts[compared.id])
            and (not review or any(has_review_status(row, marks, review) for row in compared.rows))
        )

    return list(filter(fits, comparison.entries))


def count_by_status(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each status would show with the other ``filters``."""
    found = filter_entries(comparison, replace(filters, status=ALL_STATUSES))
    counts: Counter[str] = Counter(compared.shown for compared in found)
    counts[ALL_STATUSES] = counts.total()
    counts[""] = sum(compared.status is not ComparisonStatus.SAME for compared in found)
    return counts


def count_by_review(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each review status would show with the other ``filters``."""
    counts: Counter[str] = Counter()
    for status in ("", *ReviewStatus):
        counts[status] = len(filter_entries(comparison, replace(filters, review=status)))
    return counts


def count_by_kind(comparison: SearchableComparison, filters: ComparisonFilter) -> Counter[str]:
    """Return how many entries each kind of difference would show with the other ``filters``."""
    found = filter_entries(comparison, replace(filters, kind=""))
    return Counter(kind for compared in found for kind in comparison.difference_counts[compared.id])
