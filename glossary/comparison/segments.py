"""Two editions as aligned segments, for translators: what a sentence of the one is in the other,
how surely, and what to look at.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from itertools import groupby
from statistics import median
from typing import NamedTuple

from corpus.languages import any_of, letters, words_of
from corpus.model import Passage
from corpus.sentences import sentences
from glossary import normalization
from glossary.comparison.edition_comparison import AlignedPassages, EditionComparison, EntryPair
from glossary.comparison.hints import DifferenceKind, PassageDifference, symbols_alone
from glossary.comparison.numbers import unmatched_numbers
from glossary.comparison.sentence_alignment import Bead, SentenceAligner
from glossary.concepts import Concept, load_concepts
from glossary.name_finder import NameFinder

_SMALL = letters()
_BULLET = r"(?:[•➤▶✦»*–—\-]|--)(?:\s?(?:\.{3}|…))?"
_NUMBER = r"\(?(?:\d{1,3}(?:\.\d{1,3})*\.?[a-z]?|[a-z]|[IVX]{1,5}\.?)[.)]"  # "1." "(2)" "2.1.3."
_MARKER = re.compile(rf"(?:(?:{_BULLET}|{_NUMBER})(?=\s)\s*)+")
_ENDS = re.compile(r"""[.!?:;…]["“”»'’)\]]*$""")
_AND = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_BROKEN = re.compile(
    rf"\b([^\W\d_]{{2,}})-\s?(?!{_AND}\b)([{_SMALL}]{{2,}})\b"
)  # "Spiel-aufbau", hyphenated at the end of a line that is no more
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, in one line: the ``number``-th of the passage's ``paragraph``-th
    paragraph, both from 0.

    ``label`` is the "F:" or "A:" that stands before a question or an answer and is no part of
    ``text``; ``last`` says that its paragraph, which may be an item of a list, ends with it.
    """

    passage: Passage
    paragraph: int
    number: int
    text: str
    label: str
    last: bool


class SegmentText:
    """Divides the passages of one edition; ``vocabulary`` are its words, by which a hyphen that is
    no part of a word is told.
    """

    def __init__(self, passages: Iterable[Passage], language: str):
        self._vocabulary = Counter(
            word.casefold() for passage in passages for word in _WORD.findall(passage.display)
        )
        label = any_of("labels.question", "labels.answer", language=language)
        self._label = re.compile(rf"{label}\s*:\s+(?=\S)")

    def sentences(
        self, passages: Sequence[Passage], numbers: Mapping[str, str | None]
    ) -> list[Sentence]:
        """Return the sentences of ``passages``, in order; ``numbers`` has that of each entry by id,
        which some print before its text.
        """
        found = []
        for passage in passages:
            number = numbers.get(passage.entry)
            lines = [
                self._joined_words(_unmarked(each, number)) for each in _lines(passage.display)
            ]
            lines = [line for line in lines if any(c.isalnum() for c in line)]
            for paragraph, line in enumerate(lines):
                label = self._label.match(line)
                body = line[label.end() :] if label else line
                spans = sentences(body)
                for n, (start, end) in enumerate(spans):
                    said = label.group().strip() if label and not n else ""
                    last = n == len(spans) - 1
                    found.append(Sentence(passage, paragraph, n, body[start:end], said, last))
        return found

    def _joined_words(self, text: str) -> str:
        """Return ``text`` without hyphens of line ends within words: where the edition has the word
        more often without hyphen.
        """

        def joined(match: re.Match[str]) -> str:
            whole, parts = match.group(1) + match.group(2), f"{match.group(1)}-{match.group(2)}"
            return (
                whole
                if self._vocabulary[whole.casefold()] > self._vocabulary[parts.casefold()]
                else match.group()
            )

        return _BROKEN.sub(joined, text.replace("\u00ad", ""))


def _lines(display: str) -> list[str]:
    """Return the paragraphs of a text for readers, each in one line: a line that neither begins an
    item nor follows a full stop goes on.
    """
    found: list[str] = []
    for line in filter(None, (" ".join(line.split()) for line in display.split("\n"))):
        if found and not _MARKER.match(line) and not _ENDS.search(found[-1]):
            found[-1] += line if re.search(r"[^\W\d_]-$", found[-1]) else f" {line}"
        else:
            found.append(line)
    return found


def _unmarked(line: str, number: str | None) -> str:
    """Return ``line`` without its bullet or list number, and the ``number`` of its entry."""
    marker = _MARKER.match(line)
    text = line[marker.end() :] if marker else line
    if number and "." in number:
        return re.sub(rf"^{re.escape(number)}\.?\s+(?=\S)", "", text)
    return text


LEAST_SCORE = 0.93  # of a segment that is a true translation
LISTED = 4  # things that make a list
SHORT_ITEM = 4  # words of one
LEAST_LIKENESS = 0.3  # likeness of words below which it is none, whatever the rest says

# Weights of a logistic regression on 321 segments of Marvel Champions, German 1.5 and Italian 1.7,
# of which 274 were judged true by reading. How good the score is was read off others: see
# docs/translators.md.
_BIAS = 6.4
_WEIGHTS = {
    "missing": -10.3,
    "unevenness": -7.0,
    "numbers": -0.93,
    "brackets": -0.26,
    "gap": -0.067,
    "words": -0.97,
    "terms": -0.24,
    "row": 2.4,
    "commas": -0.16,
    "ends": -2.5,
    "joined": -0.89,
}
_SEPARATOR = re.compile(
    rf"[,;:.()\u2013]|\s(?={any_of('sentences.conjunctions', 'sentences.alternatives')}\s)",
    re.IGNORECASE,
)
_JOINING = words_of("sentences.conjunctions") | words_of("sentences.alternatives")
_CLOSING = "\"“”„»«’')]"


class Doubt(StrEnum):
    """Why a segment may be no true translation."""

    WORDS = "words"  # words of one side have nothing in the other
    LENGTH = "length"  # one side is longer than it would be
    NUMBERS = "numbers"  # other numbers
    DENIALS = "denials"  # only one side has a word that denies
    SIGNS = "signs"  # brackets, commas, full stops that only one side has
    TERMS = "terms"  # terms that only one side has
    JOINED = "joined"  # several sentences face one
    ROW = "row"  # around it there are sentences that only one edition has
    ONE_SIDED = "one-sided"  # only one edition has it


# What each weight is about. Where the score is low the reasons are what lowers it most.
_DOUBTS = {
    "unevenness": Doubt.LENGTH,
    "numbers": Doubt.NUMBERS,
    "brackets": Doubt.SIGNS,
    "commas": Doubt.SIGNS,
    "ends": Doubt.SIGNS,
    "gap": Doubt.WORDS,
    "missing": Doubt.WORDS,
    "terms": Doubt.TERMS,
    "joined": Doubt.JOINED,
    "row": Doubt.ROW,
}
_CONSIDERABLE = 0.5  # by how much a reason lowers the logit, at least


class SegmentFeatures(NamedTuple):
    """What is compared of the two sides of a segment.

    ``likeness``, ``missing`` and ``gap`` are those of the `Bead`, ``unevenness`` the logarithm of
    how much longer one side is than it would be in a translation. ``numbers`` and ``terms`` are how
    many only one side has, ``term_hints`` those terms of which that is sure, ``denials`` whether
    only one side denies. ``row`` is how much of the row is aligned, from 0 to 1, of the side that
    has less of it, ``joined`` how many sentences there are beyond one of each side.
    """

    likeness: float
    missing: float
    gap: float
    unevenness: float
    numbers: int
    terms: int
    term_hints: int
    denials: bool
    row: float
    joined: int
    texts: tuple[str, str]

    def values(self) -> dict[str, float]:
        """Return what is weighed, by name."""
        left, right = self.texts
        return {
            "missing": self.missing,
            "unevenness": self.unevenness,
            "numbers": min(self.numbers, 2),
            "brackets": min(abs(left.count("(") - right.count("(")), 2),
            "gap": min(self.gap, 30.0),
            "words": math.log(len(left.split()) + len(right.split())),
            "terms": min(self.terms, 4),
            "row": self.row,
            "commas": min(abs(left.count(",") - right.count(",")), 4),
            "ends": float(_ends_with_word(left) != _ends_with_word(right)),
            "joined": self.joined,
        }


def score(features: SegmentFeatures) -> float:
    """Return how surely a segment is a true translation, from 0 to 1."""
    logit = _BIAS + sum(_WEIGHTS[name] * value for name, value in features.values().items())
    return round(1 / (1 + math.exp(-logit)), 3)


def doubts(features: SegmentFeatures) -> tuple[Doubt, ...]:
    """Return why a segment may be no true translation; nothing where its score is enough."""
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
    """Return how many things ``text`` lists, in a row and in few words each; 0 where it lists fewer
    than `LISTED`.
    """
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


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence of one edition with its counterpart in the other; more than one sentence where the
    other says them in fewer.

    ``left`` and ``right`` are empty where only one edition has it. ``score`` says from 0 to 1 how
    surely both say the same, ``doubts`` why it may be that they do not, ``differences`` what they
    differ in (numbers, symbols, names, terms).
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
        """What each side says, in one line without bullets and list numbers; empty where it does
        not have it.
        """
        labelled = all(side and side[0].label for side in (self.left, self.right))
        left, right = (
            " ".join(f"{s.label} {s.text}" if labelled and s.label else s.text for s in side)
            for side in (self.left, self.right)
        )
        return left, right

    @property
    def passages(self) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
        """The passages that each side is from, in order."""
        left, right = (
            tuple({s.passage.id: s.passage for s in side}.values())
            for side in (self.left, self.right)
        )
        return left, right

    @property
    def entries(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the entries that each side is from."""
        left, right = (tuple(dict.fromkeys(p.entry for p in side)) for side in self.passages)
        return left, right

    @property
    def id(self) -> str:
        """A name that no other segment of the comparison has, made of passages and the places of
        sentences in them.
        """
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
    """Return the segments of ``comparison``: those that it has, else as they are aligned now with
    the concepts of its game.
    """
    if isinstance(comparison, SegmentedComparison):
        return comparison.segments
    return align_segments(comparison, load_concepts(comparison.left.game))


def segment_id(left: Sequence[Sentence], right: Sequence[Sentence]) -> str:
    """Return what names sentences of two editions that correspond: their passages, each with the
    places in it, "passage:2.1" or "passage:2.1-3" for sentences of its third paragraph.
    """
    sides = []
    for side in (left, right):
        places = []
        for (passage, paragraph), found in groupby(side, key=lambda s: (s.passage.id, s.paragraph)):
            numbers = list(dict.fromkeys(str(s.number) for s in found))
            places.append(f"{passage}:{paragraph}.{'-'.join([numbers[0], *numbers[1:][-1:]])}")
        sides.append("+".join(places))
    return "=".join(sides)


def align_segments(
    comparison: EditionComparison, concepts: Sequence[Concept]
) -> tuple[Segment, ...]:
    """Return all that two editions have, as segments in the order of the comparison: each sentence
    of either in one segment.

    Words that translate each other are learned from the rows of ``comparison``; ``concepts`` are
    those of the game.
    """
    languages = comparison.left.language, comparison.right.language
    rows = [(pair, row) for pair in comparison.pairs for row in pair.rows]
    left, right = (
        SegmentText((p for _, row in rows for p in (row.left, row.right)[side]), languages[side])
        for side in (0, 1)
    )
    texts = []
    for pair, row in rows:
        numbers = {entry.id: entry.number for entry in (*pair.left, *pair.right)}
        texts.append((left.sentences(row.left, numbers), right.sentences(row.right, numbers)))
    facing = [row.left and row.right for _, row in rows]
    beads = SentenceAligner(
        [
            ([s.text for s in here], [s.text for s in there])
            for (here, there), both in zip(texts, facing, strict=True)
            if both
        ],
        languages,
    ).beads()
    aligned: list[list[_Aligned]] = []
    for (here, there), both in zip(texts, facing, strict=True):
        found = next(beads) if both else []
        if not both:  # one side has none: each sentence by itself
            found = [Bead((n, n + 1), (0, 0)) for n in range(len(here))]
            found += [Bead((0, 0), (n, n + 1)) for n in range(len(there))]
        aligned.append(
            [(tuple(here[slice(*b.left)]), tuple(there[slice(*b.right)]), b) for b in found]
        )
    ratios = [
        math.log(len(_text(one)) / len(_text(other)))
        for its in aligned
        for one, other, _ in its
        if one and other
    ]
    judge = _Judge(languages, concepts, median(ratios) if ratios else 0.0)
    return tuple(
        segment
        for (pair, row), its in zip(rows, aligned, strict=True)
        for segment in judge.segments(pair, row, its)
    )


_Aligned = tuple[tuple[Sentence, ...], tuple[Sentence, ...], Bead]
"""Sentences of either side that correspond, and how."""


class _Judge:
    """Says how surely sentences are translations of each other.

    ``usual_ratio`` is the logarithm of how much longer the left side is than the right one, in the
    middle of all that correspond.
    """

    def __init__(self, languages: tuple[str, str], concepts: Sequence[Concept], usual_ratio: float):
        self._languages = languages
        self._finders = [NameFinder(concepts, language) for language in languages]
        self._denials = [
            re.compile(rf"\b{any_of('sentences.denials', language=language)}\b", re.IGNORECASE)
            for language in languages
        ]
        self._usual_ratio = usual_ratio

    def segments(
        self, pair: EntryPair, row: AlignedPassages, aligned: Sequence[_Aligned]
    ) -> Iterator[Segment]:
        """Yield the segments of a row."""
        shares = []  # of either side, how much is aligned
        for side in (0, 1):
            lengths = [
                (len(_text((left, right)[side])), bool(left and right))
                for left, right, _ in aligned
            ]
            whole = max(sum(length for length, _ in lengths), 1)
            shares.append(sum(length for length, both in lengths if both) / whole)
        for left, right, bead in aligned:
            if not left or not right:
                yield Segment(pair, row, left, right, 0.0, (Doubt.ONE_SIDED,), ())
                continue
            texts = _text(left), _text(right)
            terms = [
                {
                    frozenset(concept for concept, _ in use.concepts)
                    for use in finder.find(normalization.tokenize(text))
                }
                for finder, text in zip(self._finders, texts, strict=True)
            ]
            named = [set().union(*uses) for uses in terms]
            differences = tuple(self._differences(row, texts, named))
            counts: Counter[DifferenceKind] = Counter()
            for each in differences:
                counts[each.kind] += len(each.left) + len(each.right)
            denies = [
                bool(denial.search(text)) for denial, text in zip(self._denials, texts, strict=True)
            ]
            features = SegmentFeatures(
                likeness=bead.likeness,
                missing=bead.missing,
                gap=bead.gap,
                unevenness=abs(math.log(len(texts[0]) / len(texts[1])) - self._usual_ratio),
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
            yield Segment(pair, row, left, right, score(features), doubts(features), differences)

    def _differences(
        self, row: AlignedPassages, texts: tuple[str, str], named: Sequence[Container[str]]
    ) -> Iterator[PassageDifference]:
        """Yield what differs in ``texts`` of a row, which have the ``named`` concepts."""
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


def _text(sentences: Sequence[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def whole_paragraphs(segments: Sequence[Segment]) -> Iterator[tuple[Segment, ...]]:
    """Yield the runs of two segments or more that make up a paragraph of the one edition and one of
    the other, or as few as possible.

    Sentences of such a paragraph that only one edition has are among them.
    """
    for _, row in groupby(segments, key=lambda segment: id(segment.row)):
        run: list[Segment] = []
        within = [False, False]  # whether the paragraph of either side goes on
        for segment in row:
            run.append(segment)
            for side, own in enumerate((segment.left, segment.right)):
                if own:
                    within[side] = not own[-1].last
            if not any(within):
                if len(run) > 1 and any(s.left for s in run) and any(s.right for s in run):
                    yield tuple(run)
                run = []
