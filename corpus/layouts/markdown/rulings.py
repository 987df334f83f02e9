"""Rulings and errata of Markdown rulebooks: cards with their product and number, questions with their answers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from corpus.draft import DraftEntry, DraftPassage
from corpus.layouts.markdown.blocks import MarkdownBlock
from corpus.layouts.markdown.passages import MarkdownPassageBuilder, without_old_wording
from corpus.layouts.markdown.patterns import is_question, is_references
from corpus.model import Corrections, Fault, Kind, Role, Span

_NUMBER = re.compile(r"#?\d{1,4}[A-Za-z]?(?:\s?[/–-]\s?\d{0,4}[A-Za-z]?){0,8}")


@dataclass(frozen=True)
class CardHeading:
    """The card, printed number and product that a heading among questions or errata names; None for what it does not name."""

    name: str | None = None
    number: str | None = None
    product: str | None = None


def card(heading: str) -> CardHeading:
    """The card that ``heading`` names, with the product and number in brackets at its end; empty where it names no card."""
    opening = _last_bracket(heading)
    if opening is None:
        return CardHeading()
    name, inside = heading[:opening].strip(), heading[opening + 1 : -1].strip()
    cut = max(inside.rfind(","), inside.rfind(";"))
    product, number = inside[: max(cut, 0)].strip(), inside[cut + 1 :].strip()
    if not name or not _NUMBER.fullmatch(number):
        return CardHeading()
    return CardHeading(name, number, product or None)


def cards(headings: Iterable[str]) -> list[CardHeading]:
    """The cards of all ``headings`` of the questions or the errata.

    Where none of them gives a number, each is taken for the name of a card; where most do, one without is a topic or
    a passage of a rulebook, whose product is known where it is that of another heading.
    """
    printed = list(headings)
    found = [card(heading) for heading in printed]
    products = {c.product for c in found if c.product}
    if not any(c.number for c in found):
        return [CardHeading(name=heading) for heading in printed]
    return [c if c.number else CardHeading(product=_product(heading, products)) for heading, c in zip(printed, found, strict=True)]


def corrected(found: CardHeading, line: int, corrections: Corrections) -> CardHeading:
    """``found`` with the corrections of the edition for the heading at ``line``."""

    def meant(fault: Fault, printed: str | None) -> str | None:
        correction = corrections.at(line, fault)
        return str(correction.meant) if correction and correction.meant is not None else printed

    return CardHeading(meant(Fault.CARD, found.name), meant(Fault.NUMBER, found.number), meant(Fault.PRODUCT, found.product))


def rulings(
    heading: str, spans: list[Span], found: CardHeading, title: str | None, body: list[MarkdownBlock], builder: MarkdownPassageBuilder
) -> list[DraftEntry]:
    """One entry for each question of ``body`` with its answer. The first entry has the heading, the others begin at their question.

    Text before the first question belongs to the first. Without any question there is no entry.
    """
    groups: list[list[MarkdownBlock]] = []
    before: list[MarkdownBlock] = []
    for block in body:
        if is_question(block.text):
            groups.append([block])
        else:
            (groups[-1] if groups else before).append(block)
    entries = []
    for position, group in enumerate(groups):
        entry = DraftEntry(Kind.RULING, heading, title=title, number=found.number, card=found.name, product=found.product)
        if position == 0:
            entry.heading_spans = spans
            entry.passages = builder.passages(before)
        entry.passages.append(builder.whole([b for b in group if not is_references(b.text)]))
        entry.passages += [DraftPassage([b.span], Role.SEE) for b in group if is_references(b.text)]
        entries.append(entry)
    return entries


def erratum(heading: str, spans: list[Span], found: CardHeading, body: list[MarkdownBlock], builder: MarkdownPassageBuilder) -> DraftEntry:
    """The entry of one erratum: passages with the valid wording, and others with the wording that it replaces."""
    entry = DraftEntry(Kind.ERRATUM, heading, spans, number=found.number, card=found.name, product=found.product)
    entry.passages = builder.passages(without_old_wording(body), with_lead_ins=True)
    return entry


def _last_bracket(heading: str) -> int | None:
    """The offset of the opening bracket that is closed at the end of ``heading``."""
    if not heading.endswith(")"):
        return None
    depth = 0
    for position in range(len(heading) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(heading[position], 0)
        if depth == 0:
            return position
    return None


def _product(heading: str, products: Collection[str]) -> str | None:
    """The part of ``heading`` before its first comma or bracket, where that is one of ``products``."""
    name = re.split(r"[,(]", heading, maxsplit=1)[0].strip()
    return name if name in products else None
