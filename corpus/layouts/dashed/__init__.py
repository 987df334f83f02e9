"""Reader of the dashed layout: a table of contents, and sections with titles between dashes ("-----
Sturm -----") that end with a link to the top.

A section is a tree of subheadings, and of changed or misprinted cards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from corpus.document import Document, Line
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook, walk
from corpus.languages import any_of
from corpus.layouts.dashed import headings
from corpus.layouts.dashed.headings import Form, Subheading
from corpus.layouts.dashed.passages import blocks, changed_passages, passages
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.model import Corrections, Edition, Fault, Furniture, Kind, Role, Span
from corpus.paragraphs import paragraph_lines
from corpus.titles import key

_NAVIGATION = re.compile(
    rf"!!.{{1,40}}!!$|\W{{0,4}}{any_of('labels.back_to_top')}\W{{0,4}}$", re.IGNORECASE
)
_VERSION = re.compile(
    rf":|\d|\b{any_of('labels.version', 'labels.edition', 'labels.as_of')}\b", re.IGNORECASE
)
_ARTICLE = re.compile(rf"^{any_of('sentences.articles')} ")
_MISPRINTS = re.compile(any_of("sections.misprints"), re.IGNORECASE)
_FACTION = re.compile(r"(?:(?<!\s)\s+)?\([^()]{1,15}\)$")
# For each form: the forms of enclosing subheadings that a new subheading ends, innermost first.
# The first that it does not end contains it.
_REMARKS = frozenset({Form.ASIDE, Form.RUN_IN})
_PARTS = _REMARKS | {Form.LETTER, Form.BARE}
_ENDS = {
    Form.ROMAN: frozenset(Form),
    Form.COLON: frozenset(Form),
    Form.LETTER: _PARTS,
    Form.BARE: _PARTS,
    Form.ASIDE: _REMARKS,
    Form.RUN_IN: _REMARKS,
}


def score(document: Document) -> float:
    """Return a score from 0.0 to 1.0, from titles between dashes and links to the top."""
    titles = navigation = 0
    for line in paragraph_lines(document):
        text = line.text.strip()
        titles += text.endswith("---") and headings.section_title(text) is not None
        navigation += bool(text) and _NAVIGATION.match(text) is not None
    return min(1.0, 0.1 * titles + 0.2 * (titles > 1) + 0.1 * min(navigation, titles))


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read the sections of ``document`` as terms, and the text before them as one section with the
    table of contents.
    """
    rulebook = DraftRulebook()
    front: list[Line] = []
    bodies: list[tuple[DraftEntry, list[Line]]] = []
    lines = [line for line in paragraph_lines(document) if line.text.strip()]
    navigation = _navigation(lines)
    for line in lines:
        text, title = line.text.strip(), headings.section_title(line.text)
        heading = corrections.at(line.number, Fault.HEADING)
        why = ""
        if corrections.at(line.number, Fault.FURNITURE):
            why = "a correction says so"
        elif title and not corrections.at(line.number, Fault.NOT_HEADING):
            start = line.start + line.text.index(title)
            span = Span(start, start + len(title))
            for dashes in (Span(line.start, span.start), Span(span.end, line.end)):
                if dashes.start < dashes.end:
                    rulebook.furniture.append(Furniture(dashes, "dashes"))
            bodies.append((DraftEntry(Kind.TERM, title, [span]), []))
        elif heading and heading.meant == Kind.TERM:
            bodies.append((DraftEntry(Kind.TERM, text, [Span(line.start, line.end)]), []))
        elif headings.is_separator(text):
            why = "rule"
        elif text in navigation or _NAVIGATION.match(text):
            why = "navigation"
        else:
            (bodies[-1][1] if bodies else front).append(line)
        if why:
            rulebook.furniture.append(_furniture(line, why))
    if front:
        names = {contents_key(term.heading) for term, _ in bodies}
        rulebook.entries.append(_front(front, names, edition, rulebook))
    for term, body in bodies:
        _SectionReader(term, document, corrections).read(body)
        rulebook.entries.append(term)
    _join_torn(rulebook, document, corrections)
    return rulebook


def contents_key(title: str) -> str:
    """Return a key to compare a line of the contents with section titles: ``title`` without
    article, quotation marks and abbreviation.
    """
    return _ARTICLE.sub("", key(re.sub(r"\s\([^()]{1,8}\)$", "", title.strip())))


def _furniture(line: Line, why: str) -> Furniture:
    return Furniture(Span(line.start, line.end), why)


def _navigation(lines: Sequence[Line]) -> set[str]:
    # Short lines that end at least three sections and more than half of all.
    last_lines = [
        line.text
        for line, after in zip_longest(lines, lines[1:])
        if after is None or headings.section_title(after.text) is not None
    ]
    counts = Counter(text.strip() for text in last_lines if len(text) <= 40)
    return {text for text, many in counts.items() if many >= 3 and 2 * many > len(last_lines)}


def _front(
    front: Sequence[Line], names: set[str], edition: Edition, rulebook: DraftRulebook
) -> DraftEntry:
    """Return a section for the lines before the first title: the table of contents, under the title
    of the document. Single short lines above the title become furniture.

    Each block is a passage; a block of contents is split before each line that ends in a colon.
    """
    groups = blocks(front)
    listed = [_is_contents(block, names) for block in groups]
    several = (at for at, block in enumerate(groups) if len(block) > 1)
    first = listed.index(True) if True in listed else next(several, len(groups))
    alone = [
        block
        for block in groups[:first]
        if len(block) == 1 and len(block[0].text) <= headings.LONGEST
    ]
    opening = groups[0][0].text
    section = DraftEntry(Kind.SECTION, edition.title)
    title: Line | None = None
    if alone:
        title_at = _title_index([block[0].text for block in alone], edition)
        title = alone[title_at].pop()
        labels = [block.pop() for block in alone[:title_at]]
        rulebook.furniture += [_furniture(line, "page label") for line in labels]
    elif contents_key(opening) not in names and len(opening) <= headings.LONGEST:
        title = groups[0].pop(0)
    if title:
        section.heading = title.text.strip()
        section.heading_spans = [Span(title.start, title.end)]
    for group, is_list in zip(groups, listed, strict=True):
        role = Role.LISTING if is_list else Role.TEXT
        parts: list[list[Line]] = []
        for line in group:
            if not parts or (is_list and line.text.rstrip().endswith(":")):
                parts.append([])
            parts[-1].append(line)
        spans = [Span(part[0].start, part[-1].end) for part in parts]
        section.passages += [DraftPassage([span], role) for span in spans]
    return section


def _title_index(lines: Sequence[str], edition: Edition) -> int:
    # The index of the title: the line with the title of a described edition, or else the last
    # line without version or date.
    for at, line in enumerate(lines):
        if edition.known and key(line) == key(edition.title):
            return at
    return max((at for at, line in enumerate(lines) if not _VERSION.search(line)), default=0)


def _is_contents(block: Sequence[Line], names: set[str]) -> bool:
    # At least half of its lines are titles of sections, or all are short and not sentences.
    known = sum(contents_key(line.text.lstrip(" \t-–•*")) in names for line in block)
    short = all(len(line.text) <= 80 and not line.text.rstrip().endswith(".") for line in block)
    return (known > 0 or len(block) > 2) and len(block) > 1 and (2 * known >= len(block) or short)


def _join_torn(rulebook: DraftRulebook, document: Document, corrections: Corrections) -> None:
    # Joins passages that are one according to corrections, at the place of the first.
    torn = {c.line: c.meant for c in corrections.of(Fault.TORN) if isinstance(c.meant, int)}
    ends: dict[int, DraftPassage] = {}  # passages of the current entry by their last line
    previous: DraftEntry | None = None
    for entry, parent in walk(rulebook.entries if torn else []):
        if parent is not previous:
            ends.clear()
        previous = entry
        kept = []
        for passage in entry.passages:
            first, last = document.line_at(passage.start), document.line_at(passage.end - 1)
            if beginning := ends.get(torn.get(first, 0)):
                beginning.spans += passage.spans
                ends[last] = beginning
            else:
                kept.append(passage)
                ends[last] = passage
        entry.passages = kept


class _SectionReader:
    def __init__(self, term: DraftEntry, document: Document, corrections: Corrections):
        self._term = term
        self._document = document
        self._corrections = corrections
        self._open: list[tuple[Subheading, DraftEntry]] = []  # outermost first
        self._erratum: DraftEntry | None = None  # the changed card to which the next line belongs
        # id() of entries that contain the following subheadings with a colon, and of entries with
        # text of their own.
        self._containers: set[int] = set()
        self._with_text: set[int] = set()
        # Roman subheadings without a colon contain those with one.
        self._grouped = False
        # Consecutive lines of an entry, in document order.
        self._runs: list[tuple[DraftEntry, list[Line]]] = []

    def read(self, lines: Sequence[Line]) -> None:
        """Read ``lines``, the non-empty lines of a section without furniture."""
        found = (self._find_subheading(line, None, alone=True) for line in lines)
        colons = [each.text.endswith(":") for each in found if each and each.form is Form.ROMAN]
        self._grouped = 2 * sum(colons) < len(colons)
        line_blocks = blocks(lines)
        data = headings.card_data(line_blocks, self._document.extracted is not None)
        misprints = self._misprints(line_blocks)
        void: set[int] = set()
        for line, following in zip_longest(lines, lines[1:]):
            if line.number in misprints:
                if misprints[line.number]:  # a card begins
                    self._open, self._erratum = [], None
                    text = line.text.strip()
                    card = self._new_entry(Kind.ERRATUM, line, text, self._term)
                    void.add(id(card))
                else:
                    self._add_text(self._term.children[-1], line)
                continue
            alone = line.number in data or self._erratum is not None
            subheading = self._find_subheading(line, following, alone)
            if subheading:
                self._open_heading(subheading, following)
            if not subheading or subheading.form is Form.RUN_IN:
                self._add_text(self._entry_of(line), line)
        for entry, run in self._runs:
            if entry.kind is Kind.ERRATUM and id(entry) not in void:
                entry.passages += changed_passages(run)
            else:
                entry.passages += passages(run, Role.VOID if id(entry) in void else Role.TEXT)

    def _find_subheading(
        self, line: Line, following: Line | None, alone: bool
    ) -> Subheading | None:
        if self._corrections.at(line.number, Fault.NOT_HEADING):
            return None
        if self._corrections.at(line.number, Fault.HEADING) or _is_changed_card(line, following):
            return headings.corrected_subheading(line)
        return headings.find_subheading(line, alone)

    def _misprints(self, line_blocks: Sequence[Sequence[Line]]) -> dict[int, bool]:
        # Lines that quote cards in a section on misprints; True for the first line of a card.
        if not _MISPRINTS.search(self._term.heading):
            return {}
        return {
            line.number: line is block[0]
            for block in line_blocks
            if len(block) > 1 and headings.is_named_card(block[0].text.strip())
            for line in block
        }

    def _open_heading(self, subheading: Subheading, following: Line | None) -> None:
        line, text, form = subheading.line, subheading.text, subheading.form
        self._erratum = None
        if _is_changed_card(line, following):
            self._open = []
            self._erratum = self._new_entry(Kind.ERRATUM, line, text, self._term)
            return
        contained = any(id(draft) in self._containers for _, draft in self._open)
        if form is Form.COLON and self._open and not contained:
            # A subheading with a colon and without text contains the next ones with a colon.
            above, draft = self._open[-1]
            if above.form is Form.COLON and id(draft) not in self._with_text:
                self._containers.add(id(draft))
        form = Form.COLON if subheading.is_remark else form
        while self._open:
            above, draft = self._open[-1]
            grouped = above.form is Form.ROMAN and self._grouped
            contains = form is Form.COLON and (id(draft) in self._containers or grouped)
            if contains or above.form not in _ENDS[form]:
                break
            self._open.pop()
        parent = self._open[-1][1] if self._open else self._term
        entry = self._new_entry(Kind.SUBSECTION, line, text, parent)
        if subheading.form is Form.RUN_IN:
            entry.heading_spans = []  # the heading is part of the passage
        self._open.append((subheading, entry))

    def _entry_of(self, line: Line) -> DraftEntry:
        # The entry named by a correction, or else the innermost one.
        current = self._open[-1][1] if self._open else self._erratum or self._term
        if belongs := self._corrections.at(line.number, Fault.BELONGS):
            heading = key(str(belongs.meant))
            found = [entry for entry, _ in walk([self._term]) if key(entry.heading) == heading]
            return found[-1] if found else current
        return current

    def _add_text(self, entry: DraftEntry, line: Line) -> None:
        # Continues the run of the line before if only blank lines are between them.
        self._with_text.add(id(entry))
        if self._runs and self._runs[-1][0] is entry:
            run = self._runs[-1][1]
            if not self._document.text[run[-1].end : line.start].strip():
                run.append(line)
                return
        self._runs.append((entry, [line]))

    def _new_entry(self, kind: Kind, line: Line, heading: str, parent: DraftEntry) -> DraftEntry:
        name = _FACTION.sub("", heading.rstrip(": ")) if kind is Kind.ERRATUM else None
        correction = self._corrections.at(line.number, Fault.CARD)
        card = str(correction.meant) if correction else name
        parent.children.append(DraftEntry(kind, heading, [Span(line.start, line.end)], card=card))
        return parent.children[-1]


def _is_changed_card(line: Line, following: Line | None) -> bool:
    # The name of a card whose old text begins on the following line.
    text = line.text.strip()
    if following is None or not headings.is_old_text(following.text.strip()):
        return False
    return len(text) <= headings.LONGEST and not headings.is_text_label(text)


LAYOUT = Layout(name="dashed", score=score, read=read, references=ReferenceStyle.SECTION_TITLES)
