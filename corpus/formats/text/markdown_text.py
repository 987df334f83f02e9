"""Markdown: CommonMark with tables, its blocks by markdown-it-py; numbers that CommonMark takes for
text make items too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from corpus.blocks import Block, BlockKind
from corpus.formats.format import TextFormat
from corpus.formats.shared.contents_lists import mark_contents
from corpus.formats.text import markdown_signs
from corpus.formats.text.front_matter import front_matter
from corpus.formats.text.list_marks import list_mark
from corpus.formats.text.plain import PlainReader
from corpus.formats.text.printed_contents import contents_lines
from corpus.formats.text.source_lines import SourceLine, byte_order_mark, trimmed, wrap_width
from corpus.spans import Span

_NESTING = 60  # of lists and quotations, each of which counts twice
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_QUOTE = re.compile(r"(?:>\s{0,3})+")
_DEFINITION = re.compile(
    r"\[(?!\^)[^\[\]]{1,300}\]:\s*(?:<|#|\.{0,2}/|\w+://|mailto:|\S+\.\w{2,5}(?:#\S*)?(?:\s|\Z))"
)
_SIGNS = re.compile(r"[-=:|+*_~#>\s]*|\{\{TOC\}\}|\[TOC\]|\[\[_TOC_\]\]", re.IGNORECASE)
_TAGGED_HEADING = re.compile(r"<h([1-6])\b[^<>]{0,200}>.*", re.IGNORECASE)
_TAGGED_ITEM = re.compile(r"<li\b[^<>]{0,200}>.*", re.IGNORECASE)
_TAGGED_ROW = re.compile(r"<tr\b[^<>]{0,200}>.*", re.IGNORECASE)
_EVIDENCE = (
    (3.0, re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)),
    (2.0, re.compile(r"\]\((?:#|https?://|/|\.)[^()\s]{1,300}\)")),
    (1.0, re.compile(r"\*\*(?=\S)[^*\n]{1,200}\*\*")),
    (3.0, re.compile(r"^\s{0,3}\|?(?:\s{0,3}:?-{3,}:?\s{0,3}\|){1,50}", re.MULTILINE)),
    (2.0, re.compile(r"^ {0,3}(?:```|~~~)\w{0,20}\s*$", re.MULTILINE)),
    (0.5, re.compile(r"</?(?:a|b|i|em|strong|span|br|p|div|img)\b[^<>\n]{0,200}>", re.IGNORECASE)),
)


def score(text: str) -> float:
    """How many signs of Markdown ``text`` has, for its length."""
    found = sum(weight * len(pattern.findall(text)) for weight, pattern in _EVIDENCE)
    return found / (found + 4 + text.count("\n") / 100)


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of ``text``. Lines that only underline, fence, divide or define are furniture."""
    return MarkdownReader(text).blocks()


@cache
def _parser() -> MarkdownIt:
    """Indented text is no code: rulebooks indent numbers."""
    return (
        MarkdownIt("commonmark", {"maxNesting": _NESTING})
        .enable("table")
        .disable(["code", "inline"])
    )


class _Leaf(NamedTuple):
    """Lines ``first`` to ``end`` (exclusive) that are one block of Markdown, within ``depth``
    lists; it may begin an ``item``.
    """

    kind: str
    first: int
    end: int
    depth: int
    item: bool
    level: int = 0
    underlined: bool = False
    header: tuple[int, int] | None = None


def _leaves(tokens: Sequence[Token]) -> Iterator[_Leaf]:
    """The blocks of Markdown that have no others in them, in the order of their lines."""
    depth, begun = 0, list[int]()  # the lines at which the items begin that have no text yet
    header: tuple[int, int] | None = None
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type in ("list_item_open", "list_item_close"):
            begun = [*begun, token.map[0]] if token.map else []
        elif token.type == "table_open":
            header = None
        elif token.map and token.type in (
            "heading_open",
            "paragraph_open",
            "fence",
            "html_block",
            "hr",
            "tr_open",
        ):
            first, end = token.map
            kind = token.type.removesuffix("_open")
            if kind == "tr":
                header = header or (first, end)
            level = int(token.tag[1]) if kind == "heading" else 0
            marks = begun.count(first)  # "- 1. text" is one item
            inner = depth - max(marks - 1, 0)
            yield _Leaf(
                kind,
                first,
                end,
                inner,
                bool(begun),
                level,
                token.markup[:1] in ("=", "-"),
                header if kind == "tr" else None,
            )
            begun = []


class MarkdownReader:
    """Makes the blocks of one text."""

    def __init__(self, text: str):
        self._text = text
        self._body = front_matter(text) or int(text.startswith("\ufeff"))  # where Markdown begins
        self._lines = list(_source_lines(text, self._body))
        self._width = wrap_width(self._lines)
        self._contents = contents_lines(
            [line._replace(text=markdown_signs.bare(line.text)) for line in self._lines]
        )

    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in their order."""
        environment: dict[str, Mapping[str, Mapping[str, str]]] = {}
        source = re.sub(r"[^\r\n]", " ", self._text[: self._body]) + self._text[self._body :]
        leaves = list(_leaves(_parser().parse(source, environment)))
        targets = {
            markdown_signs.label(name): each["href"]
            for name, each in environment.get("references", {}).items()
        }
        return mark_contents(
            tuple(self._with_signs(self._divided(leaves), targets)),
            markdown_signs.without_targets(self._text),
        )

    def _divided(self, leaves: Sequence[_Leaf]) -> Iterator[Block]:
        """A block for each of ``leaves``, and for the lines between them."""
        at = 0
        if self._body == 1:
            yield from byte_order_mark(self._text)
        for leaf in leaves:
            yield from self._between(at, leaf.first)
            first, end = max(leaf.first, at), min(leaf.end, len(self._lines))
            while first < end and not self._lines[first].text:
                first += 1
            while first < end and not self._lines[end - 1].text:
                end -= 1
            if first < end:
                yield from self._leaf(leaf._replace(first=first, end=end))
            at = max(at, end)
        yield from self._between(at, len(self._lines))

    def _between(self, first: int, end: int) -> Iterator[Block]:
        """Lines that Markdown makes no block of: definitions of links, empty items, lines that
        divide the rows of tables.
        """
        for line in self._lines[first:end]:
            if line.text:
                nothing = (
                    line.end <= self._body
                    or _SIGNS.fullmatch(line.text)
                    or _DEFINITION.match(line.text)
                )
                yield Block(
                    Span(line.start, line.end),
                    BlockKind.FURNITURE if nothing else BlockKind.PARAGRAPH,
                )

    def _leaf(self, leaf: _Leaf) -> Iterator[Block]:
        lines = self._lines[leaf.first : leaf.end]
        if leaf.kind == "heading":
            yield from self._heading(leaf, lines)
        elif leaf.kind == "paragraph":
            yield from self._paragraph(leaf, lines)
        elif leaf.kind == "html_block":
            yield from _tagged(lines)
        elif leaf.kind == "fence":
            for at, line in enumerate(lines):
                if at in (0, len(lines) - 1) and re.match(
                    r"(?:```|~~~)", line.text.lstrip("-*+ \t")
                ):
                    yield Block(Span(line.start, line.end), BlockKind.FURNITURE)
                elif line.text:
                    yield Block(
                        Span(line.start, line.end), BlockKind.CODE, indent=float(line.indent)
                    )
        elif leaf.kind == "tr" and leaf.header:
            header = Span(self._lines[leaf.header[0]].start, self._lines[leaf.header[1] - 1].end)
            yield Block(_span(lines), BlockKind.ROW, header=header)
        else:
            yield Block(_span(lines), BlockKind.FURNITURE)

    def _heading(self, leaf: _Leaf, lines: Sequence[SourceLine]) -> Iterator[Block]:
        """A heading, and the line below it if it is underlined."""
        title = lines[:-1] if leaf.underlined and any(line.text for line in lines[:-1]) else lines
        mark = list_mark(title[0].text.lstrip("#").lstrip())
        yield Block(
            _span(title), BlockKind.HEADING, leaf.level, mark.text if mark and mark.numbered else ""
        )
        if len(title) < len(lines):
            yield Block(_span(lines[-1:]), BlockKind.FURNITURE)

    def _paragraph(self, leaf: _Leaf, lines: Sequence[SourceLine]) -> Iterator[Block]:
        """The items and paragraphs of what Markdown takes for one paragraph."""
        if all(_SIGNS.fullmatch(line.text) for line in lines):
            yield Block(_span(lines), BlockKind.FURNITURE)
            return
        contents = {at - leaf.first for at in range(leaf.first, leaf.end) if at in self._contents}
        for block in PlainReader(lines, self._width, contents, joined=True).blocks():
            if block.kind is BlockKind.ITEM:
                yield replace(block, level=block.level + leaf.depth - (1 if leaf.item else 0))
            else:
                yield block

    def _with_signs(self, made: Iterator[Block], targets: Mapping[str, str]) -> Iterator[Block]:
        """The blocks with their links, anchors and emphasis. Anchors that stand alone are those of
        the next block.
        """
        slugs = markdown_signs.HeadingAnchors()
        waiting: tuple[str, ...] = ()
        for block in made:
            text = self._text[block.span.start : block.span.end]
            heading = block.kind is BlockKind.HEADING
            anchors = waiting + markdown_signs.anchors(text, heading)
            if block.kind is BlockKind.FURNITURE or (
                not heading and markdown_signs.only_anchors(text)
            ):
                waiting = anchors
                yield replace(block, kind=BlockKind.FURNITURE)
                continue
            waiting = ()
            title = _title(text) if heading else ""
            bold, italic = markdown_signs.emphasis(title or _behind_mark(text, block.mark))
            if heading and (slug := slugs.new(title)):
                anchors = (*anchors, slug)
            links = (
                ()
                if block.kind is BlockKind.CODE
                else markdown_signs.links(self._text, block.span, targets)
            )
            yield replace(
                block, anchors=tuple(dict.fromkeys(anchors)), links=links, bold=bold, italic=italic
            )


def _source_lines(text: str, body: int) -> Iterator[SourceLine]:
    """The lines of ``text`` as Markdown divides them; signs of quotations are in their span and not
    in their ``text``.
    """
    for match in _LINE.finditer(text):
        start = (
            max(match.start(), min(body, match.end())) if body == 1 else match.start()
        )  # behind a byte order mark
        line = trimmed(text[start : match.end()], start)
        quote = _QUOTE.match(line.text)
        if quote and quote.end() < len(line.text):
            line = line._replace(text=line.text[quote.end() :])
        yield line


def _span(lines: Sequence[SourceLine]) -> Span:
    """From the first to the last of ``lines`` that has text."""
    printed = [line for line in lines if line.text]
    return Span(printed[0].start, printed[-1].end)


def _title(text: str) -> str:
    """The heading ``text`` without signs and attributes around it."""
    text = re.sub(r"^[\s>]*+(?:[-*+]\s+|\d+[.)]\s+)?#{1,6}\s+|(?<!\s)\s+#+\s*$", "", text)
    return re.sub(r"\{[^{}]{0,200}\}\s*$", "", text).strip()


def _behind_mark(text: str, mark: str) -> str:
    at = text.find(mark, 0, 200) if mark else -1
    return (
        text[at + len(mark) :].lstrip("*_")
        if at == 0
        else text
        if at < 0
        else text[:at] + text[at + len(mark) :]
    )


def _tagged(lines: Sequence[SourceLine]) -> Iterator[Block]:
    """Blocks of tags, a line each; headings, items and rows of tables as such."""
    header: Span | None = None
    for line in lines:
        if not line.text:
            continue
        span = Span(line.start, line.end)
        if match := _TAGGED_HEADING.match(line.text):
            yield Block(span, BlockKind.HEADING, int(match.group(1)))
        elif _TAGGED_ITEM.match(line.text):
            yield Block(span, BlockKind.ITEM, 1)
        elif _TAGGED_ROW.match(line.text):
            header = header or span
            yield Block(span, BlockKind.ROW, header=header)
        else:
            yield Block(span)


MARKDOWN = TextFormat("markdown", score, blocks)
