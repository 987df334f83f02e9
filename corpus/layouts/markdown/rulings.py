"""Reads rulings and errata of Markdown rulebooks: cards with product and number, questions with
answers.
"""

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
    """The card, printed number and product that a heading among questions or errata names; None for
    each that it does not name.
    """

    name: str | None = None
    number: str | None = None
    product: str | None = None


def card(heading: str) -> CardHeading:
    """The card that ``heading`` names, with product and number from the brackets at its end; all
    None if it names no card.
    """
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
    """The cards of all ``headings`` of the questions or errata, in the same order.

    If no heading has a number, each heading is the name of a card. Else headings without a number
    are topics or passages of a rulebook, without a card; they have a product if they begin with the
    product of another heading.
    """
    printed = list(headings)
    named = [card(heading) for heading in printed]
    products = {c.product for c in named if c.product}
    if not any(c.number for c in named):
        return [CardHeading(name=heading) for heading in printed]
    return [
        c if c.number else CardHeading(product=_product(heading, products))
        for heading, c in zip(printed, named, strict=True)
    ]


def corrected(card: CardHeading, line: int, corrections: Corrections) -> CardHeading:
    """``card`` with the corrections for the heading at ``line``."""

    def meant(fault: Fault, printed: str | None) -> str | None:
        correction = corrections.at(line, fault)
        return str(correction.meant) if correction and correction.meant is not None else printed

    return CardHeading(
        meant(Fault.CARD, card.name),
        meant(Fault.NUMBER, card.number),
        meant(Fault.PRODUCT, card.product),
    )


def rulings(
    heading: str,
    spans: list[Span],
    card: CardHeading,
    title: str | None,
    body: list[MarkdownBlock],
    builder: MarkdownPassageBuilder,
) -> list[DraftEntry]:
    """One entry for each question of ``body`` with its answer; an empty list if there is no
    question.

    The first entry has the heading and the text before the first question. The others begin with
    their question.
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
        entry = DraftEntry(
            Kind.RULING,
            heading,
            title=title,
            number=card.number,
            card=card.name,
            product=card.product,
        )
        if position == 0:
            entry.heading_spans = spans
            entry.passages = builder.passages(before)
        entry.passages.append(builder.whole([b for b in group if not is_references(b.text)]))
        entry.passages += [DraftPassage([b.span], Role.SEE) for b in group if is_references(b.text)]
        entries.append(entry)
    return entries


def erratum(
    heading: str,
    spans: list[Span],
    card: CardHeading,
    body: list[MarkdownBlock],
    builder: MarkdownPassageBuilder,
) -> DraftEntry:
    """The entry of one erratum: passages with the valid wording, and void ones with the replaced
    wording.
    """
    entry = DraftEntry(
        Kind.ERRATUM, heading, spans, number=card.number, card=card.name, product=card.product
    )
    entry.passages = builder.passages(without_old_wording(body), with_lead_ins=True)
    return entry


def _last_bracket(heading: str) -> int | None:
    """The offset of the opening bracket that is closed at the end of ``heading``; None if there is
    none.
    """
    if not heading.endswith(")"):
        return None
    depth = 0
    for position in range(len(heading) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(heading[position], 0)
        if depth == 0:
            return position
    return None


def _product(heading: str, products: Collection[str]) -> str | None:
    """The part of ``heading`` before its first comma or bracket, if it is one of ``products``, else
    None.
    """
    name = re.split(r"[,(]", heading, maxsplit=1)[0].strip()
    return name if name in products else None
