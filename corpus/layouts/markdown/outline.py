"""The outline of a Markdown rulebook: its title page, its sections, and the headings in each section."""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus.layouts.markdown.blocks import BlockShape, MarkdownBlock, heading_text
from corpus.layouts.markdown.patterns import OLD_WORDING, SectionZone, announced_zone, is_appendix, is_question, is_references
from corpus.layouts.markdown.rulings import card
from corpus.model import Kind, Span

SEVERAL = 3  # questions or replaced wordings that make any section one of questions or errata
_RUNNING = 4  # words of the shortest line on a title page that counts as running text


@dataclass
class MarkdownPart:
    """A heading of one or two lines, with the blocks below it up to the next heading."""

    headings: list[MarkdownBlock]
    body: list[MarkdownBlock] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The heading without Markdown signs, its lines joined by a space."""
        return " ".join(heading_text(h.text) for h in self.headings)

    @property
    def spans(self) -> list[Span]:
        """The spans of the lines of the heading."""
        return [h.span for h in self.headings]

    @property
    def line(self) -> int:
        """The number of the first line of the heading."""
        return self.headings[0].first

    @property
    def level(self) -> int:
        """The number of ``#`` at the beginning of the heading."""
        return self.headings[0].level

    @property
    def kind(self) -> str:
        """The kind of entry that a correction gives it; "" if there is no correction."""
        return self.headings[0].kind


@dataclass
class MarkdownSection:
    """A section: its own heading with the text below it, its zone, and its subheadings with their text (``parts``)."""

    heading: MarkdownPart
    zone: SectionZone
    parts: list[MarkdownPart] = field(default_factory=list)


@dataclass
class MarkdownOutline:
    """The sections of a rulebook, and the blocks before the first section: a title page, or running text (``opening``)."""

    title_page: list[MarkdownBlock]
    opening: list[MarkdownBlock]
    sections: list[MarkdownSection]


def outline(text: list[MarkdownBlock]) -> MarkdownOutline:
    """The outline of a rulebook; ``text`` has its blocks without furniture."""
    opening, parts = _parts(text)
    start = 0 if _has_text(opening) else _title_page_length(parts)
    title_page = [] if _has_text(opening) else [*opening, *(b for part in parts[:start] for b in (*part.headings, *part.body))]
    sections = _sections(parts[start:])
    for section in sections:
        if section.zone is SectionZone.PLAIN:
            section.zone = _zone_by_content(section)
    return MarkdownOutline(title_page, opening if _has_text(opening) else [], sections)


def is_caption(part: MarkdownPart, following: MarkdownPart | None) -> bool:
    """Whether ``part`` is the caption of a picture: a heading without text, not followed by a heading of a lower level."""
    return not part.body and not part.kind and (following is None or following.level <= part.level)


def is_group(part: MarkdownPart, following: MarkdownPart | None) -> bool:
    """Whether ``part`` is a heading without text, followed by a heading of a lower level."""
    return not part.body and following is not None and following.level > part.level


def _parts(text: list[MarkdownBlock]) -> tuple[list[MarkdownBlock], list[MarkdownPart]]:
    opening: list[MarkdownBlock] = []
    parts: list[MarkdownPart] = []
    for block in text:
        if block.shape is not BlockShape.HEADING:
            (parts[-1].body if parts else opening).append(block)
        elif parts and not parts[-1].body and not block.kind and len(parts[-1].headings) == 1 and _continues(parts[-1], block):
            parts[-1].headings.append(block)
        else:
            parts.append(MarkdownPart([block]))
    return opening, parts


def _continues(part: MarkdownPart, block: MarkdownBlock) -> bool:
    """Whether the heading ``block`` is the second line of the heading of ``part``: a bracket, or the rest of one."""
    above, below = part.text, heading_text(block.text)
    if above.count("(") > above.count(")"):
        return ")" in below
    return below.startswith("(") and below.endswith(")") and not above.endswith(")")


def _has_text(body: list[MarkdownBlock]) -> bool:
    """Whether ``body`` has more than the lines of a title page: list items, or sentences that are not emphasised as a whole."""
    for block in body:
        text = block.text.strip()
        sentence = text[-1] in ".!?:" and not text.startswith(("*", "_")) and not text.isupper() and text.count(" ") >= _RUNNING - 1
        if block.shape is BlockShape.ITEM or sentence or is_references(text) or is_question(text):
            return True
    return False


def _title_page_length(parts: list[MarkdownPart]) -> int:
    """The number of ``parts`` that belong to the title page, where lines look like headings."""
    for position, part in enumerate(parts):
        if part.kind or _announced_zone(part) or _has_text(part.body):
            return position
    return 0


def _announced_zone(part: MarkdownPart) -> SectionZone | None:
    """The zone that the heading of ``part`` announces; None if it announces none."""
    return announced_zone(part.text) or (SectionZone.PLAIN if is_appendix(part.text) else None)


def _sections(parts: list[MarkdownPart]) -> list[MarkdownSection]:
    announced = [_announced_zone(part) for part in parts]
    front = next((i for i, z in enumerate(announced) if z not in (None, SectionZone.LISTING)), len(parts))
    top = _top_level(parts[:front])
    sections: list[MarkdownSection] = []
    glossary_level = 0  # a heading of this level or a higher one ends the glossary
    for position, part in enumerate(parts):
        announced_zone = announced[position]
        if position < front:
            high = not sections or part.level <= top
        else:
            high = bool(sections) and sections[-1].zone is SectionZone.GLOSSARY and part.level <= glossary_level
        if high or announced_zone is not None or part.kind == Kind.SECTION:
            sections.append(MarkdownSection(part, announced_zone or SectionZone.PLAIN))
            if announced_zone is SectionZone.GLOSSARY:
                glossary_level = _glossary_level(part, parts[position + 1 :], announced[position + 1 :])
        else:
            sections[-1].parts.append(part)
    return sections


def _top_level(front: list[MarkdownPart]) -> int:
    """The level of sections in the front matter. A single first heading of a higher level is the title of the rulebook."""
    levels = [part.level for part in front]
    if len(levels) > 1 and levels[0] < min(levels[1:]):
        return min(levels[1:])
    return min(levels, default=0)


def _glossary_level(glossary: MarkdownPart, after: list[MarkdownPart], announced: list[SectionZone | None]) -> int:
    """The level of a heading that ends the glossary; 0 if levels do not tell, because many terms have the level of the glossary."""
    end = next((i for i, z in enumerate(announced) if z is not None), len(after))
    high = sum(1 for part in after[:end] if part.level <= glossary.level)
    return glossary.level if high * 10 <= end else 0


def _zone_by_content(section: MarkdownSection) -> SectionZone:
    """The zone of a section by its content: questions, errata, or plain text."""
    blocks = [*section.heading.body, *(b for part in section.parts for b in part.body)]
    questions = sum(1 for b in blocks if is_question(b.text))
    numbered = sum(1 for part in section.parts if card(part.text).number)
    if questions >= SEVERAL or (questions and numbered):
        return SectionZone.QUESTIONS
    if sum(1 for b in blocks if OLD_WORDING.search(b.text)) >= SEVERAL or numbered > len(section.parts) / 2:
        return SectionZone.ERRATA
    return SectionZone.PLAIN
