"""Convert spans between a document, the text of a passage and its display, and restore characters
that a document has lost or misread.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Indel

from corpus.model import Passage, Span
from corpus.sentences import sentences
from index.library.library import Library

_BULLETS = "• \t\n"
_CLOSING = '.,;:!?)“”"»'


@lru_cache(maxsize=1024)
def display_offsets(text: str, display: str) -> tuple[int, ...]:
    """Return for every character of ``text`` its offset in ``display``, -1 if it is not displayed.

    The texts are aligned by their longest common subsequence, whatever the display has closed up,
    decoded, dropped or restored.
    """
    if text == display:
        return tuple(range(len(text)))
    offsets = [-1] * len(text)
    for step in Indel.opcodes(text, display):
        if step.tag == "equal":
            offsets[step.src_start : step.src_end] = range(step.dest_start, step.dest_end)
    return tuple(offsets)


def display_spans(passage: Passage, spans: Sequence[tuple[int, int]]) -> list[Span]:
    """Return spans of ``passage.text`` as spans of ``passage.display``, widened to whole words;
    text that is not displayed is left out.
    """
    offsets, display = display_offsets(passage.text, passage.display), passage.display
    found = []
    for first, last in spans:
        displayed = [offset for offset in offsets[max(first, 0) : max(last, 0)] if offset >= 0]
        if not displayed:
            continue
        start, end = displayed[0], displayed[-1] + 1
        while 0 < start < end and display[start].isalnum() and display[start - 1].isalnum():
            start -= 1
        while start < end < len(display) and display[end - 1].isalnum() and display[end].isalnum():
            end += 1
        while start < end and display[start].isspace():
            start += 1
        while start < end and display[end - 1].isspace():
            end -= 1
        if start < end:
            found.append(Span(start, end))
    return found


def telling_spans(display: str, spans: Sequence[Span]) -> Sequence[Span]:
    """Return ``spans`` of ``display``, or none if they include all words, so that nothing would
    stand out.
    """
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(display)]
    left_out = "".join(display[a:b] for a, b in zip(ends, starts, strict=True))
    return spans if any(map(str.isalpha, left_out)) else ()


def text_span(passage: Passage, span: Span) -> tuple[int, int] | None:
    """Return a span of the document as a span of ``passage.text``; None unless it begins and ends
    in the passage.
    """
    found: list[int] = []
    for offset in (span.start, span.end - 1):
        before = 0
        for a, b in passage.spans:
            if a <= offset < b:
                found.append(before + offset - a)
                break
            before += b - a + 1  # with the newline that joins two spans
    return (found[0], found[1] + 1) if len(found) == 2 and found[0] <= found[1] else None


def text_span_of_display(passage: Passage, span: Span) -> tuple[int, int] | None:
    """Return a span of ``passage.display`` as a span of ``passage.text``; None if the text has no
    character of it.
    """
    offsets = enumerate(display_offsets(passage.text, passage.display))
    printed = [at for at, displayed in offsets if span.start <= displayed < span.end]
    return (printed[0], printed[-1] + 1) if printed else None


def document_spans(passage: Passage, span: tuple[int, int]) -> list[Span]:
    """Return a span of ``passage.text`` as spans of the document, several if a page header or
    footer interrupts it.
    """
    found, before = [], 0
    for a, b in passage.spans:
        start, end = max(span[0] - before, 0), min(span[1] - before, b - a)
        if start < end:
            found.append(Span(a + start, a + end))
        before += b - a + 1  # with the newline that joins two spans
    return found


def repaired_display(library: Library, passage: Passage) -> str | None:
    """Return the display of ``passage`` with lost or misread characters restored; None if notes on
    its edition list none.
    """
    text, restored = _repaired(library, passage)
    return text if restored else None


def repaired_line(library: Library, passage: Passage) -> str:
    """Return in one line the repaired sentences of `repaired_display`, without bullets; "" if there
    are none.
    """
    text, restored = _repaired(library, passage)
    return " … ".join(
        " ".join(text[start:end].lstrip(_BULLETS).split())
        for start, end in sentences(text)
        if any(place.start < end and start < place.end for place in restored)
    )


def _repaired(library: Library, passage: Passage) -> tuple[str, list[Span]]:
    """Return the repaired display of ``passage``, and the repaired spans in it."""
    text, last = "", 0
    restored: list[Span] = []
    for (start, end), meant in repairs(library, passage):
        text += passage.display[last:start] + meant
        restored.append(Span(len(text) - len(meant), len(text)))
        last = end
    return text + passage.display[last:], restored


class Repair(NamedTuple):
    """The words ``meant`` at a span of a display; the span is empty if the document lost them."""

    span: Span
    meant: str


def repairs(library: Library, passage: Passage) -> list[Repair]:
    """Return the lost or misread parts of ``passage`` listed in notes on its edition, in order."""
    signs = library.restored.get(passage.id, ())
    if not signs:
        return []
    offsets, display = display_offsets(passage.text, passage.display), passage.display
    found: list[Repair] = []
    last = 0
    for sign in signs:
        start = next((at + 1 for at in reversed(offsets[: sign.start]) if at >= 0), 0)
        end = next((at for at in offsets[sign.end :] if at >= 0), len(display))
        if start < last or end < start:
            continue
        meant = sign.meant
        if not passage.text[sign.start : sign.end].strip():  # lost between words: add blanks
            before, after = display[:start][-1:], display[end:][:1]
            left = "" if not before or before.isspace() or before in "„“(" else " "
            right = "" if not after or after.isspace() or after in _CLOSING else " "
            meant = f"{left}{meant}{right}"
        if meant != display[start:end]:
            found.append(Repair(Span(start, end), meant))
        last = end
    return found


def repaired_words(library: Library, passage: Passage, words: str) -> str | None:
    """Return ``words``, a part of the display of ``passage``, repaired; None if nothing in them is
    lost or misread.
    """
    repaired = repaired_display(library, passage)
    if repaired is None:
        return None
    found = words
    for printed, meant in zip(passage.display.splitlines(), repaired.splitlines(), strict=False):
        if printed == meant:
            continue
        # ``words`` contain the whole line, or its end.
        for start in range(len(printed)):
            if printed[:start] != meant[:start]:
                break
            if (tail := printed[start:].strip()) and tail in found:
                found = found.replace(tail, meant[start:].strip(), 1)
                break
    return found if found != words else None
