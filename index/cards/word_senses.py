"""What the words of card texts mean: of several rules that are called by one word, the one that is
spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field, TypeAdapter

from corpus.data_files import Fields, load
from corpus.languages import get_language
from corpus.spans import Span
from glossary.aliases import strip_qualifier
from glossary.concepts import Concept
from glossary.name_finder import NameFinder
from glossary.normalization import fold, tokenize

_FILE = Path(__file__).with_name("word_senses.yaml")
_NUMBER_FOLLOWS = re.compile(r"\s*(?:\d|X\b)")
_PARAMETER = " X"  # ends the name of a rule that stands with a number: "Retaliate X"


def _ignoring_case(pattern: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(pattern.pattern, re.IGNORECASE)


_Patterns = Mapping[str, list[Annotated[re.Pattern[str], AfterValidator(_ignoring_case)]]]


class _Senses(Fields):
    """Patterns by concept: where a word does not mean it, and where it does."""

    excluded: _Patterns = Field(default={}, alias="not")
    meant: _Patterns = Field(default={})


class TermPlace(NamedTuple):
    """A place in a text that names a ``concept``."""

    concept: str
    span: Span


class _Named(NamedTuple):
    """A concept by its id, and the name of it that was found."""

    concept: str
    name: str


class TermReader:
    """Finds the terms of a ``game`` in card texts in ``language``, those of ``concepts``.

    ``entry_of`` gives the id of the entry of a concept, None where there is none: concepts with one
    entry are one.
    """

    def __init__(
        self,
        game: str,
        language: str,
        concepts: Iterable[Concept],
        entry_of: Callable[[str], str | None],
    ):
        self._finder = NameFinder(concepts, language)
        self._senses = _described().get(game, {}).get(language, _Senses())
        self._language, self._entry_of = language, entry_of

    def places(self, text: str, words: str) -> Iterator[TermPlace]:
        """The terms in ``words``, ``text`` with blanks for what is no words, in order; none where
        several rules may be meant.
        """
        meant = [(match, concept) for concept, match in _matches(self._senses.meant, text)]
        excluded = [
            (Span(*match.span()), concept)
            for concept, match in _matches(self._senses.excluded, text)
        ]
        tokens = tokenize(words)
        for first, last, concepts in self._finder.find(tokens):
            span = Span(tokens[first].start, tokens[last - 1].end)
            told = {
                concept
                for match, concept in meant
                if _is_told(match, span, concept in dict(concepts))
            }
            if len(told) == 1:
                yield TermPlace(told.pop(), span)
                continue
            barred = {
                concept
                for place, concept in excluded
                if place.start < span.end and span.start < place.end
            }
            written = words[span.start : span.end]
            named = [
                _Named(id, name)
                for id, name in concepts
                if id not in barred and not is_other_word(written, name, self._language)
            ]
            if concept := self._likeliest(
                named, written, _NUMBER_FOLLOWS.match(words, span.end) is not None
            ):
                yield TermPlace(concept, span)

    def _likeliest(self, named: Sequence[_Named], written: str, numbered: bool) -> str | None:
        """The concept that is meant by ``written``; None where several may be. ``numbered`` says
        that a number follows.
        """
        entries = {each.concept: self._entry_of(each.concept) for each in named}
        tests: tuple[Callable[[_Named], bool], ...] = (
            lambda each: entries[each.concept] is not None,
            lambda each: each.name.endswith(_PARAMETER) == numbered,
            lambda each: fold(strip_qualifier(each.name)) == fold(written),
            lambda each: fold(each.name) == fold(written),
        )
        for test in tests:
            if len({entries[each.concept] or each.concept for each in named}) > 1:
                named = [each for each in named if test(each)] or named
        return (
            named[0].concept
            if len({entries[each.concept] or each.concept for each in named}) == 1
            else None
        )


def is_other_word(written: str, name: str, language: str) -> bool:
    """Whether what is ``written`` is another word than ``name``, by its capitals: German "stern" is
    no "Stern", "MOVING" is a title.

    A verb or an adjective has a capital letter only in a heading: "betäubt" is "Betäubt".
    """
    if len(written) > 1 and written.isupper():
        return not name.isupper()
    if not get_language(language).capitalised_nouns:
        return False
    ours, theirs = tokenize(written), tokenize(strip_qualifier(name))
    if len(theirs) == 1 and theirs[0].text.endswith(get_language(language).forms.verb_name_endings):
        return False
    first = 1 if len(theirs) > 1 else 0
    return any(
        b.text[0].isupper() and a.text[0].islower()
        for a, b in zip(ours[first:], theirs[first:], strict=False)
    )


def _is_told(match: re.Match[str], span: Span, is_named: bool) -> bool:
    """Whether a pattern tells what the word at ``span`` means: one in its group ``word``, or one
    that names the concept anyway.
    """
    start, end = match.span("word" if "word" in match.re.groupindex else 0)
    return start <= span.start and span.end <= end and (is_named or "word" in match.re.groupindex)


def _matches(patterns: _Patterns, text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for concept, each in patterns.items():
        for pattern in each:
            yield from ((concept, match) for match in pattern.finditer(text))


@cache
def _described() -> dict[str, dict[str, _Senses]]:
    return load(_FILE, TypeAdapter(dict[str, dict[str, _Senses]]))
