"""Rows of a comparison in the files for reviewers, and the lines of returned files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpus.errors import WrongUse
from corpus.model import Edition
from glossary.comparison import (
    AlignedPassages,
    ComparisonStatus,
    DifferenceKind,
    EditionComparison,
    EntryPair,
    PassageDifference,
)
from glossary.comparison.reviews import (
    KEY_DIGITS,
    LONGEST_NAME,
    LONGEST_NOTE,
    ReviewableRow,
    ReviewBook,
    ReviewMark,
    ReviewState,
    ReviewStatus,
)
from index.library.library import Library
from service.answers.citations import citation_label, line_range
from service.editions.comparison import reviewed_rows
from service.editions.comparison_view import ConceptNamer, concept_namer

STATES = tuple(state.value for state in ReviewState)  # from the first to the last
_CONCEPTS = (DifferenceKind.TERMS, DifferenceKind.FALSE_FRIENDS)  # whose values are ids of concepts
_HOLDERS = {
    DifferenceKind.RENDERINGS: "elsewhere in",
    DifferenceKind.FORBIDDEN: "in",
    DifferenceKind.PATTERNS: "in",
}


class ReviewFields(NamedTuple):
    """The fields that a reviewer fills in."""

    state: ReviewState
    reviewer: str = ""
    note: str = ""

    @property
    def stamp(self) -> str:
        """Four hexadecimal digits that show in a returned file which lines were changed."""
        return hashlib.sha256("\0".join(self).encode()).hexdigest()[:4]


def default_fields(texts: tuple[str, str]) -> ReviewFields:
    """Return the fields for two ``texts`` that nobody has reviewed."""
    return ReviewFields(ReviewState.TRANSLATED if all(texts) else ReviewState.INITIAL)


def fields_of(row: ReviewableRow, mark: ReviewMark | None) -> ReviewFields:
    """Return the fields for ``row``, whose review is ``mark``. A review from before a change of
    wording is reset.
    """
    if mark and mark.status is not ReviewStatus.REWORDED:
        return ReviewFields(mark.review.state, mark.review.reviewer, mark.review.note)
    return default_fields(row.texts)


class ReviewUnit(NamedTuple):
    """A row of a comparison for files of reviewers; in pairs the left side comes first.

    Attributes:
        entries: The numbers and headings of the entries.
        citations: The citations of the first passages.
        lines: The lines of all passages.
        findings: Pairs of a kind and a sentence that says what may be wrong.
        terms: Terms that one side lacks, as pairs of their names in the editions, "" for none.
    """

    row: ReviewableRow
    pair: EntryPair
    passages: AlignedPassages
    entries: tuple[str, str]
    citations: tuple[str, str]
    lines: tuple[str, str]
    findings: tuple[tuple[str, str], ...]
    terms: tuple[tuple[str, str], ...]
    fields: ReviewFields
    status: ReviewStatus


def review_units(
    comparison: EditionComparison, library: Library, book: ReviewBook, status: str
) -> Iterator[ReviewUnit]:
    """Yield the units of ``comparison`` in order; if a ``status``, the value of a `ReviewStatus`,
    is given, only units with it.
    """
    name = concept_namer(comparison.left.game)
    editions = comparison.left, comparison.right
    for pair, passages, row, mark in reviewed_rows(comparison, book, status):
        entries, citations, lines = [], [], []
        for edition, own, side in zip(
            editions, (pair.left, pair.right), (passages.left, passages.right), strict=True
        ):
            here = dict.fromkeys(passage.entry for passage in side)
            entries.append(
                ", ".join(
                    each.title
                    if each.number is None or each.title.startswith(each.number)
                    else f"{each.number} {each.title}"
                    for each in ([library.entry[id] for id in here] or own)
                )
            )
            citations.append(citation_label(library, side[0]) if side else "")
            lines.append(", ".join(line_range(edition.language, *p.lines) for p in side))
        terms = [
            tuple("" if (found := name(id, e.language)) == id else found for e in editions)
            for difference in passages.differences
            if difference.kind is DifferenceKind.TERMS
            for id in dict.fromkeys((*difference.left, *difference.right))
        ]
        yield ReviewUnit(
            row=row,
            pair=pair,
            passages=passages,
            entries=(entries[0], entries[1]),
            citations=(citations[0], citations[1]),
            lines=(lines[0], lines[1]),
            findings=tuple(_findings(passages, editions, name, mark)),
            terms=tuple((left, right) for left, right in terms),
            fields=fields_of(row, mark),
            status=mark.status if mark else ReviewStatus.OPEN,
        )


def _findings(
    row: AlignedPassages,
    editions: tuple[Edition, Edition],
    name: ConceptNamer,
    mark: ReviewMark | None,
) -> Iterator[tuple[str, str]]:
    for difference in row.differences:
        only = "; ".join(filter(None, _only(difference, editions, name)))
        perhaps = "; perhaps both say the same" if difference.doubtful else ""
        kind = difference.kind.value
        yield kind, f"{kind.replace('-', ' ')} {only}{perhaps}"
    if row.status in (ComparisonStatus.ONLY_LEFT, ComparisonStatus.ONLY_RIGHT):
        yield "passages", f"passage only in {editions[0 if row.left else 1].id}"
    if row.moved:
        yield "moved", "moved"
    for passage in row.elsewhere:
        yield "moved", f"moved to {passage.id}"
    if row.divided:
        yield "divided", f"divided {len(row.left)} : {len(row.right)}"
    if mark and mark.status is ReviewStatus.REWORDED:
        by = f"by {mark.review.reviewer} on {mark.review.date}"
        note = f": {mark.review.note}" if mark.review.note else ""
        yield "reworded", f"reviewed before the wording changed, {by}{note}"


def _only(
    difference: PassageDifference, editions: tuple[Edition, Edition], name: ConceptNamer
) -> Iterator[str]:
    """Yield for each edition the values that only it has, with the words they were read from."""
    values = difference.left, difference.right
    for own, evidence, edition in zip(values, difference.evidence, editions, strict=True):
        read_from = {each.value: each.words for each in evidence}
        named = []
        for value in own:
            shown = name(value, edition.language) if difference.kind in _CONCEPTS else value
            words = read_from.get(value, "")
            named.append(f'{shown} ("{words}")' if words and words != shown else shown)
        where = _HOLDERS.get(difference.kind, "only in")
        yield f"{where} {edition.id}: {', '.join(named)}" if own else ""


class UnreadableReviews(WrongUse, ValueError):
    """A file cannot be read as a file of reviews; nothing of it is accepted."""


class FileLine(NamedTuple):
    """A line or a unit of a file, found at ``place``; ``stamp`` is the stamp of its fields when it
    was written.

    ``altered`` names the sides whose quotation was edited; None if only a comparison with the
    rulebook can tell. ``proposal`` is a reviewer's translation for the right side.
    """

    place: str
    id: str
    stamp: str
    texts: tuple[str, str]
    fields: ReviewFields
    altered: tuple[str, ...] | None = None
    proposal: str = ""

    @property
    def key(self) -> str:
        """The key of its passages."""
        return self.id[:KEY_DIGITS]


class ReviewFile(NamedTuple):
    """The editions that a file names by id, its valid lines, and the faults of other lines."""

    editions: tuple[str, str]
    lines: tuple[FileLine, ...]
    faults: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls, editions: tuple[str, str], found: Sequence[tuple[str, FileLine | str]]
    ) -> ReviewFile:
        """Return a file with the lines or faults ``found`` at their places."""
        lines = tuple(each for _, each in found if isinstance(each, FileLine))
        faults = tuple((place, each) for place, each in found if isinstance(each, str))
        return cls(editions, lines, faults)


def read_fields(state: str, reviewer: str, note: str) -> ReviewFields | str:
    """Return the fields of a line, or a message on what is wrong with them."""
    state, reviewer, note = state.casefold(), reviewer.strip(), note.strip()
    if state not in STATES:
        return f"has a state that is none: {state[:40]!r}; there are: {', '.join(STATES)}"
    if len(note) > LONGEST_NOTE or len(reviewer) > LONGEST_NAME:
        longer = f"a note of more than {LONGEST_NOTE:,} characters"
        return f"has {longer} or a name of more than {LONGEST_NAME}"
    return ReviewFields(ReviewState(state), reviewer, note)
