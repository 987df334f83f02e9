"""The sentences of the rows of a comparison as pairs for translation tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from glossary.comparison import EditionComparison
from glossary.comparison.segments import Segment, segments_of


class SentencePair(NamedTuple):
    """A sentence of the left edition with its counterpart, "" where there is none; ``score`` (0.0 to 1.0) says how sure that is."""

    left: str
    right: str
    score: float


def sentence_pairs(comparison: EditionComparison) -> Mapping[int, tuple[SentencePair, ...]]:
    """Return the pairs of each row of ``comparison`` by its ``id()``. Takes as long as the comparison itself.

    What only the right edition has goes with the sentence before it (behind it, where it comes first): a segment needs a source. Of a row
    that the left edition does not have there is one pair, without a left text.
    """
    rows: dict[int, list[Segment]] = {}
    for segment in segments_of(comparison):
        rows.setdefault(id(segment.row), []).append(segment)
    return {row: _pairs(segments) for row, segments in rows.items()}


def _pairs(segments: list[Segment]) -> tuple[SentencePair, ...]:
    pairs: list[SentencePair] = []
    waiting: list[str] = []  # right texts before the first left one
    for segment in segments:
        left, right = segment.texts
        if left:
            pairs.append(SentencePair(left, " ".join(filter(None, (*waiting, right))), segment.score))
            waiting = []
        elif pairs:
            pairs[-1] = pairs[-1]._replace(right=f"{pairs[-1].right} {right}".strip())
        else:
            waiting.append(right)
    return tuple(pairs) if pairs else (SentencePair("", " ".join(waiting), 0.0),)
