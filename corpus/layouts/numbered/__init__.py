"""Reader of the numbered layout: chapters, groups and rules by number, a contents table, a glossary, a change log."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.document import Document
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.layouts.numbered.lines import NumberedRow, read_rows
from corpus.layouts.numbered.parts import NumberedPart, PartRole, contents, following, parts
from corpus.layouts.numbered.passages import ProseReader
from corpus.layouts.numbered.rules import RuleReader
from corpus.layouts.numbered.terms import GlossaryReader
from corpus.model import Correction, Corrections, Edition, Fault, Furniture, Kind, Role, Span

_SHARE = 4  # one numbered line in four is as sure a sign as there can be
_FEWEST = 3


def score(document: Document) -> float:
    """How much of ``document`` are lines that begin with a number of two levels or more ("4.2. …", "4.2.1. …")."""
    rows = read_rows(document, Corrections(document, ()), [])
    deep = sum(1 for row in rows if row.number and len(row.number) > 1)
    return min(1.0, _SHARE * deep / len(rows)) if deep >= _FEWEST else 0.0


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read a numbered rulebook: every row becomes a heading, part of a passage, or furniture."""
    rulebook = DraftRulebook()
    rows = read_rows(document, corrections, rulebook.furniture)
    table = contents(rows)
    numbers = dict(zip((row.line for row in rows), following(rows), strict=True))
    rules = RuleReader(rulebook, document.text, table, edition.title)
    for part in parts(rows, table):
        if part.role is PartRole.RULES:
            for row in part.rows:
                rules.add(row, numbers[row.line])
        elif part.role is PartRole.FRONT:
            _front(rulebook, part, document.text, edition)
        elif part.role is PartRole.CONTENTS:
            _contents(rulebook, part, document.text, edition)
        elif part.role is PartRole.GLOSSARY:
            _glossary(rulebook, part, document.text)
        else:
            _log(rulebook, part, document.text)
    _restore(rulebook, document, corrections)
    _rehome(rulebook, document, corrections)
    return rulebook


def _front(rulebook: DraftRulebook, part: NumberedPart, text: str, edition: Edition) -> None:
    """Title page and introductions: a heading is a line without figures that stands alone before a paragraph."""
    prose: ProseReader | None = None
    for index, row in enumerate(part.rows):
        after = part.rows[index + 1] if index + 1 < len(part.rows) else None
        leads = after is not None and not after.title and row.name[:1].isupper() and not any(c.isdigit() for c in row.plain)
        if row.title and (index == 0 or leads or row.forced):
            prose = ProseReader(_section(rulebook.entries, row), text, rulebook)
            continue
        if prose is None:
            rulebook.entries.append(DraftEntry(Kind.SECTION, edition.title))
            prose = ProseReader(rulebook.entries[-1], text, rulebook)
        prose.add(row)


def _section(siblings: list[DraftEntry], row: NumberedRow) -> DraftEntry:
    draft = DraftEntry(Kind.SECTION, row.plain, [Span(row.sign, row.end)])
    if row.number:
        draft.number = ".".join(map(str, row.number))
    siblings.append(draft)
    return draft


def _contents(rulebook: DraftRulebook, part: NumberedPart, text: str, edition: Edition) -> None:
    """The contents table: one passage for each chapter with its groups."""
    rows = part.rows
    if rows[0].number is None:
        draft = _section(rulebook.entries, rows[0])
        rows = rows[1:]
    elif rulebook.entries:
        draft = rulebook.entries[-1]  # a table without a heading belongs to what stands before it
    else:
        draft = DraftEntry(Kind.SECTION, edition.title)
        rulebook.entries.append(draft)
    listing: DraftPassage | None = None
    for row in rows:
        if listing is None or row.number is None or len(row.number) == 1:
            listing = DraftPassage([Span(row.sign, row.end)], Role.LISTING)
            draft.passages.append(listing)
        elif text[listing.spans[-1].end : row.sign].isspace():
            listing.spans[-1] = Span(listing.spans[-1].start, row.end)
        else:  # an ornament stands between
            listing.spans.append(Span(row.sign, row.end))


def _glossary(rulebook: DraftRulebook, part: NumberedPart, text: str) -> None:
    terms = GlossaryReader(_section(rulebook.entries, part.rows[0]), text, rulebook)
    rows = part.rows[1:]
    for index, row in enumerate(rows):
        if not terms.add(row, rows[index + 1] if index + 1 < len(rows) else None):
            rulebook.furniture.append(Furniture(Span(row.sign, row.end), "letter of the alphabet"))
    terms.close()


def _log(rulebook: DraftRulebook, part: NumberedPart, text: str) -> None:
    """The change log: dates under its heading, further headings under the date before them; numbers make no rules here."""
    log = _section(rulebook.entries, part.rows[0])
    prose = ProseReader(log, text, rulebook)
    dated = log
    for row in part.rows[1:]:
        if row.apart and row.dated:
            dated = _section(log.children, row)
            dated.number = None
            prose = ProseReader(dated, text, rulebook)
        elif row.title and not prose.continues(row):
            prose = ProseReader(_section(dated.children, row), text, rulebook)
        else:
            prose.add(row)


def _walk(drafts: list[DraftEntry]) -> Iterator[DraftEntry]:
    for draft in drafts:
        yield draft
        yield from _walk(draft.children)


def _holding(rulebook: DraftRulebook, offset: int) -> tuple[DraftEntry, DraftPassage] | None:
    """The entry and passage that hold the character at ``offset``."""
    for draft in _walk(rulebook.entries):
        for passage in draft.passages:
            if any(a <= offset < b for a, b in passage.spans):
                return draft, passage
    return None


def _offset(document: Document, correction: Correction) -> int:
    line = document.line(correction.line)
    return line.start + line.text.find(correction.printed)


def _restore(rulebook: DraftRulebook, document: Document, corrections: Corrections) -> None:
    """Where a correction's ``meant`` is ``printed`` with something put in, readers see it in `display`."""
    for fault in (Fault.CHARACTER, Fault.LOST):
        for correction in corrections.of(fault):
            printed, meant = correction.printed, str(correction.meant or "")
            prefix = next((i for i, (a, b) in enumerate(zip(printed, meant, strict=False)) if a != b), len(printed))
            offset = _offset(document, correction)
            if len(meant) > len(printed) and meant.endswith(printed[prefix:]) and (found := _holding(rulebook, offset)):
                found[1].insertions[offset + prefix] = meant[prefix : len(meant) - len(printed) + prefix]


def _rehome(rulebook: DraftRulebook, document: Document, corrections: Corrections) -> None:
    """Give text that print put under one entry to the entry that a correction says it belongs to, up to the line's end."""
    for correction in corrections.of(Fault.BELONGS):
        offset = _offset(document, correction)
        found = _holding(rulebook, offset)
        home = next((d for d in _walk(rulebook.entries) if str(correction.meant) in (d.number, d.heading)), None)
        if found is None or home is None or home is found[0]:
            continue
        end = document.line(correction.line).end
        passage = found[1]
        moved = [Span(max(a, offset), min(b, end)) for a, b in passage.spans if a < end and b > offset]
        left = [Span(a, min(b, offset)) for a, b in passage.spans if a < offset]
        passage.spans = left + [Span(max(a, end), b) for a, b in passage.spans if b > end]
        home.passages.append(DraftPassage(moved))


LAYOUT = Layout(name="numbered", score=score, read=read, references=ReferenceStyle.RULE_NUMBERS, numbered=True)
