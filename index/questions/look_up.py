"""Questions that look a name up: the name alone, or in a frame of small words such as "what is …?"
or "explain … to me".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from corpus.languages import any_of, get_language
from glossary.normalization import Token, fold, tokenize

_MOST_WORDS = 14  # of a question that looks a name up


@dataclass(frozen=True, slots=True)
class Sense:
    """One thing that a name means in a game: a concept, or, where there is none for it, an entry by
    its number in the library.

    ``entries`` are the numbers of the entries that are called so.
    """

    game: str
    concept: str | None
    entries: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LookUp:
    """A question that looks up ``name``, which means ``senses``, the likeliest first.

    ``language`` is that of the words around it, None where there are none.
    """

    name: str
    language: str | None
    senses: tuple[Sense, ...]


class FramedName(NamedTuple):
    """A part of a question that may be a name, with nothing around it but words that look it up;
    ``bare`` without such words.
    """

    name: str
    language: str | None
    bare: bool


class _Frame(NamedTuple):
    """The words around a name in one language."""

    asking: re.Pattern[str]
    allowed: re.Pattern[str]
    articles: frozenset[str]


@cache
def _frame(language: str) -> _Frame:
    asking, beside = (
        any_of(f"questions.look_ups.{name}", language=language) for name in ("asking", "beside")
    )
    return _Frame(
        re.compile(asking),
        re.compile(f"{asking}|{beside}"),
        frozenset(get_language(language).questions.look_ups.articles),
    )


def framed_names(question: str, languages: Sequence[str]) -> Iterator[FramedName]:
    """Yield what ``question``, in one of ``languages``, may look up: the names with the most words
    first, of these the longest.
    """
    tokens = tokenize(question)
    if not 0 < len(tokens) <= _MOST_WORDS:
        return
    words = [fold(token.text) for token in tokens]
    yield FramedName(_text(question, tokens, 0, len(tokens)), None, bare=True)
    for language in dict.fromkeys(languages):
        frame = _frame(language)
        allowed = [frame.allowed.fullmatch(word) is not None for word in words]
        others = [place for place, each in enumerate(allowed) if not each]
        first, last = (others[0], others[-1] + 1) if others else (len(words), 0)
        spans = [
            (start, end)
            for start in range(first + 1)
            for end in range(max(last, start + 1), len(words) + 1)
        ]
        for start, end in sorted(
            spans, key=lambda span: (span[0] - span[1], -len(_text(question, tokens, *span)))
        ):
            around = [*words[:start], *words[end:]]
            asks = any(map(frame.asking.fullmatch, around))
            if around and (asks or frame.articles.issuperset(around)):
                yield FramedName(_text(question, tokens, start, end), language, bare=not asks)


def _text(question: str, tokens: Sequence[Token], start: int, end: int) -> str:
    return question[tokens[start].start : tokens[end - 1].end]


def asks_nothing_else(question: str, languages: Sequence[str]) -> bool:
    """Whether ``question``, without the names in it, has only words of one of ``languages`` that
    stand around what is looked up.
    """
    words = [fold(token.text) for token in tokenize(question)]
    return any(
        all(_frame(language).allowed.fullmatch(word) for word in words) for language in languages
    )


def look_up(
    question: str, languages: Sequence[str], ways: Sequence[Callable[[str], tuple[Sense, ...]]]
) -> LookUp | None:
    """What ``question`` looks up; None where it asks for anything else.

    ``ways`` find the senses of a name, the surest first: the first that finds any for a possible
    name counts.
    """
    names: dict[str, FramedName] = {}
    for framed in framed_names(question, languages):
        names.setdefault(framed.name, framed)
    for find in ways:
        for name, framed in names.items():
            if senses := find(name):
                return LookUp(name, None if framed.bare else framed.language, senses)
    return None
