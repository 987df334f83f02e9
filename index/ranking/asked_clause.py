"""The clause of the right entry: which of several passages that are nearly as good is to be shown
first.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from corpus.languages import any_of
from corpus.model import Edition, Passage
from index.library.library import Library
from index.questions.prepared import SearchScope
from index.questions.question_parser import ParsedQuestion, QuestionParser
from index.ranking.fusion import top

# How far a passage may be behind the best one, which it is to be shown before, of scores up to
# `fusion.TOTAL`. Of 589 practice questions the three together show the right passage first for five
# more, and for none less.
_OTHER_SIDE, _INDEFINITE, _EXAMPLE = 0.3, 0.2, 0.1
_LOOKED_AT = 4  # passages


def asked_clause(
    parsed: ParsedQuestion,
    scope: SearchScope,
    scores: NDArray[np.float64],
    library: Library,
    parser: QuestionParser,
) -> list[int]:
    """Return the number of the passage to show first instead of the best one, empty where the best
    one is to stay.

    A rule on the opponents' characters gives way to one of the same entry on those whom the
    question is about; a passage that begins with "Some cards …", on what some have to do with the
    matter, to one of the same entry on the matter itself; an example to a rule.
    """
    if not len(scores):
        return []
    best, *others = top(scores, _LOOKED_AT).tolist()
    passage, edition = _passage(best, scope, library)
    asked = parser.sides_of(parsed.mentions.get(edition.game, ()), edition.game)
    shown = parser.sides_in(passage.text, edition) if len(asked) == 1 else frozenset()
    indefinite, example = is_indefinite(passage.text, edition.language), _example(edition.language)
    for place in others:
        behind = scores[best] - scores[place]
        other, its_edition = _passage(place, scope, library)
        fits = (
            (
                other.entry == passage.entry
                and behind < _OTHER_SIDE
                and shown
                and not asked & shown
                and asked <= parser.sides_in(other.text, edition)
            )
            or (
                other.entry == passage.entry
                and behind < _INDEFINITE
                and indefinite
                and not is_indefinite(other.text, edition.language)
            )
            or (
                behind < _EXAMPLE
                and example.match(passage.text)
                and not _example(its_edition.language).match(other.text)
            )
        )
        if fits:
            return [scope.numbers[place].item()]
    return []


def _passage(place: int, scope: SearchScope, library: Library) -> tuple[Passage, Edition]:
    passage = library.searchable[scope.numbers[place].item()]
    return passage, library.edition[library.entry[passage.entry].edition]


def is_indefinite(text: str, language: str) -> bool:
    """Return whether ``text`` begins with what some things have to do with its matter: "Some cards
    …".
    """
    return _indefinite(language).match(text) is not None


@cache
def _indefinite(language: str) -> re.Pattern[str]:
    return re.compile(
        rf"\A[\W\d]*+{any_of('sentences.indefinites', language=language)}\b", re.IGNORECASE
    )


@cache
def _example(language: str) -> re.Pattern[str]:
    words = any_of(
        "labels.example", "labels.for_example", "labels.example_abbreviation", language=language
    )
    return re.compile(rf"\A[\W\d]*+{words}(?!\w)", re.IGNORECASE)
