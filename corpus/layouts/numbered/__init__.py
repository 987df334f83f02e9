"""Reader of the numbered layout: numbered chapters, groups and rules, with a contents table, a
glossary and a change log.
"""

from __future__ import annotations

from collections.abc import Iterator

from corpus.document import Document
from corpus.draft import DraftEntry, DraftPassage, DraftRulebook
from corpus.layouts.layout import Layout, ReferenceStyle
from corpus.layouts.numbered.lines import NumberedLine, read_lines
from corpus.layouts.numbered.parts import (
    NumberedPart,
    NumberedPartKind,
    find_contents,
    following_numbers,
    split_parts,
)
from corpus.layouts.numbered.passages import NumberedPassageBuilder
from corpus.layouts.numbered.rules import RuleReader
from corpus.layouts.numbered.terms import GlossaryReader
from corpus.model import Correction, Corrections, Edition, Fault, Furniture, Kind, Role, Span

_SHARE = 4  # one numbered line in this many gives a score of 1.0
_FEWEST = 3  # numbered lines of a document in this layout


def score(document: Document) -> float:
    """A score from 0.0 to 1.0, from the share of lines that begin with a number of at least two
    levels ("4.2. …", "4.2.1. …").
    """
    lines = read_lines(document, Corrections(document, ()), [])
    deep = sum(1 for line in lines if line.number and len(line.number) > 1)
    return min(1.0, _SHARE * deep / len(lines)) if deep >= _FEWEST else 0.0


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    """Read a numbered rulebook: every line becomes a heading, a part of a passage, or furniture."""
    rulebook = DraftRulebook()
    lines = read_lines(document, corrections, rulebook.furniture)
    table = find_contents(lines)
    numbers = dict(zip((line.line_number for line in lines), following_numbers(lines), strict=True))
    rules = RuleReader(rulebook, document.text, table, edition.title)
    for part in split_parts(lines, table):
        if part.kind is NumberedPartKind.RULES:
            for line in part.lines:
                rules.add(line, numbers[line.line_number])
        elif part.kind is NumberedPartKind.FRONT:
            _front(rulebook, part, document.text, edition)
        elif part.kind is NumberedPartKind.CONTENTS:
            _contents(rulebook, part, document.text, edition)
        elif part.kind is NumberedPartKind.GLOSSARY:
            _glossary(rulebook, part, document.text)
        else:
            _change_log(rulebook, part, document.text)
    _restore_characters(rulebook, document, corrections)
    _move_text(rulebook, document, corrections)
    return rulebook


def _front(rulebook: DraftRulebook, part: NumberedPart, text: str, edition: Edition) -> None:
    """Add the title page and introductions; a line without digits that stands alone before a
    paragraph is a heading.
    """
    builder: NumberedPassageBuilder | None = None
    for index, line in enumerate(part.lines):
        after = part.lines[index + 1] if index + 1 < len(part.lines) else None
        heads_text = (
            after is not None
            and not after.is_heading
            and line.name[:1].isupper()
            and not any(c.isdigit() for c in line.plain)
        )
        if line.is_heading and (index == 0 or heads_text or line.corrected_kind):
            builder = NumberedPassageBuilder(_section(rulebook.entries, line), text, rulebook)
            continue
        if builder is None:
            rulebook.entries.append(DraftEntry(Kind.SECTION, edition.title))
            builder = NumberedPassageBuilder(rulebook.entries[-1], text, rulebook)
        builder.add(line)


def _section(siblings: list[DraftEntry], line: NumberedLine) -> DraftEntry:
    """Append a section with the heading ``line`` to ``siblings``. Returns it."""
    draft = DraftEntry(Kind.SECTION, line.plain, [Span(line.bullet_start, line.end)])
    if line.number:
        draft.number = ".".join(map(str, line.number))
    siblings.append(draft)
    return draft


def _contents(rulebook: DraftRulebook, part: NumberedPart, text: str, edition: Edition) -> None:
    """Add the contents table, with one passage for each chapter and its groups."""
    lines = part.lines
    if lines[0].number is None:
        draft = _section(rulebook.entries, lines[0])
        lines = lines[1:]
    elif rulebook.entries:
        draft = rulebook.entries[-1]  # a table without a heading belongs to the entry before it
    else:
        draft = DraftEntry(Kind.SECTION, edition.title)
        rulebook.entries.append(draft)
    listing: DraftPassage | None = None
    for line in lines:
        if listing is None or line.number is None or len(line.number) == 1:
            listing = DraftPassage([Span(line.bullet_start, line.end)], Role.LISTING)
            draft.passages.append(listing)
        elif text[listing.spans[-1].end : line.bullet_start].isspace():
            listing.spans[-1] = Span(listing.spans[-1].start, line.end)
        else:  # an ornament is printed between them
            listing.spans.append(Span(line.bullet_start, line.end))


def _glossary(rulebook: DraftRulebook, part: NumberedPart, text: str) -> None:
    terms = GlossaryReader(_section(rulebook.entries, part.lines[0]), text, rulebook)
    lines = part.lines[1:]
    for index, line in enumerate(lines):
        if not terms.add(line, lines[index + 1] if index + 1 < len(lines) else None):
            rulebook.furniture.append(
                Furniture(Span(line.bullet_start, line.end), "letter of the alphabet")
            )
    terms.close()


def _change_log(rulebook: DraftRulebook, part: NumberedPart, text: str) -> None:
    """Add the change log: dates below its heading, other headings below their date. Numbered lines
    are text here, not rules.
    """
    log = _section(rulebook.entries, part.lines[0])
    builder = NumberedPassageBuilder(log, text, rulebook)
    dated = log
    for line in part.lines[1:]:
        if line.after_blank and line.is_date:
            dated = _section(log.children, line)
            dated.number = None
            builder = NumberedPassageBuilder(dated, text, rulebook)
        elif line.is_heading and not builder.continues(line):
            builder = NumberedPassageBuilder(_section(dated.children, line), text, rulebook)
        else:
            builder.add(line)


def _walk(drafts: list[DraftEntry]) -> Iterator[DraftEntry]:
    for draft in drafts:
        yield draft
        yield from _walk(draft.children)


def _find_passage(rulebook: DraftRulebook, offset: int) -> tuple[DraftEntry, DraftPassage] | None:
    """The entry and the passage that contain the character at ``offset``; None if it is in no
    passage.
    """
    for draft in _walk(rulebook.entries):
        for passage in draft.passages:
            if any(a <= offset < b for a, b in passage.spans):
                return draft, passage
    return None


def _offset(document: Document, correction: Correction) -> int:
    """The offset in the document of what the correction says is ``printed``."""
    printed = correction.span(document)
    return printed.start if printed else document.line(correction.line).start


def _restore_characters(
    rulebook: DraftRulebook, document: Document, corrections: Corrections
) -> None:
    """Insert lost characters: those that the ``meant`` of a correction has in addition to its
    ``printed``.
    """
    for fault in (Fault.CHARACTER, Fault.LOST):
        for correction in corrections.of(fault):
            printed, meant = correction.printed, str(correction.meant or "")
            prefix = next(
                (i for i, (a, b) in enumerate(zip(printed, meant, strict=False)) if a != b),
                len(printed),
            )
            offset = _offset(document, correction)
            if (
                len(meant) > len(printed)
                and meant.endswith(printed[prefix:])
                and (found := _find_passage(rulebook, offset))
            ):
                found[1].insertions[offset + prefix] = meant[
                    prefix : len(meant) - len(printed) + prefix
                ]


def _move_text(rulebook: DraftRulebook, document: Document, corrections: Corrections) -> None:
    """Move text, up to the end of its line, to the entry that a correction says it belongs to."""
    for correction in corrections.of(Fault.BELONGS):
        offset = _offset(document, correction)
        found = _find_passage(rulebook, offset)
        target = next(
            (d for d in _walk(rulebook.entries) if str(correction.meant) in (d.number, d.heading)),
            None,
        )
        if found is None or target is None or target is found[0]:
            continue
        end = document.line(correction.through).end
        passage = found[1]
        moved = [
            Span(max(a, offset), min(b, end)) for a, b in passage.spans if a < end and b > offset
        ]
        left = [Span(a, min(b, offset)) for a, b in passage.spans if a < offset]
        passage.spans = left + [Span(max(a, end), b) for a, b in passage.spans if b > end]
        target.passages.append(DraftPassage(moved))


LAYOUT = Layout(
    name="numbered", score=score, read=read, references=ReferenceStyle.RULE_NUMBERS, numbered=True
)
