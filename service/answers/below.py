"""The text shown below a quoted passage: the passages that it announces, or the rest of an entry
that was looked up.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate

from corpus.model import Passage
from index.library.library import Library
from index.model import SearchResult
from index.ranking.confidence import Settlement
from index.timing.announced import announced_by, rules_behind
from index.timing.steps import texts_of
from service.answers.chat_markup import CUT

_MOST_BYTES = 1_400  # most bytes of the rest of an entry


def read_with(
    library: Library, found: SearchResult, passage: Passage, most: int = _MOST_BYTES
) -> tuple[list[Passage], int]:
    """Return the passages to read below ``passage``, a quoted hit of ``found``, and how many bytes
    of them to show: ``most`` for the rest of an entry, no limit for announced passages.
    """
    announced, entry = announced_by(library, passage), library.entry.get(passage.entry)
    if announced or not entry or not _is_looked_up(found):
        return announced, sys.maxsize
    texts = texts_of(library, entry)
    if not texts or texts[0].id != passage.id:
        return [], most
    return texts[1:] or rules_behind(library, entry)[1], most


def _is_looked_up(found: SearchResult) -> bool:
    if found.parsed and found.parsed.look_up:
        return found.settled is Settlement.SETTLED
    return is_comparison(found)


def is_comparison(found: SearchResult) -> bool:
    """Return whether the question asks for the difference of two things, and both were found."""
    return (
        found.parsed is not None
        and found.parsed.compares
        and bool(found.parts)
        and all(part.answered for part in found.parts)
    )


def shown_of(passages: Sequence[Passage], most: int) -> Sequence[Passage]:
    """Return the first ``passages`` that together have at most ``most`` bytes."""
    sizes = accumulate(len(each.display.encode()) + 1 for each in passages)
    return passages[: sum(size <= most for size in sizes)]


def shown_text(passages: Sequence[Passage], shown: Sequence[Passage]) -> str:
    """Return the text of the passages ``shown``, with `CUT` at the end if these are not all of
    ``passages``.
    """
    more = [CUT] if len(shown) < len(passages) else []
    return "\n".join([*(each.display.strip() for each in shown), *more])
