"""Check headings, contents, index and numbers: duplicate, missing, out of order, without text."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from corpus.languages import any_of
from corpus.layouts import LAYOUTS, ReferenceStyle
from corpus.model import Entry, Fault, Kind, Passage, Role, Rulebook
from corpus.titles import key
from glossary.check.model import Certainty, Finding, FindingKind, Why, because, report
from glossary.longest_increasing import longest_increasing
from glossary.model import Reference, ReferenceKind
from glossary.references import printed_index
from glossary.references.entry_finder import unnumbered
from glossary.references.printed_numbers import number_key

_GLOSSARY = (Kind.TERM, Kind.REDIRECT)
_CARDS = (Kind.RULING, Kind.ERRATUM)
_NUMBERED = re.compile(r"\s*\(?((?:\d{1,2}|[a-zA-Z]|[IVX]+)(?:\.\)|\.|\)))\s*")
_CODE = re.compile(r"\\\w+")
_SENTENCE = re.compile(
    r"[^\W\d_]+\W+(?:\w+\W+){5,}|.*[.!?]$"
)  # the text of a rule that is only a heading
_PATTERN = 3  # repetitions of a heading in one place that are intended: "Example", "Variant"
_LAST_NUMBER = re.compile(r"(\d{1,6})[a-z]?\W{0,3}\Z")
_FEWEST_NUMBERS = 3  # of a kind in which one can be missing
_MOST_MISSING = 5  # numbers; a larger gap separates lists
_FEW = 5  # siblings; fewer do not show what is usual
_MOST = 0.9


def find_heading_faults(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield every fault of the headings of ``rulebook``."""
    yield from _headed_twice(rulebook)
    yield from _cards_twice(rulebook)
    before: dict[str | None, tuple[str, Entry]] = {}  # of parts that print a number or letter
    for entry in rulebook.entries:
        match = _NUMBERED.match(entry.heading)
        if entry.kind is Kind.SUBSECTION and match is not None:
            number, last = match.group(1), before.get(entry.parent)
            if last is not None and last[0] == number:
                line, kind = last[1].lines.first, FindingKind.NUMBER_TWICE
                why = because(Why.PART_NUMBER_TWICE, line=line, number=number)
                yield report(rulebook, entry, kind, why)
            before[entry.parent] = (number, entry)
    yield from _case(rulebook)
    yield from _empty(rulebook)


def _headed_twice(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield entries with the same name and parent that are both in the glossary, or of one kind."""
    groups: dict[tuple[str | None, str, str], list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if entry.kind not in (*_CARDS, Kind.RULE) and key(entry.heading):
            sort = "glossary" if entry.kind in _GLOSSARY else entry.kind.value
            groups[entry.parent, sort, key(entry.heading)].append(entry)
    texts: dict[str, list[str]] = defaultdict(list)
    for passage in rulebook.passages:
        texts[passage.entry].append(key(passage.display))
    anything = LAYOUTS[rulebook.edition.layout].references is ReferenceStyle.ANY
    for first, *others in groups.values():
        if anything and len(others) >= _PATTERN:
            continue
        for entry in others:
            same = texts[first.id] == texts[entry.id]
            why = Why.HEADING_WITH_SAME_TEXT if same else Why.HEADING_WITH_OTHER_TEXT
            kind, line = FindingKind.DUPLICATE_HEADING, first.lines.first
            yield report(rulebook, entry, kind, why, line=line)


def _cards_twice(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield cards that appear at two places of the questions or the corrections: with entries that
    are not next to each other.
    """
    last: dict[tuple[str, ...], int] = {}
    cards = [e for e in rulebook.entries if e.kind in _CARDS or e.kind is Kind.SECTION]
    for at, entry in enumerate(cards):
        if entry.kind not in _CARDS or entry.number is None:
            continue
        card = (
            entry.kind.value,
            entry.parent or "",
            key(entry.card or entry.heading),
            key(entry.product or ""),
            entry.number,
        )
        if (before := last.get(card)) is not None and before != at - 1:
            yield report(
                rulebook,
                entry,
                FindingKind.DUPLICATE_HEADING,
                Why.CARD_ELSEWHERE,
                line=cards[before].lines.first,
            )
        last[card] = at


def _letters(heading: str) -> str:
    return "".join(c for c in _CODE.sub("", heading) if c.isalpha())


def _case(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield headings in capitals among others that are not, and the reverse."""
    siblings: dict[tuple[str | None, Kind], list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if (
            entry.kind in (Kind.TERM, Kind.REDIRECT, Kind.SECTION)
            and len(_letters(entry.heading)) > 3
        ):
            kind = Kind.TERM if entry.kind is Kind.REDIRECT else entry.kind
            siblings[entry.parent, kind].append(entry)
    for group in siblings.values():
        if LAYOUTS[rulebook.edition.layout].references is ReferenceStyle.ANY:
            group = [e for e in group if e is not rulebook.entries[0]]  # the title
        capitals = [e for e in group if _letters(e.heading).isupper()]
        others = [e for e in group if e not in capitals]
        if len(group) < _FEW:
            continue
        if len(capitals) >= _MOST * len(group):
            odd, why = others, Why.AMONG_CAPITALS
        elif len(others) >= _MOST * len(group):
            odd, why = capitals, Why.IN_CAPITALS
        else:
            continue
        for entry in odd:
            yield report(rulebook, entry, FindingKind.HEADING, why)


def _empty(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield entries that are only a heading, except the first, which names the rulebook."""
    filled = {p.entry for p in rulebook.passages} | {e.parent for e in rulebook.entries}
    anything = LAYOUTS[rulebook.edition.layout].references is ReferenceStyle.ANY
    starts = [p.spans[0].start for p in rulebook.passages] if anything else []
    begun = min(starts, default=0)  # where the text begins, after titles
    for entry in rulebook.entries[1:]:
        if not entry.heading_spans or entry.id in filled or entry.spans[0].start < begun:
            continue
        rule = entry.title.removeprefix(entry.number or "").strip(" .")
        if not (anything and entry.number is not None and _SENTENCE.match(rule)):
            yield report(rulebook, entry, FindingKind.EMPTY_ENTRY, Why.NO_TEXT)


_ROMAN = re.compile(r"[IVXLC]+")
_LABEL = any_of("labels.numbering", "sections.appendix")
_ROW = re.compile(
    rf"(?m)^[ \t]*(?:[-•*][ \t]+)?[*_]*(?:(?:§|(?i:{_LABEL}))[ \t]?)?"
    r"(\d{1,3}(?:\.\d{1,3}){0,4}|[IVXLC]{1,7}(?=[.: ])|[A-Z](?=[.: ]))[.:]?[*_]*"
    r"[ \t]+(\S[^\n]*)$"
)
_MISREAD = {"0": "O", "1": "I", "5": "S", "6": "G", "8": "B"}


def check_contents(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield rows of an unnumbered table of contents that are in a different order than the
    sections, and sections without a row.
    """
    rows = [r for r in references if r.kind is ReferenceKind.CONTENTS and r.target is not None]
    if not rows:
        return
    entries = {entry.id: entry for entry in rulebook.entries}
    targets = [entries[row.target] for row in rows if row.target in entries]
    kind = FindingKind.CONTENTS_DIFFER
    in_order = longest_increasing([target.spans[0].start for target in targets])
    for at, (row, target) in enumerate(zip(rows, targets, strict=False)):
        if at not in in_order:
            why, unsure = Why.SECTION_ELSEWHERE, Certainty.POSSIBLE
            yield report(rulebook, row, kind, why, certainty=unsure, line=target.lines.first)
    listed = {target.id for target in targets}
    places = {(target.kind, target.parent) for target in targets}
    for entry in rulebook.entries:
        if (entry.kind, entry.parent) in places and entry.id not in listed:
            yield report(rulebook, entry, kind, Why.SECTION_NOT_LISTED)


def check_numbered_contents(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield rows of a numbered table of contents whose title differs from the section's, or whose
    section is missing. "1 Purpose", "I. Purpose" and "Part 1 Purpose" are the same.
    """
    sections: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        titled = entry.heading_spans and entry.heading != entry.number
        if entry.number and entry.kind in (Kind.SECTION, Kind.RULE) and titled:
            sections[_parts(entry.number)].append(entry)
    kind = FindingKind.CONTENTS_DIFFER
    listed: set[tuple[str, ...]] = set()
    labels: set[str] = set()
    for passage in rulebook.passages:
        if passage.role is not Role.LISTING:
            continue
        for start, end in passage.spans:
            for row in _ROW.finditer(rulebook.document.text[start:end]):
                number, title = row.group(1), _without_page(row.group(2)).strip(" *_")
                listed.add(parts := _parts(number))
                line = rulebook.document.line_at(start + row.start(2))
                named = {key(_title(section)): section for section in sections.get(parts, ())}
                same = named.get(key(title))
                if same or not (section := next(iter(named.values()), None)):
                    labels.add(number_key(same.number or "").label if same else "")
                    if same is None and parts[0].isdigit():
                        why = because(Why.NO_SECTION_WITH_NUMBER, number=number)
                        yield report(rulebook, line, kind, why, f"{number} {title}")
                elif key(_title(section)):
                    why = because(Why.SECTION_HEADED_OTHERWISE, line=section.lines.first)
                    meant, sure = _title(section), Certainty.CERTAIN
                    yield report(rulebook, line, kind, why, title, meant=meant, certainty=sure)
    depth = max(map(len, listed), default=0)
    for parts, alike in sections.items():
        if len(parts) <= depth and parts not in listed:
            section = alike[0]
            label = number_key(section.number or "").label
            if section.kind is Kind.SECTION and label in labels:
                yield report(rulebook, section, kind, Why.SECTION_NOT_LISTED)


def _parts(number: str) -> tuple[str, ...]:
    """Return the parts of ``number`` without the word before it; Roman numbers are converted."""
    bare = number.strip(" .")
    return number_key(f"§ {bare}" if _ROMAN.fullmatch(bare) else bare).parts


def _without_page(row: str) -> str:
    """Return the title in ``row``, without the dots and the page number at the end."""
    return row[0] + row[1:].rstrip(" \t").rstrip(string.digits).rstrip(" \t.…")


def _title(section: Entry) -> str:
    return re.sub(r"^[\d.:\s]+", "", unnumbered(section.heading, section.number))


def check_index_entries(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield entries missing from the printed index, items without an entry, and wrong pages."""
    found = printed_index.resolve_printed_index(rulebook)
    entries = {entry.id: entry for entry in rulebook.entries}
    for item in found.unmatched_items:
        yield report(rulebook, item.line, FindingKind.INDEX_WITHOUT_ENTRY, Why.NO_ENTRY, item.name)
    for entry in (entries[e] for e in found.unlisted_entries):
        kind, sure = FindingKind.NOT_INDEXED, Certainty.CERTAIN
        yield report(rulebook, entry, kind, Why.NOT_IN_INDEX, certainty=sure)
    printed = [
        (entry, found.pages[entry.id][0]) for entry in rulebook.entries if entry.id in found.pages
    ]
    in_order = longest_increasing([page for _, page in printed])
    for at, (entry, page) in enumerate(printed):
        if at not in in_order:
            names = key(entry.heading), key(entry.title)
            line = next(
                (i.line for i in rulebook.index_items if page in i.pages and key(i.name) in names),
                entry.lines.first,
            )
            pages = _neighbours([str(each) for _, each in printed], in_order, at)
            why = because(Why.PAGE_OUT_OF_ORDER, page=page, pages=pages)
            yield report(rulebook, line, FindingKind.INDEX_PAGE, why, f"{entry.title} {page}")


def check_index_order(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield items of the printed index that are not under their letter."""
    letters = [_letter(item.name) for item in rulebook.index_items]
    in_order = longest_increasing([ord(letter) for letter in letters])
    for at, item in enumerate(rulebook.index_items):
        if at not in in_order and letters[at] != " ":
            near = tuple(dict.fromkeys(_neighbours(letters, in_order, at)))
            why = because(Why.AMONG_OTHER_LETTERS, letters=near)
            yield report(rulebook, item.line, FindingKind.INDEX_ORDER, why, item.name)


def check_index_letters(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield section letters of the printed index that were misread as a digit."""
    lines = [item.line for item in rulebook.index_items]
    for line in rulebook.document.lines[min(lines, default=1) - 1 : max(lines, default=0)]:
        printed = line.text.strip()
        if (meant := _MISREAD.get(printed)) is not None:
            kind, why = FindingKind.SYMBOL, Why.DIGIT_FOR_LETTER
            yield report(rulebook, line.number, kind, why, printed, meant=meant)


def _letter(name: str) -> str:
    """Return the letter that ``name`` is listed under, or a blank if it has no letter."""
    letter = next((c for c in name if c.isalpha()), " ")
    return unicodedata.normalize("NFD", letter)[0].upper()


def _neighbours(values: Sequence[str], in_order: set[int], at: int) -> tuple[str, ...]:
    """Return the nearest values in order before and after index ``at``, if there are any."""
    before = [values[n] for n in range(at) if n in in_order][-1:]
    behind = [values[n] for n in range(at + 1, len(values)) if n in in_order][:1]
    return (*before, *behind)


_LIST_ITEM = re.compile(
    r"(?m)^([ \t]*)(?:[-•➤▶✦»>*][ \t]+)*[*_]{0,3}((?:\d{1,2}|[a-h]))(?:\.\)|[.)])[*_]{0,3}"
    r"[ \t]+(?=[*_\"„“”«»(\[]*[^\W\d])"
)
_BARE = re.compile(r"[\W_]+")
_LONGEST = 30  # a larger number at the beginning of a line is a date or a quantity


class MissingNumbers(NamedTuple):
    """Numbers missing between two entries; ``stem`` precedes all of them."""

    stem: str
    first: int
    last: int
    before: Entry
    after: Entry


def missing_numbers(rulebook: Rulebook) -> Iterator[MissingNumbers]:
    """Yield the numbers that are missing between two others of a kind; if many are missing, the
    entries belong to different lists.
    """
    for members in numbered_entries(rulebook).values():
        if len(members) < _FEWEST_NUMBERS:
            continue
        values = [int(_last_number(entry)[1]) for entry in members]
        there = set(values)
        for (before, first), (after, last) in pairwise(zip(members, values, strict=True)):
            missing = range(first + 1, last)
            if 0 < len(missing) <= _MOST_MISSING and not there & set(missing):
                stem, _ = _last_number(before)
                yield MissingNumbers(stem, missing[0], missing[-1], before, after)


def numbered_entries(rulebook: Rulebook) -> dict[str, list[Entry]]:
    """Group the numbered entries by the part of their number before the last one, without blanks:
    "Art. 16" and "Art.17" are of one kind.
    """
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if entry.kind in (Kind.SECTION, Kind.RULE, Kind.TERM) and entry.number:
            stem, number = _last_number(entry)
            if number:
                found["".join(stem.split())].append(entry)
    return found


def _last_number(entry: Entry) -> tuple[str, str]:
    match = _LAST_NUMBER.search(entry.number or "")
    return (match.string[: match.start()], match[1]) if match else ("", "")


def check_gaps(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield entries after a gap in the numbers, except in layouts with consecutive rule numbers."""
    if LAYOUTS[rulebook.edition.layout].numbered:
        return
    for gap in missing_numbers(rulebook):
        yield report(
            rulebook,
            gap.after,
            FindingKind.NUMBER_GAP,
            because(Why.COMES_AFTER, number=gap.before.number or ""),
            gap.after.number,
            meant=f"{gap.stem}{gap.first}",
            certainty=Certainty.POSSIBLE,
        )


def check_rule_numbers(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield rules and sections whose number is a duplicate, or does not follow the last."""
    if not LAYOUTS[rulebook.edition.layout].numbered:
        return
    last: dict[tuple[int, ...], int] = {}
    seen: dict[tuple[int, ...], Entry] = {}
    for entry in rulebook.entries:
        if (
            entry.number is None
            or entry.kind not in (Kind.RULE, Kind.SECTION)
            or not re.fullmatch(r"\d+(\.\d+)*", entry.number)
        ):
            continue
        number = tuple(int(step) for step in entry.number.split("."))
        before = last.get(number[:-1], 0)
        if number in seen:
            yield report(
                rulebook,
                entry.lines.first,
                FindingKind.NUMBER_TWICE,
                Why.NUMBER_USED,
                entry.number,
                certainty=Certainty.CERTAIN,
                line=seen[number].lines.first,
            )
        elif number[-1] != before + 1:
            expected = ".".join(map(str, (*number[:-1], before + 1)))
            falls = number[-1] <= before
            last_number = ".".join(map(str, (*number[:-1], before)))
            why = (
                because(Why.COMES_AFTER, number=last_number)
                if before
                else because(Why.FIRST_OF_GROUP)
            )
            certainty = Certainty.LIKELY if falls or before else Certainty.POSSIBLE
            yield report(
                rulebook,
                entry.lines.first,
                FindingKind.NUMBER_GAP,
                why,
                entry.number,
                meant=expected,
                certainty=certainty,
            )
        seen.setdefault(number, entry)
        last[number[:-1]] = max(before, number[-1])


class _Item(NamedTuple):
    """An item of an ordered list as readers see it: its indentation, its number, and its place."""

    indent: int
    number: str
    line: int
    start: str
    is_lost: bool


def check_list_numbers(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield ordered lists with a missing, skipped or duplicate number."""
    corrected = {
        line
        for c in rulebook.edition.corrections
        if c.fault is Fault.NUMBER
        for line in range(c.line, c.through + 1)
    }  # reported with the corrections
    passages: dict[str, list[Passage]] = defaultdict(list)
    for passage in rulebook.passages:
        if passage.role is Role.TEXT:
            passages[passage.entry].append(passage)
    for found in passages.values():
        items = [item for passage in found for item in _items(rulebook, passage)]
        for item in items:
            if item.is_lost and item.line not in corrected:
                yield report(
                    rulebook,
                    item.line,
                    FindingKind.NUMBER_LOST,
                    Why.ITEM_NUMBER_LOST,
                    item.start,
                    meant=f"{item.number}.",
                    number=item.number,
                )
        yield from _gaps(rulebook, items)


def _items(rulebook: Rulebook, passage: Passage) -> Iterator[_Item]:
    """Yield the list items of ``passage`` with the numbers of its ``display``, which are complete,
    and their places in the document.
    """
    shown = list(_LIST_ITEM.finditer(passage.display))
    if not shown:
        return
    bare = [
        (_BARE.sub("", text), number)
        for span in passage.spans
        for text, number in _lines(rulebook, *span)
    ]
    at = 0
    for match in shown:
        number = match.group(2)
        rest = passage.display[match.end() :].partition("\n")[0]
        start = _BARE.sub("", rest)[:16]
        if not start or (number.isdigit() and int(number) > _LONGEST):
            continue
        printed = next(
            (n for n in range(at, len(bare)) if bare[n][0].startswith(number + start)), None
        )
        place = (
            next((n for n in range(at, len(bare)) if bare[n][0].startswith(start)), None)
            if printed is None
            else printed
        )
        if place is None:
            continue
        at, lost = place, printed is None
        depth = len(match.group(1)) + (2 * max(passage.depth, 1))
        yield _Item(depth, number, bare[place][1], rest, lost)


def _lines(rulebook: Rulebook, start: int, end: int) -> Iterator[tuple[str, int]]:
    """Yield the text and the number of each line between two offsets of the document."""
    first = rulebook.document.line_at(start)
    for line in rulebook.document.lines[first - 1 : rulebook.document.line_at(end - 1)]:
        yield line.text[max(start - line.start, 0) : end - line.start], line.number


def _gaps(rulebook: Rulebook, items: list[_Item]) -> Iterator[Finding]:
    """Yield items whose number does not follow the last in its list; lists begin with 1 or a."""
    open_lists: dict[tuple[int, bool], _Item] = {}
    for item in items:
        digits = item.number.isdigit()
        place = (item.indent, digits)
        before = open_lists.get(place)
        value = _value(item.number)
        open_lists = {p: i for p, i in open_lists.items() if p[0] <= item.indent}
        open_lists[place] = item
        if before is None or value == 1 or value == _value(before.number) + 1:
            continue
        if value == _value(before.number):
            yield report(
                rulebook,
                item.line,
                FindingKind.NUMBER_TWICE,
                Why.ITEM_NUMBER_TWICE,
                f"{item.number}. {item.start}",
                line=before.line,
                number=before.number,
            )
        else:
            expected = str(_value(before.number) + 1) if digits else chr(ord(before.number) + 1)
            yield report(
                rulebook,
                item.line,
                FindingKind.NUMBER_GAP,
                Why.ITEM_BEFORE,
                f"{item.number}. {item.start}",
                meant=f"{expected}.",
                line=before.line,
                number=before.number,
            )


def _value(number: str) -> int:
    return int(number) if number.isdigit() else ord(number) - ord("a") + 1
