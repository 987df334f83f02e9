"""Passages with the signs in them that their document has lost or misread: beside the evidence, never instead of it."""

from __future__ import annotations

from corpus.model import Passage
from index.library.library import Library
from service.core.highlighting import display_offsets

_CLOSING = '.,;:!?)“”"»'


def repaired_display(library: Library, passage: Passage) -> str | None:
    """Return the display of ``passage`` as it is meant, where notes on its edition know what is lost or misread; None where nothing is."""
    signs = library.restored.get(passage.id, ())
    if not signs:
        return None
    offsets, display = display_offsets(passage.text, passage.display), passage.display
    parts, last = [], 0
    for sign in signs:
        start = next((at + 1 for at in reversed(offsets[: sign.start]) if at >= 0), 0)
        end = next((at for at in offsets[sign.end :] if at >= 0), len(display))
        if start < last or end < start:
            continue
        meant = sign.meant if passage.text[sign.start : sign.end].strip() else _between_words(display[:start], sign.meant, display[end:])
        parts += [display[last:start], meant]
        last = end
    repaired = "".join([*parts, display[last:]])
    return repaired if repaired != display else None


def repaired_words(library: Library, passage: Passage, words: str) -> str | None:
    """Return ``words``, a part of the display of ``passage``, as they are meant; None where nothing in them is lost or misread."""
    repaired = repaired_display(library, passage)
    if repaired is None:
        return None
    found = words
    for printed, meant in zip(passage.display.splitlines(), repaired.splitlines(), strict=False):
        if printed != meant:
            found = _replaced(found, printed, meant)
    return found if found != words else None


def _replaced(words: str, printed: str, meant: str) -> str:
    """Return ``words`` with the end of the line ``printed`` that they have as ``meant`` has it; else as they are."""
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
