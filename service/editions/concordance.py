"""A concordance: sentences of two editions that translate each other and contain a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from index.library.library import Library
from service.answers.citations import citation_label
from service.editions.comparison import compare_in_library
from service.editions.exports.tmx import memory_units


class ConcordanceLine(NamedTuple):
    """Two sentences, or paragraphs, that translate each other, and their places."""

    left: str
    right: str
    left_place: str
    right_place: str


def find_concordance(
    library: Library, words: str, game: str | None = None
) -> Iterator[ConcordanceLine]:
    """Yield aligned sentences with ``words`` on either side, for every two editions of ``game`` (or
    of any game) in different languages.
    """
    pattern = re.compile(rf"(?<!\w){re.escape(' '.join(words.split()))}(?!\w)", re.IGNORECASE)
    for left, right in combinations(library.editions, 2):
        if (
            left.game != right.game
            or left.language == right.language
            or game not in (None, left.game)
        ):
            continue
        comparison = compare_in_library(library, left.id, right.id)
        for unit in memory_units(comparison):
            if len(unit.segments) == 1 and any(map(pattern.search, unit.texts)):
                places = [
                    citation_label(library, unit.sentences(side)[0].passage) for side in (0, 1)
                ]
                yield ConcordanceLine(*unit.texts, *places)
