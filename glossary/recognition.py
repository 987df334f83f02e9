"""Recognise terms in questions, as players write them: inflected, compounded, abbreviated,
misspelt, in any language.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from corpus.languages import FALLBACK, LANGUAGES, get_language, words_of
from glossary.aliases import Alias, AliasKind, aliases_of, strip_qualifier, verb_forms
from glossary.concepts import Concept
from glossary.normalization import (
    SHORTEST_PART,
    SpellingCorrector,
    Token,
    cuts,
    fold,
    fold_umlauts,
    stem,
    tokenize,
)
from glossary.word_tables import WordTables

# How certain a name is that is written so:
_INFLECTED = 0.88  # in another form than in the data file
MISSPELT = 0.75
_FOREIGN = 0.9  # in another language than the question's
_APART = 0.88  # as two words
_BOTH_PARTS = 0.85  # a compound is made of two names
_ONE_PART = 0.6  # one of the two parts of a compound
_CLOSE = 0.1  # a reading less certain by more than this is dropped

_UNKNOWN_STEM = ("·", 0.0)  # of a word that is in no name
_UNKNOWN_STEMS = [_UNKNOWN_STEM] * len(LANGUAGES)
_QUOTED = re.compile(r"[\"„“”«»‚‘’'](?P<inside>[^\"„“”«»\n]{1,60}?)[\"“”«»‘’'](?!\w)")
_WORDS_FOR_MEANING = words_of("questions.means")
_END = re.compile(r"[.?!;:]")
_REACH = 12  # words between a separable verb and its particle, at most
_NO_NAMES: tuple[tuple[str, ...], frozenset[str]] = ((), frozenset())
_CACHED_WORDS = 12_000  # words whose readings are cached


class _Part(NamedTuple):
    """A name found within a word, from ``start`` to ``end``."""

    start: int
    end: int
    certainty: float
    alias: Alias


class _Reading(NamedTuple):
    """The possible readings of a word of a question, without context.

    ``stems`` has for each language the stem to look for among names, with its certainty; ``names``
    are the one-word names that the word may be; ``first_of`` has the languages, by number, in which
    it begins longer names, with the length of the longest; ``verbs`` are the separable verbs it may
    be a form of, by particle.
    """

    folded: str
    plain: str
    stop_word: bool
    stems: Sequence[tuple[str, float]]
    names: Sequence[tuple[float, Alias]]
    first_of: Sequence[tuple[int, int]]
    abbreviations: Sequence[Alias]
    verbs: Sequence[tuple[str, Sequence[Alias]]]
    parts: Sequence[_Part]

    @property
    def is_relevant(self) -> bool:
        return any((self.names, self.first_of, self.abbreviations, self.verbs, self.parts))


class AliasIndex:
    """The aliases of a game's concepts, looked up by the words of a question.

    Aliases in the ``mixed`` languages are looked up in every question. Aliases in another language
    are looked up only in questions in that language, as written or inflected: French "main" (hand)
    is no part of a "main phase". In such a question, aliases in the mixed languages count only as
    written, English ones also inflected: French "se passe" is no form of Italian "passiva".
    """

    def __init__(
        self, aliases: Iterable[Alias], tables: WordTables, mixed: Sequence[str] = LANGUAGES
    ):
        self._tables = tables
        self._mixed = frozenset(mixed)
        # By language and stems, joined by blanks.
        self.patterns: dict[str, list[Alias]] = defaultdict(list)
        self.single: dict[str, list[Alias]] = defaultdict(list)
        self.symbols: dict[str, list[Alias]] = defaultdict(list)
        self._abbreviations: dict[str, list[Alias]] = defaultdict(list)
        self._verbs: dict[str, dict[str, list[Alias]]] = defaultdict(lambda: defaultdict(list))
        self._stems: dict[str, set[str]] = {language: set() for language in LANGUAGES}
        self._written: dict[str, set[str]] = {language: set() for language in LANGUAGES}
        self._language_of_word: dict[str, str] = {}
        for alias in aliases:
            self._add(alias)
            if not alias.ordinary and alias.language in self._mixed:
                self._language_of_word.update(dict.fromkeys(alias.words, alias.language))
        # Words of the longest pattern, by language and first stem.
        self._longest: dict[str, dict[str, int]] = {language: {} for language in LANGUAGES}
        for name in self.patterns:
            language, first, *more = name.split(" ")
            before = self._longest[language].get(first, 0)
            self._longest[language][first] = max(before, 1 + len(more))
        signs = "|".join(re.escape(sign) for sign in sorted(self.symbols, key=len, reverse=True))
        self.symbol_pattern = re.compile(signs) if signs else None
        self._speller = SpellingCorrector(self._language_of_word)

    def _add(self, alias: Alias) -> None:
        if alias.kind is AliasKind.SYMBOL:
            self.symbols[alias.text].append(alias)
            return
        if alias.kind is AliasKind.ABBREVIATION:
            self._abbreviations[fold(alias.text)].append(alias)
            return
        forms = [list(alias.words)]
        if len(alias.words) == 2:  # "Side Scheme" is written "Sidescheme" too
            forms.append(["".join(alias.words)])
        for words in forms:
            stems = [stem(word, alias.language) for word in words]
            self._stems[alias.language].update(stems)
            self._written[alias.language].update(map(fold, words))
            self.patterns[" ".join((alias.language, *stems))].append(alias)
        if not alias.ordinary:
            if len(alias.words) == 1 and alias.language in self._mixed:
                self.single[fold_umlauts(alias.words[0])].append(alias)
            for form, particle in verb_forms(alias):
                self._verbs[form][particle].append(alias)

    def read(self, word: str, language: str) -> _Reading:
        """Return the readings of ``word`` in a question in ``language``."""
        analysis = self._tables.analyse(word, language)
        stems = [
            _known_stem(those, self._stems[each])
            if self._may_be(analysis.folded, each, language)
            else _UNKNOWN_STEM
            for those, each in zip(analysis.stems, LANGUAGES, strict=True)
        ]
        forms = get_language(language).forms
        parts: tuple[_Part, ...] = ()
        if stems == _UNKNOWN_STEMS and not analysis.stop_word:
            if forms.links:
                parts = tuple(self._compound_parts(word, language))
            meant = None if parts or analysis.known else self._speller.nearest(word)
            if meant is not None:
                its_language = self._language_of_word[meant]
                stems[LANGUAGES.index(its_language)] = stem(meant, its_language), MISSPELT
        names: list[tuple[float, Alias]] = []
        first_of = []
        for i, (each, (its_stem, certainty)) in enumerate(zip(LANGUAGES, stems, strict=True)):
            if longest := self._longest[each].get(its_stem):
                if not analysis.stop_word or each == language:  # German "die" is no dying
                    found = [
                        alias
                        for alias in self.patterns.get(f"{each} {its_stem}", ())
                        if certainty == MISSPELT
                        or len(alias.words) > 1
                        or self._tables.are_related(word, alias.words[0], each)
                    ]
                    own = each == language
                    names += _with_certainty(found, [analysis.folded], certainty, own)
                if longest > 1:
                    first_of.append((i, longest))
        by_particle = self._verbs.get(analysis.plain, {}) if forms.particles else {}
        verbs = [
            (particle, own_verbs)
            for particle, those in by_particle.items()
            if (own_verbs := tuple(alias for alias in those if alias.language == language))
        ]
        return _Reading(
            analysis.folded,
            analysis.plain,
            analysis.stop_word,
            tuple(stems),
            tuple(names),
            tuple(first_of),
            tuple(self._abbreviations.get(analysis.folded, ())),
            tuple(verbs),
            parts,
        )

    def _may_be(self, word: str, language: str, question_language: str) -> bool:
        """Return whether the folded ``word`` of a question may be in an alias in ``language``."""
        if language == question_language:
            return True
        return language in self._mixed and (
            question_language in self._mixed
            or language == FALLBACK
            or word in self._written[language]
        )

    def _compound_parts(self, word: str, language: str) -> Iterator[_Part]:
        """Yield names within a longer word of ``language``: "Schurke" in "Schurkenaktivierung"."""
        allowed = (language, *get_language(language).forms.compounds_with)
        best: tuple[tuple[int, int], int, list[Alias], list[Alias]] | None = None
        for cut, heads, end in cuts(word, language):
            if end not in self.patterns and self.single.keys().isdisjoint(heads):
                continue
            head: list[Alias] = []
            for whole in heads:
                head = head or [a for a in self.single.get(whole, ()) if a.language in allowed]
            tail = [
                alias
                for alias in self.patterns.get(end, ())
                if not alias.ordinary and len(alias.words) == 1
            ]
            # Best are two names, then one at the end, which says what the whole is; then a longer.
            rank = (2 * bool(tail) + bool(head), len(word) - cut if tail else cut)
            if rank[0] and (best is None or rank > best[0]):
                best = (rank, cut, head, tail)
        if best is not None:
            _, cut, head, tail = best
            certainty = _BOTH_PARTS if head and tail else _ONE_PART
            yield from (_Part(0, cut, alias.certainty * certainty, alias) for alias in head)
            yield from (_Part(cut, len(word), alias.certainty * certainty, alias) for alias in tail)


def _known_stem(stems: Iterable[str], known: Container[str]) -> tuple[str, float]:
    for each in stems:
        if each in known:
            return each, _INFLECTED
    return _UNKNOWN_STEM


def _with_certainty(
    aliases: Iterable[Alias], written: list[str], certainty: float, own_language: bool
) -> Iterator[tuple[float, Alias]]:
    """Yield each of ``aliases`` with the certainty that the ``written`` words, folded, mean it; the
    certainty of their stems is ``certainty``.

    ``own_language`` says that the words are read in the question's language.
    """
    certainty *= 1 if own_language else _FOREIGN
    for alias in aliases:
        exact = written == [fold(word) for word in alias.words]
        yield alias.certainty * (certainty / _INFLECTED if exact else certainty), alias


class TermMention(NamedTuple):
    """A place in a question that names ``concept``.

    ``name`` is its name, abbreviation, slang or symbol as in the data file, in ``language``.
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
    """A name found; overlapping candidates are resolved later."""

    start: int
    end: int
    length: int  # words
    certainty: float
    alias: Alias


class _ParsedQuestion(NamedTuple):
    """A question with its words and their readings; ``relevant`` are the indices of words that may
    be part of a name.
    """

    text: str
    tokens: list[Token]
    readings: list[_Reading]
    relevant: list[int]


class TermRecogniser:
    """Recognises the terms of a game in questions. Names in a language that is not ``mixed`` are
    recognised only in questions in that language.
    """

    def __init__(
        self, concepts: Iterable[Concept], tables: WordTables, mixed: Sequence[str] = LANGUAGES
    ):
        self._concepts = {concept.id: concept for concept in concepts}
        # The two names to add to queries, and all names, folded; by concept and language.
        self._official: dict[tuple[str, str], tuple[tuple[str, ...], frozenset[str]]] = {}
        for concept in self._concepts.values():
            for language, names in concept.names.items():
                bare = tuple(map(strip_qualifier, names))
                self._official[concept.id, language] = bare[:2], frozenset(map(fold, bare))
        self.aliases = AliasIndex(
            chain.from_iterable(map(aliases_of, self._concepts.values())), tables, mixed
        )
        self._read = lru_cache(maxsize=_CACHED_WORDS)(self.aliases.read)

    def mentions(self, question: str, language: str) -> tuple[TermMention, ...]:
        """Return the concepts named in ``question``, which is in ``language``, in order of place;
        the longest name wins.
        """
        if not self._concepts:
            return ()
        tokens = tokenize(question)
        readings = [self._read(token.text, language) for token in tokens]
        relevant = [i for i, reading in enumerate(readings) if reading.is_relevant]
        parsed = _ParsedQuestion(question, tokens, readings, relevant)
        candidates = [
            *self._names(parsed, language),
            *_abbreviations(parsed),
            *self._symbols(question),
            *self._written_apart(parsed),
            *_separated_verbs(parsed),
            *_compound_parts(parsed),
        ]
        mentions = list(_select(candidates))
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
        """Return names to add to a query: the first two official names in ``language`` of each
        concept that is mentioned in other words.
        """
        added: dict[str, None] = {}
        for mention in mentions:
            official, folded = self._official.get((mention.concept, language), _NO_NAMES)
            if mention.language != language or fold(strip_qualifier(mention.name)) not in folded:
                added.update(dict.fromkeys(official))
        return list(added)

    def _names(self, parsed: _ParsedQuestion, question_language: str) -> Iterator[_Candidate]:
        """Yield names of one or several words, in any language."""
        tokens, readings = parsed.tokens, parsed.readings
        for start in parsed.relevant:
            first = readings[start]
            begin = tokens[start].start
            for certainty, alias in first.names:
                yield _Candidate(begin, tokens[start].end, 1, certainty, alias)
            for number, longest in first.first_of:
                language = LANGUAGES[number]
                name = f"{language} {first.stems[number][0]}"
                for end in range(start + 2, min(start + longest, len(readings)) + 1):
                    name += f" {readings[end - 1].stems[number][0]}"
                    if named := self.aliases.patterns.get(name):
                        words = readings[start:end]
                        sure = min(reading.stems[number][1] for reading in words)
                        written = [reading.folded for reading in words]
                        own = language == question_language
                        for certainty, alias in _with_certainty(named, written, sure, own):
                            stop = tokens[end - 1].end
                            yield _Candidate(begin, stop, end - start, certainty, alias)

    def _symbols(self, question: str) -> Iterator[_Candidate]:
        pattern = self.aliases.symbol_pattern
        for match in pattern.finditer(question) if pattern else ():
            for alias in self.aliases.symbols[match.group()]:
                yield _Candidate(match.start(), match.end(), 1, alias.certainty, alias)

    def _written_apart(self, parsed: _ParsedQuestion) -> Iterator[_Candidate]:
        """Yield one-word names that are written as two words: "Begegnungs Deck"."""
        for i, (one, other) in enumerate(pairwise(parsed.readings)):
            start, end = parsed.tokens[i].start, parsed.tokens[i + 1].end
            if end - start > 2 * SHORTEST_PART:
                for alias in self.aliases.single.get(one.plain + other.plain, ()):
                    yield _Candidate(start, end, 2, alias.certainty * _APART, alias)


def _abbreviations(parsed: _ParsedQuestion) -> Iterator[_Candidate]:
    """Yield abbreviations; one that is also a stop word of the language ("tra") only in
    capitals.
    """
    for i in parsed.relevant:
        reading, token = parsed.readings[i], parsed.tokens[i]
        in_capitals = token.text.isupper() and not parsed.text.isupper()
        if in_capitals or not reading.stop_word:
            for alias in reading.abbreviations:
                yield _Candidate(token.start, token.end, 1, 1.0 if in_capitals else 0.9, alias)


def _separated_verbs(parsed: _ParsedQuestion) -> Iterator[_Candidate]:
    """Yield separable verbs whose particle is at the end: "deckt … auf"."""
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
    """Return the spans where the question mentions words as such: in quotation marks, in capitals,
    with a question for their meaning, or alone.
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
    """Yield the mentions among ``candidates``, in order of place: the longest of overlapping ones,
    and at one place each concept that is about as certain as the best.
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
                name, language = one.alias.text, one.alias.language
                yield TermMention(start, end, concept, round(one.certainty, 3), name, language)
