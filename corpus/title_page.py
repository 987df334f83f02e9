"""Finds the title of a document: printed at its top, or stored in the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial

from corpus.blocks import Block, BlockKind
from corpus.display import display
from corpus.document import Document
from corpus.formats.lines import front_title
from corpus.imprint import is_address, is_dated, is_imprint, undated
from corpus.languages import any_of
from corpus.titles import title as readable

LONGEST_TITLE = 100  # characters
_LONGEST_PRINTED = 200  # the same, for a title in larger print than the text

_FIRST_BLOCKS = 20  # the title is among these
_NEAR = 4  # lines; the title may be among these below the name of a club
_LARGER = 1.15  # times the size of the text: a title
_COVER = 2.0  # the same, for further lines of a title below the largest line of a cover
_LONGEST_BLOCK = 250  # characters of a block of a title page
_SENTENCE = 5  # words that end with a full stop, at least

_CONTENTS = re.compile(rf"{any_of('sections.contents', 'sections.index')}\W*", re.IGNORECASE)
_FILE_NAME = re.compile(r"\.\w{2,4}$|^(?:untitled|document\d*|microsoft word\b.*)$", re.IGNORECASE)
_PREFACE = re.compile(rf"{any_of('sections.preface')}\W*", re.IGNORECASE)
_RULES = re.compile(any_of("documents.rules"), re.IGNORECASE)
_GAZETTE = re.compile(any_of("documents.gazettes"), re.IGNORECASE)
_CLUB = re.compile(rf"(?<!\w){any_of('documents.clubs')}(?!\w)", re.IGNORECASE)
_PAGE = re.compile(
    rf"\W*+(?:{any_of('references.page')}\W*+)?\d{{1,4}}"
    rf"(?:\W*+(?:{any_of('references.of_pages')}\W*+)?\d{{1,4}})?\W*+",
    re.IGNORECASE,
)
# Licences are quoted in English, and continue in the next lines.
_NOTICE = re.compile(
    r"\W*(?:This|These) (?:[\w’'-]+ ){1,4}(?:is|are) "
    r"(?:free (?:software|documentation|content)|licen[cs]ed|released|distributed|made available)\b"
    r"|\W*(?:Permission is hereby granted|Redistribution and use)\b",
    re.IGNORECASE,
)
# "To rule is to serve", and its author: - Anna Beispiel -
_MOTTO = re.compile(
    r"[\"“”„«»‚‘'][^\"“”„«»]{25,}[\"“”„«»‘’']\W{0,2}|[-–—~]\s?[^\W\d_][^–—~]{2,60}[-–—~]"
)
_SIGNS = re.compile(r"<[^<>]{0,400}>|!?\[([^\[\]]{0,200})\]\([^()]{0,300}\)|[*_#=\ufeff]")
_IN_BRACKETS = re.compile(r"(?<!\s)\s*\(([^()]{1,60})\)\Z")
_LAST_BRACKET = re.compile(r"(?<!\s)\s*\([^()]{1,200}\)\Z")
_PICTURE = re.compile(r"!\[[^\[\]]{0,200}\](?:\([^()]{0,300}\)|\[[^\[\]]{0,100}\])")
_NUMBERED = re.compile(
    rf"\W*(?:{any_of('labels.numbering')}\s+(?:\d|[IVX]+\b)|§|\d{{1,3}}(?:\.\d+)*[.)]\s)",
    re.IGNORECASE,
)
_TITLE_KINDS = (BlockKind.PARAGRAPH, BlockKind.HEADING)


def title_of(document: Document) -> str:
    """Return the title of ``document``, or "" if it has none.

    If font sizes are known, it is the largest line of the first page, unless later lines are as
    large. Otherwise it is the only heading of the topmost level; otherwise the first line, but if
    there are headings, the title stored in the file has priority. Licences, versions, addresses,
    dates, prefaces, contents, pictures and page numbers are not titles, nor is the name of a club,
    gazette or website above the title of the rules.
    """
    blocks = [block for block in document.blocks if block.kind is not BlockKind.FURNITURE]
    if printed := _largest(document, blocks):
        return printed
    said = document.extracted.title if document.extracted else front_title(document.text)
    own = "" if _FILE_NAME.search(said) else _plain(said)[:LONGEST_TITLE]
    if blocks and blocks[0].kind is BlockKind.CONTENTS:  # pandoc puts them above the title
        blocks = [block for block in blocks if block.kind is not BlockKind.CONTENTS]
    marked = [block for block in blocks if block.kind is BlockKind.HEADING and block.level]
    at = blocks.index(marked[0]) if marked else _FIRST_BLOCKS
    alone = at < _FIRST_BLOCKS and all(block.level > marked[0].level for block in marked[1:])
    first = alone and not any(map(partial(_begins_text, document), blocks[:at]))
    if first and (lines := _title_lines(document, blocks[at : at + _NEAR])):
        return _chosen(lines)
    printed = _chosen(_title_lines(document, blocks[:_FIRST_BLOCKS]))
    return own or printed if marked else printed or own


def _begins_text(document: Document, block: Block) -> bool:
    """Return whether ``block`` cannot be part of a title page."""
    text = document.text[slice(*block.span)]
    if block.kind not in _TITLE_KINDS or len(text) > _LONGEST_BLOCK:
        return not is_imprint(text)
    plain = _plain(text)
    return bool(_CONTENTS.fullmatch(plain) or _NUMBERED.match(plain))


def _title_lines(document: Document, blocks: Sequence[Block]) -> list[str]:
    """Return the lines of ``blocks`` that can be a title, up to the first line of text."""
    found: list[str] = []
    for block in blocks:
        if _begins_text(document, block):
            break
        for line in document.text[slice(*block.span)].splitlines():
            plain = _plain(line)
            if any((_CONTENTS.fullmatch(plain), _NUMBERED.match(plain), _NOTICE.match(plain))):
                return found
            if _is_title(plain):
                found.append(plain)
            elif _is_sentence(plain) and not is_imprint(plain):
                return found
    return found


def _is_title(text: str, longest: int = LONGEST_TITLE) -> bool:
    """Return whether the line ``text``, without markup, can be a title."""
    return (
        sum(map(str.isalpha, text)) > 1
        and len(text) <= longest
        and not _is_sentence(text)
        and not _MOTTO.fullmatch(text)
        and not _CONTENTS.fullmatch(text)
        and not _PREFACE.fullmatch(text)
        and not _PAGE.fullmatch(text)
        and not is_address(text)
        and not is_imprint(text)
        and not is_dated(text)
        and not _is_gazette(text)
    )


def _is_gazette(text: str) -> bool:
    return bool(_GAZETTE.search(text)) and not _RULES.search(text)


def _is_sentence(text: str) -> bool:
    return text.endswith((".", ";", ",")) and len(text.split()) >= _SENTENCE


def _chosen(lines: Sequence[str]) -> str:
    """Return the title among ``lines``: the first, or that of rules below the name of a club."""
    title = undated(lines[0]) if lines else ""
    if _CLUB.search(title) and not _RULES.search(title):
        title = next(filter(_RULES.search, lines[:_NEAR]), title)
    ending = _IN_BRACKETS.search(title)
    return title[: ending.start()] if ending and is_imprint(ending[1]) else title


def _plain(text: str) -> str:
    return " ".join(_SIGNS.sub(r"\1", _PICTURE.sub("", text)).split())


def _largest(document: Document, blocks: Sequence[Block]) -> str:
    """Return the lines in the largest print of the first page, joined, or "" if they are no title.

    If the page has the name of a gazette, all first blocks are searched. Later lines in the same
    size show that the largest lines are chapter headings; one such line is tolerated if the size is
    that of a cover, because a part of the document may have its own.
    """
    sized = [block for block in blocks if block.size]
    sizes: Counter[float] = Counter()
    for block in sized:
        sizes[block.size] += block.span.end - block.span.start
    text_size = sizes.most_common(1)[0][0] if sizes else 0.0
    texts = [(b, " ".join(display(document.text[slice(*b.span)]).split())) for b in sized]
    ahead = (_CONTENTS, _PREFACE)
    names = [(b, text) for b, text in texts if not any(each.fullmatch(text) for each in ahead)]
    names = [(b, text) for b, text in names if b.kind is not BlockKind.CONTENTS]
    first = [each for each in names[:_FIRST_BLOCKS] if each[0].page == sized[0].page]
    if any(_is_gazette(text) for _, text in first):
        first = names[:_FIRST_BLOCKS]
    page = [
        (block, text)
        for block, text in first
        if block.kind in _TITLE_KINDS
        and not (_is_gazette(text) or is_dated(text) or is_imprint(text))
    ]
    lines = [(block, text) for block, text in page if _is_title(text, _LONGEST_PRINTED)]
    largest = max((block.size for block, _ in lines), default=0.0)
    rest = sum(each[0].size >= 0.97 * largest for each in names if each not in first)
    covers = 1 if largest >= _COVER * text_size else 0
    if largest < _LARGER * text_size or rest > covers:
        return ""
    parts: list[str] = []
    for block, text in page:
        if block.size >= 0.97 * largest or (parts and block.size >= _COVER * text_size):
            parts.append(text)
        elif parts:
            break
    if not " ".join(parts).isupper():
        parts = [readable(part, {}) if _RULES.search(part) else part for part in parts]
    title = _chosen([" ".join(parts), *(text for _, text in lines)])
    if len(title) > _LONGEST_PRINTED:
        title = _LAST_BRACKET.sub("", title)
    return title if len(title) <= _LONGEST_PRINTED and any(map(str.isalpha, title)) else ""
