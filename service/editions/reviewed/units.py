"""A comparison as reviewers work through it: units with state, findings and sentences, and the
table that reviewers fill in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from corpus.model import Edition
from glossary.comparison import (
    AlignedPassages,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    EntryPair,
)
from glossary.comparison.reviews import (
    ReviewableRow,
    ReviewBook,
    ReviewMark,
    ReviewState,
    ReviewStatus,
)
from glossary.comparison.segments import Segment, segments_of
from index.library.library import Library
from service.answers.citations import citation_label, line_range
from service.editions.comparison import reviewed_rows
from service.editions.comparison_view import ConceptNamer, concept_namer

_CONCEPTS = (DifferenceKind.TERMS, DifferenceKind.FALSE_FRIENDS)  # whose values are ids of concepts
ID, ENTRY, LEFT, RIGHT, STATE, NOTE, REVIEWER, FINDINGS = COLUMNS = (
    *("id", "entry", "left", "right", "state", "note", "reviewer", "findings"),
)
SHEET = "Review"  # of a workbook
TO_FILL_IN = (STATE, NOTE, REVIEWER)
STATES = tuple(state.value for state in ReviewState)
WIDTHS = {
    ID: 23,
    ENTRY: 24,
    LEFT: 60,
    RIGHT: 60,
    STATE: 13,
    NOTE: 30,
    REVIEWER: 16,
    FINDINGS: 36,
}  # characters
EXPLANATION = (
    "Each line has passages that face each other. What is quoted comes from the rulebooks and is never changed by this file.",
    f"Fill in: state ({', '.join(STATES)}), note and reviewer. With the state 'reviewed' or 'final', a line counts as reviewed.",
    "Leave ids and quotations as they are: by them 'regula review import FILE', or the page of the comparison, reads the file back.",
)


class ReviewFields(NamedTuple):
    """What a reviewer may write into a file: state, name and note."""

    state: ReviewState
    reviewer: str = ""
    note: str = ""

    @property
    def stamp(self) -> str:
        """Four hexadecimal digits that tell in a file that comes back what was altered there and
        what has been altered here since.
        """
        return hashlib.sha256("\0".join(self).encode()).hexdigest()[:4]


class UnitFinding(NamedTuple):
    """What may be wrong with a unit: its kind, and a sentence that says what."""

    kind: str
    text: str


class UnitTerm(NamedTuple):
    """A term that one side of a unit lacks, as both editions call it; "" where one has no name for
    it.
    """

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class ReviewUnit:
    """Passages that face each other, with what a file for reviewers says of them.

    ``citations`` are those of the first passage of each side, ``lines`` say where all of its
    passages stand; "" where there is none.
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
            ", ".join(
                (
                    e.title
                    if e.number is None or e.title.startswith(e.number)
                    else f"{e.number} {e.title}"
                )
                for e in entries
                if not own or e.id in {p.entry for p in own}
            )
            for entries, own in zip(
                (self.pair.left, self.pair.right),
                (self.passages.left, self.passages.right),
                strict=True,
            )
        )
        return left, right


def review_units(
    comparison: EditionComparison, library: Library, book: ReviewBook, status: str = ""
) -> Iterator[ReviewUnit]:
    """Yield the units of ``comparison`` in order; only those of a ``status``, the value of a
    `ReviewStatus`, where one is given.
    """
    name = concept_namer(comparison.left.game)
    sides = comparison.left, comparison.right
    for pair, passages, row, mark in reviewed_rows(comparison, book, status):
        both = passages.left, passages.right
        left_citation, right_citation = (
            citation_label(library, side[0]) if side else "" for side in both
        )
        left_lines, right_lines = (
            ", ".join(line_range(e.language, *p.lines) for p in side)
            for e, side in zip(sides, both, strict=True)
        )
        yield ReviewUnit(
            row=row,
            pair=pair,
            passages=passages,
            citations=(left_citation, right_citation),
            lines=(left_lines, right_lines),
            findings=tuple(_findings(passages, comparison, name, mark)),
            terms=tuple(_terms(passages, comparison, name)),
            fields=fields_of(row, mark),
            status=mark.status if mark else ReviewStatus.OPEN,
        )


def fields_of(row: ReviewableRow, mark: ReviewMark | None) -> ReviewFields:
    """Return what a file says of ``row``, whose review is ``mark``. What was reviewed before its
    wording changed begins anew.
    """
    if mark and mark.status is not ReviewStatus.REWORDED:
        return ReviewFields(mark.review.state, mark.review.reviewer, mark.review.note)
    return default_fields(row.texts)


def default_fields(texts: tuple[str, str]) -> ReviewFields:
    """Return what a file says of two ``texts`` that nobody has said anything of."""
    return ReviewFields(ReviewState.TRANSLATED if all(texts) else ReviewState.INITIAL)


def _findings(
    passages: AlignedPassages,
    comparison: EditionComparison,
    name: ConceptNamer,
    mark: ReviewMark | None,
) -> Iterator[UnitFinding]:
    sides = comparison.left, comparison.right
    for difference in passages.differences:
        only = []
        for values, evidence, edition in zip(
            (difference.left, difference.right), difference.evidence, sides, strict=True
        ):
            read_from = {each.value: each.words for each in evidence}
            named = [
                name(each, edition.language) if difference.kind in _CONCEPTS else each
                for each in values
            ]
            quoted = [
                f' ("{words}")' if (words := read_from.get(each, "")) and words != shown else ""
                for each, shown in zip(values, named, strict=True)
            ]
            if values:
                only.append(
                    f"only in {edition.id}: {', '.join(map(''.join, zip(named, quoted, strict=True)))}"
                )
        perhaps = "; perhaps both say the same" if difference.doubtful else ""
        yield UnitFinding(
            difference.kind.value,
            f"{difference.kind.value.replace('-', ' ')} {'; '.join(only)}{perhaps}",
        )
    if passages.status in (ComparisonStatus.ONLY_LEFT, ComparisonStatus.ONLY_RIGHT):
        has = comparison.left if passages.left else comparison.right
        yield UnitFinding("passages", f"passage only in {has.id}")
    if passages.moved:
        yield UnitFinding("moved", "stands in another order")
    if passages.divided:
        yield UnitFinding("divided", f"divided {len(passages.left)} : {len(passages.right)}")
    if mark and mark.status is ReviewStatus.REWORDED:
        review = mark.review
        note = f": {review.note}" if review.note else ""
        yield UnitFinding(
            "reworded",
            f"reviewed before the wording changed, by {review.reviewer} on {review.date}{note}",
        )


def _terms(
    passages: AlignedPassages, comparison: EditionComparison, name: ConceptNamer
) -> Iterator[UnitTerm]:
    for difference in passages.differences:
        if difference.kind is DifferenceKind.TERMS:
            for id in dict.fromkeys((*difference.left, *difference.right)):
                yield UnitTerm(
                    _own_name(id, comparison.left, name), _own_name(id, comparison.right, name)
                )


def _own_name(id: str, edition: Edition, name: ConceptNamer) -> str:
    found = name(id, edition.language)
    return "" if found == id else found


class SentencePair(NamedTuple):
    """A sentence of the left edition with its counterpart, "" where there is none; ``score`` (0.0
    to 1.0) says how sure that is.
    """

    left: str
    right: str
    score: float


def sentence_pairs(comparison: EditionComparison) -> Mapping[int, tuple[SentencePair, ...]]:
    """Return the pairs of each row of ``comparison`` by its ``id()``. Takes as long as the
    comparison itself.

    What only the right edition has goes with the sentence before it (behind it, where it comes
    first): a segment needs a source. Of a row that the left edition does not have there is one
    pair, without a left text.
    """
    rows: dict[int, list[Segment]] = {}
    for segment in segments_of(comparison):
        rows.setdefault(id(segment.row), []).append(segment)
    return {row: _pairs(segments) for row, segments in rows.items()}


def _pairs(segments: list[Segment]) -> tuple[SentencePair, ...]:
    pairs: list[SentencePair] = []
    waiting: list[str] = []  # right texts before the first left one
    for segment in segments:
        left, right = segment.texts
        if left:
            pairs.append(
                SentencePair(left, " ".join(filter(None, (*waiting, right))), segment.score)
            )
            waiting = []
        elif pairs:
            pairs[-1] = pairs[-1]._replace(right=f"{pairs[-1].right} {right}".strip())
        else:
            waiting.append(right)
    return tuple(pairs) if pairs else (SentencePair("", " ".join(waiting), 0.0),)


def review_headings(left: Edition, right: Edition) -> list[str]:
    """Return the headings of the table; those of the quotations name the editions."""
    return [
        f"{column}: {edition.id}" if (edition := {LEFT: left, RIGHT: right}.get(column)) else column
        for column in COLUMNS
    ]


def review_lines(units: Iterable[ReviewUnit]) -> Iterator[list[str]]:
    """Yield a line for each unit: a text for each of `COLUMNS`."""
    for unit in units:
        left, right = unit.row.texts
        state, reviewer, note = unit.fields
        yield [
            f"{unit.row.id}.{unit.fields.stamp}",
            "\n".join(
                filter(None, (*dict.fromkeys(unit.entries), " | ".join(filter(None, unit.lines))))
            ),
            *(left, right, state.value, note, reviewer),
            "\n".join(finding.text for finding in unit.findings),
        ]
