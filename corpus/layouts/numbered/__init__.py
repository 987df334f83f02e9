"""Reader of the numbered layout: numbered chapters, groups and rules, with a table of contents, a
glossary and a change log.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corpus.document import Document
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook, walk
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.layouts.numbered.lines import (
    ParsedLine,
    PartKind,
    find_contents,
    following_numbers,
    read_lines,
    split_parts,
)
from corpus.layouts.numbered.passages import GlossaryReader, PassageBuilder, RuleReader
from corpus.model import Correction, Corrections, Edition, Fault, Kind, Role, Span

_SHARE = 4  # one numbered line in four gives a score of 1.0
_FEWEST = 3  # least numbered lines


def score(document: Document) -> float:
    """Return a score from 0.0 to 1.0 for the share of lines that begin with a number of at least
    two levels ("4.2. …", "4.2.1. …").
    """
    lines = read_lines(document, Corrections(document, ()), [])
    deep = sum(len(line.number) > 1 for line in lines)
    return min(1.0, _SHARE * deep / len(lines)) if deep >= _FEWEST else 0.0


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read a numbered rulebook: every line becomes a heading, a part of a passage, or furniture."""
    rulebook, text = DraftRulebook(), document.text
    lines = read_lines(document, corrections, rulebook.furniture)
    table = find_contents(lines)
    following = dict(
        zip((line.line_number for line in lines), following_numbers(lines), strict=True)
    )
    rules = RuleReader(rulebook, text, table, edition.title)
    parts = _PartReader(rulebook, text, edition.title)
    for part in split_parts(lines, table):
        if part.kind is PartKind.RULES:
            for line in part.lines:
                rules.add(line, following[line.line_number])
        elif part.kind is PartKind.FRONT:
            parts.read_front(part.lines)
        elif part.kind is PartKind.CONTENTS:
            parts.read_contents(part.lines)
        elif part.kind is PartKind.GLOSSARY:
            glossary = _section(rulebook.entries, part.lines[0])
            terms = GlossaryReader(glossary, text, rulebook)
            for line, after in _with_next(part.lines[1:]):
                terms.add(line, after)
            terms.close()
        else:
            parts.read_change_log(part.lines)
    _restore_characters(rulebook, document, corrections)
    _move_text(rulebook, document, corrections)
    return rulebook


def _with_next(lines: list[ParsedLine]) -> Iterator[tuple[ParsedLine, ParsedLine | None]]:
    return zip(lines, [*lines[1:], None], strict=False)


def _section(siblings: list[DraftEntry], line: ParsedLine) -> DraftEntry:
    number = ".".join(map(str, line.number)) or None
    siblings.append(DraftEntry(Kind.SECTION, line.plain, [line.whole], number=number))
    return siblings[-1]


@dataclass
class _PartReader:
    rulebook: DraftRulebook
    text: str
    title: str

    def read_front(self, lines: list[ParsedLine]) -> None:
        # A separate line without digits before a paragraph is a heading.
        builder: PassageBuilder | None = None
        for line, after in _with_next(lines):
            heads_text = (
                after is not None
                and not after.is_heading
                and line.name[:1].isupper()
                and not any(map(str.isdigit, line.plain))
            )
            if line.is_heading and (line is lines[0] or heads_text or line.kind):
                builder = self._builder(_section(self.rulebook.entries, line))
                continue
            if builder is None:
                self.rulebook.entries.append(DraftEntry(Kind.SECTION, self.title))
                builder = self._builder(self.rulebook.entries[-1])
            builder.add(line)

    def _builder(self, entry: DraftEntry) -> PassageBuilder:
        return PassageBuilder(entry, self.text, self.rulebook)

    def read_contents(self, lines: list[ParsedLine]) -> None:
        # One passage for each chapter and its groups.
        if not lines[0].number:
            _section(self.rulebook.entries, lines[0])
            lines = lines[1:]
        elif not self.rulebook.entries:
            self.rulebook.entries.append(DraftEntry(Kind.SECTION, self.title))
        passages = self.rulebook.entries[-1].passages
        first = len(passages)
        for line in lines:
            if len(line.number) < 2 or len(passages) == first:
                passages.append(DraftPassage([line.whole], Role.LISTING))
            else:
                passages[-1].extend(line.whole, self.text)  # an ornament may be between them

    def read_change_log(self, lines: list[ParsedLine]) -> None:
        # Dates are children of its heading, other headings children of their date. Numbered lines
        # are text here, not rules.
        log = dated = _section(self.rulebook.entries, lines[0])
        builder = self._builder(log)
        for line in lines[1:]:
            if line.after_blank and line.is_date:
                dated = _section(log.children, line)
                dated.number = None
                builder = self._builder(dated)
            elif line.is_heading and not builder.continues(line):
                builder = self._builder(_section(dated.children, line))
            else:
                builder.add(line)


def _find_passage(rulebook: DraftRulebook, offset: int) -> tuple[DraftEntry, DraftPassage] | None:
    for draft, _ in walk(rulebook.entries):
        for passage in draft.passages:
            if any(start <= offset < end for start, end in passage.spans):
                return draft, passage
    return None


def _offset(document: Document, correction: Correction) -> int:
    printed = correction.span(document)
    return printed.start if printed else document.line(correction.line).start


def _restore_characters(
    rulebook: DraftRulebook, document: Document, corrections: Corrections
) -> None:
    # Inserts the characters that ``meant`` of a correction has in addition to ``printed``.
    for correction in (*corrections.of(Fault.CHARACTER), *corrections.of(Fault.LOST)):
        printed, meant = correction.printed, str(correction.meant or "")
        pairs = enumerate(zip(printed, meant, strict=False))
        prefix = next((i for i, (one, other) in pairs if one != other), len(printed))
        if len(meant) <= len(printed) or not meant.endswith(printed[prefix:]):
            continue
        offset = _offset(document, correction)
        if found := _find_passage(rulebook, offset):
            lost = meant[prefix : len(meant) - len(printed) + prefix]
            found[1].insertions[offset + prefix] = lost


def _move_text(rulebook: DraftRulebook, document: Document, corrections: Corrections) -> None:
    # Moves text, up to the end of its line, to the entry named by a correction.
    for correction in corrections.of(Fault.BELONGS):
        start, end = _offset(document, correction), document.line(correction.through).end
        found, name = _find_passage(rulebook, start), str(correction.meant)
        drafts = (draft for draft, _ in walk(rulebook.entries))
        target = next((draft for draft in drafts if name in (draft.number, draft.heading)), None)
        if found is None or target is None or target is found[0]:
            continue
        spans = found[1].spans
        moved = [Span(max(a, start), min(b, end)) for a, b in spans if a < end and b > start]
        before = [Span(a, min(b, start)) for a, b in spans if a < start]
        found[1].spans = before + [Span(max(a, end), b) for a, b in spans if b > end]
        target.passages.append(DraftPassage(moved))


LAYOUT = Layout(
    name="numbered", score=score, read=read, references=ReferenceStyle.RULE_NUMBERS, numbered=True
)
