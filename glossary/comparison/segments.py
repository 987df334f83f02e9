"""Two editions as aligned segments, for translators: what a sentence of the one is in the other, how surely, and what to look at."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import groupby
from statistics import median

from corpus.languages import any_of
from corpus.model import Passage
from glossary import normalization
from glossary.comparison import numbers
from glossary.comparison.differences import DifferenceKind, PassageDifference
from glossary.comparison.edition_comparison import AlignedPassages, EditionComparison, EntryPair
from glossary.comparison.segment_scores import LEAST_SCORE, Doubt, SegmentFeatures, doubts, score
from glossary.comparison.segment_text import SegmentText, Sentence
from glossary.comparison.sentence_alignment import Bead, SentenceAligner
from glossary.concepts import Concept, load_concepts
from glossary.name_finder import NameFinder
from glossary.normalization import is_symbol

__all__ = ["LEAST_SCORE", "Doubt", "Segment", "SegmentedComparison", "align_segments", "segment_id", "segmented", "segments_of"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence of one edition with its counterpart in the other; more than one sentence where the other says them in fewer.

    ``left`` and ``right`` are empty where only one edition has it. ``score`` says from 0 to 1 how surely both say the same,
    ``doubts`` why it may be that they do not, ``differences`` what they differ in (numbers, symbols, names, terms).
    """

    pair: EntryPair
    row: AlignedPassages
    left: tuple[Sentence, ...]
    right: tuple[Sentence, ...]
    score: float
    doubts: tuple[Doubt, ...]
    differences: tuple[PassageDifference, ...]

    @property
    def aligned(self) -> bool:
        """Whether both editions have it."""
        return bool(self.left and self.right)

    @property
    def doubtful(self) -> bool:
        """Whether it may be no true translation, or has none."""
        return bool(self.doubts)

    @property
    def texts(self) -> tuple[str, str]:
        """What each side says, in one line without bullets and list numbers; empty where it does not have it."""
        labelled = all(side and side[0].label for side in (self.left, self.right))
        left, right = (
            " ".join(f"{s.label} {s.text}" if labelled and s.label else s.text for s in side) for side in (self.left, self.right)
        )
        return left, right

    @property
    def passages(self) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
        """The passages that each side is from, in order."""
        left, right = (tuple({s.passage.id: s.passage for s in side}.values()) for side in (self.left, self.right))
        return left, right

    @property
    def entries(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the entries that each side is from."""
        left, right = (tuple(dict.fromkeys(p.entry for p in side)) for side in self.passages)
        return left, right

    @property
    def id(self) -> str:
        """A name that no other segment of the comparison has, made of passages and the places of sentences in them."""
        return segment_id(self.left, self.right)


@dataclass(frozen=True)
class SegmentedComparison(EditionComparison):
    """A comparison with its ``segments``, which take as long to align as the comparison itself."""

    segments: tuple[Segment, ...] = ()


def segmented(comparison: EditionComparison) -> SegmentedComparison:
    """Return ``comparison`` with its segments."""
    same = {field.name: getattr(comparison, field.name) for field in fields(EditionComparison)}
    return SegmentedComparison(**same, segments=segments_of(comparison))


def segments_of(comparison: EditionComparison) -> tuple[Segment, ...]:
    """Return the segments of ``comparison``: those that it has, else as they are aligned now with the concepts of its game."""
    if isinstance(comparison, SegmentedComparison):
        return comparison.segments
    return align_segments(comparison, load_concepts(comparison.left.game))


def segment_id(left: Sequence[Sentence], right: Sequence[Sentence]) -> str:
    """What names sentences of two editions that correspond: their passages, each with the places in it."""
    return "=".join("+".join(_places(side)) for side in (left, right))


def align_segments(comparison: EditionComparison, concepts: Sequence[Concept]) -> tuple[Segment, ...]:
    """All that two editions have, as segments in the order of the comparison: each sentence of either in one segment.

    Words that translate each other are learned from the rows of ``comparison``; ``concepts`` are those of the game.
    """
    texts = _Sides(comparison)
    rows = [(pair, row, texts.sentences(row, pair)) for pair in comparison.pairs for row in pair.rows]
    languages = comparison.left.language, comparison.right.language
    facing = [sentences for _, row, sentences in rows if row.left and row.right]
    aligner = SentenceAligner([([s.text for s in left], [s.text for s in right]) for left, right in facing], languages)
    facing_beads = aligner.beads()
    beads = [next(facing_beads) if row.left and row.right else _alone(*map(len, sides)) for _, row, sides in rows]
    found = [
        (pair, row, [(tuple(left[slice(*bead.left)]), tuple(right[slice(*bead.right)]), bead) for bead in its])
        for (pair, row, (left, right)), its in zip(rows, beads, strict=True)
    ]
    judge = _Judge(languages, concepts, _usual_ratio([(left, right) for _, _, its in found for left, right, _ in its]))
    return tuple(segment for pair, row, its in found for segment in judge.segments(pair, row, its))


def _alone(left: int, right: int) -> list[Bead]:
    """Sentences of which one side has none, each by itself."""
    return [Bead((n, n + 1), (0, 0)) for n in range(left)] + [Bead((0, 0), (n, n + 1)) for n in range(right)]


class _Sides:
    """The sentences of the rows of a comparison."""

    def __init__(self, comparison: EditionComparison):
        both = comparison.left, comparison.right
        rows = [row for pair in comparison.pairs for row in pair.rows]
        self._texts = [SegmentText((p for row in rows for p in (row.left, row.right)[side]), both[side].language) for side in (0, 1)]

    def sentences(self, row: AlignedPassages, pair: EntryPair) -> tuple[list[Sentence], list[Sentence]]:
        numbers = {entry.id: entry.number for side in (pair.left, pair.right) for entry in side}
        left, right = (text.sentences(side, numbers) for text, side in zip(self._texts, (row.left, row.right), strict=True))
        return left, right


_Aligned = tuple[tuple[Sentence, ...], tuple[Sentence, ...], Bead]  # sentences of either side that correspond, and how


def _usual_ratio(sides: Iterable[tuple[Sequence[Sentence], Sequence[Sentence]]]) -> float:
    """The logarithm of how much longer the left side is than the right one, in the middle of all that correspond."""
    ratios = [math.log(len(_text(left)) / len(_text(right))) for left, right in sides if left and right]
    return median(ratios) if ratios else 0.0


@cache
def _denials(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b{any_of('sentences.denials', language=language)}\b", re.IGNORECASE)


class _Judge:
    """Says how surely sentences are translations of each other."""

    def __init__(self, languages: tuple[str, str], concepts: Sequence[Concept], usual_ratio: float):
        self._languages = languages
        self._finders = [NameFinder(concepts, language) for language in languages]
        self._denials = [_denials(language) for language in languages]
        self._usual_ratio = usual_ratio

    def segments(self, pair: EntryPair, row: AlignedPassages, aligned: Sequence[_Aligned]) -> Iterator[Segment]:
        """The segments of a row."""
        lengths = [(len(_text(left)), len(_text(right)), bool(left and right)) for left, right, _ in aligned]
        whole = min(sum(n[side] for n in lengths if n[2]) / max(sum(n[side] for n in lengths), 1) for side in (0, 1))
        for left, right, bead in aligned:
            if not left or not right:
                yield Segment(pair, row, left, right, 0.0, (Doubt.ONE_SIDED,), ())
                continue
            texts = _text(left), _text(right)
            differences = tuple(self._differences(row, *texts))
            features = SegmentFeatures(
                likeness=bead.likeness,
                missing=bead.missing,
                gap=bead.gap,
                unevenness=abs(math.log(len(texts[0]) / len(texts[1])) - self._usual_ratio),
                numbers=_count(differences, DifferenceKind.NUMBERS),
                terms=self._unmatched_terms(*texts),
                term_hints=_count(differences, DifferenceKind.TERMS),
                denials=len({bool(denies.search(text)) for denies, text in zip(self._denials, texts, strict=True)}) > 1,
                row=whole,
                joined=len(left) + len(right) - 2,
                texts=texts,
            )
            yield Segment(pair, row, left, right, score(features), doubts(features), differences)

    def _unmatched_terms(self, left: str, right: str) -> int:
        """How many terms only one of two texts names, each counted once."""
        named = [self._terms(side, text) for side, text in enumerate((left, right))]
        concepts = [{concept for use in uses for concept in use} for uses in named]
        return sum(use.isdisjoint(concepts[1 - side]) for side in (0, 1) for use in named[side])

    def _terms(self, side: int, text: str) -> set[frozenset[str]]:
        """The terms that ``text`` names, each as the concepts that it may stand for."""
        return {frozenset(concept for concept, _ in use.concepts) for use in self._finders[side].find(normalization.tokenize(text))}

    def _differences(self, row: AlignedPassages, left: str, right: str) -> Iterator[PassageDifference]:
        here, there = zip((left, right), self._languages, strict=True)
        of_row = {difference.kind: difference for difference in row.differences}
        signs = [Counter(filter(is_symbol, text)) for text in (left, right)]
        only_here, only_there = numbers.unmatched_numbers(*here, *there).likely
        found = {
            DifferenceKind.NUMBERS: (_values(only_here), _values(only_there)),
            DifferenceKind.SYMBOLS: (tuple((signs[0] - signs[1]).elements()), tuple((signs[1] - signs[0]).elements())),
        }
        if names := of_row.get(DifferenceKind.NAMES):
            found[DifferenceKind.NAMES] = _within(names.left, left), _within(names.right, right)
        yield from (PassageDifference(kind, own, others) for kind, (own, others) in found.items() if own or others)
        named = [{concept for use in self._terms(side, text) for concept in use} for side, text in enumerate((left, right))]
        for terms in (*row.differences, *row.doubtful):
            own, others = (tuple(c for c in side if c in named[n]) for n, side in enumerate((terms.left, terms.right)))
            if terms.kind is DifferenceKind.TERMS and (own or others):
                yield PassageDifference(terms.kind, own, others, terms.doubtful)


def _text(sentences: Sequence[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def _values(uses: Iterable[numbers.NumberUse]) -> tuple[str, ...]:
    return tuple(use.value for use in uses)


def _count(differences: Sequence[PassageDifference], kind: DifferenceKind) -> int:
    return sum(len(difference.left) + len(difference.right) for difference in differences if difference.kind is kind)


def _within(names: Iterable[str], text: str) -> tuple[str, ...]:
    return tuple(name for name in names if name in text)


def _places(side: Sequence[Sentence]) -> Iterator[str]:
    """Where sentences stand, as "passage", or "passage:2.1" and "passage:2.1-3" for sentences of its third paragraph."""
    for (passage, paragraph), found in groupby(side, key=lambda s: (s.passage.id, s.paragraph)):
        numbers = [s.number for s in found]
        span = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
        yield f"{passage}:{paragraph}.{span}"
