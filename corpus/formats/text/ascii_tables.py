"""Tables drawn with signs: +---+ and |…|, and columns under dashed lines, as pandoc writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.blocks import Block, BlockKind
from corpus.formats.text.source_lines import SourceLine
from corpus.spans import Span

_BORDER = re.compile(r"\+(?:[-=:]{1,500}\+){1,200}")
_CELLS = re.compile(r"\|.*\|")
_DELIMITER = re.compile(r"\|?(?:\s*:?[-=]{1,500}:?\s*[|+]){1,200}(?:\s*:?[-=]{1,500}:?)?")
_COLUMNS = re.compile(r"[-=]{2,}(?:\s+[-=]{2,})+")


def table_at(lines: Sequence[SourceLine], at: int) -> tuple[int, list[Block]]:
    """The table that begins with line number ``at``: the number of its lines, and a block for each
    row; 0 where there is none.

    Lines that only divide rows are furniture.
    """
    if _BORDER.fullmatch(lines[at].text) or _CELLS.fullmatch(lines[at].text):
        return _boxed(lines, at)
    if (
        at + 1 < len(lines)
        and _COLUMNS.fullmatch(lines[at + 1].text)
        and len(lines[at].text.split()) > 1
    ):
        return _columns(lines, at)
    return 0, []


def _boxed(lines: Sequence[SourceLine], at: int) -> tuple[int, list[Block]]:
    end = at
    while end < len(lines) and (
        _BORDER.fullmatch(lines[end].text) or _CELLS.fullmatch(lines[end].text)
    ):
        end += 1
    if end - at < 2:
        return 0, []
    bordered = (
        sum(bool(_BORDER.fullmatch(line.text)) for line in lines[at:end]) > 2
    )  # between the rows, which may have several lines
    rows: list[list[SourceLine]] = []
    parts: list[list[SourceLine]] = []
    new = True
    for line in lines[at:end]:
        divides = bool(_DELIMITER.fullmatch(line.text) or _BORDER.fullmatch(line.text))
        if divides or new or not bordered:
            parts.append([line])
            if not divides:
                rows.append(parts[-1])
        else:
            parts[-1].append(line)
        new = divides
    return end - at, _blocks(parts, rows)


def _columns(lines: Sequence[SourceLine], at: int) -> tuple[int, list[Block]]:
    end = at + 2
    while end < len(lines) and lines[end].text and not re.fullmatch(r"[-=\s]+", lines[end].text):
        end += 1
    if end == at + 2:
        return 0, []
    if end < len(lines) and lines[end].text:
        end += 1
    parts = [[line] for line in lines[at:end]]
    return end - at, _blocks(
        parts, [part for part in parts if not re.fullmatch(r"[-=\s]+", part[0].text)]
    )


def _blocks(parts: Sequence[list[SourceLine]], rows: Sequence[list[SourceLine]]) -> list[Block]:
    header = Span(rows[0][0].start, rows[0][-1].end) if rows else None
    wanted = {id(row) for row in rows}
    return [
        Block(
            Span(part[0].start, part[-1].end),
            BlockKind.ROW,
            indent=float(part[0].indent),
            header=header,
        )
        if id(part) in wanted
        else Block(Span(part[0].start, part[-1].end), BlockKind.FURNITURE)
        for part in parts
    ]
