"""Compare numbers in running text, in figures and in words: "eine Karte" and "1 carta" are the
same, "vier" and "5" are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from corpus.blocks import Span
from corpus.languages import LANGUAGES, any_of, get_language
from glossary import normalization

_ITEM = re.compile(
    r"^(?:•|[^\S\n])*+\(?\d+(?:\.\d+)*[.)]\s", re.MULTILINE
)  # the number of a list item or a rule, which is not compared
_FIGURES = re.compile(r"(?<![\w.])(?<![^\W\d_]-)\d{1,9}(?:/\d{1,2}|[WwDd]\d{1,3})?(?!\w|\.\d)")
_GLUED = re.compile(
    r"(?<![\w.])\d{1,3}(?=[^\W\d_]{2})|[½¼¾]"
)  # "2cards" where a blank is missing; icons are often misread as fractions
_CITED = re.compile(
    r"\b(?P<first>[^\W\d_])[^\s()]{0,40},\s{0,40}$"
)  # a name and a comma: what follows is the number of a card
_INSIDE = re.compile(r"[^\W\d_,;)]\s$|[,;)]\s$")  # within a sentence
_JOINED = re.compile(
    r"\s*+(?:[,/–-]|"
    rf"{any_of('sentences.conjunctions', 'sentences.alternatives', 'references.until')})?\s*+",
    re.IGNORECASE,
)
_FRACTIONS = {"½": "1/2", "¼": "1/4", "¾": "3/4"}
_BESIDE = 40  # characters before and after a number that show its role
# "One" may be the article: it matches a "1", but if only one side has it, it is no difference.
_VALUE = {
    code: {
        **dict.fromkeys(numbers.zero, 0),
        **dict.fromkeys(numbers.one, 1),
        **{word: n for n, word in enumerate(numbers.from_two, 2)},
    }
    for code in LANGUAGES
    for numbers in (get_language(code).numbers,)
}


class NumberRole(StrEnum):
    """The role of a number in its sentence."""

    STATED = "stated"  # says how many
    FAINT = "faint"  # an article, an ordinal, "both", "double": no difference by itself
    STEP = "step"  # numbers a step, a section, a page that is pointed at
    CITED = "cited"  # numbers a card: "(Name, 32)"
    LABEL = "label"  # numbers something else: "#4"


class NumberUse(NamedTuple):
    """A number at ``span`` of a text: its ``value`` in figures, its role, and an equivalent
    statement: "more than 8" is "9 or more".
    """

    span: Span
    value: str
    role: NumberRole
    says: str = ""

    def agrees(self, other: NumberUse) -> bool:
        """Return whether both may say the same."""
        if self.says and other.says:
            return self.says == other.says
        return not {self.value, self.says or self.value}.isdisjoint(
            {other.value, other.says or other.value}
        )


class UnmatchedNumbers(NamedTuple):
    """The numbers that only one of two texts has: likely missing, or doubtful, as the other text
    may paraphrase them.
    """

    likely: tuple[tuple[NumberUse, ...], tuple[NumberUse, ...]]
    doubtful: tuple[tuple[NumberUse, ...], tuple[NumberUse, ...]]

    @property
    def sides(self) -> tuple[tuple[NumberUse, ...], tuple[NumberUse, ...]]:
        """All unmatched numbers of either side."""
        return self.likely[0] + self.doubtful[0], self.likely[1] + self.doubtful[1]


def number_words(text: str, language: str) -> Iterator[tuple[Span, int]]:
    """Yield the numbers written in words in ``text``, with their spans; an article is a 1."""
    value = _VALUE.get(language, {})
    for word in normalization.tokenize(text):
        if (folded := normalization.fold(word.text)) in value:
            yield Span(word.start, word.end), value[folded]


def read_numbers(text: str, language: str) -> list[NumberUse]:
    """Return the numbers of ``text`` in order, except its own list and rule numbers."""
    items = [match.span() for match in _ITEM.finditer(text)]
    found: list[NumberUse] = []
    for match in _FIGURES.finditer(text):
        if any(start <= match.start() < end for start, end in items):
            continue
        value = match.group().lower().replace("w", "d")
        role = _figure_role(text, match.start(), match.end(), language, found)
        found.append(
            NumberUse(Span(*match.span()), value, role, _says(text, match.start(), value, language))
        )
    found += [
        NumberUse(
            Span(*match.span()), _FRACTIONS.get(match.group(), match.group()), NumberRole.FAINT
        )
        for match in _GLUED.finditer(text)
    ]
    found += _in_words(text, language)
    return sorted(found)


def unmatched_numbers(
    text: str,
    language: str,
    other: str,
    its_language: str,
    nearby: Callable[[int, NumberUse], bool] = lambda side, use: False,
) -> UnmatchedNumbers:
    """Return the numbers that one of two corresponding texts has more often than the other.

    A number is doubtful if the other text has no unmatched number of the same role, and it is: a 1,
    since "1 card" is "the card" in another language; "2 or more", which is "several"; a zero in
    words, which is "none"; a number that the other text has, but less often; the number of a step,
    which the other may name; the number of a card; or a number for which ``nearby`` is true on its
    side, 0 (left) or 1.
    """
    uses = read_numbers(text, language), read_numbers(other, its_language)
    plural = [_patterns(code).several for code in (language, its_language)]
    over = _without_counterpart(*uses)
    sides: list[list[NumberUse]] = [[], []]
    doubtful: list[list[NumberUse]] = [[], []]
    for side in (0, 1):
        there = {use.value for use in uses[1 - side]}
        for use in over[side]:
            own = (text, other)[side]
            facing = any(each.role is use.role for each in over[1 - side])
            repeated = (
                use.value == "1"
                or use.value in there
                or (use.value == "0" and not own[use.span.start].isdigit())
            )
            weak = (
                use.role is not NumberRole.STATED
                or repeated
                or bool(plural[side].match(own, use.span.end))
            )
            doubt = (weak or nearby(side, use)) and not facing
            (doubtful if doubt else sides)[side].append(use)
    return UnmatchedNumbers(
        (tuple(sides[0]), tuple(sides[1])), (tuple(doubtful[0]), tuple(doubtful[1]))
    )


def _without_counterpart(
    left: Sequence[NumberUse], right: Sequence[NumberUse]
) -> tuple[list[NumberUse], list[NumberUse]]:
    """Return the numbers of either side that are left after pairing equal ones: first those with
    the same role and statement, last the faint ones, which are then dropped.
    """
    over = list(left), list(right)
    for exactly, same, faint in (
        (True, True, False),
        (False, True, False),
        (False, False, False),
        (False, False, True),
    ):
        for use in list(over[0]):
            for other in over[1]:
                if (
                    use.agrees(other)
                    and ((use.value, use.says) == (other.value, other.says) or not exactly)
                    and (use.role is other.role or not same)
                    and (NumberRole.FAINT in (use.role, other.role)) is faint
                ):
                    over[0].remove(use)
                    over[1].remove(other)
                    break
    return tuple([use for use in side if use.role is not NumberRole.FAINT] for side in over)  # type: ignore[return-value]


def _figure_role(
    text: str, start: int, end: int, language: str, before: Sequence[NumberUse]
) -> NumberRole:
    """Return the role of a number in figures at ``start``; ``before`` are the numbers before it."""
    last = before[-1] if before else None
    if last and last.role is NumberRole.STEP and _JOINED.fullmatch(text, last.span.end, start):
        return NumberRole.STEP
    beginning = text[max(0, start - _BESIDE) : start]
    cited = _CITED.search(beginning) if text[end : end + 1] == ")" else None
    if cited and cited["first"].isupper():
        return NumberRole.CITED
    if beginning.endswith("#"):
        return NumberRole.LABEL
    if _names_step(beginning, language):
        return NumberRole.STEP
    return NumberRole.FAINT if text[end : end + 1] in tuple("ªº°") else NumberRole.STATED


def _in_words(text: str, language: str) -> Iterator[NumberUse]:
    patterns = _patterns(language)
    idioms = [match.span() for match in patterns.idioms.finditer(text)]
    for word in normalization.tokenize(text):
        if any(start <= word.start < end for start, end in idioms):
            continue
        folded = normalization.fold(word.text)
        found = patterns.words.get(folded)
        if found is None and (
            end := next((each for each in patterns.times if folded.endswith(each)), None)
        ):
            found = patterns.words.get(folded.removesuffix(end))
        if found is None and (
            ordinal := patterns.ordinals.get(normalization.stem(word.text, language))
        ):
            found = ordinal, NumberRole.FAINT
        if found is None and patterns.double.fullmatch(folded):
            found = "2", NumberRole.FAINT
        if found is not None:
            value, role = found
            if word.text[0].isupper() and _INSIDE.search(
                text, max(0, word.start - _BESIDE), word.start
            ):
                role = NumberRole.FAINT  # part of a name: "Due Trame"
            if (
                value == "1"
                and role is NumberRole.FAINT
                and _counts(text, word.start, word.end, patterns)
            ):
                role = NumberRole.STATED
            yield NumberUse(
                Span(word.start, word.end), value, role, _says(text, word.start, value, language)
            )


def _says(text: str, start: int, value: str, language: str) -> str:
    """Return the equivalent statement for the number ``value`` at ``start``, "" for none: "fewer
    than 5" is "4 or fewer".
    """
    before = text[max(0, start - _BESIDE) : start]
    is_below = value.isdigit() and _patterns(language).below.search(before)
    if is_below or (value.isdigit() and _patterns(language).above.search(before)):
        return str(int(value) - 1 if is_below else int(value) + 1)
    return ""


def _counts(text: str, start: int, end: int, patterns: _NumberPatterns) -> bool:
    """Return whether the article at ``start`` is used as a number: "at least one", "one or
    more".
    """
    before = patterns.counted_before.search(text, max(0, start - _BESIDE), start)
    return bool(before or patterns.counted_after.match(text, end, end + _BESIDE))


def _names_step(text: str, language: str) -> bool:
    """Return whether ``text`` ends with a word before the number of a step, section, rule or
    page.
    """
    if _patterns(language).before_steps.search(text):
        return True
    words = normalization.tokenize(text)
    if not words or text[words[-1].end :].strip():
        return False
    return normalization.stem(words[-1].text, language) in _patterns(language).step_stems


class _NumberPatterns:
    """Patterns for the numbers of a language and the words beside them."""

    def __init__(self, language: str):
        words = get_language(language)
        numbers = words.numbers
        self.times = numbers.times
        self.words: dict[
            str, tuple[str, NumberRole]
        ] = {  # the value and the role of each word, folded, that is a number
            **dict.fromkeys(numbers.none, ("0", NumberRole.FAINT)),
            **dict.fromkeys(numbers.half, ("1/2", NumberRole.FAINT)),
            **dict.fromkeys(numbers.both, ("2", NumberRole.FAINT)),
            **{
                word: (
                    str(value),
                    NumberRole.FAINT
                    if word in (*numbers.one, *numbers.ambiguous)
                    else NumberRole.STATED,
                )
                for word, value in _VALUE.get(language, {}).items()
            },
        }
        self.ordinals = {
            normalization.stem(word, language): str(n) for n, word in enumerate(numbers.ordinals, 1)
        }
        self.double = re.compile(any_of("numbers.double", language=language))
        (
            self.idioms,
            self.several,
            self.below,
            self.above,
            self.counted_before,
            self.counted_after,
        ) = (
            re.compile(
                pattern.replace("WORDS", any_of(f"numbers.{name}", language=language)),
                re.IGNORECASE,
            )
            for name, pattern in (
                ("idioms", r"\bWORDS\b"),
                ("several", r"\sWORDS\b"),
                ("below", r"\bWORDS\s$"),
                ("above", r"\bWORDS\s$"),
                ("counted_before", r"\bWORDS\s$"),
                ("counted_after", r"\sWORDS\b"),
            )
        )
        steps = any_of(
            "sequences.step",
            "references.section",
            "references.rule",
            "references.page",
            language=language,
        )
        self.before_steps = re.compile(
            rf"\b{steps}\w?\s[\"„“”«]?(?:[^\W\d_]{{1,3}}\.?\s?)?$", re.IGNORECASE
        )
        # Words with forms that their pattern lacks: "fasi" of "fase".
        self.step_stems = {
            normalization.stem(word, language)
            for word in (*words.sequences.step, *words.references.page)
        }


@cache
def _patterns(language: str) -> _NumberPatterns:
    return _NumberPatterns(language)
