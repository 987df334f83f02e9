"""Which terms a passage has and its translation has not, and how sure it is that this is more than other words for the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from corpus.languages import get_language
from corpus.model import Passage
from corpus.spans import Span
from glossary import normalization
from glossary.comparison.agreement import Agreement
from glossary.comparison.passage_similarity import PassageSimilarity, TermUse
from glossary.concepts import Concept
from glossary.matching.features import Feature

# What follows was set by reading 60 hints of two Marvel Champions editions, and judged on others: docs/translators.md.
LONGER = 1.28  # times the length of the other side: then this side says something that the other does not
LEAST_AGREEMENT = 0.6  # share of rows with a term whose other side has it too, for its absence to be likely one on a longer side
STEADY = 0.96  # the same for a term that is nearly always translated by its own name, on any side
STEADY_ROWS = 20  # that such a term has, at least
USUAL_ROWS = 3  # that a form of a term has, at least, to be surely one
SURE = 0.84  # the same for a term in a sentence that the other side has otherwise
SURE_COVERED = 0.8  # share of such a sentence that the other side covers
REPLACED = 0.65  # the same of both terms where each side has one that the other lacks
COVERED = 0.55  # share of the sentence around such terms that the other side covers, so that they stand in the same place

_SENTENCE = re.compile(r"(?<=[.:;!?])\s+|\n")
_SHORTEST = 5  # letters of a stem that is looked for within other words
_COMMON = 1.5  # weight of a word that says little of what a sentence is about


class FacingRow(NamedTuple):
    """Passages that face each other, left and right, and the other ones of their entries on either side."""

    passages: tuple[Sequence[Passage], Sequence[Passage]]
    around: tuple[Sequence[Passage], Sequence[Passage]]


class TermHint(NamedTuple):
    """A term in ``passage`` that the other side lacks; ``concept`` is one of those that it may stand for."""

    concept: str
    use: TermUse
    passage: Passage


class TermHints(NamedTuple):
    """The terms that the left alone has, and those that the right alone has: likely ones, then doubtful ones."""

    likely: tuple[list[TermHint], list[TermHint]]
    doubtful: tuple[list[TermHint], list[TermHint]]


class TermComparison:
    """Compares the terms of ``rows``, which the passages of two editions in two languages stand in.

    A term that one side lacks is only a likely difference where that is unusual for it (translators say some terms in other words now
    and then), where no word stands for it that faces its words in other rows, where no neighbouring passage has it, and where
    the row shows why: this side says more than the other, or each side has a term in the same sentence that the other lacks.
    """

    def __init__(self, similarity: PassageSimilarity, concepts: Iterable[Concept], rows: Sequence[FacingRow]):
        self._similarity = similarity
        self._weight = similarity.weights()
        self._stands = similarity.associated([row.passages for row in rows])
        self._stems: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
        for concept in concepts:
            for stems, language in zip(self._stems, similarity.languages, strict=True):
                names = [*concept.names.get(language, ()), *concept.slang.get(language, ())]
                stems[concept.id] = [stem for name in names for stem in [normalization.stem(name, language)] if len(stem) >= _SHORTEST]
        self._function_words = [_function_words(language) for language in similarity.languages]
        self._agreement = Agreement(2, 3)
        self._forms = Agreement(0, 0)
        for row in rows:
            for side in (0, 1):
                alone = {use.concepts for use, _ in self._alone(row, side)}
                uses = {(_form(use, passage), use.concepts) for use, passage in self._uses(row, side)}
                for named in {named for _, named in uses}:
                    self._agreement.add((side, named), named not in alone)
                for form, named in uses:
                    self._forms.add((side, form), named not in alone)

    def hints(self, row: FacingRow) -> TermHints:
        """The terms of ``row`` that only one side has, each once."""
        alone = [self._hints(row, side) for side in (0, 1)]
        replaced = [[hint for hint in alone[side] if self._may_be_replaced(row, side, hint)] for side in (0, 1)]
        likely: tuple[list[TermHint], list[TermHint]] = ([], [])
        doubtful: tuple[list[TermHint], list[TermHint]] = ([], [])
        for side in (0, 1):
            for hint in alone[side]:
                sure = (all(replaced) and hint in replaced[side]) or self._is_missing(row, side, hint)
                (likely if sure else doubtful)[side].append(hint)
        return TermHints(likely, doubtful)

    def unnamed(self, row: FacingRow, side: int) -> list[TermHint]:
        """The terms of ``side`` that the other has by no name, each once, though a word may stand for them."""
        return _each_once(self._unnamed(row, side))

    def _hints(self, row: FacingRow, side: int) -> list[TermHint]:
        return _each_once(self._alone(row, side))

    def _uses(self, row: FacingRow, side: int) -> Iterator[tuple[TermUse, Passage]]:
        for passage in row.passages[side]:
            for use in self._similarity.read(side, passage.id).terms:
                if _form(use, passage) not in self._function_words[side]:
                    yield use, passage

    def _alone(self, row: FacingRow, side: int) -> list[tuple[TermUse, Passage]]:
        """The terms of a side that the other has neither by a name nor by words that were learned to stand for it."""
        there = self._features(1 - side, row.passages[1 - side])
        return [
            (use, passage)
            for use, passage in self._unnamed(row, side)
            if all(there.isdisjoint(self._stands[side].get(feature, ())) for feature in use.features)
        ]

    def _unnamed(self, row: FacingRow, side: int) -> list[tuple[TermUse, Passage]]:
        others = row.passages[1 - side]
        named = self._named(1 - side, others)
        text = normalization.fold_umlauts("\n".join(p.display for p in others))
        return [
            (use, passage)
            for use, passage in self._uses(row, side)
            if named.isdisjoint(use.concepts)
            and not any(stem in text for concept in use.concepts for stem in self._stems[1 - side].get(concept, ()))
        ]

    def _named(self, side: int, passages: Sequence[Passage]) -> set[str]:
        return {concept for p in passages for use in self._similarity.read(side, p.id).terms for concept in use.concepts}

    def _features(self, side: int, passages: Sequence[Passage]) -> set[Feature]:
        return {feature for p in passages for feature in self._similarity.read(side, p.id).features}

    def _share(self, side: int, hint: TermHint) -> float:
        """The share of other rows with this form of the term whose other side has the term; of all forms, where there is no other row.

        It tells "verbunden" from "Verbündeten", which have one stem.
        """
        share = self._agreement.share((side, hint.use.concepts))
        form = side, _form(hint.use, hint.passage)
        return min(share, (self._forms.agreeing(form) + share) / self._forms.texts(form))

    def _is_missing(self, row: FacingRow, side: int, hint: TermHint) -> bool:
        """Whether the other side most likely lacks what is said with this term."""
        if hint.use.concepts & self._named(1 - side, row.around[1 - side]) or self._stands_elsewhere(row, side, hint):
            return False
        key = side, hint.use.concepts
        share = self._share(side, hint)
        if share >= STEADY and self._agreement.texts(key) >= STEADY_ROWS and self._is_usual(side, hint):
            return True
        if share >= SURE and self._is_usual(side, hint) and self.covered(row, side, hint) >= SURE_COVERED:
            return True
        length = [sum(len(p.display) for p in passages) for passages in row.passages]
        return share >= LEAST_AGREEMENT and length[side] >= LONGER * length[1 - side]

    def _stands_elsewhere(self, row: FacingRow, side: int, hint: TermHint) -> bool:
        """Whether a passage of the other edition has the term that this one is more like than those that it faces."""
        better = self._similarity.more_alike(side, hint.passage, row.passages[1 - side])
        return any(hint.use.concepts & use.concepts for id in better for use in self._similarity.read(1 - side, id).terms)

    def _may_be_replaced(self, row: FacingRow, side: int, hint: TermHint) -> bool:
        """Whether another term may stand for this one: its sentence is there otherwise, and the term is mostly translated by its name."""
        return self._is_usual(side, hint) and self._share(side, hint) >= REPLACED and self.covered(row, side, hint) >= COVERED

    def _is_usual(self, side: int, hint: TermHint) -> bool:
        """Whether the term is often printed in this form."""
        return self._forms.texts((side, _form(hint.use, hint.passage))) >= USUAL_ROWS

    def covered(self, row: FacingRow, side: int, hint: TermHint) -> float:
        """The share of the words around a term, by weight, that words of the other side stand for; 1.0 where there are none."""
        there = self._features(1 - side, row.passages[1 - side])
        sentence = _sentence_at(hint.passage.display, hint.use.span)
        around = {
            feature
            for start, feature in self._similarity.read(side, hint.passage.id).words
            if sentence.start <= start < sentence.end and feature not in hint.use.features and self._weight.get(feature, 0.0) > _COMMON
        }
        whole = sum(self._weight[feature] for feature in around)
        return sum(self._weight[f] for f in around if f in there or there & self._stood_for(side, f)) / whole if whole else 1.0

    def stands_for(self, side: int, hint: TermHint, feature: Feature) -> bool:
        """Whether a word of the other side often faces the words of a term of ``side``."""
        return any(feature in self._stood_for(side, own) for own in hint.use.features)

    def _stood_for(self, side: int, feature: Feature) -> set[Feature]:
        return self._stands[side].get(feature, set())


def _each_once(uses: Iterable[tuple[TermUse, Passage]]) -> list[TermHint]:
    found: dict[str, TermHint] = {}
    for use, passage in uses:
        found.setdefault(min(use.concepts), TermHint(min(use.concepts), use, passage))
    return list(found.values())


def _function_words(language: str) -> frozenset[str]:
    """Words that name nothing: "alle" is no "alleato"."""
    words = get_language(language)
    return frozenset((*words.function_words.in_titles, *words.function_words.in_translations, *words.sentences.cannot_end))


def _form(use: TermUse, passage: Passage) -> str:
    return passage.display[use.span.start : use.span.end].casefold()


def _sentence_at(text: str, span: Span) -> Span:
    """The sentence of ``text`` that ``span`` begins in."""
    ends = [match.end() for match in _SENTENCE.finditer(text)]
    start = max((end for end in ends if end <= span.start), default=0)
    return Span(start, min((end for end in ends if end > span.start), default=len(text)))
