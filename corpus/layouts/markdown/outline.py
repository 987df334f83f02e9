"""The outline of a Markdown rulebook: its title page, its sections, and the headings in each
section.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from corpus.languages import any_of
from corpus.layouts.markdown.blocks import Block, Shape, heading_text, is_question, is_references
from corpus.model import Kind, Span

SEVERAL = 3  # questions or replaced wordings that make a section one of questions or errata
_RUNNING = 4  # least words of a line on a title page that counts as running text

_APPENDIX = re.compile(
    rf"{any_of('sections.appendix')}"
    r"(?:\s+(?:[ivxlc]{1,7}|\d{1,3}|[a-z])\b\W*|\s*[:–—-]\s*)",
    re.IGNORECASE,
)
_QUESTIONS = any_of("sections.questions")
_ERRATA = any_of("sections.errata", "sections.corrections")
_AND = rf"\s*(?:,|/|&|\+|{any_of('sentences.conjunctions')})\s*"
_OLD = rf"{any_of('labels.old_wording')}[^:()\n]{{0,40}}:"
OLD_WORDING = re.compile(
    rf"[*_]{{0,3}}\((?=[*_]{{0,3}}{_OLD})|^(?=[*_]{{0,3}}{_OLD})", re.IGNORECASE | re.MULTILINE
)
_CARD_NUMBER = re.compile(r"#?\d{1,4}[A-Za-z]?(?:\s?[/–-]\s?\d{0,4}[A-Za-z]?){0,8}")


class SectionKind(Enum):
    """The kind of a section, which decides the meaning of the headings in it."""

    PLAIN = auto()  # parts of the section
    GLOSSARY = auto()  # terms
    QUESTIONS = auto()  # cards and topics with questions and answers
    ERRATA = auto()  # cards and passages with corrections, questions among them
    LISTING = auto()  # table of contents, printed index


_KINDS = {
    SectionKind.GLOSSARY: any_of("sections.glossary"),
    SectionKind.QUESTIONS: rf"{_QUESTIONS}(?:\s*\(faq\))?",
    SectionKind.ERRATA: rf"(?:{_QUESTIONS}{_AND})?{_ERRATA}(?:{_AND}{_QUESTIONS})?",
    SectionKind.LISTING: any_of("sections.contents", "sections.index"),
}
_KIND_PATTERNS = {kind: re.compile(words, re.IGNORECASE) for kind, words in _KINDS.items()}


@dataclass(frozen=True)
class Card:
    """The card, printed number and product that a heading of a question or erratum names."""

    name: str | None = None
    number: str | None = None
    product: str | None = None


@dataclass
class Heading:
    """A heading of one or two lines, and the blocks between it and the next heading."""

    lines: list[Block]
    body: list[Block] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The heading without Markdown markup, on one line."""
        return " ".join(heading_text(line.text) for line in self.lines)

    @property
    def spans(self) -> list[Span]:
        """The spans of the lines of the heading."""
        return [line.span for line in self.lines]

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
        """The kind of entry according to a correction, or ""."""
        return self.lines[0].kind

    @property
    def announced(self) -> SectionKind | None:
        """The kind of section announced by the words of the heading, or None."""
        words = " ".join(self.text.casefold().split()).strip(" :.")
        appendix = _APPENDIX.match(words)
        rest = words[appendix.end() :] if appendix else words
        for kind, pattern in _KIND_PATTERNS.items():
            if pattern.fullmatch(rest):
                return kind
        # The word alone does not make an appendix, because it can be a glossary term.
        numbered = _APPENDIX.match(self.text.casefold())
        return SectionKind.PLAIN if numbered and numbered.end() < len(self.text) else None

    @property
    def card(self) -> Card:
        """The card that the heading names, with product and number from the brackets at its end."""
        depth = 0
        for position in range(len(self.text) - 1, -1, -1):
            depth += {")": 1, "(": -1}.get(self.text[position], 0)
            if depth <= 0:
                break
        else:
            return Card()
        name, inside = self.text[:position].strip(), self.text[position + 1 : -1].strip()
        cut = max(inside.rfind(","), inside.rfind(";"))
        product, number = inside[: max(cut, 0)].strip(), inside[cut + 1 :].strip()
        named = name and _CARD_NUMBER.fullmatch(number)
        return Card(name, number, product or None) if named else Card()

    def is_group(self, following: Heading | None) -> bool:
        """Return whether the heading groups those after it: it has no text, and a heading of a
        lower level follows.
        """
        return not self.body and following is not None and following.level > self.level

    def is_caption(self, following: Heading | None) -> bool:
        """Return whether the heading is the caption of a picture: without text, grouping
        nothing.
        """
        return not self.body and not self.kind and not self.is_group(following)


@dataclass
class Section:
    """A section: its heading with the text below, its kind, and its subheadings with their text."""

    heading: Heading
    kind: SectionKind
    subheadings: list[Heading] = field(default_factory=list)


@dataclass
class Outline:
    """The sections of a rulebook, after a title page, or after running text (``opening``)."""

    title_page: list[Block]
    opening: list[Block]
    sections: list[Section]


def outline(text: Sequence[Block]) -> Outline:
    """Return the outline of a rulebook from its blocks ``text``, without furniture."""
    opening: list[Block] = []
    headings: list[Heading] = []
    for block in text:
        if block.shape is not Shape.HEADING:
            (headings[-1].body if headings else opening).append(block)
        elif headings and _is_second_line(headings[-1], block):
            headings[-1].lines.append(block)
        else:
            headings.append(Heading([block]))
    title_page: list[Block] = []
    if not _has_text(opening):
        # Lines of a title page may look like headings.
        first = (
            position
            for position, heading in enumerate(headings)
            if heading.kind or heading.announced or _has_text(heading.body)
        )
        start = next(first, 0)
        lines = [block for each in headings[:start] for block in (*each.lines, *each.body)]
        title_page, opening, headings = [*opening, *lines], [], headings[start:]
    sections = _sections(headings)
    for section in sections:
        if section.kind is SectionKind.PLAIN:
            section.kind = _kind_by_content(section)
    return Outline(title_page, opening, sections)


def _is_second_line(heading: Heading, block: Block) -> bool:
    # The block is a bracket, or the rest of one.
    if heading.body or block.kind or len(heading.lines) > 1:
        return False
    above, below = heading.text, heading_text(block.text)
    if above.count("(") > above.count(")"):
        return ")" in below
    return below.startswith("(") and below.endswith(")") and not above.endswith(")")


def _has_text(body: Sequence[Block]) -> bool:
    # More than lines of a title page: list items, or sentences that are not emphasised.
    for block in body:
        text = block.text.strip()
        sentence = (
            text[-1] in ".!?:"
            and not (text.startswith(("*", "_")) or block.emphasised)
            and not text.isupper()
            and text.count(" ") >= _RUNNING - 1
        )
        if block.shape is Shape.ITEM or sentence or is_references(text) or is_question(text):
            return True
    return False


def _sections(headings: Sequence[Heading]) -> list[Section]:
    kinds = [heading.announced for heading in headings]
    in_front = (None, SectionKind.LISTING)
    front = next((at for at, kind in enumerate(kinds) if kind not in in_front), len(headings))
    # A first heading with a higher level than all others is the title of the rulebook.
    levels = [heading.level for heading in headings[:front]]
    top = min(
        levels[1:] if levels and min(levels[1:], default=0) > levels[0] else levels, default=0
    )
    sections: list[Section] = []
    ends_glossary = 0  # the lowest level of a heading that ends the glossary
    for position, (heading, kind) in enumerate(zip(headings, kinds, strict=True)):
        if position < front:
            begins = not sections or heading.level <= top
        else:
            in_glossary = bool(sections) and sections[-1].kind is SectionKind.GLOSSARY
            begins = in_glossary and heading.level <= ends_glossary
        if begins or kind is not None or heading.kind == Kind.SECTION:
            sections.append(Section(heading, kind or SectionKind.PLAIN))
        else:
            sections[-1].subheadings.append(heading)
        if kind is SectionKind.GLOSSARY:
            # If many terms have the level of the glossary, levels say nothing.
            after = kinds[position + 1 :]
            end = next((at for at, each in enumerate(after) if each is not None), len(after))
            terms = headings[position + 1 : position + 1 + end]
            high = sum(term.level <= heading.level for term in terms)
            ends_glossary = heading.level if high * 10 <= end else 0
    return sections


def _kind_by_content(section: Section) -> SectionKind:
    headings = [section.heading, *section.subheadings]
    texts = [block.text for heading in headings for block in heading.body]
    questions = sum(map(is_question, texts))
    numbered = sum(bool(heading.card.number) for heading in section.subheadings)
    if questions >= SEVERAL or (questions and numbered):
        return SectionKind.QUESTIONS
    replaced = sum(bool(OLD_WORDING.search(text)) for text in texts)
    if replaced >= SEVERAL or numbered > len(section.subheadings) / 2:
        return SectionKind.ERRATA
    return SectionKind.PLAIN
