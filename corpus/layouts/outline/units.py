"""The units of an outline, each with the number at its beginning: a line of a paragraph or list
item, or a whole heading, table row or piece of furniture.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from corpus.blocks import Block, BlockKind, PageMap
from corpus.display import decode_entities
from corpus.document import Document
from corpus.languages import any_of, capitals
from corpus.layouts.outline.printed_numbers import (
    NumberStyle,
    PrintedNumber,
    parse_label,
    parse_number,
)
from corpus.model import Span

LONGEST_HEADING = 120  # characters
SHORT_TITLE = 60  # characters of a title right above its text
SHORT = 80  # characters of a separate line that may be an unmarked heading

_FEWEST_BARE = 3  # least consecutive numbers without punctuation
_LONGEST_PARAGRAPH = 60  # most units from the first number of a list to the next
_BOLD = 0.4  # share of bold text, from which bold does not mean headings
_LARGER = 1.1  # times the font size of the body text
_WIDE = 1.6  # width of a blank between table cells, in line heights
_WHOLE = (BlockKind.HEADING, BlockKind.ROW, BlockKind.FURNITURE, BlockKind.CODE)
_NO_HEADINGS = (BlockKind.ROW, BlockKind.CODE, BlockKind.CONTENTS)

_BULLET = re.compile(r"[ \t]*(?:(?:--|[-–—•●◦▪‣*+·])[ \t]+)+")
_MARKUP = re.compile(
    r"<[^<>\n]{1,80}>|`+|\*{2,}|(?<!\w)[*_]+|[*_]+(?!\w)|\\(?=[\W_])"
    r"|\A\s*#{1,6}(?=\s)|\s#+\s*\Z|\{[#.][^{}\n]{1,120}\}\s*\Z"
    r"|[\u200b\u2060\ufeff\ufffc]"
)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]{0,200}\)|\[[^\[\]]{1,80}\])")
_ESCAPED = re.compile(r"\d{1,3}\\[.)]")  # not a number after a bullet: "- 3\. Kegelclub"
_LINE = re.compile(r"[^\n]+")
# At the end of a line: "long-⏎term-" keeps its hyphen, "har-⏎bour" does not.
_HYPHEN = re.compile(
    r"(?<=[^\W\d_]-)\n(?=\w+-)|(?<=[^\W\d_])(?:\u00ad|-(?!\n\w+-))\n(?=[^\W\d_A-Z])"
)
_AUTOMATIC = re.compile(r"(?:#|1)[.)]\s+(?=\S)|\(#\)\s+(?=\S)")
_SPACED = re.compile(r"(\d{1,3})[.)]?(?=\s+[^\W\d_])")  # "8" of "22. 8"
_CLOSE_SIGNS = re.compile(rf"#{{2,6}}(?=[^\s#])|#(?=[§\d{capitals()}])")  # "##Setup", no "#tag"
_REMARK = re.compile(r"(?<=\S)\s+\([^()]{1,40}\)\Z")  # "Falling rocks (see 3.2.)"
_FINITE = re.compile(rf"\b{any_of('sentences.finite_verbs')}\b")
_DROPPED = re.compile(rf"\W*(?:\w{{1,10}}\s)?{any_of('labels.dropped')}\W*", re.IGNORECASE)
_END = re.compile(r"[.!?;:,…][\"”“»«’)\]*_ \t]*\Z")


Style = tuple[float, bool]  # size, rounded to half a point, and whether it is bold


@dataclass(slots=True)
class Unit:
    """A line or block, with the information from its format.

    Attributes:
        text: The text without markup, bullets and line ends.
        first: Whether it begins its block.
        last: Whether it ends its block.
        number: The number at its beginning, or text that looks like one.
        name: The text after the number.
        title: The title of a heading whose number is on a separate line: "Setup" for "Chapter 1
            Setup".
        printed: Whether the text was extracted, so that indentation means more than list depth.
        counted: Whether its list is numbered automatically, so that the written number is wrong.
    """

    block: Block
    span: Span
    text: str
    first: bool
    last: bool
    bullet: bool
    number: PrintedNumber | None
    name: str
    in_heading_style: bool = False
    title: str = ""
    printed: bool = False
    counted: bool = False

    @property
    def alone(self) -> bool:
        """Whether the unit is a whole block."""
        return self.first and self.last

    @property
    def style(self) -> Style:
        """The style of the block."""
        return style_of(self.block)

    @property
    def indent(self) -> float:
        """A sort key for the indentation: list depth first, then the distance from the text
        edge.
        """
        nested = self.block.kind is BlockKind.ITEM and self.first and not self.block.page
        depth = 1000.0 * self.block.level if nested else 0.0
        return depth + (self.block.indent if self.printed or not nested else 0.0)

    @property
    def looks_like_heading(self) -> bool:
        """Whether the format or the style marks the unit as a heading."""
        return self.in_heading_style or self.block.kind is BlockKind.HEADING

    @property
    def is_title(self) -> bool:
        """Whether the unit can be a heading: short, with a letter, and not a sentence."""
        short = len(self.text) <= LONGEST_HEADING
        return short and any(map(str.isalpha, self.name)) and not self.ends_sentence

    @property
    def is_numbered_title(self) -> bool:
        """Whether the unit is a short separate line with a whole number and without markup."""
        free = self.block.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM) and self.alone
        whole = self.number is not None and self.number.is_whole
        return free and whole and self.is_title and len(self.text) <= SHORT_TITLE

    @property
    def is_closed(self) -> bool:
        """Whether the unit's sentence or heading ends on this line."""
        titled = self.looks_like_heading or (self.number is not None and self.is_title)
        return titled or self.ends_sentence

    @property
    def ends_sentence(self) -> bool:
        """Whether the unit ends with punctuation that no heading ends with (unlike "..." and
        "?").
        """
        return bool(_END.search(self.text)) and not self.text.endswith(("...", "…", "?", "!"))


def is_plain_title(units: Sequence[Unit], at: int) -> bool:
    """Return whether the line of unit ``at`` is the title of the text below, without markup: "1.
    Setup" above a sentence.
    """
    unit, below = units[at], units[at + 1] if at + 1 < len(units) else None
    if below is None or not unit.first or not unit.is_title or len(unit.text) > SHORT_TITLE:
        return False
    if below.number and unit.number and below.number.kind == unit.number.kind:
        return False
    begins = below.first or below.number or below.bullet or not below.text[:1].islower()
    return bool(begins) and not _FINITE.search(unit.text)


def add_bare_numbers(units: Sequence[Unit]) -> None:
    """Recognise numbers without punctuation in ``units``: consecutive ones above text ("1 Setup",
    "2 Turns", "3 End"), or "2 Turns" above 2.1.
    """
    runs: list[list[tuple[int, PrintedNumber]]] = []
    chapters = set()
    for at in range(len(units)):
        number = _bare_number(units, at)
        if number is None:
            continue
        value, below = int(number.printed), units[at + 1].number
        if below is None or not number.begins(below):
            below = next((each.number for each in units[at + 2 : at + 9] if each.number), None)
        if below is not None and number.begins(below):
            chapters.add(at)
        if runs and int(runs[-1][-1][1].printed) == value - 1:
            runs[-1].append((at, number))
        else:
            runs.append([(at, number)])
    for run in runs:
        begins = run[0][1].is_first and len(run) >= _FEWEST_BARE
        for at, number in run:
            if begins or at in chapters:
                unit = units[at]
                unit.number, unit.name = number, unit.text[number.length :].strip()


def add_small_labels(units: Sequence[Unit], text: str) -> None:
    """Recognise labelled numbers before a small letter in ``units`` if they continue the last
    number: "§ 3 entfällt.", "§ 4 sedes vacans" above its first paragraph.

    ``text`` is that of the document.
    """
    last: PrintedNumber | None = None
    for at, unit in enumerate(units):
        number = unit.number
        if number is None and not unit.bullet and unit.block.kind not in _NO_HEADINGS:
            number = _small_label(units, at, text, last)
        if number and number.style is NumberStyle.LABELLED and not number.is_chapter:
            unit.number, unit.name, last = number, unit.text[number.length :].strip(), number


def _small_label(
    units: Sequence[Unit], at: int, text: str, last: PrintedNumber | None
) -> PrintedNumber | None:
    # After an unfinished line it is only cited: "gemäß⏎§ 3 entfällt das Startgeld".
    unit, number = units[at], parse_label(units[at].text)
    if number is None or not (number.is_first if last is None else last.precedes(number)):
        return None
    above = units[at - 1] if at else None
    if above and not above.is_closed and text.count("\n", above.span.end, unit.span.start) < 2:
        return None
    name = unit.text[number.length :]
    if _DROPPED.fullmatch(name) or unit.block.kind is BlockKind.HEADING:
        return number
    short = len(name) <= SHORT_TITLE and not name.endswith((":", ",", ";"))
    if not short or _FINITE.search(name):
        return None
    below = [each.number for each in units[at + 1 : at + 1 + _LONGEST_PARAGRAPH]]
    if any(each and (each.kind, each.parts) == (number.kind, number.parts) for each in below):
        return None  # the article itself follows
    inner = bool(below and below[0] and below[0].is_whole and below[0].is_first)
    return number if inner or (unit.alone and is_plain_title(units, at)) else None


def _bare_number(units: Sequence[Unit], at: int) -> PrintedNumber | None:
    unit, below = units[at], units[at + 1] if at + 1 < len(units) else None
    free = not (unit.number or unit.bullet or unit.looks_like_heading)
    if below is None or not free or unit.block.kind is not BlockKind.PARAGRAPH:
        return None
    number = parse_number(unit.text, heading=True) if unit.alone else None
    if number is None or not number.is_plain or not is_plain_title(units, at):
        return None
    text = below.number or below.ends_sentence or len(below.text) > SHORT_TITLE
    return number if text else None


def plain(text: str) -> str:
    """Return ``text`` without markup and entities, with single blanks and whole words."""
    bare = _MARKUP.sub("", _LINK.sub(r"\1", _HYPHEN.sub("", text)))
    return " ".join(decode_entities(bare).split())


def make_units(document: Document) -> list[Unit]:
    """Return the units of ``document`` in order."""
    blocks = [block for block in document.blocks if block.span.start < len(document.text)]
    body, bold, running = _body_size(blocks), _tells_bold(blocks), _running_styles(blocks)
    units = []
    for block in blocks:
        styled = (
            block.kind not in (*_NO_HEADINGS, BlockKind.FURNITURE)
            and style_of(block) not in running
            and _in_heading_style(block, body, document, bold)
        )
        if block.kind in _WHOLE or styled:
            spans = [block.span]
        else:
            found = _LINE.finditer(document.text, *block.span)
            spans = [Span(*match.span()) for match in found if not match.group().isspace()]
        for at, span in enumerate(spans):
            unit = _unit(block, span, document.text, styled)
            unit.first, unit.last = at == 0, at == len(spans) - 1
            unit.printed = document.extracted is not None
            units.append(unit)
    if document.extracted is None:
        _count_items(units, document.text)
    _close_numbers(units)
    return list(_split_numbers(units, document.text))


def _count_items(units: Sequence[Unit], text: str) -> None:
    # "1." or "#." before each item of a list means 1, 2, 3.
    lists: dict[float, list[Unit]] = {}  # the current ones, by indentation
    runs: list[list[Unit]] = []
    for unit in units:
        depth, mark = unit.indent, _AUTOMATIC.match(unit.text)
        if mark and not text.startswith(mark[0].strip(), unit.span.start):
            mark = None  # after a bullet or in bold
        item = unit.block.kind is BlockKind.ITEM and unit.first
        if unit.block.kind is BlockKind.FURNITURE:  # ">" between two quoted paragraphs
            continue
        if not (item or mark or unit.block.kind is BlockKind.ITEM or unit.block.indent):
            lists.clear()
        elif item or mark:
            lists = {each: run for each, run in lists.items() if each <= depth}
        if mark is None:
            if item:
                lists.pop(depth, None)
        elif (run := lists.get(depth)) and run[0].text[: mark.end()].split() == mark[0].split():
            run.append(unit)
        else:
            lists[depth] = [unit]
            runs.append(lists[depth])
    for run in runs:
        for count, unit in enumerate(run if len(run) > 1 or "#" in run[0].text[:3] else (), 1):
            unit.name = _AUTOMATIC.sub("", unit.text, count=1)
            unit.text = f"{count}{unit.text[1:2].replace('#', '.')} {unit.name}"
            unit.number, unit.counted = parse_number(unit.text), True


def _close_numbers(units: Sequence[Unit]) -> None:
    # "22. 8" after 22.7, or in Art. 22, is 22.8.
    last: PrintedNumber | None = None
    for unit in units:
        number = unit.number
        spaced = _SPACED.match(unit.name) if number and number.is_plain and last else None
        if number and last and spaced and number.printed == last.parts[0]:
            parts = (number.printed, spaced[1])
            length = number.length + len(unit.text[number.length :]) - len(unit.name)
            closed = number._replace(
                printed=".".join(parts), parts=parts, length=length + spaced.end()
            )
            first = len(last.parts) == 1 and closed.parts[1] == "1"
            if first or (len(last.parts) > 1 and last.precedes(closed)):
                unit.number = number = closed
                unit.name = unit.name[spaced.end() :].strip()
        if number and (number.style is NumberStyle.LABELLED or not number.is_whole):
            last = number


def _split_numbers(units: Sequence[Unit], text: str) -> Iterator[Unit]:
    # "§ 1 (1) …" is two units if (2) follows; then similar units are split, too.
    found = {at: number for at, unit in enumerate(units) if (number := _second_number(unit))}
    sure: dict[tuple[NumberStyle, NumberStyle], Counter[bool]] = defaultdict(Counter)
    goes_on = {at: _goes_on(units, at, second) for at, second in found.items()}
    for at, inner in found.items():
        outer = units[at].number
        assert outer is not None
        sure[outer.style, inner.style][goes_on[at]] += 1
    for at, unit in enumerate(units):
        second, number = found.get(at), unit.number
        if second is None or number is None:
            yield unit
            continue
        count = sure[number.style, second.style]
        raw = text[unit.span.start : unit.span.end]
        mark = unit.text[number.length :].lstrip()[: second.length].strip()
        middle = raw.find(mark, len(number.printed))
        if middle < 0 or not (goes_on[at] or count[True] > count[False]):
            yield unit
            continue
        start = unit.span.start + middle
        first = Span(unit.span.start, unit.span.start + len(raw[:middle].rstrip()))
        label = unit.text[: number.length].strip()
        yield replace(unit, span=first, text=label, name="", last=False)
        rest = unit.text[number.length :].lstrip()
        name = rest[second.length :].strip()
        span = Span(start, unit.span.end)
        yield replace(
            unit, span=span, text=rest, first=False, bullet=False, number=second, name=name
        )


def _second_number(unit: Unit) -> PrintedNumber | None:
    # The first number of a list right after the number that contains it.
    number, styled = unit.number, unit.looks_like_heading
    if number is None or styled or not unit.first or unit.block.kind in _NO_HEADINGS:
        return None
    second = parse_number(unit.name)
    if second is None or second.style in (NumberStyle.LABELLED, NumberStyle.ROMAN):
        return None
    labelled = number.style is NumberStyle.LABELLED or not number.is_whole
    if not labelled and second.style is number.style:
        return None
    return second if second.is_whole and second.is_first and unit.name[second.length :] else None


def _goes_on(units: Sequence[Unit], first: int, number: PrintedNumber) -> bool:
    # Whether the successor of ``number`` comes before that of the number of unit ``first``.
    outer = units[first].number
    assert outer is not None
    for unit in units[first + 1 : first + 1 + _LONGEST_PARAGRAPH]:
        if unit.number and number.is_followed_by(unit.number):
            return True
        if unit.number and unit.number.kind == outer.kind:
            return False
    return False


def _unit(block: Block, span: Span, text: str, styled: bool) -> Unit:
    raw = text[span.start : span.end].lstrip("\ufeff")
    if block.kind is BlockKind.HEADING and block.level and not block.page:
        raw = raw[signs.end() :] if (signs := _CLOSE_SIGNS.match(raw)) else raw
    bullet = _BULLET.match(raw) if block.kind is not BlockKind.HEADING else None
    content = plain(raw[bullet.end() :] if bullet else raw)
    number = parse_number(content, styled)
    name = content[number.length :].strip() if number else content
    decimal = number is not None and number.style is NumberStyle.DECIMAL
    figures = decimal and name and not any(map(str.isalpha, name))  # a row of figures
    if figures or (bullet and _ESCAPED.match(raw, bullet.end())):
        number, name = None, content
    return Unit(block, span, content, True, True, bullet is not None, number, name, styled)


def style_of(block: Block) -> Style:
    """Return the style of ``block``: font size and bold."""
    return round(block.size * 2) / 2, block.bold


def _length(block: Block) -> int:
    return block.span.end - block.span.start


def _body_size(blocks: Sequence[Block]) -> float:
    # 0.0 if the sizes of most characters are unknown.
    sizes: Counter[float] = Counter()
    for block in blocks:
        if block.kind is not BlockKind.FURNITURE:
            sizes[style_of(block)[0]] += _length(block)
    if 2 * sizes[0.0] > sizes.total():
        return 0.0
    return max(sizes, key=lambda size: sizes[size] if size else 0, default=0.0)


def _running_styles(blocks: Sequence[Block]) -> set[Style]:
    # Styles in which most text (for bold, most blocks) is longer than a heading.
    counts: dict[Style, Counter[bool]] = defaultdict(Counter)
    for block in blocks:
        if block.kind is not BlockKind.FURNITURE:
            long = _length(block) > LONGEST_HEADING
            counts[style_of(block)][long] += 1 if block.bold else _length(block)
    return {style for style, count in counts.items() if count[True] > count[False]}


def _tells_bold(blocks: Sequence[Block]) -> bool:
    return sum(_length(b) for b in blocks if b.bold) <= _BOLD * sum(map(_length, blocks))


def _in_heading_style(block: Block, body: float, document: Document, bold: bool) -> bool:
    # Whether it is short, and larger than the text or (if ``bold`` marks headings) in bold.
    larger = block.size >= _LARGER * body
    if (
        not body
        or _length(block) > 2 * LONGEST_HEADING
        or not (larger or (bold and block.bold and block.size >= 0.97 * body))
    ):
        return False
    content = plain(document.text[block.span.start : block.span.end])
    if len(content) > LONGEST_HEADING or not any(map(str.isalpha, content)) or content[0] in "-–—•":
        return False
    if document.pages is not None and _has_cells(document.pages, document.text, block.span):
        return False
    number = parse_number(content)
    numbered = number is not None and number.style is not NumberStyle.BRACKETED and block.bold
    content = _REMARK.sub("", content)
    if len(content) <= SHORT and larger:
        content = content.removesuffix(".").removesuffix(":")
    elif len(content) <= SHORT and (content.isupper() or numbered):
        content = content.removesuffix(".")
    return not _END.search(content.rstrip("?!…").removesuffix("..."))


def _has_cells(pages: PageMap, text: str, span: Span) -> bool:
    # Whether a wide gap divides the line ``span``, as between table cells; a gap after a number
    # or label at its beginning does not count.
    boxes = pages.boxes([span])
    if len(boxes) != 1 or len(boxes[0].boxes) != 1:
        return False
    line = boxes[0].boxes[0]
    words = list(_words(text, span))
    places = [found[0].boxes[0] for word in words if (found := pages.boxes([word]))]
    gaps = [right.left - left.right for left, right in pairwise(places)]
    if any(map(str.isdigit, text[slice(*words[0])])):
        del gaps[:1]
    return any(gap > _WIDE * (line.bottom - line.top) for gap in gaps)


def _words(text: str, span: Span) -> Iterator[Span]:
    for match in re.finditer(r"\S+", text[span.start : span.end]):
        yield Span(span.start + match.start(), span.start + match.end())
