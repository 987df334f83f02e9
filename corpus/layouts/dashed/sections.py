"""Reads a section of the dashed layout: a tree of subheadings, changed cards and misprinted cards,
with their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from corpus.document import Document, Line
from corpus.draft import DraftEntry, DraftPassage
from corpus.languages import any_of
from corpus.layouts.dashed import headings
from corpus.layouts.dashed.headings import HeadingForm, Subheading
from corpus.layouts.dashed.passages import BLOCK, blocks, passages, spans
from corpus.model import Corrections, Fault, Kind, Role, Span
from corpus.titles import key

_MISPRINTS = re.compile(any_of("sections.misprints"), re.IGNORECASE)
_FACTION = re.compile(r"(?:(?<!\s)\s+)?\([^()]{1,15}\)$")
# The forms of open subheadings that a new subheading of each form closes, innermost first. The
# first one it does not close contains it.
_ENDS = {
    HeadingForm.ROMAN: frozenset(HeadingForm),
    HeadingForm.COLON: frozenset(HeadingForm),
    HeadingForm.LETTER: frozenset(
        {HeadingForm.LETTER, HeadingForm.BARE, HeadingForm.ASIDE, HeadingForm.RUN_IN}
    ),
    HeadingForm.BARE: frozenset(
        {HeadingForm.LETTER, HeadingForm.BARE, HeadingForm.ASIDE, HeadingForm.RUN_IN}
    ),
    HeadingForm.ASIDE: frozenset({HeadingForm.ASIDE, HeadingForm.RUN_IN}),
    HeadingForm.RUN_IN: frozenset({HeadingForm.ASIDE, HeadingForm.RUN_IN}),
}


class DashedSectionReader:
    """Reads the lines of a section into ``term``, the entry of the section."""

    def __init__(self, term: DraftEntry, document: Document, corrections: Corrections):
        self._term = term
        self._document = document
        self._corrections = corrections
        self._open: list[
            tuple[Subheading, DraftEntry]
        ] = []  # the open subheadings and their entries, outermost first
        self._erratum: DraftEntry | None = None  # the changed card that the next line belongs to
        self._containers: set[int] = (
            set()
        )  # id() of drafts that contain the following subheadings with a colon
        self._with_text: set[int] = set()  # id() of drafts that have text of their own
        self._grouped = (
            False  # Roman subheadings have no colon here, so they contain those that have one
        )
        self._runs: list[
            tuple[DraftEntry, list[Line]]
        ] = []  # consecutive lines of an entry, in document order

    def read(self, lines: list[Line]) -> None:
        """Read ``lines``: the lines of the section that have text and are not furniture."""
        romans = [
            found
            for line in lines
            if (found := self._find_subheading(line, None, alone=True))
            and found.form is HeadingForm.ROMAN
        ]
        self._grouped = 2 * sum(subheading.text.endswith(":") for subheading in romans) < len(
            romans
        )
        line_blocks = blocks(lines)
        data = {
            line.number
            for block in line_blocks
            if headings.is_card_data([x.text.strip() for x in block])
            for line in block
        }
        if self._document.extracted is not None:
            data |= headings.after_card_data(lines)
        misprints = self._misprints(line_blocks)
        void: set[int] = set()
        for line, following in zip_longest(lines, lines[1:]):
            if line.number in misprints:
                void.add(id(self._misprinted(line, misprints[line.number])))
                continue
            subheading = self._find_subheading(
                line, following, alone=line.number in data or self._erratum is not None
            )
            if subheading is not None:
                self._open_heading(subheading, following)
            if subheading is None or subheading.form is HeadingForm.RUN_IN:
                self._add_text(self._entry_of(line), line)
        for entry, run in self._runs:
            if entry.kind is not Kind.ERRATUM:
                entry.passages += passages(run)
            elif id(entry) in void:
                entry.passages += passages(run, Role.VOID)
            else:
                entry.passages += _changed_passages(run)

    def _find_subheading(
        self, line: Line, following: Line | None, alone: bool
    ) -> Subheading | None:
        if self._corrections.at(line.number, Fault.NOT_HEADING):
            return None
        if self._corrections.at(line.number, Fault.HEADING) or _is_changed_card(line, following):
            return headings.corrected_subheading(line)
        return headings.find_subheading(line, alone)

    def _misprints(self, line_blocks: list[list[Line]]) -> dict[int, bool]:
        """The numbers of lines that quote cards in a section on misprints; the value is True for
        the first line of a card.
        """
        if not _MISPRINTS.search(self._term.heading):
            return {}
        cards = [
            block
            for block in line_blocks
            if len(block) > 1 and headings.is_named_card(block[0].text.strip())
        ]
        return {line.number: line is block[0] for block in cards for line in block}

    def _misprinted(self, line: Line, begins: bool) -> DraftEntry:
        """The entry of the misprinted card that ``line`` belongs to; a new one if the card
        ``begins`` with it.
        """
        if begins:
            self._open, self._erratum = [], None
            text = line.text.strip()
            return self._new_entry(Kind.ERRATUM, line, text, self._term, _FACTION.sub("", text))
        card = self._term.children[-1]
        self._add_text(card, line)
        return card

    def _open_heading(self, subheading: Subheading, following: Line | None) -> None:
        """Close the open subheadings that ``subheading`` ends, and open ``subheading`` inside the
        others.
        """
        self._erratum = None
        if _is_changed_card(subheading.line, following):
            self._open = []
            card = _FACTION.sub("", subheading.text.rstrip(": "))
            self._erratum = self._new_entry(
                Kind.ERRATUM, subheading.line, subheading.text, self._term, card
            )
            return
        if subheading.form is HeadingForm.COLON:
            self._contain_following()
        while self._open and self._ends(subheading, *self._open[-1]):
            self._open.pop()
        parent = self._open[-1][1] if self._open else self._term
        # A heading inside a paragraph is part of the passage, so it has no span of its own.
        self._open.append(
            (
                subheading,
                self._new_entry(
                    Kind.SUBSECTION,
                    subheading.line,
                    subheading.text,
                    parent,
                    printed=subheading.form is not HeadingForm.RUN_IN,
                ),
            )
        )

    def _contain_following(self) -> None:
        """Let the innermost subheading, if it has a colon and no text, contain the next ones with a
        colon, one level deep.
        """
        if not self._open or any(id(draft) in self._containers for _, draft in self._open):
            return
        subheading, draft = self._open[-1]
        if subheading.form is HeadingForm.COLON and id(draft) not in self._with_text:
            self._containers.add(id(draft))

    def _ends(self, subheading: Subheading, opened: Subheading, draft: DraftEntry) -> bool:
        """Whether ``subheading`` closes the subheading ``opened`` with the entry ``draft``."""
        form = HeadingForm.COLON if subheading.is_remark else subheading.form
        if form is HeadingForm.COLON and (
            id(draft) in self._containers or (opened.form is HeadingForm.ROMAN and self._grouped)
        ):
            return False
        return opened.form in _ENDS[form]

    def _entry_of(self, line: Line) -> DraftEntry:
        """The entry that ``line`` belongs to: that of a correction, else the innermost open one."""
        current = self._open[-1][1] if self._open else self._erratum or self._term
        belongs = self._corrections.at(line.number, Fault.BELONGS)
        if belongs is None:
            return current
        heading = key(str(belongs.meant))
        return next(
            (entry for entry in reversed(list(_tree(self._term))) if key(entry.heading) == heading),
            current,
        )

    def _add_text(self, entry: DraftEntry, line: Line) -> None:
        """Add ``line`` to the text of ``entry``, in the same run as the line before if only blank
        lines lie between them.
        """
        self._with_text.add(id(entry))
        if self._runs and self._runs[-1][0] is entry:
            run = self._runs[-1][1]
            if not self._document.text[run[-1].end : line.start].strip():
                run.append(line)
                return
        self._runs.append((entry, [line]))

    def _new_entry(
        self,
        kind: Kind,
        line: Line,
        heading: str,
        parent: DraftEntry,
        card: str | None = None,
        printed: bool = True,
    ) -> DraftEntry:
        correction = self._corrections.at(line.number, Fault.CARD)
        card = str(correction.meant) if correction else card
        draft = DraftEntry(
            kind, heading, [Span(line.start, line.end)] if printed else [], card=card
        )
        parent.children.append(draft)
        return draft


def _tree(entry: DraftEntry) -> Iterator[DraftEntry]:
    yield entry
    for child in entry.children:
        yield from _tree(child)


def _is_changed_card(line: Line, following: Line | None) -> bool:
    """Whether ``line`` is the name of a card whose old text begins on the ``following`` line."""
    if following is None or not headings.is_old_text(following.text.strip()):
        return False
    text = line.text.strip()
    return len(text) <= headings.LONGEST and not headings.is_text_label(text)


def _changed_passages(run: list[Line]) -> list[DraftPassage]:
    """The passages of a changed card: the old text, which is void, and the new text together with
    the change; long ones are split.
    """
    parts: list[tuple[Role, list[Line]]] = [(Role.TEXT, [])]
    for line in run:
        text = line.text.strip()
        if headings.is_old_text(text):
            parts.append((Role.VOID, []))
        elif headings.is_text_label(text) and not (
            headings.is_change(text) and parts[-1][0] is Role.TEXT
        ):
            parts.append((Role.TEXT, []))
        parts[-1][1].append(line)
    found: list[DraftPassage] = []
    for role, lines in parts:
        if lines and lines[-1].end - lines[0].start <= BLOCK:
            found.append(DraftPassage(spans(lines), role))
        elif lines:
            found += passages(lines, role)
    return found
