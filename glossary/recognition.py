"""Terms recognised in questions, as players write them: inflected, compounded, abbreviated, misspelt, in any language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from corpus.languages import LANGUAGES, get_language, words_of
from glossary import normalization
from glossary.aliases import Alias, Sort, aliases, unqualified, verb_forms
from glossary.compounds import SHORTEST, cuts, seen
from glossary.concepts import Concept
from glossary.fuzzy import Speller
from glossary.memo import remember
from glossary.normalization import Word

_NOTHING = "·"  # stands for every word that no name has
_QUOTED = re.compile(r"[\"„“”«»‚‘’'](?P<inside>[^\"„“”«»\n]{1,60}?)[\"“”«»‘’'](?!\w)")
_ASKS = words_of("questions.means")
_END = re.compile(r"[.?!;:]")
_REACH = 12  # words between a separable verb and its particle, at most
_INFLECTED = 0.88  # certainty of a name in another form than it is kept in
_MISSPELT = 0.75
_FOREIGN = 0.9  # certainty of a name in another language than the question's
_NO_STEM = (_NOTHING, 0.0)
_NO_STEMS = [_NO_STEM] * len(LANGUAGES)
_NO_NAMES: tuple[tuple[str, ...], frozenset[str]] = ((), frozenset())
_READ_LATELY = 4_000  # words of a language
_CLOSE = 0.1  # what is less sure by more than this is not what the word means


class Mention(NamedTuple):
    """A place in a question where ``concept`` is named.

    ``name`` is its name, abbreviation, slang or symbol as kept, in ``language``. ``certainty`` is from 0 to 1. A word that
    names several concepts ("Angriff" of a player, of an enemy) has a mention for each, all with the same span.
    """

    start: int
    end: int
    concept: str
    certainty: float
    name: str
    language: str


class _Found(NamedTuple):
    """A name found, before it is decided which of those that overlap hold."""

    start: int
    end: int
    length: int  # words
    certainty: float
    alias: Alias


class _Reading(NamedTuple):
    """What one word may be, whatever stands around it: worked out once for each word and language of a question."""

    folded: str
    plain: str
    stems: tuple[tuple[str, float], ...]  # by language: the stem that names have for it, and how sure that is
    alone: tuple[tuple[float, Alias], ...]  # names of one word that it is, and how sure that is
    begins: tuple[tuple[int, int], ...]  # languages, by number, in which it begins longer names, and the words of the longest
    short: tuple[Alias, ...]  # abbreviations that it is
    small: bool  # a stop word
    verbs: tuple[tuple[str, tuple[Alias, ...]], ...]  # separable verbs it may be a form of, by particle
    parts: tuple[tuple[int, int, float, Alias], ...]  # names that are part of it, with their place in it and certainty
    means: bool  # any of these


class Recogniser:
    """Recognises the terms of a game in questions."""

    def __init__(self, concepts: Iterable[Concept]):
        self._concepts = {concept.id: concept for concept in concepts}
        self._official = {
            (concept.id, language): _official([unqualified(name) for name in names])
            for concept in self._concepts.values()
            for language, names in concept.names.items()
        }
        self._patterns: dict[str, list[Alias]] = defaultdict(list)  # by language and stems, blanks between them
        self._longest: dict[str, dict[str, int]] = {language: {} for language in LANGUAGES}  # stems of a pattern, by its first
        self._single: dict[str, list[Alias]] = defaultdict(list)
        self._abbreviations: dict[str, list[Alias]] = defaultdict(list)
        self._symbols: dict[str, list[Alias]] = defaultdict(list)
        self._verbs: dict[str, dict[str, list[Alias]]] = defaultdict(lambda: defaultdict(list))
        self._stems: dict[str, set[str]] = {language: set() for language in LANGUAGES}
        known: dict[str, str] = {}
        for concept in self._concepts.values():
            for alias in aliases(concept):
                self._keep(alias)
                if not alias.ordinary:
                    known.update(dict.fromkeys(alias.words, alias.language))
        for name in self._patterns:
            language, first, *more = name.split(" ")
            self._longest[language][first] = max(self._longest[language].get(first, 0), 1 + len(more))
        sign = "|".join(re.escape(s) for s in sorted(self._symbols, key=len, reverse=True))
        self._sign = re.compile(sign) if sign else None
        self._speller = Speller(known)
        self._language = known
        self._lately: dict[str, dict[str, _Reading]] = {language: {} for language in LANGUAGES}

    def _keep(self, alias: Alias) -> None:
        if alias.sort is Sort.SYMBOL:
            self._symbols[alias.text].append(alias)
            return
        if alias.sort is Sort.ABBREVIATION:
            self._abbreviations[normalization.fold(alias.text)].append(alias)
            return
        stems = [normalization.stem(word, alias.language) for word in alias.words]
        self._stems[alias.language].update(stems)
        self._patterns[" ".join((alias.language, *stems))].append(alias)
        if len(stems) == 2:  # "Side Scheme" is written "Sidescheme" too
            joined = normalization.stem("".join(alias.words), alias.language)
            self._stems[alias.language].add(joined)
            self._patterns[f"{alias.language} {joined}"].append(alias)
        if len(stems) == 1 and not alias.ordinary:
            self._single[normalization.plain(alias.words[0])].append(alias)
        if not alias.ordinary:
            for form, particle in verb_forms(alias):
                self._verbs[form][particle].append(alias)

    def mentions(self, question: str, language: str) -> tuple[Mention, ...]:
        """The concepts named in ``question``, which is in ``language``, in order of place; the longest name wins a place."""
        if not self._concepts:
            return ()
        tokens = normalization.words(question)
        lately = self._lately[language]
        read = [lately.get(text) or remember(lately, text, self._read(text, language), _READ_LATELY) for text, _, _ in tokens]
        telling = [(i, reading) for i, reading in enumerate(read) if reading.means]
        found = [
            *self._phrases(tokens, read, telling, language),
            *_short(tokens, telling, question),
            *self._signs(question),
            *self._joined(tokens, read),
            *_parted(tokens, read, telling, question),
        ]
        for i, reading in telling:
            begin = tokens[i].start
            found += [_Found(begin + a, begin + b, 1, sure, alias) for a, b, sure, alias in reading.parts]
        held = list(_held(found)) if found else []
        if any(self._concepts[m.concept].ordinary for m in held):
            meant = _meant(question, tokens, read)
            held = [m for m in held if not self._concepts[m.concept].ordinary or any(a <= m.start and m.end <= b for a, b in meant)]
        return tuple(held)

    def expansion(self, mentions: Iterable[Mention], language: str) -> list[str]:
        """Official names in ``language`` of what is mentioned in other words, the first and the next, to be added to a query."""
        added: dict[str, None] = {}
        for mention in mentions:
            official, folded = self._official.get((mention.concept, language), _NO_NAMES)
            if mention.language != language or normalization.fold(unqualified(mention.name)) not in folded:
                added.update(dict.fromkeys(official))
        return list(added)

    def _phrases(
        self, tokens: Sequence[Word], read: Sequence[_Reading], telling: Sequence[tuple[int, _Reading]], spoken: str
    ) -> Iterator[_Found]:
        """Names of one or several words, in any language."""
        for start, first in telling:
            for certainty, alias in first.alone:
                yield _Found(tokens[start].start, tokens[start].end, 1, certainty, alias)
            for i, longest in first.begins:
                name = f"{LANGUAGES[i]} {first.stems[i][0]}"
                for end in range(start + 2, min(start + longest, len(read)) + 1):
                    name += f" {read[end - 1].stems[i][0]}"
                    if named := self._patterns.get(name):
                        span = tokens[start].start, tokens[end - 1].end
                        for certainty, alias in _named(named, read[start:end], i, spoken):
                            yield _Found(*span, end - start, certainty, alias)

    def _read(self, word: str, spoken: str) -> _Reading:
        told = seen(word, spoken)
        stems = [_stem(those, self._stems[language]) for those, language in zip(told.stems, LANGUAGES, strict=True)]
        parts: tuple[tuple[int, int, float, Alias], ...] = ()
        if stems == _NO_STEMS and not told.small:
            parts = tuple(self._parts(word, spoken)) if get_language(spoken).forms.links else ()
            meant = None if parts or told.known else self._speller.nearest(word)
            if meant is not None:
                language = self._language[meant]
                stems[LANGUAGES.index(language)] = (normalization.stem(meant, language), _MISSPELT)
        alone: list[tuple[float, Alias]] = []
        begins = []
        for i, (language, (stem, sure)) in enumerate(zip(LANGUAGES, stems, strict=True)) if stems != _NO_STEMS else ():
            if longest := self._longest[language].get(stem):
                if not told.small or language == spoken:  # German "die" is no dying
                    alone += _certain(self._patterns.get(f"{language} {stem}", ()), [told.folded], sure, language == spoken)
                if longest > 1:
                    begins.append((i, longest))
        short = tuple(self._abbreviations.get(told.folded, ()))
        verbs = self._verbs.get(told.plain, {}) if get_language(spoken).forms.particles else {}
        called = tuple((p, own) for p, those in verbs.items() if (own := tuple(a for a in those if a.language == spoken)))
        means = bool(alone or begins or short or called or parts)
        return _Reading(told.folded, told.plain, tuple(stems), tuple(alone), tuple(begins), short, told.small, called, parts, means)

    def _signs(self, question: str) -> Iterator[_Found]:
        for match in self._sign.finditer(question) if self._sign else ():
            for alias in self._symbols[match.group()]:
                yield _Found(match.start(), match.end(), 1, alias.certainty, alias)

    def _joined(self, tokens: Sequence[Word], read: Sequence[_Reading]) -> Iterator[_Found]:
        """Names written apart: "Begegnungs Deck"."""
        if self._single.keys().isdisjoint([one.plain + other.plain for one, other in pairwise(read)]):
            return
        for i, (one, other) in enumerate(pairwise(read)):
            if named := self._single.get(one.plain + other.plain):
                start, end = tokens[i].start, tokens[i + 1].end
                if end - start > 2 * SHORTEST:
                    yield from (_Found(start, end, 2, alias.certainty * _INFLECTED, alias) for alias in named)

    def _parts(self, word: str, language: str) -> Iterator[tuple[int, int, float, Alias]]:
        """Names that are part of a longer word of ``language``: "Schurkenaktivierung"."""
        best: tuple[tuple[int, int], int, list[Alias], list[Alias]] | None = None
        for cut, heads, end in cuts(word, language):
            if end not in self._patterns and self._single.keys().isdisjoint(heads):
                continue
            head = next((found for whole in heads if (found := self._part_of_compound(whole, language))), [])
            tail = [alias for alias in self._patterns.get(end, ()) if not alias.ordinary and len(alias.words) == 1]
            # Best are both, then the end alone, which says what the whole is; then the longer.
            rank = (2 * bool(tail) + bool(head), len(word) - cut if tail else cut)
            if rank[0] and (best is None or rank > best[0]):
                best = (rank, cut, head, tail)
        if best is not None:
            (rank_of_both, _), cut, head, tail = best
            sure = 0.85 if rank_of_both == 3 else 0.6
            yield from ((0, cut, alias.certainty * sure, alias) for alias in head)
            yield from ((cut, len(word), alias.certainty * sure, alias) for alias in tail)

    def _part_of_compound(self, word: str, language: str) -> list[Alias]:
        """The names that ``word`` is and that may be part of a compound of ``language``."""
        allowed = (language, *get_language(language).forms.compounds_with)
        return [alias for alias in self._single.get(word, ()) if alias.language in allowed]


def _stem(stems: Iterable[str], known: Container[str]) -> tuple[str, float]:
    """That of the ``stems`` of a word which names have, whose stems are ``known``, and how sure that is."""
    for stem in stems:
        if stem in known:
            return stem, _INFLECTED
    return _NO_STEM


def _official(names: Sequence[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Those of the official names of a concept that questions are extended by, and what all of them are compared by."""
    return tuple(names[:2]), frozenset(map(normalization.fold, names))


def _named(named: Sequence[Alias], read: Sequence[_Reading], language: int, spoken: str) -> Iterator[tuple[float, Alias]]:
    """The names ``named`` of the words ``read``, which are taken for those of ``language``, and how sure each is."""
    sure = min(reading.stems[language][1] for reading in read)
    return _certain(named, [reading.folded for reading in read], sure, LANGUAGES[language] == spoken)


def _certain(named: Sequence[Alias], written: list[str], sure: float, spoken: bool) -> Iterator[tuple[float, Alias]]:
    """How sure each of the names ``named`` is where there is ``written`` something whose stems are ``sure``."""
    sure *= 1 if spoken else _FOREIGN
    for alias in named:
        exact = written == [normalization.fold(word) for word in alias.words]
        yield alias.certainty * (sure / _INFLECTED if exact else sure), alias


def _short(tokens: Sequence[Word], telling: Sequence[tuple[int, _Reading]], question: str) -> Iterator[_Found]:
    """Abbreviations. One that is also a small word of the language ("tra") only in capitals."""
    for i, reading in telling:
        if reading.short:
            loud = tokens[i].text.isupper() and not question.isupper()
            if loud or not reading.small:
                for alias in reading.short:
                    yield _Found(tokens[i].start, tokens[i].end, 1, 1.0 if loud else 0.9, alias)


def _parted(tokens: Sequence[Word], read: Sequence[_Reading], telling: Sequence[tuple[int, _Reading]], question: str) -> Iterator[_Found]:
    """Separable verbs whose particle stands at the end: "deckt … auf"."""
    for i, reading in telling:
        for particle, called in reading.verbs:
            for later in range(i + 1, min(i + 1 + _REACH, len(read))):
                if read[later].folded == particle and not _END.search(question, tokens[i].end, tokens[later].start):
                    for alias in called:
                        yield _Found(tokens[i].start, tokens[i].end, 1, alias.certainty, alias)
                    break


def _meant(question: str, tokens: Sequence[Word], read: Sequence[_Reading]) -> list[tuple[int, int]]:
    """Where ``question`` speaks of words as such: quoted, in capitals, asked what they mean, or alone."""
    places = [m.span("inside") for m in _QUOTED.finditer(question)]
    if not question.isupper():
        places += [(t.start, t.end) for t in tokens if t.text.isupper() and len(t.text) > 1]
    asking = {i for i, reading in enumerate(read) if reading.folded in _ASKS}
    places += [(t.start, t.end) for i, t in enumerate(tokens) if {i - 1, i + 1} & asking]
    if len(tokens) <= 2:
        places.append((0, len(question)))
    return places


def _held(found: Sequence[_Found]) -> Iterator[Mention]:
    """Those of ``found`` that hold, in order of place: of overlapping ones the longest, of the same place the surest."""
    taken: dict[tuple[int, int], list[_Found]] = {}
    covered = 0  # a bit for every character
    for one in sorted(found, key=lambda f: (-f.length, f.start - f.end, -f.certainty, f.start)):
        place = (one.start, one.end)
        if place in taken:
            taken[place].append(one)
        elif not covered & (mask := (1 << one.end) - (1 << one.start)):
            taken[place] = [one]
            covered |= mask
    for (start, end), ones in sorted(taken.items()):
        surest: dict[str, _Found] = {}
        for one in sorted(ones, key=lambda f: -f.certainty):
            surest.setdefault(one.alias.concept, one)
        least = max(f.certainty for f in surest.values()) - _CLOSE
        for concept, one in surest.items():
            if one.certainty >= least:
                yield Mention(start, end, concept, round(one.certainty, 3), one.alias.text, one.alias.language)
