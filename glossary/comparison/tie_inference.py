"""Ties between editions of a game that nobody has described, worked out step by step from what is certain.

The surest pairs are accepted first, and teach what the next round knows: which words translate each other, which terms the texts name,
which entries refer to the same. Seven signs are weighed, each from 0 to 1:

- anchors: that links of both editions call the two by one name, as in two translations of one site;
- titles: how well their words translate each other (`glossary.comparison.title_translation`);
- text: how much of its words, numbers and names each covers of the other (`glossary.comparison.passage_similarity`);
- references: the share of ties that both refer to, or are referred to by, weighted by rarity;
- numbers: that both have the same number, where the editions are numbered alike;
- inside: the share of what is tied in either that is tied to something in the other;
- place: for chapters, that they stand below the same one and as far down.

Each round takes the assignment of the greatest total weight (Kuhn 1955), and of it what leads clearly over all other pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.model import Entry, Kind, Passage, Role, Rulebook
from glossary.comparison import tie_evidence
from glossary.comparison.passage_similarity import PassageSimilarity, TiedPassages
from glossary.comparison.tie_evidence import Matrix
from glossary.concepts import Concept
from glossary.matching.assignment import best_assignment, lead
from glossary.matching.number_ties import tie_numbers
from glossary.matching.title_translation import TitlePair, TitleTranslator, plain_title
from glossary.model import Reference
from glossary.name_finder import NameFinder

KINDS = (Kind.TERM, Kind.REDIRECT, Kind.SECTION, Kind.SUBSECTION)
WEIGHTS = {"titles": 0.45, "text": 0.7, "references": 0.25, "anchors": 0.6, "numbers": 0.6, "inside": 0.35, "place": 0.1}
UNLIKE_KINDS = 0.1  # what is taken off where one is a chapter and the other a term
ROUNDS = ((0.5, 0.1), (0.4, 0.1), (0.35, 0.08), (0.3, 0.08), (0.28, 0.06), (0.28, 0.06))  # least weight and lead of a pair
MANY = 12  # new ties that teach enough to compare the texts again
LARGEST = 9_000_000  # pairs of entries that are compared; of more, none


class InferredTie(NamedTuple):
    """Two entries, on the left and on the right, that seem to be one concept's; ``weight`` is from 0 to 1."""

    entry: Entry
    other: Entry
    weight: float


class _Pair(NamedTuple):
    """A tie by the places of its entries on the left and on the right."""

    left: int
    right: int
    weight: float


def infer_ties(
    left: Rulebook,
    right: Rulebook,
    references: Sequence[Reference],
    tied: Mapping[str, str],
    concepts: Sequence[Concept],
    taught: Sequence[TitlePair] = (),
) -> list[InferredTie]:
    """The pairs of entries of ``left`` and ``right``, two editions of a game, that seem to be one concept's; each entry at most once.

    ``tied`` are concept ids by entry id, as far as somebody has described them, ``concepts`` those of the game. ``references`` are those
    of both rulebooks; ``taught`` are names and their translations, such as the concepts of other games have. The surest come first.
    """
    search = _TieSearch(left, right, references, tied, concepts, taught)
    if not search.is_feasible:
        return []
    for least, least_lead in ROUNDS:
        search.step(least, least_lead)
    return [InferredTie(search.entries[0][p.left], search.entries[1][p.right], round(min(p.weight, 1.0), 3)) for p in search.found]


class _TieSearch:
    """The entries of two editions, and the ties between them that have been ``found`` so far."""

    def __init__(
        self,
        left: Rulebook,
        right: Rulebook,
        references: Sequence[Reference],
        tied: Mapping[str, str],
        concepts: Sequence[Concept],
        taught: Sequence[TitlePair],
    ):
        self._books = left, right
        self._languages = left.edition.language, right.edition.language
        self.entries = _entries(left), _entries(right)
        self.found: list[_Pair] = []
        self._references, self._concepts = references, list(concepts)
        self._tied = {entry.id: tied[entry.id] for side in self.entries for entry in side if entry.id in tied}
        self._open = self._open_pairs()
        self._taught = [*taught, *self._taught_by_concepts()]
        titles = [plain_title(e) for e in self.entries[0]], [plain_title(e) for e in self.entries[1]]
        self._titles = TitleTranslator(self._languages, titles)
        self._texts = _entry_texts(left), _entry_texts(right)
        names = tie_evidence.anchor_names(left, references), tie_evidence.anchor_names(right, references)
        self._anchors = tie_evidence.anchor_signs(self.entries, names)
        self._numbered = tie_numbers([left, right])
        self._numbers = tie_evidence.number_signs(self.entries, self._numbered)
        self._unlike = tie_evidence.kind_signs(self.entries)
        self._text: tuple[Matrix, list[tuple[str, str, float]]] | None = None
        self._known = -1  # how many ties were found when the texts were compared last

    @property
    def is_feasible(self) -> bool:
        """Whether there is anything to tie, and not too much to compare."""
        return 0 < self._open.size <= LARGEST and bool(self._open.any())

    def step(self, least: float, least_lead: float) -> None:
        """Accept the pairs that have at least a weight and a lead over all others of either entry."""
        weights = np.where(self._open, self._weights(), 0.0)
        likely = [_Pair(i, j, float(weights[i, j])) for i, j in best_assignment(weights) if weights[i, j] >= least]
        for pair in [p for p in likely if lead(weights, p.left, p.right) >= least_lead]:
            self._accept(pair)

    def _accept(self, pair: _Pair) -> None:
        one, other = self.entries[0][pair.left], self.entries[1][pair.right]
        name = f"found {len(self.found)}"
        self._tied[one.id] = self._tied[other.id] = self._tied.get(one.id) or self._tied.get(other.id) or name
        titles = plain_title(one), plain_title(other)
        names = {language: (title,) for language, title in zip(self._languages, titles, strict=True)}
        self._concepts.append(Concept(name, "", names, {}, {}, (), False, {}))
        self._taught.append(titles)
        self._open[pair.left] = False
        self._open[:, pair.right] = False
        self.found.append(pair)

    def _open_pairs(self) -> NDArray[np.bool_]:
        """The pairs that may be tied: no entry whose concept the other edition has, and no two that somebody told apart."""
        concepts = [{self._tied[e.id] for e in side if e.id in self._tied} for side in self.entries]
        free = [np.array([self._tied.get(e.id) not in concepts[1 - n] for e in side]) for n, side in enumerate(self.entries)]
        loose = [np.array([e.id not in self._tied for e in side]) for side in self.entries]
        pairs: NDArray[np.bool_] = (free[0][:, None] & free[1][None, :]) & (loose[0][:, None] | loose[1][None, :])
        return pairs

    def _taught_by_concepts(self) -> Iterator[TitlePair]:
        """The names of concepts, and the titles of the entries that they tie already."""
        left, right = self._languages
        for concept in self._concepts:
            if (one := concept.name(left)) and (other := concept.name(right)):
                yield one, other
        by_concept = {self._tied[e.id]: plain_title(e) for e in self.entries[1] if e.id in self._tied}
        for entry in self.entries[0]:
            if (there := by_concept.get(self._tied.get(entry.id, ""))) is not None:
                yield plain_title(entry), there

    def _weights(self) -> Matrix:
        """What speaks for each pair in all."""
        if self._text is None or len(self.found) >= self._known + MANY:  # comparing texts takes longest by far
            self._text, self._known = self._text_signs(), len(self.found)
        text, learned = self._text
        signs = {
            "titles": self._titles.likeness(self._taught, learned),
            "text": text,
            "references": tie_evidence.reference_signs(self.entries, self._references, self._tied),
            "anchors": self._anchors,
            "numbers": self._numbers,
            "inside": tie_evidence.inside_signs(self.entries, self._books, {**self._numbered, **self._tied}),
            "place": tie_evidence.place_signs(self.entries, self._tied),
        }
        return sum((WEIGHTS[name] * sign for name, sign in signs.items()), -UNLIKE_KINDS * self._unlike)

    def _text_signs(self) -> tuple[Matrix, list[tuple[str, str, float]]]:
        """How alike the texts are, and the words that are learned from the texts of ties to stand for each other."""
        finders = tuple(NameFinder(self._concepts, language, ordinary=True) for language in self._languages)
        texts = self._texts
        similarity = PassageSimilarity([*texts[0].values()], [*texts[1].values()], (finders[0], finders[1]), list(self._tied_texts()))
        rows, columns = ([n for n, entry in enumerate(side) if entry.id in text] for side, text in zip(self.entries, texts, strict=True))
        signs = np.zeros(self._open.shape)
        here, there = ([texts[n][self.entries[n][place].id] for place in places] for n, places in enumerate((rows, columns)))
        signs[np.ix_(rows, columns)] = similarity.similarity(here, there)
        return signs, similarity.learned_words()

    def _tied_texts(self) -> Iterator[TiedPassages]:
        by_concept = {self._tied[e.id]: e.id for e in self.entries[1] if e.id in self._tied}
        for entry in self.entries[0]:
            other = by_concept.get(self._tied.get(entry.id, ""), "")
            if entry.id in self._texts[0] and other in self._texts[1]:
                yield [self._texts[0][entry.id]], [self._texts[1][other]]


def _entries(rulebook: Rulebook) -> list[Entry]:
    return [entry for entry in rulebook.entries if entry.kind in KINDS]


def _entry_texts(rulebook: Rulebook) -> dict[str, Passage]:
    """All that each entry says itself as one passage, by its id; entries without text are left out."""
    wanted = {entry.id for entry in _entries(rulebook)}
    found: dict[str, list[Passage]] = defaultdict(list)
    for passage in rulebook.passages:
        if passage.role is Role.TEXT and passage.entry in wanted:
            found[passage.entry].append(passage)
    return {id: replace(own[0], id=id, display="\n".join(p.display for p in own)) for id, own in found.items()}
