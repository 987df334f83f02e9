"""Decides where blanks are in a line: as in the file, or at gaps if the file has none, but not
within letter-spaced words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpus.formats.pdf.characters import Blank, PrintedCharacter

# Gaps, of the size:
_BLANK = 0.2  # is a blank though the PDF has none
_NARROW = 0.09  # the same, where letters stand close
_CLOSE = 0.03  # letters stand close
_WRITTEN = -0.1  # the least of a blank that the file has
_GUESSED = 0.05  # the least of one that it does not have
_APART = 0.08  # the least between letters that are set apart
_EQUAL = 0.12  # what gaps between letters of a word differ by
_WIDEST = 0.7  # wider apart letters are cells
_LETTERS = 4  # set apart one after the other, at least
_LEVEL = 0.05  # what baselines of letters of a word differ by
_BEHIND = ".,;:!?)”’»%"  # what a blank may follow though it is narrow


def blanks(signs: Sequence[PrintedCharacter]) -> list[bool]:
    """Return for each of the ``signs`` of a line, from left to right, whether a blank precedes
    it.
    """
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
    told = before.text[-1].isalnum() or before.text[-1] in _BEHIND
    return same and told and sign.text[0].isalnum()


def _set_apart(
    signs: Sequence[PrintedCharacter], gaps: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """Yield start and end of the runs of signs with a gap on both sides of each."""
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
    """Return for the letter-spaced signs from ``start`` to ``end`` whether a blank precedes each
    after the first; empty if they are no words: a list of letters, figures, cells.
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
