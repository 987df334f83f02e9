"""Reads Markdown: CommonMark with tables, parsed by markdown-it-py; also makes list items of rule
numbers that CommonMark treats as text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from corpus.blocks import Block, BlockKind, Link, Span
from corpus.formats import TextFormat
from corpus.formats.contents import contents_lines, mark_contents
from corpus.formats.lines import (
    SourceLine,
    byte_order_mark,
    cell_at,
    front_matter,
    list_mark,
    piped_cells,
    span_of,
    trimmed,
    wrap_width,
)
from corpus.formats.plain import PlainReader
from corpus.languages import capitals

_NESTING = 60  # levels; each list or quotation counts as two
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_QUOTE = re.compile(r"(?:>\s{0,3})+")
_DEFINITION = re.compile(
    r"\[(?!\^)[^\[\]]{1,300}\]:"
    r"\s*(?:<|#|\.{0,2}/|\w+://|mailto:|\S+\.\w{2,5}(?:#\S*)?(?:\s|\Z))"
)
_SIGNS = re.compile(r"[-=:|+*_~#>\s]*|\{\{TOC\}\}|\[TOC\]|\[\[_TOC_\]\]", re.IGNORECASE)
_TAGGED = re.compile(r"<(?P<tag>h[1-6]|li|tr)\b[^<>]{0,200}>.*", re.IGNORECASE)
_TAGGED_CELL = re.compile(r"<t[dh]\b[^<>]{0,200}>(?P<cell>(?:(?!</?t[dhr]\b).)*)", re.IGNORECASE)
_EVIDENCE = (
    (3.0, re.compile(r"^ {0,3}(?:#{1,6}[ \t]+|#{2,6}(?!#))\S", re.MULTILINE)),
    (2.0, re.compile(r"\]\((?:#|https?://|/|\.)[^()\s]{1,300}\)")),
    (1.0, re.compile(r"\*\*(?=\S)[^*\n]{1,200}\*\*")),
    (3.0, re.compile(r"^\s{0,3}\|?(?:\s{0,3}:?-{3,}:?\s{0,3}\|){1,50}", re.MULTILINE)),
    (2.0, re.compile(r"^ {0,3}(?:```|~~~)\w{0,20}\s*$", re.MULTILINE)),
    (0.5, re.compile(r"</?(?:a|b|i|em|strong|span|br|p|div|img)\b[^<>\n]{0,200}>", re.IGNORECASE)),
)
# "##Setup", as old Markdown has it; then "#Rules" is a heading too
_CLOSE_HEADINGS = re.compile(r"^ {0,3}#{2,6}(?=[^\s#])", re.MULTILINE)
_CLOSE_SIGNS = re.compile(
    rf"^( {{0,3}}(?:#{{2,6}}(?=[^\s#])|#(?=[§\d{capitals()}])))", re.MULTILINE
)
_LEAVES = ("heading_open", "paragraph_open", "fence", "html_block", "hr", "tr_open")

_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)")
_INLINE = re.compile(
    r"(?<!\\)\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\[\]]{0,80}\]){1,300})\]"
    r"\(\s*<?(?P<target>[^()\s<>]{1,500}(?:\([^()\s]{0,80}\))?)[^()]{0,200}\)"
)
_REFERENCE = re.compile(
    r"(?<![\\\]])\[(?P<text>[^\[\]]{1,300})\](?:\s?\[(?P<label>[^\[\]]{0,200})\])?(?![(:])"
)
_AUTO = re.compile(r"<(?P<text>(?P<target>https?://[^<>\s]{1,500}))>")
_TAG = re.compile(
    r"<a\s[^<>]{0,200}?href\s?=\s?[\"']?(?P<target>[^\"'<>\s]{1,500})[\"']?[^<>]{0,200}>"
    r"(?P<text>[^<>]{1,300})</a>",
    re.IGNORECASE,
)
_ANCHOR = re.compile(
    r"<[a-z][a-z0-9]{0,10}\s[^<>]{0,200}?\b(?:id|name)\s?=\s?[\"']?([^\"'<>\s]{1,200})",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"\{[^{}]{0,100}?#([\w:.-]{1,100})[^{}]{0,100}\}\s*+#*+\s*+\Z")
_LABEL = re.compile(r"\[([\w:.-]{1,100})\]\s*+#*+\s*+\Z")  # MultiMarkdown label after a heading
_TAGS = re.compile(r"</?[a-zA-Z][^<>]{0,300}>|<!--.{0,1000}?-->", re.DOTALL)
_STRONG = re.compile(
    r"(\*\*|__)(?=\S)(?:(?!\1).){1,2000}\1|<(b|strong)\b[^<>]{0,100}>(?:(?!</?\2\b).){1,2000}</\2>",
    re.DOTALL | re.IGNORECASE,
)
_EMPHASIS = re.compile(
    r"(?<![*\w])\*(?=[^\s*])[^*]{1,2000}\*(?![*\w])|(?<![_\w])_(?=[^\s_])[^_]{1,2000}_(?![_\w])"
    r"|<(i|em)\b[^<>]{0,100}>(?:(?!</?\1\b).){1,2000}</\1>",
    re.DOTALL | re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W_]")


def _score(text: str) -> float:
    found = sum(weight * len(pattern.findall(text)) for weight, pattern in _EVIDENCE)
    return found / (found + 4 + text.count("\n") / 100)


@cache
def _parser() -> MarkdownIt:
    """Return the parser. Indented text is not code, because rulebooks indent numbers."""
    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING})
    return parser.enable("table").disable(["code", "inline"])


class _Leaf(NamedTuple):
    """A block of Markdown: lines ``first`` to ``end`` (exclusive), within ``depth`` lists; ``item``
    says that it begins a list item.
    """

    kind: str
    first: int
    end: int
    depth: int
    item: bool
    level: int
    underlined: bool
    table: int
    header: bool


def _leaves(tokens: Sequence[Token]) -> Iterator[_Leaf]:
    depth, begun = 0, list[int]()  # first lines of list items without text so far
    table = 0
    header = False
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type in ("list_item_open", "list_item_close"):
            begun = [*begun, token.map[0]] if token.map else []
        elif token.type == "table_open":
            table += 1
        elif token.type in ("thead_open", "tbody_open"):
            header = token.type == "thead_open"
        elif token.map and token.type in _LEAVES:
            first, end = token.map
            kind = token.type.removesuffix("_open")
            yield _Leaf(
                kind,
                first,
                end,
                depth=depth - max(begun.count(first) - 1, 0),  # "- 1. text" is one item
                item=bool(begun),
                level=int(token.tag[1]) if kind == "heading" else 0,
                underlined=token.markup[:1] in ("=", "-"),
                table=table,
                header=header,
            )
            begun = []


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of ``text``. Lines that are only underlines, code fences, horizontal rules
    or link definitions are furniture.
    """
    return _Reader(text).blocks()


class _Reader:
    def __init__(self, text: str):
        self._text = text
        self._body = front_matter(text) or int(text.startswith("\ufeff"))  # start of the Markdown
        self._lines = list(_lines(text, self._body))
        self._width = wrap_width(self._lines)
        self._contents = contents_lines(
            [line._replace(text=_bare(line.text)) for line in self._lines]
        )

    def blocks(self) -> tuple[Block, ...]:
        environment: dict[str, Mapping[str, Mapping[str, str]]] = {}
        source = re.sub(r"[^\r\n]", " ", self._text[: self._body]) + self._text[self._body :]
        if _CLOSE_HEADINGS.search(source):
            source = _CLOSE_SIGNS.sub(r"\1 ", source)  # the parser only provides line numbers
        leaves = list(_leaves(_parser().parse(source, environment)))
        definitions = environment.get("references", {})
        targets = {_label(name): each["href"] for name, each in definitions.items()}
        # Link targets are replaced with blanks, which keeps the spans.
        read = _INLINE.sub(lambda link: f"[{link['text']}]".ljust(len(link.group())), self._text)
        return mark_contents(tuple(self._with_signs(self._divided(leaves), targets)), read)

    def _divided(self, leaves: Sequence[_Leaf]) -> Iterator[Block]:
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
                yield from self._blocks_of(leaf._replace(first=first, end=end))
            at = max(at, end)
        yield from self._between(at, len(self._lines))

    def _between(self, first: int, end: int) -> Iterator[Block]:
        """Yield lines outside Markdown blocks: link definitions, empty items, table separators."""
        for line in self._lines[first:end]:
            if line.text:
                nothing = line.end <= self._body or _SIGNS.fullmatch(line.text)
                nothing = nothing or _DEFINITION.match(line.text)
                yield Block(line.span, BlockKind.FURNITURE if nothing else BlockKind.PARAGRAPH)

    def _blocks_of(self, leaf: _Leaf) -> Iterator[Block]:
        lines = self._lines[leaf.first : leaf.end]
        if leaf.kind == "heading":
            underlined = leaf.underlined and any(line.text for line in lines[:-1])
            title = lines[:-1] if underlined else lines
            mark = list_mark(title[0].text.lstrip("#").lstrip())
            number = mark.text if mark and mark.numbered else ""
            empty = not "".join(line.text for line in title).strip("#> \t")
            kind = BlockKind.FURNITURE if empty else BlockKind.HEADING
            yield Block(span_of(title), kind, 0 if empty else leaf.level, number)
            if underlined:
                yield Block(lines[-1].span, BlockKind.FURNITURE)
        elif leaf.kind == "paragraph":
            yield from self._paragraph(leaf, lines)
        elif leaf.kind == "html_block":
            yield from _tagged(lines)
        elif leaf.kind == "fence":
            for at, line in enumerate(lines):
                fence = re.match(r"(?:```|~~~)", line.text.lstrip("-*+ \t"))
                if at in (0, len(lines) - 1) and fence:
                    yield Block(line.span, BlockKind.FURNITURE)
                elif line.text:
                    yield Block(line.span, BlockKind.CODE, indent=float(line.indent))
        elif leaf.kind == "tr":
            cells = piped_cells(lines[0])
            yield Block(
                span_of(lines), BlockKind.ROW, table=leaf.table, cells=cells, header=leaf.header
            )
        else:
            yield Block(span_of(lines), BlockKind.FURNITURE)

    def _paragraph(self, leaf: _Leaf, lines: Sequence[SourceLine]) -> Iterator[Block]:
        if all(_SIGNS.fullmatch(line.text) for line in lines):
            yield Block(span_of(lines), BlockKind.FURNITURE)
            return
        contents = {at - leaf.first for at in range(leaf.first, leaf.end) if at in self._contents}
        for block in PlainReader(lines, self._width, contents, joined=True).blocks():
            if block.kind is BlockKind.ITEM:
                yield replace(block, level=block.level + leaf.depth - (1 if leaf.item else 0))
            else:
                yield block

    def _with_signs(self, made: Iterator[Block], targets: Mapping[str, str]) -> Iterator[Block]:
        """Yield the blocks with their links, anchors and emphasis; an anchor outside of blocks
        belongs to the next block.
        """
        slugs: Counter[str] = Counter()
        waiting: tuple[str, ...] = ()
        for block in made:
            text = self._text[block.span.start : block.span.end]
            heading = block.kind is BlockKind.HEADING
            anchors = [*waiting, *dict.fromkeys(_anchors(text, heading))]
            if block.kind is BlockKind.FURNITURE or (not heading and _only_tags(text)):
                waiting = tuple(anchors)
                yield replace(block, kind=BlockKind.FURNITURE)
                continue
            waiting = ()
            title = _title(text) if heading else ""
            if heading and (slug := _slug(title, slugs)):
                anchors.append(slug)
            bold, italic = _emphasis(title or _behind_mark(text, block.mark))
            code = block.kind is BlockKind.CODE
            yield replace(
                block,
                anchors=tuple(dict.fromkeys(anchors)),
                links=() if code else _links(text, block.span.start, targets),
                bold=bold,
                italic=italic,
            )


def _lines(text: str, body: int) -> Iterator[SourceLine]:
    """Yield the lines of ``text`` as Markdown splits them; quotation markers (">") are in their
    span but not in their ``text``.
    """
    for match in _LINE.finditer(text):
        start = match.start()
        if body == 1:  # after a byte order mark
            start = max(start, min(body, match.end()))
        line = trimmed(text[start : match.end()], start)
        quote = _QUOTE.match(line.text)
        if quote and quote.end() < len(line.text):
            line = line._replace(text=line.text[quote.end() :])
        yield line


def _tagged(lines: Sequence[SourceLine]) -> Iterator[Block]:
    """Yield one block per line of HTML: a heading, list item, table row or paragraph."""
    for line in lines:
        match = _TAGGED.match(line.text)
        tag = match["tag"].lower() if match else ""
        if tag.startswith("h"):
            yield Block(line.span, BlockKind.HEADING, int(tag[1]))
        elif tag == "li":
            yield Block(line.span, BlockKind.ITEM, 1)
        elif tag == "tr":
            cells = tuple(
                cell_at(line.text[slice(*match.span("cell"))], line.start + match.start("cell"))
                for match in _TAGGED_CELL.finditer(line.text)
            )
            header = "<td" not in line.text.lower() or None
            table = lines[0].start + 1
            yield Block(line.span, BlockKind.ROW, table=table, cells=cells, header=header)
        elif line.text:
            yield Block(line.span)


def _links(part: str, offset: int, targets: Mapping[str, str]) -> tuple[Link, ...]:
    """Return the links in ``part``, which begins at ``offset``, in order; ``targets`` are the
    targets of link definitions by label (`_label`).
    """
    if "[" not in part and "<" not in part:
        return ()
    part = _CODE.sub(lambda match: " " * len(match.group()), part)
    led = [
        (match, match["target"])
        for pattern in (_INLINE, _AUTO, _TAG)
        for match in pattern.finditer(part)
        if match.start() == 0 or part[match.start() - 1] != "!"  # a picture
    ]
    if targets:
        labels = (
            (each, _label(each["label"] or each["text"])) for each in _REFERENCE.finditer(part)
        )
        led += [(match, targets[name]) for match, name in labels if targets.get(name)]
    found = sorted(
        Link(
            Span(offset + match.start("text"), offset + match.end("text")),
            unquote(target) if target.startswith("#") else target,
        )
        for match, target in led
    )
    return tuple(
        link
        for at, link in enumerate(found)
        if at == 0 or link.span.start >= found[at - 1].span.end
    )


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _anchors(text: str, heading: bool) -> list[str]:
    found: list[str] = _ANCHOR.findall(text)
    if heading:
        behind = (pattern.search(text[-300:]) for pattern in (_ATTRIBUTE, _LABEL))
        found += [match.group(1) for match in behind if match]
    return found


def _bare(text: str) -> str:
    return _TAGS.sub("", _INLINE.sub(lambda match: match["text"], text))


def _only_tags(text: str) -> bool:
    return not _LETTER.search(_TAGS.sub("", text)) and bool(_TAGS.search(text))


def _title(text: str) -> str:
    """Return the heading ``text`` without "#" signs, list mark and attributes."""
    text = re.sub(r"^[\s>]*+(?:[-*+]\s+|\d+[.)]\s+)?#{1,6}\s*+|(?<!\s)\s+#+\s*$", "", text)
    return re.sub(r"\{[^{}]{0,200}\}\s*$", "", text).strip()


def _slug(title: str, used: Counter[str]) -> str:
    """Return the anchor that GitHub generates for a heading; "" without letters and numbers."""
    plain = re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", _bare(title)).strip().lower()
    slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
    used[slug] += 1
    return f"{slug}-{used[slug] - 1}" if used[slug] > 1 else slug


def _behind_mark(text: str, mark: str) -> str:
    at = text.find(mark, 0, 200) if mark else -1
    if at == 0:
        return text[len(mark) :].lstrip("*_")
    return text if at < 0 else text[:at] + text[at + len(mark) :]


def _emphasis(text: str) -> tuple[bool, bool]:
    if not any(sign in text for sign in "*_<"):
        return False, False
    strong = _STRONG.sub("", text)
    bold = strong != text and not _LETTER.search(_TAGS.sub("", strong))
    inner = re.sub(r"\*\*|__", "", text)
    slanted = _EMPHASIS.sub("", inner)
    return bold, slanted != inner and not _LETTER.search(_TAGS.sub("", slanted))


MARKDOWN = TextFormat("markdown", _score, blocks)
