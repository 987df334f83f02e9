"""Makes passages from the lines of an entry in the dashed layout, so that each can be quoted on its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.document import Line
from corpus.draft import DraftPassage
from corpus.layouts.dashed.headings import (
    is_bullet,
    is_change,
    is_example,
    is_old_text,
    is_quote,
    is_text_label,
)
from corpus.model import Role, Span

BLOCK = 700  # most characters of a block that is one passage
PART = 500  # most characters of a passage in a longer block
EXAMPLE = 1100  # most characters of an example that is one passage
MOST = 1300  # most characters of a passage with a lead-in and the text after it
ITEM = 120  # mean characters; each item of a list with longer items is a passage
STEP = 250  # characters of a step of an example; longer ones can be quoted on their own
STUB = 60  # characters of a remark that cannot be quoted without the text before it


@dataclass
class _Piece:
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
        # Ends in a colon, or is a single short line without a full stop.
        last = self.texts[-1]
        short = len(self.lines) == 1 and len(last) <= 80 and not self.item
        return last.endswith(":") or is_example(last) or (short and not _ends_sentence(last))

    @property
    def is_quote(self) -> bool:
        # Consists only of the quotation of a card.
        return len(self.lines) == 1 and not self.item and is_quote(self.texts[0])

    def depends_on(self, last: _Piece) -> bool:
        """Return whether the piece cannot be quoted without ``last``, the piece before it."""
        size = self.lines[-1].end - last.lines[0].start
        if last.is_lead_in:
            return size <= MOST and not ((self.item or self.is_quote) and last.size > STUB)
        if is_example(self.texts[0]):
            return False
        if last.example and not last.item and self.size <= STEP and size <= EXAMPLE:
            return True
        if self.item:
            return False
        if self.size <= STUB and not self.is_lead_in:
            return size <= MOST
        if all(len(text) <= STUB and text[-1] not in ".:" for text in self.texts):
            return size <= BLOCK  # a list of names
        return last.is_quote and size <= MOST and not is_quote(self.texts[0])


def passages(lines: Sequence[Line], role: Role = Role.TEXT) -> list[DraftPassage]:
    """Return the passages of the ``lines`` of one entry, in order; a blank line ends a block."""
    pieces = _join_short_lists([piece for block in blocks(lines) for piece in _pieces(block)])
    joined: list[_Piece] = []
    for piece in pieces:
        if joined and piece.depends_on(joined[-1]):
            last = joined.pop()
            item = last.item or (piece.item and last.size <= STUB)
            piece = _Piece([*last.lines, *piece.lines], item, last.example or piece.example)
        joined.append(piece)
    return [_passage(piece.lines, role, int(piece.item)) for piece in joined]


def changed_passages(lines: Sequence[Line]) -> list[DraftPassage]:
    """Return the passages of a changed card: the void old text, and the new text with the change;
    long ones are split.
    """
    parts: list[tuple[Role, list[Line]]] = [(Role.TEXT, [])]
    for line in lines:
        text = line.text.strip()
        if is_old_text(text):
            parts.append((Role.VOID, []))
        elif is_text_label(text) and not (is_change(text) and parts[-1][0] is Role.TEXT):
            parts.append((Role.TEXT, []))
        parts[-1][1].append(line)
    found = []
    for role, part in parts:
        whole = bool(part) and part[-1].end - part[0].start <= BLOCK
        found += [_passage(part, role)] if whole else passages(part, role)
    return found


def blocks(lines: Sequence[Line]) -> list[list[Line]]:
    """Group ``lines`` that have consecutive numbers or are close together on their page."""
    found: list[list[Line]] = []
    for line in lines:
        if found and (line.close or line.number == found[-1][-1].number + 1):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _passage(lines: Sequence[Line], role: Role, depth: int = 0) -> DraftPassage:
    # Only blank lines are between them.
    return DraftPassage([Span(lines[0].start, lines[-1].end)], role, depth)


def _ends_sentence(text: str) -> bool:
    return text.rstrip("\"“”»)'")[-1:] in (".", "!", "?", "…", ":")


def _pieces(block: list[Line]) -> list[_Piece]:
    # List items with their continuation lines, or lines that belong together.
    items = [line for line in block if is_bullet(line.text.strip())]
    long = sum(len(line.text) for line in items) > ITEM * len(items)
    by_items = bool(items) and (len(block) == 1 or long)
    whole = _Piece(block, example=is_example(block[0].text.strip()))
    if not by_items and whole.size <= (EXAMPLE if whole.example else BLOCK):
        return [whole]
    pieces: list[_Piece] = []
    for line in block:
        text = line.text.strip()
        if by_items and is_bullet(text):
            pieces.append(_Piece([line], item=True))
        elif pieces and (_goes_on if by_items else _stays_together)(pieces[-1], line):
            pieces[-1].lines.append(line)
        else:
            pieces.append(_Piece([line], example=not by_items and is_example(text)))
    return pieces


def _goes_on(piece: _Piece, line: Line) -> bool:
    small = line.text.strip()[0].islower()
    return not piece.item or small or not _ends_sentence(piece.texts[-1])


def _stays_together(piece: _Piece, line: Line) -> bool:
    # Whether a line of a long block belongs to the piece above.
    text, last = line.text.strip(), piece.texts[-1]
    if is_example(text):
        return False
    size = line.end - piece.lines[0].start
    torn = not _ends_sentence(last) and not is_bullet(last)
    if torn or last.endswith(":") or text[0].islower() or is_bullet(text) or piece.is_quote:
        return size <= MOST
    return size <= (EXAMPLE if piece.example else PART)


def _join_short_lists(pieces: Sequence[_Piece]) -> list[_Piece]:
    # Short lists are joined to their lead-in.
    result: list[_Piece] = []
    at = 0
    while at < len(pieces):
        piece, end = pieces[at], at + 1
        while end < len(pieces) and pieces[end].item:
            end += 1
        whole = _Piece([line for part in pieces[at:end] for line in part.lines])
        leads = not piece.item and any(text.endswith(":") for text in piece.texts)
        if end > at + 1 and leads and whole.size <= BLOCK:
            result.append(whole)
            at = end
        else:
            result.append(piece)
            at += 1
    return result
