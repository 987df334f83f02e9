"""How the lines of a unit stand on their page, where the document has pages."""

from __future__ import annotations

from itertools import pairwise

from corpus.blocks import PageMap
from corpus.model import Span

_WIDE = 1.6  # of the height of a line: a blank between cells of a table
_NEXT = 1.4  # of the same: the distance of two lines of a heading


def has_cells(pages: PageMap, text: str, span: Span) -> bool:
    """Whether a wide gap divides the one line of ``span``, as between the cells of a table; one
    after its first word does not count.
    """
    boxes = pages.boxes([span])
    if len(boxes) != 1 or len(boxes[0].boxes) != 1:
        return False
    box = boxes[0].boxes[0]
    words = [
        Span(span.start + at, span.start + at + len(word))
        for at, word in _words(text[span.start : span.end])
    ]
    places = [pages.boxes([word])[0].boxes[0] for word in words if pages.boxes([word])]
    gaps = [right.left - left.right for left, right in pairwise(places)]
    return any(
        gap > _WIDE * (box.bottom - box.top)
        for gap in (gaps[1:] if any(c.isdigit() for c in text[slice(*words[0])]) else gaps)
    )


def _words(text: str) -> list[tuple[int, str]]:
    found, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        found.append((at, word))
        at += len(word)
    return found


def follows_closely(pages: PageMap, above: Span, below: Span) -> bool:
    """Whether the first line of ``below`` stands right below the last line of ``above``, as the
    second line of a heading does.
    """
    upper, lower = pages.boxes([above]), pages.boxes([below])
    if not upper or not lower or upper[-1].page != lower[0].page:
        return False
    last, first = upper[-1].boxes[-1], lower[0].boxes[0]
    height = last.bottom - last.top
    return (
        0 < first.top - last.top < _NEXT * height / 1.12
        and first.left < last.right
        and last.left < first.right
    )
