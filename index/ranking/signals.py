"""What speaks for each passage as the answer to a question: its words, its meaning, its place, its term, its card."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from glossary.memo import remember
from index.analysis import terms
from index.files.name_tables import Rows
from index.library.passage_lookup import Places, within
from index.questions.prepared import Asked, Where
from index.questions.question_parser import Asks, Question, Reader
from index.ranking.fusion import fuse, greatest, scaled, weights
from index.ranking.passage_features import Prints
from index.store.store import Store

# On the scale of `index.ranking.fusion.TOTAL`:
NAMED = 3.0  # more than all parts together: who asks for rule 4.2.1 or for card 31 wants just these
STEPPED = 2.0  # the tenth step of a list that is spoken of
MEANT = 0.35  # who asks what a word means wants its entry from the beginning
CARD = 0.35  # who names a card wants its ruling and its erratum first
SPOKEN = 0.15  # the same rule in the asker's language comes first, a better one in another language still wins

SURE = 0.85  # certainty of a term in whatever inflection
_PLACES = 16  # scopes whose passages are remembered
_CONCEPTS = 1_000  # concepts whose passages are remembered
_NAMES = 2_000  # official names whose terms are remembered
# Passages whose phrasings are looked at one by one: of 500 questions 497 have the same ten with 25 as with 150, all the same five.
CANDIDATES = 25

Grouped = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class Parts:
    """The parts of the ranking over searchable passages, which are numbered in the order of their library."""

    def __init__(self, places: Places, store: Store, reader: Reader, prints: Prints):
        self.places = places
        self._store = store
        self._reader = reader
        self._prints = prints
        self._lately: dict[frozenset[str], Where] = {}
        self._lately_printed: dict[tuple[str, tuple[str, ...]], frozenset[str]] = {}
        self._lately_grouped: dict[tuple[str, ...], Grouped] = {}
        self._lately_about: dict[tuple[str, tuple[str, ...]], NDArray[np.integer]] = {}
        self._lately_terms: dict[tuple[str, str], list[str]] = {}

    def where(self, wanted: frozenset[str]) -> Where:
        """Where the passages of the ``wanted`` editions are."""
        return self._lately.get(wanted) or remember(self._lately, wanted, self._where(wanted), _PLACES)

    def _where(self, wanted: frozenset[str]) -> Where:
        here = {n: edition for n, edition in enumerate(self.places.editions) if edition.id in wanted}
        starts = [n for n in here if n - 1 not in here]
        ends = [n + 1 for n in here if n + 1 not in here]
        runs = tuple(zip(starts, ends, strict=True))
        numbers = [np.arange(self.places.bounds[start], self.places.bounds[end]) for start, end in runs]
        languages = tuple(sorted({edition.language for edition in here.values()}))
        games = tuple(sorted({edition.game for edition in here.values()}))
        return Where(np.concatenate(numbers, dtype=np.int64), tuple(e.id for e in here.values()), runs, languages, games)

    def looked(self, asked: Asked, where: Where) -> Where:
        """``where`` itself or, where its passages are too many, those of them that come into question."""
        wanted = dict.fromkeys(term for printed in where.languages for term in asked.words(printed))
        found = self._store.candidates(list(wanted), asked.vectors, where)
        if found is None:
            return where
        called = where.numbers[within(where.numbers, self._called(asked.question))]
        return replace(where, numbers=np.union1d(found, called), whole=False)

    def scores(self, asked: Asked, where: Where) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.float64]]:
        """The scores of `fusion.PARTS` for the passages ``where`` is looked, and these fused, shape (len(where.numbers),) each.

        First all passages are looked at, and the entries that they stand in; then, of those that come into question, every
        phrasing.
        """
        near = self._store.vectors(asked.vectors, where)
        words, asking = self._bm25(asked, where)
        scores = {
            "words": words,
            "asking": asking,
            "terms": self._named(asked.question, where),
            "characters": self._store.characters(asked.question.folded, where),
            "vectors": near[0],
            "questions": near[1:].max(axis=0) if len(near) > 1 else near[0],
            "place": self._places(near[0], where),
            "about": self._about(asked.question, where),
            "literal": self._literal(asked.question, where),
            "length": self.places.lengths[where.numbers],
        }
        fused = fuse(scores, weights())
        candidates = greatest(fused, CANDIDATES)
        said = self._store.phrasings(asked.vector, where.numbers[candidates])
        fused[candidates] += weights()["phrasings"] * scaled({"phrasings": said})["phrasings"]
        scores["phrasings"] = np.zeros(len(where.numbers), dtype=np.float32)
        scores["phrasings"][candidates] = said
        return scores, fused

    def _bm25(self, asked: Asked, where: Where) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """BM25 of every passage for the words to look for in its language: those of the question, and those of what it asks."""
        found = np.zeros((2, len(where.numbers)), dtype=np.float32)
        for printed in where.languages:
            asking = dict.fromkeys(asked.asking_words(printed))
            others = [term for term in asked.words(printed) if term not in asking]  # none where all of a question asks
            there, here = self._printed(printed, where) if len(where.languages) > 1 else (slice(None), where)
            scores = self._store.words([list(asking), others] if others else [list(asking)], here)
            found[:, there] = sum(scores), scores[0]
        return found[0], found[1]

    def _printed(self, language: str, where: Where) -> tuple[NDArray[np.bool_], Where]:
        """Which of the passages ``where`` is looked are printed in ``language``, and these alone."""
        there = self.places.printed_in[language][where.numbers]
        name = (language, where.editions)
        editions = self._lately_printed.get(name)
        if editions is None:
            found = frozenset(e.id for e in self.places.editions if e.language == language).intersection(where.editions)
            editions = remember(self._lately_printed, name, found, _PLACES)
        return there, self.where(editions) if where.whole else replace(self.where(editions), numbers=where.numbers[there], whole=False)

    def _named(self, question: Question, where: Where) -> NDArray[np.float32]:
        """BM25 of every passage for the official names of what the question calls by other names."""
        scores = np.zeros(len(where.numbers), dtype=np.float32)
        if not any(question.mentions.values()):
            return scores
        for number in (n for run in where.runs for n in range(*run)):
            known = self.places.editions[number]
            names = self._reader.recognisers[known.game].expansion(question.mentions[known.game], known.language)
            if names:
                first, end = np.searchsorted(where.numbers, self.places.bounds[number : number + 2]).tolist()
                here = self.where(frozenset((known.id,)))
                here = here if where.whole else replace(here, numbers=where.numbers[first:end], whole=False)
                scores[first:end] += self._store.words([[t for name in names for t in self._terms(name, known.language)]], here)[0]
        return scores

    def _terms(self, name: str, language: str) -> list[str]:
        """The index terms of an official name."""
        found = self._lately_terms.get((name, language))
        return found if found is not None else remember(self._lately_terms, (name, language), terms(name, language), _NAMES)

    def _places(self, near: NDArray[np.float32], where: Where) -> NDArray[np.float32]:
        """For every passage the greatest of ``near`` in its entry, 0 at least: how likely this is the place."""
        entries = self.places.entries
        order, starts, which = self._whole(where.editions) if where.whole else grouped(entries[where.numbers])
        best = np.maximum.reduceat(near[order], starts) if len(starts) else near
        return np.asarray(np.maximum(best, 0.0)[which])

    def _whole(self, editions: tuple[str, ...]) -> Grouped:
        """All passages of ``editions`` by their entries."""
        lately = self._lately_grouped
        found = lately.get(editions)
        if found is None:
            numbers = self.where(frozenset(editions)).numbers
            found = remember(lately, editions, grouped(self.places.entries[numbers]), _PLACES)
        return found

    def _titled(self, asked: Asked, where: Where) -> NDArray[np.float32]:
        """Which passages stand in an entry that the question has a word of the title of, 1 or 0."""
        found = np.zeros(len(where.numbers), dtype=np.float32)
        for printed, wanted in asked.terms.items():
            for term in wanted:
                found[within(where.numbers, self._prints.titled(term, printed))] = 1.0
        return found

    def _about(self, question: Question, where: Where) -> NDArray[np.float32]:
        """For every passage how surely the question mentions the term that its entry, or one around it, is about."""
        sure: dict[str, float] = {}
        for game, mentions in question.mentions.items():
            for mention in mentions:
                concept = f"{game}/{mention.concept}"
                sure[concept] = max(sure.get(concept, 0.0), mention.certainty)
        found = np.zeros(len(where.numbers), dtype=np.float32)
        for concept in sorted(sure, key=sure.__getitem__):  # the surest last, since passages may be about several
            found[self._of_concept(concept, where)] = sure[concept]
        return found

    def _of_concept(self, concept: str, where: Where) -> NDArray[np.integer]:
        """Where among the passages ``where`` is looked those about ``concept`` stand."""
        if not where.whole:
            return within(where.numbers, self.places.of_concept.of(concept))
        name = (concept, where.editions)
        found = self._lately_about.get(name)
        if found is None:
            there = within(where.numbers, self.places.of_concept.of(concept))
            found = remember(self._lately_about, name, there, _CONCEPTS)
        return found

    def _literal(self, question: Question, where: Where) -> NDArray[np.float32]:
        """For every passage the share of the question's short quotations that it holds, as they are printed."""
        found = np.zeros(len(where.numbers), dtype=np.float32)
        for name in question.names:
            found[within(where.numbers, self._prints.holding(name, where.numbers))] += np.float32(1 / len(question.names))
        return found

    def _of_cards(self, question: Question, where: Where) -> NDArray[np.float32]:
        """For every passage how surely the question names the card that it is a ruling or an erratum of."""
        sure: dict[str, float] = {}
        for named in question.cards.values():
            for card in named:
                sure.update({entry: max(sure.get(entry, 0.0), card.certainty) for entry in card.entries})
        found = np.zeros(len(where.numbers), dtype=np.float32)
        for entry, certainty in sure.items():
            found[within(where.numbers, self.places.of_entry.of(entry))] = certainty
        return found

    def preferred(self, asked: Asked, where: Where) -> NDArray[np.float64]:
        """What is preferred whatever the texts say, shape (len(where.numbers),).

        Rulings and errata of a named card; the rule that is asked for by number, or the step; the beginning of the entry of
        the word whose meaning is asked; the asker's language.
        """
        question, numbers = asked.question, where.numbers
        preferred = np.zeros(len(numbers))
        if question.language in self.places.printed_in:
            preferred += SPOKEN * self.places.printed_in[question.language][numbers]
        if any(question.cards.values()):
            preferred += (NAMED if question.of_card else CARD) * self._of_cards(question, where)
        if question.rules:
            preferred += NAMED * _are(numbers, self._of_rules(question))
        if question.card_numbers:
            preferred += NAMED * _are(numbers, self._of_card_numbers(question))
        if question.steps or question.asks is Asks.DEFINITION:
            about = self._about(question, where)
            if question.steps:
                about = np.maximum(about, self._titled(asked, where))
                preferred += STEPPED * about * np.isin(self._prints.steps[numbers], list(question.steps))
            else:
                preferred += MEANT * (about >= SURE) * self.places.beginnings[numbers]
        return np.asarray(preferred, dtype=np.float64)

    def _of_rules(self, question: Question) -> NDArray[np.int64]:
        """The passages of the rules asked for by number."""
        return _together(self.places.of_rule, question.rules)

    def _of_card_numbers(self, question: Question) -> NDArray[np.int64]:
        """The passages about the cards asked for by number."""
        return _together(self.places.of_card, question.card_numbers)

    def _called(self, question: Question) -> NDArray[np.int64]:
        """The passages that are `preferred` by more than their texts: of what the question calls by its name or number."""
        cards = [entry for named in question.cards.values() for card in named for entry in card.entries]
        concepts = [f"{game}/{mention.concept}" for game, mentions in question.mentions.items() for mention in mentions]
        found = _together(self.places.of_entry, cards), _together(self.places.of_concept, concepts)
        return np.concatenate([*found, self._of_rules(question), self._of_card_numbers(question)])


def _together(rows: Rows, names: Iterable[str]) -> NDArray[np.int64]:
    """The numbers under all of ``names``."""
    return np.concatenate([np.empty(0, dtype=np.int64), *map(rows.of, names)])


def _are(numbers: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.float64]:
    """Which of ``numbers`` are ``wanted``, 1 or 0."""
    found = np.zeros(len(numbers))
    found[within(numbers, wanted)] = 1.0
    return found


def grouped(entries: NDArray[np.int64]) -> Grouped:
    """Passages with these ``entries`` in the order of their entries, where each entry begins there, and of each passage which it is."""
    order = np.argsort(entries, kind="stable")
    begins = np.r_[True, np.diff(entries[order]) > 0][: len(order)]
    which = np.empty(len(order), dtype=np.int64)
    which[order] = np.cumsum(begins) - 1
    return order, np.flatnonzero(begins), which
