"""How alike passages of two editions are: by what translations share, and by words learned to stand for each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.model import Passage, Role
from corpus.spans import Span
from glossary import normalization
from glossary.matching.assignment import best_assignment, nearness
from glossary.matching.features import SHARED, Feature, FeatureRules, extract_features
from glossary.model import RulebookView
from glossary.name_finder import NameFinder

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PLACE = 0.2  # what the same place within the entry counts in addition to the same content
LEAST = 0.05  # content that counterparts share, at least: translations have few words in common
LEAST_IN_ONE_LANGUAGE = 0.3  # the same between versions

_SIGN = 2.0  # what a term, a number or a name counts, where a word counts one
_ROUNDS = 2  # of learning words; a third changes next to nothing
_TOGETHER = 0.2  # coefficient of Dice of two words that stand for each other
_SEEN = 3  # pairs of passages that have both, at least
_FACED = 2  # rows in which two words face each other, at least, to stand for each other
_CLEARLY = 0.1  # by which a passage is more like another one than its counterpart, to be taken for the counterpart of that
_BY_CHANCE = 3  # times as often as words that have nothing to do with each other
_SHORTEST = 3  # letters of a proper name
_NOTHING = 1e-9  # what a passage without words counts
_FEATURES = FeatureRules()

Translations = Mapping[Feature, set[Feature]]
TiedPassages = tuple[Sequence[Passage], Sequence[Passage]]  # the passages of entries that correspond


class TermUse(NamedTuple):
    """A term at ``span`` of the display of a passage: the concepts that it may stand for, and its words."""

    span: Span
    concepts: frozenset[str]
    features: frozenset[Feature]


@dataclass(frozen=True, slots=True)
class PassageReading:
    """What there is in a passage: features to compare it by, terms, words with a capital letter as printed, and without one.

    ``words`` are all its words, each with where it begins in the display.
    """

    features: frozenset[Feature]
    words: tuple[tuple[int, Feature], ...]
    terms: tuple[TermUse, ...]
    capital: Mapping[str, str]
    small: frozenset[str]


class PassageSimilarity:
    """The passages of two editions made comparable.

    A passage is as like another as each covers the other: the share of its words and signs, weighted by rarity, that the
    other has too. Signs are what translations have in common: terms, numbers, names. In one language a word stands for
    itself; between two, words learn to stand for each other: the passages of ``tied`` entries are assigned to each other by
    their signs, words that often stand in both of such a pair, by the coefficient of Dice (1945) as Smadja, McKeown and
    Hatzivassiloglou (1996) find translations, count from then on, and so for some rounds.
    """

    def __init__(
        self,
        left: Sequence[Passage],
        right: Sequence[Passage],
        vocabularies: tuple[NameFinder, NameFinder],
        tied: Sequence[TiedPassages] = (),
    ):
        from scipy.sparse import csr_matrix, diags  # slow to load, as all of scipy and scikit-learn, and answering does without
        from sklearn.feature_extraction.text import CountVectorizer

        self._read = tuple(
            {p.id: _passage_features(p.display, vocabulary) for p in side}
            for side, vocabulary in zip((left, right), vocabularies, strict=True)
        )
        self.languages = vocabularies[0].language, vocabularies[1].language
        # Two versions of one edition have passages of the same id, so each side has rows of its own.
        self._row = tuple({id: row for row, id in enumerate(side)} for side in self._read)
        features = [[read.features for read in side.values()] for side in self._read]
        counter = CountVectorizer(analyzer=iter, binary=True, dtype=np.float32)
        counter.fit([*features[0], *features[1], {(SHARED, "")}])  # it knows no empty vocabulary
        self._column: Mapping[Feature, int] = counter.vocabulary_
        self._has = tuple(csr_matrix(counter.transform([*side, ()]))[:-1] for side in features)
        weight = self._weights()
        self._weighted = tuple(csr_matrix(has @ diags(weight)) for has in self._has)
        self._reach(csr_matrix((len(weight), len(weight)), dtype=np.float32))
        if tied and not self.same_language:
            for _ in range(_ROUNDS):
                self._reach(self._learned(tied))

    @property
    def same_language(self) -> bool:
        """Whether both editions are in one language."""
        return self.languages[0] == self.languages[1]

    def _languages(self) -> NDArray[Any]:
        """The language of each feature, shape (features,)."""
        return np.array([language for language, _ in sorted(self._column, key=self._column.__getitem__)])

    def _weights(self) -> NDArray[np.float64]:
        """What each feature counts, shape (features,): the rarer in the passages that might have it, the more."""
        seen = sum(np.asarray(has.sum(axis=0)).ravel() for has in self._has)
        languages = self._languages()
        there = np.zeros(len(languages))
        for row, language in zip(self._row, self.languages, strict=True):
            there[(languages == language) | (languages == SHARED)] += len(row)
        rarity = np.log((there + 1) / (seen + 1))
        return np.where(languages == SHARED, _SIGN * (rarity + 1), rarity)

    def _reach(self, learned: csr_matrix) -> None:
        """Work out how much passages cover of each other where, besides themselves, ``learned`` features stand for each other."""
        from scipy.sparse import csr_matrix

        self._stands = learned
        shares = []
        for side, stands in ((0, learned), (1, learned.T)):
            covered = csr_matrix(self._has[side] + self._has[side] @ stands)
            covered.data = np.minimum(covered.data, 1)
            own = self._weighted[1 - side]
            shares.append((covered @ own.T).toarray() / np.maximum(np.asarray(own.sum(axis=1)).ravel(), _NOTHING))
        self._back, self._forth = shares[0], shares[1].T

    def _learned(self, tied: Sequence[TiedPassages]) -> csr_matrix:
        """How surely words of the left stand for those of the right, shape (features, features)."""
        from scipy.sparse import csr_matrix

        pairs = [(here[i].id, there[j].id) for here, there in tied for i, j, _ in self.counterparts(here, there)]
        left, right = (self._has[side][[self._row[side][pair[side]] for pair in pairs]] for side in (0, 1))
        both = (left.T @ right).tocoo()
        seen = [np.asarray(side.sum(axis=0)).ravel() for side in (left, right)]
        dice = 2 * both.data / (seen[0][both.row] + seen[1][both.col])
        languages = self._languages()
        accepted = (
            (languages[both.row] == self.languages[0])
            & (languages[both.col] == self.languages[1])
            & (both.data >= _SEEN)
            & (dice >= _TOGETHER)
        )
        return csr_matrix((dice[accepted], (both.row[accepted], both.col[accepted])), shape=both.shape)

    def learned_words(self) -> list[tuple[str, str, float]]:
        """Stems of the left and of the right that were learned to stand for each other, and how surely, from 0 to 1."""
        stands, names = self._stands.tocoo(), sorted(self._column, key=self._column.__getitem__)
        return [(names[i][1], names[j][1], float(sure)) for i, j, sure in zip(stands.row, stands.col, stands.data, strict=True)]

    def coverage(self, here: Sequence[Passage], there: Sequence[Passage]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How much each of ``here``, on the left, has in each of ``there``, on the right, and how much these have in it.

        Both of shape (len(here), len(there)), from 0 to 1.
        """
        place = np.ix_(*([self._row[side][p.id] for p in passages] for side, passages in enumerate((here, there))))
        return self._forth[place], self._back[place]

    def similarity(self, here: Sequence[Passage], there: Sequence[Passage]) -> NDArray[np.float64]:
        """The likeness of each of ``here`` with each of ``there``, shape (len(here), len(there)), from 0 to 1: the mean of `coverage`."""
        forth, back = self.coverage(here, there)
        return np.sqrt(forth * back)

    def more_alike(self, side: int, passage: Passage, others: Sequence[Passage]) -> list[str]:
        """The ids of passages that ``passage``, of the left (``side`` 0) or right, is clearly more like than ``others``, which it faces."""
        row = self._row[side][passage.id]
        forth, back = (self._forth[row], self._back[row]) if side == 0 else (self._forth[:, row], self._back[:, row])
        alike = np.sqrt(forth * back)
        least = max((float(alike[self._row[1 - side][p.id]]) for p in others), default=0.0)
        ids = list(self._row[1 - side])
        return [ids[n] for n in np.flatnonzero(alike > least + _CLEARLY)]

    def mean_coverage(self, side: int, own: Sequence[Passage], others: Sequence[Passage]) -> float:
        """How much of the passages ``own``, on the left (``side`` 0) or right (1), the best of ``others`` cover, from 0 to 1."""
        if not own or not others:
            return 0.0
        covered = self.coverage(own, others)[0] if side == 0 else self.coverage(others, own)[1].T
        return float(covered.max(axis=1).mean())

    def counterparts(self, here: Sequence[Passage], there: Sequence[Passage]) -> list[tuple[int, int, float]]:
        """Which passages of two entries are counterparts, by their numbers in ``here`` and ``there``, and how alike they are.

        Each has at most one: the assignment of the greatest total (Kuhn 1955) of `similarity` and of how near each other they
        stand within their entries, pairs with less in common than `LEAST` left out.
        """
        if not here or not there:
            return []
        content = self.similarity(here, there)
        left, right = (np.arange(len(side)) / max(len(side) - 1, 1) for side in (here, there))
        pairs = best_assignment(content + PLACE * nearness(left, right))
        least = LEAST_IN_ONE_LANGUAGE if self.same_language else LEAST
        return [(i, j, float(content[i, j])) for i, j in pairs if content[i, j] >= least]

    def read(self, side: int, passage: str) -> PassageReading:
        """What there is in ``passage``, given by id, on the left (``side`` 0) or right (1)."""
        return self._read[side][passage]

    def weights(self) -> Mapping[Feature, float]:
        """What each feature counts, the rarer the more."""
        return dict(zip(sorted(self._column, key=self._column.__getitem__), map(float, self._weights()), strict=True))

    def associated(self, rows: Sequence[TiedPassages]) -> tuple[Translations, Translations]:
        """What stands for each feature of the left and of the right: what was learned, and words that often face each other in ``rows``.

        Rows are surer than the passages that words were learned from, so that two words count that face each other twice, and three
        times as often as by chance.
        """
        from scipy.sparse import csr_matrix

        sides = []
        for side in (0, 1):
            places = [(n, self._row[side][p.id]) for n, row in enumerate(rows) for p in row[side]]
            at = np.array(places, dtype=np.int64).reshape(-1, 2)  # there may be no rows at all
            of_row = csr_matrix((np.ones(len(at)), (at[:, 0], at[:, 1])), shape=(len(rows), len(self._row[side])))
            has = csr_matrix(of_row @ self._has[side])
            has.data = np.minimum(has.data, 1)
            sides.append(has)
        left, right = sides
        both = (left.T @ right).tocoo()
        seen = [np.asarray(side.sum(axis=0)).ravel() for side in (left, right)]
        languages = self._languages()
        product = seen[0][both.row] * seen[1][both.col]
        accepted = (
            (languages[both.row] == self.languages[0])
            & (languages[both.col] == self.languages[1])
            & (both.data >= _FACED)
            & (2 * both.data / (seen[0][both.row] + seen[1][both.col]) >= _TOGETHER)
            & (both.data * len(rows) >= _BY_CHANCE * product)
        )
        feature = sorted(self._column, key=self._column.__getitem__)
        forth, back = ({one: set(others) for one, others in known.items()} for known in self._translations)
        for i, j in zip(both.row[accepted], both.col[accepted], strict=True):
            forth.setdefault(feature[i], set()).add(feature[j])
            back.setdefault(feature[j], set()).add(feature[i])
        return forth, back

    @cached_property
    def _translations(self) -> tuple[Translations, Translations]:
        """What stands for each feature, for those of the left and of the right."""
        feature = sorted(self._column, key=self._column.__getitem__)
        forth: dict[Feature, set[Feature]] = defaultdict(set)
        back: dict[Feature, set[Feature]] = defaultdict(set)
        stands = self._stands.tocoo()
        for i, j in zip(stands.row, stands.col, strict=True):
            forth[feature[i]].add(feature[j])
            back[feature[j]].add(feature[i])
        return forth, back

    def unmatched_names(self, side: int, own: Sequence[Passage], others: Sequence[Passage]) -> tuple[str, ...]:
        """Proper names, as printed, in the passages ``own``, on the left (``side`` 0) or right (1), that are not in ``others``."""
        there = {name for p in others for name in self._read[1 - side][p.id].capital}
        found = {name: printed for p in own for name, printed in self._read[side][p.id].capital.items()}
        return tuple(printed for name, printed in found.items() if name in self._proper and name not in there)

    @cached_property
    def _proper(self) -> frozenset[str]:
        """Names that both editions print, always with a capital letter: people and products that no one translates."""
        capital = [{name for read in side.values() for name in read.capital} for side in self._read]
        small = {word for side in self._read for read in side.values() for word in read.small}
        return frozenset((capital[0] & capital[1]) - small)


def ruling_passages(rulebook: RulebookView) -> dict[str, list[Passage]]:
    """The passages of each entry that can settle something, by entry id: no reference lists, no superseded wording."""
    found: dict[str, list[Passage]] = defaultdict(list)
    for passage in rulebook.passages:
        if passage.role is Role.TEXT:
            found[passage.entry].append(passage)
    return found


def _passage_features(text: str, finder: NameFinder) -> PassageReading:
    found = extract_features(text, finder, _FEATURES)
    terms = []
    inside: set[int] = set()
    for use in found.terms:
        place = range(use.first, use.last)
        concepts = frozenset(concept for concept, _ in use.concepts)
        if not concepts <= finder.ordinary:
            span = Span(found.tokens[use.first].start, found.tokens[use.last - 1].end)
            terms.append(TermUse(span, concepts, frozenset((found.language, found.stems[i]) for i in place)))
            inside.update(place)
    return PassageReading(
        features=frozenset(found.words()) | frozenset(found.shared()),
        words=tuple((token.start, (found.language, stem)) for token, stem in zip(found.tokens, found.stems, strict=True)),
        terms=tuple(terms),
        capital={
            normalization.fold_umlauts(token.text): token.text
            for i, token in enumerate(found.tokens)
            if token.text[0].isupper() and i not in inside and len(token.text) >= _SHORTEST
        },
        small=frozenset(normalization.fold_umlauts(token.text) for token in found.tokens if token.text[0].islower()),
    )
