"""Compute signals that a passage answers a question, and the score that combines them.

The score is the weighted sum of the signals, each divided by its greatest value. Unlike reciprocal
ranks, sums show how far the first passage is ahead of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossary.references.cited_rules import CitedRule
from index.analysis import Analyzer
from index.files.records import NameIndex
from index.library.passage_lookup import PassageLookup, positions
from index.questions.prepared import PreparedQuestion, SearchScope
from index.questions.question_parser import QuestionParser
from index.ranking.amounts import asks_for_amount
from index.ranking.fusion import BUILT_IN, PREPARED, UNPHRASED, top_positions, weights
from index.ranking.general_similarity import GeneralSimilarity
from index.ranking.passage_features import PassageFeatures
from index.store.protocol import Store

# Weights relative to question sentences, cross-validated on the practice questions: of the n-grams
# of the story before them, and of the words and n-grams of card text in the story.
STORY = 0.6
CARD_TEXT = 0.3

CERTAIN = 0.85  # certainty of a term in any inflection
_SCOPES = 16  # scopes whose passages are cached
_CONCEPTS = 1_000  # concepts whose passages are cached
_NAMES = 2_000  # official names whose terms are cached
# Best passages whose query variants are compared one by one: for 497 of 500 questions, 25 give the
# same first ten passages as 150, and for all the same first five.
PHRASING_CANDIDATES = 25

Floats = NDArray[np.float32]
Signals = dict[str, Floats]
Grouped = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class SignalScorer:
    """Scores the searchable passages of an index, numbered in the order of its library."""

    def __init__(
        self,
        lookup: PassageLookup,
        store: Store,
        parser: QuestionParser,
        features: PassageFeatures,
        analyzer: Analyzer,
        general: GeneralSimilarity | None = None,
    ):
        self.lookup, self.store, self.parser = lookup, store, parser
        self.features, self.general = features, general
        # Editions that are ranked with the weights of `PREPARED` if there is a general encoder
        self.ready = features.prepared
        if general is not None:
            encoded = np.unique(edition_numbers(lookup, general.numbers))
            self.ready = features.prepared | ~np.isin(np.arange(len(features.prepared)), encoded)
        # Cached functions do not refer to ``self``, so that a replaced index is freed at once,
        # without the garbage collector.
        self._scope = lru_cache(_SCOPES)(partial(_scope_of_editions, lookup))
        self.editions_in = lru_cache(_SCOPES)(partial(_editions_in, lookup))
        self.grouped_by_entry = lru_cache(_SCOPES)(partial(_group_editions, lookup, self._scope))
        self.about_concept = lru_cache(_CONCEPTS)(partial(_positions_about, lookup, self._scope))
        self.name_terms = lru_cache(_NAMES)(analyzer.terms)

    def scope(self, editions: frozenset[str]) -> SearchScope:
        """Return the scope of all passages of ``editions``, given by id."""
        return self._scope(editions)

    def candidates(self, prepared: PreparedQuestion, scope: SearchScope) -> SearchScope:
        """Return ``scope``, limited to the passages worth scoring if it is large."""
        terms = dict.fromkeys(
            term for language in scope.languages for term in prepared.terms_in(language)
        )
        numbers = self.store.candidates(list(terms), prepared.vectors, scope)
        if numbers is None:
            return scope
        named = QuestionSignals(self, prepared, scope).named_passages
        named = scope.numbers[positions(scope.numbers, named)]
        return replace(scope, numbers=np.union1d(numbers, named), whole=False)

    def known_share(self, prepared: PreparedQuestion, number: int) -> float:
        """Return the share of the different terms of the question sentences that the rulebook of
        passage ``number`` contains.
        """
        edition = self.lookup.edition(number)
        terms = dict.fromkeys(prepared.asking_terms.get(edition.language, ()))
        if not terms:
            return 1.0
        scope = self.scope(frozenset((edition.id,)))
        found = self.store.words([[term] for term in terms], scope)
        return float(np.mean([scores.any() for scores in found]))


class QuestionSignals:
    """The signals of a question for the passages of a ``scope``; every array has the shape
    (len(scope.numbers),).
    """

    def __init__(self, scorer: SignalScorer, prepared: PreparedQuestion, scope: SearchScope):
        self.scorer, self.prepared, self.scope = scorer, prepared, scope
        self.parsed = prepared.parsed
        self.lookup, self.features = scorer.lookup, scorer.features

    @cached_property
    def scored(self) -> tuple[Signals, NDArray[np.float64]]:
        """The `SIGNALS`, and the scores that combine them.

        Query variants are compared last, only for the best passages by the other signals.
        """
        signals = {each.name: each.compute(self) for each in SIGNALS if each.compute}
        scores, phrasings_weight = self._fused(signals)
        candidates = top_positions(scores, PHRASING_CANDIDATES)
        phrasings = self.scorer.store.phrasings(
            self.prepared.vector, self.scope.numbers[candidates]
        )
        scores[candidates] += phrasings_weight * scaled({"phrasings": phrasings})["phrasings"]
        signals["phrasings"] = self._zeros()
        signals["phrasings"][candidates] = phrasings
        return signals, scores

    def _fused(self, signals: Signals) -> tuple[NDArray[np.float64], float]:
        """Return the weighted sum of ``signals``, by the weights for each passage's edition, and
        the weight of query variants.
        """
        general = self.scorer.general
        if general is None or self.prepared.general is None:
            return _fuse(signals, weights()), weights()["phrasings"]
        ready = PREPARED if general.everywhere else BUILT_IN
        is_ready = self.scorer.ready
        are_ready = {bool(is_ready[number]) for run in self.scope.runs for number in range(*run)}
        weight = weights(ready)["phrasings"]
        if len(are_ready) == 1:
            return _fuse(signals, weights(ready if True in are_ready else UNPHRASED)), weight
        edition_of = edition_numbers(self.lookup, self.scope.numbers)
        both = _fuse(signals, weights(ready)), _fuse(signals, weights(UNPHRASED))
        return np.where(is_ready[edition_of], *both), weight

    def _zeros(self) -> Floats:
        return np.zeros(len(self.scope.numbers), dtype=np.float32)

    def _at(self, numbers: Sequence[int] | NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the positions in the scope of the passages ``numbers``."""
        return positions(self.scope.numbers, numbers)

    @cached_property
    def near(self) -> Floats:
        """The similarity of every passage to the question (first row) and, if it has several, to
        its question sentences (further rows).
        """
        return self.scorer.store.vectors(self.prepared.vectors, self.scope)

    @cached_property
    def bm25(self) -> Floats:
        """BM25 for the terms of the question, and for the terms of its question sentences alone:
        two rows.
        """
        prepared, scope = self.prepared, self.scope
        found = np.zeros((2, len(scope.numbers)), dtype=np.float32)
        for language in scope.languages:
            asking = dict.fromkeys(prepared.asking_terms_in(language))
            others = [term for term in prepared.terms_in(language) if term not in asking]
            story = [term for term in others if term not in prepared.card_terms]
            quoted = [term for term in others if term in prepared.card_terms]
            parts = [(list(asking), 1.0)]
            parts += [each for each in ((story, 1.0), (quoted, CARD_TEXT)) if each[0]]
            mask: NDArray[np.bool_] | slice = slice(None)
            part = scope
            if len(scope.languages) > 1:
                mask = self.lookup.in_language[language][scope.numbers]
                part = self.scorer.scope(self.scorer.editions_in(language, scope.editions))
                if not scope.whole:
                    part = replace(part, numbers=scope.numbers[mask], whole=False)
            scores = self.scorer.store.words([terms for terms, _ in parts], part)
            found[:, mask] = (
                sum(weight * of_part for (_, weight), of_part in zip(parts, scores, strict=True)),
                scores[0],
            )
        return found

    def characters(self) -> Floats:
        """Return BM25 for the character n-grams of the question; its question sentences weigh
        most.
        """
        prepared = self.prepared
        if not prepared.story_words and not prepared.card_words:
            return self.scorer.store.characters(self.parsed.folded, self.scope)
        found = self._zeros()
        for words, weight in (
            (prepared.asking_words, 1.0),
            (prepared.story_words, STORY),
            (prepared.card_words, STORY * CARD_TEXT),
        ):
            if words:
                found += np.float32(weight) * self.scorer.store.characters(words, self.scope)
        return found

    def official_names(self) -> Floats:
        """Return BM25 for the official names of concepts that the question names otherwise."""
        found, scope, mentions = self._zeros(), self.scope, self.parsed.mentions
        if not any(mentions.values()):
            return found
        for number in (n for run in scope.runs for n in range(*run)):
            edition = self.lookup.editions[number]
            recogniser = self.scorer.parser.recognisers[edition.game]
            names = recogniser.expansion(mentions[edition.game], edition.language)
            if not names:
                continue
            bounds = self.lookup.bounds[number : number + 2]
            first, end = np.searchsorted(scope.numbers, bounds).tolist()
            part = self.scorer.scope(frozenset((edition.id,)))
            if not scope.whole:
                part = replace(part, numbers=scope.numbers[first:end], whole=False)
            terms = [
                term for name in names for term in self.scorer.name_terms(name, edition.language)
            ]
            found[first:end] += self.scorer.store.words([terms], part)[0]
        return found

    def best_in_entry(self) -> Floats:
        """Return for each passage the greatest similarity of any passage of its entry, at least
        0.
        """
        near = self.near[0]
        order, starts, group_of = (
            self.scorer.grouped_by_entry(self.scope.editions)
            if self.scope.whole
            else group_by_entry(self.lookup.entries[self.scope.numbers])
        )
        best = np.maximum.reduceat(near[order], starts) if len(starts) else near
        return np.asarray(np.maximum(best, 0.0)[group_of])

    @cached_property
    def about(self) -> Floats:
        """The certainty that the question mentions the concept of the passage's entry, or of an
        entry around it.
        """
        certainty: dict[str, float] = {}
        for game, mentions in self.parsed.mentions.items():
            for mention in mentions:
                concept = f"{game}/{mention.concept}"
                certainty[concept] = max(certainty.get(concept, 0.0), mention.certainty)
        found = self._zeros()
        # The most certain concept last: it counts for a passage about several.
        for concept in sorted(certainty, key=certainty.__getitem__):
            if self.scope.whole:
                places = self.scorer.about_concept(concept, self.scope.editions)
            else:
                places = self._at(self.lookup.of_concept.numbers(concept))
            found[places] = certainty[concept]
        return found

    def literal(self) -> Floats:
        """Return the share of the question's short quotations that each passage contains
        verbatim.
        """
        found = self._zeros()
        share = np.float32(1 / max(len(self.parsed.short_quotations), 1))
        for quotation in self.parsed.short_quotations:
            found[self._at(self.features.containing(quotation, self.scope.numbers))] += share
        return found

    def general(self) -> Floats:
        """Return the similarity by the general encoder; 0 for passages it has not encoded."""
        if self.scorer.general is None or self.prepared.general is None:
            return self._zeros()
        return self.scorer.general.similarities(self.prepared.general, self.scope.numbers)

    def titled(self) -> Floats:
        """Return 1 for passages of entries whose title has a term of the question, otherwise 0."""
        found = self._zeros()
        for language, terms in self.prepared.terms.items():
            for term in terms:
                found[self._at(self.features.titled(term, language))] = 1.0
        return found

    def headed(self) -> NDArray[np.float64] | float:
        """Return the share of the terms of each passage's heading that the question has, if it also
        has a term of a heading above; otherwise 0. Not needed if all editions have query variants.
        """
        if self._is_prepared:
            return 0.0
        terms = [(term, language) for language, own in self.prepared.terms.items() for term in own]
        around = [self.features.headings.around(*each) for each in terms]
        if not any(map(len, around)):
            return 0.0
        below = np.zeros(len(self.scope.numbers), dtype=np.bool_)
        for numbers in around:
            below[self._at(numbers)] = True
        shares = np.zeros(len(below))
        for each in dict.fromkeys(terms):
            if len(numbers := self.features.titled(*each)):
                shares[self._at(numbers)] += 1.0
        places = np.flatnonzero(below & (shares > 0))
        found = np.zeros(len(below))
        found[places] = shares[places] / self.features.headings.sizes(self.scope.numbers[places])
        return found

    def amounts(self) -> NDArray[np.bool_]:
        """Return which passages state a number if the question asks for one, otherwise none. Not
        needed if all editions have query variants.
        """
        if self._is_prepared or not asks_for_amount(
            self.prepared.asking_words, self.prepared.language
        ):
            return np.zeros(len(self.scope.numbers), dtype=np.bool_)
        return np.asarray(self.features.amounts[self.scope.numbers])

    @property
    def _is_prepared(self) -> bool:
        return all(self.features.prepared[slice(*run)].all() for run in self.scope.runs)

    def below_headings(self) -> list[int]:
        """Return the passages of the scope whose own heading and one above it together have exactly
        the terms of the question, ascending.
        """
        below = self.features.headings.below
        found: set[int] = set()
        for language, terms in self.prepared.terms.items():
            found.update(self.scope.numbers[self._at(below(language, terms))].tolist())
        return sorted(found)

    def of_cards(self) -> Floats:
        """Return for each passage that is a ruling or erratum on a card the certainty that the
        question names that card; otherwise 0.
        """
        certainty: dict[str, float] = {}
        for card in (card for cards in self.parsed.cards.values() for card in cards):
            for entry in card.entries:
                certainty[entry] = max(certainty.get(entry, 0.0), card.certainty)
        found = self._zeros()
        for entry, value in certainty.items():
            found[self._at(self.lookup.of_entry.numbers(entry))] = value
        return found

    def of_rules(self) -> NDArray[np.float64]:
        """Return 1 for passages of a rule asked for by number, otherwise 0."""
        return self._marked(self._numbers_of_rules)

    @property
    def _numbers_of_rules(self) -> NDArray[np.int64]:
        return np.concatenate([np.empty(0, dtype=np.int64), *self.rules.values()])

    @cached_property
    def rules(self) -> Mapping[CitedRule, NDArray[np.int64]]:
        """The numbers of the passages in the scope of each rule asked for by number."""
        found = {
            rule: self.lookup.of_rule.passages(rule, chapters=self.prepared.asks_for_rule)
            for rule in self.parsed.rules
        }
        return {rule: self.scope.numbers[self._at(found[rule])] for rule in found}

    def of_card_numbers(self) -> NDArray[np.float64]:
        """Return 1 for passages about a card asked for by number, otherwise 0."""
        return self._marked(_numbers_of_all(self.lookup.of_card, self.parsed.card_numbers))

    def _marked(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.zeros(len(self.scope.numbers))
        found[self._at(numbers)] = 1.0
        return found

    @property
    def named_passages(self) -> NDArray[np.int64]:
        """The numbers of the passages about the cards, concepts and rules that the question
        names.
        """
        parsed, lookup = self.parsed, self.lookup
        cards = [entry for each in parsed.cards.values() for card in each for entry in card.entries]
        concepts = [
            f"{game}/{mention.concept}"
            for game, mentions in parsed.mentions.items()
            for mention in mentions
        ]
        return np.concatenate(
            [
                _numbers_of_all(lookup.of_entry, cards),
                _numbers_of_all(lookup.of_concept, concepts),
                self._numbers_of_rules,
                _numbers_of_all(lookup.of_card, parsed.card_numbers),
            ]
        )


class Signal(NamedTuple):
    """A signal by ``name``, and the function that computes it for all passages of a scope.

    ``compute`` is None for query variants, which are compared only for the best passages. A
    ``share`` has values from 0 to 1, which are not divided by the greatest.
    """

    name: str
    compute: Callable[[QuestionSignals], Floats] | None
    share: bool = False


SIGNALS = (
    Signal("words", lambda asked: asked.bm25[0]),
    Signal("asking", lambda asked: asked.bm25[1]),
    Signal("terms", QuestionSignals.official_names),
    Signal("characters", QuestionSignals.characters),
    Signal("vectors", lambda asked: asked.near[0]),
    Signal(
        "questions",
        lambda asked: asked.near[1:].max(axis=0) if len(asked.near) > 1 else asked.near[0],
    ),
    Signal("place", QuestionSignals.best_in_entry),
    Signal("about", lambda asked: asked.about, share=True),
    Signal("literal", QuestionSignals.literal, share=True),
    Signal("length", lambda asked: asked.lookup.lengths[asked.scope.numbers], share=True),
    Signal("general", QuestionSignals.general),
    Signal("phrasings", None),
)
_SHARES = frozenset(each.name for each in SIGNALS if each.share)


def scaled(signals: Mapping[str, Floats]) -> dict[str, NDArray[np.float64]]:
    """Return each of ``signals`` divided by its greatest value, shares unchanged."""
    found = {}
    for name, values in signals.items():
        top = 1.0 if name in _SHARES else float(values.max(initial=0.0))
        found[name] = np.maximum(values, 0.0).astype(np.float64) / (top if top > 0 else 1.0)
    return found


def _fuse(signals: Signals, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the weighted sum of ``signals``, each scaled as by `scaled`."""
    values = np.array(list(signals.values()), dtype=np.float64)
    np.maximum(values, 0.0, out=values)
    tops = values.max(axis=1, initial=0.0).tolist()
    worth = [
        weights[name] / (1.0 if name in _SHARES or top == 0 else top)
        for name, top in zip(signals, tops, strict=True)
    ]
    return np.asarray(np.dot(worth, values))


def edition_numbers(lookup: PassageLookup, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the number of the edition of each of the passages ``numbers``."""
    return np.searchsorted(lookup.bounds, numbers, side="right") - 1


def _scope_of_editions(lookup: PassageLookup, editions: frozenset[str]) -> SearchScope:
    """Return the scope of all passages of ``editions``, given by id."""
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
    """Return the ``editions`` in ``language``."""
    return frozenset(e.id for e in lookup.editions if e.language == language).intersection(editions)


def _group_editions(
    lookup: PassageLookup, scope: Callable[[frozenset[str]], SearchScope], editions: tuple[str, ...]
) -> Grouped:
    """Return all passages of ``editions``, grouped by their entries."""
    return group_by_entry(lookup.entries[scope(frozenset(editions)).numbers])


def _positions_about(
    lookup: PassageLookup,
    scope: Callable[[frozenset[str]], SearchScope],
    concept: str,
    editions: tuple[str, ...],
) -> NDArray[np.integer]:
    """Return the positions of passages about ``concept`` among all passages of ``editions``."""
    return positions(scope(frozenset(editions)).numbers, lookup.of_concept.numbers(concept))


def _numbers_of_all(index: NameIndex, names: Iterable[str]) -> NDArray[np.int64]:
    """Return the numbers that ``index`` has for any of ``names``."""
    return np.concatenate([np.empty(0, dtype=np.int64), *map(index.numbers, names)])


def group_by_entry(entries: NDArray[np.int64]) -> Grouped:
    """Group passages by ``entries``, the entry of each. Return their positions sorted by entry, the
    start of each group among these, and the group of each passage.
    """
    order = np.argsort(entries, kind="stable")
    begins = np.r_[True, np.diff(entries[order]) > 0][: len(order)]
    group_of = np.empty(len(order), dtype=np.int64)
    group_of[order] = np.cumsum(begins) - 1
    return order, np.flatnonzero(begins), group_of
