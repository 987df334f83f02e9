"""Makes passages of the lines of an entry in the dashed layout, such that each can be quoted on its
own.
"""

from __future__ import annotations

from dataclasses import dataclass

from corpus.document import Line
from corpus.draft import DraftPassage
from corpus.layouts.dashed import headings
from corpus.model import Role, Span

BLOCK = 700  # characters up to which a block is one passage
PART = 500  # characters up to which lines of a longer block are one passage
EXAMPLE = 1100  # characters up to which an example is one passage
MOST = 1300  # characters up to which a lead-in and the text after it are one passage
ITEM = 120  # mean characters of list items above which each item is a passage
STEP = 250  # characters of a step of an example; longer ones can be quoted on their own
STUB = 60  # characters of a remark that cannot be quoted without the text before it


@dataclass
class _PassagePiece:
    """Lines that belong together: a passage or a part of one."""

    lines: list[Line]
    item: bool = False
    example: bool = False

    @property
    def size(self) -> int:
        return self.lines[-1].end - self.lines[0].start

    @property
    def texts(self) -> list[str]:
        return [line.text.strip() for line in self.lines]

    @property
    def is_lead_in(self) -> bool:
        """Whether it introduces the text after it: it ends in a colon, or is a single short line
        without a full stop.
        """
        last = self.texts[-1]
        if last.endswith(":") or headings.is_example(last):
            return True
        return (
            len(self.lines) == 1 and len(last) <= 80 and not _ends_sentence(last) and not self.item
        )

    @property
    def is_quote(self) -> bool:
        """Whether it is nothing but the quotation of a card."""
        return len(self.lines) == 1 and not self.item and headings.is_quote(self.texts[0])

    @property
    def is_name_list(self) -> bool:
        """Whether every line is a name, not a sentence."""
        return all(len(text) <= STUB and text[-1] not in ".:" for text in self.texts)


def passages(lines: list[Line], role: Role = Role.TEXT) -> list[DraftPassage]:
    """The passages of the ``lines`` of one entry, in order; lines without a blank line between them
    form a block.
    """
    pieces: list[_PassagePiece] = []
    for block in blocks(lines):
        pieces += _pieces(block)
    return [
        DraftPassage(spans(p.lines), role, depth=1 if p.item else 0)
        for p in _join_dependent(_join_short_lists(pieces))
    ]


def blocks(lines: list[Line]) -> list[list[Line]]:
    """Groups of ``lines`` with consecutive numbers, or that stand close together on their page."""
    found: list[list[Line]] = []
    for line in lines:
        if found and (line.close or line.number == found[-1][-1].number + 1):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def spans(lines: list[Line]) -> list[Span]:
    """The span of ``lines``, as a list; only blank lines lie between the lines of a piece."""
    return [Span(lines[0].start, lines[-1].end)]


def _ends_sentence(text: str) -> bool:
    return text.rstrip("\"“”)»'")[-1:] in (".", "!", "?", "…", ":")


def _pieces(block: list[Line]) -> list[_PassagePiece]:
    """Divide ``block`` into pieces: list items, or as many lines as belong together."""
    items = [line for line in block if headings.is_bullet(line.text.strip())]
    if items and (len(block) == 1 or sum(len(line.text) for line in items) > ITEM * len(items)):
        return _items(block)
    whole = _PassagePiece(block, example=headings.is_example(block[0].text.strip()))
    if whole.size <= (EXAMPLE if whole.example else BLOCK):
        return [whole]
    pieces: list[_PassagePiece] = []
    for line in block:
        if pieces and _stays_together(pieces[-1], line):
            pieces[-1].lines.append(line)
        else:
            pieces.append(_PassagePiece([line], example=headings.is_example(line.text.strip())))
    return pieces


def _items(block: list[Line]) -> list[_PassagePiece]:
    """A piece for every list item; a line that continues an item belongs to it."""
    pieces: list[_PassagePiece] = []
    for line in block:
        text = line.text.strip()
        if headings.is_bullet(text):
            pieces.append(_PassagePiece([line], item=True))
        elif pieces and (
            not pieces[-1].item or text[0].islower() or not _ends_sentence(pieces[-1].texts[-1])
        ):
            pieces[-1].lines.append(line)
        else:
            pieces.append(_PassagePiece([line]))
    return pieces


def _stays_together(piece: _PassagePiece, line: Line) -> bool:
    """Whether ``line`` of a long block belongs to ``piece``, the lines above it."""
    text, last = line.text.strip(), piece.texts[-1]
    size = line.end - piece.lines[0].start
    if headings.is_example(text):
        return False
    torn = not _ends_sentence(last) and not headings.is_bullet(last)
    if (
        torn
        or last.endswith(":")
        or text[0].islower()
        or headings.is_bullet(text)
        or piece.is_quote
    ):
        return size <= MOST
    return size <= (EXAMPLE if piece.example else PART)


def _join_short_lists(pieces: list[_PassagePiece]) -> list[_PassagePiece]:
    """``pieces`` with short lists joined to their lead-in, where both together have at most `BLOCK`
    characters.
    """
    result: list[_PassagePiece] = []
    at = 0
    while at < len(pieces):
        piece, end = pieces[at], at + 1
        while end < len(pieces) and pieces[end].item:
            end += 1
        if end > at + 1 and not piece.item and any(text.endswith(":") for text in piece.texts):
            whole = _PassagePiece([line for p in pieces[at:end] for line in p.lines])
            if whole.size <= BLOCK:
                result.append(whole)
                at = end
                continue
        result.append(piece)
        at += 1
    return result


def _join_dependent(pieces: list[_PassagePiece]) -> list[_PassagePiece]:
    """``pieces`` with every piece that cannot be quoted on its own joined to the piece before
    it.
    """
    result: list[_PassagePiece] = []
    for piece in pieces:
        if result and _depends_on(result[-1], piece):
            last = result.pop()
            piece = _PassagePiece(
                lines=[*last.lines, *piece.lines],
                item=last.item or (piece.item and last.size <= STUB),
                example=last.example or piece.example,
            )
        result.append(piece)
    return result


def _depends_on(last: _PassagePiece, piece: _PassagePiece) -> bool:
    """Whether ``piece`` cannot be quoted without ``last``, the piece before it."""
    size = piece.lines[-1].end - last.lines[0].start
    if last.is_lead_in:
        return size <= MOST and not ((piece.item or piece.is_quote) and last.size > STUB)
    if headings.is_example(piece.texts[0]):
        return False
    if last.example and not last.item and piece.size <= STEP and size <= EXAMPLE:
        return True
    if piece.item:
        return False
    if piece.size <= STUB and not piece.is_lead_in:
        return size <= MOST
    if piece.is_name_list:
        return size <= BLOCK
    return last.is_quote and size <= MOST and not headings.is_quote(piece.texts[0])
