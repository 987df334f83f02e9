"""Passages that are too long to read out divided: at examples first, then at lines, sentences and, if need be, words."""

from __future__ import annotations

import re

from corpus.draft import DraftPassage
from corpus.languages import any_of
from corpus.model import Span
from corpus.sentences import sentences

LONGEST = 1500  # characters of evidence; the contract's limit

_EXAMPLE = re.compile(rf"(?m)^[ \t]*(?:[-•]\s+)?[*_]{{0,3}}{any_of('labels.example', 'labels.for_example')}\b")


def split_passage(passage: DraftPassage, text: str) -> list[DraftPassage]:
    """``passage`` in parts of at most `LONGEST` characters, as few and as even to sense as can be; itself where it fits.

    Cuts are made at the reader's own marks and at examples, else at lines and sentences, else between words.
    Every character of the passage that is not white space is in exactly one part.
    """
    if _length(passage.spans) <= LONGEST:
        return [passage]
    parts = _pack(_pieces(passage, text), {b for _, b in passage.spans}, text)
    return [
        DraftPassage(
            spans,
            passage.role,
            passage.depth,
            {o: s for o, s in passage.insertions.items() if any(a <= o < b for a, b in spans)},
        )
        for spans in parts
    ]


def _length(spans: list[Span]) -> int:
    return sum(b - a for a, b in spans) + len(spans) - 1


def _pieces(passage: DraftPassage, text: str) -> list[list[Span]]:
    """The passage cut at marks and examples; what is still too long, at lines, sentences, words."""
    marks = set(passage.split_points)
    for a, b in passage.spans:
        marks.update(m.start() for m in _EXAMPLE.finditer(text, a, b))
    pieces: list[list[Span]] = []
    for group in _cut(passage.spans, sorted(marks), text):
        if _length(group) <= LONGEST:
            pieces.append(group)
            continue
        for span in group:
            ends = [span.start + b for _, b in sentences(text[span.start : span.end])]
            for sentence in _cut([span], ends[:-1], text):
                pieces += [sentence] if _length(sentence) <= LONGEST else [[s] for s in _words(sentence[0], text)]
    return pieces


def _cut(spans: list[Span], marks: list[int], text: str) -> list[list[Span]]:
    groups: list[list[Span]] = [[]]
    for start, end in spans:
        for mark in [m for m in marks if start < m < end]:
            groups[-1].append(Span(start, mark))
            groups.append([])
            start = mark
        if start in marks and groups[-1]:
            groups.append([])
        groups[-1].append(Span(start, end))
    return [trimmed for group in groups if (trimmed := _trimmed(group, text))]


def _trimmed(spans: list[Span], text: str) -> list[Span]:
    result = []
    for start, end in spans:
        piece = text[start:end]
        start, end = start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))
        if start < end:
            result.append(Span(start, end))
    return result


def _words(span: Span, text: str) -> list[Span]:
    """``span`` cut between words, or anywhere where a single word is longer than a passage may be."""
    cuts, start = [], span.start
    while span.end - start > LONGEST:
        blank = max(text.rfind(" ", start + 1, start + LONGEST), text.rfind("\n", start + 1, start + LONGEST))
        cut = blank if blank > start else start + LONGEST
        cuts.append(Span(start, cut))
        start = cut
    cuts.append(Span(start, span.end))
    return _trimmed(cuts, text)


def _pack(pieces: list[list[Span]], torn: set[int], text: str) -> list[list[Span]]:
    """Neighbouring pieces put together again as long as they fit; ``torn`` is where the spans of the passage end."""
    parts: list[list[Span]] = []
    for piece in pieces:
        if parts:
            joined = _joined(parts[-1], piece, torn, text)
            if _length(joined) <= LONGEST:
                parts[-1] = joined
                continue
        parts.append(piece)
    return parts


def _joined(left: list[Span], right: list[Span], torn: set[int], text: str) -> list[Span]:
    """The spans of both, made one where nothing but a line's end and the indentation of a bullet stands between them."""
    between = text[left[-1].end : right[0].start]
    if not between.strip() and (left[-1].end not in torn or between.count("\n") <= 1):
        return [*left[:-1], Span(left[-1].start, right[0].end), *right[1:]]
    return [*left, *right]
