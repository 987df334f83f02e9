"""Reads rulings and errata in the capitals layout: products, their cards, and the questions and
corrections for each card.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.draft import DraftEntry, DraftPassage
from corpus.languages import any_of
from corpus.layouts.capitals.blocks import CapitalsBlock, CapitalsHeading, is_question
from corpus.layouts.capitals.passages import CapitalsPassageBuilder
from corpus.model import Corrections, Fault, Kind, Role

_NUMBER = r"\d{1,4}[A-Za-z]{0,2}(?:\s?[-–/]\s?\d{1,4}[A-Za-z]{0,2})*"
_CARD = re.compile(
    rf"(?P<name>.*\S)\s*\((?:(?P<product>[^()]+?)[,;]\s*)?(?P<number>{_NUMBER})\)\s*"
)
_GENERAL = re.compile(any_of("sections.general_questions"))
_OLD = re.compile(rf"[\s*_(\"]{{0,6}}{any_of('labels.old_wording')}[^:\n]{{0,40}}:", re.IGNORECASE)


@dataclass(frozen=True)
class _RulingHeading:
    """A heading among the questions or errata: the card, number and product that it names, with
    corrections applied.
    """

    member: CapitalsHeading
    card: str | None
    number: str | None
    product: str | None
    has_question: bool  # the text below it contains a question

    @property
    def name(self) -> str:
        """The heading as printed; a bracket with nothing but the card number is left out, because
        ``number`` has it.
        """
        match = _CARD.fullmatch(self.member.text)
        return str(match["name"]) if match and not match["product"] else self.member.text


def read(
    members: Sequence[CapitalsHeading],
    builder: CapitalsPassageBuilder,
    corrections: Corrections,
    kind: Kind,
) -> list[DraftEntry]:
    """The entries of the questions (``kind`` is `Kind.RULING`) or of the errata (``kind`` is
    `Kind.ERRATUM`).

    A heading without text below it names the product of the following cards. A heading with
    questions that comes before the first product is a section of general questions. Where some
    headings have a card number, those without one are topics, not cards.
    """
    found: list[DraftEntry] = []
    headings = [_heading(member, corrections) for member in members]
    with_products = any(_is_product(heading) for heading in headings)
    with_numbers = any(heading.number for heading in headings)
    section: DraftEntry | None = None
    product: str | None = None
    for heading in headings:
        member = heading.member
        if _is_section(heading, kind, general=with_products and section is None):
            section = DraftEntry(Kind.SECTION, member.text, member.spans)
            found.append(section)
            if heading.has_question:
                section.children = _rulings(
                    DraftEntry(Kind.RULING, member.text), member.body, builder
                )
                section = None
            else:
                section.passages = builder.passages(member.body)
                product = heading.product or member.text
            continue
        entry = DraftEntry(
            member.kind or (Kind.RULING if heading.has_question else kind),
            heading.name,
            member.spans,
            number=heading.number,
        )
        entry.card = heading.card if heading.number or not with_numbers else None
        entry.product = heading.product or (product if section else None)
        siblings = section.children if section else found
        if entry.kind is Kind.RULING and heading.has_question:
            siblings += _rulings(entry, member.body, builder)
        else:
            entry.passages = _correction(member.body, builder)
            siblings.append(entry)
    return found


def _heading(member: CapitalsHeading, corrections: Corrections) -> _RulingHeading:
    """Parse the heading ``member`` and apply corrections."""
    card = _CARD.fullmatch(member.text)

    def field(fault: Fault, printed: str | None) -> str | None:
        correction = corrections.at(member.line, fault)
        return str(correction.meant) if correction and correction.meant is not None else printed

    return _RulingHeading(
        member,
        field(Fault.CARD, card["name"] if card else member.text),
        field(Fault.NUMBER, card["number"] if card else None),
        field(Fault.PRODUCT, card["product"] if card else None),
        any(is_question(line.text) for block in member.body for line in block.lines),
    )


def _is_product(heading: _RulingHeading) -> bool:
    return heading.number is None and not heading.member.body


def _is_section(heading: _RulingHeading, kind: Kind, general: bool) -> bool:
    if heading.member.kind is not None:
        return heading.member.kind is Kind.SECTION
    if heading.number or _is_product(heading):
        return heading.number is None
    return kind is Kind.RULING and (
        general or not heading.has_question or _GENERAL.search(heading.member.text) is not None
    )


def _rulings(
    first: DraftEntry, body: list[CapitalsBlock], builder: CapitalsPassageBuilder
) -> list[DraftEntry]:
    """One ruling for each question of ``body``, with the fields of ``first``; only the first ruling
    gets its heading spans.
    """
    found: list[DraftEntry] = []
    for part in _split_questions(body):
        ruling = DraftEntry(
            Kind.RULING, first.heading, number=first.number, card=first.card, product=first.product
        )
        ruling.heading_spans = [] if found else first.heading_spans
        ruling.passages = builder.whole(part)
        found.append(ruling)
    return found


def _split_questions(body: list[CapitalsBlock]) -> list[list[CapitalsBlock]]:
    """Divide ``body`` before every question except the first."""
    parts: list[list[CapitalsBlock]] = [[]]
    in_question = False
    for block in body:
        start = 0
        for position, line in enumerate(block.lines):
            if is_question(line.text):
                if in_question:
                    if position > start:
                        parts[-1].append(CapitalsBlock(block.lines[start:position], block.gap))
                    parts.append([])
                    start = position
                in_question = True
        parts[-1].append(CapitalsBlock(block.lines[start:], block.gap))
    return parts


def _correction(body: list[CapitalsBlock], builder: CapitalsPassageBuilder) -> list[DraftPassage]:
    """The passages of an erratum: void ones for replaced wordings, and one for the text before,
    between and after them.
    """
    passages: list[DraftPassage] = []
    part: list[CapitalsBlock] = []
    for block in body:
        if _OLD.match(block.first):
            passages += builder.whole(part)
            passages += builder.whole([block], Role.VOID)
            part = []
        else:
            part.append(block)
    return passages + builder.whole(part)
