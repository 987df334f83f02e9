"""Reader of rulebooks in Markdown, with front matter, a glossary, appendices, questions and
answers, and errata.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from corpus.document import Document
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.layouts.layout import Layout
from corpus.layouts.markdown.blocks import Block, Shape, is_question, is_references, read_blocks
from corpus.layouts.markdown.outline import (
    OLD_WORDING,
    Card,
    Heading,
    Section,
    SectionKind,
    outline,
)
from corpus.layouts.markdown.passages import PassageBuilder, without_old_wording
from corpus.model import Corrections, Edition, Fault, Furniture, Kind, Role


def score(document: Document) -> float:
    """Return a score from 0.0 to 1.0 for the share of headings among the non-empty lines; one in
    eight gives 1.0.
    """
    printed = [line.text.lstrip() for line in document.lines if line.text.strip()]
    headings = sum(text.startswith(("# ", "## ", "### ", "#### ")) for text in printed)
    return min(1.0, 8 * headings / len(printed)) if headings > 2 else 0.0


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the entries of a Markdown rulebook.

    The kind of an entry depends on the section around its heading, whatever the heading's level: a
    term in the glossary, a card among questions or errata, a subsection elsewhere. In other
    sections, a heading without text is the caption of a picture.
    """
    blocks = read_blocks(document, corrections)
    furniture = [Furniture(b.span, b.why) for b in blocks if b.shape is Shape.FURNITURE]
    text = [block for block in blocks if block.shape is not Shape.FURNITURE]
    nested = (block for block in text if block.sign or block.indent > 1)
    inner = frozenset(block.inner for block in nested if block.inner)
    outlined = outline(text)
    furniture += [Furniture(block.span, "title page") for block in outlined.title_page]
    reader = _SectionReader(corrections, PassageBuilder(document, corrections, inner), furniture)
    entries = [reader.section(section) for section in outlined.sections]
    if outlined.opening:
        passages = reader.builder.passages(outlined.opening)
        entries.insert(0, DraftEntry(Kind.SECTION, edition.title, passages=passages))
    return DraftRulebook(entries, furniture)


@dataclass
class _SectionReader:
    """Makes the entries of sections; single letters in a glossary are added to ``furniture``."""

    corrections: Corrections
    builder: PassageBuilder
    furniture: list[Furniture] = field(default_factory=list)

    def section(self, section: Section) -> DraftEntry:
        """Return the entry of ``section``, with the entries inside it."""
        heading = section.heading
        entry = DraftEntry(Kind.SECTION, heading.text, heading.spans)
        role = Role.LISTING if section.kind is SectionKind.LISTING else Role.TEXT
        if section.kind is SectionKind.GLOSSARY:
            entry.passages = self.builder.passages(heading.body)
            self._add_terms(entry, section)
        elif section.kind in (SectionKind.QUESTIONS, SectionKind.ERRATA):
            questions = (i for i, block in enumerate(heading.body) if is_question(block.text))
            first = next(questions, len(heading.body))
            entry.passages = self.builder.passages(heading.body[:first])
            topic = DraftEntry(Kind.RULING, heading.text)
            entry.children = self._rulings(topic, heading.body[first:])
            self._add_cards(entry, section)
        else:
            entry.passages = self.builder.passages(heading.body, role)
            self._add_subsections(entry, section, role)
        return entry

    def _part(self, kind: Kind, heading: Heading, role: Role = Role.TEXT) -> DraftEntry:
        passages = self.builder.passages(heading.body, role)
        return DraftEntry(kind, heading.text, heading.spans, passages=passages)

    def _add_terms(self, entry: DraftEntry, section: Section) -> None:
        for heading in section.subheadings:
            if not heading.body and len(heading.text) < 2:
                self.furniture += [Furniture(span, "letter") for span in heading.spans]
                continue
            term = self._part(Kind.TERM, heading)
            if heading.kind == Kind.SUBSECTION and entry.children:
                term.kind, entry.children[-1].kind = Kind.SUBSECTION, Kind.TERM
                entry.children[-1].children.append(term)
                continue
            if term.is_see_list:
                term.kind = Kind.REDIRECT
            entry.children.append(term)

    def _add_subsections(self, entry: DraftEntry, section: Section, role: Role) -> None:
        # Consecutive captions of pictures form one passage.
        captions: DraftPassage | None = None
        for heading, following in zip_longest(section.subheadings, section.subheadings[1:]):
            if heading.is_caption(following):
                if captions is None:
                    captions = DraftPassage([], Role.LISTING)
                    entry.passages.append(captions)
                captions.spans += heading.spans
            else:
                captions = None
                entry.children.append(self._part(Kind.SUBSECTION, heading, role))

    def _add_cards(self, entry: DraftEntry, section: Section) -> None:
        # The rulings and errata, below the subsections that group them.
        group, group_level = entry, 0
        cards = _cards(section.subheadings)
        following = [*section.subheadings[1:], None]
        for heading, card, after in zip(section.subheadings, cards, following, strict=False):
            if heading.level <= group_level:
                group, group_level = entry, 0
            if heading.is_group(after):
                group = DraftEntry(Kind.SUBSECTION, heading.text, heading.spans)
                group_level = heading.level
                entry.children.append(group)
                continue
            if group is not entry and not card.product:
                card = Card(card.name or heading.text, card.number, group.heading)
            group.children += self._card(heading, card, section.kind)

    def _card(self, heading: Heading, card: Card, section_kind: SectionKind) -> list[DraftEntry]:
        def meant(fault: Fault, printed: str | None) -> str | None:
            return self.corrections.meant(heading.line, fault, printed)

        number, name = meant(Fault.NUMBER, card.number), meant(Fault.CARD, card.name)
        product = meant(Fault.PRODUCT, card.product)
        entry = DraftEntry(Kind.RULING, heading.text, heading.spans, None, number, name, product)
        if any(is_question(block.text) for block in heading.body):
            entry.title = meant(Fault.TITLE, None)
            return self._rulings(entry, heading.body)
        replaced = any(OLD_WORDING.search(block.text) for block in heading.body)
        if section_kind is not SectionKind.ERRATA and not replaced:
            return [self._part(Kind.SUBSECTION, heading)]
        entry.kind = Kind.ERRATUM
        body = without_old_wording(heading.body)
        entry.passages = self.builder.passages(body, with_lead_ins=True)
        return [entry]

    def _rulings(self, first: DraftEntry, body: Sequence[Block]) -> list[DraftEntry]:
        # One ruling for each question, with the fields of ``first``; only the first has the heading
        # and the text before the question.
        groups: list[list[Block]] = []
        before: list[Block] = []
        for block in body:
            if is_question(block.text):
                groups.append([block])
            else:
                (groups[-1] if groups else before).append(block)
        entries: list[DraftEntry] = []
        for group in groups:
            entry = replace(first, passages=[], children=[])
            if entries:
                entry.heading_spans = []
            else:
                entry.passages = self.builder.passages(before)
            text = [block for block in group if not is_references(block.text)]
            lists = [block.span for block in group if is_references(block.text)]
            entry.passages.append(self.builder.whole(text))
            entry.passages += [DraftPassage([span], Role.SEE) for span in lists]
            entries.append(entry)
        return entries


def _cards(headings: Sequence[Heading]) -> list[Card]:
    """Return the card that each of ``headings``, among questions or errata, names.

    If no heading has a number, each heading is the name of a card. Otherwise headings without a
    number are topics or passages without a card; they have a product if they begin with that of
    another heading.
    """
    cards = [heading.card for heading in headings]
    products = {card.product for card in cards}
    if not any(card.number for card in cards):
        return [Card(name=heading.text) for heading in headings]
    for at, (heading, card) in enumerate(zip(headings, cards, strict=True)):
        if not card.number:
            name = re.split(r"[,(]", heading.text, maxsplit=1)[0].strip()
            cards[at] = Card(product=name if name in products else None)
    return cards


LAYOUT = Layout(name="markdown", score=score, read=read)
