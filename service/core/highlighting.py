"""Spans carried over between the document, the text of a passage (its evidence) and its display."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import Indel

from corpus.model import Passage, Span


def display_spans(passage: Passage, spans: Sequence[tuple[int, int]]) -> list[Span]:
    """Return spans of ``passage.text`` as spans of ``passage.display``, widened to whole words;
    what is not displayed is left out.

    The two texts are aligned character by character (longest common subsequence), so it does not
    matter what display has closed, decoded, dropped or restored in between.
    """
    offsets = display_offsets(passage.text, passage.display)
    found = []
    for start, end in spans:
        displayed = [offset for offset in offsets[max(start, 0) : max(end, 0)] if offset >= 0]
        if displayed:
            found.append(_whole_words(passage.display, displayed[0], displayed[-1] + 1))
    return [span for span in found if span.start < span.end]


def telling_spans(display: str, spans: Sequence[Span]) -> Sequence[Span]:
    """Return ``spans`` of ``display`` as readers should see them: none where they leave no word
    out, since then nothing stands out.
    """
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(display)]
    left_out = "".join(display[a:b] for a, b in zip(ends, starts, strict=True))
    return spans if any(character.isalpha() for character in left_out) else ()


def text_span(passage: Passage, span: Span) -> tuple[int, int] | None:
    """Return a span of the document as a span of ``passage.text``, None where it does not begin and
    end in the passage.
    """
    start = _text_offset(passage, span.start)
    last = _text_offset(passage, span.end - 1)
    return None if start is None or last is None or last < start else (start, last + 1)


def text_span_of_display(passage: Passage, span: Span) -> tuple[int, int] | None:
    """Return a span of ``passage.display`` as a span of ``passage.text``, None where nothing of it
    is printed.
    """
    offsets = enumerate(display_offsets(passage.text, passage.display))
    printed = [
        offset for offset, display_offset in offsets if span.start <= display_offset < span.end
    ]
    return (printed[0], printed[-1] + 1) if printed else None


def document_spans(passage: Passage, span: tuple[int, int]) -> list[Span]:
    """Return a span of ``passage.text`` as spans of the document, more than one where page
    furniture stands in between.
    """
    found, before = [], 0
    for a, b in passage.spans:
        start, end = max(span[0] - before, 0), min(span[1] - before, b - a)
        if start < end:
            found.append(Span(a + start, a + end))
        before += b - a + 1  # the newline that joins it to the next
    return found


def _text_offset(passage: Passage, offset: int) -> int | None:
    """Return an offset in the document as one in ``passage.text``, None where it is outside the
    passage.
    """
    before = 0
    for a, b in passage.spans:
        if a <= offset < b:
            return before + offset - a
        before += b - a + 1  # the newline that joins it to the next
    return None


@lru_cache(maxsize=1024)
def display_offsets(text: str, display: str) -> tuple[int, ...]:
    """Return for every character of ``text`` its offset in ``display``, -1 where it is not
    displayed.
    """
    if text == display:
        return tuple(range(len(text)))
    offsets = [-1] * len(text)
    for step in Indel.opcodes(text, display):
        if step.tag == "equal":
            offsets[step.src_start : step.src_end] = range(step.dest_start, step.dest_end)
    return tuple(offsets)


def _whole_words(display: str, start: int, end: int) -> Span:
    """Return the span widened to whole words, without white space at its ends."""
    while 0 < start < end and display[start].isalnum() and display[start - 1].isalnum():
        start -= 1
    while start < end < len(display) and display[end - 1].isalnum() and display[end].isalnum():
        end += 1
    while start < end and display[start].isspace():
        start += 1
    while start < end and display[end - 1].isspace():
        end -= 1
    return Span(start, end)
