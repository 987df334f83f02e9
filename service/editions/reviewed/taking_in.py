"""What of a file of reviews is taken: states, names and notes that somebody altered in it and that
nobody has altered here since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from corpus.model import Edition
from glossary.comparison.reviews import (
    KEY_DIGITS,
    LONGEST_NOTE,
    Marks,
    Review,
    ReviewableRow,
    ReviewBook,
    Reviewer,
    marked_rows,
    new_review,
    pair_key,
    same_text,
)
from service.editions.reviewed.reading import FileLine, ReviewFile, UnreadableReviews
from service.editions.reviewed.units import ReviewFields, default_fields, fields_of

PROPOSED = "Proposed: "  # before a translation that somebody would have instead of what is printed


class ImportFault(NamedTuple):
    """A line of a file that was not taken, or not wholly, and why."""

    place: str
    why: str


class TakenReviews(NamedTuple):
    """What came of a file: the reviews that are new or changed, how many lines say nothing new, and
    what was not taken.
    """

    reviews: tuple[Review, ...]
    unchanged: int
    faults: tuple[ImportFault, ...]


class ComparedEditions(NamedTuple):
    """Two editions and the rows of their comparison."""

    left: Edition
    right: Edition
    rows: Sequence[ReviewableRow]


def taken_reviews(
    file: ReviewFile, compared: ComparedEditions, book: ReviewBook, reviewer: Reviewer
) -> TakenReviews:
    """Return what is taken of ``file``, given what ``book`` has.

    ``reviewer`` stands for whoever a file does not name; of XLIFF, which tools write no name into,
    for all. A passage that is not in the comparison is taken where the file has its words
    unaltered: it is from another version. Raises `UnreadableReviews` where nobody says who has
    reviewed.
    """
    return _Import(file, compared, book, reviewer).result()


class _Found(NamedTuple):
    """A line with the passages it is about, and what is said of these here."""

    line: FileLine
    row: ReviewableRow | None
    present: ReviewFields


class _Import:
    def __init__(
        self, file: ReviewFile, compared: ComparedEditions, book: ReviewBook, reviewer: Reviewer
    ):
        self._file = file
        self._compared = compared
        self._book = book
        self._reviewer = reviewer
        self._swapped = file.editions == (compared.right.id, compared.left.id)
        self._rows: Mapping[str, ReviewableRow] = {row.id: row for row in compared.rows}
        self._marks: Marks = marked_rows(compared.rows, compared.left, compared.right, book)
        self._faults = [ImportFault(*fault) for fault in file.faults]
        self._taken: dict[str, Review] = {}
        self._places: dict[str, str] = {}

    def result(self) -> TakenReviews:
        unchanged = 0
        unnamed = []
        for found in self._found():
            fields = self._fields(found.line)
            present = found.present
            if (
                fields.stamp == found.line.stamp
                or fields[::2] == present[::2]
                or self._says_nothing(fields, found)
            ):
                unchanged += 1
            elif present.stamp != found.line.stamp:
                self._fault(
                    found.line,
                    f"has been changed here since the file was written: {_said(present)}; not taken",
                )
            elif not fields.reviewer:
                unnamed.append(found.line.place)
            else:
                self._take(found, fields)
        if unnamed:
            more = f" and {len(unnamed) - 1} more" if len(unnamed) > 1 else ""
            raise UnreadableReviews(
                f"nobody says who reviewed {unnamed[0]}{more}; name a reviewer. Nothing was taken"
            )
        return TakenReviews(tuple(self._taken.values()), unchanged, tuple(self._faults))

    def _found(self) -> Iterator[_Found]:
        for line in self._file.lines:
            row = self._rows.get(line.id) or self._rows.get(line.key)
            if row is not None:
                altered = self._altered(line, row)
                if line.proposal and "source" not in altered:
                    self._fault(
                        line,
                        "proposes another translation, which is taken as a note; what is printed stays",
                    )
                elif altered:
                    self._fault(
                        line,
                        f"has another quotation than the rulebook ({', '.join(altered)}); not taken",
                    )
                    continue
                yield _Found(line, row, fields_of(row, self._marks.get(row.key)))
            elif all(self._file.editions) and self._is_whole(line):
                review = self._book.reviews.get(line.key)
                said = (
                    ReviewFields(review.state, review.reviewer, review.note)
                    if review
                    else default_fields(line.texts)
                )
                yield _Found(line, None, said)
            else:
                self._fault(
                    line,
                    "is not in this comparison, and its words are not those it was written with; not taken",
                )

    def _altered(self, line: FileLine, row: ReviewableRow) -> tuple[str, ...]:
        """Return the sides of ``line`` that do not say what ``row`` does."""
        if line.altered is not None:
            return line.altered
        texts = line.texts[::-1] if self._swapped else line.texts
        pairs = zip((self._compared.left, self._compared.right), texts, row.texts, strict=True)
        return tuple(
            edition.id
            for edition, text, printed in pairs
            if not same_text(text, printed[: len(text) if len(text) > 32_000 else None])
        )

    def _is_whole(self, line: FileLine) -> bool:
        """Return whether ``line``, of another version of the rulebooks, has the words that its key
        was made of.
        """
        languages = self._languages()
        return not line.altered and pair_key(line.texts, languages)[:KEY_DIGITS] == line.key

    def _languages(self) -> tuple[str, str]:
        """Return the languages of the sides of the file."""
        left, right = self._compared.left.language, self._compared.right.language
        return (
            (right, left)
            if self._swapped or self._file.editions[0].split("-")[-2:-1] == [right] != [left]
            else (left, right)
        )

    def _fields(self, line: FileLine) -> ReviewFields:
        """Return what ``line`` says, with a proposal at the end of the note, and whoever has
        reviewed.
        """
        state, name, note = line.fields
        if line.proposal:
            kept = [each for each in note.split("\n") if each and not each.startswith(PROPOSED)]
            note = "\n".join((*kept, f"{PROPOSED}{line.proposal}"))[:LONGEST_NOTE]
        changed = line.fields.stamp != line.stamp or line.proposal
        if changed and (line.altered is not None or not name):
            name = self._reviewer.name or name
        return ReviewFields(state, name, note)

    def _says_nothing(self, fields: ReviewFields, found: _Found) -> bool:
        """Return whether neither the file nor anybody here has a decision or a note: tools alter
        states that nobody has looked at.
        """
        return not (
            fields.state.done or fields.note or found.present.state.done or found.present.note
        )

    def _take(self, found: _Found, fields: ReviewFields) -> None:
        line, row = found.line, found.row
        if row is not None:
            editions, places, texts = (
                (self._compared.left, self._compared.right),
                row.places,
                row.texts,
            )
            left, right = ((edition.id, edition.language) for edition in editions)
        else:
            (left, right), places, texts = (
                zip(self._file.editions, self._languages(), strict=True),
                ("", ""),
                line.texts,
            )
        try:
            review = new_review(
                (left, right),
                places,
                texts,
                fields.state,
                Reviewer(fields.reviewer, self._reviewer.date),
                fields.note,
            )
        except ValidationError as fault:
            self._fault(
                line, f"{fault.errors(include_url=False, include_input=False)[0]['msg']}; not taken"
            )
            return
        other = self._taken.setdefault(review.key, review)
        if other == review:
            self._places.setdefault(review.key, line.place)
        else:
            self._fault(
                line,
                f"has the same words as {self._places[review.key]}, of which the file says something else; not taken",
            )

    def _fault(self, line: FileLine, why: str) -> None:
        self._faults.append(ImportFault(line.place, why))


def _said(fields: ReviewFields) -> str:
    return f"{fields.state}{f' by {fields.reviewer}' if fields.reviewer else ''}"
