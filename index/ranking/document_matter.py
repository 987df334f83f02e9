"""Whether a question asks for what rules of a game do not settle, a policy or formats, and where
passages of documents on it stand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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

ASKED_BONUS = TOTAL  # who asks for a penalty wants no rule of the game before it, however many words it shares with the question
OTHER_PENALTY = 0.4  # who asks for no penalty wants the rule of the game; only a policy that is far better comes before it
WITHOUT_DOCUMENT = 0.25  # the most confidence in an answer from the rules to a question for what another document would settle

_WORDS: Mapping[DocumentKind, str] = {
    DocumentKind.POLICY: "questions.policy",
    DocumentKind.FORMATS: "questions.formats",
}


def asked_kinds(parsed: ParsedQuestion) -> tuple[DocumentKind, ...]:
    """The kinds of documents beside the rules that one of the asking sentences of a question is
    about.
    """
    asking = " ".join(parsed.asking_sentences)
    return tuple(kind for kind in _WORDS if speaks_of(kind, asking, parsed.language))


def speaks_of(kind: DocumentKind, text: str, language: str) -> bool:
    """Whether ``text``, in ``language``, has a word for what documents of a ``kind`` beside the
    rules settle, perhaps an English one.
    """
    return pattern(kind, language).search(plain(text)) is not None


def lacking_kinds(
    parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup, best: Passage | None
) -> tuple[DocumentKind, ...]:
    """The kinds of documents that a question asks for and that ``scope`` does not have for its
    game.

    None is lacking that ``best``, the passage of the rules that settles the question, None where
    none does, speaks of itself.
    """
    languages = {edition.id: edition.language for edition in lookup.editions}
    return tuple(
        kind
        for kind in asked_kinds(parsed)
        if not _editions_of(kind, parsed, scope, lookup)
        and (
            best is None or not speaks_of(kind, best.text, languages[best.entry.partition("/")[0]])
        )
    )


def document_shift(
    parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup
) -> NDArray[np.float64] | None:
    """What is added to the scores of the passages of ``scope``, shape (len(scope.numbers),): other
    documents come first, or behind.

    None where nothing is: all of its editions are of one kind.
    """
    every = {number for run in scope.runs for number in range(*run)}
    if len({lookup.editions[number].kind for number in every}) < 2:
        return None
    asked = asked_kinds(parsed)
    others = [
        n
        for n in every
        if lookup.editions[n].kind is not DocumentKind.RULES
        and lookup.editions[n].kind not in asked
    ]
    wanted = [number for kind in asked for number in _editions_of(kind, parsed, scope, lookup)]
    edition_of = np.searchsorted(lookup.bounds, scope.numbers, side="right") - 1
    shift = np.where(np.isin(edition_of, others), -OTHER_PENALTY, 0.0)
    return np.where(np.isin(edition_of, wanted), ASKED_BONUS, shift)


def _editions_of(
    kind: DocumentKind, parsed: ParsedQuestion, scope: SearchScope, lookup: PassageLookup
) -> set[int]:
    """The numbers of the editions of ``kind`` in ``scope`` that are for what the question is
    about.
    """
    named = {
        game for game, mentions in parsed.mentions.items() if mentions and game in scope.games
    } or set(scope.games)
    numbers = (number for run in scope.runs for number in range(*run))
    return {
        n for n in numbers if lookup.editions[n].kind is kind and lookup.editions[n].game in named
    }


@cache
def pattern(kind: DocumentKind, language: str) -> re.Pattern[str]:
    """What finds a word for what documents of a ``kind`` settle in a text in ``language``,
    folded.
    """
    words = "|".join(
        any_of(_WORDS[kind], language=each) for each in dict.fromkeys((language, FALLBACK))
    )
    return re.compile(rf"\b(?:{words})\b")
