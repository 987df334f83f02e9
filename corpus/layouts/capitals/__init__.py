"""Reader of the capitals layout: headings are lines in capitals with blank lines around them.

A rulebook consists of front matter, a glossary, appendices, questions with answers, errata and a
printed index; the words in their headings identify them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from corpus import titles
from corpus.document import Document
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.capitals.blocks import (
    Block,
    Heading,
    figure_gap,
    is_capitals,
    is_question,
    is_references,
    split_headings,
)
from corpus.layouts.capitals.passages import PassageBuilder
from corpus.layouts.layout import Layout
from corpus.model import Corrections, Edition, Fault, Furniture, IndexItem, Kind, Role, Span
from corpus.paragraphs import paragraph_lines

_APPENDIX = re.compile(
    rf"{any_of('sections.appendix')}\s+(?:[IVXLC]{{1,7}}|\d{{1,2}}|[A-Z])\s*[:.–—-]\s*",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(rf"{any_of('sections.glossary')}\W*", re.IGNORECASE)
_QUESTIONS = re.compile(rf"(?:.*\W)?{any_of('sections.questions')}(?:\W.*)?", re.IGNORECASE)
_ERRATA = re.compile(rf"(?:.*\W)?{any_of('sections.errata')}(?:\W.*)?", re.IGNORECASE)
_INDEX = re.compile(rf"{any_of('sections.index')}\W*", re.IGNORECASE)
_CONTENTS = re.compile(rf"{any_of('sections.contents')}\W*", re.IGNORECASE)
_GENERAL = re.compile(any_of("sections.general_questions"))
_OLD = re.compile(rf"[\s*_(\"]{{0,6}}{any_of('labels.old_wording')}[^:\n]{{0,40}}:", re.IGNORECASE)
_NUMBER = r"\d{1,4}[A-Za-z]{0,2}(?:\s?[-–/]\s?\d{1,4}[A-Za-z]{0,2})*"
_CARD = re.compile(
    rf"(?P<name>.*\S)\s*\((?:(?P<product>[^()]+?)[,;]\s*)?(?P<number>{_NUMBER})\)\s*"
)
_INDEX_LINE = re.compile(r"[\W\d_]*+[^\W\d_].*\s\d{1,4}\s*")
_PAGES = re.compile(r"(?<![\w(#/])\d{1,4}(?:\s*[,–-]\s*\d{1,4}\b|\s+\d{1,4}\b)*(?![\w)/])")
_BOLD = re.compile(r"\*\*(\w[^*\n]{0,80})\*\*")


class _PartKind(Enum):
    """The kind of a part of the rulebook, which decides the kind of the entries in it."""

    FRONT = auto()
    GLOSSARY = auto()
    APPENDIX = auto()
    QUESTIONS = auto()
    ERRATA = auto()
    INDEX = auto()


@dataclass
class _Part:
    """A part of the rulebook: its own heading (None for front matter), and the headings in it."""

    kind: _PartKind
    heading: Heading | None
    members: list[Heading] = field(default_factory=list)


def score(document: Document) -> float:
    """Return a score from 0.0 to 1.0: higher with more headings in capitals and lists of
    references, lower with Markdown headings.
    """
    blocks = headings = lists = marked = 0
    previous = ""
    for line in paragraph_lines(document):
        text = line.text.strip()
        if text and not previous:
            blocks += 1
            headings += len(text) > 1 and is_capitals(text)
            lists += is_references(text)
            marked += text.startswith("#")
        previous = text
    if headings < 3 or marked > headings / 4:
        return 0.0
    found = 0.75 * min(1.0, 5 * headings / blocks) + 0.25 * min(1.0, 4 * lists / headings)
    return min(1.0, found) * (1 - marked / blocks)


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the entries, passages and index items of ``document``."""
    rulebook = DraftRulebook()
    preface, headings = split_headings(document, corrections, rulebook)
    builder = PassageBuilder(document, corrections, rulebook)
    if preface:
        opening = DraftEntry(Kind.SECTION, edition.title, passages=builder.passages(preface))
        rulebook.entries.append(opening)
    parts = list(_parts(headings))
    glossaries = [part for part in parts if part.kind is _PartKind.GLOSSARY]
    terms = {titles.key(member.text) for part in glossaries for member in part.members}
    for part in parts:
        if part.kind is _PartKind.INDEX and part.heading:
            members = [block for member in part.members for block in member.blocks()]
            blocks = [*part.heading.body, *members]
            rulebook.entries.append(_section(part.heading, _listing(blocks)))
            rulebook.index_items += _index_items(blocks, corrections)
            continue
        headed = _without_labels(part, terms, figure_gap(document), rulebook)
        if part.kind is _PartKind.GLOSSARY:
            children = [_term(member, builder) for member in headed]
        elif part.kind is _PartKind.QUESTIONS:
            children = _rulings(headed, builder, Kind.RULING)
        elif part.kind is _PartKind.ERRATA:
            children = _rulings(headed, builder, Kind.ERRATUM)
        else:
            children = _nested(headed, [_plain_section(member, builder) for member in headed])
        if part.heading:
            section = _section(part.heading, builder.passages(part.heading.body))
            section.children = children
            children = [section]
        rulebook.entries += children
    return rulebook


def _parts(headings: Sequence[Heading]) -> Iterator[_Part]:
    part = _Part(_PartKind.FRONT, None)
    for position, member in enumerate(headings):
        kind = _part_kind(member, part.kind, headings[position + 1 : position + 4])
        if kind is None:
            part.members.append(member)
        else:
            yield part
            part = _Part(kind, member)
    yield part


def _part_kind(
    member: Heading, current: _PartKind, following: Sequence[Heading]
) -> _PartKind | None:
    """Return the kind of part that the heading ``member`` begins, or None if the heading is inside
    the ``current`` part.
    """
    appendix = _APPENDIX.match(member.text)
    if member.kind not in (None, Kind.SECTION) or (current is _PartKind.INDEX and not appendix):
        return None
    rest = member.text[appendix.end() :] if appendix else member.text
    front = current is _PartKind.FRONT
    if _GLOSSARY.fullmatch(rest) and (appendix or front or current is _PartKind.APPENDIX):
        return _PartKind.GLOSSARY
    if _INDEX.fullmatch(rest) and (not front or any(len(each.text) == 1 for each in following)):
        blocks = [*member.body, *(block for later in following for block in later.blocks())]
        if _looks_like_index(blocks):
            return _PartKind.INDEX
    kind = _PartKind.APPENDIX
    if _QUESTIONS.fullmatch(rest):
        kind = _PartKind.QUESTIONS
    elif _ERRATA.fullmatch(rest):
        kind = _PartKind.ERRATA
    if appendix:
        return kind
    # A glossary may explain what errata are.
    term = current is _PartKind.GLOSSARY and member.body
    inside = kind in (_PartKind.APPENDIX, current) or term or len(member.text.split()) > 4
    return None if inside else kind


def _nested(members: Sequence[Heading], sections: Sequence[DraftEntry]) -> list[DraftEntry]:
    """Return ``sections`` as a tree: if several of ``members`` are between two ruled lines
    ("====="), these become the parents of the sections after them.
    """
    ruled = [
        _is_ruled(member.body[:1]) and (not before or _is_ruled(before.body[-1:]))
        for before, member in zip((None, *members), members, strict=False)
    ]
    if sum(ruled) < 2:
        return list(sections)
    outer: list[DraftEntry] = []
    siblings = outer
    for section, is_parent in zip(sections, ruled, strict=True):
        (outer if is_parent else siblings).append(section)
        siblings = section.children if is_parent else siblings
    return outer


def _is_ruled(blocks: Sequence[Block]) -> bool:
    """Return whether ``blocks`` consist only of ruled lines like "====="."""
    lines = [line.text for block in blocks for line in block.lines]
    return bool(lines) and not any(map(str.isalnum, "".join(lines)))


def _section(heading: Heading, passages: list[DraftPassage]) -> DraftEntry:
    return DraftEntry(Kind.SECTION, heading.text, heading.spans, passages=passages)


def _plain_section(member: Heading, builder: PassageBuilder) -> DraftEntry:
    if _CONTENTS.fullmatch(member.text):
        return _section(member, _listing(member.body))
    draft = _section(member, builder.passages(member.body))
    draft.kind = member.kind or Kind.SECTION
    return draft


def _term(member: Heading, builder: PassageBuilder) -> DraftEntry:
    term = _section(member, builder.passages(member.body))
    term.kind = member.kind or (Kind.REDIRECT if term.is_see_list else Kind.TERM)
    return term


def _without_labels(
    part: _Part, terms: set[str], figure: int, rulebook: DraftRulebook
) -> list[Heading]:
    # Letters of the alphabet, and labels of figures (with at least ``figure`` blank lines above),
    # become furniture.
    found = []
    for member in part.members:
        empty = not member.body and member.kind is None
        in_figure = part.kind is _PartKind.APPENDIX and member.gap >= figure
        if empty and len(member.text) == 1:
            why = "letter of the alphabet"
        elif empty and in_figure and titles.key(member.text) in terms:
            why = "label of a figure"
        else:
            found.append(member)
            continue
        rulebook.furniture += [Furniture(span, why) for span in member.spans]
    return found


def _looks_like_index(blocks: Sequence[Block]) -> bool:
    # At least half of the lines at the beginning are names followed by a page number.
    lines = [line.text for block in blocks[:12] for line in block.lines]
    items = [text for text in lines if not _is_letter(text)]
    return bool(items) and 2 * sum(
        bool(_INDEX_LINE.fullmatch(text[-60:])) for text in items
    ) >= len(items)


def _is_letter(text: str) -> bool:
    return len(text.strip()) == 1


def _listing(blocks: Sequence[Block]) -> list[DraftPassage]:
    # The blocks of an index or table of contents; a letter and the items below it are one passage.
    passages: list[DraftPassage] = []
    letter = False
    for block in blocks:
        span = Span(block.lines[0].start, block.lines[-1].end)
        if letter and passages:
            passages[-1].spans[-1] = Span(passages[-1].start, span.end)
        else:
            passages.append(DraftPassage([span], Role.LISTING))
        letter = len(block.lines) == 1 and _is_letter(block.first)
    return passages


def _index_items(blocks: Sequence[Block], corrections: Corrections) -> Iterator[IndexItem]:
    # Names with page numbers, several in a line or one over several lines.
    for block in blocks:
        lines = [line for line in block.lines if not _is_letter(line.text)]
        starts, text = [], ""
        for line in lines:
            starts.append(len(text))
            printed = line.text
            misread = corrections.at(line.number, Fault.PAGE)
            if misread and misread.meant is not None:
                printed = printed.replace(misread.printed, str(misread.meant), 1)
            text += printed + "\n"
        last = 0
        for match in _PAGES.finditer(text):
            name = text[last : match.start()]
            start = last + len(name) - len(name.lstrip())
            last = match.end()
            name = _BOLD.sub(r"\1", " ".join(name.split())).strip(" ,;…")
            name = name.rstrip(". ") if name.endswith((". .", "..")) else name
            if any(map(str.isalpha, name)):
                number = lines[bisect_right(starts, start) - 1].number
                pages = tuple(map(int, re.findall(r"\d+", match.group())))
                yield IndexItem(number, name, pages)


def _rulings(members: Sequence[Heading], builder: PassageBuilder, kind: Kind) -> list[DraftEntry]:
    """Return the entries among questions (``kind`` is `Kind.RULING`) or errata (``kind`` is
    `Kind.ERRATUM`).

    A heading without text names the product of the following cards. A heading with questions before
    the first product is a section of general questions. If some headings have a card number, those
    without one are topics instead of cards.
    """
    found: list[DraftEntry] = []
    cards = [_card(member, builder.corrections) for member in members]
    with_numbers = any(card.number for card in cards)
    with_products = any(
        card.number is None and not member.body for member, card in zip(members, cards, strict=True)
    )
    section: DraftEntry | None = None
    product: str | None = None
    for member, card in zip(members, cards, strict=True):
        question = any(is_question(line.text) for block in member.body for line in block.lines)
        general = with_products and section is None
        if member.kind is not None:
            heads = member.kind is Kind.SECTION
        elif card.number or not member.body:
            heads = card.number is None
        else:
            topic = general or not question or bool(_GENERAL.search(member.text))
            heads = kind is Kind.RULING and topic
        if heads:
            section = _section(member, [])
            found.append(section)
            if question:
                topic_ruling = DraftEntry(Kind.RULING, member.text)
                section.children = _questions(topic_ruling, member.body, builder)
                section = None
            else:
                section.passages = builder.passages(member.body)
                product = card.product or member.text
            continue
        card.kind = member.kind or (Kind.RULING if question else kind)
        card.card = card.card if card.number or not with_numbers else None
        card.product = card.product or (product if section else None)
        siblings = section.children if section else found
        if card.kind is Kind.RULING and question:
            siblings += _questions(card, member.body, builder)
        else:
            card.passages = _correction(member.body, builder)
            siblings.append(card)
    return found


def _card(member: Heading, corrections: Corrections) -> DraftEntry:
    # The heading does not include a bracket with only the card number, which is in ``number``.
    line, match = member.lines[0].number, _CARD.fullmatch(member.text)
    name, product, number = match.groups() if match else (member.text, None, None)
    return DraftEntry(
        Kind.RULING,
        name if match and not product else member.text,
        member.spans,
        number=corrections.meant(line, Fault.NUMBER, number),
        card=corrections.meant(line, Fault.CARD, name),
        product=corrections.meant(line, Fault.PRODUCT, product),
    )


def _questions(
    first: DraftEntry, body: Sequence[Block], builder: PassageBuilder
) -> list[DraftEntry]:
    # One ruling for each question, with the fields of ``first``; only the first has the heading.
    parts: list[list[Block]] = [[]]
    in_question = False
    for block in body:
        start = 0
        for position, line in enumerate(block.lines):
            if is_question(line.text):
                if in_question:
                    if position > start:
                        parts[-1].append(Block(block.lines[start:position], block.gap))
                    parts.append([])
                    start = position
                in_question = True
        parts[-1].append(Block(block.lines[start:], block.gap))
    found = [replace(first, heading_spans=[], passages=builder.whole(part)) for part in parts]
    found[0].heading_spans = first.heading_spans
    return found


def _correction(body: Sequence[Block], builder: PassageBuilder) -> list[DraftPassage]:
    # Void passages for replaced wordings, and passages for the text around them.
    passages: list[DraftPassage] = []
    part: list[Block] = []
    for block in body:
        if _OLD.match(block.first):
            passages += [*builder.whole(part), *builder.whole([block], Role.VOID)]
            part = []
        else:
            part.append(block)
    return passages + builder.whole(part)


LAYOUT = Layout(name="capitals", score=score, read=read)
