"""Decides where a line has blanks: as in the file, or at gaps if the file has none, but not within
letter-spaced words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpus.formats.pdf.characters import Blank, PrintedCharacter

# Gaps, in units of the font size:
_BLANK = 0.2  # a blank even if the PDF has none
_NARROW = 0.09  # the same if letters are close together
_CLOSE = 0.03  # letters are close together
_WRITTEN = -0.1  # least width of a blank in the file
_GUESSED = 0.05  # least width of a blank guessed by PDFium
_APART = 0.08  # least gap in letter-spaced words
_EQUAL = 0.12  # largest difference between the gaps in a word
_WIDEST = 0.7  # letters with wider gaps are table cells
_LETTERS = 4  # least letters of a letter-spaced run
_LEVEL = 0.05  # largest difference between baselines in a word
_BEHIND = ".,;:!?)”’»%"  # signs after which a narrow gap can be a blank


def blanks(signs: Sequence[PrintedCharacter]) -> list[bool]:
    """Return, for each of ``signs`` of a line from left to right, whether a blank precedes it."""
    if not signs:
        return []
    gaps = [0.0] + [(b.left - a.right) / b.style.size for a, b in pairwise(signs)]
    found = [False] + [
        gap > _BLANK
        or (sign.spaced == Blank.WRITTEN and gap > _WRITTEN)
        or (sign.spaced == Blank.GUESSED and gap > _GUESSED)
        for gap, sign in zip(gaps[1:], signs[1:], strict=True)
    ]
    close = zip(gaps, found, strict=True)
    within = sorted(gap for gap, blank in close if not blank and gap <= _NARROW)
    if 2 * len(within) > len(signs) and within[9 * len(within) // 10] <= _CLOSE:
        for at, gap in enumerate(gaps):
            found[at] = found[at] or (gap > _NARROW and _are_words(signs[at - 1], signs[at]))
    for start, end in _set_apart(signs, gaps):
        for at, blank in _within_words(signs, gaps, start, end):
            found[at] = blank
    return found


def _are_words(before: PrintedCharacter, sign: PrintedCharacter) -> bool:
    size = sign.style.size
    same = before.style == sign.style and abs(before.baseline - sign.baseline) < _LEVEL * size
    # The box of a ligature ends before its place does.
    told = (before.text.isalnum() and len(before.text) == 1) or before.text[-1] in _BEHIND
    return same and told and sign.text[0].isalnum()


def _set_apart(
    signs: Sequence[PrintedCharacter], gaps: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of signs with gaps on both sides."""
    wide = [True, *(gap > _APART for gap in gaps[1:]), True]
    start = 0
    for at in range(len(signs) + 1):
        if at < len(signs) and wide[at] and wide[at + 1]:
            continue
        if sum(sign.text.isalpha() for sign in signs[start:at]) >= _LETTERS:
            yield start, at
        start = at + 1


def _within_words(
    signs: Sequence[PrintedCharacter], gaps: Sequence[float], start: int, end: int
) -> list[tuple[int, bool]]:
    """Return (index, whether a blank precedes) for the letter-spaced signs from ``start`` to
    ``end`` except the first.

    The result is empty if they are not words, but a list of letters, numbers or table cells.
    """
    inner = sorted(gaps[start + 1 : end])
    jump, least = max(((b - a, b) for a, b in pairwise(inner)), default=(0.0, 0.0))
    if jump < _EQUAL:
        least = inner[-1] + 1
    letters = [gap for gap in inner if gap < least]
    if letters[-1] - letters[0] > 2 * _EQUAL or letters[-1] > _WIDEST:
        return []
    if 2 * len(letters) < len(inner):
        return []
    words: list[str] = [""]
    for at in range(start, end):
        if at > start and gaps[at] >= least:
            words.append("")
        words[-1] += signs[at].text
    if any(not word.isalpha() and any(map(str.isdigit, word)) for word in words):
        return []
    longest = max(words, key=len).casefold()
    listed = all(a < b for a, b in pairwise(longest))  # A B C D
    if listed or sum(map(str.isalpha, longest)) < _LETTERS:
        return []
    return [(at, gaps[at] >= least) for at in range(start + 1, end)]
