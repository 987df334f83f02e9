"""Reviews of facing passages as the workspace has them: who has looked at which difference, when, and what about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from corpus import letter_runs
from corpus.data_files import DataFileError
from glossary.comparison.facing_rows import KEY_DIGITS, content, pair_key
from glossary.phrasings.wording import SKETCH, letter_run_hashes

LONGEST_NOTE = 2000  # characters
LONGEST_NAME = 100

_Key = Annotated[str, StringConstraints(pattern=rf"^[0-9a-f]{{{KEY_DIGITS}}}$")]


class ReviewState(StrEnum):
    """How far facing passages are, in the words of XLIFF 2.1."""

    INITIAL = "initial"
    TRANSLATED = "translated"
    REVIEWED = "reviewed"
    FINAL = "final"

    @property
    def done(self) -> bool:
        """Whether somebody has looked at it."""
        return self in (ReviewState.REVIEWED, ReviewState.FINAL)


class ReviewedSide(BaseModel):
    """Where one side stood, and a fingerprint and a sketch (hashes) of what it said; "" for a side that did not have it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    edition: str
    language: str
    entry: str = ""
    content: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{12})?$")] = ""
    sketch: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]*$", max_length=500)] = ""

    @classmethod
    def of(cls, edition: str, language: str, entry: str, text: str) -> ReviewedSide:
        """The side that says ``text`` in an ``entry`` (an id without the edition)."""
        sketch = letter_runs.written(sorted(letter_run_hashes(text))[:SKETCH]) if text else ""
        return cls(edition=edition, language=language, entry=entry, content=content(text), sketch=sketch)


class Review(BaseModel):
    """What somebody said of two facing passages; they are known by their ``key``, so that it holds for these words in any version."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: _Key
    left: ReviewedSide
    right: ReviewedSide
    state: ReviewState
    reviewer: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME)]
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NOTE)] = ""


class Reviewer(NamedTuple):
    """Who reviews on which day, as ISO 8601 writes it."""

    name: str
    date: str


@dataclass(frozen=True, eq=False)
class ReviewBook:
    """All reviews of a game by their keys. As text it is the hash of its file, by which rendered files with reviews are told apart."""

    reviews: Mapping[str, Review] = field(default_factory=dict)
    digest: str = ""

    def __str__(self) -> str:
        return self.digest

    @cached_property
    def languages(self) -> Mapping[tuple[str, ...], tuple[Review, ...]]:
        """The reviews by the languages of their sides, sorted."""
        found: dict[tuple[str, ...], list[Review]] = {}
        for review in self.reviews.values():
            found.setdefault(tuple(sorted((review.left.language, review.right.language))), []).append(review)
        return {languages: tuple(each) for languages, each in found.items()}


NO_REVIEWS = ReviewBook()


def parse_reviews(text: str) -> ReviewBook:
    """Return the reviews of a file in JSON Lines; of one key the last line counts. Raises `DataFileError` for the first that is none."""
    found: dict[str, Review] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            review = Review.model_validate(json.loads(line))
        except (ValueError, RecursionError) as fault:  # ValidationError is one
            raise DataFileError(f"line {number} is no review: {_reason(fault)}") from fault
        found[review.key] = review
    digest = hashlib.sha256(text.encode()).hexdigest()[:16] if found else ""
    return ReviewBook(found, digest)


def written_reviews(reviews: Iterable[Review]) -> str:
    """Return ``reviews`` as a file, one a line, empty fields left out, so that changes show line by line."""
    return "".join(f"{json.dumps(_described(review), ensure_ascii=False)}\n" for review in reviews)


def new_review(
    editions: tuple[tuple[str, str], tuple[str, str]],
    places: tuple[str, str],
    texts: tuple[str, str],
    state: ReviewState,
    reviewer: Reviewer,
    note: str,
) -> Review:
    """Return the review of two ``texts`` in ``editions``, pairs of id and language. Raises `pydantic.ValidationError`."""
    left, right = (ReviewedSide.of(*edition, place, text) for edition, place, text in zip(editions, places, texts, strict=True))
    key = pair_key(texts, (left.language, right.language))
    return Review(key=key, left=left, right=right, state=state, reviewer=reviewer.name, date=reviewer.date, note=note)


def _described(review: Review) -> dict[str, Any]:
    fields = review.model_dump(mode="json")
    return {
        name: {n: v for n, v in value.items() if v} if isinstance(value, dict) else value for name, value in fields.items() if value != ""
    }


def _reason(fault: Exception) -> str:
    if isinstance(fault, ValidationError):
        first = fault.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(fault)
