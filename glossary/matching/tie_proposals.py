"""Propose entries of two editions that seem to belong to one concept, and find confirmed ones that
do not seem to.

Four features are weighted, each from 0 to 1:

- titles: how well their words translate each other, by IBM model 1 (Brown et al. 1993) trained on
  the titles and names of confirmed concepts, or are spelled alike ("Scenario", "Szenario");
- text: the cosine of the terms, numbers and untranslated names, weighted by rarity (tf-idf);
- references: the concepts that both refer to, or are referred to by, as a share of those of either,
  weighted by rarity;
- place: for chapters, whether they are below the same concept and at a similar position.

Proposals are the assignment of the greatest total weight (Kuhn 1955) among entries that have no
counterpart. `glossary.comparison.concept_proposals` weights these features and more for games that
nobody has described.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from corpus.languages import words_of
from corpus.model import Entry, Kind, Rulebook
from corpus.titles import key
from glossary import normalization
from glossary.concepts import Concept
from glossary.matching.likeness import (
    Feature,
    FeatureVectors,
    best_assignment,
    count_by_entry,
    extract_features,
    lead,
)
from glossary.model import Reference
from glossary.name_finder import NameFinder

CHAPTERS = (Kind.SECTION, Kind.SUBSECTION)
KINDS = (Kind.TERM, Kind.REDIRECT, *CHAPTERS)
WEIGHTS = {"titles": 0.45, "text": 0.25, "references": 0.3, "place": 0.1}
MIN_WEIGHT = 0.25  # weight that a proposal needs, measured by leaving out confirmed pairs
MIN_WEIGHT_IN_ONE_LANGUAGE = 0.35
MIN_LEAD = 0.05  # by which a proposal's weight exceeds any other of its two entries
DOUBTFUL = 0.06  # below this weight confirmed pairs are doubted; wrong ones seldom have more

_ROUNDS = 6  # of training; titles are short, so that more change nothing
_COGNATE = 0.7  # likeness in writing from which words count as translations
_FEWEST = 4  # chapters whose order says anything
_IN_ORDER = 0.9  # share of neighbours in alphabetical order
_SMALL = words_of("function_words.in_translations")

Sides = tuple[Sequence[Entry], Sequence[Entry]]
"""Entries of the left and of the right edition."""

Matrix = NDArray[np.float64]
"""A value from 0 to 1 for each pair of entries, shape (left, right)."""

TitlePair = tuple[str, str]
"""A title and its translation."""


class WeighedTie(NamedTuple):
    """Two entries of different editions, and a score (0 to 1) that they belong to one concept."""

    entry: Entry
    other: Entry
    weight: float


def plain_title(entry: Entry) -> str:
    """Return the title of ``entry`` without its leading number, unless it is only a number."""
    number = (entry.number or "").rstrip(".")
    rest = entry.title.removeprefix(number).lstrip(" .:)–-\t") if number else ""
    return rest or entry.title


class TitleTranslator:
    """Compares the titles of two editions word by word.

    ``languages`` and ``titles`` are those of the left and of the right edition.
    """

    def __init__(self, languages: tuple[str, str], titles: tuple[Sequence[str], Sequence[str]]):
        self._languages = languages
        self._titles = [
            [_title_words(title, language) for title in side]
            for side, language in zip(titles, languages, strict=True)
        ]
        self._columns = [
            {word: n for n, word in enumerate(sorted({w for title in side for w in title}))}
            for side in self._titles
        ]
        self._alike = np.zeros((len(self._columns[0]), len(self._columns[1])))
        if self._alike.size:  # words that are written alike
            left, right = (list(columns) for columns in self._columns)
            self._alike = cdist(
                left, right, scorer=OSA.normalized_similarity, score_cutoff=_COGNATE
            ).astype(float)

    def likeness(
        self,
        taught: Iterable[TitlePair],
        learned: Iterable[tuple[str, str, float]] = (),
        known: Collection[tuple[str, str]] | None = None,
    ) -> Matrix:
        """Return how well each title of the left and each of the right translate each other, from 0
        to 1.

        ``taught`` are titles with their translations; ``learned`` are pairs of stems with the
        certainty that they translate each other. With ``known``, only these pairs of stems are
        learned from titles.
        """
        alike = self._alike.copy()
        pairs = [self.words(each) for each in taught]
        there = _train(pairs)
        back = _train([(other, one) for one, other in pairs])
        trained = (
            (one, other, math.sqrt(chance * back.get((other, one), 0.0)))
            for (one, other), chance in there.items()
            if known is None or (one, other) in known
        )
        for one, other, strength in (*trained, *learned):
            row, column = self._columns[0].get(one), self._columns[1].get(other)
            if row is not None and column is not None:
                alike[row, column] = max(alike[row, column], min(strength, 1.0))
        forth, back_again = self._mean_of_best(0, alike), self._mean_of_best(1, alike.T)
        found: Matrix = np.sqrt(forth * back_again.T)
        if known is None:  # titles taught as a whole count, whatever their words teach
            rows: dict[tuple[str, ...], list[int]] = defaultdict(list)
            for place, title in enumerate(self._titles[0]):
                rows[title].append(place)
            titles_of = defaultdict(set)
            for title, translation in pairs:
                if title and title in rows:
                    titles_of[translation].add(title)
            for place, translation in enumerate(self._titles[1]):
                for title in titles_of[translation] if translation else ():
                    found[rows[title], place] = 1.0
        return found

    def words(self, pair: TitlePair) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the stems of the content words of a title and of its translation."""
        return _title_words(pair[0], self._languages[0]), _title_words(pair[1], self._languages[1])

    def _mean_of_best(self, side: int, alike: Matrix) -> Matrix:
        """Return how well each title of ``side`` covers each title of the other side: the mean,
        over the words of the other title, of the best translation score with a word of this one.
        """
        here, there = (
            [sorted({columns[word] for word in title}) for title in titles]
            for columns, titles in zip(self._columns, self._titles, strict=True)
        )
        if side:
            here, there = there, here
        best = np.array([alike[t].max(axis=0) if t else np.zeros(alike.shape[1]) for t in here])
        found = np.zeros((len(here), len(there)))
        for column, title in enumerate(there):
            if title and here:
                found[:, column] = best[:, title].mean(axis=1)
        return found


def _title_words(title: str, language: str) -> tuple[str, ...]:
    return tuple(
        normalization.stem(word.text, language)
        for word in normalization.tokenize(title)
        if normalization.fold(word.text) not in _SMALL
    )


def _train(
    pairs: Sequence[tuple[tuple[str, ...], tuple[str, ...]]],
) -> dict[tuple[str, str], float]:
    """Return the probability that a left word translates a right word, learned from ``pairs`` of
    texts by expectation maximisation.
    """
    chance = {(a, b): 1.0 for one, other in pairs for a in one for b in other}
    for _ in range(_ROUNDS):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        for one, other in pairs:
            for b in other:
                whole = sum(chance[a, b] for a in one)
                for a in one:
                    counts[a, b] += chance[a, b] / whole
                    totals[a] += chance[a, b] / whole
        chance = {(a, b): count / totals[a] for (a, b), count in counts.items()}
    return chance


def reference_signs(
    entries: Sides, references: Iterable[Reference], tied: Mapping[str, str]
) -> Matrix:
    """Return how many concepts two entries refer to (">") or are referred to by ("<") in common, as
    a share of those of either, weighted by rarity.
    """
    near: dict[str, set[str]] = defaultdict(set)
    for reference in references:
        target = reference.target
        if target is not None and target != reference.entry:
            if target in tied:
                near[reference.entry].add(f">{tied[target]}")
            if reference.entry in tied:
                near[target].add(f"<{tied[reference.entry]}")
    counts = Counter(concept for concepts in near.values() for concept in concepts)
    columns = {concept: column for column, concept in enumerate(sorted(counts))}
    rare = np.array([math.log((1 + len(near)) / (1 + counts[each])) + 1 for each in columns])
    has = []
    for side in entries:
        here = np.zeros((len(side), len(columns)))
        for row, entry in enumerate(side):
            here[row, [columns[concept] for concept in near.get(entry.id, ())]] = 1.0
        has.append(here)
    both = (has[0] * rare) @ has[1].T
    either = (has[0] @ rare)[:, None] + (has[1] @ rare)[None, :] - both
    shares: Matrix = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return shares


def place_signs(entries: Sides, tied: Mapping[str, str]) -> Matrix:
    """Return how near the positions of two chapters below the same concept are, from 0 to 1; 0 for
    chapters in alphabetical order.
    """
    signs = np.zeros((len(entries[0]), len(entries[1])))
    left, right = (_sisters(side, tied) for side in entries)
    for above in left.keys() & right.keys():
        here, there = left[above], right[above]
        down = [np.arange(len(group)) / max(len(group) - 1, 1) for group in (here, there)]
        signs[np.ix_(here, there)] = 1 - np.abs(down[0][:, None] - down[1][None, :])
    return signs


def _sisters(side: Sequence[Entry], tied: Mapping[str, str]) -> dict[tuple[Kind, str], list[int]]:
    """Return the positions of chapters by their kind and the concept above them ("" for none); skip
    groups in alphabetical order.
    """
    groups: dict[tuple[Kind, str], list[int]] = defaultdict(list)
    for place, entry in enumerate(side):
        if entry.kind in CHAPTERS and (entry.parent is None or entry.parent in tied):
            above = "" if entry.parent is None else tied[entry.parent]
            groups[entry.kind, above].append(place)
    found = {}
    for family, group in groups.items():
        in_order = sum(a <= b for a, b in pairwise(key(side[n].title) for n in group))
        if len(group) < _FEWEST or in_order <= _IN_ORDER * (len(group) - 1):
            found[family] = group
    return found


def open_pairs(entries: Sides, tied: Mapping[str, str]) -> NDArray[np.bool_]:
    """Return which pairs may be proposed: no entry whose concept the other edition has, and no two
    entries that both have a concept.
    """
    concepts = [{tied[e.id] for e in side if e.id in tied} for side in entries]
    free = [
        np.array([tied.get(e.id) not in concepts[1 - n] for e in side], dtype=bool)
        for n, side in enumerate(entries)
    ]
    loose = [np.array([e.id not in tied for e in side], dtype=bool) for side in entries]
    pairs: NDArray[np.bool_] = (free[0][:, None] & free[1][None, :]) & (
        loose[0][:, None] | loose[1][None, :]
    )
    return pairs


def unlike_kinds(entries: Sides) -> NDArray[np.bool_]:
    """Return which pairs consist of a chapter and a term."""
    left, right = (np.array([e.kind in CHAPTERS for e in side], dtype=bool) for side in entries)
    differ: NDArray[np.bool_] = left[:, None] != right[None, :]
    return differ


class EntryComparer:
    """Scores all pairs of entries of two editions of a game, trained on their confirmed concepts.

    ``references`` are those of both rulebooks, ``tied`` concept ids by entry id.
    """

    def __init__(
        self,
        left: Rulebook,
        right: Rulebook,
        references: Sequence[Reference],
        tied: Mapping[str, str],
        concepts: Sequence[Concept],
    ):
        here, there = ([e for e in book.entries if e.kind in KINDS] for book in (left, right))
        self._entries = here, there
        self._languages = left.edition.language, right.edition.language
        self._tied, self._references = tied, references
        self._taught = list(self._taught_titles(concepts))
        titles = [e.title for e in here], [e.title for e in there]
        self._titles = TitleTranslator(self._languages, titles)
        counts: dict[str, dict[Feature, float]] = {}
        for book in (left, right):
            finder = NameFinder(concepts, book.edition.language)
            counts |= count_by_entry(
                book,
                lambda passage, finder=finder: extract_features(  # type: ignore[misc]
                    passage.display, finder, shortest_name=3, as_written=True
                ).shared(split_terms=True),
            )
        vectors = FeatureVectors(counts, math.sqrt)
        places = [[n for n, e in enumerate(side) if e.id in vectors] for side in self._entries]
        text = np.zeros((len(here), len(there)))
        text[np.ix_(*places)] = vectors.cosines(
            [here[n].id for n in places[0]], [there[n].id for n in places[1]]
        )
        self._others = (
            WEIGHTS["text"] * text
            + WEIGHTS["references"] * reference_signs(self._entries, references, tied)
            + WEIGHTS["place"] * place_signs(self._entries, tied)
        )

    def _taught_titles(self, concepts: Sequence[Concept]) -> Iterator[tuple[str, TitlePair]]:
        """Yield pairs of titles, and of names, of one concept, each with the concept's id."""
        titles: list[dict[str, list[str]]] = [defaultdict(list), defaultdict(list)]
        for titled, side in zip(titles, self._entries, strict=True):
            for entry in side:
                if entry.id in self._tied:
                    titled[self._tied[entry.id]].append(entry.title)
        for concept in titles[0].keys() & titles[1].keys():
            for one in titles[0][concept]:
                yield from ((concept, (one, other)) for other in titles[1][concept])
        for each in concepts:
            left, right = (each.name(language) for language in self._languages)
            if left and right and (each.id in titles[0] or each.id in titles[1]):
                yield each.id, (left, right)

    def proposed(self) -> list[WeighedTie]:
        """Return pairs of entries that seem to belong to one concept and have no common one yet,
        each entry at most once.
        """
        here, there = self._entries
        titles = self._titles.likeness(sorted(pair for _, pair in self._taught))
        allowed = open_pairs(self._entries, self._tied) & ~unlike_kinds(self._entries)
        least = MIN_WEIGHT
        if self._languages[0] == self._languages[1]:
            # Entries of one name need no concept in one language, and words in common say less than
            # a translation does.
            least = MIN_WEIGHT_IN_ONE_LANGUAGE
            left, right = ([key(e.title) for e in side] for side in self._entries)
            allowed &= np.array([name not in right for name in left], dtype=bool)[:, None]
            allowed &= np.array([name not in left for name in right], dtype=bool)[None, :]
        weights = np.where(allowed, WEIGHTS["titles"] * titles + self._others, 0.0)
        return [
            WeighedTie(here[i], there[j], round(float(weights[i, j]), 3))
            for i, j in best_assignment(weights)
            if weights[i, j] >= least and lead(weights, i, j) >= MIN_LEAD
        ]

    def doubtful(self) -> Iterator[WeighedTie]:
        """Yield entries of one concept that have next to nothing in common, each with its best
        counterpart.

        An entry that only refers to another entry of its concept needs nothing in common with it.
        Word translations that only the titles of the concept itself teach are not used.
        """
        taught = {(concept, self._titles.words(pair)) for concept, pair in self._taught}
        concepts: dict[tuple[str, str], set[str]] = defaultdict(set)
        for concept, words in taught:
            for a in words[0]:
                for b in words[1]:
                    concepts[a, b].add(concept)
        known = {pair for pair, of_concepts in concepts.items() if len(of_concepts) > 1}
        titles = self._titles.likeness(sorted(pair for _, pair in self._taught), known=known)
        weights = WEIGHTS["titles"] * titles + self._others
        leads = {
            (r.entry, self._tied.get(r.target))
            for r in self._references
            if r.target and r.target != r.entry
        }
        columns: dict[str, list[int]] = defaultdict(list)
        for column, entry in enumerate(self._entries[1]):
            if entry.id in self._tied:
                columns[self._tied[entry.id]].append(column)
        for row, entry in enumerate(self._entries[0]):
            concept = self._tied.get(entry.id, "")
            if concept in columns and (entry.id, concept) not in leads:
                column = max(columns[concept], key=lambda column: float(weights[row, column]))
                if weights[row, column] < DOUBTFUL:
                    other = self._entries[1][column]
                    yield WeighedTie(entry, other, round(float(weights[row, column]), 3))
