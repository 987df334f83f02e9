"""What speaks for each passage as the answer to a question: its words, its meaning, its place, its term, its card."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from corpus.divide import LONGEST
from glossary.lately import remember
from index.analysis import fold, terms
from index.fusion import best, fuse, weights
from index.library import Library
from index.prints import Prints
from index.reading import Asks, Question, Reader
from index.vectors import Vectors
from index.words import Bm25, Run

# On the scale of `index.fusion.TOTAL`:
NAMED = 3.0  # more than all parts together: who asks for rule 4.2.1 or for card 31 wants just these
STEPPED = 2.0  # the tenth step of a list that is spoken of
MEANT = 0.35  # who asks what a word means wants its entry from the beginning
CARD = 0.35  # who names a card wants its ruling and its erratum first
SPOKEN = 0.15  # the same rule in the asker's language comes first, a better one in another language still wins

SURE = 0.85  # certainty of a term in whatever inflection
_PLACES = 64
CANDIDATES = 150  # passages whose phrasings are looked at one by one


@dataclass(frozen=True)
class Asked:
    """A question made ready to be looked for: as read, its terms by the language they are read in, its n-grams, its vectors.

    ``vectors`` has one row for the whole question and, where it asks several things, one for each, shape (m, dimensions).
    ``spelt`` are the words of its asking sentences, folded, and ``spelt_vectors`` those of each of them.
    """

    question: Question
    terms: dict[str, tuple[str, ...]]
    asking: dict[str, tuple[str, ...]]
    grams: tuple[str, ...]
    vectors: NDArray[np.float32]
    spelt: tuple[str, ...]
    spelt_vectors: NDArray[np.float32]

    @property
    def language(self) -> str:
        """The language of the question."""
        return self.question.language

    @property
    def vector(self) -> NDArray[np.float32]:
        """The vector of the whole question, shape (dimensions,)."""
        return np.asarray(self.vectors[0])

    def words(self, printed: str) -> list[str]:
        """Terms to look for in a rulebook ``printed`` in a language: players mix languages, and phrasings are in two."""
        return list(dict.fromkeys((*self.terms[printed], *self.terms[self.language])))

    def asking_words(self, printed: str) -> list[str]:
        """The `words` of the asking sentences alone."""
        return list(dict.fromkeys((*self.asking[printed], *self.asking[self.language])))


@dataclass(frozen=True)
class Where:
    """Where is looked: the numbers of the passages, ascending, their editions in order, and the runs that these make in the library."""

    allowed: NDArray[np.int64]
    editions: tuple[str, ...]
    runs: tuple[Run, ...]

    @property
    def around(self) -> range:
        """The passages from the first to the last that is looked at."""
        return range(int(self.allowed[0]), int(self.allowed[-1]) + 1) if len(self.allowed) else range(0)


class Parts:
    """The parts of the ranking over the searchable passages of a library, which are numbered in its order."""

    def __init__(self, library: Library, words: Bm25, characters: Bm25, vectors: Vectors, reader: Reader, prints: Prints):
        self._library = library
        self._words = words
        self._characters = characters
        self._vectors = vectors
        self._reader = reader
        self._prints = prints
        self.editions = [library.entry[p.entry].edition for p in library.searchable]
        self._count = len(self.editions)
        self._lately: dict[frozenset[str], Where] = {}

    def where(self, wanted: frozenset[str]) -> Where:
        """Where the passages of the ``wanted`` editions are."""
        return self._lately.get(wanted) or remember(self._lately, wanted, self._where(wanted), _PLACES)

    def _where(self, wanted: frozenset[str]) -> Where:
        here = tuple(e.id for e in self._library.editions if e.id in wanted)
        places = [n for n, e in enumerate(self._library.editions) if e.id in wanted]
        starts = [n for n in places if n - 1 not in places]
        ends = [n + 1 for n in places if n + 1 not in places]
        numbers = [self._edition_numbers[edition] for edition in here]
        return Where(np.concatenate(numbers) if numbers else np.empty(0, dtype=np.int64), here, tuple(zip(starts, ends, strict=True)))

    def scores(self, asked: Asked, where: Where) -> dict[str, NDArray[np.float32]]:
        """The scores of `index.fusion.PARTS` for the passages ``where`` is looked, shape (len(where.allowed),) each.

        First all passages are looked at, and the entries that they stand in; then, of those that come into question, every
        phrasing.
        """
        allowed = where.allowed
        near = self._vectors.passages(asked.vectors, where.around)
        scores = {
            "words": self._bm25(asked.words, where),
            "asking": self._bm25(asked.asking_words, where),
            "terms": self._named(asked.question, where),
            "characters": self._characters.scores(asked.grams, where.runs),
            "vectors": near[0],
            "questions": near[1:].max(axis=0) if len(near) > 1 else near[0],
            "place": self._places(near[0]),
            "about": self._about(asked.question),
            "literal": self._literal(asked.question),
            "length": self._lengths,
        }
        wanted = slice(where.around.start, where.around.stop) if len(where.around) == len(allowed) else allowed  # no copies, mostly
        here = {name: values[wanted] for name, values in scores.items()}
        first = fuse(here, weights())
        candidates = np.sort(best(first, CANDIDATES))
        here["phrasings"] = np.zeros(len(allowed), dtype=np.float32)
        here["phrasings"][candidates] = self._vectors.phrasings(asked.vector, allowed[candidates])
        return here

    def _bm25(self, words: Callable[[str], list[str]], where: Where) -> NDArray[np.float32]:
        """BM25 of every passage for the words to look for in its language."""
        spoken = {self._library.edition[edition].language for edition in where.editions}
        scores = {printed: self._words.scores(words(printed), where.runs) for printed in sorted(spoken)}
        if len(scores) == 1:
            return next(iter(scores.values()))
        found = np.zeros(self._count, dtype=np.float32)
        for printed, values in scores.items():
            np.copyto(found, values, where=self._printed_in[printed])
        return found

    def _named(self, question: Question, where: Where) -> NDArray[np.float32]:
        """BM25 of every passage for the official names of what the question calls by other names."""
        scores = np.zeros(self._count, dtype=np.float32)
        for edition in where.editions:
            known = self._library.edition[edition]
            names = self._reader.recognisers[known.game].expansion(question.mentions[known.game], known.language)
            if names:
                number = self._library.editions.index(known)
                scores += self._words.scores([t for name in names for t in terms(name, known.language)], [(number, number + 1)])
        return scores

    def _places(self, near: NDArray[np.float32]) -> NDArray[np.float32]:
        """For every passage the greatest of ``near`` in its entry, 0 at least: how likely this is the place."""
        order, starts, numbers = self._by_entry
        best = np.maximum.reduceat(near[order], starts) if len(starts) else near
        return np.asarray(np.maximum(best, 0.0)[numbers])

    def _titled(self, asked: Asked) -> NDArray[np.float32]:
        """Which passages stand in an entry that the question has a word of the title of, 1 or 0."""
        found = np.zeros(self._count, dtype=np.float32)
        for printed, wanted in asked.terms.items():
            for term in wanted:
                found[list(self._prints.titled(term, printed))] = 1.0
        return found

    def _about(self, question: Question) -> NDArray[np.float32]:
        """For every passage how surely the question mentions the term that its entry, or one around it, is about."""
        sure: dict[str, float] = {}
        for game, mentions in question.mentions.items():
            for mention in mentions:
                concept = f"{game}/{mention.concept}"
                sure[concept] = max(sure.get(concept, 0.0), mention.certainty)
        found = np.zeros(self._count, dtype=np.float32)
        for concept, certainty in sure.items():
            here = self._concept_numbers.get(concept)
            if here is not None:
                found[here] = np.maximum(found[here], certainty)
        return found

    def _literal(self, question: Question) -> NDArray[np.float32]:
        """For every passage the share of the question's short quotations that it holds, as they are printed."""
        found = np.zeros(self._count, dtype=np.float32)
        for name in question.names:
            found[self._prints.holding(name)] += np.float32(1 / len(question.names))
        return found

    def _of_cards(self, question: Question) -> NDArray[np.float32]:
        """For every passage how surely the question names the card that it is a ruling or an erratum of."""
        sure: dict[str, float] = {}
        for named in question.cards.values():
            for card in named:
                sure.update({entry: max(sure.get(entry, 0.0), card.certainty) for entry in card.entries})
        found = np.zeros(self._count, dtype=np.float32)
        for entry, certainty in sure.items():
            found[self._passage_numbers.get(entry, [])] = certainty
        return found

    def preferred(self, asked: Asked, allowed: NDArray[np.int64]) -> NDArray[np.float64]:
        """What is preferred whatever the texts say, shape (len(allowed),).

        Rulings and errata of a named card; the rule that is asked for by number, or the step; the beginning of the entry of
        the word whose meaning is asked; the asker's language.
        """
        question = asked.question
        preferred = np.zeros(len(allowed))
        if question.language in self._printed_in:
            preferred += SPOKEN * self._printed_in[question.language][allowed]
        if any(question.cards.values()):
            preferred += (NAMED if question.of_card else CARD) * self._of_cards(question)[allowed]
        if question.rules:
            preferred += NAMED * self._are(n for rule in question.rules for n in self._rule_numbers.get(rule, ()))[allowed]
        if question.card_numbers:
            cards = {entry for number in question.card_numbers for entry in self._card_entries.get(number, ())}
            preferred += NAMED * self._are(n for entry in cards for n in self._passage_numbers.get(entry, ()))[allowed]
        if question.steps or question.asks is Asks.DEFINITION:
            about = self._about(question)[allowed]
            if question.steps:
                about = np.maximum(about, self._titled(asked)[allowed])
                preferred += STEPPED * about * np.isin(self._prints.steps[allowed], list(question.steps))
            else:
                preferred += MEANT * (about >= SURE) * self._beginnings[allowed]
        return np.asarray(preferred, dtype=np.float64)

    def _are(self, numbers: Iterable[int]) -> NDArray[np.float64]:
        """Which passages ``numbers`` are, 1 or 0."""
        found = np.zeros(self._count)
        found[list(numbers)] = 1.0
        return found

    @cached_property
    def _printed_in(self) -> dict[str, NDArray[np.bool_]]:
        """Which passages are printed in each language."""
        languages = np.array([self._library.edition[e].language for e in self.editions])
        return {str(language): languages == language for language in np.unique(languages)}

    @cached_property
    def _rule_numbers(self) -> dict[str, list[int]]:
        """The numbers of the passages of the entries that have each number in print."""
        found: dict[str, list[int]] = {}
        for number, passage in enumerate(self._library.searchable):
            if printed := self._library.entry[passage.entry].number:
                found.setdefault(printed, []).append(number)
        return found

    @cached_property
    def _beginnings(self) -> NDArray[np.bool_]:
        """Which passages are the first of their entry."""
        return np.array([p.ordinal == 0 for p in self._library.searchable], dtype=np.bool_)

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        """How long each passage is on a logarithmic scale, 1 for the longest that there may be."""
        characters = np.array([len(p.text) for p in self._library.searchable], dtype=np.float32)
        return np.asarray(np.log1p(characters) / np.log1p(LONGEST), dtype=np.float32)

    @cached_property
    def _card_entries(self) -> dict[str, list[str]]:
        """The rulings and errata of the cards with each printed number, by entry id."""
        found: dict[str, list[str]] = {}
        for entry in self._library.entries:
            for number in re.findall(r"\w+", fold(entry.number or "")) if entry.card else ():  # "1B-3B" is asked for by either
                found.setdefault(number, []).append(entry.id)
        return found

    @cached_property
    def _passage_numbers(self) -> dict[str, list[int]]:
        """The numbers of the passages of each entry, by entry id."""
        found: dict[str, list[int]] = {}
        for number, passage in enumerate(self._library.searchable):
            found.setdefault(passage.entry, []).append(number)
        return found

    @cached_property
    def _by_entry(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The passages in the order of their entries, where each entry begins there, and the number of the entry of each passage."""
        known = {entry: number for number, entry in enumerate(self._passage_numbers)}
        numbers = np.array([known[p.entry] for p in self._library.searchable], dtype=np.int64)
        order = np.argsort(numbers, kind="stable")
        return order, np.searchsorted(numbers[order], np.arange(len(known))), numbers

    @cached_property
    def _edition_numbers(self) -> dict[str, NDArray[np.int64]]:
        """The numbers of the passages of each edition, by edition id."""
        editions = np.array(self.editions)
        return {edition: np.flatnonzero(editions == edition) for edition in self._library.edition}

    @cached_property
    def _concept_numbers(self) -> dict[str, NDArray[np.int64]]:
        """The numbers of the passages of the entries of each concept, and of the entries inside these."""
        found: dict[str, list[int]] = {}
        for entry, numbers in self._passage_numbers.items():
            for around in self._library.path(self._library.entry[entry]):
                if around.id in self._library.concepts:
                    found.setdefault(self._library.concepts[around.id], []).extend(numbers)
        return {concept: np.array(numbers, dtype=np.int64) for concept, numbers in found.items()}
