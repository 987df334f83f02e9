"""What is wrong with the contents and the printed index: titles that differ, entries left out, pages out of order."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice

from corpus.model import Entry, Kind, Role, Rulebook
from corpus.titles import key
from glossary import printed_index
from glossary.check.model import Certainty, Finding, FindingKind, shorten
from glossary.longest_increasing import longest_increasing
from glossary.model import Reference, ReferenceKind

_ROW = re.compile(r"(?m)^[ \t]*(?:[-•*][ \t]+)?[*_]*(\d{1,3}(?:\.\d{1,3}){0,4})\.?[*_]*[ \t]+(\S[^\n]*)$")
_MISREAD = {"0": "O", "1": "I", "5": "S", "6": "G", "8": "B"}


def check_contents(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Where a table of contents differs from the rulebook: titles of numbered sections, else their order; sections it lacks."""
    yield from _numbered(rulebook)
    yield from _named(rulebook, [r for r in references if r.kind is ReferenceKind.CONTENTS and r.target is not None])


def _named(rulebook: Rulebook, rows: Sequence[Reference]) -> Iterator[Finding]:
    """Rows of contents without numbers that stand in another order than the sections, and sections that have no row."""
    if not rows:
        return
    entries = {entry.id: entry for entry in rulebook.entries}
    targets = [entries[row.target] for row in rows if row.target in entries]
    in_order = longest_increasing([target.spans[0].start for target in targets])
    for at, (row, target) in enumerate(zip(rows, targets, strict=False)):
        if at not in in_order:
            why = f"the section stands elsewhere, at line {target.lines.first}"
            yield _found(rulebook, row.line, FindingKind.CONTENTS_DIFFER, row.raw, None, Certainty.POSSIBLE, why)
    listed = {target.id for target in targets}
    places = {(target.kind, target.parent) for target in targets}
    for entry in rulebook.entries:
        if (entry.kind, entry.parent) in places and entry.id not in listed:
            why = "the section is missing in the contents"
            yield _found(rulebook, entry.lines.first, FindingKind.CONTENTS_DIFFER, entry.heading, None, Certainty.LIKELY, why)


def _numbered(rulebook: Rulebook) -> Iterator[Finding]:
    """Rows of a numbered table of contents whose title is not that of the section, or whose section is missing."""
    sections = {e.number: e for e in rulebook.entries if e.number is not None and e.kind in (Kind.SECTION, Kind.RULE) and e.heading_spans}
    listed: set[str] = set()
    for passage in rulebook.passages:
        if passage.role is not Role.LISTING:
            continue
        for start, end in passage.spans:
            for row in _ROW.finditer(rulebook.document.text[start:end]):
                number, title = row.group(1), _without_page(row.group(2)).strip(" *_")
                listed.add(number)
                line = rulebook.document.line_at(start + row.start(2))
                section = sections.get(number)
                if section is None:
                    why = f"no section has the number {number}"
                    yield _found(rulebook, line, FindingKind.CONTENTS_DIFFER, f"{number} {title}", None, Certainty.LIKELY, why)
                elif _name(section) and key(title) != _name(section):
                    why = f"the section at line {section.lines.first} is headed otherwise"
                    meant = shorten(_title(section))
                    yield _found(rulebook, line, FindingKind.CONTENTS_DIFFER, title, meant, Certainty.CERTAIN, why)
    depth = max((number.count(".") for number in listed), default=-1)
    for number, section in sections.items():
        if section.kind is Kind.SECTION and number.count(".") <= depth and number not in listed:
            why = "the section is missing in the contents"
            yield _found(rulebook, section.lines.first, FindingKind.CONTENTS_DIFFER, section.heading, None, Certainty.LIKELY, why)


def _without_page(row: str) -> str:
    """Return the title that begins ``row``, without the page number at its end and the dots that lead to it."""
    return row[0] + row[1:].rstrip(" \t").rstrip(string.digits).rstrip(" \t.…")


def _title(section: Entry) -> str:
    return re.sub(r"^[\d.\s]+", "", section.heading)


def _name(section: Entry) -> str:
    return key(_title(section))


def _found(rulebook: Rulebook, line: int, kind: FindingKind, printed: str, meant: str | None, certainty: Certainty, why: str) -> Finding:
    return Finding(rulebook.edition.id, line, kind, shorten(printed), meant, certainty, why)


def check_index_entries(rulebook: Rulebook) -> Iterator[Finding]:
    """Entries that the printed index leaves out, items that name no entry, and pages that cannot be right."""
    found = printed_index.resolve_printed_index(rulebook)
    entries = {entry.id: entry for entry in rulebook.entries}
    for item in found.unmatched_items:
        why = "no entry has that name"
        yield _found(rulebook, item.line, FindingKind.INDEX_WITHOUT_ENTRY, item.name, None, Certainty.LIKELY, why)
    for entry in (entries[e] for e in found.unlisted_entries):
        why = "the printed index has no item of that name"
        yield _found(rulebook, entry.lines.first, FindingKind.NOT_INDEXED, entry.heading, None, Certainty.CERTAIN, why)
    printed = [(entry, found.pages[entry.id][0]) for entry in rulebook.entries if entry.id in found.pages]
    in_order = longest_increasing([page for _, page in printed])
    for at, (entry, page) in enumerate(printed):
        if at not in in_order:
            why = f"the index says page {page}; entries before and after stand on {_around(printed, in_order, at)}"
            yield _found(
                rulebook, _line(rulebook, entry, page), FindingKind.INDEX_PAGE, f"{entry.title} {page}", None, Certainty.LIKELY, why
            )


def check_index_order(rulebook: Rulebook) -> Iterator[Finding]:
    """Items of the printed index that do not stand under their letter."""
    letters = [_letter(item.name) for item in rulebook.index_items]
    in_order = longest_increasing([ord(letter) for letter in letters])
    for at, item in enumerate(rulebook.index_items):
        if at not in in_order and letters[at] != " ":
            why = f"stands between items that begin with {' and '.join(dict.fromkeys(_beside(letters, in_order, at)))}"
            yield _found(rulebook, item.line, FindingKind.INDEX_ORDER, item.name, None, Certainty.LIKELY, why)


def check_index_letters(rulebook: Rulebook) -> Iterator[Finding]:
    """Letters that head a part of the printed index and became a digit."""
    lines = [item.line for item in rulebook.index_items]
    for line in rulebook.document.lines[min(lines, default=1) - 1 : max(lines, default=0)]:
        if (meant := _MISREAD.get(line.text.strip())) is not None:
            why = "a digit in the place of the letter that heads a part of the index"
            yield _found(rulebook, line.number, FindingKind.SYMBOL, line.text.strip(), meant, Certainty.LIKELY, why)


def _letter(name: str) -> str:
    """The letter that ``name`` is listed under, a blank where it has none."""
    letter = next((c for c in name if c.isalpha()), " ")
    return unicodedata.normalize("NFD", letter)[0].upper()


def _beside(letters: Sequence[str], in_order: set[int], at: int) -> Iterator[str]:
    yield from islice((letters[n] for n in range(at - 1, -1, -1) if n in in_order), 1)
    yield from islice((letters[n] for n in range(at + 1, len(letters)) if n in in_order), 1)


def _line(rulebook: Rulebook, entry: Entry, page: int) -> int:
    named = [i.line for i in rulebook.index_items if page in i.pages and key(i.name) in (key(entry.heading), key(entry.title))]
    return named[0] if named else entry.lines.first


def _around(printed: Sequence[tuple[Entry, int]], in_order: set[int], at: int) -> str:
    before = next((printed[n][1] for n in range(at - 1, -1, -1) if n in in_order), None)
    after = next((printed[n][1] for n in range(at + 1, len(printed)) if n in in_order), None)
    return " and ".join(str(page) for page in (before, after) if page is not None)
