"""Parses the lines of a numbered rulebook (bullet, number and name, page numbers, ornaments), and
finds its parts, such as the table of contents and the glossary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from corpus.document import Document, Line
from corpus.languages import any_of
from corpus.layouts.layout import in_capitals
from corpus.model import Corrections, Fault, Furniture, Span
from corpus.paragraphs import paragraph_lines
from corpus.titles import key

SHORT = 80  # characters of the longest heading
# Least items of a table of contents without heading, or terms of a glossary before an appendix
_FEWEST = 5
_NEAR = 6  # first lines of a change log, one of which has a rule number

Number = tuple[int, ...]

_SIGN = re.compile(r"[ \t\ufeff]*(?:[-–•*▪➤][ \t]+)*")
_NUMBER = re.compile(
    r"(?:#{1,6}[ \t]+)?[*_]{0,3}([0-9]{1,3}(?:\.[0-9]{1,3}){0,5})(\.?)[*_]{0,3}(?:[ \t]+|$)"
)
_BARE = re.compile(r"[ \t*_#-]*[0-9]{1,3}(?:\.[0-9]{1,3}){1,5}(?P<dot>\.?)[*_]{0,3}[ \t]+\S")
_MARKDOWN = re.compile(r"^#{1,6}[ \t]+|\*+|(?<!\w)_+|_+(?!\w)")
_EXAMPLE = re.compile(
    rf"[*_]{{0,3}}{any_of('labels.example', 'labels.for_example')}\b[^:]{{0,12}}:", re.IGNORECASE
)
_OF_PAGES = rf"[ \t]*(?:/|{any_of('references.of_pages')})[ \t]*[0-9]{{1,3}}"
_PAGE = re.compile(
    rf"\W*(?:{any_of('references.page')}[ \t]*)?[0-9]{{1,3}}(?:{_OF_PAGES})?[^\w.]*", re.IGNORECASE
)
_ORNAMENT = re.compile(r"[-–—*_=•·.~#|+>\s\ufeff]+")
_DATE = re.compile(
    r"\W*(?:[0-9]{1,2}\.?[ \t]+[^\W\d_]{3,10}[ \t]+[0-9]{4}"
    r"|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4})\W*"
)
_SEE = re.compile(
    rf"[*_\s]*{any_of('references.see')}(?:[*_ ]+{any_of('references.also')})?[*_\s]*:",
    re.IGNORECASE,
)
_RANGE = any_of("references.until", "sentences.conjunctions")
_DANGLING = re.compile(
    rf"(?:\b{any_of('references.section', 'references.see')}|[0-9]\.?\s+{_RANGE})\s*$",
    re.IGNORECASE,
)
# Dot leaders and page number at the end of a line.
_LEADERS = re.compile(
    r"(?:(?<!\s)\s+)?(?<![.…·_])(?<![.…·_]\s)(?>(?:[.…·_]\s?){4,})\s*+[0-9]{0,4}\s*$"
)
_CLOSERS = "“”»«\"'’)]}"
_CONTENTS = re.compile(
    rf"\W*{any_of('sections.contents', 'sections.components')}\W*", re.IGNORECASE
)
_GLOSSARY = re.compile(rf"\W*{any_of('sections.glossary')}\W*", re.IGNORECASE)
_LOG = re.compile(rf"\W*{any_of('sections.changes')}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """A non-empty line, parsed.

    Attributes:
        bullet_start: The offset in the document of its bullet.
        start: The offset of the text after the bullet; ``bullet_start`` if it has none.
        end: The offset of its end.
        indent: Its indentation in characters.
        text: The printed text from ``start`` on.
        plain: ``text`` without Markdown markup.
        after_blank: Whether a blank line or furniture is above it.
        number: The number at its beginning, or ().
        name: The text after the number, without Markdown markup.
        kind: The kind of entry that it heads, set by a correction.
        torn: Whether it continues the text above, set by a correction.
    """

    line_number: int
    bullet_start: int
    start: int
    end: int
    indent: int
    text: str
    plain: str
    after_blank: bool
    number: Number
    name: str
    kind: str | None = None
    torn: bool = False

    @property
    def has_bullet(self) -> bool:
        """Whether the line begins with a bullet."""
        return self.bullet_start < self.start

    @property
    def is_example(self) -> bool:
        """Whether the line begins an example."""
        return _EXAMPLE.match(self.text) is not None

    @property
    def is_see_list(self) -> bool:
        """Whether the line is only a list of references."""
        return len(self.text) < 4 * SHORT and _SEE.match(self.text) is not None

    @property
    def is_brief(self) -> bool:
        """Whether the line is short and does not end like a sentence, like a heading or an item of
        a table of contents.
        """
        short = len(self.plain) <= SHORT and any(map(str.isalpha, self.plain))
        return short and not _ends_sentence(self.plain)

    @property
    def is_heading(self) -> bool:
        """Whether the line looks like a heading without a number."""
        bare = self.after_blank and not self.number and not self.has_bullet and self.is_brief
        return self.kind is not None or (bare and not self.is_example and not self.is_see_list)

    @property
    def is_capitals(self) -> bool:
        """Whether the name has at least two letters, all of them capitals."""
        return in_capitals(self.name) and sum(map(str.isalpha, self.name)) > 1

    @property
    def is_date(self) -> bool:
        """Whether the line is only a date."""
        return _DATE.fullmatch(self.plain) is not None

    @property
    def span(self) -> Span:
        """The span of the text without the bullet."""
        return Span(self.start, self.end)

    @property
    def whole(self) -> Span:
        """The span of the text with the bullet."""
        return Span(self.bullet_start, self.end)

    def continues(self, before: str) -> bool:
        """Return whether the line continues an unfinished sentence at the end of ``before``."""
        if self.torn:
            return True
        if self.is_example or _ends_sentence(before):
            return False
        closed = before.rstrip(" *_").endswith(tuple(_CLOSERS))
        long = len(before) > SHORT and not self.has_bullet and not closed
        return self.plain[:1].islower() or long


def _ends_sentence(text: str) -> bool:
    # A lead-in ("…:") counts, too.
    return text.rstrip().rstrip("*_ " + _CLOSERS).endswith((".", "!", "?", ":", ";", "…"))


def read_lines(
    document: Document, corrections: Corrections, furniture: list[Furniture]
) -> list[ParsedLine]:
    """Parse the non-empty lines of ``document``, with corrections.

    Page numbers, ornaments, and lines that corrections call furniture are added to ``furniture``
    instead.
    """
    lines: list[ParsedLine] = []
    after_blank = True
    printed = paragraph_lines(document)
    dots = [match["dot"] for line in printed if (match := _BARE.match(line.text))]
    # Most numbers at the beginning of a line end in a full stop: "4.2."
    dotted = 2 * dots.count(".") >= len(dots)
    for line in printed:
        if not line.text.strip():
            after_blank = True
        elif why := _furniture(line, corrections):
            furniture.append(Furniture(Span(line.start, line.end), why))
            after_blank = True
        else:
            parsed = _read_line(line, after_blank, dotted)
            lines.append(_corrected(parsed, corrections, lines[-1].text if lines else ""))
            after_blank = False
    return lines


def _furniture(line: Line, corrections: Corrections) -> str:
    if correction := corrections.at(line.number, Fault.FURNITURE):
        return correction.why
    if _ORNAMENT.fullmatch(line.text):
        return "rule or ornament"
    return "page number" if len(line.text) <= SHORT and _PAGE.fullmatch(line.text) else ""


def _read_line(line: Line, after_blank: bool, dotted: bool) -> ParsedLine:
    sign = _SIGN.match(line.text)
    skip = sign.end() if sign else 0
    indent = len(line.text) - len(line.text.lstrip())
    body = line.text[skip:]
    short = len(body) <= 4 * SHORT
    unled = _LEADERS.sub("", body) if short else body
    plain = _MARKDOWN.sub("", unled).strip() if short else body.strip()
    number: Number = ()
    name = plain
    if match := _NUMBER.match(unled):
        levels = tuple(map(int, match[1].split(".")))
        behind = _MARKDOWN.sub("", unled[match.end() :]).strip()
        # Without a final full stop, a number needs more levels: "2.5" may be a quantity.
        enough = len(levels) >= (3 if dotted else 2)
        if match[2] or (enough and not (behind[:1].islower() or behind[:1] in ".,;:)%")):
            number, name = levels, behind or plain
    return ParsedLine(
        line_number=line.number,
        bullet_start=line.start + indent,
        start=line.start + max(skip, indent),
        end=line.end,
        indent=indent + line.indent,
        text=body,
        plain=plain,
        after_blank=after_blank,
        number=number,
        name=name,
    )


def _corrected(line: ParsedLine, corrections: Corrections, before: str) -> ParsedLine:
    at = line.line_number
    unnumbered = replace(line, number=(), name=line.plain)
    if len(line.number) > 1 and not _ends_sentence(before) and _DANGLING.search(before[-20:]):
        line = unnumbered  # "… siehe Abschnitt" | "4.2. …" divided by a page break
    if number := corrections.at(at, Fault.NUMBER):
        line = replace(line, number=tuple(map(int, re.findall(r"[0-9]{1,3}", str(number.meant)))))
    if corrections.at(at, Fault.NOT_HEADING):
        line = replace(unnumbered, after_blank=False)
    if heading := corrections.at(at, Fault.HEADING):
        line = replace(line, kind=str(heading.meant))
    if corrections.at(at, Fault.TORN):
        line = replace(unnumbered, kind=line.kind, after_blank=False, torn=True)
    return line


class PartKind(Enum):
    """The kind of a part of a rulebook."""

    FRONT = auto()
    CONTENTS = auto()
    RULES = auto()
    GLOSSARY = auto()
    CHANGE_LOG = auto()


@dataclass
class Part:
    """A part of a rulebook: its kind and its lines, including its heading."""

    kind: PartKind
    lines: list[ParsedLine]


@dataclass(frozen=True)
class ContentsTable:
    """The table of contents: its lines, from index ``first`` to ``last`` (exclusive), and the keys
    of the listed names by number.
    """

    first: int = 0
    last: int = 0
    names: dict[Number, str] = field(default_factory=dict)

    def lists(self, line: ParsedLine) -> bool:
        """Return whether the table contains the number and the name of ``line``."""
        return self.names.get(line.number) == key(line.name)

    def is_group(self, line: ParsedLine) -> bool:
        """Return whether ``line`` is the heading of a group of rules ("4.2. Eine Karte tinten"),
        and not a rule with a number of two levels.
        """
        return len(line.number) == 2 and (line.is_brief or self.lists(line))

    def is_chapter(self, line: ParsedLine, following: Number, last: int, strict: bool) -> bool:
        """Return whether ``line`` is the heading of a chapter ("4. ZUGAKTIONEN"), and not a list
        item, date or rule.

        ``following`` is the next number of at least two levels, ``last`` the number of the previous
        chapter. ``strict`` is for parts without rules, where list items and dates are more likely.
        """
        if len(line.number) != 1 or not line.is_brief or line.is_date:
            return False
        listed, announced = self.lists(line), following[:1] == line.number
        succeeds = line.number[0] == last + 1 and line.after_blank
        if line.is_capitals and (announced or succeeds):
            return True
        if strict:
            return announced and (listed or succeeds)
        return listed or (announced and line.after_blank)


def find_contents(lines: Sequence[ParsedLine]) -> ContentsTable:
    """Return the table of contents in ``lines``: the first run of numbered headings without a rule
    between them, or an empty table.
    """
    first = 0
    while first < len(lines):
        line = lines[first]
        if len(line.number) > 2 and not line.is_brief:
            break  # the rules begin
        headed = _CONTENTS.fullmatch(line.plain) is not None and len(line.plain) < SHORT
        last = first + 1
        if headed or (line.number and line.is_brief):
            last, names = _run(lines, first + 1 if headed else first)
            if len(names) >= (1 if headed else _FEWEST):
                return ContentsTable(first, last, names)
        first = max(last, first + 1)
    return ContentsTable()


def _run(lines: Sequence[ParsedLine], first: int) -> tuple[int, dict[Number, str]]:
    # The items of a table of contents from index ``first``: the index after them, and the keys
    # of their names by number.
    names: dict[Number, str] = {}
    for index in range(first, len(lines)):
        line = lines[index]
        if line.number and line.is_brief:
            doubled = index > first and lines[index - 1].number == line.number
            if line.number in names and line.after_blank and not doubled:
                return index, names  # the heading of the first chapter
            names.setdefault(line.number, key(_unpaged(line.name)))
        elif not (
            names
            and line.is_brief
            and (line.has_bullet or _GLOSSARY.fullmatch(_unpaged(line.plain)))
        ):
            return index, names
    return len(lines), names


def _unpaged(name: str) -> str:
    # ``name`` without a page number at its end.
    return re.sub(r"(?:(?<![ .…·_])[ .…·_]+)?[0-9]{1,3}$", "", name) or name


def following_numbers(lines: Sequence[ParsedLine]) -> list[Number]:
    """Return, for each line, the next number of at least two levels after it, or ()."""
    numbers: list[Number] = []
    number: Number = ()
    for line in reversed(lines):
        numbers.append(number)
        number = line.number if len(line.number) > 1 else number
    return numbers[::-1]


def split_parts(lines: Sequence[ParsedLine], table: ContentsTable) -> list[Part]:
    """Split ``lines`` into parts, in document order."""
    following = following_numbers(lines)
    kind = PartKind.FRONT
    chapter = terms = 0
    capitals = False  # whether a term of the glossary is in capitals
    parts: list[Part] = []
    for index, line in enumerate(lines):
        before = kind
        inside = PartKind.FRONT if before is PartKind.CONTENTS else before
        strict = inside is not PartKind.RULES
        if table.first <= index < table.last:
            kind = PartKind.CONTENTS
        elif line.is_brief and not line.has_bullet and _GLOSSARY.fullmatch(line.name):
            kind, terms, capitals = PartKind.GLOSSARY, 0, False
        elif table.is_chapter(line, following[index], chapter, strict):
            kind, chapter = PartKind.RULES, line.number[0]
        elif inside is PartKind.FRONT and len(line.number) > 1:
            kind = PartKind.RULES
        elif inside is not PartKind.CHANGE_LOG and _begins_log(lines[index : index + 1 + _NEAR]):
            kind = PartKind.CHANGE_LOG
        else:
            kind = inside
            if inside is PartKind.GLOSSARY and line.is_heading:
                loud = line.is_capitals and not capitals and len(line.plain) > 4
                if terms >= _FEWEST and loud:
                    # An appendix after a glossary whose headings are not in capitals.
                    kind = PartKind.FRONT
                else:
                    terms, capitals = terms + 1, capitals or line.is_capitals
        if kind is not before or index == table.first < table.last or not parts:
            parts.append(Part(kind, []))
        parts[-1].lines.append(line)
    return parts


def _begins_log(lines: Sequence[ParsedLine]) -> bool:
    heading, *near = lines
    if not heading.is_heading or not near:
        return False
    if near[0].is_date and near[0].after_blank:
        return not any(map(str.isdigit, heading.plain))
    rules = any(len(line.number) > 1 and not line.is_brief for line in near)
    return rules and _LOG.match(heading.plain) is not None
