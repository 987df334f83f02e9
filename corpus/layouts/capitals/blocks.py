"""Splits a document in the capitals layout into headings, blocks of text, and furniture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from corpus.document import Document, Line
from corpus.draft import DraftRulebook
from corpus.languages import any_of
from corpus.layouts.layout import SEE
from corpus.model import Corrections, Fault, Furniture, Kind, Span
from corpus.paragraphs import paragraph_lines

LONGEST_HEADING = 120  # characters; a longer line in capitals is emphasised text
HEADING_LINES = 3
_LIST_INDENT = 2  # blanks, at least
FIGURE_GAP = 3  # blank lines in place of a figure; there is one between paragraphs

_LATEX = re.compile(r"\\[A-Za-z]+")
_VERSION = re.compile(
    rf"\s*{any_of('labels.version', 'labels.edition', 'labels.as_of')}\b[^\d\n]{{0,20}}\d",
    re.IGNORECASE,
)
_SEE = re.compile(rf"[\s*_•–-]{{0,8}}{SEE}[*_]{{0,3}}\s?:", re.IGNORECASE)
_QUESTION = re.compile(rf"[\s*_]{{0,6}}{any_of('labels.question')}\s?\d{{0,3}}[*_]{{0,3}}\s?:")
_ANSWER = re.compile(rf"[\s*_]{{0,6}}{any_of('labels.answer')}\s?\d{{0,3}}[*_]{{0,3}}\s?:")
_BULLET = re.compile(r"(?<!\s)\s*+[-–•➤►▶>✦»*]\s")
_NO_HEADINGS = (_BULLET, _SEE, _QUESTION, _ANSWER)
_ENDS = re.compile(r"[.!?:…][)\]\"”“»'’*_]*\s*$|[)\]\"”“»]\s*$")
_DANGLING = re.compile(rf"\b{any_of('sentences.never_last')}[,;]?$", re.IGNORECASE)


@dataclass
class Block:
    """Consecutive lines with text; ``gap`` is the number of blank lines above them."""

    lines: list[Line]
    gap: int

    @property
    def first(self) -> str:
        """The text of the first line."""
        return self.lines[0].text


@dataclass
class Heading:
    """A heading, and the blocks between it and the next heading; ``kind`` is the kind of entry
    according to a correction.
    """

    lines: list[Line]
    gap: int
    kind: Kind | None = None
    body: list[Block] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The heading as printed, with its lines joined by spaces."""
        return " ".join(" ".join(line.text.split()) for line in self.lines)

    @property
    def spans(self) -> list[Span]:
        """The spans of the lines of the heading."""
        return [Span(line.start, line.end) for line in self.lines]

    def blocks(self) -> list[Block]:
        """Return the heading and its body as blocks of text, for sections without headings."""
        if self.body and not self.body[0].gap:
            return [Block([*self.lines, *self.body[0].lines], self.gap), *self.body[1:]]
        return [Block(self.lines, self.gap), *self.body]


def is_capitals(text: str) -> bool:
    """Return whether the line ``text`` can be a heading: short, without lower-case letters, and not
    a bullet, list of references or question.
    """
    if not text or len(text) > LONGEST_HEADING:
        return False
    plain = _LATEX.sub("", text).replace("ß", "")
    if any(map(str.islower, plain)) or not any(map(str.isupper, plain)):
        return False
    return not any(pattern.match(text) for pattern in _NO_HEADINGS)


def is_references(text: str) -> bool:
    """Return whether the line ``text`` begins a list of references ("Siehe auch: …")."""
    return _SEE.match(text) is not None


def is_question(text: str) -> bool:
    """Return whether the line ``text`` begins a question ("F: …")."""
    return _QUESTION.match(text) is not None


def is_unfinished(text: str) -> bool:
    """Return whether ``text`` ends without punctuation that ends a sentence."""
    return bool(text.strip()) and not _ENDS.search(text.rstrip()[-8:])


def continues_sentence(before: str, after: str) -> bool:
    """Return whether the paragraph ``after`` continues the sentence at the end of ``before``.

    It does if it begins with a small letter, or if ``before`` ends with a word that cannot end a
    sentence (in German, the next word may be a noun with a capital).
    """
    before = before.rstrip().rstrip("*_")
    if not is_unfinished(before):
        return False
    start = after.lstrip(' \t*_"„“»«([')[:1]
    if start.islower() or (before[-1:] in "-\u00ad" and before[-2:-1].isalpha()):
        return True
    return _DANGLING.search(before[-40:]) is not None


def split_headings(
    document: Document, corrections: Corrections, rulebook: DraftRulebook
) -> tuple[list[Block], list[Heading]]:
    """Split ``document`` into the blocks above the first heading, and the headings with the blocks
    below them.

    Lines that corrections call furniture, version lines, and captions inside a sentence are added
    to the furniture of ``rulebook``.
    """
    preface: list[Block] = []
    headings: list[Heading] = []
    for block in _blocks(document, corrections, rulebook):
        forced = corrections.at(block.lines[0].number, Fault.HEADING)
        count = 0
        for line in block.lines:
            plain = is_capitals(line.text.strip())
            if corrections.at(line.number, Fault.NOT_HEADING):
                plain = False
            if not plain and (count or not forced):
                break
            count += 1
        count = count if count <= HEADING_LINES else 0
        if count and not forced and _is_indented_list(block, count):
            count = 0
        if count:
            kind = Kind(forced.meant) if forced and forced.meant in tuple(Kind) else None
            headings.append(Heading(block.lines[:count], block.gap, kind))
        if rest := block.lines[count:]:
            body = headings[-1].body if headings else preface
            body.append(Block(rest, 0 if count else block.gap))
    return preface, _without_captions(headings, figure_gap(document), rulebook)


def _is_indented_list(block: Block, capitals: int) -> bool:
    """Return whether ``block`` is a list like "ACE / KING (13) / …": its lines are indented alike,
    and only the first ``capitals`` of them are in capitals.
    """
    indents = {len(line.text) - len(line.text.lstrip()) for line in block.lines}
    return len(block.lines) > capitals and len(indents) == 1 and min(indents) >= _LIST_INDENT


def _blocks(document: Document, corrections: Corrections, rulebook: DraftRulebook) -> list[Block]:
    blocks: list[Block] = []
    gap, inside, title = 0, False, True
    for line in paragraph_lines(document):
        if not line.text.strip():
            inside, gap = False, gap + 1
            continue
        title = title and is_capitals(line.text.strip())
        correction = corrections.at(line.number, Fault.FURNITURE)
        if correction or (title and _VERSION.match(line.text)):
            why = correction.why if correction else "version of the rulebook"
            rulebook.furniture.append(Furniture(Span(line.start, line.end), why))
            inside, gap = False, gap + 1
            continue
        if inside or (line.close and blocks):
            blocks[-1].lines.append(line)
        else:
            blocks.append(Block([line], gap))
        inside, gap = True, 0
    return blocks


def figure_gap(document: Document) -> int:
    """Return the least number of blank lines that stand for a figure in ``document``; in extracted
    text it is 1, as between all paragraphs.
    """
    return FIGURE_GAP if document.extracted is None else 1


def _without_captions(
    candidates: Sequence[Heading], figure: int, rulebook: DraftRulebook
) -> list[Heading]:
    # Captions of figures interrupt a sentence; the text below them belongs to the heading above.
    headings: list[Heading] = []
    for heading in candidates:
        above = headings[-1].body[-1].lines[-1].text if headings and headings[-1].body else ""
        if (
            heading.gap >= figure
            and heading.kind is None
            and heading.body
            and not is_references(above)
            and continues_sentence(above, heading.body[0].first)
        ):
            rulebook.furniture += [Furniture(span, "caption of a figure") for span in heading.spans]
            headings[-1].body += heading.body
        else:
            headings.append(heading)
    return headings
