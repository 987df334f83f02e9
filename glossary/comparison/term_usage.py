"""Terms and conditions of a sentence that its translation lacks, by how they are usually
translated.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from glossary import normalization
from glossary.comparison.hints import (
    AgreementCounts,
    ConditionFinder,
    DifferenceKind,
    PassageDifference,
)
from glossary.comparison.sentence_alignment import SentenceAligner
from glossary.concepts import Concept
from glossary.name_finder import NameFinder

STEADY = 0.98  # share of sentences with a term whose other side has it: then its absence is likely
STEADY_SENTENCES = 25  # with such a term, at least
REPLACED = 0.95  # the same where the other side has a term that this lacks
REPLACED_SENTENCES = 12
FORM = 0.9  # the same of the words as they are printed: "eccesso" is "Überschuss", rarely
FORM_SENTENCES = 5
LONGEST = 60  # words of both sides; of longer ones it is not clear what corresponds
_OPPOSED = ({"before", "after"}, {"may", "must"})

_Texts = tuple[str, str]


class _Use(NamedTuple):
    """A term or a condition: the kind, what it may mean, the value that names it, the words in
    small letters, and whether the other side has neither it nor a word for these.
    """

    kind: DifferenceKind
    meanings: frozenset[str]
    value: str
    form: str
    alone: bool

    @property
    def keys(self) -> tuple[Hashable, Hashable]:
        """What it is counted by: what it means, and its words."""
        return (self.kind, self.meanings), (self.kind, self.form)


class TermUsage:
    """How terms and conditions are translated in ``texts``, sentences of two ``languages`` that
    correspond.
    """

    def __init__(
        self,
        languages: tuple[str, str],
        concepts: Sequence[Concept],
        aligner: SentenceAligner,
        texts: Iterable[_Texts],
    ):
        self._finders = [NameFinder(concepts, language) for language in languages]
        self._conditions = [ConditionFinder(language) for language in languages]
        self._aligner = aligner
        self._counts = AgreementCounts(1, 1)
        self._uses: dict[_Texts, tuple[list[_Use], list[_Use]]] = {}
        for pair in texts:
            for side, uses in enumerate(self._read(pair)):
                for key in {key for use in uses for key in use.keys}:
                    here = [use for use in uses if key in use.keys]
                    self._counts.add((side, key), not all(use.alone for use in here))

    def terms(self, texts: _Texts) -> list[set[frozenset[str]]]:
        """Return the terms of either side, each as the concepts that it may stand for."""
        return [
            {use.meanings for use in uses if use.kind is DifferenceKind.TERMS}
            for uses in self._read(texts)
        ]

    def alone(self, texts: _Texts) -> tuple[list[PassageDifference], bool]:
        """Return what one side most likely lacks, and whether it may lack anything."""
        alone = [[use for use in uses if use.alone] for uses in self._read(texts)]
        if sum(len(text.split()) for text in texts) > LONGEST:
            return [], any(alone)
        likely: list[list[_Use]] = [[], []]
        for side in (0, 1):
            for use in alone[side]:
                opposed = any(
                    {*use.meanings, *other.meanings} in _OPPOSED for other in alone[1 - side]
                )
                replaced = any(
                    other.kind is use.kind and self._is_usual(1 - side, other, REPLACED)
                    for other in alone[1 - side]
                )
                if (
                    opposed
                    or self._is_usual(side, use, STEADY, STEADY_SENTENCES)
                    or (replaced and self._is_usual(side, use, REPLACED))
                ):
                    likely[side].append(use)
        return [
            PassageDifference(kind, values[0], values[1])
            for kind in (DifferenceKind.TERMS, DifferenceKind.CONDITIONS)
            if any(
                values := [
                    tuple(dict.fromkeys(use.value for use in own if use.kind is kind))
                    for own in likely
                ]
            )
        ], any(alone)

    def _is_usual(
        self, side: int, use: _Use, share: float, sentences: int = REPLACED_SENTENCES
    ) -> bool:
        meaning, form = ((side, key) for key in use.keys)
        # Without this sentence itself, whose other side has it not.
        others = self._counts.texts[form] - 1
        return (
            self._counts.texts[meaning] >= sentences
            and self._counts.share(meaning) >= share
            and others >= FORM_SENTENCES
            and self._counts.agreeing[form] >= FORM * others
        )

    def _read(self, texts: _Texts) -> tuple[list[_Use], list[_Use]]:
        if texts not in self._uses:
            found: list[list[tuple[DifferenceKind, frozenset[str], str, str]]] = []
            for text, finder, conditions in zip(
                texts, self._finders, self._conditions, strict=True
            ):
                tokens = normalization.tokenize(text)
                own = []
                for use in finder.find(tokens):
                    concepts = frozenset(concept for concept, _ in use.concepts)
                    words = text[tokens[use.first].start : tokens[use.last - 1].end]
                    own.append((DifferenceKind.TERMS, concepts, min(concepts), words))
                for each in conditions.find(text):
                    words = text[each.span.start : each.span.end]
                    own.append((DifferenceKind.CONDITIONS, each.meanings, each.meaning, words))
                found.append(own)
            sides = []
            for side in (0, 1):
                there = {
                    (kind, meaning)
                    for kind, meanings, *_ in found[1 - side]
                    for meaning in meanings
                }
                sides.append(
                    [
                        _Use(
                            kind,
                            meanings,
                            value,
                            words.casefold(),
                            all((kind, meaning) not in there for meaning in meanings)
                            and bool(self._aligner.weightiest_alone(words, texts[1 - side], side)),
                        )
                        for kind, meanings, value, words in found[side]
                    ]
                )
            self._uses[texts] = sides[0], sides[1]
        return self._uses[texts]
