"""Splits passages that are too long: at examples first, then at lines and sentences, and at words
only if that is not enough.
"""

from __future__ import annotations

import re

from corpus.draft import DraftPassage
from corpus.languages import any_of
from corpus.model import Span
from corpus.sentences import sentences

LONGEST = 1500  # characters of a passage's text; the limit of the contract

_EXAMPLE = re.compile(
    rf"(?m)^[ \t]*(?:[-•]\s+)?[*_]{{0,3}}{any_of('labels.example', 'labels.for_example')}\b"
)


def split_passage(passage: DraftPassage, text: str) -> list[DraftPassage]:
    """Split ``passage`` into as few parts as possible of at most `LONGEST` characters each.

    It is cut at the split points that the layout's reader set and at examples, else at lines and
    sentences, else between words. Every character that is not white space is in exactly one part. A
    passage that is short enough is returned as it is. ``text`` is the text of the whole document.
    """
    if _length(passage.spans) <= LONGEST:
        return [passage]
    parts = _pack(_pieces(passage, text), {b for _, b in passage.spans}, text)
    return [
        DraftPassage(
            spans=spans,
            role=passage.role,
            depth=passage.depth,
            context=passage.context,
            insertions={
                o: s for o, s in passage.insertions.items() if any(a <= o < b for a, b in spans)
            },
        )
        for spans in parts
    ]


def _length(spans: list[Span]) -> int:
    return sum(b - a for a, b in spans) + len(spans) - 1


def _pieces(passage: DraftPassage, text: str) -> list[list[Span]]:
    """``passage`` cut at split points and examples; pieces that are still too long are cut at
    lines, sentences and words.
    """
    cuts = set(passage.split_points)
    for a, b in passage.spans:
        cuts.update(m.start() for m in _EXAMPLE.finditer(text, a, b))
    pieces: list[list[Span]] = []
    for group in _cut(passage.spans, sorted(cuts), text):
        if _length(group) <= LONGEST:
            pieces.append(group)
            continue
        for span in group:
            ends = [span.start + b for _, b in sentences(text[span.start : span.end])]
            for sentence in _cut([span], ends[:-1], text):
                pieces += (
                    [sentence]
                    if _length(sentence) <= LONGEST
                    else [[s] for s in _words(sentence[0], text)]
                )
    return pieces


def _cut(spans: list[Span], cuts: list[int], text: str) -> list[list[Span]]:
    """``spans`` cut at the offsets ``cuts``, into pieces without white space at their ends."""
    groups: list[list[Span]] = [[]]
    for start, end in spans:
        for cut in [c for c in cuts if start < c < end]:
            groups[-1].append(Span(start, cut))
            groups.append([])
            start = cut
        if start in cuts and groups[-1]:
            groups.append([])
        groups[-1].append(Span(start, end))
    return [trimmed for group in groups if (trimmed := _trimmed(group, text))]


def _trimmed(spans: list[Span], text: str) -> list[Span]:
    result = []
    for start, end in spans:
        piece = text[start:end]
        start, end = (
            start + len(piece) - len(piece.lstrip()),
            end - (len(piece) - len(piece.rstrip())),
        )
        if start < end:
            result.append(Span(start, end))
    return result


def _words(span: Span, text: str) -> list[Span]:
    """``span`` cut between words; a word is cut only if it is longer than `LONGEST`."""
    cuts, start = [], span.start
    while span.end - start > LONGEST:
        blank = max(
            text.rfind(" ", start + 1, start + LONGEST),
            text.rfind("\n", start + 1, start + LONGEST),
        )
        cut = blank if blank > start else start + LONGEST
        cuts.append(Span(start, cut))
        start = cut
    cuts.append(Span(start, span.end))
    return _trimmed(cuts, text)


def _pack(pieces: list[list[Span]], torn: set[int], text: str) -> list[list[Span]]:
    """Join neighbouring ``pieces`` into parts of at most `LONGEST` characters; ``torn`` are the
    offsets where spans of the passage end.
    """
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
    """The spans of both pieces; the spans where they meet become one if only a line end and an
    indentation lie between them.
    """
    between = text[left[-1].end : right[0].start]
    if not between.strip() and (left[-1].end not in torn or between.count("\n") <= 1):
        return [*left[:-1], Span(left[-1].start, right[0].end), *right[1:]]
    return [*left, *right]
