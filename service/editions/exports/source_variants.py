"""What the source edition says for the units of a translation memory of two translations: a third variant where both agree on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corpus.model import Edition, Passage
from glossary.comparison import EditionComparison
from glossary.comparison.segments import Segment, Sentence, align_segments
from glossary.concepts import load_concepts

_Place = tuple[str, int, int]  # of a sentence: its passage, the number of its paragraph in it, its number in that


class SourceVariant(NamedTuple):
    """A text of the source edition, and the passages that it stands in."""

    text: str
    passages: tuple[Passage, ...]


class SourceVariants:
    """The variants in the language of the source edition of ``comparison``.

    ``edition`` is that edition; None where there is none, or one in a language of the other two: a unit has each language once.
    """

    def __init__(self, comparison: EditionComparison):
        source = comparison.source
        self.edition: Edition | None = None
        self._sides: list[Mapping[_Place, Segment]] = []
        if source and source.language not in (comparison.left.language, comparison.right.language):
            self.edition = source
            concepts = load_concepts(source.game)
            self._sides = [_by_sentence(align_segments(side, concepts)) for side in comparison.source_sides]

    def of(self, segments: Sequence[Segment]) -> SourceVariant | None:
        """Return what the source says for ``segments``, None unless both translations surely render the same sentences of it."""
        sentences = [[sentence for segment in segments for sentence in (segment.left, segment.right)[side]] for side in (0, 1)]
        found = [_source_segments(side, own) for side, own in zip(self._sides, sentences, strict=True)]
        places = [[_place(sentence) for segment in each for sentence in segment.right] for each in found]
        if not places[0] or places[0] != places[1]:
            return None
        passages = {sentence.passage.id: sentence.passage for segment in found[0] for sentence in segment.right}
        return SourceVariant(" ".join(segment.texts[1] for segment in found[0]), tuple(passages.values()))


def _source_segments(side: Mapping[_Place, Segment], sentences: Sequence[Sentence]) -> list[Segment]:
    """Return the segments in which ``sentences`` face the source; none where one is in doubt or holds more than these sentences."""
    found = {segment.id: segment for sentence in sentences if (segment := side.get(_place(sentence)))}
    faced = {_place(sentence) for segment in found.values() for sentence in segment.left}
    sure = all(segment.aligned and not segment.doubtful for segment in found.values())
    return list(found.values()) if sure and faced == set(map(_place, sentences)) else []


def _by_sentence(segments: Sequence[Segment]) -> Mapping[_Place, Segment]:
    return {_place(sentence): segment for segment in segments for sentence in segment.left}


def _place(sentence: Sentence) -> _Place:
    return sentence.passage.id, sentence.paragraph, sentence.number
