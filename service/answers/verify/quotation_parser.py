"""Quotations and markers in a text somebody wrote: block quotes, and what `.inline_quotations`
finds between marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from corpus.model import Span
from service.answers.verify.inline_quotations import InlineParser, IsPrinted
from service.answers.verify.quotation_model import Form, Marker, Quotation

_MARKER = re.compile(r"\\?\[(r:[^\[\]\s]{1,80}?)\\?\]")
_LIST = r"(?:[ \t]*+(?:[-+*•]|\d{1,3}[.)])[ \t]++)"  # a block quote may stand in an item of a list
_SIGN = r"[ \t]*+(?:>|&gt;)"
_QUOTED = re.compile(rf"(?m)^{_SIGN}.*(?:\n{_SIGN}.*)*")
_LISTED = re.compile(rf"(?m)^{_LIST}++{_SIGN}.*(?:\n{_SIGN}.*)*")
# Markdown takes a line without the sign for quoted where the sentence goes on in it.
_LAZY = re.compile(r"\n[ \t]{0,3}[^\W\d_A-ZÄÖÜ][^\n]*")
_UNFINISHED = re.compile(r"[^\W_,;-][ \t]*\Z|[,;-][ \t]*\Z")
_FENCE = re.compile(r"(?m)^ {0,3}(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n]*)$")
_HTML = re.compile(
    r"(?is)(?:<blockquote(?:\s[^<>]*)?>|\[quote[^\[\]\n]*\])(?P<quoted>.*?)"
    r"(?:</blockquote\s*>|\[/quote\]|(?=<blockquote[\s>])|\n\s*\n\s*\n|\Z)"
)
_ATTRIBUTION = re.compile(
    rf"(?:^|\n)(?:{_SIGN})?[ \t>]*+[—–][^\n]*\Z|<(?P<tag>cite|footer)\b[^<>]*>[^<>]*</(?P=tag)>\s*\Z"
)
# What may stand beside a quotation between marks in a block quote: words that lead in to it, and in
# brackets where it is from.
_BESIDE = re.compile(
    r"[\s>*_]*+(?:[^.!?\n]{0,80}:)?[\s>*_]*+(?:\([^()\n]*\)|\[[^\[\]\n]*\])?[\s.*_]*+"
)
_FIRST = re.compile(rf"(?:{_LIST}*+(?:{_SIGN})++)?+\s*+(?:\[![A-Za-z]+\][^\n]*\n[\s>]*)?")


def parse_markers(text: str) -> list[Marker]:
    """Return the citation markers in ``text``, in order."""
    return [Marker(m.group(1).replace("\\", ""), *m.span()) for m in _MARKER.finditer(text)]


def parse_quotations(text: str, is_printed: IsPrinted) -> list[Quotation]:
    """Return the quotations in ``text``, in order, without those inside others.

    ``is_printed`` says of a span of ``text`` whether its words are printed so: of several marks
    that could close a quotation that one is taken with which it is. A quotation that is never
    closed reaches to the end of its paragraph.
    """
    blocks = _apart(
        [_block(text, *m.span("quoted"), *m.span(), Form.QUOTED) for m in _HTML.finditer(text)]
    )
    blocks = _apart([*blocks, *_fenced(text)])
    blocks = _apart([*blocks, *_lines(text, _QUOTED)])
    listed = [
        block
        for block in _lines(text, _LISTED)
        if not any(_overlap(block, each) for each in blocks)
    ]
    inline = InlineParser(text, is_printed)
    if listed:  # unless the list is quoted, and its rulebook prints such a sign
        around = _between(text, inline, blocks)
        listed = [
            block
            for block in listed
            if not any(q.outer.start < block.outer.start < q.outer.end for q in around)
        ]
    blocks = _apart([*blocks, *listed])
    found = [
        *(_with_inner(text, block, inline) for block in blocks),
        *_between(text, inline, blocks),
    ]
    return sorted(
        (q for q in found if text[q.span.start : q.span.end].strip()), key=lambda q: q.span
    )


def _between(text: str, inline: InlineParser, blocks: list[Quotation]) -> list[Quotation]:
    """Return the quotations outside of ``blocks``."""
    found, last = [], 0
    for start, end in [*(block.outer for block in blocks), Span(len(text), len(text))]:
        found += inline.parse(last, start)
        last = end
    return found


def _apart(blocks: list[Quotation]) -> list[Quotation]:
    """Return ``blocks`` in order, without those that begin in another."""
    found: list[Quotation] = []
    for block in sorted(blocks, key=lambda each: each.outer):
        if not found or not _overlap(found[-1], block):
            found.append(block)
    return found


def _overlap(one: Quotation, other: Quotation) -> bool:
    return one.outer.start < other.outer.end and other.outer.start < one.outer.end


def _fenced(text: str) -> Iterator[Quotation]:
    """Yield the blocks between fences: a fence ends with the next one of its sign that is as long
    and has nothing behind it.
    """
    fences = list(_FENCE.finditer(text))
    longest = {"`": 0, "~": 0}  # of those that may still close one
    closable = []
    for fence in reversed(fences):
        sign = fence["fence"][0]
        closable.append(longest[sign] >= len(fence["fence"]))
        if not fence["info"].strip(" \t"):
            longest[sign] = max(longest[sign], len(fence["fence"]))
    opening: re.Match[str] | None = None
    for fence, may_open in zip(fences, reversed(closable), strict=True):
        if opening is None:
            opening = fence if may_open else None
        elif fence["fence"].startswith(opening["fence"]) and not fence["info"].strip(" \t"):
            if fence.start() > opening.end() + 1:
                yield _block(
                    text,
                    opening.end() + 1,
                    fence.start() - 1,
                    opening.start(),
                    fence.end(),
                    Form.CODE,
                )
            opening = None


def _lines(text: str, pattern: re.Pattern[str]) -> list[Quotation]:
    """Return the block quotes whose lines have the sign for it."""
    found = []
    for match in pattern.finditer(text):
        start, end = match.span()
        lazy = _LAZY.match(text, end) if _UNFINISHED.search(match.group()) else None
        end = lazy.end() if lazy else end
        found.append(_block(text, start, end, start, end, Form.QUOTED))
    return found


def _without_empty_lines(quoted: str) -> str:
    """Return a block quote without lines at its end that have nothing but its sign."""
    while True:
        quoted = quoted.rstrip()
        before, _, last = quoted.rpartition("\n")
        if last.strip(" \t>") not in ("", "&gt;"):
            return quoted
        if not before:
            return ""
        quoted = before


def _with_inner(text: str, block: Quotation, inline: InlineParser) -> Quotation:
    """Return ``block`` with the quotation between marks in it where nothing else stands there but
    where it is from.
    """
    inner = inline.parse(*block.span)
    if len(inner) != 1 or inner[0].outer == block.span:
        return block
    beside = (
        text[block.span.start : inner[0].outer.start] + text[inner[0].outer.end : block.span.end]
    )
    return replace(block, inner=tuple(inner)) if _BESIDE.fullmatch(beside) else block


def _block(
    text: str, start: int, end: int, outer_start: int, outer_end: int, form: Form
) -> Quotation:
    """Return the block quote whose words stand from ``start`` to ``end``."""
    first = _FIRST.match(text, start, end)
    begin = first.end() if first else start
    last = max(begin, start + len(_without_empty_lines(text[start:end])))
    named = _ATTRIBUTION.search(text[begin:last])
    shorter = Span(begin, begin + named.start()) if named and named.start() else None
    return Quotation(Span(begin, last), Span(outer_start, outer_end), form, True, shorter)
