"""Ties that seem to be missing or wrong: entries of two editions of a game that look like one
another, and tied ones that do not.

Four signs are weighed, each from 0 to 1:

- titles: how well the words of the titles translate each other, by IBM model 1 (Brown et al. 1993) trained on the titles and names
  that the confirmed ties have in both languages, or are alike as they are written ("Scenario", "Szenario");
- text: the cosine of the terms, numbers and untranslated names in the texts, weighted by rarity
(tf-idf);
- references: the share of the concepts that both refer to, or are referred to by, among all that
either does, weighted by rarity;
- place: for chapters, that they stand below the same concept and as far down.

Proposals are the assignment of the greatest total weight (Kuhn 1955) among entries that have no
counterpart.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from corpus.languages import words_of
from corpus.model import Entry, Kind, Role, Rulebook
from corpus.titles import key
from glossary import normalization
from glossary.concepts import Concept
from glossary.matching.likeness import (
    Feature,
    FeatureRules,
    FeatureVectors,
    best_assignment,
    extract_features,
    lead,
)
from glossary.model import Reference
from glossary.name_finder import NameFinder

_ROUNDS = 6  # of training; titles are short, so that more change nothing
_COGNATE = (
    0.7  # likeness in writing from which words count as translations ("Scenario", "Szenario")
)
_SMALL = words_of("function_words.in_translations")

TitlePair = tuple[str, str]
"""A title and its translation."""


def title_words(title: str, language: str) -> tuple[str, ...]:
    """Return the stems of the words of ``title`` that mean something."""
    return tuple(
        normalization.stem(w.text, language)
        for w in normalization.tokenize(title)
        if normalization.fold(w.text) not in _SMALL
    )


class TitleTranslator:
    """The titles of two editions, compared word by word.

    Words translate each other by IBM model 1 (Brown et al. 1993), trained on pairs of titles, by
    what texts teach, or by being written alike. ``languages`` and ``titles`` are those of the left
    and of the right edition.
    """

    def __init__(self, languages: tuple[str, str], titles: tuple[Sequence[str], Sequence[str]]):
        self._languages = languages
        words = tuple(
            [title_words(title, languages[side]) for title in titles[side]] for side in (0, 1)
        )
        self._titled: tuple[dict[tuple[str, ...], list[int]], ...] = (
            {},
            {},
        )  # places of titles by their words
        for titled, each in zip(self._titled, words, strict=True):
            for place, title in enumerate(each):
                if title:
                    titled.setdefault(title, []).append(place)
        self._columns = tuple(
            {word: n for n, word in enumerate(sorted({w for title in each for w in title}))}
            for each in words
        )
        self._places = tuple(
            [np.array(sorted({columns[w] for w in title}), dtype=int) for title in each]
            for each, columns in zip(words, self._columns, strict=True)
        )
        self._alike = np.zeros((len(self._columns[0]), len(self._columns[1])))
        if self._alike.size:  # words that are written alike
            left, right = (list(columns) for columns in self._columns)
            self._alike = cdist(
                left, right, scorer=OSA.normalized_similarity, score_cutoff=_COGNATE
            ).astype(float)

    def likeness(
        self, taught: Iterable[TitlePair], learned: Iterable[tuple[str, str, float]]
    ) -> NDArray[np.float64]:
        """Return how well each title of the left and each of the right translate each other, from 0
        to 1.

        ``taught`` are titles and their translations, ``learned`` stems and how surely they stand
        for each other. Shape (left, right).
        """
        alike = self._alike.copy()
        left, right = self._languages
        pairs = [(title_words(one, left), title_words(other, right)) for one, other in taught]
        there = train_word_translations(pairs)
        back = train_word_translations([(other, one) for one, other in pairs])
        trained = (
            (one, other, math.sqrt(chance * back.get((other, one), 0.0)))
            for (one, other), chance in there.items()
        )
        for one, other, strength in (*trained, *learned):
            row, column = self._columns[0].get(one), self._columns[1].get(other)
            if row is not None and column is not None:
                alike[row, column] = max(alike[row, column], min(strength, 1.0))
        forth = _mean_of_best(self._places[0], self._places[1], alike)
        back_again = _mean_of_best(self._places[1], self._places[0], alike.T)
        found: NDArray[np.float64] = np.sqrt(forth * back_again.T)
        for pair in pairs:  # as a whole, whatever its words teach
            rows, columns = (
                titled.get(words, []) for titled, words in zip(self._titled, pair, strict=True)
            )
            found[np.ix_(rows, columns)] = 1.0
        return found


def _mean_of_best(
    titles: Sequence[NDArray[np.int_]],
    others: Sequence[NDArray[np.int_]],
    words: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return for each of ``titles`` and of ``others``, the mean over the words of the other of its
    best counterpart in the title.
    """
    best = np.array(
        [words[title].max(axis=0) if len(title) else np.zeros(words.shape[1]) for title in titles]
    )
    found = np.zeros((len(titles), len(others)))
    for column, other in enumerate(others):
        if len(other) and len(titles):
            found[:, column] = best[:, other].mean(axis=1)
    return found


def plain_title(entry: Entry) -> str:
    """Return the title of ``entry`` without the number that it begins with; a title that is but a
    number stays.
    """
    number = (entry.number or "").rstrip(".")
    rest = entry.title.removeprefix(number).lstrip(" .:)–-\t") if number else ""
    return rest or entry.title


def train_word_translations(
    pairs: Sequence[tuple[tuple[str, ...], tuple[str, ...]]],
) -> dict[tuple[str, str], float]:
    """Return how likely a word of the first of each pair stands for one of the second, by
    expectation and maximisation.
    """
    chance: dict[tuple[str, str], float] = {
        (a, b): 1.0 for one, other in pairs for a in one for b in other
    }
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


KINDS = (Kind.TERM, Kind.REDIRECT, Kind.SECTION, Kind.SUBSECTION)
WEIGHTS = {
    "titles": 0.45,
    "text": 0.25,
    "references": 0.3,
}  # of each sign; place comes on top where it says something
PLACE = 0.1
MIN_WEIGHT = 0.25  # weight that a proposal needs, measured by leaving out confirmed ties
MIN_WEIGHT_IN_ONE_LANGUAGE = 0.35
MIN_LEAD = 0.05  # and by how much it must be better than any other for either entry
DOUBTFUL = 0.06  # weight under which a confirmed tie is doubted; wrong ones seldom have more

_FEATURES = FeatureRules(shortest_name=3, fold_names=False, digits_in_words=False)


class WeighedTie(NamedTuple):
    """Two entries of different editions, and how much speaks for both being one concept's, from 0
    to 1.
    """

    entry: Entry
    other: Entry
    weight: float


class EntryComparer:
    """Two editions of a game made comparable entry by entry, by what their confirmed ties teach.

    ``references`` are those of both rulebooks, ``tied`` concept ids by entry id.
    """

    def __init__(
        self,
        left: Rulebook,
        right: Rulebook,
        references: Iterable[Reference],
        tied: Mapping[str, str],
        concepts: Sequence[Concept],
    ):
        self._tied = tied
        self._near = concept_neighbours(references, tied)
        self._rare = rarity(self._near.values())
        self._titles = _Translations(left, right, tied, concepts)
        vectors = FeatureVectors(_feature_counts((left, right), concepts), math.sqrt)
        with_text = [
            [e.id for e in rulebook.entries if e.id in vectors] for rulebook in (left, right)
        ]
        self._text = vectors.cosines(*with_text)
        self._row, self._column = (
            {id: number for number, id in enumerate(side)} for side in with_text
        )
        self._places = {e.id: place for rulebook in (left, right) for e, place in _places(rulebook)}

    def scores(self, one: Entry, other: Entry, seen: int = 1) -> dict[str, float]:
        """Return what ``one``, on the left, and ``other``, on the right, have in common, by the
        names of `WEIGHTS` and "place".

        Of titles, words count as translations that at least ``seen`` ties have: with 2, what two
        tied entries have learned from each other counts for nothing.
        """
        with_text = one.id in self._row and other.id in self._column
        return {
            "titles": self._titles.likeness(one.title, other.title, seen),
            "text": float(self._text[self._row[one.id], self._column[other.id]])
            if with_text
            else 0.0,
            "references": self._shared(one.id, other.id),
            "place": self._place(one, other),
        }

    def weight(self, scores: Mapping[str, float]) -> float:
        """Return the weighted sum of ``scores``."""
        return (
            sum(weight * scores[name] for name, weight in WEIGHTS.items()) + PLACE * scores["place"]
        )

    def refers_to(self, entry: Entry, concept: str) -> bool:
        """Return whether ``entry`` refers to an entry of ``concept``."""
        return f">{concept}" in self._near.get(entry.id, frozenset())

    def _shared(self, one: str, other: str) -> float:
        here, there = self._near.get(one, frozenset()), self._near.get(other, frozenset())
        whole = sum(self._rare[n] for n in here | there)
        return sum(self._rare[n] for n in here & there) / whole if whole else 0.0

    def _place(self, one: Entry, other: Entry) -> float:
        """Return how near each other two chapters stand below the same concept; 0 for entries in
        alphabetical order.
        """
        if one.kind not in (Kind.SECTION, Kind.SUBSECTION) or one.kind is not other.kind:
            return 0.0
        above = [self._tied.get(e.parent or "") if e.parent else "" for e in (one, other)]
        return (
            1 - abs(self._places[one.id] - self._places[other.id])
            if above[0] is not None and above[0] == above[1]
            else 0.0
        )


def propose_ties(
    comparer: EntryComparer, left: Rulebook, right: Rulebook, tied: Mapping[str, str]
) -> list[WeighedTie]:
    """Return pairs of entries of ``left`` and ``right`` that seem to be one concept's and are not
    tied, each entry at most once.
    """
    here, there = (
        _open(rulebook, other, tied) for rulebook, other in ((left, right), (right, left))
    )
    least = MIN_WEIGHT
    if left.edition.language == right.edition.language:
        # Entries of one name need no tie in one language, and words in common say less than a
        # translation does.
        least = MIN_WEIGHT_IN_ONE_LANGUAGE
        names = {key(e.title) for e in left.entries} & {key(e.title) for e in right.entries}
        here, there = (
            [e for e in entries if key(e.title) not in names] for entries in (here, there)
        )
    if not here or not there:
        return []
    weights = np.zeros((len(here), len(there)))
    chapters = (Kind.SECTION, Kind.SUBSECTION)
    for i, one in enumerate(here):
        for j, other in enumerate(there):
            # A chapter is no term, and two concepts have been told apart already.
            if (one.kind in chapters) == (other.kind in chapters) and not (
                one.id in tied and other.id in tied
            ):
                weights[i, j] = comparer.weight(comparer.scores(one, other))
    found: list[WeighedTie] = []
    for i, j in best_assignment(weights):
        if weights[i, j] >= least and lead(weights, i, j) >= MIN_LEAD:
            found.append(WeighedTie(here[i], there[j], round(float(weights[i, j]), 3)))
    return found


def _open(rulebook: Rulebook, other: Rulebook, tied: Mapping[str, str]) -> list[Entry]:
    """Return the entries of ``rulebook`` without concept, or with one that has no entry in
    ``other``.
    """
    has = {tied[entry.id] for entry in other.entries if entry.id in tied}
    return [
        entry for entry in rulebook.entries if entry.kind in KINDS and tied.get(entry.id) not in has
    ]


def doubtful_ties(
    comparer: EntryComparer, left: Rulebook, right: Rulebook, tied: Mapping[str, str]
) -> Iterator[WeighedTie]:
    """Yield ties between ``left`` and ``right`` of entries that have next to nothing in common,
    each with its best counterpart.

    An entry that but leads to another one of its concept needs nothing in common with it.
    """
    by_concept: dict[str, list[Entry]] = defaultdict(list)
    for entry in right.entries:
        if entry.id in tied:
            by_concept[tied[entry.id]].append(entry)
    for entry in left.entries:
        if (concept := tied.get(entry.id, "")) in by_concept and not comparer.refers_to(
            entry, concept
        ):
            weighed = [
                (comparer.weight(comparer.scores(entry, other, seen=2)), other)
                for other in by_concept[concept]
            ]
            weight, other = max(weighed, key=lambda pair: pair[0])
            if weight < DOUBTFUL:
                yield WeighedTie(entry, other, round(weight, 3))


def concept_neighbours(
    references: Iterable[Reference], tied: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """Return the concepts that each entry refers to (">") and is referred to by ("<")."""
    found: dict[str, set[str]] = defaultdict(set)
    for reference in references:
        target = reference.target
        if target is not None and target != reference.entry:
            if (concept := tied.get(target)) is not None:
                found[reference.entry].add(f">{concept}")
            if (concept := tied.get(reference.entry)) is not None:
                found[target].add(f"<{concept}")
    return {entry: frozenset(near) for entry, near in found.items()}


def rarity(sets: Collection[Iterable[str]]) -> dict[str, float]:
    """Return how much each thing counts that is in ``sets``: the fewer have it, the more."""
    counts = Counter(thing for each in sets for thing in each)
    return {thing: math.log((1 + len(sets)) / (1 + count)) + 1 for thing, count in counts.items()}


def _feature_counts(
    rulebooks: Sequence[Rulebook], concepts: Sequence[Concept]
) -> dict[str, dict[Feature, float]]:
    """Return by entry what its text shares with its translation: terms, numbers and untranslated
    names.
    """
    counts: dict[str, dict[Feature, float]] = {}
    for rulebook in rulebooks:
        finder = NameFinder(concepts, rulebook.edition.language)
        for passage in rulebook.passages:
            if passage.role is Role.TEXT:
                here = counts.setdefault(passage.entry, {})
                for feature, count in (
                    extract_features(passage.display, finder, _FEATURES)
                    .shared(split_terms=True)
                    .items()
                ):
                    here[feature] = here.get(feature, 0.0) + count
    return counts


def _places(rulebook: Rulebook) -> Iterator[tuple[Entry, float]]:
    """Yield chapters, each with how far down among its sisters it stands, from 0 to 1."""
    sisters: dict[tuple[str | None, Kind], list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        sisters[entry.parent, entry.kind].append(entry)
    for group in sisters.values():
        for number, entry in enumerate(group):
            yield entry, number / max(len(group) - 1, 1)


class _Translations:
    """Which words of titles translate which, learned from the titles and names that confirmed ties
    have on both sides.
    """

    def __init__(
        self, left: Rulebook, right: Rulebook, tied: Mapping[str, str], concepts: Sequence[Concept]
    ):
        self._languages = left.edition.language, right.edition.language
        titles = [self._by_concept(rulebook, tied) for rulebook in (left, right)]
        taught = [
            (c, one, other)
            for c in titles[0].keys() & titles[1].keys()
            for one in titles[0][c]
            for other in titles[1][c]
        ]
        for concept in concepts:
            names = [concept.names.get(language, ()) for language in self._languages]
            if names[0] and names[1] and concept.id in titles[0].keys() | titles[1].keys():
                taught.append((concept.id, names[0][0], names[1][0]))
        pairs = [
            (c, title_words(one, self._languages[0]), title_words(other, self._languages[1]))
            for c, one, other in sorted(taught)
        ]
        self._there = train_word_translations([(one, other) for _, one, other in pairs])
        self._back = train_word_translations([(other, one) for _, one, other in pairs])
        self._seen = Counter(
            (a, b) for _, a, b in {(c, a, b) for c, one, other in pairs for a in one for b in other}
        )

    @staticmethod
    def _by_concept(rulebook: Rulebook, tied: Mapping[str, str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for entry in rulebook.entries:
            if entry.id in tied:
                found[tied[entry.id]].append(entry.title)
        return found

    def likeness(self, one: str, other: str, seen: int) -> float:
        """Return how well the words of two titles translate each other, each way by its best word,
        from 0 to 1.
        """
        here, there = title_words(one, self._languages[0]), title_words(other, self._languages[1])
        if not here or not there:
            return 0.0
        known = [[self._word(a, b, seen) for b in there] for a in here]
        forth = sum(max(row) for row in known) / len(here)
        back = sum(max(column) for column in zip(*known, strict=True)) / len(there)
        return math.sqrt(forth * back)

    def _word(self, one: str, other: str, seen: int) -> float:
        alike = OSA.normalized_similarity(one, other)
        learned = 0.0
        if self._seen[one, other] >= seen:
            learned = math.sqrt(
                self._there.get((one, other), 0.0) * self._back.get((other, one), 0.0)
            )
        return max(learned, alike if alike >= _COGNATE else 0.0)
