"""Which sentences of a text ask, and what in it is quoted: card text is no part of what is asked."""

from __future__ import annotations

import re

from corpus.sentences import sentences
from corpus.spans import Span

# By their opening mark, so that the words between two quotations are none: „…“, “…”, «…», »…«, "…", ‚…‘, ‘…’.
_QUOTED = re.compile(
    r"„([^„“”\"]{2,}?)[“”\"]|“([^„“”]{2,}?)[”“]|«([^«»]{2,}?)»|»([^«»]{2,}?)«|\"([^\"]{2,}?)\"|‚([^‚‘’\n]{2,29})[‘’]|‘([^‘’\n]{2,29})’"
)
_WORD = re.compile(r"\w+")
_LONG = 30  # characters of quoted card text; what is shorter is mostly a name
_TEXT_WORDS = 6  # words of it; names of cards have fewer
_ASKING_WORDS = 3  # of an asking sentence without its quotation; with fewer words it asks about the quotation


def quoted_spans(text: str) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """The spans of long quotations in ``text``, without their marks, and the texts of short ones, such as names."""
    texts, names = [], []
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        inside = text[start:end]
        if end - start >= _LONG and len(inside.split()) >= _TEXT_WORDS and "\n\n" not in inside:
            texts.append(Span(start, end))
        elif end - start < _LONG and "\n" not in inside:
            names.append(inside)
    return tuple(texts), tuple(dict.fromkeys(names))


def asking_spans(text: str, quotations: tuple[Span, ...]) -> tuple[Span, ...]:
    """The spans of the sentences of ``text`` that ask; those with a question mark in a quotation only where there is no other."""
    marked = [Span(start, end) for start, end in sentences(text) if "?" in text[start:end]]
    outside = [span for span in marked if "?" in without(text, span, quotations)]
    return tuple(outside or marked)


def asking_text(text: str, span: Span, quotations: tuple[Span, ...]) -> str:
    """The asking sentence at ``span`` of ``text`` without its ``quotations``; whole where it asks about nothing else."""
    bare = without(text, span, quotations).strip()
    return bare if len(_WORD.findall(bare)) >= _ASKING_WORDS else text[span[0] : span[1]].strip()


def without(text: str, span: Span, quotations: tuple[Span, ...]) -> str:
    """The text at ``span`` without the ``quotations`` in it, and without their marks."""
    start, end = span
    pieces, last = [], start
    for first, behind in quotations:
        if first < end and behind > start:
            pieces.append(text[last : max(first - 1, last)])
            last = max(last, min(behind + 1, end))
    return " ".join([*pieces, text[last:end]])
