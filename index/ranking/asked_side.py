"""Whom a question is about, where a game has two sides: a rule on the player's own characters is none on the opponents'."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from index.library.library import Library
from index.questions.prepared import SearchScope
from index.questions.question_parser import ParsedQuestion, QuestionParser
from index.ranking.fusion import top

_NEAR = 0.3  # of scores up to `fusion.TOTAL`: what the passage on the asked side may be behind
_LOOKED_AT = 4  # passages


def of_asked_side(
    parsed: ParsedQuestion, scope: SearchScope, scores: NDArray[np.float64], library: Library, parser: QuestionParser
) -> list[int]:
    """Return the number of the passage to show first where the best is about the other side only, and one beside it about that asked.

    Empty elsewhere. Both passages are of one entry, whose rules for either side mostly differ in hardly any other word.
    """
    if not any(parser.sides.values()) or not len(scores):
        return []
    best, *others = top(scores, _LOOKED_AT).tolist()
    passage = library.searchable[scope.numbers[best].item()]
    edition = library.edition[library.entry[passage.entry].edition]
    asked = parser.sides_of(parsed.mentions.get(edition.game, ()), edition.game)
    shown = parser.sides_in(passage.text, edition)
    if len(asked) != 1 or not shown or asked & shown:
        return []
    for place in others:
        other = library.searchable[number := scope.numbers[place].item()]
        if other.entry == passage.entry and scores[best] - scores[place] < _NEAR and asked <= parser.sides_in(other.text, edition):
            return [number]
    return []
