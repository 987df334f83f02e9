"""Anchors of lines: hashes of the words of a line, by which it is found in another version or
format of a document.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from corpus import letter_runs
from corpus.document import Document
from corpus.line_paragraphs import paragraphs
from corpus.model import Correction, Fault

_PART = r"[0-9a-f]{8}(\+\d+/\d+)?(~([0-9a-f]{6}){1,4})?"
PATTERN = rf"^{_PART}(-{_PART}){{0,2}}$"
SKETCH = 4  # hashes of runs of letters in an anchor

LinesByAnchor = Mapping[str, Sequence[int]]  # line numbers, ascending


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
    """The first eight hexadecimal digits of the SHA-256 of the letters and digits of a line; of its
    signs where it has none.
    """
    return hashlib.sha256(
        (letter_runs.letters(text) or "".join(text.split())).encode()
    ).hexdigest()[:8]


def parsed(anchor: str) -> tuple[LineAnchor, ...]:
    """The anchors of the lines that the ``anchor`` field of a correction names."""
    found = []
    for part in anchor.split("-") if anchor else ():
        name, _, sketch = part.partition("~")
        hash, _, number = name.partition("+")
        place, many = (int(n) for n in number.split("/")) if number else (1, 1)
        found.append(LineAnchor(hash, place, many, letter_runs.parsed(sketch)))
    return tuple(found)


def named_lines(correction: Correction) -> tuple[int, ...]:
    """The lines that ``correction`` names: its first line, its last line if it has several, and the
    end of the passage it continues.
    """
    last = (correction.through,) if correction.through != correction.line else ()
    return (
        correction.line,
        *last,
        *(
            [correction.meant]
            if continues(correction) and isinstance(correction.meant, int)
            else []
        ),
    )


def continues(correction: Correction) -> bool:
    """Whether ``correction`` says that its line continues the passage that ends at another line."""
    return correction.fault is Fault.TORN and isinstance(correction.meant, int)


def sketch(text: str) -> str:
    """The hashes of some runs of letters of a line as one word; "" for a line of a few letters."""
    return letter_runs.written(letter_runs.sketch(text, SKETCH))


def lines_by_anchor(document: Document) -> dict[str, list[int]]:
    """The numbers of the lines of ``document`` with text by their anchors; of a paragraph of
    several lines that of the first.
    """
    lines: dict[str, list[int]] = defaultdict(list)
    for paragraph in paragraphs(document):
        lines[anchor(paragraph.text)].append(paragraph.lines[0].number)
    return lines
