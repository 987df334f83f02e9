"""Terms recognised in questions, as players write them: inflected, compounded, abbreviated, misspelt, in any language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from glossary import words
from glossary.aliases import Alias, Sort, aliases, unqualified, verb_forms
from glossary.concepts import Concept
from glossary.spelling import Speller
from glossary.words import LANGUAGES, Word

_NOTHING = "·"  # stands for every word that no name has
_QUOTED = re.compile(r"[\"„“”«»‚‘’'](?P<inside>[^\"„“”«»\n]{1,60}?)[\"“”«»‘’'](?!\w)")
_ASKS = frozenset({"bedeutet", "bedeuten", "heisst", "meint", "wort", "begriff", "significa", "significano", "parola", "termine", "mean",
                   "means", "word", "term", "definition", "definizione"})  # fmt: skip
_END = re.compile(r"[.?!;:]")
_LINKS = ("", "s", "n", "en", "es", "er", "e")
_REACH = 12  # words between a German verb and its particle, at most
_SHORTEST_PART = 4  # letters of a part of a compound, at least
_LONGEST = 60  # letters of a compound, at most
_INFLECTED = 0.88  # certainty of a name in another form than it is kept in
_MISSPELT = 0.75
_FOREIGN = 0.9  # certainty of a name in another language than the question's
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


@dataclass(frozen=True, slots=True)
class _Found:
    """A name found, before it is decided which of those that overlap hold."""

    start: int
    end: int
    length: int  # words
    certainty: float
    alias: Alias


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one word may be, whatever stands around it: worked out once for each word and language of a question."""

    folded: str
    plain: str
    stems: tuple[tuple[str, float], ...]  # by language: the stem that names have for it, and how sure that is
    small: bool  # a stop word
    verbs: tuple[tuple[str, tuple[Alias, ...]], ...]  # separable verbs it may be a form of, by particle
    parts: tuple[tuple[int, int, float, Alias], ...]  # names that are part of it, with their place in it and certainty


class Recogniser:
    """Recognises the terms of a game in questions."""

    def __init__(self, concepts: Iterable[Concept]):
        self._concepts = {concept.id: concept for concept in concepts}
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
        self._reading = lru_cache(maxsize=30_000)(self._read)

    def _keep(self, alias: Alias) -> None:
        if alias.sort is Sort.SYMBOL:
            self._symbols[alias.text].append(alias)
            return
        if alias.sort is Sort.ABBREVIATION:
            self._abbreviations[words.fold(alias.text)].append(alias)
            return
        stems = [words.stem(word, alias.language) for word in alias.words]
        self._stems[alias.language].update(stems)
        self._patterns[" ".join((alias.language, *stems))].append(alias)
        if len(stems) == 2:  # "Side Scheme" is written "Sidescheme" too
            joined = words.stem("".join(alias.words), alias.language)
            self._stems[alias.language].add(joined)
            self._patterns[f"{alias.language} {joined}"].append(alias)
        if len(stems) == 1 and not alias.ordinary:
            self._single[words.plain(alias.words[0])].append(alias)
        if alias.language == "de" and not alias.ordinary:
            for form, particle in verb_forms(alias):
                self._verbs[form][particle].append(alias)

    def mentions(self, question: str, language: str) -> tuple[Mention, ...]:
        """The concepts named in ``question``, which is in ``language``, in order of place; the longest name wins a place."""
        tokens = words.words(question)
        read = [self._reading(token.text, language) for token in tokens]
        found = [
            *self._phrases(tokens, read, language),
            *self._short(tokens, read, question),
            *self._signs(question),
            *self._joined(tokens, read),
            *_parted(tokens, read, question),
            *(_Found(t.start + a, t.start + b, 1, sure, alias) for t, r in zip(tokens, read, strict=True) for a, b, sure, alias in r.parts),
        ]
        held = list(_held(found))
        if any(self._concepts[m.concept].ordinary for m in held):
            meant = _meant(question, tokens)
            held = [m for m in held if not self._concepts[m.concept].ordinary or any(a <= m.start and m.end <= b for a, b in meant)]
        return tuple(held)

    def expansion(self, mentions: Iterable[Mention], language: str) -> list[str]:
        """Official names in ``language`` of what is mentioned in other words, the first and the next, to be added to a query."""
        added: dict[str, None] = {}
        for mention in mentions:
            official = [unqualified(name) for name in self._concepts[mention.concept].names.get(language, ())]
            if mention.language == language and words.fold(unqualified(mention.name)) in map(words.fold, official):
                continue
            added.update(dict.fromkeys(official[:2]))
        return list(added)

    def _phrases(self, tokens: Sequence[Word], read: Sequence[_Reading], spoken: str) -> Iterator[_Found]:
        """Names of one or several words, in any language."""
        for i, language in enumerate(LANGUAGES):
            for start, end, named in self._matches(language, [reading.stems[i][0] for reading in read]):
                if end - start == 1 and language != spoken and read[start].small:
                    continue  # German "die" is no dying
                sure = min(reading.stems[i][1] for reading in read[start:end]) * (1 if language == spoken else _FOREIGN)
                written = [reading.folded for reading in read[start:end]]
                for alias in named:
                    exact = written == [words.fold(word) for word in alias.words]
                    certainty = alias.certainty * (sure / _INFLECTED if exact else sure)
                    yield _Found(tokens[start].start, tokens[end - 1].end, end - start, certainty, alias)

    def _matches(self, language: str, stems: Sequence[str]) -> Iterator[tuple[int, int, list[Alias]]]:
        """The places in ``stems`` that names in ``language`` have, with these names."""
        begin = self._longest[language]
        for start, longest in [(start, begin[stem]) for start, stem in enumerate(stems) if stem in begin]:
            for end in range(start + 1, min(start + longest, len(stems)) + 1):
                if named := self._patterns.get(" ".join((language, *stems[start:end]))):
                    yield start, end, named

    def _read(self, word: str, spoken: str) -> _Reading:
        folded, stems_of = _looked_up(word)
        small = folded in words.stop_words(spoken)
        stems = [self._stem(those, language) for those, language in zip(stems_of, LANGUAGES, strict=True)]
        parts: list[tuple[int, int, float, Alias]] = []
        if all(stem == _NOTHING for stem, _ in stems) and not small:
            parts = list(self._parts(word)) if spoken == "de" else []
            meant = None if parts or words.known(word, spoken) else self._speller.nearest(word)
            if meant is not None:
                i = LANGUAGES.index(meant.language)
                stems[i] = (words.stem(meant.word, meant.language), _MISSPELT)
        verbs = self._verbs.get(words.plain(word), {}) if spoken == "de" else {}
        return _Reading(folded, words.plain(word), tuple(stems), small, tuple((p, tuple(a)) for p, a in verbs.items()), tuple(parts))

    def _stem(self, stems: Iterable[str], language: str) -> tuple[str, float]:
        """That of the ``stems`` of a word which names in ``language`` have, and how sure that is."""
        known = self._stems[language]
        return next(((stem, _INFLECTED) for stem in stems if stem in known), (_NOTHING, 0.0))

    def _short(self, tokens: Sequence[Word], read: Sequence[_Reading], question: str) -> Iterator[_Found]:
        """Abbreviations. One that is also a small word of the language ("tra") only in capitals."""
        shouted = question.isupper()
        for token, reading in zip(tokens, read, strict=True):
            if reading.folded in self._abbreviations:
                loud = token.text.isupper() and not shouted
                if loud or not reading.small:
                    for alias in self._abbreviations[reading.folded]:
                        yield _Found(token.start, token.end, 1, 1.0 if loud else 0.9, alias)

    def _signs(self, question: str) -> Iterator[_Found]:
        for match in self._sign.finditer(question) if self._sign else ():
            for alias in self._symbols[match.group()]:
                yield _Found(match.start(), match.end(), 1, alias.certainty, alias)

    def _joined(self, tokens: Sequence[Word], read: Sequence[_Reading]) -> Iterator[_Found]:
        """Names written apart: "Begegnungs Deck"."""
        for i, (one, other) in enumerate(pairwise(read)):
            if named := self._single.get(one.plain + other.plain):
                start, end = tokens[i].start, tokens[i + 1].end
                if end - start > 2 * _SHORTEST_PART:
                    yield from (_Found(start, end, 2, alias.certainty * _INFLECTED, alias) for alias in named)

    def _parts(self, word: str) -> Iterator[tuple[int, int, float, Alias]]:
        """Names that are part of a longer German word: "Schurkenaktivierung"."""
        best: tuple[tuple[int, int], int, list[Alias], list[Alias]] | None = None
        for cut in range(_SHORTEST_PART, min(len(word), _LONGEST) - _SHORTEST_PART + 1):
            head, tail = self._head(word[:cut]), self._tail(word[cut:])
            # Best are both, then the end alone, which says what the whole is; then the longer.
            rank = (2 * bool(tail) + bool(head), len(word) - cut if tail else cut)
            if rank[0] and (best is None or rank > best[0]):
                best = (rank, cut, head, tail)
        if best is not None:
            (rank_of_both, _), cut, head, tail = best
            sure = 0.85 if rank_of_both == 3 else 0.6
            yield from ((0, cut, alias.certainty * sure, alias) for alias in head)
            yield from ((cut, len(word), alias.certainty * sure, alias) for alias in tail)

    def _head(self, text: str) -> list[Alias]:
        folded = words.plain(text)
        for link in _LINKS:
            whole = folded.removesuffix(link)
            if folded.endswith(link) and len(whole) >= _SHORTEST_PART and (found := self._german(whole)):
                return found
        return []

    def _german(self, word: str) -> list[Alias]:
        return [alias for alias in self._single.get(word, ()) if alias.language != "it"]

    def _tail(self, text: str) -> list[Alias]:
        if len(text) <= _SHORTEST_PART:
            return []
        stem = words.stem(text, "de")
        return [alias for alias in self._patterns.get(f"de {stem}", ()) if not alias.ordinary and len(alias.words) == 1]


@lru_cache(maxsize=10_000)  # the same for all games
def _looked_up(word: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """``word`` folded, and by language its stems: its own and that of its lemma."""
    forms = ((word, words.lemma(word, language)) for language in LANGUAGES)
    return words.fold(word), tuple(
        tuple(dict.fromkeys(words.stem(form, language) for form in both)) for both, language in zip(forms, LANGUAGES, strict=True)
    )


def _parted(tokens: Sequence[Word], read: Sequence[_Reading], question: str) -> Iterator[_Found]:
    """German verbs whose particle stands at the end: "deckt … auf"."""
    for i, reading in enumerate(read):
        for particle, called in reading.verbs:
            for later in range(i + 1, min(i + 1 + _REACH, len(read))):
                if read[later].folded == particle and not _END.search(question, tokens[i].end, tokens[later].start):
                    for alias in called:
                        yield _Found(tokens[i].start, tokens[i].end, 1, alias.certainty, alias)
                    break


def _meant(question: str, tokens: Sequence[Word]) -> list[tuple[int, int]]:
    """Where ``question`` speaks of words as such: quoted, in capitals, asked what they mean, or alone."""
    places = [m.span("inside") for m in _QUOTED.finditer(question)]
    if not question.isupper():
        places += [(t.start, t.end) for t in tokens if t.text.isupper() and len(t.text) > 1]
    asking = {i for i, t in enumerate(tokens) if words.fold(t.text) in _ASKS}
    places += [(t.start, t.end) for i, t in enumerate(tokens) if {i - 1, i + 1} & asking]
    if len(tokens) <= 2:
        places.append((0, len(question)))
    return places


def _held(found: Sequence[_Found]) -> Iterator[Mention]:
    """Those of ``found`` that hold, in order of place: of overlapping ones the longest, of the same place the surest."""
    taken: dict[tuple[int, int], list[_Found]] = {}
    covered: set[int] = set()
    for one in sorted(found, key=lambda f: (-f.length, f.start - f.end, -f.certainty, f.start)):
        place = (one.start, one.end)
        if place in taken:
            taken[place].append(one)
        elif covered.isdisjoint(range(*place)):
            taken[place] = [one]
            covered.update(range(*place))
    for (start, end), ones in sorted(taken.items()):
        surest: dict[str, _Found] = {}
        for one in sorted(ones, key=lambda f: -f.certainty):
            surest.setdefault(one.alias.concept, one)
        least = max(f.certainty for f in surest.values()) - _CLOSE
        for concept, one in surest.items():
            if one.certainty >= least:
                yield Mention(start, end, concept, round(one.certainty, 3), one.alias.text, one.alias.language)
