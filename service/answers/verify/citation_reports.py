"""Compare the citations in a text with the sentence around them: does the rule exist, is it about
the same subject, and does it have the same numbers?
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from corpus.languages import LANGUAGES, any_of, get_language, words_of
from corpus.languages.detection import detect
from corpus.model import Span
from corpus.sentences import sentences
from glossary.comparison.numbers import NumberRole, NumberUse, read_numbers
from glossary.normalization import fold, stem, tokenize
from index.layers.passages import Layer
from index.library.library import Library
from index.model import Query
from index.store.protocol import StoreUnreachable
from service.answers.sources import citation_out
from service.answers.verify.citations import (
    MOST_CITATIONS,
    MOST_NEAREST,
    CitationFinder,
    TextCitation,
)
from service.answers.verify.omissions import decisive_places
from service.core.ask import ask
from service.core.snapshot import Snapshot
from service.schemas.grounding import CitationReportOut, CitationStatus, DecisiveKind
from service.schemas.passage import CitationOut

_MOST_SEARCHES = 40  # sentences of a text that are searched for
_MOST_SHOWN = 4  # places of one citation
_LONGEST = 400  # characters of a sentence that are searched for
_LEAST_WORDS = 4  # long words of a sentence that says enough to be compared
_WORD = 3  # least letters of a long word
# A cited rule is on the subject of a sentence if it shares this much of the words that the most
# similar rule shares: whatever a search finds, or if no search is possible. Of 149 questions with
# their rules one is called unrelated, of 149 with other rules 91 % are.
_SURE_SHARE = 0.6
_LIKELY_SHARE = 0.35
_FIRST = 10  # passages found that are on the subject of a sentence
_LINES = re.compile(r"[:\s>]++")
_BEFORE = 40  # most characters between a quotation and its citation


class QuotedPlace(NamedTuple):
    """A quotation at ``span`` of the text; ``entries`` print it exactly, if any."""

    span: Span
    entries: frozenset[str]


class CitationJudge:
    """Judges the citations in ``text``; ``quoted`` are its exact quotations, ``markers`` the spans
    of its markers.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        finder: CitationFinder,
        text: str,
        quoted: Sequence[QuotedPlace],
        markers: Sequence[Span],
    ):
        self._snapshot, self._finder = snapshot, finder
        self._library: Library = snapshot.library
        self._text, self._quoted, self._markers = text, quoted, markers
        self._searches = _MOST_SEARCHES
        self._judged: dict[tuple[tuple[str, ...], str], tuple[CitationStatus, tuple[str, ...]]] = {}
        self._sentences = [Span(*each) for each in sentences(text)] or [Span(0, len(text))]
        self._starts = [each.start for each in self._sentences]

    def reports(self, cited: Sequence[TextCitation]) -> Iterator[CitationReportOut]:
        """Yield a report on each citation; none on a doubtful one that does not fit."""
        outers = sorted((*(each.outer for each in cited), *self._markers))
        for each in cited[:MOST_CITATIONS]:
            report = self._report(each, outers)
            if not (each.doubtful and (report.status is not CitationStatus.FOUND)):
                yield report

    def _report(self, cited: TextCitation, outers: Sequence[Span]) -> CitationReportOut:
        status, nearest = CitationStatus.FOUND, cited.nearest
        shared: tuple[str, ...] = ()
        if not cited.entries:
            status = CitationStatus.UNKNOWN
        elif not cited.pointer:
            beside, region = self._beside(cited, outers)
            quoted = [
                each for each in self._quoted if _is_beside(each.span, region, cited, self._text)
            ]
            if quoted:
                found = frozenset().union(*(each.entries for each in quoted))
                if not self._related_entries(cited, found):
                    status, nearest = CitationStatus.UNRELATED, tuple(sorted(found))
            elif _says_enough(beside):
                key = (cited.entries, beside)
                if key not in self._judged:
                    self._judged[key] = self._compared(cited, beside)
                status, nearest = self._judged[key]
            if not quoted and status is CitationStatus.FOUND and self._differs(cited, beside):
                status = CitationStatus.DIFFERENT_NUMBER
            shared = self._shared(cited, beside)
        return CitationReportOut(
            text=self._text[cited.span.start : cited.span.end],
            span=cited.span,
            status=status,
            shared=list(shared),
            citations=self._out(cited.entries[:_MOST_SHOWN]),
            nearest=self._out(nearest[:MOST_NEAREST]),
        )

    def _out(self, entries: Collection[str]) -> list[CitationOut]:
        known = self._library.entry
        return [citation_out(self._library, known[id]) for id in entries if id in known]

    def _beside(self, cited: TextCitation, outers: Sequence[Span]) -> tuple[str, Span]:
        """Return the citing sentence without citations, and its span. If it says little else, the
        sentence before or after it is included.
        """
        at = max(bisect_right(self._starts, cited.outer.start) - 1, 0)
        own = self._sentences[at]
        if cited.outer.start >= own.end and at + 1 < len(self._sentences):
            own = Span(own.start, max(own.end, cited.outer.end))
        before_it = self._without(Span(own.start, cited.outer.start), outers)
        behind_it = self._without(Span(min(cited.outer.end, own.end), own.end), outers)
        sign = self._text[max(cited.outer.start - 1, 0) : cited.outer.start + 1]
        begins = not tokenize(before_it) and not {"(", "["}.isdisjoint(sign)
        if _says_enough(f"{before_it} {behind_it}") and not begins:
            return f"{before_it} {behind_it}", own
        for near in (at - 1, at + 1):
            if 0 <= near < len(self._sentences):
                other = self._sentences[near]
                whole = Span(min(own.start, other.start), max(own.end, other.end))
                gap = self._text[min(own.end, other.end) : max(own.start, other.start)]
                said = self._without(other, outers)
                if gap.count("\n") <= 2 and _says_enough(said):
                    return said if begins else f"{before_it} {behind_it} {said}", whole
        return f"{before_it} {behind_it}", own

    def _without(self, span: Span, outers: Sequence[Span]) -> str:
        """Return the text at ``span`` without the citations at ``outers``."""
        found, at = "", span.start
        for start, end in outers:
            if start < span.end and end > at:
                found += self._text[at : max(at, start)] + " "
                at = max(at, min(end, span.end))
        return found + self._text[at : span.end]

    def _related_entries(self, cited: TextCitation, entries: Collection[str]) -> bool:
        """Return whether one of ``entries`` is a cited entry, is inside one, or contains one."""
        known = self._library.entry
        around = {
            each.id for id in cited.entries if id in known for each in self._library.path(known[id])
        }
        return not (cited.within | around).isdisjoint(entries)

    def _editions(self, cited: TextCitation) -> list[str]:
        return list(dict.fromkeys(self._library.entry[id].edition for id in cited.entries))

    def _shared(self, cited: TextCitation, sentence: str) -> tuple[str, ...]:
        editions = self._editions(cited)
        found = (self._finder.terms(each).shared(sentence, cited.within) for each in editions)
        return max(found, key=lambda each: each.share).words

    def _differs(self, cited: TextCitation, sentence: str) -> bool:
        """Return whether each cited rule has other numbers than ``sentence``."""
        of = self._library.passages_of
        return all(
            numbers_differ(
                sentence,
                "\n".join(
                    passage.display
                    for id in sorted(cited.within)
                    if self._library.entry[id].edition == edition
                    for passage in of.get(id, ())
                ),
                self._library.edition[edition].language,
            )
            for edition in self._editions(cited)
        )

    def _compared(
        self, cited: TextCitation, sentence: str
    ) -> tuple[CitationStatus, tuple[str, ...]]:
        """Return whether ``sentence`` is about the cited rule; if not, also the entries that it is
        likely about.
        """
        others: list[str] = []
        for edition in self._editions(cited):
            terms = self._finder.terms(edition)
            best = terms.best(sentence, MOST_NEAREST)
            own = terms.shared(sentence, cited.within).share
            share = own / best[0][1] if best else 0.0
            hits = self._hits(edition, sentence) if share < _SURE_SHARE else None
            if share >= (_SURE_SHARE if hits is not None else _LIKELY_SHARE) or (
                hits and self._related_entries(cited, hits)
            ):
                return CitationStatus.FOUND, ()
            others += [id for id, _ in best] if hits is None else hits
        return CitationStatus.UNRELATED, tuple(dict.fromkeys(others))

    def _hits(self, edition: str, sentence: str) -> list[str] | None:
        """Return the entries of the first passages that a search for ``sentence`` finds; None if no
        search is possible.
        """
        if self._searches <= 0:
            return None
        self._searches -= 1
        question = " ".join(sentence.split())[:_LONGEST]
        query = Query(question, edition=edition, k=_FIRST, layers=(Layer.RULEBOOK,))
        try:
            result = ask(self._snapshot, query, interactive=False, counted=False)
        except StoreUnreachable:
            return None
        return list(dict.fromkeys(hit.passage.entry for hit in result.ranked))


def _is_beside(quoted: Span, region: Span, cited: TextCitation, text: str) -> bool:
    """Return whether a quotation is in the citing sentence (``region``), directly before the
    citation, or in the lines after it.
    """
    if quoted.start < region.end and region.start < quoted.end:
        return True
    before = text[quoted.end : cited.outer.start]
    behind = text[cited.outer.end : quoted.start]
    return (0 <= cited.outer.start - quoted.end <= _BEFORE and "\n\n" not in before) or (
        quoted.start - cited.outer.end >= 0 and not _LINES.sub("", behind)
    )


def _says_enough(sentence: str) -> bool:
    words = {word.text.casefold() for word in tokenize(sentence) if len(word.text) >= _WORD}
    return len(words) >= _LEAST_WORDS


_SMALL = words_of("function_words.in_titles")
_BEFORE_NUMBER = 25  # characters beside a number that may limit it ("at most")
_BESIDE = 2  # words after a number, or before it, that say what is counted
_LEAST_PART = 5  # letters of a word that begins another word: "Handkarten" in "Handkartenanzahl"
_LEAST_ENDING = 3  # letters of "mal" in "einmal"
_CLAUSE = re.compile(r"[,;:.!?()–—\n](?!\d)")

_LONGEST_SAID = 1_000  # characters of a sentence; comparing many numbers takes long


class _Amount(NamedTuple):
    """A number in a text: the stems of the words for the thing counted (``units``), whether it is
    in a condition, whether it is a limit ("at most 3"), and whether it states an amount for sure.
    """

    use: NumberUse
    units: frozenset[str]
    in_condition: bool
    is_limit: bool
    is_stated: bool


def numbers_differ(sentence: str, rule: str, its_language: str) -> bool:
    """Return whether ``sentence`` has a number and ``rule`` has only other numbers of the same
    thing, or whether ``sentence`` has a limit and ``rule`` no number.

    Things counted are not compared between languages: then numbers differ if the sentence has none
    of the rule's.
    """
    if len(sentence) > _LONGEST_SAID:
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
    """Return the numbers of ``text`` that may state an amount."""
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
                limits.search(
                    text, max(0, start - _BEFORE_NUMBER), min(end + _BEFORE_NUMBER, ended)
                )
                is not None,
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
