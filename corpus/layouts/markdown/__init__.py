"""Reader of rulebooks in Markdown: front matter, a glossary, appendices, questions and answers,
errata.
"""

from __future__ import annotations

from itertools import zip_longest

from corpus.document import Document
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.layouts.layout import Layout
from corpus.layouts.markdown.blocks import BlockShape, blocks, inner_signs
from corpus.layouts.markdown.outline import (
    MarkdownHeading,
    MarkdownSection,
    is_caption,
    is_group,
    outline,
)
from corpus.layouts.markdown.passages import MarkdownPassageBuilder
from corpus.layouts.markdown.patterns import OLD_WORDING, MarkdownSectionKind, is_question
from corpus.layouts.markdown.rulings import CardHeading, cards, corrected, erratum, rulings
from corpus.model import Corrections, Edition, Fault, Furniture, Kind, Role


def score(document: Document) -> float:
    """A score from 0.0 to 1.0, from the share of headings among the lines with text; one in eight
    gives 1.0.
    """
    printed = [line.text.lstrip() for line in document.lines if line.text.strip()]
    headings = sum(1 for text in printed if text.startswith(("# ", "## ", "### ", "#### ")))
    return min(1.0, 8 * headings / len(printed)) if headings > 2 else 0.0


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the entries of a Markdown rulebook.

    The section that contains a heading decides what the heading is, whatever its level: a term in
    the glossary, a card among the questions or errata, a subsection elsewhere. In other sections, a
    heading without text is the caption of a picture.
    """
    document_blocks = blocks(document, corrections)
    text = [block for block in document_blocks if block.shape is not BlockShape.FURNITURE]
    outlined = outline(text)
    reader = _MarkdownSectionReader(
        corrections, MarkdownPassageBuilder(document, corrections, inner_signs(text))
    )
    entries = [reader.section(section) for section in outlined.sections]
    if outlined.opening:
        entries.insert(
            0,
            DraftEntry(
                Kind.SECTION, edition.title, passages=reader.builder.passages(outlined.opening)
            ),
        )
    furniture = [
        Furniture(block.span, block.why)
        for block in document_blocks
        if block.shape is BlockShape.FURNITURE
    ]
    furniture += [Furniture(block.span, "title page") for block in outlined.title_page]
    return DraftRulebook(entries, furniture + reader.letters)


class _MarkdownSectionReader:
    """Makes the entries of sections. ``letters`` collects the letters of the alphabet in a
    glossary, which are furniture.
    """

    def __init__(self, corrections: Corrections, builder: MarkdownPassageBuilder):
        self._corrections = corrections
        self.builder = builder
        self.letters: list[Furniture] = []

    def section(self, section: MarkdownSection) -> DraftEntry:
        """The entry of ``section``, with the entries inside it."""
        heading = section.heading
        entry = DraftEntry(Kind.SECTION, heading.text, heading.spans)
        role = Role.LISTING if section.kind is MarkdownSectionKind.LISTING else Role.TEXT
        if section.kind is MarkdownSectionKind.GLOSSARY:
            entry.passages = self.builder.passages(heading.body)
            self._terms(entry, section)
        elif section.kind in (MarkdownSectionKind.QUESTIONS, MarkdownSectionKind.ERRATA):
            first = next(
                (i for i, block in enumerate(heading.body) if is_question(block.text)),
                len(heading.body),
            )
            entry.passages = self.builder.passages(heading.body[:first])
            entry.children = rulings(
                heading.text, [], CardHeading(), None, heading.body[first:], self.builder
            )
            self._cards(entry, section)
        else:
            entry.passages = self.builder.passages(heading.body, role)
            self._subsections(entry, section, role)
        return entry

    def _terms(self, entry: DraftEntry, section: MarkdownSection) -> None:
        """Add the terms of ``section``, a glossary, to ``entry``; those with nothing but references
        as redirects.
        """
        for heading in section.subheadings:
            if not heading.body and len(heading.text) < 2:
                self.letters += [Furniture(span, "letter") for span in heading.spans]
                continue
            passages = self.builder.passages(heading.body)
            if heading.kind == Kind.SUBSECTION and entry.children:
                term = entry.children[-1]
                term.kind = Kind.TERM
                term.children.append(
                    DraftEntry(Kind.SUBSECTION, heading.text, heading.spans, passages=passages)
                )
                continue
            redirect = bool(passages) and all(p.role is Role.SEE for p in passages)
            kind = Kind.REDIRECT if redirect else Kind.TERM
            entry.children.append(DraftEntry(kind, heading.text, heading.spans, passages=passages))

    def _subsections(self, entry: DraftEntry, section: MarkdownSection, role: Role) -> None:
        """Add the subsections of ``section`` to ``entry``; consecutive captions of pictures become
        one passage of ``entry``.
        """
        captions: DraftPassage | None = None
        for heading, following in zip_longest(section.subheadings, section.subheadings[1:]):
            if is_caption(heading, following):
                if captions is None:
                    captions = DraftPassage([], Role.LISTING)
                    entry.passages.append(captions)
                captions.spans += heading.spans
            else:
                captions = None
                passages = self.builder.passages(heading.body, role)
                entry.children.append(
                    DraftEntry(Kind.SUBSECTION, heading.text, heading.spans, passages=passages)
                )

    def _cards(self, entry: DraftEntry, section: MarkdownSection) -> None:
        """Add the rulings and errata of ``section`` to ``entry``, below the subsections that group
        them.
        """
        group, group_level = entry, 0
        by_line = dict(
            zip(
                (p.line for p in section.subheadings),
                cards(p.text for p in section.subheadings),
                strict=True,
            )
        )
        for heading, after in zip_longest(section.subheadings, section.subheadings[1:]):
            if heading.level <= group_level:
                group, group_level = entry, 0
            if is_group(heading, after):
                group, group_level = (
                    DraftEntry(Kind.SUBSECTION, heading.text, heading.spans),
                    heading.level,
                )
                entry.children.append(group)
                continue
            card = by_line[heading.line]
            if group is not entry and not card.product:
                card = CardHeading(card.name or heading.text, card.number, group.heading)
            card = corrected(card, heading.line, self._corrections)
            group.children += self._card(heading, card, section.kind)

    def _card(
        self, heading: MarkdownHeading, card: CardHeading, section_kind: MarkdownSectionKind
    ) -> list[DraftEntry]:
        """The entries of ``heading``: rulings if it has questions, else an erratum or a
        subsection.
        """
        if any(is_question(block.text) for block in heading.body):
            correction = self._corrections.at(heading.line, Fault.TITLE)
            title = str(correction.meant) if correction and correction.meant is not None else None
            return rulings(heading.text, heading.spans, card, title, heading.body, self.builder)
        if section_kind is MarkdownSectionKind.ERRATA or any(
            OLD_WORDING.search(block.text) for block in heading.body
        ):
            return [erratum(heading.text, heading.spans, card, heading.body, self.builder)]
        return [
            DraftEntry(
                Kind.SUBSECTION,
                heading.text,
                heading.spans,
                passages=self.builder.passages(heading.body),
            )
        ]


LAYOUT = Layout(name="markdown", score=score, read=read)
