"""Compute how similar passages of two editions are, which of them say the same, and which query
variants they share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.blocks import Span
from corpus.model import Passage, Role
from glossary import normalization
from glossary.concepts import Concept, load_concepts
from glossary.matching.likeness import (
    SHARED,
    Feature,
    best_assignment,
    extract_features,
    nearness,
)
from glossary.model import RulebookView
from glossary.name_finder import NameFinder
from glossary.query_variants import QueryVariant, attach_query_variants, load_with_sister_editions

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PLACE = 0.2  # weight of the same place within the entry in addition to the same content
LEAST = 0.05  # content that counterparts share, at least: translations have few words in common
LEAST_IN_ONE_LANGUAGE = 0.3  # the same between versions

_SIGN = 2.0  # weight of a term, a number or a name; that of a word is 1
_ROUNDS = 2  # of learning words; a third changes next to nothing
_TOGETHER = 0.2  # coefficient of Dice of two words that translate each other
_SEEN = 3  # pairs of passages with both words, at least
_FACED = 2  # rows in which two words are aligned, at least, to translate each other
_CLEARLY = 0.1  # by which a passage is more like another one than its counterpart
_BY_CHANCE = 3  # times as often as unrelated words
_SHORTEST = 3  # letters of a proper name
_NOTHING = 1e-9  # weight of a passage without words

Translations = Mapping[Feature, set[Feature]]
TiedPassages = tuple[Sequence[Passage], Sequence[Passage]]
"""The passages of entries that correspond."""


class TermUse(NamedTuple):
    """A term at ``span`` of the display of a passage: its possible concepts, and its words."""

    span: Span
    concepts: frozenset[str]
    features: frozenset[Feature]


class PassageReading(NamedTuple):
    """The analysed content of a passage: features to compare it by, terms, all words with their
    offsets, and its words with a capital letter (as printed, by their folded form) and without.
    """

    features: frozenset[Feature]
    words: tuple[tuple[int, Feature], ...]
    terms: tuple[TermUse, ...]
    capital: Mapping[str, str]
    small: frozenset[str]


class PassageSimilarity:
    """The similarity of the passages of two editions.

    Passages are as similar as each covers the other: the weighted share of its features that the
    other has too, rare features weighing more. Translations share terms, numbers and names. In one
    language words are compared directly; between two, word translations are learned in several
    rounds: the passages of ``tied`` entries are assigned to each other by their features, and words
    that often occur on both sides of such a pair, by the coefficient of Dice (1945) as in Smadja,
    McKeown and Hatzivassiloglou (1996), count as translations in the next round.
    """

    def __init__(
        self,
        left: Sequence[Passage],
        right: Sequence[Passage],
        finders: tuple[NameFinder, NameFinder],
        tied: Sequence[TiedPassages] = (),
    ):
        # Slow to load, as all of scipy and scikit-learn, and answering does without.
        from scipy.sparse import csr_matrix, diags
        from sklearn.feature_extraction.text import CountVectorizer

        self._read = tuple(
            {p.id: _read(p.display, finder) for p in side}
            for side, finder in zip((left, right), finders, strict=True)
        )
        self.languages = finders[0].language, finders[1].language
        self.same_language = self.languages[0] == self.languages[1]
        # Two versions of one edition have passages of the same id, so each side has its own rows.
        self._row = tuple({id: row for row, id in enumerate(side)} for side in self._read)
        features = [[read.features for read in side.values()] for side in self._read]
        counter = CountVectorizer(analyzer=iter, binary=True, dtype=np.float32)
        counter.fit([*features[0], *features[1], {(SHARED, "")}])  # it knows no empty vocabulary
        column: Mapping[Feature, int] = counter.vocabulary_
        self._features = sorted(column, key=column.__getitem__)
        self._language = np.array([language for language, _ in self._features])
        self._has = tuple(csr_matrix(counter.transform([*side, ()]))[:-1] for side in features)
        seen = sum(np.asarray(has.sum(axis=0)).ravel() for has in self._has)
        might = np.zeros(len(self._features))  # passages that might have each feature
        for row, language in zip(self._row, self.languages, strict=True):
            might[(self._language == language) | (self._language == SHARED)] += len(row)
        rarity = np.log((might + 1) / (seen + 1))
        weights = np.where(self._language == SHARED, _SIGN * (rarity + 1), rarity)
        self.weights: Mapping[Feature, float] = dict(
            zip(self._features, map(float, weights), strict=True)
        )
        self._weighted = tuple(csr_matrix(has @ diags(weights)) for has in self._has)
        self._cover(csr_matrix((len(weights), len(weights)), dtype=np.float32))
        if tied and not self.same_language:
            for _ in range(_ROUNDS):
                self._cover(self._learn(tied))

    def _cover(self, learned: csr_matrix) -> None:
        """Compute how much passages cover of each other if ``learned`` features count as equal."""
        from scipy.sparse import csr_matrix

        self._learned = learned
        shares = []
        for side, stands in ((0, learned), (1, learned.T)):
            covered = csr_matrix(self._has[side] + self._has[side] @ stands)
            covered.data = np.minimum(covered.data, 1)
            own = self._weighted[1 - side]
            whole = np.maximum(np.asarray(own.sum(axis=1)).ravel(), _NOTHING)
            shares.append((covered @ own.T).toarray() / whole)
        self._back, self._forth = shares[0], shares[1].T

    def _learn(self, tied: Sequence[TiedPassages]) -> csr_matrix:
        """Return how surely features of the left translate those of the right, shape (features,
        features).
        """
        from scipy.sparse import csr_matrix

        pairs = [
            (self._row[0][here[i].id], self._row[1][there[j].id])
            for here, there in tied
            for i, j, _ in self.counterparts(here, there)
        ]
        left, right = (self._has[side][[pair[side] for pair in pairs]] for side in (0, 1))
        both, _, dice = self._together(left, right)
        accepted = (dice >= _TOGETHER) & (both.data >= _SEEN)
        return csr_matrix(
            (dice[accepted], (both.row[accepted], both.col[accepted])), shape=both.shape
        )

    def _together(
        self, left: csr_matrix, right: csr_matrix
    ) -> tuple[Any, list[NDArray[np.float64]], NDArray[np.float64]]:
        """Return in how many rows each pair of features occurs on both sides, in how many each
        feature occurs, and the Dice coefficient of each pair; 0 for pairs that are not words of
        both languages.
        """
        both = (left.T @ right).tocoo()
        seen = [np.asarray(side.sum(axis=0)).ravel() for side in (left, right)]
        dice = 2 * both.data / (seen[0][both.row] + seen[1][both.col])
        words = (self._language[both.row] == self.languages[0]) & (
            self._language[both.col] == self.languages[1]
        )
        return both, seen, np.where(words, dice, 0.0)

    def learned_words(self) -> list[tuple[str, str, float]]:
        """Return pairs of stems, left and right, that were learned as translations, with their
        certainty from 0 to 1.
        """
        learned = self._learned.tocoo()
        return [
            (self._features[i][1], self._features[j][1], float(sure))
            for i, j, sure in zip(learned.row, learned.col, learned.data, strict=True)
        ]

    def coverage(
        self, here: Sequence[Passage], there: Sequence[Passage]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the share of each left passage of ``here`` that each right passage of ``there``
        covers, and the reverse.

        Both arrays have the shape (len(here), len(there)) and values from 0 to 1.
        """
        rows = [self._row[0][p.id] for p in here]
        place = np.ix_(rows, [self._row[1][p.id] for p in there])
        return self._forth[place], self._back[place]

    def similarity(self, here: Sequence[Passage], there: Sequence[Passage]) -> NDArray[np.float64]:
        """Return the similarity of each of ``here`` and ``there``, from 0 to 1, shape (len(here),
        len(there)): the geometric mean of `coverage`.
        """
        forth, back = self.coverage(here, there)
        return np.sqrt(forth * back)

    def more_alike(self, side: int, passage: Passage, others: Sequence[Passage]) -> list[str]:
        """Return the ids of passages that are clearly more similar than ``others`` to ``passage``,
        which is on the left (``side`` 0) or right.
        """
        row = self._row[side][passage.id]
        forth, back = (
            (self._forth[row], self._back[row])
            if side == 0
            else (self._forth[:, row], self._back[:, row])
        )
        alike = np.sqrt(forth * back)
        least = max((float(alike[self._row[1 - side][p.id]]) for p in others), default=0.0)
        ids = list(self._row[1 - side])
        return [ids[n] for n in np.flatnonzero(alike > least + _CLEARLY)]

    def mean_coverage(self, side: int, own: Sequence[Passage], others: Sequence[Passage]) -> float:
        """Return the mean share, from 0 to 1, of the passages ``own``, on the left (``side`` 0) or
        right (1), that the best of ``others`` covers.
        """
        if not own or not others:
            return 0.0
        covered = self.coverage(own, others)[0] if side == 0 else self.coverage(others, own)[1].T
        return float(covered.max(axis=1).mean())

    def counterparts(
        self, here: Sequence[Passage], there: Sequence[Passage]
    ) -> list[tuple[int, int, float]]:
        """Return the corresponding passages of two entries, as indices into ``here`` and ``there``,
        with their similarity.

        Each passage has at most one: the assignment with the greatest total (Kuhn 1955) of
        `similarity` and of nearness of the positions within the entries; pairs with less in common
        than `LEAST` are left out.
        """
        if not here or not there:
            return []
        content = self.similarity(here, there)
        left, right = (np.arange(len(side)) / max(len(side) - 1, 1) for side in (here, there))
        pairs = best_assignment(content + PLACE * nearness(left, right))
        least = LEAST_IN_ONE_LANGUAGE if self.same_language else LEAST
        return [(i, j, float(content[i, j])) for i, j in pairs if content[i, j] >= least]

    def read(self, side: int, passage: str) -> PassageReading:
        """Return the content of the passage with this id, on the left (``side`` 0) or right (1)."""
        return self._read[side][passage]

    def associated(self, rows: Sequence[TiedPassages]) -> tuple[Translations, Translations]:
        """Return the translations of each feature of either side: the learned ones, and words that
        often occur together in ``rows``.

        Rows are surer than the passages that words were learned from: here two words count if they
        occur together twice, and three times as often as by chance.
        """
        from scipy.sparse import csr_matrix

        sides = []
        for side in (0, 1):
            places = [(n, self._row[side][p.id]) for n, row in enumerate(rows) for p in row[side]]
            at = np.array(places, dtype=np.int64).reshape(-1, 2)  # there may be no rows at all
            of_row = csr_matrix(
                (np.ones(len(at)), (at[:, 0], at[:, 1])), shape=(len(rows), len(self._row[side]))
            )
            has = csr_matrix(of_row @ self._has[side])
            has.data = np.minimum(has.data, 1)
            sides.append(has)
        both, seen, dice = self._together(*sides)
        often = both.data * len(rows) >= _BY_CHANCE * seen[0][both.row] * seen[1][both.col]
        accepted = (dice >= _TOGETHER) & (both.data >= _FACED) & often
        learned = self._learned.tocoo()
        forth: dict[Feature, set[Feature]] = defaultdict(set)
        back: dict[Feature, set[Feature]] = defaultdict(set)
        for i, j in chain(
            zip(learned.row, learned.col, strict=True),
            zip(both.row[accepted], both.col[accepted], strict=True),
        ):
            forth[self._features[i]].add(self._features[j])
            back[self._features[j]].add(self._features[i])
        return forth, back

    def unmatched_names(
        self, side: int, own: Sequence[Passage], others: Sequence[Passage]
    ) -> tuple[str, ...]:
        """Return the proper names, as printed, in the passages ``own``, on the left (``side`` 0) or
        right (1), that are not in ``others``. The first word of a name that is translated as a
        whole ("Red Fox", "Volpe Rossa") does not count.
        """
        there = {
            normalization.fold_umlauts(token.text)
            for p in others
            for token in normalization.tokenize(p.display)
        }
        found = {
            name: printed
            for p in own
            for name, printed in self._read[side][p.id].capital.items()
            if name in self._proper and name not in there and not self._begins_name(name, p)
        }
        return tuple(found.values())

    def _begins_name(self, name: str, passage: Passage) -> bool:
        """Return whether ``name`` precedes another word of ``passage`` that is a name, too, and
        that only one edition has.
        """
        tokens = normalization.tokenize(passage.display)
        return any(
            normalization.fold_umlauts(token.text) == name
            and passage.display[token.end : behind.start] == " "
            and behind.text[0].isupper()
            and normalization.fold_umlauts(behind.text) not in self._proper
            for token, behind in pairwise(tokens)
        )

    @cached_property
    def _proper(self) -> frozenset[str]:
        """Names that both editions print, always with a capital letter: people and products, which
        nobody translates.
        """
        capital = [{name for read in side.values() for name in read.capital} for side in self._read]
        small = {word for side in self._read for read in side.values() for word in read.small}
        return frozenset((capital[0] & capital[1]) - small)


def _read(text: str, finder: NameFinder) -> PassageReading:
    found = extract_features(text, finder)
    words = [(found.language, stem) for stem in found.stems]
    terms = []
    inside: set[int] = set()
    for use in found.terms:
        concepts = frozenset(concept for concept, _ in use.concepts)
        if not concepts <= finder.ordinary:
            span = Span(found.tokens[use.first].start, found.tokens[use.last - 1].end)
            terms.append(TermUse(span, concepts, frozenset(words[use.first : use.last])))
            inside.update(range(use.first, use.last))
    capital, small = {}, set()
    for place, token in enumerate(found.tokens):
        folded = normalization.fold_umlauts(token.text)
        if token.text[0].islower():
            small.add(folded)
        elif token.text[0].isupper() and place not in inside and len(token.text) >= _SHORTEST:
            capital[folded] = token.text
    return PassageReading(
        features=frozenset(found.words()) | frozenset(found.shared()),
        words=tuple((t.start, word) for t, word in zip(found.tokens, words, strict=True)),
        terms=tuple(terms),
        capital=capital,
        small=frozenset(small),
    )


def ruling_passages(rulebook: RulebookView) -> dict[str, list[Passage]]:
    """Return the normative passages by entry id: no reference lists, no superseded wording."""
    found: dict[str, list[Passage]] = defaultdict(list)
    for passage in rulebook.passages:
        if passage.role is Role.TEXT:
            found[passage.entry].append(passage)
    return found


def compare_passages(
    left: RulebookView,
    right: RulebookView,
    concepts: Sequence[Concept],
    tied: Mapping[str, str],
    topics: Mapping[str, str],
) -> tuple[PassageSimilarity, list[TiedPassages]]:
    """Build the similarity of two editions from entries ``tied`` to one concept or sharing
    ``topics``; return also the passages of these entries.
    """
    pairs = _tied_passages(left, right, {**topics, **tied})
    both = [[p for own in ruling_passages(book).values() for p in own] for book in (left, right)]
    finders = edition_name_finder(left, concepts, tied), edition_name_finder(right, concepts, tied)
    return PassageSimilarity(both[0], both[1], finders, pairs), pairs


def _tied_passages(
    left: RulebookView, right: RulebookView, tied: Mapping[str, str]
) -> list[TiedPassages]:
    """Return the left and right passages of each concept that both books have, in the order of
    ``left``; a concept's entries are combined.
    """
    by_concept: list[dict[str, list[Passage]]] = []
    for rulebook in (left, right):
        texts = ruling_passages(rulebook)
        found: dict[str, list[Passage]] = defaultdict(list)
        for entry in rulebook.entries:
            if entry.id in tied:
                found[tied[entry.id]] += texts.get(entry.id, ())
        by_concept.append(found)
    here, there = by_concept
    return [(own, there[each]) for each, own in here.items() if own and there.get(each)]


def edition_name_finder(
    rulebook: RulebookView, concepts: Sequence[Concept], tied: Mapping[str, str]
) -> NameFinder:
    """Return a finder for the names of concepts in ``rulebook``, and of its rulings' cards."""
    finder = NameFinder(concepts, rulebook.edition.language, ordinary=True)
    for entry in rulebook.entries:
        if entry.card and entry.id in tied:
            # Rulings and errata of a card are two concepts; a text that names it means the card.
            concept = tied[entry.id].rpartition("/")[2].removesuffix(f"-{entry.kind.value}")
            finder.add(concept, entry.card)
    return finder


class PassageCounterparts(NamedTuple):
    """The ids of two passages that say the same in two editions, and their similarity (0 to 1)."""

    left: str
    right: str
    similarity: float


def align_passages(
    rulebooks: Sequence[RulebookView], tied: Mapping[str, str], concepts: Sequence[Concept]
) -> tuple[PassageCounterparts, ...]:
    """Return the corresponding passages of editions of one game, from entries ``tied`` to one
    concept.

    ``tied`` are concept ids by entry id, ``concepts`` those of the game; see `PassageSimilarity`.
    """
    found = []
    for left, right in combinations(rulebooks, 2):
        similarity, pairs = compare_passages(left, right, concepts, tied, {})
        for here, there in pairs:
            for i, j, score in similarity.counterparts(here, there):
                found.append(PassageCounterparts(here[i].id, there[j].id, round(score, 4)))
    return tuple(found)


def gather_phrasings(
    rulebooks: Sequence[RulebookView], tied: Mapping[str, str]
) -> dict[str, tuple[QueryVariant, ...]]:
    """Return the query variants of every passage of ``rulebooks`` that has any, by passage id, each
    in its own language.

    ``tied`` are concept ids by entry id. Entries of one concept share their variants: a question
    about the German text of a rule is a question about its Italian text too.
    """
    own: dict[str, tuple[QueryVariant, ...]] = {}
    by_game: dict[str, list[RulebookView]] = defaultdict(list)
    for rulebook in rulebooks:
        by_game[rulebook.edition.game].append(rulebook)
        known = load_with_sister_editions(rulebook.edition)
        for id, phrasings in attach_query_variants(known, rulebook.passages).by_passage.items():
            own[id] = tuple(phrasings.all(rulebook.edition.language))
    shared = {id: dict.fromkeys(phrasings) for id, phrasings in own.items()}
    for game, here in by_game.items():
        if len(here) > 1 and any(p.id in own for r in here for p in r.passages):
            for pair in align_passages(here, tied, load_concepts(game)):
                for one, other in ((pair.left, pair.right), (pair.right, pair.left)):
                    shared.setdefault(one, {}).update(dict.fromkeys(own.get(other, ())))
    return {id: tuple(phrasings) for id, phrasings in shared.items() if phrasings}
