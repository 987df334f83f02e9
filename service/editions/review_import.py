"""Import returned files of reviews: read them, and decide what to accept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from corpus.formats import ZIP_MAGIC, UnreadableFile
from corpus.formats.packages import ZipPackage, parse_xml
from corpus.model import Edition
from glossary.comparison.reviews import (
    KEY_DIGITS,
    LONGEST_NOTE,
    Review,
    ReviewableRow,
    ReviewBook,
    Reviewer,
    marked_rows,
    new_review,
    pair_key,
    same_text,
)
from service.editions.exports.xliff import read_xliff
from service.editions.review_units import (
    FileLine,
    ReviewFields,
    ReviewFile,
    UnreadableReviews,
    default_fields,
    fields_of,
)

PROPOSED = "Proposed: "  # precedes a translation proposed instead of the printed one
LARGEST = 16_000_000  # bytes of a file; Marvel Champions, 1,200 units, has 1.8 million as XLIFF
LARGEST_UNPACKED = 64_000_000  # bytes of all its parts
_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


def read_review_file(raw: bytes) -> ReviewFile:
    """Return the content of ``raw``, XLIFF or XLSX. Raises `UnreadableReviews`."""
    try:
        found = _read(raw)
    except UnreadableFile as fault:
        raise UnreadableReviews(f"the file cannot be read: {fault}; nothing was taken") from fault
    counts = Counter(line.id for line in found.lines)
    if repeated := [id for id, count in counts.items() if count > 1]:
        places = ", ".join(line.place for line in found.lines if line.id == repeated[0])
        more = f" and {len(repeated) - 1} more ids" if len(repeated) > 1 else ""
        where = f"stands in several places ({places}){more}"
        raise UnreadableReviews(f"the id {repeated[0]} {where}; nothing was taken")
    return found


def _read(raw: bytes) -> ReviewFile:
    if len(raw) > LARGEST:
        most = f"more than a file of reviews can have ({LARGEST:,})"
        raise UnreadableReviews(f"the file has {len(raw):,} bytes, {most}; nothing was taken")
    if _XML_START.match(raw):
        return read_xliff(parse_xml(raw))
    if not raw.startswith(ZIP_MAGIC) or "xl/workbook.xml" not in _checked_names(ZipPackage(raw)):
        raise UnreadableReviews("the file is neither XLIFF nor XLSX; nothing was taken")
    from service.editions.exports.workbooks import read_review_rows, read_table  # loads openpyxl

    return read_table(read_review_rows(raw))


def _checked_names(package: ZipPackage) -> list[str]:
    """Return the names of the parts of ``package``. Raises `UnreadableReviews` if one is a macro,
    defines entities or is not written as office programs do.
    """
    total = 0
    names = list(package.names())
    for name in names:
        if name.lower().endswith("vbaproject.bin") or "/macros/" in f"/{name.lower()}":
            raise UnreadableReviews(
                "the file has macros; save it without them, as .xlsx. Nothing was taken"
            )
        raw = package.read(name)
        total += len(raw)
        if total > LARGEST_UNPACKED:
            raise UnreadableReviews(
                f"the file unpacks to more than {LARGEST_UNPACKED:,} bytes; nothing was taken"
            )
        if name.lower().endswith((".xml", ".rels")) and (
            not _XML_START.match(raw) or b"<!DOCTYPE" in raw or b"<!ENTITY" in raw
        ):
            raise UnreadableReviews(
                "the file has XML that no office program writes; open it and save it again. "
                "Nothing was taken"
            )
    return names


class ImportFault(NamedTuple):
    """A line of a file that was not accepted, or only in part, and why."""

    place: str
    why: str


class TakenReviews(NamedTuple):
    """The new or changed reviews of a file, the number of unchanged lines, and the lines that were
    not accepted.
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
    """Return the reviews that were changed in ``file`` and have not been changed in ``book`` since.

    ``reviewer`` is the default for reviews without a name and, in XLIFF, where tools write no
    names, for all. A passage that is not in the comparison is from another version: it is accepted
    if its words in the file are unchanged. Raises `UnreadableReviews` if a reviewer's name is
    missing.
    """
    return _Import(file, compared, book, reviewer).result()


class _Import:
    def __init__(
        self, file: ReviewFile, compared: ComparedEditions, book: ReviewBook, reviewer: Reviewer
    ):
        left, right = compared.left, compared.right
        self._file = file
        self._compared = compared
        self._book = book
        self._reviewer = reviewer
        self._swapped = file.editions == (right.id, left.id)
        # The languages of the sides of the file.
        self._languages = left.language, right.language
        if self._swapped or (
            left.language != right.language
            and file.editions[0].split("-")[-2:-1] == [right.language]
        ):
            self._languages = self._languages[::-1]
        self._rows: Mapping[str, ReviewableRow] = {row.id: row for row in compared.rows}
        self._marks = marked_rows(compared.rows, left, right, book)
        self._faults = [ImportFault(*fault) for fault in file.faults]
        self._taken: dict[str, Review] = {}
        self._places: dict[str, str] = {}

    def result(self) -> TakenReviews:
        unchanged = 0
        unnamed = []
        for line, row, present in self._found():
            fields = self._fields(line)
            # Tools also alter states of lines that nobody has reviewed.
            decided = any(each.state.done or each.note for each in (fields, present))
            if fields.stamp == line.stamp or fields[::2] == present[::2] or not decided:
                unchanged += 1
            elif present.stamp != line.stamp:
                said = f"{present.state}{f' by {present.reviewer}' if present.reviewer else ''}"
                self._fault(
                    line, f"has been changed here since the file was written: {said}; not taken"
                )
            elif not fields.reviewer:
                unnamed.append(line.place)
            else:
                self._take(line, row, fields)
        if unnamed:
            more = f" and {len(unnamed) - 1} more" if len(unnamed) > 1 else ""
            who = f"nobody says who reviewed {unnamed[0]}{more}"
            raise UnreadableReviews(f"{who}; name a reviewer. Nothing was taken")
        return TakenReviews(tuple(self._taken.values()), unchanged, tuple(self._faults))

    def _found(self) -> Iterator[tuple[FileLine, ReviewableRow | None, ReviewFields]]:
        """Yield each acceptable line with its row (None if it is from another version) and its
        present review.
        """
        for line in self._file.lines:
            if row := self._rows.get(line.id) or self._rows.get(line.key):
                altered = self._altered(line, row)
                if altered and not (line.proposal and "source" not in altered):
                    named = ", ".join(altered)
                    self._fault(
                        line, f"has another quotation than the rulebook ({named}); not taken"
                    )
                    continue
                if altered:
                    self._fault(
                        line,
                        "proposes another translation, which is taken as a note; what is printed "
                        "stays",
                    )
                yield line, row, fields_of(row, self._marks.get(row.key))
                continue
            key = pair_key(line.texts, self._languages)[:KEY_DIGITS]
            if all(self._file.editions) and not line.altered and key == line.key:
                said = default_fields(line.texts)
                if review := self._book.reviews.get(line.key):
                    said = ReviewFields(review.state, review.reviewer, review.note)
                yield line, None, said
            else:
                self._fault(
                    line,
                    "is not in this comparison, and its words are not those it was written with; "
                    "not taken",
                )

    def _altered(self, line: FileLine, row: ReviewableRow) -> tuple[str, ...]:
        """Return the sides on which ``line`` and ``row`` have different words."""
        if line.altered is not None:
            return line.altered
        texts = line.texts[::-1] if self._swapped else line.texts
        pairs = zip((self._compared.left, self._compared.right), texts, row.texts, strict=True)
        # Spreadsheets cut texts off at 32,767 characters.
        return tuple(
            edition.id
            for edition, text, printed in pairs
            if not same_text(text, printed[: len(text) if len(text) > 32_000 else None])
        )

    def _fields(self, line: FileLine) -> ReviewFields:
        """Return the review in ``line``: a proposed translation is added to the note, and a missing
        reviewer is filled in.
        """
        state, name, note = line.fields
        if line.proposal:
            kept = [each for each in note.split("\n") if each and not each.startswith(PROPOSED)]
            note = "\n".join((*kept, f"{PROPOSED}{line.proposal}"))[:LONGEST_NOTE]
        changed = line.fields.stamp != line.stamp or line.proposal
        if changed and (line.altered is not None or not name):
            name = self._reviewer.name or name
        return ReviewFields(state, name, note)

    def _take(self, line: FileLine, row: ReviewableRow | None, fields: ReviewFields) -> None:
        if row is not None:
            editions = self._compared.left, self._compared.right
            left, right = ((edition.id, edition.language) for edition in editions)
            places, texts = row.places, row.texts
        else:
            left, right = zip(self._file.editions, self._languages, strict=True)
            places, texts = ("", ""), line.texts
        by = Reviewer(fields.reviewer, self._reviewer.date)
        try:
            review = new_review((left, right), places, texts, fields.state, by, fields.note)
        except ValidationError as fault:
            why = fault.errors(include_url=False, include_input=False)[0]["msg"]
            self._fault(line, f"{why}; not taken")
            return
        if self._taken.setdefault(review.key, review) == review:
            self._places.setdefault(review.key, line.place)
        else:
            same = f"has the same words as {self._places[review.key]}"
            self._fault(line, f"{same}, of which the file says something else; not taken")

    def _fault(self, line: FileLine, why: str) -> None:
        self._faults.append(ImportFault(line.place, why))
