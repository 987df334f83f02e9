"""What a document is called: its title as it is printed at the top, else as the file says it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial

from corpus.blocks import Block, BlockKind
from corpus.display import display
from corpus.document import Document
from corpus.formats.lines import front_title
from corpus.imprint import is_address, is_imprint
from corpus.languages import any_of

LONGEST_TITLE = 100  # characters

_FIRST_BLOCKS = 20  # at most, in which the title stands
_NEAR = 4  # lines below the name of a club in which the title stands
_LARGER = 1.15  # times the size of the text: a title
_COVER = 2.0  # the same, for what stands below the largest line of a cover and is part of its title
_LONGEST_BLOCK = 250  # characters of the lines of a title page that stand together
_SENTENCE = 5  # words, of which the last one ends with a full stop

_CONTENTS = re.compile(rf"{any_of('sections.contents', 'sections.index')}\W*", re.IGNORECASE)
_FILE_NAME = re.compile(r"\.\w{2,4}$|^(?:untitled|document\d*|microsoft word\b.*)$", re.IGNORECASE)
_RULES = re.compile(any_of("documents.rules"), re.IGNORECASE)
_CLUB = re.compile(rf"(?<!\w){any_of('documents.clubs')}(?!\w)", re.IGNORECASE)
_PAGE = re.compile(
    rf"\W*+(?:{any_of('references.page')}\W*+)?\d{{1,4}}"
    rf"(?:\W*+(?:{any_of('references.of_pages')}\W*+)?\d{{1,4}})?\W*+",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"<[^<>]{0,400}>|!?\[([^\[\]]{0,200})\]\([^()]{0,300}\)|[*_#=\ufeff]")
_IN_BRACKETS = re.compile(r"(?<!\s)\s*\(([^()]{1,60})\)\Z")
_PICTURE = re.compile(r"!\[[^\[\]]{0,200}\](?:\([^()]{0,300}\)|\[[^\[\]]{0,100}\])")
_NUMBERED = re.compile(
    rf"\W*(?:{any_of('labels.numbering')}\s+(?:\d|[IVX]+\b)|§|\d{{1,3}}(?:\.\d+)*[.)]\s)",
    re.IGNORECASE,
)
_TITLE_KINDS = (BlockKind.PARAGRAPH, BlockKind.HEADING)


def title_of(document: Document) -> str:
    """Return the title of ``document``; "" where it has none.

    Where sizes of lines are known it is the largest one of the first page, if nothing after it is
    as large; else the only heading of the topmost level, else the first line. Where several
    headings are of the topmost level, what the file says goes before. Licences, versions,
    addresses, contents, pictures and numbers of pages are no titles, nor is the name of a club
    above that of its rules.
    """
    blocks = [block for block in document.blocks if block.kind is not BlockKind.FURNITURE]
    if printed := _largest(document, blocks):
        return printed
    said = document.extracted.title if document.extracted else front_title(document.text)
    own = "" if _FILE_NAME.search(said) else _plain(said)[:LONGEST_TITLE]
    marked = [block for block in blocks if block.kind is BlockKind.HEADING and block.level]
    at = blocks.index(marked[0]) if marked else _FIRST_BLOCKS
    alone = at < _FIRST_BLOCKS and all(block.level > marked[0].level for block in marked[1:])
    first = alone and not any(map(partial(_begins_text, document), blocks[:at]))
    if first and (lines := _title_lines(document, blocks[at : at + _NEAR])):
        return _chosen(lines)
    printed = _chosen(_title_lines(document, blocks[:_FIRST_BLOCKS]))
    return own or printed if marked else printed or own


def _begins_text(document: Document, block: Block) -> bool:
    """Return whether ``block`` is no line of a title page."""
    text = document.text[slice(*block.span)]
    if block.kind not in _TITLE_KINDS or len(text) > _LONGEST_BLOCK:
        return not is_imprint(text)
    plain = _plain(text)
    return bool(_CONTENTS.fullmatch(plain) or _NUMBERED.match(plain))


def _title_lines(document: Document, blocks: Sequence[Block]) -> list[str]:
    """Return the lines of ``blocks`` that may be a title, up to the first one that is none."""
    found: list[str] = []
    for block in blocks:
        if _begins_text(document, block):
            break
        for line in document.text[slice(*block.span)].splitlines():
            plain = _plain(line)
            if _CONTENTS.fullmatch(plain) or _NUMBERED.match(plain):
                return found
            if _is_title(plain):
                found.append(plain)
            elif _is_sentence(plain) and not is_imprint(plain):
                return found
    return found


def _is_title(text: str) -> bool:
    """Return whether ``text``, a line without signs of its format, can be a title."""
    return (
        sum(map(str.isalpha, text)) > 1
        and len(text) <= LONGEST_TITLE
        and not _is_sentence(text)
        and not _CONTENTS.fullmatch(text)
        and not _PAGE.fullmatch(text)
        and not is_address(text)
        and not is_imprint(text)
    )


def _is_sentence(text: str) -> bool:
    return text.endswith((".", ";", ",")) and len(text.split()) >= _SENTENCE


def _chosen(lines: Sequence[str]) -> str:
    """Return the title among ``lines``: the first, or what a club calls its rules below its
    name.
    """
    title = lines[0] if lines else ""
    if _CLUB.search(title) and not _RULES.search(title):
        title = next(filter(_RULES.search, lines[:_NEAR]), title)
    ending = _IN_BRACKETS.search(title)
    return title[: ending.start()] if ending and is_imprint(ending[1]) else title


def _plain(text: str) -> str:
    return " ".join(_SIGNS.sub(r"\1", _PICTURE.sub("", text)).split())


def _largest(document: Document, blocks: Sequence[Block]) -> str:
    """Return the largest short lines on the first page with text, in which nothing else in the
    document is printed: else they are the heading of a chapter.
    """
    sized = [block for block in blocks if block.size]
    sizes: Counter[float] = Counter()
    for block in sized:
        sizes[block.size] += block.span.end - block.span.start
    text_size = sizes.most_common(1)[0][0] if sizes else 0.0
    texts = [(b, " ".join(display(document.text[slice(*b.span)]).split())) for b in sized]
    page = [
        (block, text)
        for block, text in texts[:_FIRST_BLOCKS]
        if block.page == sized[0].page and block.kind in _TITLE_KINDS
    ]
    lines = [(block, text) for block, text in page if _is_title(text)]
    largest = max((block.size for block, _ in lines), default=0.0)
    rest = [b for b in sized if b not in sized[:_FIRST_BLOCKS] or b.page != sized[0].page]
    if largest < _LARGER * text_size or any(b.size >= 0.97 * largest for b in rest):
        return ""
    title = ""
    for block, text in page:
        if block.size >= 0.97 * largest or (title and block.size >= _COVER * text_size):
            title = f"{title} {text}".strip()
        elif title:
            break
    title = _chosen([title, *(text for _, text in lines)])
    return title if len(title) <= LONGEST_TITLE and any(map(str.isalpha, title)) else ""
