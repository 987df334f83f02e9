"""Anchors of corrections: hashes of their lines, by which the same lines are found in another
version or format of a document.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from corpus import letter_runs
from corpus.document import Document
from corpus.model import Correction, Fault
from corpus.paragraphs import paragraphs

SKETCH = 4  # hashes of runs of letters in an anchor

_PART = r"[0-9a-f]{8}(\+\d+/\d+)?(~([0-9a-f]{6}){1,4})?"
PATTERN = rf"^{_PART}(-{_PART}){{0,2}}$"


class LineAnchor(NamedTuple):
    """An anchor of one line: the ``hash`` of its letters, its ``place`` among ``many`` equal lines,
    and the ``sketch`` of its letters.
    """

    hash: str
    place: int
    many: int
    sketch: tuple[int, ...]


@lru_cache(maxsize=2**15)
def anchor(text: str) -> str:
    """Return the first eight hexadecimal digits of the SHA-256 of the letters and digits of a line;
    of its signs where it has none.
    """
    letters = letter_runs.letters(text) or "".join(text.split())
    return hashlib.sha256(letters.encode()).hexdigest()[:8]


def parsed(anchor: str) -> tuple[LineAnchor, ...]:
    """Return the anchors of the lines that the ``anchor`` field of a correction names."""
    found = []
    for part in anchor.split("-") if anchor else ():
        name, _, sketch = part.partition("~")
        hash, _, number = name.partition("+")
        place, many = map(int, (number or "1/1").split("/"))
        found.append(LineAnchor(hash, place, many, letter_runs.parsed(sketch)))
    return tuple(found)


def continued_line(correction: Correction) -> int | None:
    """Return the line at which the passage ends that ``correction`` says its line continues."""
    torn = correction.fault is Fault.TORN and isinstance(correction.meant, int)
    return int(correction.meant or 0) if torn else None


def anchors(document: Document, corrections: Sequence[Correction]) -> list[str]:
    """Return the ``anchor`` field for each of ``corrections``: the anchors of its first line, its
    last line if it has several, and the end of the passage it continues, joined by hyphens.

    "+2/5" after a hash says that the line is the second of five lines with that hash; behind "~"
    is the sketch of a line of some length (`corpus.letter_runs`). The field is empty for a
    correction that does not fit the document.
    """
    lines = lines_by_anchor(document)
    texts = {paragraph.lines[0].number: paragraph.text for paragraph in paragraphs(document)}
    starts = sorted(texts)

    def fields(correction: Correction) -> Iterator[str]:
        numbers = [correction.line, correction.through, continued_line(correction)]
        if correction.through == correction.line:
            del numbers[1]
        named = [number for number in numbers if number is not None]
        if not correction.fits(document) or not all(0 < n <= len(document.lines) for n in named):
            return
        for number in named:
            first = starts[bisect_right(starts, number) - 1]
            name = anchor(texts[first])
            same = lines[name]
            place = f"+{same.index(first) + 1}/{len(same)}" if len(same) > 1 else ""
            sketch = letter_runs.written(letter_runs.sketch(texts[first], SKETCH))
            yield name + place + (f"~{sketch}" if sketch else "")

    return ["-".join(fields(correction)) for correction in corrections]


def lines_by_anchor(document: Document) -> dict[str, list[int]]:
    """Return the numbers of the lines of ``document`` with text by their anchors; of a paragraph of
    several lines that of the first.
    """
    lines: dict[str, list[int]] = defaultdict(list)
    for paragraph in paragraphs(document):
        lines[anchor(paragraph.text)].append(paragraph.lines[0].number)
    return lines
