"""Two editions as aligned segments, for translators: what a sentence of the one is in the other, how surely, and what to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from corpus.model import Passage
from glossary import normalization
from glossary.comparison import numbers
from glossary.comparison.edition_comparison import AlignedPassages, DifferenceKind, EditionComparison, EntryPair, PassageDifference
from glossary.comparison.segment_text import SegmentText, Sentence
from glossary.comparison.sentence_alignment import SentenceMatcher, align_sentences
from glossary.concepts import Concept
from glossary.name_finder import NameFinder
from glossary.normalization import is_symbol

LEAST_SCORE = 0.5  # of a segment that is a true translation


class Doubt(StrEnum):
    """Why a segment may be no true translation."""

    WORDS = "words"  # few words of one side are what those of the other are translated as
    LENGTH = "length"  # one side says more
    NUMBERS = "numbers"  # other numbers
    ONE_SIDED = "one-sided"  # only one edition has it


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
        return "=".join("+".join(_places(side)) for side in (self.left, self.right))


def align_segments(comparison: EditionComparison, concepts: Sequence[Concept]) -> tuple[Segment, ...]:
    """All that two editions have, as segments in the order of the comparison: each sentence of either in one segment.

    Words that translate each other are learned from the rows of ``comparison``; ``concepts`` are those of the game.
    """
    texts = _Sides(comparison)
    rows = [(pair, row, texts.sentences(row, pair)) for pair in comparison.pairs for row in pair.rows]
    learned = [tuple(" ".join(s.text for s in side) for side in sentences) for _, row, sentences in rows if row.left and row.right]
    languages = comparison.left.language, comparison.right.language
    judge = _Judge(SentenceMatcher(learned, languages), languages, concepts)  # type: ignore[arg-type]  # pairs, as mypy cannot tell
    return tuple(segment for pair, row, sentences in rows for segment in judge.segments(pair, row, *sentences))


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


class _Judge:
    """Aligns the sentences of rows, and says how surely they are translations."""

    def __init__(self, matcher: SentenceMatcher, languages: tuple[str, str], concepts: Sequence[Concept]):
        self._matcher = matcher
        self._languages = languages
        self._finders = [NameFinder(concepts, language) for language in languages]

    def segments(self, pair: EntryPair, row: AlignedPassages, left: Sequence[Sentence], right: Sequence[Sentence]) -> Iterator[Segment]:
        for bead in align_sentences([s.text for s in left], [s.text for s in right], self._matcher):
            here, there = tuple(left[slice(*bead.left)]), tuple(right[slice(*bead.right)])
            if not here or not there:
                yield Segment(pair, row, here, there, 0.0, (Doubt.ONE_SIDED,), ())
                continue
            texts = " ".join(s.text for s in here), " ".join(s.text for s in there)
            differences = tuple(self._differences(row, *texts))
            likeness = self._matcher.likeness(*(self._matcher.words(text, side) for side, text in enumerate(texts)))
            doubts = [Doubt.NUMBERS] * any(d.kind is DifferenceKind.NUMBERS for d in differences)
            doubts += [Doubt.WORDS] * (likeness.mean < LEAST_SCORE)
            yield Segment(pair, row, here, there, round(likeness.mean, 3), tuple(doubts), differences)

    def _differences(self, row: AlignedPassages, left: str, right: str) -> Iterator[PassageDifference]:
        here, there = zip((left, right), self._languages, strict=True)
        of_row = {difference.kind: difference for difference in row.differences}
        signs = [Counter(filter(is_symbol, text)) for text in (left, right)]
        found = {
            DifferenceKind.NUMBERS: (numbers.unmatched_numbers(*here, *there), numbers.unmatched_numbers(*there, *here)),
            DifferenceKind.SYMBOLS: (tuple((signs[0] - signs[1]).elements()), tuple((signs[1] - signs[0]).elements())),
        }
        if names := of_row.get(DifferenceKind.NAMES):
            found[DifferenceKind.NAMES] = _within(names.left, left), _within(names.right, right)
        if terms := of_row.get(DifferenceKind.TERMS):
            named = [
                {concept for use in finder.find(normalization.tokenize(text)) for concept, _ in use.concepts}
                for finder, text in zip(self._finders, (left, right), strict=True)
            ]
            found[DifferenceKind.TERMS] = tuple(c for c in terms.left if c in named[0]), tuple(c for c in terms.right if c in named[1])
        yield from (PassageDifference(kind, *sides) for kind, sides in found.items() if any(sides))


def _within(names: Iterable[str], text: str) -> tuple[str, ...]:
    return tuple(name for name in names if name in text)


def _places(side: Sequence[Sentence]) -> Iterator[str]:
    """Where sentences stand, as "passage", or "passage:2.1" and "passage:2.1-3" for sentences of its third paragraph."""
    for (passage, paragraph), found in groupby(side, key=lambda s: (s.passage.id, s.paragraph)):
        numbers = [s.number for s in found]
        span = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
        yield f"{passage}:{paragraph}.{span}"
