"""What the pages show with a quoted passage: the sequence that it is a step of, and what it points at."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.model import Passage
from index.library.library import Library
from index.model import Hit, SearchResult
from service.answers.pointers import pointed_passages
from service.answers.sequences import asks_for_order, sequence_around
from service.browse.entry_view import QuotedPassage, quoted_passage


@dataclass(frozen=True)
class QuotedSequence:
    """The ``steps`` of a sequence; ``at`` is the place of the passage that it is shown with.

    ``asked`` says whether the question asks for an order; ``left_out`` steps are too far away to be shown.
    """

    steps: list[QuotedPassage]
    at: int
    asked: bool
    left_out: int


def quoted_sequence(library: Library, passage: Passage, result: SearchResult) -> QuotedSequence | None:
    """Return the sequence that ``passage`` is a step of, as a page quotes it for the question of ``result``; None where there is none."""
    found = sequence_around(library, passage)
    if found is None:
        return None
    steps = [quoted_passage(library, Hit(step, 0.0, ())) for step in found.steps]
    return QuotedSequence(steps, found.at, asks_for_order(result), found.left_out)


def quoted_targets(library: Library, hit: Hit) -> list[QuotedPassage]:
    """Return what the passage of ``hit`` points at, as a page quotes it."""
    found = pointed_passages(library, hit.passage, hit.highlights)
    return [quoted_passage(library, Hit(each.passage, 0.0, ())) for each in found]
