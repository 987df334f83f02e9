"""A comparison as pages show it: entries side by side, their passages in rows, differences as marked words and badges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from corpus.model import Edition, Entry, Passage
from glossary.comparison import AlignedPassages, ComparisonStatus, DifferenceKind, EditionComparison, EntryPair, PassageDifference
from glossary.comparison.reviews import row_key
from glossary.comparison.rewording import TextRun, diff_words
from glossary.concepts import load_concepts
from service.answers.citations import line_range
from service.editions.comparison import named_values

ConceptNamer = Callable[[str, str], str]  # takes the id of a concept without its game, and a language; returns the name there


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

    ``label`` is the short name of the edition, ``place`` the lines of the passages ("Z. 103–105"), ``text`` their text in runs, those
    changed that only this version has; ``place`` and ``text`` are empty where there are no passages. ``first`` is the first passage.
    """

    edition: Edition
    label: str
    first: Passage | None
    place: str
    text: tuple[TextRun, ...]


@dataclass(frozen=True)
class ComparedRow:
    """Passages that correspond; one side is empty where only the other edition has them. By ``key`` reviews find them.

    ``doubtful`` are badges of hints that a reader may well find to be none, ``source`` the passages of the source edition, None where
    there is no such edition.
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
    """Entries that correspond, and their passages; ``id`` is that of the first entry, and the anchor on pages."""

    id: str
    status: ComparisonStatus
    left: tuple[Entry, ...]
    right: tuple[Entry, ...]
    badges: tuple[DifferenceBadge, ...]
    rows: tuple[ComparedRow, ...]
    source: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class ComparisonView:
    """A whole comparison. ``labels`` are short names of the editions, ``source_label`` is that of the source edition.

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
    labels = _labels(comparison.left, comparison.right)
    name = concept_namer(comparison.left.game)
    entries = [_entry_comparison(pair, comparison, labels, name) for pair in comparison.pairs]
    groups = tuple(tuple(group) for _, group in groupby(entries, lambda entry: entry.status is ComparisonStatus.SAME))
    return ComparisonView(
        left=comparison.left,
        right=comparison.right,
        labels=labels,
        same_language=comparison.same_language,
        counts=comparison.counts,
        groups=groups,
        source=comparison.source,
        source_label=_source_label(comparison),
    )


def concept_namer(game: str) -> ConceptNamer:
    """Return the function that names the concepts of ``game``; one without a name in a language is called by its id."""
    concepts = {concept.id: concept for concept in load_concepts(game)}

    def name(concept: str, language: str) -> str:
        found = concepts.get(concept)
        return (found.name(language) if found else None) or concept

    return name


def _labels(left: Edition, right: Edition) -> tuple[str, str]:
    """Return short names of two editions: language and version, or their ids where these are the same."""
    labels = short_edition_name(left), short_edition_name(right)
    return labels if labels[0] != labels[1] else (left.id, right.id)


def _source_label(comparison: EditionComparison) -> str:
    """Return the short name of the source edition, its id where another edition has that too; empty where there is none."""
    if comparison.source is None:
        return ""
    label = short_edition_name(comparison.source)
    return comparison.source.id if label in map(short_edition_name, (comparison.left, comparison.right)) else label


def short_edition_name(edition: Edition) -> str:
    """Return language and version of ``edition``: "de 1.5"."""
    return f"{edition.language} {edition.version}".strip()


def _entry_comparison(pair: EntryPair, comparison: EditionComparison, labels: tuple[str, str], name: ConceptNamer) -> EntryComparison:
    sides = (comparison.left, comparison.right)
    badges = [DifferenceBadge("renamed")] if pair.renamed else []
    if any(pair.references):
        # The target of a reference is given as the id of its concept, game first, or as the slug of an entry.
        left, right = (
            tuple(name(target.removeprefix(f"{edition.game}/"), edition.language) for target in targets)
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


def _compared_row(row: AlignedPassages, comparison: EditionComparison, labels: tuple[str, str], name: ConceptNamer) -> ComparedRow:
    left_text, right_text = _text_runs(row)
    source_text = (TextRun(row.source_text, changed=False),) if row.source else ()
    source = comparison.source
    return ComparedRow(
        key=row_key(row, (comparison.left.language, comparison.right.language)),
        status=row.status,
        left=_row_side(comparison.left, labels[0], row.left, left_text),
        right=_row_side(comparison.right, labels[1], row.right, right_text),
        badges=tuple(_row_badges(row, comparison, name)),
        doubtful=tuple(_difference_badge(difference, comparison, name) for difference in row.doubtful),
        source=_row_side(source, _source_label(comparison), row.source, source_text) if source else None,
    )


def _row_side(edition: Edition, label: str, passages: tuple[Passage, ...], text: tuple[TextRun, ...]) -> RowSide:
    return RowSide(
        edition=edition,
        label=label,
        first=passages[0] if passages else None,
        place=", ".join(line_range(edition.language, *passage.lines) for passage in passages),
        text=text,
    )


def _row_badges(row: AlignedPassages, comparison: EditionComparison, name: ConceptNamer) -> Iterator[DifferenceBadge]:
    for difference in row.differences:
        if difference.kind is not DifferenceKind.WORDS:  # which are marked in the text
            yield _difference_badge(difference, comparison, name)
    if row.moved:
        yield DifferenceBadge("moved")
    if row.divided:
        yield DifferenceBadge("divided")


def _difference_badge(difference: PassageDifference, comparison: EditionComparison, name: ConceptNamer) -> DifferenceBadge:
    """Return the badge of a difference: terms by their names, conditions and false friends by the words that stand there."""
    sides = []
    for side, edition in enumerate((comparison.left, comparison.right)):
        if difference.kind is DifferenceKind.TERMS:
            sides.append([name(concept, edition.language) for concept in (difference.left, difference.right)[side]])
        elif difference.kind is DifferenceKind.NUMBERS:
            sides.append(named_values(difference, side))
        else:
            words = [each.words for each in difference.evidence[side]]
            sides.append(list(dict.fromkeys(words)) or list((difference.left, difference.right)[side]))
    return DifferenceBadge(difference.kind.value, tuple(sides[0]), tuple(sides[1]))


def _text_runs(row: AlignedPassages) -> tuple[tuple[TextRun, ...], tuple[TextRun, ...]]:
    """Return the texts of both sides, divided where changed words begin and end; without runs where a text is empty."""
    left, right = row.texts
    if any(difference.kind is DifferenceKind.WORDS for difference in row.differences):
        return diff_words(left, right)
    return (TextRun(left, changed=False),) if left else (), (TextRun(right, changed=False),) if right else ()
