"""The names of a game's concepts, indexed by stem, and what each word of a question can be among
them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from corpus.languages import FALLBACK, LANGUAGES, get_language
from glossary import normalization
from glossary.aliases import Alias, AliasKind, verb_forms
from glossary.compounds import cuts
from glossary.fuzzy import SpellingCorrector
from glossary.word_tables import WordAnalysis, WordTables

INFLECTED = 0.88  # certainty of a name in another form than it is written in the data file

_MISSPELT = 0.75
_FOREIGN = 0.9  # certainty of a name in another language than the question's
_BOTH_PARTS, _ONE_PART = (
    0.85,
    0.6,
)  # certainty of names that a compound is made of, and of a name that is one of its two parts
_UNKNOWN_STEM = ("·", 0.0)  # stands for every word that no name has
_UNKNOWN_STEMS = [_UNKNOWN_STEM] * len(LANGUAGES)


class CompoundPart(NamedTuple):
    """A name that is a part of a word, from ``start`` to ``end`` in it."""

    start: int
    end: int
    certainty: float
    alias: Alias


class WordReading(NamedTuple):
    """What a word of a question can be, whatever stands around it."""

    folded: str
    plain: str
    stems: tuple[
        tuple[str, float], ...
    ]  # by language: the stem that names have for it, and how sure that is
    names: tuple[tuple[float, Alias], ...]  # names of one word that it is, and how sure that is
    first_of: tuple[
        tuple[int, int], ...
    ]  # languages, by number, in which it begins longer names, and the words of the longest
    abbreviations: tuple[Alias, ...]  # abbreviations that it is
    stop_word: bool
    verbs: tuple[
        tuple[str, tuple[Alias, ...]], ...
    ]  # separable verbs it may be a form of, by particle
    parts: tuple[CompoundPart, ...]
    is_relevant: bool  # whether it is any of these


class AliasIndex:
    """The aliases of a game's concepts, found by the words of a question.

    Aliases in the ``mixed`` languages are looked for in every question, those in another language
    only in questions in that language, as they are written or inflected: French "main" (hand) is no
    part of a "main phase". In a question in such a language those of the mixed ones count only as
    they are written, English ones inflected too: French "se passe" is no form of Italian "passiva".
    """

    def __init__(
        self, aliases: Iterable[Alias], tables: WordTables, mixed: Sequence[str] = LANGUAGES
    ):
        self._tables = tables
        self._mixed = frozenset(mixed)
        self.patterns: dict[str, list[Alias]] = defaultdict(
            list
        )  # by language and stems, blanks between them
        self.single: dict[str, list[Alias]] = defaultdict(list)
        self.symbols: dict[str, list[Alias]] = defaultdict(list)
        self._longest: dict[str, dict[str, int]] = {
            language: {} for language in LANGUAGES
        }  # stems of a pattern, by its first
        self.abbreviations: dict[str, list[Alias]] = defaultdict(list)
        self.verbs: dict[str, dict[str, list[Alias]]] = defaultdict(lambda: defaultdict(list))
        self.stems: dict[str, set[str]] = {language: set() for language in LANGUAGES}
        self._written: dict[str, set[str]] = {language: set() for language in LANGUAGES}
        self._language_of_word: dict[str, str] = {}
        for alias in aliases:
            self._add(alias)
            if not alias.ordinary and alias.language in self._mixed:
                self._language_of_word.update(dict.fromkeys(alias.words, alias.language))
        for name in self.patterns:
            language, first, *more = name.split(" ")
            self._longest[language][first] = max(
                self._longest[language].get(first, 0), 1 + len(more)
            )
        signs = "|".join(re.escape(sign) for sign in sorted(self.symbols, key=len, reverse=True))
        self.symbol_pattern = re.compile(signs) if signs else None
        self._speller = SpellingCorrector(self._language_of_word)

    def _add(self, alias: Alias) -> None:
        if alias.kind is AliasKind.SYMBOL:
            self.symbols[alias.text].append(alias)
            return
        if alias.kind is AliasKind.ABBREVIATION:
            self.abbreviations[normalization.fold(alias.text)].append(alias)
            return
        stems = [normalization.stem(word, alias.language) for word in alias.words]
        self.stems[alias.language].update(stems)
        self._written[alias.language].update(map(normalization.fold, alias.words))
        self.patterns[" ".join((alias.language, *stems))].append(alias)
        if len(stems) == 2:  # "Side Scheme" is written "Sidescheme" too
            joined = normalization.stem("".join(alias.words), alias.language)
            self.stems[alias.language].add(joined)
            self._written[alias.language].add(normalization.fold("".join(alias.words)))
            self.patterns[f"{alias.language} {joined}"].append(alias)
        if len(stems) == 1 and not alias.ordinary and alias.language in self._mixed:
            self.single[normalization.fold_umlauts(alias.words[0])].append(alias)
        if not alias.ordinary:
            for form, particle in verb_forms(alias):
                self.verbs[form][particle].append(alias)

    def read(self, word: str, language: str) -> WordReading:
        """What ``word`` can be in a question in ``language``."""
        analysis = self._tables.analyse(word, language)
        stems = [
            _known_stem(those, self.stems[each])
            if self._may_be(analysis.folded, each, language)
            else _UNKNOWN_STEM
            for those, each in zip(analysis.stems, LANGUAGES, strict=True)
        ]
        parts: tuple[CompoundPart, ...] = ()
        if stems == _UNKNOWN_STEMS and not analysis.stop_word:
            parts = (
                tuple(self._compound_parts(word, language))
                if get_language(language).forms.links
                else ()
            )
            meant = None if parts or analysis.known else self._speller.nearest(word)
            if meant is not None:
                its_language = self._language_of_word[meant]
                stems[LANGUAGES.index(its_language)] = (
                    normalization.stem(meant, its_language),
                    _MISSPELT,
                )
        names, first_of = (
            self._names(analysis, stems, language) if stems != _UNKNOWN_STEMS else ((), ())
        )
        abbreviations = tuple(self.abbreviations.get(analysis.folded, ()))
        by_particle = (
            self.verbs.get(analysis.plain, {}) if get_language(language).forms.particles else {}
        )
        verbs = tuple(
            (p, own)
            for p, those in by_particle.items()
            if (own := tuple(a for a in those if a.language == language))
        )
        return WordReading(
            folded=analysis.folded,
            plain=analysis.plain,
            stems=tuple(stems),
            names=names,
            first_of=first_of,
            abbreviations=abbreviations,
            stop_word=analysis.stop_word,
            verbs=verbs,
            parts=parts,
            is_relevant=bool(names or first_of or abbreviations or verbs or parts),
        )

    def _may_be(self, word: str, language: str, question_language: str) -> bool:
        """Whether the folded ``word`` of a question may be part of an alias in ``language``."""
        if language == question_language:
            return True
        return language in self._mixed and (
            question_language in self._mixed
            or language == FALLBACK
            or word in self._written[language]
        )

    def _names(
        self, analysis: WordAnalysis, stems: Sequence[tuple[str, float]], language: str
    ) -> tuple[tuple[tuple[float, Alias], ...], tuple[tuple[int, int], ...]]:
        """The ``names`` and the ``first_of`` of the reading of a word."""
        names: list[tuple[float, Alias]] = []
        first_of = []
        for i, (each, (stem, certainty)) in enumerate(zip(LANGUAGES, stems, strict=True)):
            if longest := self._longest[each].get(stem):
                if not analysis.stop_word or each == language:  # German "die" is no dying
                    found = self.patterns.get(f"{each} {stem}", ())
                    names += with_certainty(
                        found, [analysis.folded], certainty, own_language=each == language
                    )
                if longest > 1:
                    first_of.append((i, longest))
        return tuple(names), tuple(first_of)

    def _compound_parts(self, word: str, language: str) -> Iterator[CompoundPart]:
        """Names that are part of a longer word of ``language``: "Schurkenaktivierung"."""
        best: tuple[tuple[int, int], int, list[Alias], list[Alias]] | None = None
        for cut, heads, end in cuts(word, language):
            if end not in self.patterns and self.single.keys().isdisjoint(heads):
                continue
            head = next(
                (found for whole in heads if (found := self._part_of_compound(whole, language))), []
            )
            tail = [
                alias
                for alias in self.patterns.get(end, ())
                if not alias.ordinary and len(alias.words) == 1
            ]
            # Best are both, then the end alone, which says what the whole is; then the longer.
            rank = (2 * bool(tail) + bool(head), len(word) - cut if tail else cut)
            if rank[0] and (best is None or rank > best[0]):
                best = (rank, cut, head, tail)
        if best is not None:
            (rank_of_parts, _), cut, head, tail = best
            certainty = _BOTH_PARTS if rank_of_parts == 3 else _ONE_PART
            yield from (CompoundPart(0, cut, alias.certainty * certainty, alias) for alias in head)
            yield from (
                CompoundPart(cut, len(word), alias.certainty * certainty, alias) for alias in tail
            )

    def _part_of_compound(self, word: str, language: str) -> list[Alias]:
        """The names that ``word`` is and that may be part of a compound of ``language``."""
        allowed = (language, *get_language(language).forms.compounds_with)
        return [alias for alias in self.single.get(word, ()) if alias.language in allowed]


def _known_stem(stems: Iterable[str], known: Container[str]) -> tuple[str, float]:
    """The first of the ``stems`` of a word that a name has, and how sure it is that the name is
    meant.
    """
    for stem in stems:
        if stem in known:
            return stem, INFLECTED
    return _UNKNOWN_STEM


def with_certainty(
    aliases: Iterable[Alias], written: list[str], certainty: float, own_language: bool
) -> Iterator[tuple[float, Alias]]:
    """Each of ``aliases`` with how sure it is that it is meant by the ``written`` words, folded,
    whose stems are as sure as ``certainty``.

    ``own_language`` says that the words are taken for those of the question's language.
    """
    certainty *= 1 if own_language else _FOREIGN
    for alias in aliases:
        exact = written == [normalization.fold(word) for word in alias.words]
        yield alias.certainty * (certainty / INFLECTED if exact else certainty), alias
