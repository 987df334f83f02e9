"""Parses the lines of a numbered rulebook: bullet, number and name at the beginning of each;
recognises furniture.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from corpus.document import Document, Line
from corpus.languages import any_of
from corpus.model import Corrections, Fault, Furniture, Span
from corpus.paragraphs import paragraph_lines

SHORT = 80  # characters of the longest heading

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
_PAGE = re.compile(
    rf"\W*(?:{any_of('references.page')}[ \t]*)?[0-9]{{1,3}}(?:[ \t]*(?:/|{any_of('references.of_pages')})[ \t]*[0-9]{{1,3}})?[^\w.]*",
    re.IGNORECASE,
)
_ORNAMENT = re.compile(r"[-–—*_=•·.~#|+>\s\ufeff]+")
_DATE = re.compile(
    r"\W*(?:[0-9]{1,2}\.?[ \t]+[^\W\d_]{3,10}[ \t]+[0-9]{4}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4})\W*"
)
_SEE = re.compile(
    rf"[*_\s]*{any_of('references.see')}(?:[*_ ]+{any_of('references.also')})?[*_\s]*:",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    rf"(?:\b{any_of('references.section', 'references.see')}|[0-9]\.?\s+{any_of('references.until', 'sentences.conjunctions')})\s*$",
    re.IGNORECASE,
)
# Dots that lead to a page number, from the first of them.
_LEADERS = re.compile(
    r"(?:(?<!\s)\s+)?(?<![.…·_])(?<![.…·_]\s)(?>(?:[.…·_]\s?){4,})\s*+[0-9]{0,4}\s*$"
)
_CLOSERS = "“”»«\"'’)]}"


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line with text, parsed.

    ``bullet_start`` is the offset in the document of its bullet, ``start`` that of the text behind
    the bullet (the same if it has none), ``end`` that of its end, ``indent`` its indentation in
    characters. ``text`` is the printed text from ``start`` on, ``plain`` the same without Markdown
    signs. ``after_blank`` says whether a blank line or furniture is above it. ``number`` is the
    number that it begins with, ``name`` the text behind the number without Markdown signs.
    Corrections set ``corrected_kind``, the kind of the entry of which the line is the heading, and
    ``continues_text``, if it continues the text above it.
    """

    line_number: int
    bullet_start: int
    start: int
    end: int
    indent: int
    text: str
    plain: str
    after_blank: bool
    number: Number | None
    name: str
    corrected_kind: str | None = None
    continues_text: bool = False

    @property
    def has_bullet(self) -> bool:
        """Whether the line begins with a bullet sign."""
        return self.bullet_start < self.start

    @property
    def is_example(self) -> bool:
        """Whether the line begins an example."""
        return _EXAMPLE.match(self.text) is not None

    @property
    def is_see_list(self) -> bool:
        """Whether the line is nothing but a list of references."""
        return len(self.text) < 4 * SHORT and _SEE.match(self.text) is not None

    @property
    def is_brief(self) -> bool:
        """Whether the line is short and does not end like a sentence, as headings and items of a
        contents table.
        """
        return (
            len(self.plain) <= SHORT
            and not ends_sentence(self.plain)
            and any(c.isalpha() for c in self.plain)
        )

    @property
    def is_heading(self) -> bool:
        """Whether the line looks like a heading without a number."""
        bare = self.after_blank and self.number is None and not self.has_bullet
        return self.corrected_kind is not None or (
            bare and self.is_brief and not self.is_example and not self.is_see_list
        )

    @property
    def is_capitals(self) -> bool:
        """Whether the name has at least two letters, all of them capitals."""
        letters = [c for c in self.name if c.isalpha()]
        return len(letters) > 1 and all(c.isupper() or c == "ß" for c in letters)

    @property
    def is_date(self) -> bool:
        """Whether the line is nothing but a date."""
        return _DATE.fullmatch(self.plain) is not None

    @property
    def span(self) -> Span:
        """The line's text without its bullet."""
        return Span(self.start, self.end)


def ends_sentence(text: str) -> bool:
    """Whether ``text`` ends like a sentence or a lead-in ("…:")."""
    return text.rstrip().rstrip("*_ " + _CLOSERS).endswith((".", "!", "?", ":", ";", "…"))


def continues_sentence(before: str, after: NumberedLine) -> bool:
    """Whether the line ``after`` continues an unfinished sentence at the end of ``before``."""
    if after.continues_text:
        return True
    if after.is_example or ends_sentence(before):
        return False
    if after.plain[:1].islower():
        return True
    return (
        len(before) > SHORT
        and not after.has_bullet
        and not before.rstrip(" *_").endswith(tuple(_CLOSERS))
    )


def read_lines(
    document: Document, corrections: Corrections, furniture: list[Furniture]
) -> list[NumberedLine]:
    """Parse the lines of ``document`` that have text, and apply corrections.

    Page numbers, ornaments and lines that corrections call furniture are added to ``furniture``
    instead.
    """
    lines: list[NumberedLine] = []
    after_blank = True
    styles = [
        match.group("dot")
        for line in paragraph_lines(document)
        if (match := _BARE.match(line.text))
    ]
    dotted = 2 * styles.count(".") >= len(
        styles
    )  # most numbers at the beginning of a line end in a full stop: "4.2."
    for line in paragraph_lines(document):
        if not line.text.strip():
            after_blank = True
            continue
        if why := _furniture(line, corrections):
            furniture.append(Furniture(Span(line.start, line.end), why))
            after_blank = True
            continue
        parsed = _read_line(line, after_blank, dotted)
        lines.append(_corrected(parsed, corrections, lines[-1].text if lines else ""))
        after_blank = False
    return lines


def _furniture(line: Line, corrections: Corrections) -> str:
    """The reason why ``line`` is furniture; "" if it is text of the rulebook."""
    if correction := corrections.at(line.number, Fault.FURNITURE):
        return correction.why
    if _ORNAMENT.fullmatch(line.text):
        return "rule or ornament"
    return "page number" if len(line.text) <= SHORT and _PAGE.fullmatch(line.text) else ""


def _read_line(line: Line, after_blank: bool, dotted: bool) -> NumberedLine:
    sign = _SIGN.match(line.text)
    skip = sign.end() if sign else 0
    indent = len(line.text) - len(line.text.lstrip())
    body = line.text[skip:]
    unled = _LEADERS.sub("", body) if len(body) <= 4 * SHORT else body
    plain = _MARKDOWN.sub("", unled).strip() if len(body) <= 4 * SHORT else body.strip()
    number, name = _numbered(unled, dotted)
    start = line.start + max(skip, indent)
    return NumberedLine(
        line_number=line.number,
        bullet_start=line.start + indent,
        start=start,
        end=line.end,
        indent=indent + line.indent,
        text=body,
        plain=plain,
        after_blank=after_blank,
        number=number,
        name=name or plain,
    )


def _numbered(body: str, dotted: bool) -> tuple[Number | None, str]:
    """The number that ``body`` begins with (None if it has none), and the name behind it without
    Markdown signs.
    """
    match = _NUMBER.match(body)
    if match is None:
        return None, ""
    number = tuple(int(n) for n in match.group(1).split("."))
    name = _MARKDOWN.sub("", body[match.end() :]).strip()
    fewest = (
        3 if dotted else 2
    )  # levels of a number that may lack its full stop: "2.5" may be a figure
    if not match.group(2) and (
        len(number) < fewest or not name or name[0].islower() or name[0] in ".,;:)%"
    ):
        return None, ""  # a figure inside a sentence, not the number of a rule
    return number, name


def _corrected(line: NumberedLine, corrections: Corrections, before: str) -> NumberedLine:
    """``line`` with corrections applied; ``before`` is the text of the line before."""
    if (
        line.number
        and len(line.number) > 1
        and before
        and not ends_sentence(before)
        and _DANGLING.search(before[-20:])
    ):
        line = replace(
            line, number=None, name=line.plain
        )  # "… siehe Abschnitt" | "4.2. …" divided by a page break
    if number := corrections.at(line.line_number, Fault.NUMBER):
        digits = re.findall(r"[0-9]{1,3}", str(number.meant))
        line = replace(line, number=tuple(int(d) for d in digits) or None)
    if corrections.at(line.line_number, Fault.NOT_HEADING):
        line = replace(line, number=None, name=line.plain, after_blank=False)
    if heading := corrections.at(line.line_number, Fault.HEADING):
        line = replace(line, corrected_kind=str(heading.meant))
    if corrections.at(line.line_number, Fault.TORN):
        line = replace(line, number=None, name=line.plain, after_blank=False, continues_text=True)
    return line
