"""What stands at the beginning of a document that is no text file, where its title and version are
printed.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpus.blocks import BlockKind
from corpus.document import Document
from corpus.edition_files import letters_of

_BLOCKS = 40
_PAGES = 2  # on which running heads may have the title
_LINES = 3  # of a title, in narrow columns


def printed_head(document: Document) -> frozenset[str]:
    """The letters of blocks and printed lines at the beginning of ``document``, and of up to
    `_LINES` of these lines together.

    Empty for a text file, where lines are those of the publisher.
    """
    if document.extracted is None:
        return frozenset()
    text, blocks = (
        document.text,
        [block for block in document.blocks if block.kind is not BlockKind.FURNITURE][:_BLOCKS],
    )
    found = {letters_of(text[block.span.start : block.span.end]) for block in blocks}
    end = blocks[-1].span.end if blocks else 0
    lines = document.pages.lines if document.pages else ()
    first = [text[line.span.start : line.span.end] for line in lines if line.span.start < end]
    edges = [
        text[line.span.start : line.span.end]
        for line in lines
        if line.span.start >= document.extracted.body and line.page <= _PAGES
    ]
    return frozenset(found | _runs(first) | _runs(edges)) - {""}


def _runs(lines: Sequence[str]) -> set[str]:
    letters = [letters_of(line) for line in lines]
    return {
        "".join(letters[at : at + count])
        for at in range(len(letters))
        for count in range(1, _LINES + 1)
    }
