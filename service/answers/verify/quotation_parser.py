"""Quotations and markers in a text somebody wrote: between quotation marks of any language, or in a Markdown block quote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from corpus.model import Span

_MARKER = re.compile(r"\\?\[(r:[^\[\]\s]{1,80}?)\\?\]")
_BLOCK = re.compile(r"(?m)^ {0,3}>.*(?:\n {0,3}>.*)*")
_ATTRIBUTION = re.compile(r"(?:^|\n) {0,3}>[ \t>]*[—–][^\n]*\Z")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SIGNS = re.compile('[„“”‟"«»‚‘’‹›]|' + _PARAGRAPH.pattern)
_CLOSED_BY = {"„": '“”‟"', "“": "”", "‟": "”", '"': '"', "«": "»", "»": "«", "‚": "‘’", "‘": "’", "‹": "›", "›": "‹"}


class Marker(NamedTuple):
    """A citation marker and where it stands, brackets included."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Quotation:
    """A quotation: its words stand at ``span``; ``outer`` is the same with quotation marks or block quote signs.

    ``without_attribution`` is the span without a last line that looks like the name of a source, None where there is no such line.
    """

    span: Span
    outer: Span
    block: bool
    without_attribution: Span | None = None


def parse_markers(text: str) -> list[Marker]:
    """Return the citation markers in ``text``, in order."""
    return [Marker(m.group(1).replace("\\", ""), *m.span()) for m in _MARKER.finditer(text)]


def parse_quotations(text: str) -> list[Quotation]:
    """Return the quotations in ``text``, in order, without those inside others; marks that are never closed quote nothing."""
    blocks = [_block(m) for m in _BLOCK.finditer(text)]
    found, last = list(blocks), 0
    for start, end in [*(block.outer for block in blocks), Span(len(text), len(text))]:
        found += _inline(text, last, start)
        last = end
    return sorted((q for q in found if text[q.span.start : q.span.end].strip()), key=lambda q: q.span)


def _block(match: re.Match[str]) -> Quotation:
    start, end = match.span()
    text = match.string
    first = re.compile(r"[ \t>]*").match(text, start)
    begin = first.end() if first else start
    last = max(begin, start + len(match.group().rstrip(" \t\n>")))
    named = _ATTRIBUTION.search(text[begin:last])
    shorter = Span(begin, begin + named.start()) if named and named.start() else None
    return Quotation(Span(begin, last), Span(start, end), True, shorter)


def _inline(text: str, start: int, end: int) -> list[Quotation]:
    """Return what stands between quotation marks from ``start`` to ``end``; the end of a paragraph drops what is still open."""
    found: list[Quotation] = []
    opened: list[tuple[str, int]] = []
    for match in _SIGNS.finditer(text, start, end):
        sign, at = match.group(), match.start()
        if len(sign) > 1:
            opened = []
            continue
        closes = next((n for n in range(len(opened) - 1, max(len(opened) - 5, -1), -1) if sign in _CLOSED_BY[opened[n][0]]), None)
        before, after = text[max(at - 1, start) : at], text[at + 1 : min(at + 2, end)]
        if closes is not None and not _opens_again(sign, before, after):
            span = Span(opened[closes][1] + 1, at)
            del opened[closes:]
            if not opened:
                while found and found[-1].span.start >= span.start:
                    found.pop()
                found.append(Quotation(span, Span(span.start - 1, at + 1), False))
        elif sign in _CLOSED_BY and (after.strip() or sign in "«‹") and not (sign in '‘"' and before.isalnum()):
            opened.append((sign, at))
    return found


def _opens_again(sign: str, before: str, after: str) -> bool:
    """Return whether a sign that could close is one that opens, or an apostrophe."""
    if sign in "’‘" and before.isalnum() and after.isalnum():
        return True
    return sign in '"«»‹›“' and (not before.strip() or before in "([") and after.strip() != "" and (after.isalnum() or after in "([„«‚*_")
