"""A comparison as translators and reviewers work through it: units with state, findings and what has been said of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.model import Edition, Passage
from glossary.comparison import AlignedPassages, ComparisonStatus, DifferenceKind, EditionComparison, EntryPair
from glossary.comparison.reviews import (
    Marks,
    ReviewableRow,
    ReviewBook,
    ReviewMark,
    ReviewState,
    ReviewStatus,
    facing_rows,
    has_review_status,
    marked_rows,
    status_of,
)
from index.library.library import Library
from service.answers.citations import citation_label, line_range
from service.editions.comparison_view import ConceptNamer, concept_namer

_CONCEPTS = (DifferenceKind.TERMS, DifferenceKind.FALSE_FRIENDS)  # whose values are ids of concepts


class ReviewFields(NamedTuple):
    """What a reviewer may write into a file: state, name and note."""

    state: ReviewState
    reviewer: str = ""
    note: str = ""

    @property
    def stamp(self) -> str:
        """Four hexadecimal digits that tell in a file that comes back what was altered there and what has been altered here since."""
        return hashlib.sha256("\0".join(self).encode()).hexdigest()[:4]


class UnitFinding(NamedTuple):
    """What may be wrong with a unit: its kind, and a sentence that says what."""

    kind: str
    text: str


class UnitTerm(NamedTuple):
    """A term that one side of a unit lacks, as both editions call it; "" where one has no name for it."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class ReviewUnit:
    """Passages that face each other, with what a file for reviewers says of them.

    ``citations`` are those of the first passage of each side, ``lines`` say where all of its passages stand; "" where there is none.
    """

    row: ReviewableRow
    pair: EntryPair
    passages: AlignedPassages
    citations: tuple[str, str]
    lines: tuple[str, str]
    findings: tuple[UnitFinding, ...]
    terms: tuple[UnitTerm, ...]
    fields: ReviewFields
    status: ReviewStatus

    @property
    def entries(self) -> tuple[str, str]:
        """The entries of both sides by their numbers and headings; "" where one side has none."""
        left, right = (
            ", ".join(_name(e.number, e.title) for e in entries if not own or e.id in {p.entry for p in own})
            for entries, own in zip((self.pair.left, self.pair.right), (self.passages.left, self.passages.right), strict=True)
        )
        return left, right


def review_units(comparison: EditionComparison, library: Library, book: ReviewBook, status: str = "") -> Iterator[ReviewUnit]:
    """Yield the units of ``comparison`` in order; only those of a ``status``, the value of a `ReviewStatus`, where one is given."""
    rows = facing_rows(comparison)
    marks = marked_rows(rows, comparison.left, comparison.right, book)
    name = concept_namer(comparison.left.game)
    pairs = ((pair, passages) for pair in comparison.pairs for passages in pair.rows)
    for row, (pair, passages) in zip(rows, pairs, strict=True):
        if has_review_status(row, marks, status):
            yield ReviewUnit(
                row=row,
                pair=pair,
                passages=passages,
                citations=(_citation(library, passages.left), _citation(library, passages.right)),
                lines=(_lines(comparison.left, passages.left), _lines(comparison.right, passages.right)),
                findings=tuple(_findings(passages, comparison, name, marks.get(row.key))),
                terms=tuple(_terms(passages, comparison, name)),
                fields=fields_of(row, marks),
                status=status_of(row.key, marks),
            )


def fields_of(row: ReviewableRow, marks: Marks) -> ReviewFields:
    """Return what a file says of ``row``. What was reviewed before its wording changed begins anew."""
    mark = marks.get(row.key)
    if mark and mark.status is not ReviewStatus.REWORDED:
        return ReviewFields(mark.review.state, mark.review.reviewer, mark.review.note)
    return default_fields(row.texts)


def default_fields(texts: tuple[str, str]) -> ReviewFields:
    """Return what a file says of two ``texts`` that nobody has said anything of."""
    return ReviewFields(ReviewState.TRANSLATED if all(texts) else ReviewState.INITIAL)


def reworded_text(mark: ReviewMark) -> str:
    """Return in one line who had reviewed a unit before its wording changed."""
    review = mark.review
    return f"reviewed before the wording changed, by {review.reviewer} on {review.date}{f': {review.note}' if review.note else ''}"


def _name(number: str | None, title: str) -> str:
    return title if number is None or title.startswith(number) else f"{number} {title}"


def _citation(library: Library, passages: Sequence[Passage]) -> str:
    return citation_label(library, passages[0]) if passages else ""


def _lines(edition: Edition, passages: Sequence[Passage]) -> str:
    return ", ".join(line_range(edition.language, *passage.lines) for passage in passages)


def _findings(
    passages: AlignedPassages, comparison: EditionComparison, name: ConceptNamer, mark: ReviewMark | None
) -> Iterator[UnitFinding]:
    sides = comparison.left, comparison.right
    for difference in passages.differences:
        only = []
        for values, evidence, edition in zip((difference.left, difference.right), difference.evidence, sides, strict=True):
            read_from = {each.value: each.words for each in evidence}
            named = [name(each, edition.language) if difference.kind in _CONCEPTS else each for each in values]
            quoted = [
                f' ("{words}")' if (words := read_from.get(each, "")) and words != shown else ""
                for each, shown in zip(values, named, strict=True)
            ]
            if values:
                only.append(f"only in {edition.id}: {', '.join(map(''.join, zip(named, quoted, strict=True)))}")
        perhaps = "; perhaps both say the same" if difference.doubtful else ""
        yield UnitFinding(difference.kind.value, f"{difference.kind.value.replace('-', ' ')} {'; '.join(only)}{perhaps}")
    if passages.status in (ComparisonStatus.ONLY_LEFT, ComparisonStatus.ONLY_RIGHT):
        has = comparison.left if passages.left else comparison.right
        yield UnitFinding("passages", f"passage only in {has.id}")
    if passages.moved:
        yield UnitFinding("moved", "stands in another order")
    if passages.divided:
        yield UnitFinding("divided", f"divided {len(passages.left)} : {len(passages.right)}")
    if mark and mark.status is ReviewStatus.REWORDED:
        yield UnitFinding("reworded", reworded_text(mark))


def _terms(passages: AlignedPassages, comparison: EditionComparison, name: ConceptNamer) -> Iterator[UnitTerm]:
    for difference in passages.differences:
        if difference.kind is DifferenceKind.TERMS:
            for id in dict.fromkeys((*difference.left, *difference.right)):
                yield UnitTerm(_own_name(id, comparison.left, name), _own_name(id, comparison.right, name))


def _own_name(id: str, edition: Edition, name: ConceptNamer) -> str:
    found = name(id, edition.language)
    return "" if found == id else found
