"""The language that somebody wants passages in, where a game has editions in several: that of the
question, unless another is said.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from index.library.passage_lookup import PassageLookup, positions
from index.questions.prepared import SearchScope
from index.questions.question_parser import ParsedQuestion
from index.ranking.signals import LANGUAGE_BONUS

# Of 101 German and Italian questions to rulebooks in both languages that ask for passages in the
# other one, with 0.15 more 92 get one first, 85 of these the same rule; with 0.45 97 and 89, with
# more than that hardly any more. Of 220 practice questions put to a game with editions in both, all
# get a passage in their own language first (204 with `LANGUAGE_BONUS` alone), and 169 instead of
# 155 the right one.
PREFERRED_BONUS = 0.45
_NAMED = 0.85  # certainty that a question names a term


def preference_shift(
    prefer: str,
    parsed: ParsedQuestion,
    scope: SearchScope,
    lookup: PassageLookup,
    scores: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """What is added to ``scores`` for passages in the language ``prefer``, shape (len(scores),), of
    the game of the best passage.

    It stands for the preference for passages in the language of the question. Passages on a term
    that the question names, and that nothing in the language is on, count as those in it. None
    where the game has nothing in the language: a rule of another game is no translation.
    """
    if prefer not in lookup.in_language or not len(scores):
        return None
    game = lookup.edition(int(scope.numbers[int(scores.argmax())])).game
    of_game = np.array([edition.game == game for edition in lookup.editions])
    here = of_game[np.searchsorted(lookup.bounds, scope.numbers, side="right") - 1]
    preferred = here * lookup.in_language[prefer][scope.numbers]
    if not preferred.any():
        return None
    asked = (
        here * lookup.in_language[parsed.language][scope.numbers]
        if parsed.language in lookup.in_language
        else 0.0
    )
    for mention in parsed.mentions.get(game, ()):
        named = positions(scope.numbers, lookup.of_concept.numbers(f"{game}/{mention.concept}"))
        if mention.certainty >= _NAMED and not preferred[named].any():
            preferred[named] = 1.0
    return np.asarray(PREFERRED_BONUS * preferred - LANGUAGE_BONUS * asked, dtype=np.float64)
