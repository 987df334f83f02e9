"""Reader of the single layout: one glossary entry copied from an online handbook, with its title in
the first line.

Only bullets and list numbers are indented. A short line without a full stop is the heading of a
part of the entry. A list of references at the end belongs to the whole entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.document import Document, Line
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.languages import get_language
from corpus.layouts.layout import SEE, Layout, in_capitals
from corpus.model import Corrections, Edition, Fault, Furniture, Kind, Role, Span
from corpus.paragraphs import paragraph_lines, paragraph_text

LARGEST = 40_000  # characters of a document; the longest known entry has a tenth of this
LONGEST_HEADING = 80
SHORT_LIST = 700  # characters of an ordered list that is one passage with the sentence before it

_BULLET = re.compile(r"([ \t]*)(?:[•●◦▪‣–*-]|(\d{1,2}[.)]|[a-z][.)]))[ \t]+(?=\S)")
_SEE = re.compile(rf"\s*[*_]*{SEE}[*_]*\s*:", re.IGNORECASE)
_ENDS = (".", "!", "?", ":", ";", ",")
_OTHER_LAYOUT = re.compile(r"\s*#|\W*\d+\.\d+\b|\s*[-=_]{5,}|[-–] ")
_CLOSED = re.compile(r"([^„“”»«\"()\n]{1,60})([“”])(?=[-\s,.;:)]|$)")


def score(document: Document) -> float:
    """Return a score from 0.0 to 1.0: 0.2 for a title without signs of other layouts, and more for
    lists, subheadings and references at the end.
    """
    if len(document.text) > LARGEST:
        return 0.0
    blocks = _blocks(document, Corrections(document, ()))
    foreign = sum(
        bool(_OTHER_LAYOUT.match(line.text))
        or (in_capitals(line.text) and sum(map(str.isalpha, line.text)) > 3)
        for line in paragraph_lines(document)
    )
    if not blocks or foreign >= max(2, len(blocks) // 20) or not blocks[0].is_title:
        return 0.0
    items = any(block.indent > 0 and block.bullet for block in blocks)
    headings = any(_is_heading(blocks, at) for at in range(1, len(blocks)))
    references = any(_SEE.match(block.text) for block in blocks[-2:])
    return 0.2 + 0.35 * items + 0.2 * headings + 0.25 * references


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read ``document`` as a single entry, with its parts as subsections."""
    furniture = [
        Furniture(Span(line.start, line.end), "correction")
        for line in paragraph_lines(document)
        if line.text.strip() and corrections.at(line.number, Fault.FURNITURE)
    ]
    blocks, text = _blocks(document, corrections), document.text
    if not blocks:
        return DraftRulebook(furniture=furniture)
    whole = DraftEntry(Kind.TERM, " ".join(blocks[0].text.split()), [blocks[0].span])
    last_see = max((at for at, block in enumerate(blocks) if _SEE.match(block.text)), default=0)
    current = whole  # the entry or its last part
    at = 1
    while at < len(blocks):
        block, end = blocks[at], at + 1
        if _SEE.match(block.text):
            # The last list is printed below the last part, but belongs to the whole entry.
            owner = whole if at == last_see else current
            owner.passages.append(DraftPassage([block.span], Role.SEE))
        elif block.bullet:
            while end < len(blocks) and blocks[end].indent > block.indent:
                end += 1  # sub-bullets, and text of the bullet after them
            current.passages.append(_bullet_passage(blocks[at:end], text, edition.language))
        elif corrections.at(block.line, Fault.HEADING) or (
            _is_heading(blocks, at) and not corrections.at(block.line, Fault.NOT_HEADING)
        ):
            current = DraftEntry(Kind.SUBSECTION, " ".join(block.text.split()), [block.span])
            whole.children.append(current)
        else:
            current.passages.append(DraftPassage([block.span]))
        at = end
    for entry in (whole, *whole.children):
        entry.passages = _join_short_lists(entry.passages, text)
    if not whole.children and all(passage.role is Role.SEE for passage in whole.passages):
        whole.kind = Kind.REDIRECT
    return DraftRulebook([whole], furniture)


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, or a bullet with all of its lines. ``line`` is the number of its first line,
    ``blanks`` the length of the white space before the text, ``indent`` its indentation.
    """

    span: Span
    text: str
    indent: int
    bullet: bool
    line: int
    blanks: int

    @property
    def is_title(self) -> bool:
        """Whether the block begins with a short line, not indented, no bullet and no sentence."""
        first = self.text.split("\n")[0]
        return (
            not self.indent
            and not self.bullet
            and not _SEE.match(first)
            and len(first) <= LONGEST_HEADING
            and not first.endswith(_ENDS)
            and any(map(str.islower, first))
        )


def _blocks(document: Document, corrections: Corrections) -> list[_Block]:
    groups: list[list[Line]] = [[]]
    for line in paragraph_lines(document):
        if not line.text.strip() or corrections.at(line.number, Fault.FURNITURE):
            groups.append([])
        elif _BULLET.match(line.text) or _SEE.match(line.text):
            groups.append([line])
        else:
            groups[-1].append(line)
    text, blocks = paragraph_text(document), []
    for lines in filter(None, groups):
        first = lines[0]
        span = Span(first.start, lines[-1].end)
        blanks = len(first.text) - len(first.text.lstrip())
        bullet = bool(_BULLET.match(first.text))
        indent = blanks + first.indent + (2 if bullet and document.extracted else 0)
        content = text[span.start : span.end].strip()
        blocks.append(_Block(span, content, indent, bullet, first.number, blanks))
    return blocks


def _is_heading(blocks: Sequence[_Block], at: int) -> bool:
    # A title in one line, followed by more than the final list of references.
    text, following = blocks[at].text, blocks[at + 1 :]
    title = blocks[at].is_title and "\n" not in text and not text[0].islower()
    return (
        title
        and bool(following)
        and not (len(following) == 1 and bool(_SEE.match(following[0].text)))
    )


def _bullet_passage(blocks: Sequence[_Block], text: str, language: str) -> DraftPassage:
    # A bullet with its sub-bullets, as one passage that may be split before sub-bullets.
    passage = DraftPassage([blocks[0].span], depth=1)
    opening, closing = get_language(language).spelling.quotes
    for block in blocks:
        if match := _BULLET.match(block.text):
            closed = _CLOSED.match(block.text, match.end())
            # “ opens a quotation in some languages.
            if closed and closed.group(2) in closing:
                passage.insertions[block.span.start + block.blanks + match.end()] = opening
    for block in blocks[1:]:
        passage.extend(block.span, text)
        passage.split_points.append(block.span.start)
        if block.bullet and not block.blanks:
            passage.insertions[block.span.start] = "  "
    return passage


def _join_short_lists(passages: Sequence[DraftPassage], text: str) -> list[DraftPassage]:
    # Short ordered lists are joined with the sentence before them that ends in a colon.
    joined: list[DraftPassage] = []
    at = 0
    while at < len(passages):
        passage, end = passages[at], at + 1
        leads = passage.depth == 0 and passage.role is Role.TEXT
        if leads and text.endswith(":", 0, passage.end):
            while end < len(passages) and _is_ordered_item(passages[end], text):
                end += 1
        if end > at + 1 and passages[end - 1].end - passage.start <= SHORT_LIST:
            for item in passages[at + 1 : end]:
                passage.join(item, text)
            at = end
        else:
            at += 1
        joined.append(passage)
    return joined


def _is_ordered_item(passage: DraftPassage, text: str) -> bool:
    start, end = passage.spans[0]
    match = _BULLET.match(text[start : min(end, start + 200)])
    return passage.depth > 0 and match is not None and match.group(2) is not None


LAYOUT = Layout(name="single", score=score, read=read, excerpt=True)
