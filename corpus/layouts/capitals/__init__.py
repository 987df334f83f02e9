"""Reader of the capitals layout: headings are lines in capitals with blank lines around them.

A rulebook consists of front matter, a glossary, appendices, questions with answers, errata and a
printed index. The words in their headings tell these parts apart.
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
from corpus.layouts.capitals.blocks import (
    CapitalsHeading,
    figure_gap,
    is_capitals,
    is_references,
    split_headings,
)
from corpus.layouts.capitals.passages import CapitalsPassageBuilder
from corpus.layouts.layout import Layout
from corpus.model import Corrections, Edition, Furniture, Kind, Role
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


class _CapitalsPartKind(Enum):
    """The kind of a part of the rulebook, which decides what the headings in it are."""

    FRONT = auto()
    GLOSSARY = auto()
    APPENDIX = auto()
    QUESTIONS = auto()
    ERRATA = auto()
    INDEX = auto()


@dataclass
class _CapitalsPart:
    """A part of the rulebook: its own heading (None for the front matter) and the headings in
    it.
    """

    kind: _CapitalsPartKind
    heading: CapitalsHeading | None
    members: list[CapitalsHeading] = field(default_factory=list)


def score(document: Document) -> float:
    """A score from 0.0 to 1.0, from the shares of headings in capitals, lists of references and
    Markdown signs among the blocks.
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
    return min(
        1.0, 0.75 * min(1.0, 5 * headings / blocks) + 0.25 * min(1.0, 4 * lists / headings)
    ) * (1 - marked / blocks)


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the entries, passages and index items of ``document``."""
    rulebook = DraftRulebook()
    preface, headings = split_headings(document, corrections, rulebook)
    builder = CapitalsPassageBuilder(document, corrections, rulebook)
    if preface:
        rulebook.entries.append(
            DraftEntry(Kind.SECTION, edition.title, passages=builder.passages(preface))
        )
    parts = list(_parts(headings))
    terms = {
        titles.key(member.text)
        for part in parts
        if part.kind is _CapitalsPartKind.GLOSSARY
        for member in part.members
    }
    for part in parts:
        if part.kind is _CapitalsPartKind.INDEX and part.heading:
            blocks = [
                *part.heading.body,
                *(block for member in part.members for block in member.blocks()),
            ]
            rulebook.entries.append(_section(part.heading, printed_index.passages(blocks)))
            rulebook.index_items += printed_index.read_items(blocks, corrections)
            continue
        members = list(_without_labels(part, terms, figure_gap(document), rulebook))
        if part.kind is _CapitalsPartKind.GLOSSARY:
            children = [_term(member, builder) for member in members]
        elif part.kind in (_CapitalsPartKind.QUESTIONS, _CapitalsPartKind.ERRATA):
            children = rulings.read(
                members,
                builder,
                corrections,
                Kind.ERRATUM if part.kind is _CapitalsPartKind.ERRATA else Kind.RULING,
            )
        else:
            children = [_front_or_appendix(member, builder) for member in members]
        if part.heading is None:
            rulebook.entries += children
        else:
            rulebook.entries.append(
                _section(part.heading, builder.passages(part.heading.body), children)
            )
    return rulebook


def _parts(headings: list[CapitalsHeading]) -> Iterator[_CapitalsPart]:
    """Divide ``headings`` into the parts of the rulebook, in document order."""
    part = _CapitalsPart(_CapitalsPartKind.FRONT, None)
    for position, member in enumerate(headings):
        kind = _part_kind(member, part.kind, headings[position + 1 : position + 4])
        if kind is None:
            part.members.append(member)
        else:
            yield part
            part = _CapitalsPart(kind, member)
    yield part


def _part_kind(
    member: CapitalsHeading, current: _CapitalsPartKind, following: list[CapitalsHeading]
) -> _CapitalsPartKind | None:
    """The kind of the part that begins with ``member``; None if ``member`` is a heading inside the
    ``current`` part.
    """
    text = member.text
    appendix = _APPENDIX.match(text)
    if member.kind not in (None, Kind.SECTION) or (
        current is _CapitalsPartKind.INDEX and not appendix
    ):
        return None
    rest = text[appendix.end() :] if appendix else text
    if _GLOSSARY.fullmatch(rest) and (
        appendix or current in (_CapitalsPartKind.FRONT, _CapitalsPartKind.APPENDIX)
    ):
        return _CapitalsPartKind.GLOSSARY
    if _INDEX.fullmatch(rest) and (
        current is not _CapitalsPartKind.FRONT or any(len(later.text) == 1 for later in following)
    ):
        blocks = [*member.body, *(block for later in following for block in later.blocks())]
        if printed_index.looks_like_index(blocks):
            return _CapitalsPartKind.INDEX
    kind = _CapitalsPartKind.APPENDIX
    if _QUESTIONS.fullmatch(rest):
        kind = _CapitalsPartKind.QUESTIONS
    elif _ERRATA.fullmatch(rest):
        kind = _CapitalsPartKind.ERRATA
    if appendix:
        return kind
    term = (
        current is _CapitalsPartKind.GLOSSARY and member.body
    )  # a glossary may explain what errata are
    return (
        None
        if kind in (_CapitalsPartKind.APPENDIX, current) or term or len(text.split()) > 4
        else kind
    )


def _section(
    heading: CapitalsHeading, passages: list[DraftPassage], children: list[DraftEntry] | None = None
) -> DraftEntry:
    return DraftEntry(
        Kind.SECTION, heading.text, heading.spans, passages=passages, children=children or []
    )


def _front_or_appendix(member: CapitalsHeading, builder: CapitalsPassageBuilder) -> DraftEntry:
    """The entry of a heading of the front matter or of an appendix."""
    if _CONTENTS.fullmatch(member.text):
        return _section(member, printed_index.passages(member.body))
    draft = _section(member, builder.passages(member.body))
    draft.kind = member.kind or Kind.SECTION
    return draft


def _term(member: CapitalsHeading, builder: CapitalsPassageBuilder) -> DraftEntry:
    """An entry of the glossary: a redirect if it has nothing but references, else a term."""
    passages = builder.passages(member.body)
    redirect = bool(passages) and all(passage.role is Role.SEE for passage in passages)
    kind = member.kind or (Kind.REDIRECT if redirect else Kind.TERM)
    return DraftEntry(kind, member.text, member.spans, passages=passages)


def _without_labels(
    part: _CapitalsPart, terms: set[str], figure: int, rulebook: DraftRulebook
) -> Iterator[CapitalsHeading]:
    """The headings of ``part``; letters of the alphabet and labels of figures are left out and
    become furniture.

    Above a label are at least ``figure`` blank lines.
    """
    for member in part.members:
        empty = not member.body and member.kind is None
        letter = empty and len(member.text) == 1
        label = (
            empty
            and part.kind is _CapitalsPartKind.APPENDIX
            and member.gap >= figure
            and titles.key(member.text) in terms
        )
        if letter or label:
            rulebook.furniture += [
                Furniture(span, "letter of the alphabet" if letter else "label of a figure")
                for span in member.spans
            ]
        else:
            yield member


LAYOUT = Layout(name="capitals", score=score, read=read)
