"""Read and change reviews of differences in the workspace, `reviews/<game>.jsonl`, from a page or
from files that reviewers send back; likewise ignored findings, `ignored/<game>.jsonl`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from corpus.data_files import parsed_file, written_lines
from corpus.dates import today
from corpus.workspace import PAIRINGS, REVIEWS
from glossary.comparison.reviews import (
    NO_REVIEWS,
    Review,
    ReviewBook,
    Reviewer,
    parse_reviews,
    written_reviews,
)
from service.editions.ignored_findings import (
    IgnoredFinding,
    IgnoredFindings,
    ignored_path,
    parse_ignored,
)
from service.editions.review_import import ComparedEditions, TakenReviews, taken_reviews
from service.editions.review_units import ReviewFile
from service.ops.workspace import change_lines


def load_reviews(home: Path | None, game: str) -> ReviewBook:
    """Return the reviews on ``game`` in the workspace ``home``; none if there is no workspace or
    no file.

    Raises `DataFileError` if the file is invalid.
    """
    if home is None:
        return NO_REVIEWS
    return parsed_file(_path(home, game), parse_reviews) or NO_REVIEWS


def reviews_stamp(home: Path | None) -> str:
    """Return a hash that changes with any file of reviews or manual pairings in the workspace
    ``home``; "" if there is none.
    """
    if home is None:
        return ""
    found = sorted(
        (str(path), stat.st_mtime_ns, stat.st_size)
        for folder in (REVIEWS, PAIRINGS)
        for path in (home / folder).glob("*.jsonl")
        for stat in [path.stat()]
    )
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16] if found else ""


def take_in_reviews(
    home: Path, game: str, file: ReviewFile, compared: ComparedEditions, reviewer: str
) -> TakenReviews:
    """Add the reviews in ``file`` on the ``compared`` editions of ``game``, dated today. Reviews
    without a name get ``reviewer``.

    Raises `NotKept`, or `UnreadableReviews` as `taken_reviews` does; nothing is written then.
    """
    taken: list[TakenReviews] = []

    def added(book: ReviewBook) -> Iterable[Review]:
        taken[:] = [taken_reviews(file, compared, book, Reviewer(reviewer, today()))]
        return taken[0].reviews

    _change(home, game, added)
    return taken[0]


def keep_ignored(home: Path, game: str, said: IgnoredFinding) -> None:
    """Record that a finding is ignored. Raises `NotKept`; nothing is written then."""
    _change_ignored(home, game, lambda known: {**known, said.key: said})


def drop_ignored(home: Path, game: str, key: str) -> bool:
    """Stop ignoring the finding with this ``key``; returns whether it was ignored. Raises
    `NotKept`.
    """
    found = []

    def changed(known: IgnoredFindings) -> IgnoredFindings:
        found.append(key in known)
        return {name: said for name, said in known.items() if name != key}

    _change_ignored(home, game, changed)
    return any(found)


def _change_ignored(
    home: Path, game: str, changed: Callable[[IgnoredFindings], IgnoredFindings]
) -> None:
    change_lines(
        home,
        ignored_path(home, game),
        parse_ignored,
        lambda known: written_lines(changed(known).values()),
    )


def _change(home: Path, game: str, added: Callable[[ReviewBook], Iterable[Review]]) -> None:
    """Add reviews under a lock; a new review of a passage replaces the old one."""

    def changed(book: ReviewBook) -> str:
        new = {review.key: review for review in added(book)}
        return written_reviews({**book.reviews, **new}.values())

    change_lines(home, _path(home, game), parse_reviews, changed)


def _path(home: Path, game: str) -> Path:
    return home.expanduser() / REVIEWS / f"{game}.jsonl"
