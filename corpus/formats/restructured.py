"""Reads reStructuredText: titles by their adornments, lists, tables, directives, targets and
references.

Lines are read like plain text, with the markup of the docutils reference. docutils itself is not
used because it reports neither the ends of blocks nor the positions of links. Directives are never
run, so nothing is included or fetched.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from corpus.blocks import Block, BlockKind, Link, Span
from corpus.formats import TextFormat
from corpus.formats.contents import contents_lines, mark_contents
from corpus.formats.lines import SourceLine, byte_order_mark, source_lines, wrap_width
from corpus.formats.plain import PlainReader

_ADORNED = re.compile(
    r"^[^\s=\-~^\"'#*+:.`_].{1,100}\n([=\-~^\"'#*+:.`_])\1{3,100}[ \t]*$", re.MULTILINE
)
_EVIDENCE = (
    (4.0, re.compile(r"^\s{0,12}\.\. (?:[\w:+-]{1,40}::|_[^\n:]{1,100}:)", re.MULTILINE)),
    (3.0, re.compile(r":(?:ref|doc|term|abbr|strong|emphasis):`[^`\n]{1,200}`")),
    (2.0, re.compile(r"(?<!`)`[^`\n]{1,200}`__?(?!\w)")),
    (2.0, re.compile(r"::[ \t]*$", re.MULTILINE)),
)
_EXPLICIT = re.compile(r"\.\.(?:\s|\Z)")  # begins a directive, a target, a footnote or a comment
_TARGET = re.compile(
    r"\.\. _(?:`(?P<quoted>[^`]{1,200})`|(?P<name>(?:[^:\\]|\\:){1,200})):(?:\s(?P<to>.*))?"
)
_DIRECTIVE = re.compile(
    r"\.\. (?:\|[^|]{1,100}\| )?(?P<name>[\w:+-]{1,60}?)::(?:\s(?P<argument>.*))?"
)
_NOTE = re.compile(r"\.\. \[[^\]]{1,60}\]\s")  # a footnote, which is text
_HIDDEN = {
    *("contents", "include", "raw", "image", "figure", "toctree", "index", "meta", "role"),
    *("default-role", "highlight", "sectnum"),
}
_CODE = {"code", "code-block", "sourcecode", "parsed-literal", "math", "literalinclude"}
_CLASSES = {"container", "class", "rst-class"}  # their arguments are not shown
_RUBRIC = re.compile(r"\.\. rubric::\s*(?=\S)")
_OPTION = re.compile(r":[\w -]{1,40}:(?:\s.*)?")
_PHRASE = re.compile(
    r":(?P<kind>ref|doc|term|any|numref):`(?P<role>[^`<]{1,200}?)(?:\s?<(?P<label>[^<>`]{1,200})>)?`"
    r"|(?<!`)`(?P<text>[^`<]{1,200}?)(?:\s?<(?P<to>[^<>`]{1,500})>)?`__?(?!\w)"
    r"|(?<![\w`<|/])(?P<word>[^\W_](?:[\w.-]{0,60}[^\W_])?)_(?![\w`])"
)
_STRONG = re.compile(r"\*\*(?=\S)[^*]{1,500}\*\*")
_EMPHASIS = re.compile(r"(?<!\*)\*(?=[^\s*])[^*]{1,2000}\*(?!\*)")
_LETTER = re.compile(r"[^\W_]")


def _score(text: str) -> float:
    """Return a score for the density of reStructuredText markup in ``text``. Markup that Markdown
    and plain text share counts only beside other markup.
    """
    found = sum(weight * len(pattern.findall(text)) for weight, pattern in _EVIDENCE)
    signs = [match.group(1) for match in _ADORNED.finditer(text)]
    found += 2 * sum(sign not in "=-" for sign in signs)
    if found:
        found += len(signs) + len(_STRONG.findall(text))
    return found / (found + 4 + text.count("\n") / 100)


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of ``text``. Adornments, comments, targets, and directives without output
    are furniture.
    """
    lines = list(source_lines(text))
    explicit = _explicit_lines(lines)
    targets = {_name(each.anchor): each.to for each in explicit.values() if each.to}
    furniture = {at for at, each in explicit.items() if each.furniture}
    reader = PlainReader(lines, wrap_width(lines), contents_lines(lines), furniture)
    by_start = {lines[at].start: each for at, each in explicit.items()}
    signed = _with_signs(text, reader.blocks(), by_start, targets)
    return mark_contents((*byte_order_mark(text), *signed), text)


class _Explicit(NamedTuple):
    """A line of explicit markup (".. "): without output (``furniture``), ``code``, or the
    definition of an ``anchor`` (for the address ``to``, if given).
    """

    furniture: bool = True
    code: bool = False
    anchor: str = ""
    to: str = ""


_SHOWN_CODE = _Explicit(furniture=False, code=True)


def _explicit_lines(lines: Sequence[SourceLine]) -> dict[int, _Explicit]:
    found: dict[int, _Explicit] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        if _EXPLICIT.match(line.text) and not _NOTE.match(line.text):
            at = _read_explicit(lines, at, found)
            continue
        if line.text.endswith("::"):
            if line.text == "::":
                found[at] = _Explicit()
            found |= dict.fromkeys(range(at + 1, _indented_until(lines, at)), _SHOWN_CODE)
        at += 1
    return found


def _read_explicit(lines: Sequence[SourceLine], at: int, found: dict[int, _Explicit]) -> int:
    """Add the lines of explicit markup at line ``at`` to ``found``, and return the next line."""
    end = _indented_until(lines, at)
    text = lines[at].text
    if match := _TARGET.fullmatch(text):
        name = match["quoted"] or match["name"].replace("\\", "")
        found[at] = _Explicit(anchor=_name(name), to=(match["to"] or "").strip())
        return at + 1
    directive = _DIRECTIVE.fullmatch(text)
    name = directive["name"].casefold() if directive else ""
    if directive is None or name in _HIDDEN:  # a comment, or nothing to read
        found.update(dict.fromkeys(range(at, end), _Explicit()))
        return end
    if not directive["argument"] or name in _CODE or name in _CLASSES:
        found[at] = _Explicit()
    place = at + 1
    while place < end and _OPTION.fullmatch(lines[place].text):
        found[place] = _Explicit()
        place += 1
    if name in _CODE:
        found.update(dict.fromkeys(range(place, end), _SHOWN_CODE))
        return end
    return place


def _indented_until(lines: Sequence[SourceLine], at: int) -> int:
    """Return the index of the first non-empty line after ``at`` that is not indented further."""
    end = at + 1
    while end < len(lines) and (not lines[end].text or lines[end].indent > lines[at].indent):
        end += 1
    return end


def _with_signs(
    text: str, made: Iterable[Block], explicit: Mapping[int, _Explicit], targets: Mapping[str, str]
) -> Iterator[Block]:
    """Yield the blocks with links, anchors and emphasis; the next block gets a target's anchor."""
    made = list(_with_rubrics(text, made))
    anchors = {_name(each.anchor) for each in explicit.values()}
    anchors |= {_identifier(text[slice(*b.span)]) for b in made if b.kind is BlockKind.HEADING}
    waiting: list[str] = []
    used: set[str] = set()
    for block in made:
        sign = explicit.get(block.span.start)
        if block.kind is BlockKind.FURNITURE:
            if sign and sign.anchor and not sign.to:
                waiting.append(sign.anchor)
            yield replace(block, page=0)  # not furniture of a page
            continue
        if sign and sign.code:
            yield replace(block, kind=BlockKind.CODE, level=0, mark="")
            continue
        part = text[block.span.start : block.span.end]
        if block.kind is BlockKind.HEADING and (slug := _identifier(part)) and slug not in used:
            waiting.append(slug)
            used.add(slug)
        bold, italic = _emphasis(part[len(block.mark) :])
        yield replace(
            block,
            anchors=tuple(dict.fromkeys(waiting)),
            links=_links(part, block.span.start, targets, anchors),
            bold=bold,
            italic=italic,
        )
        waiting = []


def _with_rubrics(text: str, made: Iterable[Block]) -> Iterator[Block]:
    level = 0
    for block in made:
        rubric = _RUBRIC.match(text, *block.span)
        if rubric is None:
            level = block.level if block.kind is BlockKind.HEADING else level
            yield block
            continue
        start, end = block.span
        yield Block(Span(start, start + len(".. rubric::")), BlockKind.FURNITURE)
        yield Block(Span(rubric.end(), end), BlockKind.HEADING, level + 1, indent=block.indent)


def _emphasis(part: str) -> tuple[bool, bool]:
    strong, slanted = (
        (rest := pattern.sub("", part)) != part and not _LETTER.search(rest)
        for pattern in (_STRONG, _EMPHASIS)
    )
    return strong, slanted


def _links(
    part: str, offset: int, targets: Mapping[str, str], anchors: Container[str]
) -> tuple[Link, ...]:
    if "_" not in part and ":`" not in part:
        return ()
    found = []
    for match in _PHRASE.finditer(part):
        kind = next(name for name in ("role", "text", "word") if match[name])
        to = match["label"] or match["to"] or match[kind]
        if kind == "word" and to not in targets and _identifier(to) not in targets:
            continue  # "word_" may be any name
        if kind == "text" and not match["to"] and match[0].endswith("__"):
            continue  # its address may be anywhere below
        address = _address(to, targets)
        embedded = match["to"] and not to.endswith("_")
        label = match["kind"] in ("ref", "numref", "any") and _name(to) not in anchors
        if match["kind"] == "doc" or ((embedded or label) and _name(to) not in targets):
            address = to  # in another file
        start, end = match.span(kind)
        found.append(Link(Span(offset + start, offset + end), address))
    return tuple(found)


def _address(to: str, targets: Mapping[str, str]) -> str:
    name = _name(to)
    for _ in range(5):
        if (following := targets.get(name)) is None:
            break
        to, name = following, _name(following.rstrip("_"))
        if not to.endswith("_"):
            return to
    return to if re.match(r"\w+://|mailto:|#", to) else f"#{name}"


def _name(text: str) -> str:
    return _identifier(text) or text


def _identifier(text: str) -> str:
    """Return the anchor that docutils generates for a title or name: ASCII letters and numbers,
    with hyphens between words.
    """
    ascii = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"^[-0-9]+|-+$", "", re.sub(r"[^a-z0-9]+", "-", ascii))


RESTRUCTURED = TextFormat("restructuredtext", _score, blocks)
