"""Whether a question asks for tournament policy, which rules of a game do not settle, and where passages of policies stand then."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from corpus.languages import FALLBACK, any_of
from corpus.model import DocumentKind, Passage
from index.analysis import plain
from index.library.passage_lookup import PassageLookup
from index.questions.prepared import SearchScope
from index.questions.question_parser import ParsedQuestion
from index.ranking.fusion import TOTAL

POLICY_BONUS = TOTAL  # who asks for a penalty wants no rule of the game before it, however many words it shares with the question
POLICY_PENALTY = 0.4  # who asks for no penalty wants the rule of the game; only a policy that is far better comes before it
WITHOUT_POLICY = 0.25  # the most confidence in an answer from the rules to a question for tournament policy


def asks_for_policy(parsed: ParsedQuestion) -> bool:
    """Whether one of the asking sentences of a question is about penalties or the procedure of tournaments."""
    return speaks_of_policy(" ".join(parsed.asking_sentences), parsed.language)


def speaks_of_policy(text: str, language: str) -> bool:
    """Whether ``text``, in ``language``, has a word for penalties or the procedure of tournaments, perhaps an English one."""
    return _pattern(language).search(plain(text)) is not None


def lacks_policy(parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup, best: Passage | None) -> bool:
    """Whether a question asks for tournament policy and ``scope`` has no policy for its game.

    It does not lack one if ``best``, the passage of the rules that settles it, None where none does, speaks of penalties itself.
    """
    if not asks_for_policy(parsed) or _policies(parsed, scope, lookup):
        return False
    languages = {edition.id: edition.language for edition in lookup.editions}
    return best is None or not speaks_of_policy(best.text, languages[best.entry.partition("/")[0]])


def policy_shift(parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup) -> NDArray[np.float64] | None:
    """What is added to the scores of the passages of ``scope``, shape (len(scope.numbers),): policies come first, or behind.

    None where nothing is: all of them are of policies, or none is.
    """
    every = {number for run in scope.runs for number in range(*run)}
    policies = {number for number in every if lookup.editions[number].kind is DocumentKind.POLICY}
    if not policies or policies == every:
        return None
    edition_of = np.searchsorted(lookup.bounds, scope.numbers, side="right") - 1
    if not asks_for_policy(parsed):
        return np.where(np.isin(edition_of, list(policies)), -POLICY_PENALTY, 0.0)
    return np.where(np.isin(edition_of, list(_policies(parsed, scope, lookup))), POLICY_BONUS, 0.0)


def _policies(parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup) -> set[int]:
    """The numbers of the editions in ``scope`` that are policies for what the question is about."""
    named = {game for game, mentions in parsed.mentions.items() if mentions and game in scope.games} or set(scope.games)
    numbers = (number for run in scope.runs for number in range(*run))
    return {n for n in numbers if lookup.editions[n].kind is DocumentKind.POLICY and lookup.editions[n].game in named}


@cache
def _pattern(language: str) -> re.Pattern[str]:
    words = "|".join(any_of("questions.policy", language=each) for each in dict.fromkeys((language, FALLBACK)))
    return re.compile(rf"\b(?:{words})\b")
