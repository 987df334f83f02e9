"""Segments put together to the paragraphs that they make up, for projects that are translated by paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from glossary.comparison.segments import Segment


def whole_paragraphs(segments: Sequence[Segment]) -> Iterator[tuple[Segment, ...]]:
    """The runs of two segments or more that make up a paragraph of the one edition and one of the other, or as few as possible."""
    for _, row in groupby(segments, key=lambda segment: id(segment.row)):
        run: list[Segment] = []
        for segment in row:
            if not segment.aligned:
                run = []
                continue
            run.append(segment)
            if _closes(segment):
                if len(run) > 1 and _opens(run[0]):
                    yield tuple(run)
                run = []


def _opens(segment: Segment) -> bool:
    return segment.left[0].number == segment.right[0].number == 0


def _closes(segment: Segment) -> bool:
    return segment.left[-1].last and segment.right[-1].last
