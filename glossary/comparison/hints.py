"""Find differences between passages and their translation: numbers, symbols, names, terms and
conditions; likely differences first, then doubtful ones.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple, TypeVar

from rapidfuzz.distance import Indel

from corpus.blocks import Span
from corpus.languages import get_language
from corpus.model import Passage
from glossary import normalization
from glossary.comparison.numbers import NumberRole, read_numbers, unmatched_numbers
from glossary.comparison.passage_similarity import PassageSimilarity, TermUse
from glossary.comparison.rewording import small_words
from glossary.concepts import Concept
from glossary.matching.likeness import Feature
from glossary.normalization import is_symbol

# What follows was set by reading 60 differences of two Marvel Champions editions, and judged on
# others: docs/translators.md. "Share" is the share of rows with a term or condition whose other
# side has it too.
LONGER = 1.28  # times the length of the other side, of a side that says something more
LEAST_AGREEMENT = 0.6  # share of a term whose absence on a shorter side is likely an omission
STEADY = 0.96  # share of a term that is nearly always translated by its own name, on any side
STEADY_ROWS = 20  # rows with such a term, at least
USUAL_ROWS = 3  # rows with a form of a term, at least, for it to be surely one
SURE = 0.84  # share of a term in a sentence that the other side covers otherwise
SURE_COVERED = 0.8  # share of such a sentence that the other side covers
REPLACED = 0.65  # share of both terms if each side has one that the other lacks
COVERED = 0.55  # share of the sentence around such terms that the other side covers
LEAST_CONDITION_AGREEMENT = 0.85  # as for terms: on a longer side
STEADY_CONDITION = 0.95  # on any side
STEADY_CONDITION_ROWS = 8
LEAST_DOUBTFUL = 0.75  # the share below which a condition is idiom and no difference at all
ALIKE = 0.75  # share of letters that the stems of two words have in common, in order, to look alike
SHORTEST_FRIEND = 6  # letters of such a word
# Often said in other words, or by the mood of a verb; what only one side denies is told elsewhere.
_WEAK = {"if", "when", "may", "each", "cannot"}
_IF = {"if", "when"}  # "wenn" is both, and translators take either
_SENTENCE = re.compile(r"(?<=[.:;!?])\s+|\n")
_SHORTEST = 5  # letters of a stem that is looked for within other words
_COMMON = 1.5  # weight of a word that says little of what a sentence is about

T = TypeVar("T")
Sides = tuple[Sequence[T], Sequence[T]]
"""The items of the left and of the right."""


class DifferenceKind(StrEnum):
    """The ways in which two corresponding passages can differ."""

    WORDS = "words"
    NUMBERS = "numbers"
    SYMBOLS = "symbols"
    NAMES = "names"
    TERMS = "terms"
    FALSE_FRIENDS = "false-friends"  # a word that looks like the other side's and is another term
    CLAUSES = "clauses"  # a sentence or a part of one
    ORDER = "order"  # words, clauses or sentences in each other's place
    CONDITIONS = "conditions"  # "only", "once", "unless" and the like
    RENDERINGS = "renderings"  # the same sentence is translated differently elsewhere
    FORBIDDEN = "forbidden"  # a word that the owner does not want
    PATTERNS = "patterns"  # what a pattern of the owner finds
    PUNCTUATION = "punctuation"  # full stops at the end, double blanks


class HintEvidence(NamedTuple):
    """The ``words`` that a number, a term or a condition (``value``) was read from, and their place
    in the display of a passage.
    """

    value: str
    words: str
    passage: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PassageDifference:
    """A difference: the values that only one side has. Terms and false friends are given as concept
    ids, conditions by their English names ("only", "unless").

    ``doubtful`` says that a reader may well find that the texts say the same. ``evidence`` holds
    the words of either side that numbers, terms and conditions were read from.
    """

    kind: DifferenceKind
    left: tuple[str, ...]
    right: tuple[str, ...]
    doubtful: bool = False
    evidence: tuple[tuple[HintEvidence, ...], tuple[HintEvidence, ...]] = ((), ())


def _evidence(passage: Passage, value: str, span: Span) -> HintEvidence:
    return HintEvidence(
        value, passage.display[span.start : span.end], passage.id, span.start, span.end
    )


class FacingRow:
    """A row of aligned passages, left and right, with the other passages of their entries
    (``around``).

    ``texts`` are the displays of the passages of each side, separated by line breaks.
    """

    def __init__(self, passages: Sides[Passage], around: Sides[Passage]):
        self.passages = passages
        self.around = around
        self.texts = tuple("\n".join(p.display for p in side) for side in passages)

    def evidence(self, side: int, value: str, span: Span) -> HintEvidence:
        """Return the text of ``side`` at ``span``, within a passage, as evidence for ``value``."""
        lengths = (len(p.display) + 1 for p in self.passages[side])
        starts = [start for start in accumulate(lengths, initial=0) if start <= span.start]
        passage = self.passages[side][len(starts) - 1]
        return _evidence(passage, value, Span(span.start - starts[-1], span.end - starts[-1]))

    def is_longer(self, side: int) -> bool:
        """Return whether ``side`` is long enough, compared to the other, to say something more."""
        return len(self.texts[side]) >= LONGER * len(self.texts[1 - side])


class AgreementCounts:
    """Counts texts by feature, and how many of them have a counterpart that agrees.

    As a prior, ``agreeing`` of ``texts`` count as agreeing before any is read: a few texts say
    nothing about idiom.
    """

    def __init__(self, agreeing: float, texts: float):
        self._prior = agreeing, texts
        self.texts: Counter[Hashable] = Counter()
        self.agreeing: Counter[Hashable] = Counter()

    def add(self, thing: Hashable, agrees: bool) -> None:
        """Count a text with ``thing``; ``agrees`` says whether its counterpart has a match."""
        self.texts[thing] += 1
        self.agreeing[thing] += agrees

    def share(self, thing: Hashable) -> float:
        """Return the share of texts with ``thing`` whose counterpart agrees, from 0 to 1."""
        return (self.agreeing[thing] + self._prior[0]) / (self.texts[thing] + self._prior[1])


class ConditionUse(NamedTuple):
    """A word at ``span`` and the conditions that it may mean ("only", "unless"): several
    ``meanings`` if it is ambiguous; ``meaning`` is the first.
    """

    span: Span
    meanings: frozenset[str]
    meaning: str


class ConditionFinder:
    """Finds the words of ``language`` that state a condition."""

    def __init__(self, language: str):
        self._patterns = [
            (name, re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE))
            for name, patterns in get_language(language).card_conditions.items()
        ]

    def find(self, text: str) -> list[ConditionUse]:
        """Return the conditions in ``text`` in order."""
        found: dict[Span, list[str]] = defaultdict(list)
        for name, pattern in self._patterns:
            for match in pattern.finditer(text):
                found[Span(*match.span())].append(name)
        return [
            ConditionUse(span, frozenset(found[span]), found[span][0]) for span in sorted(found)
        ]


class TermHint(NamedTuple):
    """A term in ``passage`` that the other side may lack; ``concept`` is one of its possible
    concepts, ``form`` the printed words in lower case.
    """

    concept: str
    use: TermUse
    passage: Passage
    form: str

    @property
    def evidence(self) -> HintEvidence:
        """The printed words, as evidence for the concept."""
        return _evidence(self.passage, self.concept, self.use.span)


class _TermComparison:
    """Compares the terms in ``rows`` of two editions in two languages.

    A term that one side lacks is a likely difference only if all of this holds: it is usually
    translated (translators paraphrase some terms now and then); no word of the other side is
    aligned with its words in other rows; no neighbouring passage has it; and the row shows a
    reason: this side is longer, or each side has a term in the same sentence that the other lacks.
    """

    def __init__(
        self, similarity: PassageSimilarity, concepts: Sequence[Concept], rows: Sequence[FacingRow]
    ):
        self._similarity = similarity
        self._stands = similarity.associated([row.passages for row in rows])
        self._names, self._slang = (  # stems, by language and concept
            [
                {
                    concept.id: [normalization.stem(name, code) for name in names.get(code, ())]
                    for concept, names in zip(concepts, called, strict=True)
                }
                for code in similarity.languages
            ]
            for called in ([c.names for c in concepts], [c.slang for c in concepts])
        )
        # Function words are no terms: "alle" is no "alleato".
        self._function_words = [small_words(language) for language in similarity.languages]
        self._agreement, self._forms = AgreementCounts(2, 3), AgreementCounts(0, 0)
        for row in rows:
            for side in (0, 1):
                alone = {hint.use.concepts for hint in self._alone(row, side)}
                uses = {(hint.form, hint.use.concepts) for hint in self._uses(row, side)}
                for concepts_meant in {concepts_meant for _, concepts_meant in uses}:
                    self._agreement.add((side, concepts_meant), concepts_meant not in alone)
                for form, concepts_meant in uses:
                    self._forms.add((side, form), concepts_meant not in alone)

    def alone(self, row: FacingRow) -> tuple[Sides[TermHint], Sides[TermHint]]:
        """Return the likely and the doubtful terms of ``row`` that only one side has, each once."""
        alone = [_each_once(self._alone(row, side)) for side in (0, 1)]
        replaced = [
            [
                hint
                for hint in alone[side]
                if self._is_usual(side, hint)
                and self._share(side, hint) >= REPLACED
                and self._covered(row, side, hint) >= COVERED
            ]
            for side in (0, 1)
        ]
        likely: tuple[list[TermHint], list[TermHint]] = ([], [])
        doubtful: tuple[list[TermHint], list[TermHint]] = ([], [])
        for side in (0, 1):
            for hint in alone[side]:
                other_term = all(replaced) and hint in replaced[side]
                sure = other_term or self._is_missing(row, side, hint)
                (likely if sure else doubtful)[side].append(hint)
        return likely, doubtful

    def false_friends(self, row: FacingRow, side: int) -> Iterator[tuple[TermHint, HintEvidence]]:
        """Yield the terms of ``side`` that the other side does not name, each with a word of the
        other side that looks like it: "reazione" for "Reaktion".

        The value of this word is the other term that it names, if any, else the term itself.
        """
        language = self._similarity.languages[1 - side]
        for hint in _each_once(self._unnamed(row, side)):
            stem = normalization.stem(hint.evidence.words, self._similarity.languages[side])
            # If the other language's own name looks alike too, such a word is one of its forms.
            own_names = self._names[1 - side].get(hint.concept, ())
            if (
                " " in hint.form
                or len(stem) < SHORTEST_FRIEND
                or any(_look_alike(stem, name) for name in own_names)
            ):
                continue
            # A word aligned with the term in other rows is its translation, though not its name.
            translations = {each for own in hint.use.features for each in self._for(side, own)}
            words = (
                (passage, token)
                for passage in row.passages[1 - side]
                for token in normalization.tokenize(passage.display)
            )
            for passage, token in words:
                other = normalization.stem(token.text, language)
                if (
                    len(token.text) >= SHORTEST_FRIEND
                    and _look_alike(stem, other)
                    and (language, other) not in translations
                ):
                    named = {
                        concept
                        for use in self._similarity.read(1 - side, passage.id).terms
                        if use.span.start <= token.start < use.span.end
                        for concept in use.concepts
                    }
                    meant = min(named, default=hint.concept)
                    yield hint, _evidence(passage, meant, Span(token.start, token.end))
                    break

    def _uses(self, row: FacingRow, side: int) -> Iterator[TermHint]:
        for passage in row.passages[side]:
            for use in self._similarity.read(side, passage.id).terms:
                form = passage.display[use.span.start : use.span.end].casefold()
                if form not in self._function_words[side]:
                    yield TermHint(min(use.concepts), use, passage, form)

    def _unnamed(self, row: FacingRow, side: int) -> list[TermHint]:
        """Return the terms of a side that the other side does not name; it may still have another
        word for them.
        """
        named = self._concepts_in(1 - side, [p.id for p in row.passages[1 - side]])
        text = normalization.fold_umlauts(row.texts[1 - side])
        names, slang = self._names[1 - side], self._slang[1 - side]
        return [
            hint
            for hint in self._uses(row, side)
            if named.isdisjoint(hint.use.concepts)
            and not any(
                len(stem) >= _SHORTEST and stem in text
                for concept in hint.use.concepts
                for stem in (*names.get(concept, ()), *slang.get(concept, ()))
            )
        ]

    def _alone(self, row: FacingRow, side: int) -> list[TermHint]:
        """Return the terms of a side without a name or learned translation on the other side."""
        there = self._features_facing(row, side)
        return [
            hint
            for hint in self._unnamed(row, side)
            if all(there.isdisjoint(self._for(side, feature)) for feature in hint.use.features)
        ]

    def _for(self, side: int, feature: Feature) -> set[Feature]:
        """Return the features of the other side that translate ``feature``."""
        return self._stands[side].get(feature, set())

    def _features_facing(self, row: FacingRow, side: int) -> set[Feature]:
        other = 1 - side
        return set().union(
            *(self._similarity.read(other, p.id).features for p in row.passages[other])
        )

    def _concepts_in(self, side: int, passages: Iterable[str]) -> set[str]:
        return {
            concept
            for id in passages
            for use in self._similarity.read(side, id).terms
            for concept in use.concepts
        }

    def _share(self, side: int, hint: TermHint) -> float:
        """Return the share of the other rows with this form of the term whose other side has the
        term; if no other row has the form, count all forms.

        This tells "verbunden" from "Verbündeten", which have one stem.
        """
        share = self._agreement.share((side, hint.use.concepts))
        form = side, hint.form
        return min(share, (self._forms.agreeing[form] + share) / self._forms.texts[form])

    def _is_usual(self, side: int, hint: TermHint) -> bool:
        return self._forms.texts[side, hint.form] >= USUAL_ROWS

    def _is_missing(self, row: FacingRow, side: int, hint: TermHint) -> bool:
        """Return whether the other side most likely lacks the meaning of this term."""
        near = [p.id for p in row.around[1 - side]]
        near += self._similarity.more_alike(side, hint.passage, row.passages[1 - side])
        if hint.use.concepts & self._concepts_in(1 - side, near):
            return False
        share = self._share(side, hint)
        rows = self._agreement.texts[side, hint.use.concepts]
        if self._is_usual(side, hint) and (
            (share >= STEADY and rows >= STEADY_ROWS)
            or (share >= SURE and self._covered(row, side, hint) >= SURE_COVERED)
        ):
            return True
        names = self._names[side].get(hint.concept, ())
        stem = normalization.stem(hint.form, self._similarity.languages[side])
        if not self._is_usual(side, hint) and stem not in names:
            return False  # "completamente" is only similar to "completare"
        lengths = [sum(len(p.display) for p in passages) for passages in row.passages]
        return share >= LEAST_AGREEMENT and lengths[side] >= LONGER * lengths[1 - side]

    def _covered(self, row: FacingRow, side: int, hint: TermHint) -> float:
        """Return how much of the sentence around a term the other side translates, as the weighted
        share of its words; 1.0 if there are no others.
        """
        there = self._features_facing(row, side)
        text = hint.passage.display
        ends = [match.end() for match in _SENTENCE.finditer(text)]
        start = max((end for end in ends if end <= hint.use.span.start), default=0)
        end = min((end for end in ends if end > hint.use.span.start), default=len(text))
        weights = self._similarity.weights
        around = {
            feature
            for place, feature in self._similarity.read(side, hint.passage.id).words
            if start <= place < end
            and feature not in hint.use.features
            and weights.get(feature, 0.0) > _COMMON
        }
        whole = sum(weights[feature] for feature in around)
        if not whole:
            return 1.0
        known = (f for f in around if f in there or there & self._for(side, f))
        return sum(weights[feature] for feature in known) / whole


def _each_once(hints: Iterable[TermHint]) -> list[TermHint]:
    found: dict[str, TermHint] = {}
    for hint in hints:
        found.setdefault(hint.concept, hint)
    return list(found.values())


def _look_alike(one: str, other: str) -> bool:
    alike = Indel.normalized_similarity(one, other, score_cutoff=ALIKE)
    return one[:1] == other[:1] and alike >= ALIKE


class TranslationHints:
    """Finds how the sides of ``rows`` differ, for two editions in two languages, compared with what
    is usual in all rows.
    """

    def __init__(
        self, similarity: PassageSimilarity, concepts: Sequence[Concept], rows: Sequence[FacingRow]
    ):
        self._similarity = similarity
        self._terms = _TermComparison(similarity, concepts, rows)
        self._counts: dict[tuple[int, str], Counter[str]] = {}
        self._passages = tuple(
            {p.id: p for row in rows for p in (*row.passages[side], *row.around[side])}
            for side in (0, 1)
        )
        self._finders = [ConditionFinder(language) for language in similarity.languages]
        self._agreement = AgreementCounts(1, 2)  # of conditions
        for row in rows:
            uses = self._conditions(row)
            for side in (0, 1):
                alone = {form for form, _ in _unmatched(uses, side)}
                for form in {form for form, _ in uses[side]}:
                    self._agreement.add((side, form), form not in alone)

    def differences(self, row: FacingRow) -> list[PassageDifference]:
        """Return how the sides of ``row`` differ: likely differences first, then doubtful ones."""
        found = [
            *self._number_differences(row),
            *self._sign_and_name_differences(row),
            *self._term_differences(row),
            *self._condition_differences(row),
        ]
        return sorted(found, key=lambda difference: difference.doubtful)

    def _number_differences(self, row: FacingRow) -> Iterator[PassageDifference]:
        one, other = zip(row.texts, self._similarity.languages, strict=True)
        unmatched = unmatched_numbers(
            *one,
            *other,
            lambda side, use: self._is_nearby(side, row.evidence(side, use.value, use.span), row),
        )
        for doubtful, sides in enumerate((unmatched.likely, unmatched.doubtful)):
            evidence = [
                [row.evidence(side, use.value, use.span) for use in sides[side]] for side in (0, 1)
            ]
            yield from _difference(DifferenceKind.NUMBERS, evidence, bool(doubtful))

    def _is_nearby(self, side: int, number: HintEvidence, row: FacingRow) -> bool:
        """Return whether the other edition has the ``number`` of ``side`` elsewhere: in the same
        entries, or in a more similar passage.
        """
        own, other = (
            sum(self._numbers_of(n, p)[number.value] for p in (*row.passages[n], *row.around[n]))
            for n in (side, 1 - side)
        )
        if other >= own:
            return True
        passage = next(p for p in row.passages[side] if p.id == number.passage)
        better = self._similarity.more_alike(side, passage, row.passages[1 - side])
        there = self._passages[1 - side]
        return any(
            self._numbers_of(1 - side, there[id])[number.value] for id in better if id in there
        )

    def _numbers_of(self, side: int, passage: Passage) -> Counter[str]:
        if (side, passage.id) not in self._counts:
            uses = read_numbers(passage.display, self._similarity.languages[side])
            self._counts[side, passage.id] = Counter(
                use.value for use in uses if use.role is not NumberRole.FAINT
            )
        return self._counts[side, passage.id]

    def _sign_and_name_differences(self, row: FacingRow) -> Iterator[PassageDifference]:
        left, right = row.passages
        signs = symbols_alone(*row.texts)
        names = (
            self._similarity.unmatched_names(0, left, right),
            self._similarity.unmatched_names(1, right, left),
        )
        for kind, sides in ((DifferenceKind.SYMBOLS, signs), (DifferenceKind.NAMES, names)):
            if any(sides):
                # An icon is often a letter or nothing at all in the text of one edition.
                yield PassageDifference(kind, *sides, doubtful=kind is DifferenceKind.SYMBOLS)

    def _term_differences(self, row: FacingRow) -> Iterator[PassageDifference]:
        judged = self._terms.alone(row)
        friends: list[set[str]] = []  # the terms of each side that have false friends
        for side in (0, 1):
            likely = {hint.concept for hint in judged[0][side]}
            found = {each[0].concept: each for each in self._terms.false_friends(row, side)}
            friends.append(set(found))
            for concept, (hint, other) in found.items():
                meant = (other.value,) if other.value != concept else ()
                terms, evidence = [(concept,), meant], [(hint.evidence,), (other,)]
                yield PassageDifference(
                    DifferenceKind.FALSE_FRIENDS,
                    terms[side],
                    terms[1 - side],
                    concept not in likely,
                    (evidence[side], evidence[1 - side]),
                )
        for doubtful, sides in enumerate(judged):
            rest = [
                [hint.evidence for hint in sides[side] if hint.concept not in friends[side]]
                for side in (0, 1)
            ]
            yield from _difference(DifferenceKind.TERMS, rest, bool(doubtful), sort=True)

    def _conditions(self, row: FacingRow) -> list[list[tuple[str, ConditionUse]]]:
        """Return the conditions of either side, each with its printed words in lower case."""
        return [
            [(text[use.span.start : use.span.end].casefold(), use) for use in finder.find(text)]
            for finder, text in zip(self._finders, row.texts, strict=True)
        ]

    def _condition_differences(self, row: FacingRow) -> Iterator[PassageDifference]:
        uses = self._conditions(row)
        alone = [list(_unmatched(uses, side)) for side in (0, 1)]
        evidence: tuple[list[list[HintEvidence]], ...] = ([[], []], [[], []])
        for side in (0, 1):
            for form, use in alone[side]:
                share = self._agreement.share((side, form))
                rows = self._agreement.texts[side, form]
                if share >= LEAST_DOUBTFUL:
                    steady = share >= STEADY_CONDITION and rows >= STEADY_CONDITION_ROWS
                    sure = use.meanings.isdisjoint(_WEAK) and (
                        steady or (row.is_longer(side) and share >= LEAST_CONDITION_AGREEMENT)
                    )
                    found = row.evidence(side, use.meaning, use.span)
                    evidence[not sure][side].append(found)
        for doubtful, sides in enumerate(evidence):
            yield from _difference(DifferenceKind.CONDITIONS, sides, bool(doubtful), sort=True)


def symbols_alone(left: str, right: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the symbols that one of two texts has more often than the other."""
    one, other = (Counter(filter(is_symbol, text)) for text in (left, right))
    return tuple((one - other).elements()), tuple((other - one).elements())


def _unmatched(
    uses: Sequence[Sequence[tuple[str, ConditionUse]]], side: int
) -> Iterator[tuple[str, ConditionUse]]:
    there = {meaning for _, use in uses[1 - side] for meaning in use.meanings}
    if there & _IF:
        there |= _IF
    if "until" in there:
        there.add("cannot")  # "finché non" is "bis"
    return ((form, use) for form, use in uses[side] if there.isdisjoint(use.meanings))


def _difference(
    kind: DifferenceKind,
    sides: Iterable[Iterable[HintEvidence]],
    doubtful: bool,
    sort: bool = False,
) -> Iterator[PassageDifference]:
    """Yield the difference that the evidence of both ``sides`` shows, if any; with ``sort``, list
    each value once, in alphabetical order.
    """
    left, right = map(tuple, sides)
    if left or right:
        own, others = (
            tuple(sorted({e.value for e in side}) if sort else [e.value for e in side])
            for side in (left, right)
        )
        yield PassageDifference(kind, own, others, doubtful, (left, right))
