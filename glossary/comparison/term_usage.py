"""Find terms and conditions that a translation lacks, by how they are usually translated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Sequence
from typing import NamedTuple

from rapidfuzz.distance import OSA

from corpus.languages import any_of
from glossary import normalization
from glossary.comparison.hints import (
    AgreementCounts,
    ConditionFinder,
    DifferenceKind,
    PassageDifference,
)
from glossary.comparison.rewording import small_words
from glossary.comparison.sentence_alignment import SentenceAligner
from glossary.concepts import Concept
from glossary.name_finder import NameFinder

STEADY = 0.97  # share of a term's sentences whose other side has it, for its absence to matter
STEADY_SENTENCES = 20  # with such a term, at least
REPLACED = 0.85  # the same if the other side has a term that this lacks
REPLACED_SENTENCES = 8
LISTED = 0.92
LISTED_SENTENCES = 4  # the same of a term beside "or" and the like, which is easily dropped
FORM = 0.85  # the same of the words as printed: "eccesso" rarely means the term "Überschuss"
FORM_SENTENCES = 4
LONGER = 0.25  # logarithm of how much longer a side is whose exception the other most likely lacks
SHORTEST_STEM = 4  # letters of a stem that other words are derived from
EXCEPTION_FORM = 0.6  # as FORM, of an exception's words
SHORTEST_PART = 5  # letters of a stem that is looked for within other words
TYPO = 8  # letters of such a stem that may have a typo
LONGEST = 60  # words of both sides; in longer texts it is not clear what corresponds
_CITED = re.compile(r"\s\([^()\n]{1,40}, \d{1,3}\w?\)")  # behind the name of a card
_EXCEPTION = "unless"
_ALSO_EXCEPTIONS = {"only", "until"}  # "can only be played if" is "cannot be played unless"
_OR = any_of("sentences.conjunctions", "sentences.alternatives")
_BEFORE = re.compile(rf"\b{_OR}\s(?:[^\W\d_]{{1,5}}\s|(?:[^\W\d_]{{1,3}}\s){{2}})?$", re.IGNORECASE)
_BEHIND = re.compile(rf"\s{_OR}\s", re.IGNORECASE)

_Texts = tuple[str, str]


class _Use(NamedTuple):
    """A use of a term or a condition.

    Attributes:
        meanings: The concepts or conditions that it may mean.
        value: The concept or condition that names it.
        form: The printed words in lower case.
        listed: Whether it is beside "or" or "and".
        named: Whether the other side names it.
        alone: Whether the other side neither names it nor has a word for it.
    """

    kind: DifferenceKind
    meanings: frozenset[str]
    value: str
    form: str
    listed: bool
    named: bool
    alone: bool

    @property
    def keys(self) -> tuple[Hashable, Hashable]:
        """The two keys that uses are counted by: the meanings, and the printed words."""
        return (self.kind, self.meanings), (self.kind, self.form)


class TermUsage:
    """Counts how terms and conditions are translated in ``texts``, pairs of corresponding sentences
    in two ``languages``.
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
        # Who acts: translations seldom name another one, or nobody, by chance.
        self._actors = {concept.id for concept in concepts if concept.side}
        # Function words are no terms: "alle" is no "alleato".
        self._function_words = [small_words(language) for language in languages]
        self._stems = [  # of names in one word, by concept: "Schaden" is "danneggiare", of "danno"
            {
                concept.id: tuple(
                    stem
                    for name in concept.names.get(language, ())
                    if " " not in name
                    and len(stem := normalization.stem(name, language)) >= SHORTEST_STEM
                )
                for concept in concepts
            }
            for language in languages
        ]
        self._counts = AgreementCounts(1, 1)
        self._uses: dict[_Texts, tuple[list[_Use], list[_Use]]] = {}
        for pair in texts:
            for side, uses in enumerate(self._read(pair)):
                for key in {key for use in uses for key in use.keys}:
                    here = [use for use in uses if key in use.keys]
                    self._counts.add((side, key), not all(use.alone for use in here))

    def terms(self, texts: _Texts) -> list[set[frozenset[str]]]:
        """Return the terms of either side, each as the set of its possible concepts."""
        return [
            {use.meanings for use in uses if use.kind is DifferenceKind.TERMS}
            for uses in self._read(texts)
        ]

    def alone(
        self,
        texts: _Texts,
        ratio: float,
        likely: bool,
        sure: bool,
        around: tuple[Container[str], Container[str]] = ((), ()),
        denies: Sequence[bool] = (False, False),
    ) -> tuple[list[PassageDifference], bool]:
        """Return the likely and doubtful differences, and whether a side may lack anything at all.

        Args:
            texts: The sentences of both sides.
            ratio: Logarithm of how much longer the left side is than usual.
            likely: Whether the texts are likely to correspond; if not, only exceptions count.
            sure: Whether they surely do; if not, only exceptions and who acts count.
            around: The concepts that either side names anywhere in the row: a translator may name a
                thing once less.
            denies: Whether either side has a negation. What only such a side has is doubtful: "is
                not discarded" may be "is kept".
        """
        uses = self._read(texts)
        alone = [[use for use in own if use.alone] for own in uses]
        counts = [Counter(use.meanings for use in own) for own in uses]
        free = (
            any(alone)
            # Each side names a term that the other does not: tokens are no icons.
            or all(
                any(use.kind is DifferenceKind.TERMS and not use.named for use in own)
                for own in uses
            )
            or any(
                use.listed and counts[side][use.meanings] > counts[1 - side][use.meanings]
                for side, own in enumerate(uses)
                for use in own
            )
        )
        if sum(len(text.split()) for text in texts) > LONGEST:
            return [], free
        found: dict[bool, list[list[_Use]]] = {True: [[], []], False: [[], []]}  # by doubt
        for side in (0, 1):
            for use in alone[side]:
                replaced = use.kind is DifferenceKind.TERMS and any(
                    other.kind is use.kind and self._is_usual(1 - side, other, REPLACED)
                    for other in alone[1 - side]
                )
                exception = _EXCEPTION in use.meanings and (
                    (ratio, -ratio)[side] >= LONGER or self._is_exception(side, use, uses[1 - side])
                )
                acts = bool(use.meanings & self._actors) and self._is_usual(side, use, 0.0)
                usual = (
                    self._is_usual(side, use, STEADY, STEADY_SENTENCES)
                    or (use.listed and self._is_usual(side, use, LISTED, LISTED_SENTENCES))
                    or (replaced and self._is_usual(side, use, REPLACED))
                )
                named = use.kind is DifferenceKind.TERMS and (
                    any(meaning in around[1 - side] for meaning in use.meanings)
                    or (denies[side] and not denies[1 - side])
                    or self._is_derived(use.meanings, texts[1 - side], 1 - side)
                )
                if exception or (likely and acts) or (sure and usual):
                    found[named and not use.listed][side].append(use)
        return [
            PassageDifference(kind, values[0], values[1], doubtful)
            for doubtful, likely in sorted(found.items())
            for kind in (DifferenceKind.TERMS, DifferenceKind.CONDITIONS)
            if any(
                values := [
                    tuple(dict.fromkeys(use.value for use in own if use.kind is kind))
                    for own in likely
                ]
            )
        ], free

    def confirms(self, side: int, words: str) -> bool:
        """Return whether the counterparts of these ``words`` of a side nearly always have the term:
        "response" may be a term or any answer.
        """
        form = side, (DifferenceKind.TERMS, words.casefold())
        # Without this sentence itself, whose other side lacks it.
        seen, alike = self._counts.texts[form] - 1, self._counts.agreeing[form]
        return seen >= REPLACED_SENTENCES and alike >= FORM * seen

    def _is_exception(self, side: int, use: _Use, others: Iterable[_Use]) -> bool:
        """Return whether ``use`` nearly always states an exception, and none of the ``others``,
        uses of the other side, may be a paraphrase of it.
        """
        form = side, use.keys[1]
        seen, alike = self._counts.texts[form] - 1, self._counts.agreeing[form]
        return (
            seen >= FORM_SENTENCES
            and alike >= EXCEPTION_FORM * seen
            and all(each.meanings.isdisjoint(_ALSO_EXCEPTIONS) for each in others)
        )

    def _is_usual(
        self, side: int, use: _Use, share: float, sentences: int = REPLACED_SENTENCES
    ) -> bool:
        meaning, form = ((side, key) for key in use.keys)
        # Without this sentence itself, whose other side lacks it.
        seen, alike = self._counts.texts, self._counts.agreeing
        return (
            seen[meaning] - 1 >= sentences
            and alike[meaning] >= share * (seen[meaning] - 1)
            and seen[form] - 1 >= FORM_SENTENCES
            and alike[form] >= FORM * (seen[form] - 1)
        )

    def _read(self, texts: _Texts) -> tuple[list[_Use], list[_Use]]:
        if texts not in self._uses:
            found: list[list[tuple[DifferenceKind, frozenset[str], str, str, bool]]] = []
            for text, finder, conditions, small in zip(
                texts, self._finders, self._conditions, self._function_words, strict=True
            ):
                tokens = normalization.tokenize(text)
                own = []
                for use in finder.find(tokens):
                    words = text[tokens[use.first].start : tokens[use.last - 1].end]
                    if words.casefold() in small or _CITED.match(text, tokens[use.last - 1].end):
                        continue
                    concepts = frozenset(concept for concept, _ in use.concepts)
                    span = tokens[use.first].start, tokens[use.last - 1].end
                    listed = bool(
                        _BEFORE.search(text, max(0, span[0] - 30), span[0])
                        or _BEHIND.match(text, span[1])
                    )
                    own.append((DifferenceKind.TERMS, concepts, min(concepts), words, listed))
                for each in conditions.find(text):
                    words = text[each.span.start : each.span.end]
                    own.append(
                        (DifferenceKind.CONDITIONS, each.meanings, each.meaning, words, False)
                    )
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
                            listed,
                            named,
                            not named
                            and bool(self._aligner.weightiest_alone(words, texts[1 - side], side)),
                        )
                        for kind, meanings, value, words, listed in found[side]
                        for named in [any((kind, meaning) in there for meaning in meanings)]
                    ]
                )
            self._uses[texts] = sides[0], sides[1]
        return self._uses[texts]

    def _is_derived(self, concepts: frozenset[str], text: str, side: int) -> bool:
        """Return whether a word of ``text``, a text of ``side``, begins with a name of
        ``concepts``, also misspelt ("Stauskarte"), or contains a longer one ("Hauptgegner").
        """
        stems = tuple(stem for each in concepts for stem in self._stems[side].get(each, ()))
        longer = [stem for stem in stems if len(stem) >= SHORTEST_PART]
        words = (normalization.fold_umlauts(t.text) for t in normalization.tokenize(text))
        return bool(stems) and any(
            word.startswith(stems)
            or any(stem in word or _begins_with_typo(word, stem) for stem in longer)
            for word in words
        )


def _begins_with_typo(word: str, stem: str) -> bool:
    """Return whether ``word`` begins with a long ``stem``, give or take one letter."""
    return len(stem) >= TYPO and any(
        OSA.distance(stem, word[: len(stem) + more], score_cutoff=1) <= 1 for more in (-1, 0, 1)
    )
