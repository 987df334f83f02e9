"""The signals that speak for a passage as the answer to a question: its words, meaning, entry,
term, card and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from index.analysis import Analyzer
from index.files.name_tables import NameIndex
from index.library.passage_lookup import PassageLookup, positions
from index.questions.prepared import PreparedQuestion, SearchScope
from index.questions.question_parser import ParsedQuestion, QuestionParser
from index.ranking.fusion import BUILT_IN, PREPARED, UNPHRASED, fuse, scaled, top_positions, weights
from index.ranking.general_similarity import GeneralSimilarity
from index.ranking.passage_features import PassageFeatures
from index.store.protocol import Store

# What counts less than an asking sentence, by folds over the practice questions (of the strangers'
# two more are found, of the others all as before): characters of the story before it, and words and
# characters of card text in the story.
STORY = 0.6
CARD_TEXT = 0.3

CERTAIN = 0.85  # certainty of a term in whatever inflection
_SCOPES = 16  # scopes whose passages are cached
_CONCEPTS = 1_000  # concepts whose passages are cached
_NAMES = 2_000  # official names whose terms are cached
# Passages whose phrasings are compared one by one: of 500 questions 497 have the same ten with 25
# as with 150, all the same five.
PHRASING_CANDIDATES = 25

Signals = dict[str, NDArray[np.float32]]
Grouped = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class SignalScorer:
    """Scores the searchable passages of an index, which are numbered in the order of its library,
    for a question.
    """

    def __init__(
        self,
        lookup: PassageLookup,
        store: Store,
        parser: QuestionParser,
        features: PassageFeatures,
        analyzer: Analyzer,
        general: GeneralSimilarity | None = None,
    ):
        self.lookup = lookup
        self._general = general
        self.store = store
        self._parser = parser
        self.features = features
        # Cached functions do not refer to this object, so that an index that is replaced is freed
        # at once, without the collector.
        self._scope = lru_cache(_SCOPES)(partial(_scope_of_editions, lookup))
        self._editions_in = lru_cache(_SCOPES)(partial(_editions_in, lookup))
        self._grouped_by_entry = lru_cache(_SCOPES)(partial(_group_editions, lookup, self._scope))
        self._about_concept = lru_cache(_CONCEPTS)(partial(_positions_about, lookup, self._scope))
        self.name_terms = lru_cache(_NAMES)(analyzer.terms)

    def scope(self, editions: frozenset[str]) -> SearchScope:
        """All passages of some ``editions``, given by id."""
        return self._scope(editions)

    def candidates(self, prepared: PreparedQuestion, scope: SearchScope) -> SearchScope:
        """``scope`` itself or, where it has too many passages to score them all, those of them that
        are worth scoring.
        """
        terms = dict.fromkeys(
            term for language in scope.languages for term in prepared.terms_in(language)
        )
        numbers = self.store.candidates(list(terms), prepared.vectors, scope)
        if numbers is None:
            return scope
        named = scope.numbers[positions(scope.numbers, self._named_passages(prepared.parsed))]
        return replace(scope, numbers=np.union1d(numbers, named), whole=False)

    def score(
        self, prepared: PreparedQuestion, scope: SearchScope
    ) -> tuple[Signals, NDArray[np.float64]]:
        """Return the signals (`fusion.SIGNALS`) of the passages of ``scope``, and the scores they
        add up to, shape (len(scope.numbers),) each.

        First all passages and the entries that they are in are compared; then the phrasings of the
        best passages.
        """
        parsed = prepared.parsed
        near = self.store.vectors(prepared.vectors, scope)
        words, asking = self._bm25(prepared, scope)
        signals = {
            "words": words,
            "asking": asking,
            "terms": self._official_names(parsed, scope),
            "characters": self._characters(prepared, scope),
            "vectors": near[0],
            "questions": near[1:].max(axis=0) if len(near) > 1 else near[0],
            "place": self._best_in_entry(near[0], scope),
            "about": self.about(parsed, scope),
            "literal": self._literal(parsed, scope),
            "length": self.lookup.lengths[scope.numbers],
            "general": self._general_similarity(prepared, scope),
        }
        scores, phrasings_weight = self._fused(signals, prepared, scope)
        candidates = top_positions(scores, PHRASING_CANDIDATES)
        phrasings = self.store.phrasings(prepared.vector, scope.numbers[candidates])
        scores[candidates] += phrasings_weight * scaled({"phrasings": phrasings})["phrasings"]
        signals["phrasings"] = np.zeros(len(scope.numbers), dtype=np.float32)
        signals["phrasings"][candidates] = phrasings
        return signals, scores

    def _general_similarity(
        self, prepared: PreparedQuestion, scope: SearchScope
    ) -> NDArray[np.float32]:
        """Return the similarity of every passage by the general encoder; 0 where it has no vector
        by that.
        """
        if self._general is None or prepared.general is None:
            return np.zeros(len(scope.numbers), dtype=np.float32)
        return self._general.similarities(prepared.general, scope.numbers)

    def _fused(
        self, signals: Signals, prepared: PreparedQuestion, scope: SearchScope
    ) -> tuple[NDArray[np.float64], float]:
        """Return the weighted sum of ``signals``, each passage by the weights of its kind; and the
        weight of phrasings.
        """
        if self._general is None or prepared.general is None:
            return fuse(signals, weights()), weights()["phrasings"]
        ready = PREPARED if self._general.everywhere else BUILT_IN
        are_ready = {
            bool(self.features.prepared[number]) for run in scope.runs for number in range(*run)
        }
        if len(are_ready) == 1:
            return fuse(signals, weights(ready if True in are_ready else UNPHRASED)), weights(
                ready
            )["phrasings"]
        edition_of = edition_numbers(self.lookup, scope.numbers)
        both = fuse(signals, weights(ready)), fuse(signals, weights(UNPHRASED))
        return np.where(self.features.prepared[edition_of], *both), weights(ready)["phrasings"]

    def _bm25(
        self, prepared: PreparedQuestion, scope: SearchScope
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """BM25 of every passage for the terms of the question in its language, and for those of the
        asking sentences alone.
        """
        found = np.zeros((2, len(scope.numbers)), dtype=np.float32)
        for language in scope.languages:
            asking = dict.fromkeys(prepared.asking_terms_in(language))
            others = [
                term for term in prepared.terms_in(language) if term not in asking
            ]  # none where every sentence asks
            story = [term for term in others if term not in prepared.card_terms]
            quoted = [term for term in others if term in prepared.card_terms]
            mask, part = (
                self._in_language(language, scope)
                if len(scope.languages) > 1
                else (slice(None), scope)
            )
            parts = [
                (list(asking), 1.0),
                *(
                    (terms, weight)
                    for terms, weight in ((story, 1.0), (quoted, CARD_TEXT))
                    if terms
                ),
            ]
            scores = self.store.words([terms for terms, _ in parts], part)
            found[:, mask] = (
                sum(weight * of_part for (_, weight), of_part in zip(parts, scores, strict=True)),
                scores[0],
            )
        return found[0], found[1]

    def _characters(self, prepared: PreparedQuestion, scope: SearchScope) -> NDArray[np.float32]:
        """BM25 of every passage for the character n-grams of the question, those of its asking
        sentences counting most.
        """
        if not prepared.story_words and not prepared.card_words:
            return self.store.characters(prepared.parsed.folded, scope)
        weighted = (
            (prepared.asking_words, 1.0),
            (prepared.story_words, STORY),
            (prepared.card_words, STORY * CARD_TEXT),
        )
        found = np.zeros(len(scope.numbers), dtype=np.float32)
        for words, weight in weighted:
            if words:
                found += np.float32(weight) * self.store.characters(words, scope)
        return found

    def _in_language(
        self, language: str, scope: SearchScope
    ) -> tuple[NDArray[np.bool_], SearchScope]:
        """Which of the passages of ``scope`` are in ``language``, shape (len(scope.numbers),), and
        the scope of these.
        """
        mask = self.lookup.in_language[language][scope.numbers]
        part = self.scope(self._editions_in(language, scope.editions))
        return mask, part if scope.whole else replace(
            part, numbers=scope.numbers[mask], whole=False
        )

    def _official_names(self, parsed: ParsedQuestion, scope: SearchScope) -> NDArray[np.float32]:
        """BM25 of every passage for the official names of what the question mentions by other
        names.
        """
        scores = np.zeros(len(scope.numbers), dtype=np.float32)
        if not any(parsed.mentions.values()):
            return scores
        for number in (n for run in scope.runs for n in range(*run)):
            edition = self.lookup.editions[number]
            names = self._parser.recognisers[edition.game].expansion(
                parsed.mentions[edition.game], edition.language
            )
            if names:
                first, end = np.searchsorted(
                    scope.numbers, self.lookup.bounds[number : number + 2]
                ).tolist()
                part = self.scope(frozenset((edition.id,)))
                part = (
                    part
                    if scope.whole
                    else replace(part, numbers=scope.numbers[first:end], whole=False)
                )
                terms = [term for name in names for term in self.name_terms(name, edition.language)]
                scores[first:end] += self.store.words([terms], part)[0]
        return scores

    def _best_in_entry(self, near: NDArray[np.float32], scope: SearchScope) -> NDArray[np.float32]:
        """For every passage the greatest of ``near`` among the passages of its entry, at least
        0.
        """
        grouped = (
            self._grouped_by_entry(scope.editions)
            if scope.whole
            else group_by_entry(self.lookup.entries[scope.numbers])
        )
        order, starts, group_of = grouped
        best = np.maximum.reduceat(near[order], starts) if len(starts) else near
        return np.asarray(np.maximum(best, 0.0)[group_of])

    def titled(self, prepared: PreparedQuestion, scope: SearchScope) -> NDArray[np.float32]:
        """Which passages are in an entry whose title has a term of the question, 1 or 0."""
        found = np.zeros(len(scope.numbers), dtype=np.float32)
        for language, terms in prepared.terms.items():
            for term in terms:
                found[positions(scope.numbers, self.features.titled(term, language))] = 1.0
        return found

    def about(self, parsed: ParsedQuestion, scope: SearchScope) -> NDArray[np.float32]:
        """For every passage how certain it is that the question mentions the concept that its
        entry, or one around it, is about.
        """
        certainty: dict[str, float] = {}
        for game, mentions in parsed.mentions.items():
            for mention in mentions:
                concept = f"{game}/{mention.concept}"
                certainty[concept] = max(certainty.get(concept, 0.0), mention.certainty)
        found = np.zeros(len(scope.numbers), dtype=np.float32)
        for concept in sorted(
            certainty, key=certainty.__getitem__
        ):  # the most certain last, since a passage may be about several
            found[self._of_concept(concept, scope)] = certainty[concept]
        return found

    def _of_concept(self, concept: str, scope: SearchScope) -> NDArray[np.integer]:
        """Return the positions of the passages about ``concept`` in ``scope``."""
        if scope.whole:
            return self._about_concept(concept, scope.editions)
        return positions(scope.numbers, self.lookup.of_concept.numbers(concept))

    def _literal(self, parsed: ParsedQuestion, scope: SearchScope) -> NDArray[np.float32]:
        """For every passage the share of the question's short quotations that it contains word for
        word.
        """
        found = np.zeros(len(scope.numbers), dtype=np.float32)
        share = np.float32(1 / max(len(parsed.short_quotations), 1))
        for quotation in parsed.short_quotations:
            found[positions(scope.numbers, self.features.containing(quotation, scope.numbers))] += (
                share
            )
        return found

    def of_cards(self, parsed: ParsedQuestion, scope: SearchScope) -> NDArray[np.float32]:
        """For every passage how certain it is that the question names the card that it is a ruling
        or an erratum of.
        """
        certainty: dict[str, float] = {}
        for cards in parsed.cards.values():
            for card in cards:
                certainty.update(
                    {
                        entry: max(certainty.get(entry, 0.0), card.certainty)
                        for entry in card.entries
                    }
                )
        found = np.zeros(len(scope.numbers), dtype=np.float32)
        for entry, value in certainty.items():
            found[positions(scope.numbers, self.lookup.of_entry.numbers(entry))] = value
        return found

    def missing_rules(self, parsed: ParsedQuestion, scope: SearchScope) -> list[str]:
        """Return the numbers of rules that are asked for and that ``scope`` has none of, sorted."""
        return sorted(
            rule
            for rule in parsed.rules
            if not len(positions(scope.numbers, self.lookup.of_rule.numbers(rule)))
        )

    def of_rules(self, parsed: ParsedQuestion) -> NDArray[np.int64]:
        """Return the numbers of the passages of the rules asked for by number."""
        return _numbers_of_all(self.lookup.of_rule, parsed.rules)

    def of_card_numbers(self, parsed: ParsedQuestion) -> NDArray[np.int64]:
        """Return the numbers of the passages about the cards asked for by number."""
        return _numbers_of_all(self.lookup.of_card, parsed.card_numbers)

    def _named_passages(self, parsed: ParsedQuestion) -> NDArray[np.int64]:
        """Return the numbers of the passages about what the question names: cards, concepts,
        rules.
        """
        cards = [
            entry for named in parsed.cards.values() for card in named for entry in card.entries
        ]
        concepts = [
            f"{game}/{mention.concept}"
            for game, mentions in parsed.mentions.items()
            for mention in mentions
        ]
        named = (
            _numbers_of_all(self.lookup.of_entry, cards),
            _numbers_of_all(self.lookup.of_concept, concepts),
        )
        return np.concatenate([*named, self.of_rules(parsed), self.of_card_numbers(parsed)])


def edition_numbers(lookup: PassageLookup, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the number of the edition of each of the passages ``numbers``."""
    return np.searchsorted(lookup.bounds, numbers, side="right") - 1


def _scope_of_editions(lookup: PassageLookup, editions: frozenset[str]) -> SearchScope:
    """All passages of some ``editions``, given by id."""
    chosen = {n: edition for n, edition in enumerate(lookup.editions) if edition.id in editions}
    starts = [n for n in chosen if n - 1 not in chosen]
    ends = [n + 1 for n in chosen if n + 1 not in chosen]
    runs = tuple(zip(starts, ends, strict=True))
    numbers = [np.arange(lookup.bounds[start], lookup.bounds[end]) for start, end in runs]
    return SearchScope(
        numbers=np.concatenate(numbers, dtype=np.int64),
        editions=tuple(e.id for e in chosen.values()),
        runs=runs,
        languages=tuple(sorted({edition.language for edition in chosen.values()})),
        games=tuple(sorted({edition.game for edition in chosen.values()})),
    )


def _editions_in(lookup: PassageLookup, language: str, editions: tuple[str, ...]) -> frozenset[str]:
    """Those of ``editions`` that are in ``language``."""
    return frozenset(e.id for e in lookup.editions if e.language == language).intersection(editions)


def _group_editions(
    lookup: PassageLookup, scope: Callable[[frozenset[str]], SearchScope], editions: tuple[str, ...]
) -> Grouped:
    """All passages of ``editions``, grouped by their entries."""
    return group_by_entry(lookup.entries[scope(frozenset(editions)).numbers])


def _positions_about(
    lookup: PassageLookup,
    scope: Callable[[frozenset[str]], SearchScope],
    concept: str,
    editions: tuple[str, ...],
) -> NDArray[np.integer]:
    """Return the positions of the passages about ``concept`` among all those of ``editions``."""
    return positions(scope(frozenset(editions)).numbers, lookup.of_concept.numbers(concept))


def _numbers_of_all(index: NameIndex, names: Iterable[str]) -> NDArray[np.int64]:
    """Return the numbers under all of ``names``."""
    return np.concatenate([np.empty(0, dtype=np.int64), *map(index.numbers, names)])


def group_by_entry(entries: NDArray[np.int64]) -> Grouped:
    """Passages grouped by their ``entries``: their positions in the order of entries, where groups
    begin there, the group of each.
    """
    order = np.argsort(entries, kind="stable")
    begins = np.r_[True, np.diff(entries[order]) > 0][: len(order)]
    group_of = np.empty(len(order), dtype=np.int64)
    group_of[order] = np.cumsum(begins) - 1
    return order, np.flatnonzero(begins), group_of
