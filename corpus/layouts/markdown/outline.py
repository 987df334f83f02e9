"""The outline of a Markdown rulebook: its title page, its sections, and the headings in each
section.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus.layouts.markdown.blocks import BlockShape, MarkdownBlock, heading_text
from corpus.layouts.markdown.patterns import (
    OLD_WORDING,
    MarkdownSectionKind,
    announced_kind,
    is_appendix,
    is_question,
    is_references,
)
from corpus.layouts.markdown.rulings import card
from corpus.model import Kind, Span

SEVERAL = 3  # questions or replaced wordings that make any section one of questions or errata
_RUNNING = 4  # words of the shortest line on a title page that counts as running text


@dataclass
class MarkdownHeading:
    """A heading of one or two lines, with the blocks below it up to the next heading."""

    lines: list[MarkdownBlock]
    body: list[MarkdownBlock] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The heading without Markdown signs, its lines joined by a space."""
        return " ".join(heading_text(h.text) for h in self.lines)

    @property
    def spans(self) -> list[Span]:
        """The spans of the lines of the heading."""
        return [h.span for h in self.lines]

    @property
    def line(self) -> int:
        """The number of the first line of the heading."""
        return self.lines[0].first

    @property
    def level(self) -> int:
        """The number of ``#`` at the beginning of the heading."""
        return self.lines[0].level

    @property
    def kind(self) -> str:
        """The kind of entry that a correction gives it; "" if there is no correction."""
        return self.lines[0].kind


@dataclass
class MarkdownSection:
    """A section: its own heading with the text below it, its kind, and its subheadings with the
    text below them.
    """

    heading: MarkdownHeading
    kind: MarkdownSectionKind
    subheadings: list[MarkdownHeading] = field(default_factory=list)


@dataclass
class MarkdownOutline:
    """The sections of a rulebook, and the blocks before the first section: a title page, or running
    text (``opening``).
    """

    title_page: list[MarkdownBlock]
    opening: list[MarkdownBlock]
    sections: list[MarkdownSection]


def outline(text: list[MarkdownBlock]) -> MarkdownOutline:
    """The outline of a rulebook; ``text`` has its blocks without furniture."""
    opening, headings = _headings(text)
    start = 0 if _has_text(opening) else _title_page_length(headings)
    title_page = (
        []
        if _has_text(opening)
        else [
            *opening,
            *(b for heading in headings[:start] for b in (*heading.lines, *heading.body)),
        ]
    )
    sections = _sections(headings[start:])
    for section in sections:
        if section.kind is MarkdownSectionKind.PLAIN:
            section.kind = _kind_by_content(section)
    return MarkdownOutline(title_page, opening if _has_text(opening) else [], sections)


def is_caption(heading: MarkdownHeading, following: MarkdownHeading | None) -> bool:
    """Whether ``heading`` is the caption of a picture: a heading without text, not followed by a
    heading of a lower level.
    """
    return (
        not heading.body
        and not heading.kind
        and (following is None or following.level <= heading.level)
    )


def is_group(heading: MarkdownHeading, following: MarkdownHeading | None) -> bool:
    """Whether ``heading`` groups the headings after it: it has no text, and a heading of a lower
    level follows.
    """
    return not heading.body and following is not None and following.level > heading.level


def _headings(text: list[MarkdownBlock]) -> tuple[list[MarkdownBlock], list[MarkdownHeading]]:
    """The blocks before the first heading, and all headings with the blocks below them."""
    opening: list[MarkdownBlock] = []
    headings: list[MarkdownHeading] = []
    for block in text:
        if block.shape is not BlockShape.HEADING:
            (headings[-1].body if headings else opening).append(block)
        elif (
            headings
            and not headings[-1].body
            and not block.kind
            and len(headings[-1].lines) == 1
            and _continues(headings[-1], block)
        ):
            headings[-1].lines.append(block)
        else:
            headings.append(MarkdownHeading([block]))
    return opening, headings


def _continues(heading: MarkdownHeading, block: MarkdownBlock) -> bool:
    """Whether the heading ``block`` is the second line of ``heading``: a bracket, or the rest of
    one.
    """
    above, below = heading.text, heading_text(block.text)
    if above.count("(") > above.count(")"):
        return ")" in below
    return below.startswith("(") and below.endswith(")") and not above.endswith(")")


def _has_text(body: list[MarkdownBlock]) -> bool:
    """Whether ``body`` has more than the lines of a title page: list items, or sentences that are
    not emphasised as a whole.
    """
    for block in body:
        text = block.text.strip()
        sentence = (
            text[-1] in ".!?:"
            and not (text.startswith(("*", "_")) or block.emphasised)
            and not text.isupper()
            and text.count(" ") >= _RUNNING - 1
        )
        if block.shape is BlockShape.ITEM or sentence or is_references(text) or is_question(text):
            return True
    return False


def _title_page_length(headings: list[MarkdownHeading]) -> int:
    """The number of ``headings`` that belong to the title page, where lines look like headings."""
    for position, heading in enumerate(headings):
        if heading.kind or _announced_kind(heading) or _has_text(heading.body):
            return position
    return 0


def _announced_kind(heading: MarkdownHeading) -> MarkdownSectionKind | None:
    """The kind of section that ``heading`` announces by its words; None if it announces none."""
    return announced_kind(heading.text) or (
        MarkdownSectionKind.PLAIN if is_appendix(heading.text) else None
    )


def _sections(headings: list[MarkdownHeading]) -> list[MarkdownSection]:
    """Group ``headings`` into sections: decide for each whether it begins a section or is inside
    the current one.
    """
    announced = [_announced_kind(heading) for heading in headings]
    front = next(
        (i for i, kind in enumerate(announced) if kind not in (None, MarkdownSectionKind.LISTING)),
        len(headings),
    )
    top = _top_level(headings[:front])
    sections: list[MarkdownSection] = []
    glossary_level = 0  # a heading of this level or a higher one ends the glossary
    for position, heading in enumerate(headings):
        kind = announced[position]
        if position < front:
            high = not sections or heading.level <= top
        else:
            high = (
                bool(sections)
                and sections[-1].kind is MarkdownSectionKind.GLOSSARY
                and heading.level <= glossary_level
            )
        if high or kind is not None or heading.kind == Kind.SECTION:
            sections.append(MarkdownSection(heading, kind or MarkdownSectionKind.PLAIN))
            if kind is MarkdownSectionKind.GLOSSARY:
                glossary_level = _glossary_level(
                    heading, headings[position + 1 :], announced[position + 1 :]
                )
        else:
            sections[-1].subheadings.append(heading)
    return sections


def _top_level(front: list[MarkdownHeading]) -> int:
    """The level of sections in the front matter. A single first heading of a higher level is the
    title of the rulebook.
    """
    levels = [heading.level for heading in front]
    if len(levels) > 1 and levels[0] < min(levels[1:]):
        return min(levels[1:])
    return min(levels, default=0)


def _glossary_level(
    glossary: MarkdownHeading,
    after: list[MarkdownHeading],
    announced: list[MarkdownSectionKind | None],
) -> int:
    """The level of a heading that ends the glossary; 0 if levels do not tell, because many terms
    have the level of the glossary.
    """
    end = next((i for i, kind in enumerate(announced) if kind is not None), len(after))
    high = sum(1 for heading in after[:end] if heading.level <= glossary.level)
    return glossary.level if high * 10 <= end else 0


def _kind_by_content(section: MarkdownSection) -> MarkdownSectionKind:
    """The kind of a section by its content: questions, errata, or plain text."""
    blocks = [*section.heading.body, *(b for heading in section.subheadings for b in heading.body)]
    questions = sum(1 for b in blocks if is_question(b.text))
    numbered = sum(1 for heading in section.subheadings if card(heading.text).number)
    if questions >= SEVERAL or (questions and numbered):
        return MarkdownSectionKind.QUESTIONS
    if (
        sum(1 for b in blocks if OLD_WORDING.search(b.text)) >= SEVERAL
        or numbered > len(section.subheadings) / 2
    ):
        return MarkdownSectionKind.ERRATA
    return MarkdownSectionKind.PLAIN
