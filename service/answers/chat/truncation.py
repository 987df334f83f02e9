"""Quotations cut to a length: whole sentences first, those that answer before the others, every cut shown as […]."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from corpus.model import Span
from corpus.sentences import sentences
from service.answers.chat.markup import StyledText

CUT = "[…]"


def truncate(words: str, marks: Sequence[Span], fits: Callable[[list[StyledText]], bool]) -> tuple[list[StyledText], bool]:
    """``words`` with what answers (``marks``) set off, cut until it ``fits``; and whether it was cut.

    The sentences that answer are kept, then those nearest to them, in the order of print. Where the first that answers is
    too long by itself, it ends at a word.
    """
    whole = _with_omissions(words, [Span(0, len(words))], marks)
    if fits(whole):
        return whole, False
    pieces = [Span(a, b) for a, b in sentences(words)]
    answering = [n for n, piece in enumerate(pieces) if any(a < piece.end and piece.start < b for a, b in marks)] or [0]
    first = answering[0]
    if not fits(_with_omissions(words, [pieces[first]], marks)):
        return _truncate_sentence(words, pieces[first], marks, fits), True
    kept = {first}
    for n in answering[1:]:
        if fits(_with_omissions(words, [pieces[i] for i in sorted({*kept, n})], marks)):
            kept.add(n)
    others = [n for n in range(len(pieces)) if n not in answering]
    for n in sorted(others, key=lambda n: (min(abs(n - a) for a in answering), n < first)):
        more = sorted({*kept, n})
        if not fits(_with_omissions(words, [pieces[i] for i in more], marks)):
            break
        kept.add(n)
    return _with_omissions(words, [pieces[n] for n in sorted(kept)], marks), True


def _truncate_sentence(words: str, piece: Span, marks: Sequence[Span], fits: Callable[[list[StyledText]], bool]) -> list[StyledText]:
    """As many words of ``piece`` as fit; the sign of the cut alone where not even one does."""
    ends = [piece.start + m.end() for m in re.finditer(r"\S+", words[piece.start : piece.end])]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_with_omissions(words, [Span(piece.start, ends[middle - 1])], marks)):
            low = middle
        else:
            high = middle - 1
    return _with_omissions(words, [Span(piece.start, ends[low - 1])], marks) if low else [StyledText(CUT)]


def _with_omissions(words: str, kept: Sequence[Span], marks: Sequence[Span]) -> list[StyledText]:
    """The ``kept`` spans of ``words``, what is left out around and between them as […] in a line as it would have stood in."""
    runs: list[StyledText] = []
    last = 0
    for start, end in kept:
        between = words[last:start]
        if between.strip():
            lead = "" if not runs else "\n" if words[last : last + 1] == "\n" else " "
            runs.append(StyledText(f"{lead}{CUT}" + ("\n" if "\n" in between[len(between.rstrip()) :] else " ")))
        elif runs:
            runs.append(StyledText(between))
        runs += _split_at_marks(words, start, end, marks)
        last = end
    if words[last:].strip():
        runs.append(StyledText(f" {CUT}"))
    return runs


def _split_at_marks(words: str, start: int, end: int, marks: Sequence[Span]) -> list[StyledText]:
    """Words from ``start`` to ``end``, divided where marks begin and end; marked as a whole they are not set off."""
    runs, at = [], start
    for a, b in sorted(marks):
        a, b = max(a, at), min(b, end)
        if a < b:
            runs += [StyledText(words[at:a]), StyledText(words[a:b], True)]
            at = b
    runs.append(StyledText(words[at:end]))
    return [run for run in runs if run.text]
