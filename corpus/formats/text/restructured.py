"""reStructuredText: titles by their adornments, lists, tables, directives, targets and references.

Its lines are read as those of plain text are, with the signs that the reference of docutils
defines. docutils itself tells neither where a block ends nor where a link stands. No directive is
run: nothing is included, and nothing is fetched.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from corpus.blocks import Block, BlockKind, Link
from corpus.formats.format import TextFormat
from corpus.formats.shared.contents_lists import mark_contents
from corpus.formats.text.plain import PlainReader
from corpus.formats.text.printed_contents import contents_lines
from corpus.formats.text.source_lines import SourceLine, byte_order_mark, source_lines, wrap_width
from corpus.spans import Span

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
    "contents",
    "include",
    "raw",
    "image",
    "figure",
    "toctree",
    "index",
    "meta",
    "role",
    "default-role",
    "highlight",
    "sectnum",
}
_CODE = {"code", "code-block", "sourcecode", "parsed-literal", "math", "literalinclude"}
_CLASSES = {"container", "class", "rst-class"}  # whose arguments are names that nobody sees
_RUBRIC = re.compile(r"\.\. rubric::\s*(?=\S)")
_OPTION = re.compile(r":[\w -]{1,40}:(?:\s.*)?")
_PHRASE = re.compile(
    r":(?:ref|doc|term|any|numref):`(?P<role>[^`<]{1,200}?)(?:\s?<(?P<label>[^<>`]{1,200})>)?`"
    r"|(?<!`)`(?P<text>[^`<]{1,200}?)(?:\s?<(?P<to>[^<>`]{1,500})>)?`__?(?!\w)"
    r"|(?<![\w`<|/])(?P<word>[^\W_](?:[\w.-]{0,60}[^\W_])?)_(?![\w`])"
)
_STRONG = re.compile(r"\*\*(?=\S)[^*]{1,500}\*\*")
_EMPHASIS = re.compile(r"(?<!\*)\*(?=[^\s*])[^*]{1,2000}\*(?!\*)")
_LETTER = re.compile(r"[^\W_]")


def score(text: str) -> float:
    """How many signs of reStructuredText ``text`` has, for its length. What Markdown or plain text
    have too counts beside others only.
    """
    found = sum(weight * len(pattern.findall(text)) for weight, pattern in _EVIDENCE)
    signs = [match.group(1) for match in _ADORNED.finditer(text)]
    found += 2 * sum(sign not in "=-" for sign in signs)
    if found:
        found += len(signs) + len(_STRONG.findall(text))
    return found / (found + 4 + text.count("\n") / 100)


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of ``text``. Adornments, comments, targets, and directives that show nothing are
    furniture.
    """
    lines = list(source_lines(text))
    marked = _marked(lines)
    targets = {_name(each.anchor): each.to for each in marked.values() if each.to}
    reader = PlainReader(
        lines,
        wrap_width(lines),
        contents_lines(lines),
        {at for at, each in marked.items() if each.furniture},
    )
    starts = {lines[at].start: each for at, each in marked.items()}
    return mark_contents(
        (*byte_order_mark(text), *_with_signs(text, reader.blocks(), starts, targets)), text
    )


class _Marked(NamedTuple):
    """A line of explicit markup: it shows nothing (``furniture``), is ``code``, or defines an
    ``anchor`` (of ``to``, if that is given).
    """

    furniture: bool = True
    code: bool = False
    anchor: str = ""
    to: str = ""


def _marked(lines: Sequence[SourceLine]) -> dict[int, _Marked]:
    """The lines that belong to explicit markup or literal blocks, by their numbers."""
    found: dict[int, _Marked] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        if _EXPLICIT.match(line.text) and not _NOTE.match(line.text):
            at = _explicit(lines, at, found)
            continue
        if line.text.endswith("::"):
            if line.text == "::":
                found[at] = _Marked()
            for place in range(at + 1, _indented_until(lines, at)):
                found[place] = _Marked(furniture=False, code=True)
        at += 1
    return found


def _explicit(lines: Sequence[SourceLine], at: int, found: dict[int, _Marked]) -> int:
    """Add what the explicit markup at line ``at`` makes of its lines to ``found``. Returns the line
    behind it.
    """
    end = _indented_until(lines, at)
    line = lines[at]
    if match := _TARGET.fullmatch(line.text):
        name = match["quoted"] or match["name"].replace("\\", "")
        found[at] = _Marked(anchor=_identifier(name) or name, to=(match["to"] or "").strip())
        return at + 1
    directive = _DIRECTIVE.fullmatch(line.text)
    name = directive["name"].casefold() if directive else ""
    if directive is None or name in _HIDDEN:  # a comment, or nothing to read
        found.update({place: _Marked() for place in range(at, end)})
        return end
    if not directive["argument"] or name in _CODE or name in _CLASSES:
        found[at] = _Marked()
    place = at + 1
    while place < end and _OPTION.fullmatch(lines[place].text):
        found[place] = _Marked()
        place += 1
    if name in _CODE:
        found.update({each: _Marked(furniture=False, code=True) for each in range(place, end)})
        return end
    return place


def _indented_until(lines: Sequence[SourceLine], at: int) -> int:
    """The number of the first line behind line ``at`` that has text and is not indented further."""
    end = at + 1
    while end < len(lines) and (not lines[end].text or lines[end].indent > lines[at].indent):
        end += 1
    return end


def _with_signs(
    text: str, made: Iterator[Block], marked: Mapping[int, _Marked], targets: Mapping[str, str]
) -> Iterator[Block]:
    """The blocks with their links, anchors and emphasis. A target is an anchor of the next
    block.
    """
    waiting: list[str] = []
    used: set[str] = set()
    for block in _with_rubrics(text, made):
        sign = marked.get(block.span.start)
        if block.kind is BlockKind.FURNITURE:
            if sign and sign.anchor and not sign.to:
                waiting.append(sign.anchor)
            yield block
            continue
        if sign and sign.code:
            yield replace(block, kind=BlockKind.CODE, level=0, mark="", header=None)
            continue
        part = text[block.span.start : block.span.end]
        if block.kind is BlockKind.HEADING and (slug := _identifier(part)) and slug not in used:
            waiting.append(slug)
            used.add(slug)
        bold, italic = _emphasis(part[len(block.mark) :])
        yield replace(
            block,
            anchors=tuple(dict.fromkeys(waiting)),
            links=_links(part, block.span, targets),
            bold=bold,
            italic=italic,
        )
        waiting = []


def _with_rubrics(text: str, made: Iterator[Block]) -> Iterator[Block]:
    """The blocks with rubrics as headings, one level below the section that they stand in."""
    level = 0
    for block in made:
        rubric = _RUBRIC.match(text, *block.span)
        if rubric is None:
            level = block.level if block.kind is BlockKind.HEADING else level
            yield block
            continue
        yield Block(
            Span(block.span.start, block.span.start + len(".. rubric::")), BlockKind.FURNITURE
        )
        yield Block(
            Span(rubric.end(), block.span.end), BlockKind.HEADING, level + 1, indent=block.indent
        )


def _emphasis(part: str) -> tuple[bool, bool]:
    if "*" not in part:
        return False, False
    strong, slanted = _STRONG.sub("", part), _EMPHASIS.sub("", part)
    return strong != part and not _LETTER.search(strong), slanted != part and not _LETTER.search(
        slanted
    )


def _links(part: str, span: Span, targets: Mapping[str, str]) -> tuple[Link, ...]:
    """The references in ``part``, which stands in ``span``. ``targets`` are the addresses that
    targets lead to.
    """
    if "_" not in part and ":`" not in part:
        return ()
    found = []
    for match in _PHRASE.finditer(part):
        kind = next(name for name in ("role", "text", "word") if match[name])
        to = match["label"] or match["to"] or match[kind]
        if kind == "word" and to not in targets and _identifier(to) not in targets:
            continue  # "word_" may be a name of anything
        start, end = match.span(kind)
        found.append(Link(Span(span.start + start, span.start + end), _address(to, targets)))
    return tuple(found)


def _address(to: str, targets: Mapping[str, str]) -> str:
    """The target ``to`` as an address, or as an anchor of the text."""
    name = _name(to)
    for _ in range(5):
        if (following := targets.get(name)) is None:
            break
        to, name = following, _name(following.rstrip("_"))
    return to if re.match(r"\w+://|mailto:|#", to) else f"#{name}"


def _name(text: str) -> str:
    return _identifier(text) or text


def _identifier(text: str) -> str:
    """The anchor that docutils makes of the title or the name ``text``: ASCII letters and numbers,
    with hyphens between words.
    """
    letters = (
        unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode("ascii")
    )
    return re.sub(r"^[-0-9]+|-+$", "", re.sub(r"[^a-z0-9]+", "-", letters))


RESTRUCTURED = TextFormat("restructuredtext", score, blocks)
