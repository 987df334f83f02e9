"""The outline of a Markdown rulebook: its title page, its sections, and the headings in each section."""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus.layouts.markdown.blocks import BlockShape, MarkdownBlock, heading_text
from corpus.layouts.markdown.patterns import OLD_WORDING, SectionZone, announced_zone, is_appendix, is_question, is_references
from corpus.layouts.markdown.rulings import card
from corpus.model import Kind, Span

SEVERAL = 3  # questions or old wordings that make a section one of questions or errata, whatever its heading says
_RUNNING = 4  # words from which a line on the title page is running text


@dataclass
class MarkdownPart:
    """A heading of one or two lines, with the blocks below it up to the next heading."""

    headings: list[MarkdownBlock]
    body: list[MarkdownBlock] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The heading as printed, without Markdown signs, its lines joined by a blank."""
        return " ".join(heading_text(h.text) for h in self.headings)

    @property
    def spans(self) -> list[Span]:
        """Where its lines are printed."""
        return [h.span for h in self.headings]

    @property
    def line(self) -> int:
        """The number of its first line."""
        return self.headings[0].first

    @property
    def level(self) -> int:
        """How many ``#`` its first line begins with."""
        return self.headings[0].level

    @property
    def kind(self) -> str:
        """The kind of entry that a correction says it is."""
        return self.headings[0].kind


@dataclass
class MarkdownSection:
    """A section: its own heading and text, what its subheadings are, and these with their text."""

    heading: MarkdownPart
    zone: SectionZone
    parts: list[MarkdownPart] = field(default_factory=list)


@dataclass
class MarkdownOutline:
    """The sections of a rulebook, and the blocks before the first one: a title page, or running text without a heading."""

    title_page: list[MarkdownBlock]
    opening: list[MarkdownBlock]
    sections: list[MarkdownSection]


def outline(text: list[MarkdownBlock]) -> MarkdownOutline:
    """The outline of a rulebook; ``text`` are its blocks without furniture."""
    opening, parts = _parts(text)
    start = 0 if _has_text(opening) else _title_page_length(parts)
    title_page = [] if _has_text(opening) else [*opening, *(b for part in parts[:start] for b in (*part.headings, *part.body))]
    sections = _sections(parts[start:])
    for section in sections:
        if section.zone is SectionZone.PLAIN:
            section.zone = _zone_by_content(section)
    return MarkdownOutline(title_page, opening if _has_text(opening) else [], sections)


def is_caption(part: MarkdownPart, following: MarkdownPart | None) -> bool:
    """Whether ``part`` is the caption of a picture: a heading with no text and no lower heading below it."""
    return not part.body and not part.kind and (following is None or following.level <= part.level)


def is_group(part: MarkdownPart, following: MarkdownPart | None) -> bool:
    """Whether ``part`` is a heading without text, followed by lower headings."""
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
    """Whether ``block`` is the second line of the heading of ``part``: its brackets, or the rest of them."""
    above, below = part.text, heading_text(block.text)
    if above.count("(") > above.count(")"):
        return ")" in below
    return below.startswith("(") and below.endswith(")") and not above.endswith(")")


def _has_text(body: list[MarkdownBlock]) -> bool:
    """Whether ``body`` holds more than the lines of a title page: lists or sentences that are not wholly emphasised."""
    for block in body:
        text = block.text.strip()
        sentence = text[-1] in ".!?:" and not text.startswith(("*", "_")) and not text.isupper() and text.count(" ") >= _RUNNING - 1
        if block.shape is BlockShape.ITEM or sentence or is_references(text) or is_question(text):
            return True
    return False


def _title_page_length(parts: list[MarkdownPart]) -> int:
    """How many of ``parts`` belong to the title page, whose lines look like headings."""
    for position, part in enumerate(parts):
        if part.kind or _announced_zone(part) or _has_text(part.body):
            return position
    return 0


def _announced_zone(part: MarkdownPart) -> SectionZone | None:
    """The zone that the words of the heading of ``part`` announce; None where they announce none."""
    return announced_zone(part.text) or (SectionZone.PLAIN if is_appendix(part.text) else None)


def _sections(parts: list[MarkdownPart]) -> list[MarkdownSection]:
    announced = [_announced_zone(part) for part in parts]
    front = next((i for i, z in enumerate(announced) if z not in (None, SectionZone.LISTING)), len(parts))
    top = _top_level(parts[:front])
    sections: list[MarkdownSection] = []
    limit = 0  # level at which a heading ends the glossary
    for position, part in enumerate(parts):
        announced_zone = announced[position]
        if position < front:
            high = not sections or part.level <= top
        else:
            high = bool(sections) and sections[-1].zone is SectionZone.GLOSSARY and part.level <= limit
        if high or announced_zone is not None or part.kind == Kind.SECTION:
            sections.append(MarkdownSection(part, announced_zone or SectionZone.PLAIN))
            if announced_zone is SectionZone.GLOSSARY:
                limit = _glossary_level(part, parts[position + 1 :], announced[position + 1 :])
        else:
            sections[-1].parts.append(part)
    return sections


def _top_level(front: list[MarkdownPart]) -> int:
    """The level of sections in the front matter; a first heading that stands alone above the others is the rulebook's title."""
    levels = [part.level for part in front]
    if len(levels) > 1 and levels[0] < min(levels[1:]):
        return min(levels[1:])
    return min(levels, default=0)


def _glossary_level(glossary: MarkdownPart, after: list[MarkdownPart], announced: list[SectionZone | None]) -> int:
    """The level at which a heading ends the glossary; 0 where levels mean nothing because terms stand at it."""
    end = next((i for i, z in enumerate(announced) if z is not None), len(after))
    high = sum(1 for part in after[:end] if part.level <= glossary.level)
    return glossary.level if high * 10 <= end else 0


def _zone_by_content(section: MarkdownSection) -> SectionZone:
    """The zone of a section whose heading does not announce one: questions, errata, or plain text."""
    blocks = [*section.heading.body, *(b for part in section.parts for b in part.body)]
    questions = sum(1 for b in blocks if is_question(b.text))
    numbered = sum(1 for part in section.parts if card(part.text).number)
    if questions >= SEVERAL or (questions and numbered):
        return SectionZone.QUESTIONS
    if sum(1 for b in blocks if OLD_WORDING.search(b.text)) >= SEVERAL or numbered > len(section.parts) / 2:
        return SectionZone.ERRATA
    return SectionZone.PLAIN
