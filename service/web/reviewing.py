"""What people have said of differences between editions, as requests read it."""

from __future__ import annotations

import logging

from corpus.data_files import DataFileError
from glossary.comparison.reviews import NO_REVIEWS, ReviewBook
from service.ops.comparison_reviews import load_reviews
from service.web.request_context import settings

_LOG = logging.getLogger(__name__)


def book_of(game: str) -> ReviewBook:
    """Return the reviews on ``game`` in the workspace; none, with a line in the log, where their
    file is faulty.
    """
    try:
        return load_reviews(settings().home, game)
    except DataFileError as fault:
        _LOG.warning("%s; no reviews are shown", fault)
        return NO_REVIEWS
