"""Passages with the signs in them that their document has lost or misread: beside the evidence,
never instead of it.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from corpus.model import Passage
from corpus.sentences import sentences
from index.library.library import Library
from service.core.highlighting import display_offsets

_BULLETS = "• \t\n"
_CLOSING = '.,;:!?)“”"»'


class RepairedRun(NamedTuple):
    """A stretch of a repaired text; ``restored`` says that it is not as printed."""

    text: str
    restored: bool = False


def repaired_display(library: Library, passage: Passage) -> str | None:
    """Return the display of ``passage`` as it is meant, where notes on its edition know what is
    lost or misread; None where nothing is.
    """
    return "".join(run.text for run in _repaired_runs(library, passage)) or None


def repaired_line(library: Library, passage: Passage) -> str:
    """Return the `repaired_sentences` of ``passage`` in one line, "" where nothing is restored."""
    return " … ".join(
        " ".join("".join(run.text for run in sentence).split())
        for sentence in repaired_sentences(library, passage)
    )


def repaired_sentences(library: Library, passage: Passage) -> list[tuple[RepairedRun, ...]]:
    """Return, in order, the sentences of `repaired_display` that have something restored, divided
    where that begins and ends.

    They are without a bullet before them.
    """
    runs = _repaired_runs(library, passage)
    characters = [(character, run.restored) for run in runs for character in run.text]
    found = []
    text = "".join(character for character, _ in characters)
    for start, end in sentences(text):
        start = end - len(text[start:end].lstrip(_BULLETS))
        here = groupby(characters[start:end], key=lambda each: each[1])
        divided = tuple(
            RepairedRun("".join(character for character, _ in group), restored)
            for restored, group in here
        )
        if any(run.restored for run in divided):
            found.append(divided)
    return found


def _repaired_runs(library: Library, passage: Passage) -> list[RepairedRun]:
    """Return the display of ``passage`` as it is meant, divided where something is restored;
    nothing where it is as printed.
    """
    signs = library.restored.get(passage.id, ())
    if not signs:
        return []
    offsets, display = display_offsets(passage.text, passage.display), passage.display
    runs: list[RepairedRun] = []
    last = 0
    for sign in signs:
        start = next((at + 1 for at in reversed(offsets[: sign.start]) if at >= 0), 0)
        end = next((at for at in offsets[sign.end :] if at >= 0), len(display))
        if start < last or end < start:
            continue
        meant = (
            sign.meant
            if passage.text[sign.start : sign.end].strip()
            else _between_words(display[:start], sign.meant, display[end:])
        )
        runs += [
            RepairedRun(display[last:start]),
            RepairedRun(meant, restored=meant != display[start:end]),
        ]
        last = end
    runs = [run for run in (*runs, RepairedRun(display[last:])) if run.text]
    return runs if any(run.restored for run in runs) else []


def repaired_words(library: Library, passage: Passage, words: str) -> str | None:
    """Return ``words``, a part of the display of ``passage``, as they are meant; None where nothing
    in them is lost or misread.
    """
    repaired = repaired_display(library, passage)
    if repaired is None:
        return None
    found = words
    for printed, meant in zip(passage.display.splitlines(), repaired.splitlines(), strict=False):
        if printed != meant:
            found = _replaced(found, printed, meant)
    return found if found != words else None


def _replaced(words: str, printed: str, meant: str) -> str:
    """Return ``words`` with the end of the line ``printed`` that they have as ``meant`` has it;
    else as they are.
    """
    for start in range(len(printed)):
        if printed[:start] != meant[:start]:
            break
        if (tail := printed[start:].strip()) and tail in words:
            return words.replace(tail, meant[start:].strip(), 1)
    return words


def _between_words(before: str, sign: str, after: str) -> str:
    """Return ``sign`` with the blanks that it has between the texts ``before`` and ``after``."""
    left = "" if not before or before[-1].isspace() or before[-1] in "„“(" else " "
    right = "" if not after or after[0].isspace() or after[0] in _CLOSING else " "
    return f"{left}{sign}{right}"
