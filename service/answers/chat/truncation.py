"""Quotations cut to a length: whole sentences first, those that answer before the others, every cut
shown as […].
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from corpus.model import Span
from corpus.sentences import sentences
from service.answers.chat.markup import StyledText

CUT = "[…]"


def truncate(
    text: str, marks: Sequence[Span], fits: Callable[[list[StyledText]], bool]
) -> tuple[list[StyledText], bool]:
    """Return ``text`` with ``marks`` bold, cut until it ``fits``, and whether it was cut.

    The sentences with marks, which answer, are taken first, then those nearest to them; they stay
    in the order of print. Where the first that answers is too long by itself, it ends at a word.
    """

    def select(numbers: Iterable[int]) -> list[StyledText]:
        return _with_omissions(text, [pieces[n] for n in sorted(numbers)], marks)

    whole = _with_omissions(text, [Span(0, len(text))], marks)
    if fits(whole):
        return whole, False
    pieces = [Span(start, end) for start, end in sentences(text)]
    answering = [
        n
        for n, piece in enumerate(pieces)
        if any(a < piece.end and piece.start < b for a, b in marks)
    ] or [0]
    first = answering[0]
    if not fits(select([first])):
        return _truncate_sentence(text, pieces[first], marks, fits), True
    selected = {first}
    for n in answering[1:]:
        if fits(select({*selected, n})):
            selected.add(n)
    others = [n for n in range(len(pieces)) if n not in answering]
    for n in sorted(others, key=lambda n: (min(abs(n - a) for a in answering), n < first)):
        if not fits(select({*selected, n})):
            break
        selected.add(n)
    return select(selected), True


def _truncate_sentence(
    text: str, sentence: Span, marks: Sequence[Span], fits: Callable[[list[StyledText]], bool]
) -> list[StyledText]:
    """Return as many words of a sentence as fit; the sign of the cut alone where not even one
    does.
    """
    ends = [
        sentence.start + match.end()
        for match in re.finditer(r"\S+", text[sentence.start : sentence.end])
    ]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_with_omissions(text, [Span(sentence.start, ends[middle - 1])], marks)):
            low = middle
        else:
            high = middle - 1
    return (
        _with_omissions(text, [Span(sentence.start, ends[low - 1])], marks)
        if low
        else [StyledText(CUT)]
    )


def _with_omissions(text: str, selected: Sequence[Span], marks: Sequence[Span]) -> list[StyledText]:
    """Return the ``selected`` spans of ``text``; […] stands for what is left out, in the line where
    it would have stood.
    """
    texts: list[StyledText] = []
    last = 0
    for start, end in selected:
        between = text[last:start]
        if between.strip():
            lead = "" if not texts else "\n" if text[last : last + 1] == "\n" else " "
            texts.append(
                StyledText(
                    f"{lead}{CUT}" + ("\n" if "\n" in between[len(between.rstrip()) :] else " ")
                )
            )
        elif texts:
            texts.append(StyledText(between))
        texts += _split_at_marks(text, start, end, marks)
        last = end
    if text[last:].strip():
        texts.append(StyledText(f" {CUT}"))
    return texts


def _split_at_marks(text: str, start: int, end: int, marks: Sequence[Span]) -> list[StyledText]:
    """Return the text from ``start`` to ``end``, split where marks begin and end."""
    texts, at = [], start
    for a, b in sorted(marks):
        a, b = max(a, at), min(b, end)
        if a < b:
            texts += [StyledText(text[at:a]), StyledText(text[a:b], bold=True)]
            at = b
    texts.append(StyledText(text[at:end]))
    return [each for each in texts if each.text]
