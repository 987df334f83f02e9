"""Numbers of a sentence compared with those of the rule that it cites."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from corpus.languages import LANGUAGES, any_of, get_language, words_of
from corpus.languages.detection import detect
from glossary.comparison.numbers import NumberRole, NumberUse, read_numbers
from glossary.normalization import fold, stem, tokenize
from service.answers.verify.omissions import decisive_places
from service.schemas.grounding import DecisiveKind

_SMALL = words_of("function_words.in_titles")
_BEFORE = 25  # characters before a number that may limit it
_BESIDE = 2  # words behind a number, else before it, that say what is counted
_LEAST_PART = (
    5  # letters of a word that another one begins with: "Handkarten" in "Handkartenanzahl"
)
_LEAST_ENDING = 3  # letters of "mal" in "einmal"
_CLAUSE = re.compile(r"[,;:.!?()–—\n](?!\d)")

_LONGEST = 1_000  # characters of a sentence; comparing many numbers with many takes long


class _Amount(NamedTuple):
    """A number, the stems of the words that say what is counted, whether it is in a condition, and
    whether others are meant too ("at most 3").
    """

    use: NumberUse
    units: frozenset[str]
    in_condition: bool
    is_limit: bool
    is_stated: bool


def differs(sentence: str, rule: str, its_language: str) -> bool:
    """Return whether ``sentence`` has a number where ``rule`` has other numbers of the same thing,
    or a limit where the rule has no number.

    What is counted is not compared across languages: there the numbers differ where none of the
    sentence is one of the rule.
    """
    if len(sentence) > _LONGEST:
        return False
    language = detect(sentence) or its_language
    said = [each for each in _amounts(sentence, language) if each.is_stated]
    printed = _amounts(rule, its_language)
    if not any(each.is_stated for each in printed):
        return any(each.is_limit and not each.in_condition for each in said)
    if language == its_language:
        return any(_contradicts(each, printed) for each in said)
    figures = [each for each in said if each.use.role is NumberRole.STATED]
    return any(each.use.value != "1" for each in figures) and not any(
        one.use.agrees(other.use) or other.is_limit for one in figures for other in printed
    )


def _contradicts(said: _Amount, printed: list[_Amount]) -> bool:
    same = [
        each
        for each in printed
        if said.in_condition == each.in_condition and _same_unit(said.units, each.units)
    ]
    return any(each.is_stated for each in same) and not any(
        said.use.agrees(each.use) or (each.is_limit and not said.is_limit) for each in same
    )


def _same_unit(some: frozenset[str], others: frozenset[str]) -> bool:
    return any(
        one == other
        or (
            len(short := min(one, other, key=len)) >= _LEAST_PART
            and max(one, other, key=len).startswith(short)
        )
        for one in some
        for other in others
    )


def _amounts(text: str, language: str) -> list[_Amount]:
    """Return the numbers of ``text`` that say how many; those of examples state nothing."""
    if language not in LANGUAGES:
        return []
    words = tokenize(text)
    counting = decisive_places(text, language, DecisiveKind.NUMBER)
    limits, condition = _limits(language), _condition(language)
    endings = [each for each in get_language(language).numbers.times if len(each) >= _LEAST_ENDING]
    examples = [match.span() for match in _examples(language).finditer(text)]
    found = []
    for use in read_numbers(text, language):
        if use.role not in (NumberRole.STATED, NumberRole.FAINT):
            continue
        start, end = use.span
        begun = max((match.end() for match in _CLAUSE.finditer(text, 0, start)), default=0)
        ended = next((match.start() for match in _CLAUSE.finditer(text, end)), len(text))
        around = [
            word
            for word in words
            if begun <= word.start < ended and word.text.casefold() not in _SMALL
        ]
        counted = [word.text for word in around if word.start >= end][:_BESIDE]
        counted = counted or [word.text for word in around if word.end <= start][-_BESIDE:]
        own = fold(text[start:end])
        counted += [each for each in endings if own.endswith(each)]
        found.append(
            _Amount(
                use,
                frozenset(stem(word, language) for word in counted),
                condition.search(text, begun, start) is not None,
                limits.search(text, max(0, start - _BEFORE), min(end + _BEFORE, ended)) is not None,
                (use.role is NumberRole.STATED or start in counting)
                and text[start - 1 : start] != "+"  # "+1", what a card adds
                and not any(a <= start < b for a, b in examples),
            )
        )
    return found


@cache
def _examples(language: str) -> re.Pattern[str]:
    words = any_of("labels.example", "labels.for_example", language=language)
    return re.compile(rf"(?<!\w){words}(?!\w)[^\n]*+", re.IGNORECASE)


@cache
def _limits(language: str) -> re.Pattern[str]:
    words = (f"numbers.{name}" for name in ("counted_before", "several", "below", "above"))
    return re.compile(rf"(?<!\w){any_of(*words, language=language)}(?!\w)", re.IGNORECASE)


@cache
def _condition(language: str) -> re.Pattern[str]:
    words = any_of("sentences.conditions", language=language)
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
