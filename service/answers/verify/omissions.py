"""Find the words that a quotation omits, and decide whether they may change its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from corpus.languages import LANGUAGES, any_of, get_language
from corpus.model import Passage, Role, Span
from corpus.sentences import sentences
from glossary.comparison.numbers import NumberRole, read_numbers
from glossary.normalization import fold
from service.answers.verify.text_index import Occurrence, PassageText, TextIndex
from service.schemas.grounding import DecisiveKind, OmissionPlace

_FROM = {
    DecisiveKind.NEGATION: ("sentences.denials", "decisive.negations"),
    DecisiveKind.EXCEPTION: (
        "sentences.exceptions",
        "sentences.limitations",
        "decisive.exceptions",
    ),
    DecisiveKind.CONDITION: ("sentences.conditions", "decisive.conditions"),
    DecisiveKind.NUMBER: ("numbers.below", "numbers.above", "decisive.numbers"),
}
_FIGURE = re.compile(r"(?<!\w)[+\-−–]?\d[\d.,/]*\d|(?<!\w)[+\-−–]?\d")


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """Return a pattern of decisive words with a group for each kind; a word of two kinds matches as
    the first.
    """
    known = language if language in LANGUAGES else None
    groups = "|".join(
        f"(?P<{kind}>{any_of(*names, language=known)})" for kind, names in _FROM.items()
    )
    return re.compile(rf"(?<!\w)(?:{groups})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=512)
def decisive_words(text: str, language: str) -> tuple[tuple[DecisiveKind, str], ...]:
    """Return the words of ``text`` that may decide a rule ("not", "except", "if", numbers), each
    once as printed, with its kind; numbers come last.

    If ``language`` has no file, the words of all languages are used.
    """
    found = [
        (DecisiveKind(str(match.lastgroup)), match.group())
        for match in _pattern(language).finditer(text)
    ]
    found += [(DecisiveKind.NUMBER, match.group()) for match in _FIGURE.finditer(text)]
    found += [(DecisiveKind.NUMBER, word) for word in _number_words(text, language)]
    return tuple(dict.fromkeys(found))


def decisive_places(text: str, language: str, kind: DecisiveKind) -> frozenset[int]:
    """Return the positions in ``text`` of decisive words of this ``kind``, not of digits."""
    return frozenset(
        match.start() for match in _pattern(language).finditer(text) if match.lastgroup == kind
    )


def _number_words(text: str, language: str) -> Iterator[str]:
    """Yield the numbers in words of ``text``, including "first" and "both", but "one" only if it is
    no article: "at least one".
    """
    if language not in LANGUAGES:
        return
    articles = get_language(language).numbers.one
    for use in read_numbers(text, language):
        word = text[use.span.start : use.span.end]
        counts = use.role is NumberRole.STATED or fold(word) not in articles
        if counts and use.value != "0" and not word[0].isdigit():
            yield word


# Most words omitted without a sign at the start of a sentence that still looks complete
_BEHEADED = 3
_CURTAILED = 1  # the same at its end, if they have a negation
_WORD = re.compile(r"[^\W_]+")
_ITEM = re.compile(
    r"(?m)^(?:[-•]|[^\S\n])*+\(?\d+(?:\.\d+)*[.)](?:\s|\Z)"
)  # the number of an item or a rule, which states no amount
_PART = re.compile(r"[,;:(–—-]\s*+")
_SIGNS = re.compile(r"[^\w]*+")
_RESTRICTIONS = (DecisiveKind.EXCEPTION, DecisiveKind.CONDITION)
_ENDS_SENTENCE = re.compile(r"[.!?…][\"'“”’»«)\]]*\Z")


@lru_cache(maxsize=256)
def _without_numbers(text: str) -> str:
    """Return ``text`` with blanks in place of the numbers of items and rules."""
    return _ITEM.sub(lambda match: re.sub(r"\S", " ", match.group()), text)


class PrintedSpan(NamedTuple):
    """A span of a passage, in its text or display."""

    text: PassageText
    span: Span

    @property
    def words(self) -> str:
        """The text of the span."""
        return self.text.text[self.span.start : self.span.end]

    @property
    def without_numbers(self) -> str:
        """The text of the span, with blanks in place of the numbers of items and rules."""
        return _without_numbers(self.text.text)[self.span.start : self.span.end]


@dataclass(frozen=True)
class Omission:
    """Printed words, as ``runs`` in printed order, that a quotation omits at ``span`` of the text.

    ``shown``: a sign ([…]) at ``span`` marks the omission. ``misses``: no sign does, and the
    quotation looks complete without the words.
    """

    place: OmissionPlace
    span: Span
    shown: bool
    runs: tuple[PrintedSpan, ...]
    language: str
    misses: bool = False

    @cached_property
    def printed(self) -> str:
        """The omitted words, with line breaks between passages."""
        return "\n".join(run.words for run in self.runs)

    @cached_property
    def decisive(self) -> tuple[tuple[DecisiveKind, str], ...]:
        """The omitted words that may change the meaning, each with its kind."""
        rules = self.runs[0].text.passage.role is not Role.LISTING
        return (
            decisive_words("\n".join(run.without_numbers for run in self.runs), self.language)
            if rules
            else ()
        )

    @property
    def is_misleading(self) -> bool:
        """Whether the omission may change the meaning of the quotation."""
        return bool(self.decisive) and (self.shown or self.misses)


@lru_cache(maxsize=256)
def _sentences(text: str) -> tuple[Span, ...]:
    return tuple(Span(start, end) for start, end in sentences(text))


def _sentence_of(text: PassageText, offset: int) -> Span:
    """Return the span of the sentence at ``offset`` of ``text``, or of the one before it."""
    found = [span for span in _sentences(text.text) if span.start <= offset]
    return found[-1] if found else Span(0, len(text.text))


def _has_words(text: PassageText, start: int, end: int) -> bool:
    return _WORD.search(text.text, start, end) is not None


def fuses_sentences(one: Occurrence, other: Occurrence) -> bool:
    """Return whether the beginning of a sentence, ``one``, is joined to the end of another,
    ``other``, to a sentence that is not printed.
    """
    ending, beginning = (
        _sentence_of(one.text, one.span.end - 1),
        _sentence_of(other.text, other.span.start),
    )
    if one.passage.id == other.passage.id and ending == beginning:
        return False
    return _has_words(one.text, one.span.end, ending.end) and _has_words(
        other.text, beginning.start, other.span.start
    )


def omission_between(
    index: TextIndex, one: Occurrence, other: Occurrence, span: Span
) -> Omission | None:
    """Return the words omitted between two runs of one entry, where the text has a sign at
    ``span``; None if there are none.
    """
    if one.passage.id == other.passage.id:
        runs = [_run(one.text, one.span.end, other.span.start)]
    else:
        between = [
            text
            for text in index.texts_of(one.passage.entry)
            if one.passage.ordinal < text.passage.ordinal < other.passage.ordinal
        ]
        runs = [
            _run(one.text, one.span.end, len(one.text.text)),
            *(_run(text, 0, len(text.text)) for text in between),
        ]
        runs.append(_run(other.text, 0, other.span.start))
    return _omission(index, one.passage, OmissionPlace.WITHIN, span, runs, shown=True)


def end_omissions(
    index: TextIndex,
    first: Occurrence,
    last: Occurrence,
    signs: tuple[Span | None, Span | None],
    quoted: Span,
    behind_it: str,
) -> list[Omission]:
    """Return the words omitted from the sentence in which the run ``first`` begins, and from the
    sentence in which the run ``last`` ends.

    ``signs`` are the places of […] before and after the words at ``quoted``, None without a sign.
    ``behind_it`` is the text after the quotation, which may paraphrase the rest of the sentence.
    """
    found = []
    begun, ended = (
        _sentence_of(first.text, first.span.start),
        _sentence_of(last.text, last.span.end - 1),
    )
    before = _run(first.text, begun.start, first.span.start)
    behind = _run(last.text, last.span.end, ended.end)
    whole_end = _ENDS_SENTENCE.search(last.text.text, last.span.start, last.span.end) is not None
    whole_start = not _WORD.search(before.without_numbers)
    misses_first = whole_end and len(_WORD.findall(before.words)) <= _BEHEADED
    language = index.language_of(last.passage)
    goes_on = _begins_restriction(behind_it, language)
    misses_last = whole_start and not goes_on and _restricts(behind.words, language)
    for place, run, sign, at, unseen in (
        (OmissionPlace.BEFORE, before, signs[0], quoted.start, misses_first),
        (OmissionPlace.BEHIND, behind, signs[1], quoted.end, misses_last),
    ):
        passage = first.passage if place is OmissionPlace.BEFORE else last.passage
        span = sign or Span(at, at)
        misses = unseen and sign is None
        if (
            omission := _omission(
                index, passage, place, span, [run], shown=sign is not None, misses=misses
            )
        ) is not None:
            found.append(omission)
    return found


def _restricts(rest: str, language: str) -> bool:
    """Return whether the ``rest`` of a sentence restricts it: a negation, a condition or exception
    at its start, or an exception after a comma.
    """
    if len(_WORD.findall(rest)) <= _CURTAILED:
        return any(kind is DecisiveKind.NEGATION for kind, _ in decisive_words(rest, language))
    if _begins_restriction(rest, language):
        return True
    parts = (_pattern(language).match(rest, sign.end()) for sign in _PART.finditer(rest))
    return any(part and part.lastgroup == DecisiveKind.EXCEPTION for part in parts)


def _begins_restriction(text: str, language: str) -> bool:
    begun = _pattern(language).match(text, _SIGNS.match(text).end())  # type: ignore[union-attr]
    return begun is not None and begun.lastgroup in _RESTRICTIONS


def _run(text: PassageText, start: int, end: int) -> PrintedSpan:
    """Return the span from ``start`` to ``end`` of ``text`` without white space at both ends."""
    words = text.text[start:end]
    start += len(words) - len(words.lstrip())
    return PrintedSpan(text, Span(start, max(start, start + len(words.strip()))))


def _omission(
    index: TextIndex,
    passage: Passage,
    place: OmissionPlace,
    span: Span,
    runs: list[PrintedSpan],
    shown: bool,
    misses: bool = False,
) -> Omission | None:
    kept = tuple(run for run in runs if _WORD.search(run.words))
    return Omission(place, span, shown, kept, index.language_of(passage), misses) if kept else None
