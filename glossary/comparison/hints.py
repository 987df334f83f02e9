"""What differs between passages and their translation: numbers, symbols, names, terms, conditions,
the sure ones first.
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

from corpus.languages import get_language
from corpus.model import Passage
from corpus.spans import Span
from glossary import normalization
from glossary.comparison.numbers import NumberRole, NumberUse, read_numbers, unmatched_numbers
from glossary.comparison.passage_similarity import PassageSimilarity, TermUse
from glossary.concepts import Concept
from glossary.matching.likeness import Feature
from glossary.normalization import is_symbol


class DifferenceKind(StrEnum):
    """In what two corresponding passages differ."""

    WORDS = "words"
    NUMBERS = "numbers"
    SYMBOLS = "symbols"
    NAMES = "names"
    TERMS = "terms"
    FALSE_FRIENDS = "false-friends"  # a term stands for another one, whose name looks like its own in the other language
    CONDITIONS = "conditions"  # "only", "once", "unless" and the like


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
    """What only one side has; for terms and false friends, concept ids; for conditions, what they
    say, in English ("only", "unless").

    ``doubtful`` says that a reader may well find that the texts say the same. ``evidence`` are the
    words of either side that numbers, terms and conditions were read from.
    """

    kind: DifferenceKind
    left: tuple[str, ...]
    right: tuple[str, ...]
    doubtful: bool = False
    evidence: tuple[tuple[HintEvidence, ...], tuple[HintEvidence, ...]] = ((), ())


def evidence_in(passage: Passage, value: str, span: Span) -> HintEvidence:
    """Return what stands at ``span`` of the display of ``passage``, as evidence for ``value``."""
    return HintEvidence(
        value, passage.display[span.start : span.end], passage.id, span.start, span.end
    )


class JoinedPassages:
    """The displays of passages as one ``text``, one behind the other, each on lines of its own."""

    def __init__(self, passages: Sequence[Passage]):
        self.passages = tuple(passages)
        self.text = "\n".join(p.display for p in passages)
        self._starts = [0, *accumulate(len(p.display) + 1 for p in passages)]

    def evidence(self, value: str, span: Span) -> HintEvidence:
        """Return what stands at ``span`` of the text, within one passage, as evidence for
        ``value``.
        """
        place = max(n for n in range(len(self.passages)) if self._starts[n] <= span.start)
        offset = self._starts[place]
        return evidence_in(
            self.passages[place], value, Span(span.start - offset, span.end - offset)
        )


class Agreement:
    """Counts texts by what they have.

    ``agreeing`` of ``texts`` are taken to agree before any is read: a few texts tell nothing of
    idiom.
    """

    def __init__(self, agreeing: float, texts: float):
        self._prior = agreeing, texts
        self._texts: Counter[Hashable] = Counter()
        self._agreeing: Counter[Hashable] = Counter()

    def add(self, thing: Hashable, agrees: bool) -> None:
        """Count a text with ``thing``, whose counterpart ``agrees`` or has nothing like it."""
        self._texts[thing] += 1
        self._agreeing[thing] += agrees

    def texts(self, thing: Hashable) -> int:
        """Return how many texts were read that have ``thing``."""
        return self._texts[thing]

    def agreeing(self, thing: Hashable) -> int:
        """Return how many of these have a counterpart that agrees."""
        return self._agreeing[thing]

    def share(self, thing: Hashable) -> float:
        """Return the share of texts with ``thing`` whose counterpart agrees, from 0 to 1."""
        return (self._agreeing[thing] + self._prior[0]) / (self._texts[thing] + self._prior[1])


class ConditionUse(NamedTuple):
    """A word at ``span``, and what it may mean: "only", "unless"; several ``meanings`` where it is
    ambiguous, ``meaning`` is the first.
    """

    span: Span
    meanings: frozenset[str]
    meaning: str

    def form(self, text: str) -> str:
        """Return the words that are printed in ``text``, in small letters."""
        return text[self.span.start : self.span.end].casefold()


class ConditionFinder:
    """Finds the words of ``language`` that say under what condition something holds."""

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


# What follows was set by reading 60 hints of two Marvel Champions editions, and judged on others:
# docs/translators.md.
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
# Share of rows with a word for a condition whose other side has one too, for its absence to be
# likely one on a longer side, and on any.
LEAST_CONDITION_AGREEMENT = 0.85
STEADY_CONDITION = 0.95
STEADY_CONDITION_ROWS = 8  # that have such a word, at least
LEAST_DOUBTFUL = 0.75  # the share below which a word is not even a doubtful hint: it is idiom
ALIKE = 0.75  # share of letters that the stems of two words have in common, in order, to look alike
SHORTEST_FRIEND = 6  # letters of such a word

_T = TypeVar("_T")
Sides = tuple[Sequence[_T], Sequence[_T]]
"""What there is on the left and on the right."""

Judged = tuple[Sides[_T], Sides[_T]]
"""Likely differences, then doubtful ones."""


class FacingRow:
    """Passages aligned with each other, left and right, and the other ones of their entries on
    either side.
    """

    def __init__(self, passages: Sides[Passage], around: Sides[Passage]):
        self.passages = passages
        self.around = around
        self.joined = JoinedPassages(passages[0]), JoinedPassages(passages[1])

    def is_longer(self, side: int, lengths: Sequence[int]) -> bool:
        """Return whether ``side`` says something that the other does not, by the ``lengths`` of
        both.
        """
        return lengths[side] >= LONGER * lengths[1 - side]


class TermHint(NamedTuple):
    """A term in ``passage`` that the other side may lack; ``concept`` is one of those that it may
    stand for.
    """

    concept: str
    use: TermUse
    passage: Passage

    @property
    def form(self) -> str:
        """The words that are printed, in small letters."""
        return self.passage.display[self.use.span.start : self.use.span.end].casefold()

    @property
    def evidence(self) -> HintEvidence:
        """The words that are printed, as evidence for the concept."""
        return evidence_in(self.passage, self.concept, self.use.span)


class FalseFriend(NamedTuple):
    """A word of the other side (``other``) that looks like the term of ``hint``; ``meant`` is the
    other term that it names, if any.
    """

    hint: TermHint
    other: HintEvidence
    meant: str | None


class TermComparison:
    """Compares the terms of ``rows``, which the passages of two editions in two languages stand in.

    A term that one side lacks is only a likely difference where that is unusual for it (translators
    say some terms in other words now and then), where no word stands for it that faces its words in
    other rows, where no neighbouring passage has it, and where the row shows why: this side says
    more than the other, or each side has a term in the same sentence that the other lacks.
    """

    def __init__(
        self, similarity: PassageSimilarity, concepts: Iterable[Concept], rows: Sequence[FacingRow]
    ):
        self._similarity = similarity
        self._weight = similarity.weights()
        self._stands = similarity.associated([row.passages for row in rows])
        self._names: tuple[dict[str, list[str]], dict[str, list[str]]] = (
            {},
            {},
        )  # stems of the names of each concept
        self._slang: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
        for concept in concepts:
            for side, language in enumerate(similarity.languages):
                self._names[side][concept.id] = [
                    normalization.stem(name, language) for name in concept.names.get(language, ())
                ]
                self._slang[side][concept.id] = [
                    normalization.stem(name, language) for name in concept.slang.get(language, ())
                ]
        self._function_words = [_function_words(language) for language in similarity.languages]
        self._agreement = Agreement(2, 3)
        self._forms = Agreement(0, 0)
        for row in rows:
            for side in (0, 1):
                alone = {hint.use.concepts for hint in self._alone(row, side)}
                uses = {(hint.form, hint.use.concepts) for hint in self._uses(row, side)}
                for named in {named for _, named in uses}:
                    self._agreement.add((side, named), named not in alone)
                for form, named in uses:
                    self._forms.add((side, form), named not in alone)

    def hints(self, row: FacingRow) -> Judged[TermHint]:
        """Return the terms of ``row`` that only one side has, each once."""
        alone = [_each_once(self._alone(row, side)) for side in (0, 1)]
        replaced = [
            [hint for hint in alone[side] if self._may_be_replaced(row, side, hint)]
            for side in (0, 1)
        ]
        likely: tuple[list[TermHint], list[TermHint]] = ([], [])
        doubtful: tuple[list[TermHint], list[TermHint]] = ([], [])
        for side in (0, 1):
            for hint in alone[side]:
                sure = (all(replaced) and hint in replaced[side]) or self._is_missing(
                    row, side, hint
                )
                (likely if sure else doubtful)[side].append(hint)
        return likely, doubtful

    def false_friends(self, row: FacingRow, side: int) -> Iterator[FalseFriend]:
        """Yield words of the other side that look like terms of ``side`` which it does not have by
        name: "reazione" for "Reaktion".
        """
        for hint in _each_once(self._unnamed(row, side)):
            words = hint.evidence.words
            stem = normalization.stem(words, self._similarity.languages[side])
            # Where the other language's own name looks alike too, such a word is one of its forms.
            own_names = self._names[1 - side].get(hint.concept, ())
            if (
                " " in words
                or len(stem) < SHORTEST_FRIEND
                or any(_look_alike(stem, name) for name in own_names)
            ):
                continue
            if friend := self._word_like(stem, row, side, hint):
                yield friend

    def _word_like(
        self, stem: str, row: FacingRow, side: int, hint: TermHint
    ) -> FalseFriend | None:
        language = self._similarity.languages[1 - side]
        for passage in row.passages[1 - side]:
            for token in normalization.tokenize(passage.display):
                other = normalization.stem(token.text, language)
                # What faces the term in other rows too is its translation, though not its name.
                stands_for = any(
                    (language, other) in self._stood_for(side, own) for own in hint.use.features
                )
                if len(token.text) < SHORTEST_FRIEND or not _look_alike(stem, other) or stands_for:
                    continue
                terms = self._similarity.read(1 - side, passage.id).terms
                named = {
                    concept
                    for use in terms
                    if use.span.start <= token.start < use.span.end
                    for concept in use.concepts
                }
                meant = min(named, default=None)
                return FalseFriend(
                    hint,
                    evidence_in(passage, meant or hint.concept, Span(token.start, token.end)),
                    meant,
                )
        return None

    def _uses(self, row: FacingRow, side: int) -> Iterator[TermHint]:
        for passage in row.passages[side]:
            for use in self._similarity.read(side, passage.id).terms:
                hint = TermHint(min(use.concepts), use, passage)
                if hint.form not in self._function_words[side]:
                    yield hint

    def _alone(self, row: FacingRow, side: int) -> list[TermHint]:
        """Return the terms of a side that the other has neither by a name nor by words that were
        learned to stand for it.
        """
        there = self._features(1 - side, row.passages[1 - side])
        return [
            hint
            for hint in self._unnamed(row, side)
            if all(
                there.isdisjoint(self._stood_for(side, feature)) for feature in hint.use.features
            )
        ]

    def _unnamed(self, row: FacingRow, side: int) -> list[TermHint]:
        """Return the terms of a side that the other has by no name, though a word may stand for
        them.
        """
        named = self._named(1 - side, row.passages[1 - side])
        text = normalization.fold_umlauts(row.joined[1 - side].text)

        def is_within_words(concept: str) -> bool:
            stems = (
                *self._names[1 - side].get(concept, ()),
                *self._slang[1 - side].get(concept, ()),
            )
            return any(len(stem) >= _SHORTEST and stem in text for stem in stems)

        return [
            hint
            for hint in self._uses(row, side)
            if named.isdisjoint(hint.use.concepts)
            and not any(map(is_within_words, hint.use.concepts))
        ]

    def _named(self, side: int, passages: Sequence[Passage]) -> set[str]:
        return {
            concept
            for p in passages
            for use in self._similarity.read(side, p.id).terms
            for concept in use.concepts
        }

    def _features(self, side: int, passages: Sequence[Passage]) -> set[Feature]:
        return {feature for p in passages for feature in self._similarity.read(side, p.id).features}

    def _share(self, side: int, hint: TermHint) -> float:
        """Return the share of other rows with this form of the term whose other side has the term;
        of all forms, where there is no other.

        It tells "verbunden" from "Verbündeten", which have one stem.
        """
        share = self._agreement.share((side, hint.use.concepts))
        form = side, hint.form
        return min(share, (self._forms.agreeing(form) + share) / self._forms.texts(form))

    def _is_missing(self, row: FacingRow, side: int, hint: TermHint) -> bool:
        """Return whether the other side most likely lacks what is said with this term."""
        if hint.use.concepts & self._named(1 - side, row.around[1 - side]):
            return False
        better = self._similarity.more_alike(side, hint.passage, row.passages[1 - side])
        if any(
            hint.use.concepts & use.concepts
            for id in better
            for use in self._similarity.read(1 - side, id).terms
        ):
            return False
        share = self._share(side, hint)
        steady = share >= STEADY and self._agreement.texts((side, hint.use.concepts)) >= STEADY_ROWS
        if self._is_usual(side, hint) and (
            steady or (share >= SURE and self._covered(row, side, hint) >= SURE_COVERED)
        ):
            return True
        lengths = [sum(len(p.display) for p in passages) for passages in row.passages]
        return share >= LEAST_AGREEMENT and row.is_longer(side, lengths)

    def _may_be_replaced(self, row: FacingRow, side: int, hint: TermHint) -> bool:
        """Return whether another term may stand for this one: its sentence is there, and the term
        is mostly translated by its name.
        """
        return (
            self._is_usual(side, hint)
            and self._share(side, hint) >= REPLACED
            and self._covered(row, side, hint) >= COVERED
        )

    def _is_usual(self, side: int, hint: TermHint) -> bool:
        """Return whether the term is often printed in this form."""
        return self._forms.texts((side, hint.form)) >= USUAL_ROWS

    def _covered(self, row: FacingRow, side: int, hint: TermHint) -> float:
        """Return the share of the words around a term, by weight, that words of the other side
        stand for; 1.0 where there are none.
        """
        there = self._features(1 - side, row.passages[1 - side])
        text = hint.passage.display
        ends = [match.end() for match in _SENTENCE.finditer(text)]
        start = max((end for end in ends if end <= hint.use.span.start), default=0)
        end = min((end for end in ends if end > hint.use.span.start), default=len(text))
        around = {
            feature
            for place, feature in self._similarity.read(side, hint.passage.id).words
            if start <= place < end
            and feature not in hint.use.features
            and self._weight.get(feature, 0.0) > _COMMON
        }
        whole = sum(self._weight[feature] for feature in around)
        return (
            sum(self._weight[f] for f in around if f in there or there & self._stood_for(side, f))
            / whole
            if whole
            else 1.0
        )

    def _stood_for(self, side: int, feature: Feature) -> set[Feature]:
        return self._stands[side].get(feature, set())


def _each_once(hints: Iterable[TermHint]) -> list[TermHint]:
    found: dict[str, TermHint] = {}
    for hint in hints:
        found.setdefault(hint.concept, hint)
    return list(found.values())


def _function_words(language: str) -> frozenset[str]:
    """Return words that name nothing: "alle" is no "alleato"."""
    words = get_language(language)
    return frozenset(
        (
            *words.function_words.in_titles,
            *words.function_words.in_translations,
            *words.sentences.cannot_end,
        )
    )


def _look_alike(one: str, other: str) -> bool:
    return (
        one[:1] == other[:1]
        and Indel.normalized_similarity(one, other, score_cutoff=ALIKE) >= ALIKE
    )


class ConditionComparison:
    """Compares the conditions of ``rows`` in two languages. What translators often say in other
    words is no likely difference.
    """

    def __init__(self, languages: tuple[str, str], rows: Sequence[FacingRow]):
        self._finders = [ConditionFinder(language) for language in languages]
        self._agreement = Agreement(1, 2)
        for row in rows:
            uses = self._uses(row)
            for side in (0, 1):
                alone = {use.form(row.joined[side].text) for use in _alone(uses, side)}
                for form in {use.form(row.joined[side].text) for use in uses[side]}:
                    self._agreement.add((side, form), form not in alone)

    def hints(self, row: FacingRow) -> Judged[ConditionUse]:
        """Return the conditions of ``row`` that only one side has, with their places in its joined
        passages.
        """
        uses = self._uses(row)
        likely: tuple[list[ConditionUse], list[ConditionUse]] = ([], [])
        doubtful: tuple[list[ConditionUse], list[ConditionUse]] = ([], [])
        for side in (0, 1):
            longer = row.is_longer(side, [len(joined.text) for joined in row.joined])
            for use in _alone(uses, side):
                key = side, use.form(row.joined[side].text)
                share = self._agreement.share(key)
                steady = (
                    share >= STEADY_CONDITION
                    and self._agreement.texts(key) >= STEADY_CONDITION_ROWS
                )
                if share >= LEAST_DOUBTFUL:
                    sure = steady or (longer and share >= LEAST_CONDITION_AGREEMENT)
                    (likely if sure else doubtful)[side].append(use)
        return likely, doubtful

    def _uses(self, row: FacingRow) -> list[list[ConditionUse]]:
        return [
            finder.find(joined.text)
            for finder, joined in zip(self._finders, row.joined, strict=True)
        ]


def _alone(uses: Sequence[Sequence[ConditionUse]], side: int) -> list[ConditionUse]:
    there = {meaning for use in uses[1 - side] for meaning in use.meanings}
    return [use for use in uses[side] if there.isdisjoint(use.meanings)]


class TranslationHints:
    """Says of ``rows`` of two editions in two languages in what their sides differ, with what is
    usual in all of them in mind.
    """

    def __init__(
        self, similarity: PassageSimilarity, concepts: Sequence[Concept], rows: Sequence[FacingRow]
    ):
        self._similarity = similarity
        self._terms = TermComparison(similarity, concepts, rows)
        self._conditions = ConditionComparison(similarity.languages, rows)
        self._counts: dict[tuple[int, str], Counter[str]] = {}
        self._passages = tuple(
            {p.id: p for row in rows for p in (*row.passages[side], *row.around[side])}
            for side in (0, 1)
        )

    def differences(self, row: FacingRow) -> list[PassageDifference]:
        """Return in what the sides of ``row`` differ: what is likely by kind, then what is
        doubtful.
        """
        found = [
            *self._numbers(row),
            *self._signs_and_names(row),
            *self._of_terms(row),
            *self._of_conditions(row),
        ]
        return sorted(found, key=lambda difference: difference.doubtful)

    def _numbers(self, row: FacingRow) -> Iterator[PassageDifference]:
        left, right = row.joined

        def stands_nearby(side: int, use: NumberUse) -> bool:
            return self._stands_nearby(side, row.joined[side].evidence(use.value, use.span), row)

        unmatched = unmatched_numbers(
            left.text,
            self._similarity.languages[0],
            right.text,
            self._similarity.languages[1],
            stands_nearby,
        )
        for doubtful, sides in enumerate((unmatched.likely, unmatched.doubtful)):
            evidence = (
                [row.joined[side].evidence(use.value, use.span) for use in sides[side]]
                for side in (0, 1)
            )
            yield from _difference(DifferenceKind.NUMBERS, evidence, doubtful=bool(doubtful))

    def _stands_nearby(self, side: int, number: HintEvidence, row: FacingRow) -> bool:
        """Return whether the other edition has a number of ``side`` in another passage: of these
        entries, or one more like its passage.
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

    def _signs_and_names(self, row: FacingRow) -> Iterator[PassageDifference]:
        signs = [
            Counter(sign for p in side for sign in p.display if is_symbol(sign))
            for side in row.passages
        ]
        signs_only = (
            tuple((signs[0] - signs[1]).elements()),
            tuple((signs[1] - signs[0]).elements()),
        )
        if any(signs_only):
            yield PassageDifference(DifferenceKind.SYMBOLS, *signs_only)
        left, right = row.passages
        names_only = (
            self._similarity.unmatched_names(0, left, right),
            self._similarity.unmatched_names(1, right, left),
        )
        if any(names_only):
            yield PassageDifference(DifferenceKind.NAMES, *names_only)

    def _of_terms(self, row: FacingRow) -> Iterator[PassageDifference]:
        judged = self._terms.hints(row)
        friends = [
            {each.hint.concept: each for each in self._terms.false_friends(row, side)}
            for side in (0, 1)
        ]
        for side in (0, 1):
            likely = {hint.concept for hint in judged[0][side]}
            for concept, friend in friends[side].items():
                terms, evidence = (
                    [(concept,), (friend.meant,) if friend.meant else ()],
                    [(friend.hint.evidence,), (friend.other,)],
                )
                own, others, doubtful = terms[side], terms[1 - side], concept not in likely
                yield PassageDifference(
                    DifferenceKind.FALSE_FRIENDS,
                    own,
                    others,
                    doubtful,
                    (evidence[side], evidence[1 - side]),
                )
        for unsure, sides in enumerate(judged):
            evidence_sides = (
                [hint.evidence for hint in sides[side] if hint.concept not in friends[side]]
                for side in (0, 1)
            )
            yield from _difference(
                DifferenceKind.TERMS, evidence_sides, doubtful=bool(unsure), in_order=True
            )

    def _of_conditions(self, row: FacingRow) -> Iterator[PassageDifference]:
        for doubtful, sides in enumerate(self._conditions.hints(row)):
            evidence = (
                [row.joined[side].evidence(use.meaning, use.span) for use in sides[side]]
                for side in (0, 1)
            )
            yield from _difference(
                DifferenceKind.CONDITIONS, evidence, doubtful=bool(doubtful), in_order=True
            )


def _difference(
    kind: DifferenceKind,
    sides: Iterable[Sequence[HintEvidence]],
    doubtful: bool,
    in_order: bool = False,
) -> Iterator[PassageDifference]:
    """Yield the difference that the evidence on both ``sides`` tells of, if any; ``in_order`` names
    each value once, by the alphabet.
    """
    left, right = map(tuple, sides)
    if left or right:
        own, others = (
            tuple(sorted({e.value for e in side}) if in_order else [e.value for e in side])
            for side in (left, right)
        )
        yield PassageDifference(kind, own, others, doubtful, (left, right))
