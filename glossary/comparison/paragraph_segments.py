"""Segments put together to the paragraphs that they make up, for projects that are translated by paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from glossary.comparison.segments import Segment


def whole_paragraphs(segments: Sequence[Segment]) -> Iterator[tuple[Segment, ...]]:
    """The runs of two segments or more that make up a paragraph of the one edition and one of the other, or as few as possible.

    Sentences of such a paragraph that only one edition has are among them.
    """
    for _, row in groupby(segments, key=lambda segment: id(segment.row)):
        run: list[Segment] = []
        within = [False, False]  # whether the paragraph of either side goes on
        for segment in row:
            run.append(segment)
            for side, sentences in enumerate((segment.left, segment.right)):
                if sentences:
                    within[side] = not sentences[-1].last
            if not any(within):
                if len(run) > 1 and any(s.left for s in run) and any(s.right for s in run):
                    yield tuple(run)
                run = []
