"""Reviews of aligned rows: who has checked which difference, when, and with what decision. Rows are
identified by their text.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, StringConstraints

from corpus import letter_runs
from corpus.data_files import parsed_lines
from corpus.model import Edition, Passage
from glossary.comparison import AlignedPassages, ComparisonStatus, EditionComparison
from glossary.normalization import is_symbol
from glossary.query_variants import fingerprint
from glossary.query_variants.wording import SKETCH, letter_run_hashes, without_numbers

KEY_DIGITS = 16  # hexadecimal digits of a key


class ReviewableRow(NamedTuple):
    """A row of a comparison. ``id`` is unique in the comparison: the key, with a number if the same
    texts are aligned again.

    ``texts`` are those of both sides, empty if a side has none; ``places`` are the ids of their
    entries, without the edition.
    """

    id: str
    key: str
    status: ComparisonStatus
    texts: tuple[str, str]
    places: tuple[str, str]


def facing_rows(comparison: EditionComparison) -> tuple[ReviewableRow, ...]:
    """Return every row of ``comparison`` in order."""
    languages = comparison.left.language, comparison.right.language
    seen: Counter[str] = Counter()
    found = []
    for row in (row for pair in comparison.pairs for row in pair.rows):
        key = row_key(row, languages)
        seen[key] += 1
        id = key if seen[key] == 1 else f"{key}-{seen[key]}"
        found.append(
            ReviewableRow(id, key, row.status, row.texts, (_place(row.left), _place(row.right)))
        )
    return tuple(found)


def row_key(row: AlignedPassages, languages: tuple[str, str]) -> str:
    """Return the key of ``row``, whose sides are in ``languages``."""
    return pair_key(row.texts, languages)


def pair_key(texts: tuple[str, str], languages: tuple[str, str]) -> str:
    """Return the key of two aligned ``texts`` in either order, in hexadecimal digits."""
    sides = sorted(
        f"{language} {content(text)}" for text, language in zip(texts, languages, strict=True)
    )
    return hashlib.sha256("\n".join(sides).encode()).hexdigest()[:KEY_DIGITS]


def content(text: str) -> str:
    """Return a fingerprint of the words and symbols of ``text``; "" if there is no text.

    Ignores line breaks, case, quotation marks, bullets, the text's own number and rule numbers with
    a point.
    """
    if not text.strip():
        return ""
    plain = "\n".join(map(without_numbers, text.split("\n")))
    symbols = "".join(filter(is_symbol, plain))
    words = any(c.isalnum() for c in plain)
    return (
        fingerprint(f"{plain} {symbols.encode().hex()}")
        if words or symbols
        else hashlib.sha256(text.encode()).hexdigest()[:12]
    )


def same_text(one: str, other: str) -> bool:
    """Return whether two texts are the same except for white space, which office programs and
    translation tools alter.
    """
    return flat_text(one) == flat_text(other)


def flat_text(text: str) -> str:
    """Return ``text`` in one line, with composed letters."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _place(passages: tuple[Passage, ...]) -> str:
    return passages[0].entry.partition("/")[2] if passages else ""


LONGEST_NOTE = 2000  # characters
LONGEST_NAME = 100

_Key = Annotated[str, StringConstraints(pattern=rf"^[0-9a-f]{{{KEY_DIGITS}}}$")]


class ReviewState(StrEnum):
    """The review state of aligned passages, named as in XLIFF 2.1."""

    INITIAL = "initial"
    TRANSLATED = "translated"
    REVIEWED = "reviewed"
    FINAL = "final"

    @property
    def done(self) -> bool:
        """Whether somebody has reviewed the passages."""
        return self in (ReviewState.REVIEWED, ReviewState.FINAL)


class ReviewedSide(BaseModel):
    """The place of one side, with a fingerprint and a MinHash sketch of its text, "" if empty."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    edition: str
    language: str
    entry: str = ""
    content: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{12})?$")] = ""
    sketch: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]*$", max_length=500)] = ""

    @classmethod
    def of(cls, edition: str, language: str, entry: str, text: str) -> ReviewedSide:
        """Return the side that says ``text`` in an ``entry`` (an id without the edition)."""
        sketch = letter_runs.written(sorted(letter_run_hashes(text))[:SKETCH]) if text else ""
        return cls(
            edition=edition, language=language, entry=entry, content=content(text), sketch=sketch
        )


class Review(BaseModel):
    """A decision by a person on two aligned passages, identified by their ``key``, so that it holds
    for these words in any version.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: _Key
    left: ReviewedSide
    right: ReviewedSide
    state: ReviewState
    reviewer: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME)
    ]
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NOTE)] = ""


class Reviewer(NamedTuple):
    """Who reviews, and the day in ISO 8601."""

    name: str
    date: str


@dataclass(frozen=True, eq=False)
class ReviewBook:
    """All reviews of a game by their keys. `str` gives the hash of the file, which tells apart
    rendered files with different reviews.
    """

    reviews: Mapping[str, Review] = field(default_factory=dict)
    digest: str = ""

    def __str__(self) -> str:
        return self.digest

    @cached_property
    def languages(self) -> Mapping[tuple[str, ...], tuple[Review, ...]]:
        """The reviews by the languages of their sides, sorted."""
        found: dict[tuple[str, ...], list[Review]] = {}
        for review in self.reviews.values():
            found.setdefault(
                tuple(sorted((review.left.language, review.right.language))), []
            ).append(review)
        return {languages: tuple(each) for languages, each in found.items()}


NO_REVIEWS = ReviewBook()


def parse_reviews(text: str) -> ReviewBook:
    """Parse the reviews of a file in JSON Lines; the last line for a key counts. Raises
    `DataFileError` at the first invalid line.
    """
    found = {review.key: review for review in parsed_lines(text, Review, "review")}
    digest = hashlib.sha256(text.encode()).hexdigest()[:16] if found else ""
    return ReviewBook(found, digest)


def written_reviews(reviews: Iterable[Review]) -> str:
    """Return ``reviews`` as file content: one per line, for readable diffs, no empty fields."""
    return "".join(f"{json.dumps(_described(review), ensure_ascii=False)}\n" for review in reviews)


def new_review(
    editions: tuple[tuple[str, str], tuple[str, str]],
    places: tuple[str, str],
    texts: tuple[str, str],
    state: ReviewState,
    reviewer: Reviewer,
    note: str,
) -> Review:
    """Make the review of two ``texts`` in ``editions``, pairs of id and language. Raises
    `pydantic.ValidationError` if a field is invalid.
    """
    left, right = (
        ReviewedSide.of(*edition, place, text)
        for edition, place, text in zip(editions, places, texts, strict=True)
    )
    key = pair_key(texts, (left.language, right.language))
    return Review(
        key=key,
        left=left,
        right=right,
        state=state,
        reviewer=reviewer.name,
        date=reviewer.date,
        note=note,
    )


def _described(review: Review) -> dict[str, Any]:
    fields = review.model_dump(mode="json")
    return {
        name: {n: v for n, v in value.items() if v} if isinstance(value, dict) else value
        for name, value in fields.items()
        if value != ""
    }


LIKE = 0.3  # likeness that each side of a reworded row has at least, 0.0 to 1.0
LIKE_TOGETHER = 0.5  # mean likeness of its sides
_CANDIDATES = 20  # rows that share most with a review


class ReviewStatus(StrEnum):
    """Whether a difference still has to be reviewed."""

    OPEN = "open"
    REVIEWED = "reviewed"
    REWORDED = "reworded"  # reviewed before the wording changed, and open again


class ReviewMark(NamedTuple):
    """The review of a row; with a note but no decision, the row stays open."""

    status: ReviewStatus
    review: Review


Marks = Mapping[str, ReviewMark]
"""Marks by the keys of rows; a row without a review has none."""


class ReviewCounts(NamedTuple):
    """How many differences of a comparison are open (reworded ones included), reviewed, and
    reviewed before the wording changed.
    """

    open: int
    reviewed: int
    reworded: int


def marked_rows(
    rows: Sequence[ReviewableRow], left: Edition, right: Edition, book: ReviewBook
) -> Marks:
    """Return the marks of ``book`` for ``rows`` of the comparison of ``left`` and ``right``."""
    marks = {
        row.key: ReviewMark(
            ReviewStatus.REVIEWED if review.state.done else ReviewStatus.OPEN, review
        )
        for row in rows
        if (review := book.reviews.get(row.key))
    }
    both = book.languages.get(tuple(sorted((left.language, right.language))), ())
    lost = [
        sides
        for each in both
        if each.state.done and each.key not in marks and (sides := _in_order(each, left, right))
    ]
    return _reworded([row for row in rows if row.key not in marks], lost) | marks if lost else marks


def status_of(key: str, marks: Marks) -> ReviewStatus:
    """Return the status of the row with this ``key``."""
    mark = marks.get(key)
    return mark.status if mark else ReviewStatus.OPEN


class KeyedRow(Protocol):
    """The parts of a row that its review status depends on."""

    @property
    def key(self) -> str:
        """The key of the texts of its sides."""

    @property
    def status(self) -> ComparisonStatus:
        """Whether both sides have passages, and whether these are alike."""


def has_review_status(row: KeyedRow, marks: Marks, status: str) -> bool:
    """Return whether ``row`` has the review ``status``; open are differences that nobody has
    reviewed in their current wording.
    """
    found = status_of(row.key, marks)
    if status == ReviewStatus.OPEN:
        return row.status is not ComparisonStatus.SAME and found is not ReviewStatus.REVIEWED
    return status in ("", found)


def count_reviews(rows: Sequence[ReviewableRow], marks: Marks) -> ReviewCounts:
    """Count the open and the reviewed differences among ``rows``."""
    counts = Counter(
        status_of(row.key, marks) for row in rows if row.status is not ComparisonStatus.SAME
    )
    reworded = counts[ReviewStatus.REWORDED]
    return ReviewCounts(
        counts[ReviewStatus.OPEN] + reworded, counts[ReviewStatus.REVIEWED], reworded
    )


class _Side(NamedTuple):
    content: str
    hashes: frozenset[int]


class _OldReview(NamedTuple):
    review: Review
    sides: tuple[ReviewedSide, ...]


def _reworded(rows: Sequence[ReviewableRow], lost: Sequence[_OldReview]) -> dict[str, ReviewMark]:
    """Assign each review whose texts are gone to the most similar row, at most one per row."""
    sides = {
        row.key: tuple(
            _Side(content(text), letter_run_hashes(text) if text else frozenset())
            for text in row.texts
        )
        for row in rows
    }
    near: dict[str | int, set[str]] = defaultdict(set)  # row keys by fingerprint and hash
    for key, both in sides.items():
        for side in both:
            for name in _names(side.content, side.hashes):
                near[name].add(key)
    best: dict[str, tuple[float, Review]] = {}
    for old in lost:
        names: list[str | int] = [
            name
            for side in old.sides
            for name in _names(side.content, letter_runs.parsed(side.sketch))
        ]
        seen = Counter(key for name in names for key in near.get(name, ()))
        likeness, key = max(
            ((_likeness(old.sides, sides[key]), key) for key, _ in seen.most_common(_CANDIDATES)),
            default=(0.0, ""),
        )
        if likeness > best.get(key, (0.0,))[0]:
            best[key] = (likeness, old.review)
    return {key: ReviewMark(ReviewStatus.REWORDED, review) for key, (_, review) in best.items()}


def _names(content: str, hashes: Iterable[int]) -> list[str | int]:
    """Return the fingerprint and hashes by which a side is looked up."""
    return [*([content] if content else []), *hashes]


def _in_order(review: Review, left: Edition, right: Edition) -> _OldReview | None:
    """Return ``review`` with its sides ordered as in the comparison.

    Return None for a review of two other versions of one language: the changes from the second to
    the third version are not those from the first.
    """
    sides = review.left, review.right
    if left.language != right.language:
        return _OldReview(review, sides if review.left.language == left.language else sides[::-1])
    return (
        _OldReview(review, sides)
        if review.left.edition == left.id or review.right.edition == right.id
        else None
    )


def _likeness(old: Sequence[ReviewedSide], new: Sequence[_Side]) -> float:
    """Return the similarity of a reworded row to the reviewed one, 0.0 if it is a different row."""
    found = [
        _side_likeness(was, now)
        for was, now in zip(old, new, strict=True)
        if was.content or now.content
    ]
    if 1.0 in found:
        return sum(found)
    mean = sum(found) / len(found)
    return mean if min(found) >= LIKE and mean >= LIKE_TOGETHER else 0.0


def _side_likeness(was: ReviewedSide, now: _Side) -> float:
    """Return the resemblance of two sides, estimated from a MinHash sketch (Broder 1997)."""
    if was.content == now.content:
        return 1.0
    sketch = letter_runs.parsed(was.sketch)
    if not sketch or not now.hashes:
        return 0.0
    own = sorted(now.hashes)[:SKETCH]
    smallest = sorted({*sketch, *own})[:SKETCH]
    return sum(hash in now.hashes and hash in sketch for hash in smallest) / len(smallest)
