"""Anchors of corrections: hashes of their lines, by which the same lines are found in another
version or format of a document.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from corpus.document import Document
from corpus.line_anchors import (
    PATTERN,
    LineAnchor,
    LinesByAnchor,
    anchor,
    continues,
    lines_by_anchor,
    named_lines,
    parsed,
    sketch,
)
from corpus.line_paragraphs import paragraphs
from corpus.model import Correction
from corpus.word_relocation import WordRelocation

__all__ = ["MAX_DISTANCE", "PATTERN", "anchors", "relocate"]

MAX_DISTANCE = 60  # lines between the expected and the actual place of a part of a correction


def anchors(document: Document, corrections: Sequence[Correction]) -> list[str]:
    """The ``anchor`` field for each of ``corrections``: the anchors of the lines it names, joined
    by hyphens.

    "+2/5" after a hash says that the line is the second of five lines with that hash; behind "~"
    stands the sketch of a line of some length (`corpus.letter_runs`). The field is empty for a
    correction that does not fit the document.
    """
    lines = lines_by_anchor(document)
    texts = [(paragraph.lines[0].number, paragraph.text) for paragraph in paragraphs(document)]
    starts = [first for first, _ in texts]

    def field(correction: Correction) -> str:
        named = named_lines(correction)
        if not correction.fits(document) or not all(
            1 <= number <= len(document.lines) for number in named
        ):
            return ""
        return "-".join(line_anchor(number) for number in named)

    def line_anchor(number: int) -> str:
        first, text = texts[bisect_right(starts, number) - 1]
        name = anchor(text)
        same = lines[name]
        return (
            name
            + (f"+{same.index(first) + 1}/{len(same)}" if len(same) > 1 else "")
            + (f"~{runs}" if (runs := sketch(text)) else "")
        )

    return [field(correction) for correction in corrections]


def relocate(document: Document, corrections: Sequence[Correction]) -> tuple[Correction, ...]:
    """``corrections`` in the same order, each moved to the lines of ``document`` with the text that
    it was written for.

    - If the anchor occurs once in the document, that line is taken, wherever it is.
    - If it occurs several times, the line that has moved as far as the neighbouring corrections is taken, else the one with
      the same position among the same number of equal lines.
    - If it does not occur, because the line was reworded, the line to which the neighbouring corrections have moved is
      taken if it contains what is ``printed``.

    What these lines do not have is looked for by the words of its anchor
    (`corpus.word_relocation`); in text that was extracted from another format everything is,
    because its lines are other ones. A correction that is not found gets ``placed=False``.
    Corrections without an anchor stay where they are.
    """
    if not any(c.anchor for c in corrections):
        return tuple(corrections)
    moved = corrections if document.extracted else _relocated_by_lines(document, corrections)
    if all(c.fits(document) or not c.anchor for c in moved) and not document.extracted:
        return tuple(moved)
    words = WordRelocation(document, corrections)
    return tuple(
        words.relocated(was)
        if was.anchor and (document.extracted or not now.fits(document))
        else now
        for was, now in zip(corrections, moved, strict=True)
    )


def _relocated_by_lines(
    document: Document, corrections: Sequence[Correction]
) -> tuple[Correction, ...]:
    lines = lines_by_anchor(document)
    moved = {0: 0}  # by how many lines a line has moved, by its old number
    for correction in corrections:
        for first in parsed(correction.anchor)[:1]:
            if first.many == 1 and len(lines.get(first.hash, ())) == 1:
                moved[correction.line] = lines[first.hash][0] - correction.line
    known = sorted(moved)
    return tuple(
        _relocated(c, document, lines, _around(c.line, known, moved)) if c.anchor else c
        for c in corrections
    )


def _around(line: int, known: Sequence[int], moved: Mapping[int, int]) -> tuple[int, ...]:
    """By how many lines ``line`` has moved if that is known, else by how many the nearest
    corrections before and after it have.
    """
    at = bisect_left(known, line)
    if at < len(known) and known[at] == line:
        return (moved[line],)
    return tuple(moved[known[i]] for i in (at - 1, at) if i < len(known))


def _relocated(
    correction: Correction, document: Document, lines: LinesByAnchor, around: Sequence[int]
) -> Correction:
    """``correction`` moved to its lines in ``document``; ``around`` are the numbers of lines by
    which it may have moved.
    """
    first, *others = parsed(correction.anchor)
    line = _first(correction, first, document, lines.get(first.hash, ()), around)
    if line is None:
        return replace(correction, placed=False)
    by = line - correction.line
    through, meant = correction.through + by, correction.meant
    if correction.through != correction.line and others:
        found = _nearest([n for n in lines.get(others.pop(0).hash, ()) if n > line], through)
        if found is None:  # its last line is missing
            return replace(correction, placed=False)
        through = found
    if continues(correction) and isinstance(meant, int):
        found = (
            _nearest([n for n in lines.get(others[0].hash, ()) if n < line], meant + by)
            if others
            else None
        )
        meant = meant + by if found is None else found
    if (line, through, meant) == (correction.line, correction.through, correction.meant):
        return correction
    return replace(correction, line=line, through=through, meant=meant)


def _first(
    correction: Correction,
    anchor: LineAnchor,
    document: Document,
    found: Sequence[int],
    around: Sequence[int],
) -> int | None:
    """The first line of ``correction``: one of the lines ``found`` by its anchor, else a line with
    what is ``printed``, else None.
    """
    least, most = (
        (min(around), max(around))
        if len(around) > 1
        else (around[0] - MAX_DISTANCE, around[0] + MAX_DISTANCE)
    )
    within = [n for n in found if least <= n - correction.line <= most]
    if len(within) == 1:
        return within[0]
    expected = [correction.line + by for by in around]
    for line in expected:
        if line in within:
            return line
    if (
        anchor.many == len(found) > 1
        and min(abs(found[anchor.place - 1] - line) for line in expected) <= MAX_DISTANCE
    ):
        return found[anchor.place - 1]
    for line in expected:
        if 1 <= line <= len(document.lines) and correction.printed in document.line(line).text:
            return line
    return None


def _nearest(lines: Sequence[int], expected: int) -> int | None:
    """The line of ``lines`` nearest to ``expected``; None if none is within `MAX_DISTANCE`."""
    return min(
        (n for n in lines if abs(n - expected) <= MAX_DISTANCE),
        key=lambda n: abs(n - expected),
        default=None,
    )
