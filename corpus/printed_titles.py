"""The title of a document that says how large its lines are printed: the largest one of its first
page.
"""

from __future__ import annotations

from collections import Counter

from corpus.blocks import Block, BlockKind
from corpus.display import display
from corpus.document import Document

_FIRST = 20  # blocks at most in which the title stands
_LARGER = 1.15  # times the size of the text
_COVER = 2.0  # the same, for what stands below the largest line of a cover and is part of its title
_LONGEST = 100  # characters


def printed_title(document: Document) -> str:
    """The largest short line on the first page with text, and lines below it that are as large; ""
    where sizes do not tell.

    Nothing else in the document may be as large, unless it stands there too: else it is the heading
    of a chapter.
    """
    blocks = [
        block for block in document.blocks if block.kind is not BlockKind.FURNITURE and block.size
    ]
    body = _text_size(blocks)
    first = blocks[0].page if blocks else 0
    page = [block for block in blocks[:_FIRST] if block.page == first]
    largest = max(
        (block.size for block in page if block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING)),
        default=0.0,
    )
    if largest < _LARGER * body or any(
        block.size >= 0.97 * largest for block in blocks if block not in page
    ):
        return ""
    title = ""
    for block in page:
        if block.size >= 0.97 * largest or (title and block.size >= _COVER * body):
            title = f"{title} {display(document.text[slice(*block.span)])}".strip()
        elif title:
            break
    return (
        " ".join(title.split())
        if len(title) <= _LONGEST and any(c.isalpha() for c in title)
        else ""
    )


def _text_size(blocks: list[Block]) -> float:
    """The size of most of the text."""
    sizes: Counter[float] = Counter()
    for block in blocks:
        sizes[block.size] += block.span.end - block.span.start
    return sizes.most_common(1)[0][0] if sizes else 0.0
