"""Reader of the capitals layout: headings are lines in capitals with blank lines around them.

A rulebook consists of front matter, a glossary, appendices, questions with answers, errata and a printed index. The words in
their headings tell these parts apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from corpus import titles
from corpus.document import Document
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.languages import any_of
from corpus.layouts.capitals import printed_index, rulings
from corpus.layouts.capitals.blocks import FIGURE_GAP, HeadedBlocks, is_capitals, is_references, split_headings
from corpus.layouts.capitals.passages import CapitalsPassageBuilder
from corpus.layouts.layout import Layout
from corpus.model import Corrections, Edition, Furniture, Kind, Role

_APPENDIX = re.compile(rf"{any_of('sections.appendix')}\s+(?:[IVXLC]{{1,7}}|\d{{1,2}}|[A-Z])\s*[:.–—-]\s*", re.IGNORECASE)
_GLOSSARY = re.compile(rf"{any_of('sections.glossary')}\W*", re.IGNORECASE)
_QUESTIONS = re.compile(rf"(?:.*\W)?{any_of('sections.questions')}(?:\W.*)?", re.IGNORECASE)
_ERRATA = re.compile(rf"(?:.*\W)?{any_of('sections.errata')}(?:\W.*)?", re.IGNORECASE)
_INDEX = re.compile(rf"{any_of('sections.index')}\W*", re.IGNORECASE)
_CONTENTS = re.compile(rf"{any_of('sections.contents')}\W*", re.IGNORECASE)


class _PartZone(Enum):
    """The kind of a part of the rulebook, which decides what the headings in it are."""

    FRONT = auto()
    GLOSSARY = auto()
    APPENDIX = auto()
    QUESTIONS = auto()
    ERRATA = auto()
    INDEX = auto()


@dataclass
class _CapitalsPart:
    """A part of the rulebook: its own heading (None for the front matter) and the headings in it."""

    zone: _PartZone
    heading: HeadedBlocks | None
    members: list[HeadedBlocks] = field(default_factory=list)


def score(document: Document) -> float:
    """A score from 0.0 to 1.0, from the shares of headings in capitals, lists of references and Markdown signs among the blocks."""
    blocks = headings = lists = marked = 0
    previous = ""
    for line in document.lines:
        text = line.text.strip()
        if text and not previous:
            blocks += 1
            headings += len(text) > 1 and is_capitals(text)
            lists += is_references(text)
            marked += text.startswith("#")
        previous = text
    if headings < 3 or marked > headings / 4:
        return 0.0
    return min(1.0, 0.75 * min(1.0, 5 * headings / blocks) + 0.25 * min(1.0, 4 * lists / headings)) * (1 - marked / blocks)


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the entries, passages and index items of ``document``."""
    rulebook = DraftRulebook()
    preface, titled = split_headings(document, corrections, rulebook)
    builder = CapitalsPassageBuilder(document, corrections, rulebook)
    if preface:
        rulebook.entries.append(DraftEntry(Kind.SECTION, edition.title, passages=builder.passages(preface)))
    parts = list(_parts(titled))
    terms = {titles.key(member.text) for part in parts if part.zone is _PartZone.GLOSSARY for member in part.members}
    for part in parts:
        if part.zone is _PartZone.INDEX and part.heading:
            blocks = [*part.heading.body, *(block for member in part.members for block in member.blocks())]
            rulebook.entries.append(_section(part.heading, printed_index.passages(blocks)))
            rulebook.index_items += printed_index.read_items(blocks, corrections)
            continue
        members = list(_without_labels(part, terms, rulebook))
        if part.zone is _PartZone.GLOSSARY:
            children = [_term(member, builder) for member in members]
        elif part.zone in (_PartZone.QUESTIONS, _PartZone.ERRATA):
            children = rulings.read(members, builder, corrections, Kind.ERRATUM if part.zone is _PartZone.ERRATA else Kind.RULING)
        else:
            children = [_front_or_appendix(member, builder) for member in members]
        if part.heading is None:
            rulebook.entries += children
        else:
            rulebook.entries.append(_section(part.heading, builder.passages(part.heading.body), children))
    return rulebook


def _parts(titled: list[HeadedBlocks]) -> Iterator[_CapitalsPart]:
    """Divide the headings ``titled`` into the parts of the rulebook, in document order."""
    part = _CapitalsPart(_PartZone.FRONT, None)
    for position, member in enumerate(titled):
        zone = _zone(member, part.zone, titled[position + 1 : position + 4])
        if zone is None:
            part.members.append(member)
        else:
            yield part
            part = _CapitalsPart(zone, member)
    yield part


def _zone(member: HeadedBlocks, current: _PartZone, following: list[HeadedBlocks]) -> _PartZone | None:
    """The kind of the part that begins with ``member``; None if ``member`` is a heading inside the ``current`` part."""
    text = member.text
    appendix = _APPENDIX.match(text)
    if member.kind not in (None, Kind.SECTION) or (current is _PartZone.INDEX and not appendix):
        return None
    rest = text[appendix.end() :] if appendix else text
    if _GLOSSARY.fullmatch(rest) and (appendix or current in (_PartZone.FRONT, _PartZone.APPENDIX)):
        return _PartZone.GLOSSARY
    if _INDEX.fullmatch(rest) and (current is not _PartZone.FRONT or any(len(heading.text) == 1 for heading in following)):
        blocks = [*member.body, *(block for heading in following for block in heading.blocks())]
        if printed_index.looks_like_index(blocks):
            return _PartZone.INDEX
    zone = _PartZone.QUESTIONS if _QUESTIONS.fullmatch(rest) else _PartZone.ERRATA if _ERRATA.fullmatch(rest) else _PartZone.APPENDIX
    if appendix:
        return zone
    term = current is _PartZone.GLOSSARY and member.body  # a glossary may explain what errata are
    return None if zone in (_PartZone.APPENDIX, current) or term or len(text.split()) > 4 else zone


def _section(heading: HeadedBlocks, passages: list[DraftPassage], children: list[DraftEntry] | None = None) -> DraftEntry:
    return DraftEntry(Kind.SECTION, heading.text, heading.spans, passages=passages, children=children or [])


def _front_or_appendix(member: HeadedBlocks, builder: CapitalsPassageBuilder) -> DraftEntry:
    """The entry of a heading of the front matter or of an appendix."""
    if _CONTENTS.fullmatch(member.text):
        return _section(member, printed_index.passages(member.body))
    draft = _section(member, builder.passages(member.body))
    draft.kind = member.kind or Kind.SECTION
    return draft


def _term(member: HeadedBlocks, builder: CapitalsPassageBuilder) -> DraftEntry:
    """An entry of the glossary: a redirect if it has nothing but references, else a term."""
    passages = builder.passages(member.body)
    redirect = bool(passages) and all(passage.role is Role.SEE for passage in passages)
    kind = member.kind or (Kind.REDIRECT if redirect else Kind.TERM)
    return DraftEntry(kind, member.text, member.spans, passages=passages)


def _without_labels(part: _CapitalsPart, terms: set[str], rulebook: DraftRulebook) -> Iterator[HeadedBlocks]:
    """The headings of ``part``; letters of the alphabet and labels of figures are left out and become furniture."""
    for member in part.members:
        empty = not member.body and member.kind is None
        letter = empty and len(member.text) == 1
        label = empty and part.zone is _PartZone.APPENDIX and member.gap >= FIGURE_GAP and titles.key(member.text) in terms
        if letter or label:
            rulebook.furniture += [Furniture(span, "letter of the alphabet" if letter else "label of a figure") for span in member.spans]
        else:
            yield member


LAYOUT = Layout(name="capitals", score=score, read=read)
