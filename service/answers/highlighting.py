"""Places in evidence carried over to its display: what answers, and where references stand, for readers to see."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import Indel

from corpus.model import Passage, Span


def display_spans(passage: Passage, spans: Sequence[tuple[int, int]]) -> list[Span]:
    """Spans of ``passage.text`` as spans of ``passage.display``, widened to whole words; what is not displayed is left out.

    The two texts are aligned character by character (longest common subsequence), so it does not matter
    what display has closed, decoded, dropped or restored in between.
    """
    places = _display_offsets(passage.text, passage.display)
    found = []
    for a, b in spans:
        kept = [place for place in places[max(a, 0) : max(b, 0)] if place >= 0]
        if kept:
            found.append(_whole_words(passage.display, kept[0], kept[-1] + 1))
    return [span for span in found if span.start < span.end]


def text_span(passage: Passage, span: Span) -> tuple[int, int] | None:
    """A span of the document as a span of ``passage.text``, None where it does not begin and end in the passage."""
    start = _offset(passage, span.start)
    last = _offset(passage, span.end - 1)
    return None if start is None or last is None or last < start else (start, last + 1)


def text_span_of_display(passage: Passage, span: Span) -> tuple[int, int] | None:
    """A span of ``passage.display`` as a span of ``passage.text``, None where nothing of it is printed."""
    kept = [place for place, shown_at in enumerate(_display_offsets(passage.text, passage.display)) if span.start <= shown_at < span.end]
    return (kept[0], kept[-1] + 1) if kept else None


def document_spans(passage: Passage, span: tuple[int, int]) -> list[Span]:
    """A span of ``passage.text`` as spans of the document, more than one where page furniture stands in between."""
    found, before = [], 0
    for a, b in passage.spans:
        start, end = max(span[0] - before, 0), min(span[1] - before, b - a)
        if start < end:
            found.append(Span(a + start, a + end))
        before += b - a + 1  # the newline that joins it to the next
    return found


def _offset(passage: Passage, place: int) -> int | None:
    before = 0
    for a, b in passage.spans:
        if a <= place < b:
            return before + place - a
        before += b - a + 1  # the newline that joins it to the next
    return None


@lru_cache(maxsize=1024)
def _display_offsets(text: str, display: str) -> tuple[int, ...]:
    """For every character of ``text`` its place in ``display``, -1 where it is not shown."""
    if text == display:
        return tuple(range(len(text)))
    places = [-1] * len(text)
    for step in Indel.opcodes(text, display):
        if step.tag == "equal":
            places[step.src_start : step.src_end] = range(step.dest_start, step.dest_end)
    return tuple(places)


def _whole_words(display: str, start: int, end: int) -> Span:
    while 0 < start < end and display[start].isalnum() and display[start - 1].isalnum():
        start -= 1
    while start < end < len(display) and display[end - 1].isalnum() and display[end].isalnum():
        end += 1
    while start < end and display[start].isspace():
        start += 1
    while start < end and display[end - 1].isspace():
        end -= 1
    return Span(start, end)
