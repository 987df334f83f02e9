"""Terms recognised in questions, as players write them: inflected, compounded, abbreviated,
misspelt, in any language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from corpus.languages import LANGUAGES, words_of
from glossary import normalization
from glossary.alias_index import INFLECTED, AliasIndex, WordReading, with_certainty
from glossary.aliases import Alias, aliases_of, strip_qualifier
from glossary.compounds import SHORTEST
from glossary.concepts import Concept
from glossary.normalization import Token
from glossary.word_tables import WordTables

_QUOTED = re.compile(r"[\"„“”«»‚‘’'](?P<inside>[^\"„“”«»\n]{1,60}?)[\"“”«»‘’'](?!\w)")
_WORDS_FOR_MEANING = words_of("questions.means")
_END = re.compile(r"[.?!;:]")
_REACH = 12  # words between a separable verb and its particle, at most
_NO_NAMES: tuple[tuple[str, ...], frozenset[str]] = ((), frozenset())
_CACHED_WORDS = 12_000  # words whose readings are cached
_CLOSE = 0.1  # what is less sure by more than this is not what the word means


class TermMention(NamedTuple):
    """A place in a question where ``concept`` is named.

    ``name`` is its name, abbreviation, slang or symbol as the data file has it, in ``language``.
    ``certainty`` is from 0 to 1. A word that names several concepts ("Angriff" of a player, of an
    enemy) has a mention for each, all with the same span.
    """

    start: int
    end: int
    concept: str
    certainty: float
    name: str
    language: str


class _Candidate(NamedTuple):
    """A name found, before it is decided which of those that overlap are mentions."""

    start: int
    end: int
    length: int  # words
    certainty: float
    alias: Alias


class _ParsedQuestion(NamedTuple):
    """A question with its words and what they can be; ``relevant`` are the numbers of those that
    may be part of a name.
    """

    text: str
    tokens: list[Token]
    readings: list[WordReading]
    relevant: list[int]


class TermRecogniser:
    """Recognises the terms of a game in questions, names in a language that is not ``mixed`` only
    in questions in that language.
    """

    def __init__(
        self, concepts: Iterable[Concept], tables: WordTables, mixed: Sequence[str] = LANGUAGES
    ):
        self._concepts = {concept.id: concept for concept in concepts}
        self._official = {
            (concept.id, language): _official([strip_qualifier(name) for name in names])
            for concept in self._concepts.values()
            for language, names in concept.names.items()
        }
        self.aliases = AliasIndex(
            chain.from_iterable(map(aliases_of, self._concepts.values())), tables, mixed
        )
        self._read = lru_cache(maxsize=_CACHED_WORDS)(self.aliases.read)

    def mentions(self, question: str, language: str) -> tuple[TermMention, ...]:
        """The concepts named in ``question``, which is in ``language``, in order of place; the
        longest name wins a place.
        """
        if not self._concepts:
            return ()
        tokens = normalization.tokenize(question)
        read = self._read
        readings = [read(token.text, language) for token in tokens]
        parsed = _ParsedQuestion(
            question,
            tokens,
            readings,
            [i for i, reading in enumerate(readings) if reading.is_relevant],
        )
        candidates = [
            *self._names(parsed, language),
            *_abbreviations(parsed),
            *self._symbols(question),
            *self._written_apart(parsed),
            *_separated_verbs(parsed),
            *_compound_parts(parsed),
        ]
        mentions = list(_select(candidates)) if candidates else []
        if any(self._concepts[m.concept].ordinary for m in mentions):
            spans = _spans_about_words(parsed)
            mentions = [
                m
                for m in mentions
                if not self._concepts[m.concept].ordinary
                or any(a <= m.start and m.end <= b for a, b in spans)
            ]
        return tuple(mentions)

    def expansion(self, mentions: Iterable[TermMention], language: str) -> list[str]:
        """Official names in ``language`` of what is mentioned in other words, the first and the
        next, to be added to a query.
        """
        added: dict[str, None] = {}
        for mention in mentions:
            official, folded = self._official.get((mention.concept, language), _NO_NAMES)
            if (
                mention.language != language
                or normalization.fold(strip_qualifier(mention.name)) not in folded
            ):
                added.update(dict.fromkeys(official))
        return list(added)

    def _names(self, parsed: _ParsedQuestion, question_language: str) -> Iterator[_Candidate]:
        """Names of one or several words, in any language."""
        tokens, readings = parsed.tokens, parsed.readings
        for start in parsed.relevant:
            first = readings[start]
            for certainty, alias in first.names:
                yield _Candidate(tokens[start].start, tokens[start].end, 1, certainty, alias)
            for number, longest in first.first_of:
                language = LANGUAGES[number]
                name = f"{language} {first.stems[number][0]}"
                for end in range(start + 2, min(start + longest, len(readings)) + 1):
                    name += f" {readings[end - 1].stems[number][0]}"
                    if named := self.aliases.patterns.get(name):
                        words = readings[start:end]
                        sure = min(reading.stems[number][1] for reading in words)
                        written = [reading.folded for reading in words]
                        for certainty, alias in with_certainty(
                            named, written, sure, language == question_language
                        ):
                            yield _Candidate(
                                tokens[start].start,
                                tokens[end - 1].end,
                                end - start,
                                certainty,
                                alias,
                            )

    def _symbols(self, question: str) -> Iterator[_Candidate]:
        for match in (
            self.aliases.symbol_pattern.finditer(question) if self.aliases.symbol_pattern else ()
        ):
            for alias in self.aliases.symbols[match.group()]:
                yield _Candidate(match.start(), match.end(), 1, alias.certainty, alias)

    def _written_apart(self, parsed: _ParsedQuestion) -> Iterator[_Candidate]:
        """Names of one word that is written as two: "Begegnungs Deck"."""
        single = self.aliases.single
        pairs = [one.plain + other.plain for one, other in pairwise(parsed.readings)]
        if single.keys().isdisjoint(pairs):
            return
        for i, joined in enumerate(pairs):
            if named := single.get(joined):
                start, end = parsed.tokens[i].start, parsed.tokens[i + 1].end
                if end - start > 2 * SHORTEST:
                    yield from (
                        _Candidate(start, end, 2, alias.certainty * INFLECTED, alias)
                        for alias in named
                    )


def _official(names: Sequence[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Those of the official names of a concept that questions are extended by, and what all of them
    are compared by.
    """
    return tuple(names[:2]), frozenset(map(normalization.fold, names))


def _abbreviations(parsed: _ParsedQuestion) -> Iterator[_Candidate]:
    """Abbreviations. One that is also a stop word of the language ("tra") only in capitals."""
    for i in parsed.relevant:
        reading, token = parsed.readings[i], parsed.tokens[i]
        if reading.abbreviations:
            in_capitals = token.text.isupper() and not parsed.text.isupper()
            if in_capitals or not reading.stop_word:
                for alias in reading.abbreviations:
                    yield _Candidate(token.start, token.end, 1, 1.0 if in_capitals else 0.9, alias)


def _separated_verbs(parsed: _ParsedQuestion) -> Iterator[_Candidate]:
    """Separable verbs whose particle stands at the end: "deckt … auf"."""
    tokens, readings = parsed.tokens, parsed.readings
    for i in parsed.relevant:
        for particle, verbs in readings[i].verbs:
            for later in range(i + 1, min(i + 1 + _REACH, len(readings))):
                if readings[later].folded == particle and not _END.search(
                    parsed.text, tokens[i].end, tokens[later].start
                ):
                    for alias in verbs:
                        yield _Candidate(tokens[i].start, tokens[i].end, 1, alias.certainty, alias)
                    break


def _compound_parts(parsed: _ParsedQuestion) -> Iterator[_Candidate]:
    for i in parsed.relevant:
        begin = parsed.tokens[i].start
        for start, end, certainty, alias in parsed.readings[i].parts:
            yield _Candidate(begin + start, begin + end, 1, certainty, alias)


def _spans_about_words(parsed: _ParsedQuestion) -> list[tuple[int, int]]:
    """Where the question speaks of words as such: quoted, in capitals, asked what they mean, or
    alone.
    """
    tokens = parsed.tokens
    spans = [m.span("inside") for m in _QUOTED.finditer(parsed.text)]
    if not parsed.text.isupper():
        spans += [(t.start, t.end) for t in tokens if t.text.isupper() and len(t.text) > 1]
    asking = {
        i for i, reading in enumerate(parsed.readings) if reading.folded in _WORDS_FOR_MEANING
    }
    spans += [(t.start, t.end) for i, t in enumerate(tokens) if {i - 1, i + 1} & asking]
    if len(tokens) <= 2:
        spans.append((0, len(parsed.text)))
    return spans


def _select(candidates: Sequence[_Candidate]) -> Iterator[TermMention]:
    """The mentions among ``candidates``, in order of place: of overlapping ones the longest, of the
    same place the surest.
    """
    taken: dict[tuple[int, int], list[_Candidate]] = {}
    covered = 0  # a bit for every character
    for one in sorted(
        candidates, key=lambda c: (-c.length, c.start - c.end, -c.certainty, c.start)
    ):
        place = (one.start, one.end)
        if place in taken:
            taken[place].append(one)
        elif not covered & (mask := (1 << one.end) - (1 << one.start)):
            taken[place] = [one]
            covered |= mask
    for (start, end), ones in sorted(taken.items()):
        surest: dict[str, _Candidate] = {}
        for one in sorted(ones, key=lambda c: -c.certainty):
            surest.setdefault(one.alias.concept, one)
        least = max(c.certainty for c in surest.values()) - _CLOSE
        for concept, one in surest.items():
            if one.certainty >= least:
                yield TermMention(
                    start, end, concept, round(one.certainty, 3), one.alias.text, one.alias.language
                )
