"""Align two editions by sentences for translators: each segment with a score and doubts."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, pairwise
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.languages import any_of, words_of
from corpus.model import Passage
from glossary import normalization
from glossary.comparison.hints import (
    DifferenceKind,
    HintEvidence,
    PassageDifference,
    symbols_alone,
)
from glossary.comparison.model import Agreement, AlignedPassages, Doubt, EntryPair, Segment
from glossary.comparison.numbers import unmatched_numbers
from glossary.comparison.rewording import small_words
from glossary.comparison.sentence_alignment import (
    EVENS,
    GAIN,
    MOST,
    Bead,
    SentenceAligner,
)
from glossary.comparison.sentence_text import SegmentText, Sentence, SentencesOf
from glossary.comparison.term_usage import TermUsage
from glossary.comparison.word_links import WordOrder
from glossary.concepts import Concept
from glossary.longest_increasing import out_of_order

LEAST_SCORE = 0.87  # of a segment that is a true translation
LEAST_FREE = 0.62  # of a segment that at least says the same in other words
LEAST_RELATED = 0.47  # of a segment with few terms in common
LEAST_COMPARED = 0.56  # of a segment whose terms are compared: in worse ones they differ anyway
LEAST_JOINED = 0.83  # the same if several sentences are aligned with one
LEAST_DENIED = 0.3  # the same, to report that only one side has a negation
LEAST_SAME = 0.91  # of a segment that says the same, clause by clause
CLAUSE_LONGER = 0.35  # logarithm of how much longer a side with a further clause is
MUCH_LONGER = 0.6  # the same if the clause may have common words only
CLAUSE_LETTERS = 30  # by which it is longer, at least
CLAUSE_WEIGHT = 14.0  # weight of the words of the clause
CLAUSE_COVERS = 0.15  # by how much the longer side covers the other better than vice versa
CLAUSE_WORDS = 4  # of a clause or a sentence that only one side has
LONG = 5  # letters of a word that says something
LONG_WORDS = 3  # such words of a clause
SAID = 0.6  # share of a sentence that another one covers that says the same
SAID_BOTH = 0.5, 0.33  # the same, and the share of the other one that the sentence covers
SAID_BESIDE = 0.2  # the same of a sentence that makes a too short neighbour long enough
ITEM_WORDS = 4  # of a sentence whose place counts
LOOSE = 0.73  # score below which a counterpart is not sure
MOST_TOGETHER = 300  # sentences of a side that are compared with those of other rows
LISTED = 4  # items that make a list
SHORT_ITEM = 4  # words of an item
FEW_ROWS = 100  # two-sided rows that are too few to learn word translations from
STRANGE = 0.045  # likeness gained without a paragraph that the other side does not have
UNLIKE = 0.42  # likeness of sentences, below which their terms tell whether they correspond
SHARED = 0.15  # share of the terms of both sides, weighted, that unlike sentences have in common
NAMED = 12.0  # weight of all terms, at least, for SHARED to tell
LABEL = 40  # characters in which the heading of an item ends
LEAST_LIKENESS = 0.3  # likeness of words below which it is no translation

# Weights of a logistic regression on the 1,602 two-sided segments of Marvel Champions, German 1.5
# and Italian 1.7, all judged by reading: tests/glossary/segments. Cross-validated over entries, it
# ranks segments that differ in substance (0.16 of all) with an average precision of 0.55.
_BIAS = 6.0
_WEIGHTS = {
    "missing": -7.9,
    "unevenness": -3.3,
    "numbers": -2.3,
    "brackets": -0.53,
    "words": -1.11,
    "terms": -0.48,
    "row": 1.67,
    "commas": -0.15,
    "ends": -1.02,
    "joined": -0.25,
}
_SEPARATOR = re.compile(
    rf"[,;:.()\u2013]|\s(?={any_of('sentences.conjunctions', 'sentences.alternatives')}\s)",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"(?:•\s)?\(?(?:\d{1,2}|[a-z])[.)]\s")  # an item whose place says when
_ITEMS = re.compile(r"^[^\S\n]{0,20}(?:•\s)?\(?(?:\d{1,2}|[a-z])[.)]\s", re.MULTILINE)
_JOINING = words_of("sentences.conjunctions") | words_of("sentences.alternatives")
_QUESTION = re.compile(any_of("labels.question"))  # "F", "D"
# "(Mad Titan, 101)", "(Mad Titan, Scenario #4)", of which a clause may have either end.
_CITED = re.compile(
    r"\([^()\n]{1,60}, (?:[^\W\d_]{1,12} )?#?\d{1,3}[a-z]?\)?"
    r"|^[^()\n]{1,60}, (?:[^\W\d_]{1,12} )?#?\d{1,3}[a-z]?\)"
)
_CLOSING = "\"“”„»«’')]"

# Differences that are found in single sentences; a comparison of whole rows may miss them.
_OF_SENTENCES = {
    DifferenceKind.TERMS,
    DifferenceKind.CONDITIONS,
    DifferenceKind.CLAUSES,
    DifferenceKind.ORDER,
}

_Texts = tuple[list[Sentence], list[Sentence]]

# The doubt that each weight stands for. If the score is low, those that lower it most are given.
_DOUBTS = {
    "unevenness": Doubt.LENGTH,
    "numbers": Doubt.NUMBERS,
    "brackets": Doubt.SIGNS,
    "commas": Doubt.SIGNS,
    "ends": Doubt.SIGNS,
    "missing": Doubt.WORDS,
    "terms": Doubt.TERMS,
    "joined": Doubt.JOINED,
    "row": Doubt.ROW,
}
_CONSIDERABLE = 0.5  # by how much a reason lowers the logit, at least


class SegmentFeatures(NamedTuple):
    """The features of a segment that its score and doubts are computed from.

    Attributes:
        likeness: The likeness of the `Bead`.
        missing: The share of missing words of the `Bead`.
        unevenness: Logarithm of how much longer one side is than usual for a translation.
        numbers: How many numbers only one side has.
        terms: How many terms only one side has.
        term_hints: How many of these terms are surely missing.
        denials: Whether only one side has a negation.
        row: Aligned share of the row, from 0 to 1, on the side with the smaller share.
        joined: How many sentences there are beyond one of each side.
    """

    likeness: float
    missing: float
    unevenness: float
    numbers: int
    terms: int
    term_hints: int
    denials: bool
    row: float
    joined: int
    texts: tuple[str, str]

    def values(self) -> dict[str, float]:
        """Return the weighted features by name."""
        left, right = self.texts
        return {
            "missing": self.missing,
            "unevenness": self.unevenness,
            "numbers": min(self.numbers, 2),
            "brackets": min(abs(left.count("(") - right.count("(")), 2),
            "words": math.log(len(left.split()) + len(right.split())),
            "terms": min(self.terms, 4),
            "row": self.row,
            "commas": min(abs(left.count(",") - right.count(",")), 4),
            "ends": float(_ends_with_word(left) != _ends_with_word(right)),
            "joined": self.joined,
        }


def score(features: SegmentFeatures) -> float:
    """Return the probability that a segment is a true translation, from 0 to 1."""
    logit = _BIAS + sum(_WEIGHTS[name] * value for name, value in features.values().items())
    return round(1 / (1 + math.exp(-logit)), 3)


def doubts(features: SegmentFeatures) -> tuple[Doubt, ...]:
    """Return why a segment may be no true translation; empty if nothing speaks against it."""
    found = []
    if features.numbers:
        found.append(Doubt.NUMBERS)
    if features.denials:
        found.append(Doubt.DENIALS)
    if features.term_hints:
        found.append(Doubt.TERMS)
    if features.likeness < LEAST_LIKENESS:
        found.append(Doubt.WORDS)
    listed = [_listed(text) for text in features.texts]
    if all(listed) and listed[0] != listed[1]:
        found.append(Doubt.WORDS)
    if score(features) < LEAST_SCORE:
        lowered = {
            name: -_WEIGHTS[name] * value
            for name, value in features.values().items()
            if name in _DOUBTS
        }
        lowered["row"] = _WEIGHTS["row"] * (1 - features.row)
        ranked = sorted(lowered, key=lambda name: -lowered[name])
        reasons = [name for name in ranked if lowered[name] >= _CONSIDERABLE] or ranked[:1]
        found += [_DOUBTS[name] for name in reasons]
    return tuple(dict.fromkeys(found))


def _listed(text: str) -> int:
    """Return the length of the longest enumeration of short items in ``text``; 0 below `LISTED`."""
    longest = run = 0
    for part in _SEPARATOR.split(text):
        words = part.split()
        if words and words[0].casefold() in _JOINING:
            words = words[1:]
        run = run + 1 if words and len(words) <= SHORT_ITEM else 0
        longest = max(longest, run)
    return longest if longest >= LISTED else 0


def _ends_with_word(text: str) -> bool:
    """Return whether ``text`` ends without a full stop or another sign."""
    return text.rstrip(_CLOSING)[-1:].isalnum()


def learn_sentences(
    pairs: Sequence[EntryPair], languages: tuple[str, str], concepts: Iterable[Concept] = ()
) -> tuple[tuple[SentencesOf, SentencesOf], SentenceAligner]:
    """Return the sentences of both editions, and an aligner that has learned word translations from
    the rows of ``pairs`` and the names of ``concepts``.
    """
    rows = [row for pair in pairs for row in pair.rows]
    numbers = {e.id: e.number for pair in pairs for e in (*pair.left, *pair.right)}
    left, right = (
        {
            p.id: text.sentences([p], numbers)
            for text in (SegmentText((p for row in rows for p in _sides(row)[side]), language),)
            for row in rows
            for p in _sides(row)[side]
        }
        for side, language in enumerate(languages)
    )
    texts = [
        (
            [s.text for p in row.left for s in left[p.id]],
            [s.text for p in row.right for s in right[p.id]],
        )
        for row in rows
    ]
    names = [[list(c.names.get(each, ())[:1]) for each in languages] for c in concepts]
    # A word must occur in at least two texts to be learned.
    texts += [(own, others) for own, others in names if own and others] * 2
    return (left, right), SentenceAligner(texts, languages)


def _sides(row: AlignedPassages) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
    return row.left, row.right


def with_segments(
    pairs: Sequence[EntryPair],
    sentences: tuple[SentencesOf, SentencesOf],
    aligner: SentenceAligner,
    languages: tuple[str, str],
    concepts: Sequence[Concept],
) -> list[EntryPair]:
    """Return ``pairs`` with the segments of their rows: each of the ``sentences`` of either edition
    in one segment.
    """
    rows = [row for pair in pairs for row in pair.rows]
    texts = [
        _parts(
            *(
                [sentence for p in own for sentence in sentences[side][p.id]]
                for side, own in enumerate(_sides(row))
            )
        )
        for row in rows
    ]
    beads = aligner.align(_words(*part) for parts in texts for part in parts)
    aligned = [
        [
            _aligned(*part, each)
            for part in parts
            for bead in next(beads)
            for each in _without_stranger(part, bead, aligner)
        ]
        for parts in texts
    ]
    aligned = _across_rows(pairs, texts, aligned, aligner)
    aligned = [_joined(each, aligner) for each in aligned]
    judge = _Judge(languages, concepts, aligner, [each for its in aligned for each in its])
    judged = iter(aligned)
    found = []
    for pair in pairs:
        segmented = [
            each
            for row in pair.rows
            for each in _divided(replace(row, segments=tuple(judge.segments(row, next(judged)))))
        ]
        found.append(replace(pair, rows=tuple(judge.rows(pair, _reunited(segmented)))))
    return found


def _parts(here: list[Sentence], there: list[Sentence]) -> list[_Texts]:
    """Split the sentences of a row into parts that correspond: at the labels of questions and
    answers if both sides have the same ones, else into a single part.
    """
    labelled = [[n for n, s in enumerate(side) if s.label] for side in (here, there)]
    asked = [[bool(_QUESTION.match(s.label)) for s in side if s.label] for side in (here, there)]
    if asked[0] != asked[1]:
        return [(here, there)]
    bounds = [(0, 0), *zip(*labelled, strict=True), (len(here), len(there))]
    parts = [(here[i:to], there[j:past]) for (i, j), (to, past) in pairwise(bounds)]
    return [part for part in parts if any(part)]


def _without_stranger(texts: _Texts, bead: Bead, aligner: SentenceAligner) -> list[Bead]:
    """Split a paragraph off the start or end of ``bead`` if both sides are more similar without it,
    such as another item of a list. Return the one or two beads of the ``texts`` of a row.
    """
    for side, own in enumerate(texts):
        (first, last), others = bead.sides[side], bead.sides[1 - side]
        for rest, n, beside in (
            ((first, last - 1), last - 1, last - 2),
            ((first + 1, last), first, first + 1),
        ):
            if last - first < 2 or _are_joint(own[min(n, beside)], own[max(n, beside)]):
                continue
            end = others[n > beside]
            less, alone = (
                Bead(mine, theirs) if side == 0 else Bead(theirs, mine)
                for mine, theirs in ((rest, others), ((n, n + 1), (end, end)))
            )
            words = (here[slice(*part)] for here, part in zip(texts, less.sides, strict=True))
            less = aligner.bead(*_words(*words))._replace(left=less.left, right=less.right)
            if less.likeness >= bead.likeness + STRANGE:
                return [less, alone] if n > beside else [alone, less]
    return [bead]


def _are_joint(one: Sentence, next_one: Sentence) -> bool:
    """Return whether ``one`` announces the ``next_one`` or is in the same paragraph."""
    places = {(s.passage.id, s.paragraph) for s in (one, next_one)}
    return len(places) == 1 or one.text.endswith(":")


def _across_rows(
    pairs: Sequence[EntryPair],
    texts: Sequence[list[_Texts]],
    aligned: Sequence[list[_Aligned]],
    aligner: SentenceAligner,
) -> list[list[_Aligned]]:
    """Return what is ``aligned`` in the ``texts`` of each row, with unsure sentences aligned with
    sentences of other rows of the pair, or of another entry, if these fit better. A segment across
    rows is in the row of its left side.
    """
    found = list(aligned)
    rows = [row for pair in pairs for row in pair.rows]
    numbers = count()
    groups = [[n for _, n in zip(pair.rows, numbers, strict=False)] for pair in pairs]
    only_right = {p.id: n for n, row in enumerate(rows) if not row.left for p in row.right}
    moved = {  # rows of the right edition, with the group that says the same
        only_right[p.id]: group
        for group, own in enumerate(groups)
        for n in own
        for p in rows[n].elsewhere
        if p.id in only_right
    }
    for group, own in enumerate(groups):
        own = [n for n in own if n not in moved] + [n for n in moved if moved[n] == group]
        loose = [
            row
            for row in own
            # Reviews report rows with only a left side as not translated yet.
            if (rows[row].right or rows[row].elsewhere) and len(texts[row]) == 1
            if not (rows[row].by_hand or all(each.bead.is_sure for each in aligned[row]))
        ]
        here, there = ([s for row in loose for s in texts[row][0][side]] for side in (0, 1))
        if not (here and there) or max(len(here), len(there)) > MOST_TOGETHER:
            continue
        at = [[row for row in loose for _ in texts[row][0][side]] for side in (0, 1)]
        words = [_words(*texts[row][0]) for row in loose]
        together = aligner.together(words, [[e.bead for e in aligned[row]] for row in loose])
        for row in loose:
            found[row] = []
        for bead in together:
            side = 1 if bead.is_alone(1) else 0
            found[at[side][bead.sides[side][0]]].append(_aligned(here, there, bead))
    return found


class _Aligned(NamedTuple):
    """Sentences of either side that correspond, with their bead."""

    left: tuple[Sentence, ...]
    right: tuple[Sentence, ...]
    bead: Bead

    @property
    def sides(self) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
        return self.left, self.right

    @property
    def texts(self) -> tuple[str, str]:
        return _text(self.left), _text(self.right)


def _words(here: Iterable[Sentence], there: Iterable[Sentence]) -> tuple[list[str], list[str]]:
    return [sentence.text for sentence in here], [sentence.text for sentence in there]


def _aligned(here: Sequence[Sentence], there: Sequence[Sentence], bead: Bead) -> _Aligned:
    return _Aligned(tuple(here[slice(*bead.left)]), tuple(there[slice(*bead.right)]), bead)


def _joined(aligned: Sequence[_Aligned], aligner: SentenceAligner) -> list[_Aligned]:
    """Return ``aligned``, the sentences of a row, with one-sided sentences joined to their
    neighbour if the other side says both in one sentence.
    """
    found: list[_Aligned] = []
    for each in aligned:
        for side in (0, 1):
            if number := _announcing(found, each, side):
                found[-number:] = [_whole([*found[-number:], each], aligner)]
                break
            # One-sided sentences of the other side may be in between.
            place = next((n for n in reversed(range(len(found))) if found[n].sides[side]), -1)
            joined = None
            if each.sides[side] and place >= 0:
                joined = _one_sentence(found[place], each, aligner)
            if joined:
                found[place] = joined
                break
        else:
            found.append(each)
    return found


def _announcing(found: Sequence[_Aligned], each: _Aligned, side: int) -> int:
    """Return how many items at the end of ``found`` introduce a quotation that ``each`` ends on
    ``side`` ("The text becomes: …"), if the other side says all of it in one sentence; else 0.
    """
    others = each.sides[1 - side]
    first = each.texts[side]
    if first and len(others) == 1 and ":" in others[0].text[:-1]:
        for number, before in enumerate(reversed(found), 1):
            if before.sides[1 - side]:
                break
            if before.texts[side].endswith(":"):
                return number if first[0] in _CLOSING else 0
            first = before.texts[side]
    return 0


def _whole(parts: Sequence[_Aligned], aligner: SentenceAligner) -> _Aligned:
    left, right = (tuple(s for part in parts for s in part.sides[side]) for side in (0, 1))
    return _Aligned(left, right, aligner.bead(*_words(left, right)))


def _one_sentence(one: _Aligned, other: _Aligned, aligner: SentenceAligner) -> _Aligned | None:
    """Join a two-sided and a one-sided item if one sentence of the other side covers both: "…, so
    nothing has to be paid". Return None otherwise.
    """
    both, alone = (one, other) if one.left and one.right else (other, one)
    if not (both.left and both.right) or (alone.left and alone.right):
        return None
    side = 0 if alone.left else 1
    first, second = one.sides[side], other.sides[side]
    whole = _whole([one, other], aligner)
    own, others, extra = both.texts[side], both.texts[1 - side], alone.texts[side]
    if (
        len(whole.sides[1 - side]) != 1
        or first[-1].passage.id != second[0].passage.id
        or first[-1].paragraph != second[0].paragraph
        or abs(first[-1].number - second[0].number) != 1
        or len(whole.left + whole.right) > MOST
        or extra[0] == "("  # an aside
    ):
        return None
    apart = aligner.bead(*(([extra], [others]) if side == 0 else ([others], [extra])))
    lengths = [len(text.split()) for text in (own, others, f"{own} {extra}")]
    before, now = (abs(math.log(length / lengths[1])) for length in (lengths[0], lengths[2]))
    adds = whole.bead.coverage[1 - side] >= both.bead.coverage[1 - side] + GAIN
    most = before - EVENS if adds else min(before - EVENS, before / 2)
    return None if apart.coverage[side] < SAID_BESIDE or now > most else whole


class _Judge:
    """Scores how surely sentences translate each other, compared with what is usual in all
    ``aligned`` sentences.
    """

    def __init__(
        self,
        languages: tuple[str, str],
        concepts: Sequence[Concept],
        aligner: SentenceAligner,
        aligned: Sequence[_Aligned],
    ):
        self._languages = languages
        self._aligner = aligner
        self._denials = [
            re.compile(rf"\b{any_of('sentences.denials', language=language)}\b", re.IGNORECASE)
            for language in languages
        ]
        both = [each.texts for each in aligned if each.left and each.right]
        # How much longer the left side is than the right one, the median of all.
        ratios = [math.log(len(left) / len(right)) for left, right in both]
        self._usual_ratio = median(ratios) if ratios else 0.0
        self._usage = TermUsage(languages, concepts, aligner, both)
        named = Counter(
            term for texts in both for term in set().union(*chain(*self._usage.terms(texts)))
        )
        self._rarity = {term: math.log(len(both) / uses) for term, uses in named.items()}
        self._order = WordOrder(languages, concepts, aligner)

    def segments(self, row: AlignedPassages, aligned: Sequence[_Aligned]) -> Iterator[Segment]:
        """Yield the segments of a row."""
        shares = []  # the aligned share of either side
        for side in (0, 1):
            lengths = [(len(each.texts[side]), bool(each.left and each.right)) for each in aligned]
            whole = max(sum(length for length, _ in lengths), 1)
            shares.append(sum(length for length, both in lengths if both) / whole)
        around = tuple(
            set().union(*(set().union(*self._usage.terms(each.texts)[side]) for each in aligned))
            for side in (0, 1)
        )
        for left, right, bead in aligned:
            if not left or not right:
                yield _one_sided(left, right)
                continue
            texts = _text(left), _text(right)
            terms = self._usage.terms(texts)
            named = [set().union(*uses) for uses in terms]
            differences = tuple(self._differences(row, texts, named))
            counts: Counter[DifferenceKind] = Counter()
            for each in differences:
                counts[each.kind] += len(each.left) + len(each.right)
            denies = [
                bool(denial.search(text)) for denial, text in zip(self._denials, texts, strict=True)
            ]
            ratio = math.log(len(texts[0]) / len(texts[1])) - self._usual_ratio
            features = SegmentFeatures(
                likeness=bead.likeness,
                missing=bead.missing,
                unevenness=abs(ratio),
                numbers=counts[DifferenceKind.NUMBERS],
                terms=sum(
                    use.isdisjoint(named[1 - side]) for side in (0, 1) for use in terms[side]
                ),
                term_hints=counts[DifferenceKind.TERMS],
                denials=denies[0] != denies[1],
                row=min(shares),
                joined=len(left) + len(right) - 2,
                texts=texts,
            )
            if not row.by_hand and self._are_strangers(features, named):
                yield _one_sided(left, ())
                yield _one_sided((), right)
                continue
            alone = self._clause(texts, bead, 0, ratio), self._clause(texts, bead, 1, -ratio)
            likely = score(features) >= LEAST_COMPARED
            surely = likely and (not features.joined or score(features) >= LEAST_JOINED)
            further, free = self._usage.alone(
                texts, ratio, likely, surely, (around[0], around[1]), denies
            )
            moved = self._order.differences(texts) if likely else ()
            denied = self._order.denials(texts) if score(features) >= LEAST_DENIED else ()
            yield Segment(
                left,
                right,
                score(features),
                doubts(features),
                (*differences, *further, *moved, *denied),
                alone,
                free=free or not self._order.is_even(texts),
            )

    def _are_strangers(self, features: SegmentFeatures, named: Sequence[set[str]]) -> bool:
        """Return whether two sides, which name the ``named`` concepts, were aligned only for want
        of a better match: neither words nor terms support it, or only one side is an aside.
        """
        if features.likeness >= UNLIKE or all(" – " in text[:LABEL] for text in features.texts):
            return False
        if len({text.startswith("(") for text in features.texts}) > 1:
            return True
        both, either = (
            sum(map(self._rarity.__getitem__, own))
            for own in (named[0] & named[1], named[0] | named[1])
        )
        # Other numbers are a difference between texts that correspond.
        likely = score(features._replace(numbers=0)) >= LEAST_RELATED
        return not likely and either >= NAMED and both < SHARED * either

    def _clause(self, texts: tuple[str, str], bead: Bead, side: int, ratio: float) -> str:
        """Return the words of a side that are most likely a clause missing on the other side, which
        is then shorter by about as much; else "".
        """
        is_longer = (
            ratio >= CLAUSE_LONGER and len(texts[side]) - len(texts[1 - side]) >= CLAUSE_LETTERS
        )
        covers = bead.coverage[1 - side] - bead.coverage[side]
        weight = CLAUSE_WEIGHT if ratio < MUCH_LONGER else CLAUSE_WEIGHT / 2
        if is_longer and bead.gaps[side] >= weight and covers >= CLAUSE_COVERS:
            return self._aligner.longest_gap(texts, side)
        return ""

    def rows(self, pair: EntryPair, rows: Sequence[AlignedPassages]) -> Iterator[AlignedPassages]:
        """Yield ``rows`` of ``pair`` with one-sided clauses as differences, and the agreement of
        both sides. A row with one side alone differs if both editions have the entry.
        """
        both = bool(pair.left and pair.right)
        segments = [segment for row in rows for segment in row.segments]
        texts = _texts_of(segments)
        # Those without a sure counterpart may contain what one side lacks.
        loose = _texts_of([each for each in segments if each.score < LOOSE])
        # What a side says twice, the other may say once.
        faced = [
            [
                self._stems(each.texts[side], side)
                for each in segments
                if each.aligned and not each.alone[side]
            ]
            for side in (0, 1)
        ]
        names = [
            {stem for entry in own for stem in self._stems(entry.title, side).split()}
            for side, own in enumerate((pair.left, pair.right))
        ]
        for row in rows:
            if not (row.left and row.right):
                row = replace(row, elsewhere=row.elsewhere or _facing(row, segments))
                differs = both and not row.elsewhere
                yield replace(row, agreement=Agreement.DIFFERS if differs else None)
                continue
            row = replace(
                row,
                differences=_with_further(row.differences, row.segments, doubtful=False),
                doubtful=_with_further(row.doubtful, row.segments, doubtful=True),
            )
            found: tuple[list[str], list[str]] = ([], [])
            elsewhere: tuple[list[str], list[str]] = ([], [])
            around = _texts_of(row.segments)
            for segment in row.segments:
                for side, text in enumerate(segment.alone):
                    if len(text.split()) >= CLAUSE_WORDS:
                        # What the other side says in a sentence before, it need not repeat. One
                        # that ends with a colon announces what follows.
                        others = around if segment.aligned else texts
                        weak = (
                            text.endswith(":")
                            or any(self._stems(text, side) in other for other in faced[side])
                            or self._is_idle(text, side, names[side], segment.aligned)
                            or self._is_said(text, side, others[1 - side], loose[1 - side])
                        )
                        (elsewhere if weak else found)[side].append(text)
                told = row.differences or any(segment.alone)
                if not told and segment.score < LEAST_FREE:
                    for side, text in self._telling(segment):
                        elsewhere[side].append(text)
            alone = found
            if len(found[0]) == len(found[1]):  # they may render each other
                alone = [], []
                elsewhere = elsewhere[0] + found[0], elsewhere[1] + found[1]
            order, likely, doubtful = (
                [PassageDifference(kind, tuple(own[0]), tuple(own[1]), doubt)] * any(own)
                for own, kind, doubt in (
                    (_out_of_order(row.segments), DifferenceKind.ORDER, False),
                    (alone, DifferenceKind.CLAUSES, False),
                    (elsewhere, DifferenceKind.CLAUSES, True),
                )
            )
            # Terms and conditions within a clause are reported with it.
            sure, unsure = self._confirmed(_outside(row.differences, row, found))
            row = replace(
                row,
                differences=(*sure, *order, *likely),
                doubtful=(*_outside(row.doubtful, row, found), *unsure, *doubtful),
            )
            yield replace(row, agreement=_agreement(row))

    def _telling(self, segment: Segment) -> Iterator[tuple[int, str]]:
        """Yield the words that make a ``segment`` unlikely to be a translation, each with its side:
        those without a counterpart on the other side.
        """
        gaps = [self._aligner.longest_gap(segment.texts, side) for side in (0, 1)]
        lengths = [len(gap.split()) for gap in gaps]
        for side, gap in enumerate(gaps):
            if gap and lengths[side] >= min(CLAUSE_WORDS, max(lengths)):
                yield side, gap

    def _confirmed(
        self, differences: Iterable[PassageDifference]
    ) -> tuple[list[PassageDifference], list[PassageDifference]]:
        """Split ``differences`` of a row into likely and doubtful ones. A term on one side is
        likely if its words nearly always mean that term (`confirms`); if one term replaces another,
        it is enough that this holds for either.
        """
        sure: list[PassageDifference] = []
        unsure: list[PassageDifference] = []
        for each in differences:
            if each.kind is not DifferenceKind.TERMS or not any(each.evidence):
                sure.append(each)
                continue
            known = [
                {e.value for e in own if self._usage.confirms(side, e.words)}
                for side, own in enumerate(each.evidence)
            ]
            replaced = all(each.evidence) and any(known)  # one term by another
            for doubtful, found in ((False, sure), (True, unsure)):
                evidence = [
                    tuple(e for e in own if (replaced or e.value in known[side]) is not doubtful)
                    for side, own in enumerate(each.evidence)
                ]
                if any(evidence):
                    found.append(_told_by(replace(each, doubtful=doubtful), evidence))
        return sure, unsure

    def _stems(self, text: str, side: int) -> str:
        """Return the stems of ``text``, a text of ``side``, with blanks around each."""
        language = self._languages[side]
        stems = (normalization.stem(t.text, language) for t in normalization.tokenize(text))
        return f" {' '.join(stems)} "

    def _is_idle(self, text: str, side: int, names: Container[str], part: bool) -> bool:
        """Return whether ``text`` says little: few words besides the ``names`` of its entries and,
        if it is only ``part`` of a sentence, few long words ("which means that it is").
        """
        words = [token.text for token in normalization.tokenize(_CITED.sub(" ", text))]
        rest = [w for w in words if normalization.stem(w, self._languages[side]) not in names]
        if not part:
            return len(rest) < CLAUSE_WORDS
        small = small_words(self._languages[side])
        long = [w for w in rest if len(w) >= LONG and w.casefold() not in small]
        return len(long) < LONG_WORDS

    def _is_said(self, text: str, side: int, others: Sequence[str], loose: Sequence[str]) -> bool:
        """Return whether the other side says ``text``: one of ``others`` covers it, or it and one
        of the ``loose`` texts cover each other well enough.
        """
        forth, _ = self._covered(text, side, others)
        near, back = self._covered(text, side, loose)
        both = (near >= SAID_BOTH[0]) & (back >= SAID_BOTH[1])
        return bool(np.any(forth >= SAID) or np.any(both))

    def _covered(
        self, text: str, side: int, others: Sequence[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how much of ``text``, a text of ``side``, each of ``others`` covers, and how much
        of each of them ``text`` covers.
        """
        here, there = [[text]], [[other] for other in others]
        forth, back = self._aligner.coverage(*((here, there) if side == 0 else (there, here)))
        return (forth, back) if side == 0 else (back, forth)

    def _differences(
        self, row: AlignedPassages, texts: tuple[str, str], named: Sequence[Container[str]]
    ) -> Iterator[PassageDifference]:
        """Yield the differences of ``texts`` of a row, which name the ``named`` concepts."""
        here, there = zip(texts, self._languages, strict=True)
        left, right = unmatched_numbers(*here, *there).likely
        numbers = tuple(use.value for use in left), tuple(use.value for use in right)
        found = [
            PassageDifference(DifferenceKind.NUMBERS, *numbers),
            PassageDifference(DifferenceKind.SYMBOLS, *symbols_alone(*texts)),
        ]
        for kind, holders in ((DifferenceKind.NAMES, texts), (DifferenceKind.TERMS, named)):
            for each in (*row.differences, *row.doubtful):
                if each.kind is kind:
                    own = tuple(value for value in each.left if value in holders[0])
                    others = tuple(value for value in each.right if value in holders[1])
                    found.append(PassageDifference(kind, own, others, each.doubtful))
        yield from (each for each in found if each.left or each.right)


def _outside(
    differences: Iterable[PassageDifference],
    row: AlignedPassages,
    clauses: tuple[list[str], list[str]],
) -> Iterator[PassageDifference]:
    """Yield ``differences`` of ``row``, without terms and conditions within ``clauses``."""
    within = [
        (passage.id, range(start, start + len(clause)))
        for own, passages in zip(clauses, (row.left, row.right), strict=True)
        for clause in own
        for passage in passages
        if (start := passage.display.find(clause)) >= 0
    ]
    for each in differences:
        evidence = tuple(
            tuple(e for e in own if not any(e.passage == id and e.start in at for id, at in within))
            for own in each.evidence
        )
        parts = each.kind in (DifferenceKind.TERMS, DifferenceKind.CONDITIONS)
        if not parts or evidence == each.evidence:
            yield each
        elif any(evidence):
            yield _told_by(each, evidence)


def _told_by(
    difference: PassageDifference, evidence: Sequence[tuple[HintEvidence, ...]]
) -> PassageDifference:
    """Return ``difference`` with only the values of ``evidence``."""
    left, right = (tuple(dict.fromkeys(e.value for e in own)) for own in evidence)
    return replace(difference, left=left, right=right, evidence=(evidence[0], evidence[1]))


def _one_sided(left: tuple[Sentence, ...], right: tuple[Sentence, ...]) -> Segment:
    return Segment(left, right, 0.0, (Doubt.ONE_SIDED,), (), (_text(left), _text(right)))


def _divided(row: AlignedPassages) -> Iterator[AlignedPassages]:
    """Yield ``row``, or one row for each side if none of their sentences correspond."""
    left, right = (tuple(s for s in row.segments if (s.left, s.right)[n]) for n in (0, 1))
    if row.by_hand or not (left and right) or any(each.aligned for each in row.segments):
        yield row
        return
    alone = replace(row, moved=False, differences=(), doubtful=())
    yield replace(alone, right=(), segments=left)
    yield replace(alone, left=(), segments=right)


def _reunited(rows: Sequence[AlignedPassages]) -> list[AlignedPassages]:
    """Return ``rows`` of a pair, with each one-sided row joined to the two-sided row that has other
    sentences of its passages, if any.
    """
    found = list(rows)
    for row in rows:
        own = {passage.id for passage in (*row.left, *row.right)}
        hosts = [
            (n, place)
            for n, host in enumerate(found)
            if host.left and host.right and not host.by_hand
            for place, segment in enumerate(host.segments, 1)
            if segment.aligned and any(p.id in own for side in segment.passages for p in side)
        ]
        if row.segments and hosts and not (row.left and row.right) and not row.by_hand:
            n, place = hosts[-1]
            host = found[n]
            sides = (
                sorted((*mine, *others), key=lambda p: p.spans)
                for mine, others in zip(_sides(host), _sides(row), strict=True)
            )
            left, right = map(tuple, sides)
            segments = (*host.segments[:place], *row.segments, *host.segments[place:])
            found[n] = replace(host, left=left, right=right, segments=segments)
            found = [each for each in found if each is not row]
    return found


def _facing(row: AlignedPassages, segments: Iterable[Segment]) -> tuple[Passage, ...]:
    """Return the passages in other rows that the sentences of a one-sided ``row`` are aligned with;
    none if a sentence is not aligned.
    """
    own = {passage.id for passage in (*row.left, *row.right)}
    found: dict[str, Passage] = {}
    for segment in segments:
        both = {p.id: p for side in segment.passages for p in side}
        if own & both.keys():
            if not segment.aligned:
                return ()
            found |= both
    return tuple(passage for id, passage in found.items() if id not in own)


def _texts_of(segments: Iterable[Segment]) -> list[list[str]]:
    """Return, for either side, the text of each of ``segments``."""
    return [
        [_text(own) for segment in segments if (own := (segment.left, segment.right)[side])]
        for side in (0, 1)
    ]


def _text(sentences: Sequence[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def _with_further(
    known: tuple[PassageDifference, ...], segments: Sequence[Segment], doubtful: bool
) -> tuple[PassageDifference, ...]:
    """Return the ``known`` differences of a row, and further ones of its ``segments``: either
    likely or ``doubtful`` ones.
    """
    further = [
        each
        for segment in segments
        for each in segment.differences
        if each.kind in _OF_SENTENCES and each.doubtful is doubtful
    ]
    found = list(known)
    for each in further:
        sides = [
            tuple(v for v in own if all(v not in (d.left, d.right)[n] for d in found))
            for n, own in enumerate((each.left, each.right))
        ]
        if any(sides):
            found.append(PassageDifference(each.kind, sides[0], sides[1], doubtful))
    return tuple(found)


def _agreement(row: AlignedPassages) -> Agreement:
    """Return the agreement of the two sides of ``row``."""
    if (
        row.differences
        or (row.moved and is_step(row.left[0]) and is_step(row.right[0]))
        or any(
            s.score < LEAST_FREE
            for s in row.segments
            # A few words that only one side has are a heading: "Activate Enemies."
            if s.aligned or len("".join(s.texts).split()) >= CLAUSE_WORDS
        )
    ):
        return Agreement.DIFFERS
    sure = all(s.score >= LEAST_SAME and not (s.doubts or s.free) for s in row.segments)
    return Agreement.SAME if sure and not row.doubtful else Agreement.FREELY_RENDERED


def _out_of_order(segments: Iterable[Segment]) -> tuple[list[str], list[str]]:
    """Return the sentences that two passages have in a different order: within a paragraph, or
    among numbered items.
    """
    groups: dict[Hashable, list[Segment]] = defaultdict(list)
    for segment in segments:
        if (
            segment.score >= LOOSE
            and min(len(text.split()) for text in segment.texts) >= ITEM_WORDS
        ):
            ends = segment.left[0], segment.right[0]
            listed = all(_ITEMS.search(end.passage.display) for end in ends)
            groups[tuple((end.passage.id, 0 if listed else end.paragraph) for end in ends)].append(
                segment
            )
    found: tuple[list[str], list[str]] = ([], [])
    for group in groups.values():
        places = [(s.right[0].paragraph, s.right[0].number) for s in sorted(group, key=_place)]
        for n in out_of_order([sorted(places).index(place) for place in places]):
            for side, text in enumerate(sorted(group, key=_place)[n].texts):
                found[side].append(text)
    return found


def _place(segment: Segment) -> tuple[int, int]:
    return segment.left[0].paragraph, segment.left[0].number


def is_step(passage: Passage) -> bool:
    """Return whether ``passage`` is a numbered item, so that its position says when it happens."""
    return bool(_ORDERED.match(passage.display))


def whole_paragraphs(row: AlignedPassages) -> Iterator[tuple[Segment, ...]]:
    """Yield the shortest runs of at least two segments of ``row`` that are whole paragraphs in both
    editions.

    A run includes sentences of such a paragraph that only one edition has.
    """
    run: list[Segment] = []
    within = [False, False]  # whether the paragraph of either side goes on
    for segment in row.segments:
        run.append(segment)
        for side, own in enumerate((segment.left, segment.right)):
            if own:
                within[side] = not own[-1].last
        if not any(within):
            if len(run) > 1 and all(_is_in_order(run, side) for side in (0, 1)):
                yield tuple(run)
            run = []


def _is_in_order(run: Sequence[Segment], side: int) -> bool:
    """Return whether ``run`` has sentences of a side, and has them in the order of the edition."""
    places = [
        (s.passage.spans, s.paragraph, s.number)
        for segment in run
        for s in (segment.left, segment.right)[side]
    ]
    return bool(places) and places == sorted(places)
