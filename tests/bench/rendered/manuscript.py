"""A rulebook's text as what a typesetter is given: headings, paragraphs and items of lists, with bold and italic words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from corpus.document import Document, Line
from corpus.model import Entry, Kind, Role, Rulebook

_EMPHASIS = re.compile(r"\*\*(?=\S)(?P<bold>[^*\n]+?)(?<=\S)\*\*|(?<![\w*])\*(?=\S)(?P<italic>[^*\n]+?)(?<=\S)\*(?![\w*])")
_LINK = re.compile(r"\[([^\[\]\n]+)\]\([^()\n]*\)")
_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)|<[^<>\n]+>|[-*_=]{3,}")
_BULLET = re.compile(r"(?P<bullet>[-*•✦➤>–▪○])\s+(?=\S)")
_NUMBER = re.compile(r"(?:\*\*)?(?P<number>\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})+|[a-z][.)])(?:\*\*)?\s+(?=\S)")
_PLAIN_BULLETS = "-*•–▪"


class Run(NamedTuple):
    """Words that look alike."""

    text: str
    bold: bool = False
    italic: bool = False


@dataclass(frozen=True)
class Element:
    """A heading (``level`` from 1), an item of a list (``mark``, ``depth`` from 1), a line of the contents, or a paragraph.

    ``space`` says that there is an empty line above it, ``line`` is the first line of the text that it stands on.
    """

    runs: tuple[Run, ...]
    line: int
    level: int = 0
    mark: str = ""
    depth: int = 0
    contents: bool = False
    space: bool = False

    @property
    def text(self) -> str:
        """What it says, without its mark."""
        return "".join(run.text for run in self.runs)


def manuscript(rulebook: Rulebook, signs: bool = False) -> list[Element]:
    """The elements of ``rulebook``; with ``signs`` those of Markdown stay in the text."""
    document = rulebook.document
    headings = _heading_lines(rulebook)
    listed = {n for p in rulebook.passages if p.role is Role.LISTING for n in range(p.lines.first, p.lines.last + 1)}
    found: list[Element] = []
    space, above = False, 0  # the number of the line before, if it belongs to a heading
    for line in document.lines:
        text = line.text.strip()
        if not text or (not signs and _PICTURE.fullmatch(text)):
            space = True
            continue
        if line.number in headings:
            level, entry = headings[line.number]
            plain = text if signs else _without_signs(text)
            if found and above == entry and found[-1].level:
                found[-1] = replace(found[-1], runs=(Run(f"{found[-1].text} {plain}"),))
            else:
                found.append(Element((Run(plain),), line.number, level, space=space))
            above = entry
        else:
            found.append(_element(line, signs, space, line.number in listed))
            above = 0
        space = False
    return found


def _heading_lines(rulebook: Rulebook) -> dict[int, tuple[int, int]]:
    """For each line that is a heading its level and the first line of the heading."""
    depths: dict[str, int] = {}
    found: dict[int, tuple[int, int]] = {}
    for entry in rulebook.entries:
        depths[entry.id] = depths.get(entry.parent or "", 0) + 1
        for line, first in _lines_of(entry, rulebook.document):
            found[line] = min(depths[entry.id], 3), first
    for each in rulebook.furniture:
        if each.why == "title page":
            first = rulebook.document.line_at(each.span.start)
            if rulebook.document.line(first).text.startswith("#"):
                found[first] = 1, first
    return found


def _lines_of(entry: Entry, document: Document) -> Iterator[tuple[int, int]]:
    if entry.kind is Kind.RULE and not entry.heading_spans:
        return
    first = 0
    for start, end in entry.heading_spans:
        for number in range(document.line_at(start), document.line_at(end - 1) + 1):
            first = first or number
            yield number, first


def _without_signs(text: str) -> str:
    text = re.sub(r"^#{1,6}\s+", "", text)
    return _LINK.sub(r"\1", re.sub(r"\*+", "", text) if text.count("*") > 1 else text).strip()


def _element(line: Line, signs: bool, space: bool, contents: bool) -> Element:
    """The paragraph or item of a list in ``line``."""
    text, mark, depth = line.text.strip(), "", 0
    indent = len(line.text.expandtabs(4)) - len(line.text.expandtabs(4).lstrip())
    if bullet := _BULLET.match(text):
        mark, depth = bullet["bullet"], 1 + (indent + 1) // 2 + (0 if bullet["bullet"] in _PLAIN_BULLETS else 1)
        text = text[bullet.end() :]
        if not signs and (inner := _BULLET.match(text)):
            mark, text, depth = inner["bullet"], text[inner.end() :], depth + 1
    if number := _NUMBER.match(text):
        printed = text[: number.end()].strip() if signs else number["number"]
        mark = f"{mark} {printed}".strip() if signs else printed
        text, depth = text[number.end() :], max(depth, 1)
    runs = (Run(text),) if signs else tuple(_runs(_LINK.sub(r"\1", text)))
    return Element(runs, line.number, mark=mark, depth=min(depth, 4), contents=contents, space=space)


def _runs(text: str) -> Iterator[Run]:
    at = 0
    for match in _EMPHASIS.finditer(text):
        if match.start() > at:
            yield Run(text[at : match.start()])
        yield Run(match["bold"], bold=True) if match["bold"] else Run(match["italic"], italic=True)
        at = match.end()
    if at < len(text):
        yield Run(text[at:])
