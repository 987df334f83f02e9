"""Reader of the single layout: one glossary entry, copied from an online handbook, with its title
in the first line.

Paragraphs are not indented; bullets and list numbers are. A short line without a full stop is the
heading of a part of the entry. A list of references at the end belongs to the whole entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.document import Document, Line
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.languages import any_of, get_language
from corpus.layouts.layout import Layout
from corpus.model import Corrections, Edition, Fault, Furniture, Kind, Role, Span
from corpus.paragraphs import paragraph_lines, paragraph_text

LARGEST = 40_000  # characters of a document; the longest entry of a handbook has a tenth of that
LONGEST_HEADING = 80
SHORT_LIST = 700  # characters up to which an ordered list and the sentence that introduces it are one passage

_BULLET = re.compile(r"([ \t]*)(?:[•●◦▪‣–*-]|(\d{1,2}[.)]|[a-z][.)]))[ \t]+(?=\S)")
_SEE = re.compile(
    rf"\s*[*_]*{any_of('references.see')}(?:\s+{any_of('references.also')})?[*_]*\s*:",
    re.IGNORECASE,
)
_ENDS = (".", "!", "?", ":", ";", ",")
_OTHER_LAYOUT = re.compile(r"\s*#|\W*\d+\.\d+\b|\s*[-=_]{5,}|[-–] ")
_CLOSED = re.compile(r"([^„“”»«\"()\n]{1,60})([“”])(?=[-\s,.;:)]|$)")


def score(document: Document) -> float:
    """A score from 0.0 to 1.0: 0.2 for a title without signs of other layouts, more for lists,
    subheadings and references at the end.
    """
    if len(document.text) > LARGEST:
        return 0.0
    blocks = _blocks(document, Corrections(document, ()))
    if not blocks:
        return 0.0
    foreign = sum(
        bool(_OTHER_LAYOUT.match(line.text)) or _in_capitals(line.text)
        for line in paragraph_lines(document)
    )
    if foreign >= max(2, len(blocks) // 20) or not _is_title(blocks[0]):
        return 0.0
    items = sum(block.indent > 0 and block.bullet for block in blocks)
    headings = sum(_is_heading(blocks, at) for at in range(1, len(blocks)))
    references = any(_SEE.match(block.text) for block in blocks[-2:])
    return 0.2 + 0.35 * (items > 0) + 0.2 * (headings > 0) + 0.25 * references


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the only entry of ``document``, with its parts as subsections."""
    rulebook = DraftRulebook()
    for line in paragraph_lines(document):
        if line.text.strip() and corrections.at(line.number, Fault.FURNITURE):
            rulebook.furniture.append(Furniture(Span(line.start, line.end), "correction"))
    blocks = _blocks(document, corrections)
    if not blocks:
        return rulebook
    first, *rest = blocks
    whole = DraftEntry(Kind.TERM, " ".join(first.text.split()), [first.span])
    current = whole  # the entry or its last part
    bullet: list[_SingleBlock] = []  # the bullet that sub-bullets belong to, with those read so far
    last_see = max((at for at, block in enumerate(rest) if _SEE.match(block.text)), default=-1)
    for at, block in enumerate(rest):
        if bullet and block.indent > bullet[0].indent:
            bullet.append(block)  # sub-bullets, and text of the bullet after them
            continue
        _add_bullet(current, bullet, document.text, edition.language)
        bullet = []
        if _SEE.match(block.text):
            # The last list is printed below the last part, but belongs to the whole entry.
            owner = whole if at == last_see else current
            owner.passages.append(DraftPassage([block.span], Role.SEE))
        elif block.bullet:
            bullet = [block]
        elif _is_subheading(blocks, at + 1, corrections):
            current = DraftEntry(Kind.SUBSECTION, " ".join(block.text.split()), [block.span])
            whole.children.append(current)
        else:
            current.passages.append(DraftPassage([block.span]))
    _add_bullet(current, bullet, document.text, edition.language)
    for entry in (whole, *whole.children):
        entry.passages = _join_short_lists(entry.passages, document.text)
    if not whole.children and all(passage.role is Role.SEE for passage in whole.passages):
        whole.kind = Kind.REDIRECT
    rulebook.entries.append(whole)
    return rulebook


@dataclass(frozen=True, slots=True)
class _SingleBlock:
    """A paragraph, or a bullet with all of its lines; ``line`` is the number of its first line.

    ``blanks`` are the characters of the text before its first sign, ``indent`` is its indentation.
    """

    span: Span
    text: str
    indent: int
    bullet: bool
    line: int
    blanks: int


def _blocks(document: Document, corrections: Corrections) -> list[_SingleBlock]:
    """The blocks of ``document`` in order, without furniture."""
    blocks: list[_SingleBlock] = []
    opened: list[Line] = []
    text = paragraph_text(document)

    def close() -> None:
        if opened:
            first = opened[0]
            span = Span(first.start, opened[-1].end)
            blanks = len(first.text) - len(first.text.lstrip())
            bullet = bool(_BULLET.match(first.text))
            indent = blanks + first.indent + (2 if bullet and document.extracted else 0)
            blocks.append(
                _SingleBlock(
                    span, text[span.start : span.end].strip(), indent, bullet, first.number, blanks
                )
            )

    for line in paragraph_lines(document):
        if not line.text.strip() or corrections.at(line.number, Fault.FURNITURE):
            close()
            opened = []
        elif not opened or _BULLET.match(line.text) or _SEE.match(line.text):
            close()
            opened = [line]
        else:
            opened.append(line)
    close()
    return blocks


def _is_title(block: _SingleBlock) -> bool:
    """Whether ``block`` can be a title or a subheading: a short line that is not indented, not a
    bullet and not a sentence.
    """
    text = block.text.split("\n")[0]
    return (
        not block.indent
        and not block.bullet
        and not _SEE.match(text)
        and len(text) <= LONGEST_HEADING
        and not text.endswith(_ENDS)
        and any(c.islower() for c in text)
    )


def _is_heading(blocks: list[_SingleBlock], at: int) -> bool:
    """Whether block ``at`` is a heading: a short line, not indented, followed by more than the list
    of references at the end.
    """
    block = blocks[at]
    following = blocks[at + 1] if at + 1 < len(blocks) else None
    return (
        _is_title(block)
        and "\n" not in block.text
        and not block.text[0].islower()
        and following is not None
        and not (at + 2 == len(blocks) and _SEE.match(following.text))
    )


def _is_subheading(blocks: list[_SingleBlock], at: int, corrections: Corrections) -> bool:
    if corrections.at(blocks[at].line, Fault.HEADING):
        return True
    return _is_heading(blocks, at) and not corrections.at(blocks[at].line, Fault.NOT_HEADING)


def _in_capitals(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return len(letters) > 3 and all(c.isupper() or c == "ß" for c in letters)


def _add_bullet(entry: DraftEntry, bullet: list[_SingleBlock], text: str, language: str) -> None:
    """Add a bullet with its sub-bullets to ``entry``, as one passage that may be split where
    sub-bullets begin.
    """
    if not bullet:
        return
    spans = _merge_touching([block.span for block in bullet], text)
    insertions = {
        offset: quote
        for block in bullet
        if block.bullet
        for offset, quote in _lost_quote(block, language)
    }
    insertions |= {
        block.span.start: "  " for block in bullet[1:] if block.bullet and not block.blanks
    }
    starts = [block.span.start for block in bullet[1:]]
    entry.passages.append(DraftPassage(spans, depth=1, insertions=insertions, split_points=starts))


def _merge_touching(spans: list[Span], text: str) -> list[Span]:
    """Merge spans with nothing but white space between them."""
    merged = spans[:1]
    for span in spans[1:]:
        if text[merged[-1].end : span.start].strip():
            merged.append(span)
        else:
            merged[-1] = Span(merged[-1].start, span.end)
    return merged


def _lost_quote(block: _SingleBlock, language: str) -> list[tuple[int, str]]:
    """The offset and the sign of an opening quotation mark that is missing at the beginning of a
    bullet; empty if none is.
    """
    match = _BULLET.match(block.text)
    if match is None:
        return []
    skip = match.end()
    closed = _CLOSED.match(block.text, skip)
    opening, closing = get_language(language).spelling.quotes
    if closed is None or closed.group(2) not in closing:  # “ opens a quotation in some languages
        return []
    return [(block.span.start + block.blanks + skip, opening)]


def _join_short_lists(passages: list[DraftPassage], text: str) -> list[DraftPassage]:
    """Join short ordered lists with the sentence before them that ends in a colon."""
    joined: list[DraftPassage] = []
    at = 0
    while at < len(passages):
        passage = passages[at]
        end = at + 1
        if (
            passage.depth == 0
            and passage.role is Role.TEXT
            and text.endswith(":", 0, passage.spans[-1].end)
        ):
            while end < len(passages) and _is_ordered_item(passages[end], text):
                end += 1
        items = passages[at + 1 : end]
        if items and items[-1].spans[-1].end - passage.spans[0].start <= SHORT_LIST:
            insertions = {
                offset: sign for item in items for offset, sign in item.insertions.items()
            }
            spans = _merge_touching(
                [span for part in (passage, *items) for span in part.spans], text
            )
            joined.append(DraftPassage(spans, insertions=insertions))
            at = end
        else:
            joined.append(passage)
            at += 1
    return joined


def _is_ordered_item(passage: DraftPassage, text: str) -> bool:
    start, end = passage.spans[0]
    match = _BULLET.match(text[start : min(end, start + 200)])
    return passage.depth > 0 and match is not None and match.group(2) is not None


LAYOUT = Layout(name="single", score=score, read=read, excerpt=True)
