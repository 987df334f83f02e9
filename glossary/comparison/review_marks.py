"""Which rows of a comparison somebody has reviewed, and which had been reviewed before their wording changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from corpus import letter_runs
from corpus.model import Edition
from glossary.comparison import ComparisonStatus
from glossary.comparison.facing_rows import ReviewableRow, content
from glossary.comparison.reviews import Review, ReviewBook, ReviewedSide
from glossary.phrasings.wording import SKETCH, letter_run_hashes

LIKE = 0.3  # likeness that each side of a reworded row has at least, 0.0 to 1.0
LIKE_TOGETHER = 0.5  # mean likeness of its sides
_CANDIDATES = 20  # rows that share most with a review


class ReviewStatus(StrEnum):
    """Whether a difference still has to be looked at."""

    OPEN = "open"
    REVIEWED = "reviewed"
    REWORDED = "reworded"  # reviewed before the wording changed, and open again


class ReviewMark(NamedTuple):
    """What was said of a row; a note without a decision leaves it open."""

    status: ReviewStatus
    review: Review


Marks = Mapping[str, ReviewMark]
"""Marks by the keys of rows; a row that nobody has said anything of has none."""


class ReviewCounts(NamedTuple):
    """How many differences of a comparison are open (reworded ones included), reviewed, and reviewed before the wording changed."""

    open: int
    reviewed: int
    reworded: int


def marked_rows(rows: Sequence[ReviewableRow], left: Edition, right: Edition, book: ReviewBook) -> Marks:
    """Return what ``book`` says of ``rows``, those of the comparison of ``left`` and ``right``."""
    marks = {
        row.key: ReviewMark(ReviewStatus.REVIEWED if review.state.done else ReviewStatus.OPEN, review)
        for row in rows
        if (review := book.reviews.get(row.key))
    }
    both = book.languages.get(tuple(sorted((left.language, right.language))), ())
    lost = [sides for each in both if each.state.done and each.key not in marks and (sides := _in_order(each, left, right))]
    return _reworded([row for row in rows if row.key not in marks], lost) | marks if lost else marks


def status_of(key: str, marks: Marks) -> ReviewStatus:
    """Return the status of the row with this ``key``."""
    mark = marks.get(key)
    return mark.status if mark else ReviewStatus.OPEN


class KeyedRow(Protocol):
    """What is needed of a row to tell its review status."""

    @property
    def key(self) -> str:
        """The key of what its sides say."""

    @property
    def status(self) -> ComparisonStatus:
        """Whether both sides have it, and alike."""


def has_review_status(row: KeyedRow, marks: Marks, status: str) -> bool:
    """Return whether ``row`` has the review ``status`` that is asked for; open is what differs and nobody has reviewed as it is now."""
    found = status_of(row.key, marks)
    if status == ReviewStatus.OPEN:
        return row.status is not ComparisonStatus.SAME and found is not ReviewStatus.REVIEWED
    return status in ("", found)


def count_reviews(rows: Sequence[ReviewableRow], marks: Marks) -> ReviewCounts:
    """Return how many differences among ``rows`` are open and reviewed; rows that are the same are none."""
    counts = Counter(status_of(row.key, marks) for row in rows if row.status is not ComparisonStatus.SAME)
    reworded = counts[ReviewStatus.REWORDED]
    return ReviewCounts(counts[ReviewStatus.OPEN] + reworded, counts[ReviewStatus.REVIEWED], reworded)


class _Side(NamedTuple):
    content: str
    hashes: frozenset[int]


class _OldReview(NamedTuple):
    review: Review
    sides: tuple[ReviewedSide, ...]


def _reworded(rows: Sequence[ReviewableRow], lost: Sequence[_OldReview]) -> dict[str, ReviewMark]:
    """Tie each review whose words are gone to the row that is most like it; a row takes the one that is most like it."""
    sides = {row.key: tuple(_Side(content(text), letter_run_hashes(text) if text else frozenset()) for text in row.texts) for row in rows}
    near: dict[str | int, set[str]] = defaultdict(set)  # keys of rows by what they have
    for key, both in sides.items():
        for side in both:
            for name in _names(side.content, side.hashes):
                near[name].add(key)
    best: dict[str, tuple[float, Review]] = {}
    for old in lost:
        names: list[str | int] = [name for side in old.sides for name in _names(side.content, letter_runs.parsed(side.sketch))]
        seen = Counter(key for name in names for key in near.get(name, ()))
        likeness, key = max(((_likeness(old.sides, sides[key]), key) for key, _ in seen.most_common(_CANDIDATES)), default=(0.0, ""))
        if likeness > best.get(key, (0.0,))[0]:
            best[key] = (likeness, old.review)
    return {key: ReviewMark(ReviewStatus.REWORDED, review) for key, (_, review) in best.items()}


def _names(content: str, hashes: Iterable[int]) -> list[str | int]:
    """What a side is found by."""
    return [*([content] if content else []), *hashes]


def _in_order(review: Review, left: Edition, right: Edition) -> _OldReview | None:
    """``review`` with its sides as the comparison has them.

    None for one of two other versions of one language: what changed from the second to the third is not what changed from the first.
    """
    sides = review.left, review.right
    if left.language != right.language:
        return _OldReview(review, sides if review.left.language == left.language else sides[::-1])
    return _OldReview(review, sides) if review.left.edition == left.id or review.right.edition == right.id else None


def _likeness(old: Sequence[ReviewedSide], new: Sequence[_Side]) -> float:
    """How like a reworded row is to what was reviewed, 0.0 where it is another one."""
    found = [_side_likeness(was, now) for was, now in zip(old, new, strict=True) if was.content or now.content]
    if 1.0 in found:
        return sum(found)
    mean = sum(found) / len(found)
    return mean if min(found) >= LIKE and mean >= LIKE_TOGETHER else 0.0


def _side_likeness(was: ReviewedSide, now: _Side) -> float:
    """The resemblance of two sides, estimated from the sketch of one of them (Broder 1997)."""
    if was.content == now.content:
        return 1.0
    sketch = letter_runs.parsed(was.sketch)
    if not sketch or not now.hashes:
        return 0.0
    own = sorted(now.hashes)[:SKETCH]
    smallest = sorted({*sketch, *own})[:SKETCH]
    return sum(hash in now.hashes and hash in sketch for hash in smallest) / len(smallest)
