"""Anchors: the text that a correction was written for, as a hash, so that it finds its lines again in another version of the file."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from corpus.document import Document
from corpus.model import Correction, Fault

PATTERN = r"^[0-9a-f]{8}(\+\d+/\d+)?(-[0-9a-f]{8}(\+\d+/\d+)?){0,2}$"
REACH = 60  # lines by which the parts of one correction may have moved apart, at most

_Places = Mapping[str, Sequence[int]]  # the lines that have an anchor, ascending


def anchor(text: str) -> str:
    """Eight hexadecimal digits (of SHA-256) that stay the same as long as the words of a line do."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:8]


def named_lines(correction: Correction) -> tuple[int, ...]:
    """The lines that ``correction`` names: the first, the last where it is another, and the one that a torn passage continues."""
    last = (correction.through,) if correction.through != correction.line else ()
    return (correction.line, *last, *([correction.meant] if _continues(correction) and isinstance(correction.meant, int) else []))


def _continues(correction: Correction) -> bool:
    return correction.fault is Fault.TORN and isinstance(correction.meant, int)


def anchors(document: Document, corrections: Sequence[Correction]) -> list[str]:
    """What the YAML keeps for each of ``corrections``: the anchors of the lines it names, joined by hyphens; empty where it fits not.

    "+2/5" behind one says that the line is the second of five such.
    """
    places = _places(document)

    def of(number: int) -> str:
        mark = anchor(document.line(number).text)
        alike = places[mark]
        return mark if len(alike) == 1 else f"{mark}+{alike.index(number) + 1}/{len(alike)}"

    lines = range(1, len(document.lines) + 1)
    return ["-".join(map(of, named_lines(c))) if c.fits(document) and all(n in lines for n in named_lines(c)) else "" for c in corrections]


def _places(document: Document) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for line in document.lines:
        places[anchor(line.text)].append(line.number)
    return places


def relocate(document: Document, corrections: Sequence[Correction]) -> tuple[Correction, ...]:
    """``corrections`` in their order, each at the lines of ``document`` that have the text it was written for.

    A line that the documents have once is followed wherever it went. Of several the one counts that has moved as far as the
    corrections around it, or that is as many-th of as many; a line reworded since is looked for there too, and has to have
    what is ``printed``. What is not found so is not ``placed``. Corrections without anchor stay where they are.
    """
    if not any(c.anchor for c in corrections):
        return tuple(corrections)
    places = _places(document)
    moved = {0: 0}  # by line as written
    for correction in corrections:
        mark = correction.anchor.partition("-")[0]
        if mark and "+" not in mark and len(places.get(mark, ())) == 1:
            moved[correction.line] = places[mark][0] - correction.line
    known = sorted(moved)
    return tuple(_relocated(c, document, places, _around(c.line, known, moved)) if c.anchor else c for c in corrections)


def _around(line: int, known: Sequence[int], moved: Mapping[int, int]) -> tuple[int, ...]:
    """How far the corrections before and behind ``line`` have moved, the nearest of each; how far itself where that is known."""
    at = bisect_left(known, line)
    if at < len(known) and known[at] == line:
        return (moved[line],)
    return tuple(moved[known[i]] for i in (at - 1, at) if i < len(known))


def _relocated(correction: Correction, document: Document, places: _Places, around: Sequence[int]) -> Correction:
    first, *others = (mark.partition("+")[0] for mark in correction.anchor.split("-"))
    line = _first(correction, document, places.get(first, ()), around)
    if line is None:
        return replace(correction, placed=False)
    by = line - correction.line
    through, meant = correction.through + by, correction.meant
    if correction.through != correction.line and others:
        found = _nearest([n for n in places.get(others.pop(0), ()) if n > line], through)
        if found is None:  # where it ends cannot be told
            return replace(correction, placed=False)
        through = found
    if _continues(correction) and isinstance(meant, int):
        found = _nearest([n for n in places.get(others[0], ()) if n < line], meant + by) if others else None
        meant = meant + by if found is None else found
    if (line, through, meant) == (correction.line, correction.through, correction.meant):
        return correction
    return replace(correction, line=line, through=through, meant=meant)


def _first(correction: Correction, document: Document, found: Sequence[int], around: Sequence[int]) -> int | None:
    """The first line of ``correction``: one of those ``found`` by its anchor, else one that has what is printed."""
    least, most = (min(around), max(around)) if len(around) > 1 else (around[0] - REACH, around[0] + REACH)
    within = [n for n in found if least <= n - correction.line <= most]
    if len(within) == 1:
        return within[0]
    expected = [correction.line + by for by in around]
    for line in expected:
        if line in within:
            return line
    if number := re.match(r"[0-9a-f]+\+(\d+)/(\d+)", correction.anchor):
        which, many = map(int, number.groups())
        if len(found) == many and min(abs(found[which - 1] - line) for line in expected) <= REACH:
            return found[which - 1]
    for line in expected:
        if 1 <= line <= len(document.lines) and correction.printed in document.line(line).text:
            return line
    return None


def _nearest(lines: Sequence[int], expected: int) -> int | None:
    return min((n for n in lines if abs(n - expected) <= REACH), key=lambda n: abs(n - expected), default=None)
