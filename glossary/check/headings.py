"""What is wrong with headings: printed twice, in other capitals than their neighbours, without text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from corpus.layouts import LAYOUTS, ReferenceStyle
from corpus.model import Entry, Kind, Rulebook
from corpus.titles import key
from glossary.check.model import Certainty, Finding, FindingKind, shorten

_GLOSSARY = (Kind.TERM, Kind.REDIRECT)
_CARDS = (Kind.RULING, Kind.ERRATUM)
_NUMBERED = re.compile(r"\s*\(?((?:\d{1,2}|[a-zA-Z]|[IVX]+)(?:\.\)|\.|\)))\s*")
_CODE = re.compile(r"\\\w+")
_SENTENCE = re.compile(r"[^\W\d_]+\W+(?:\w+\W+){5,}|.*[.!?]$")  # of a rule whose text is all that it has
_PATTERN = 3  # times that one heading comes in one place; from there on it is a pattern: "Example", "Variant"
_FEW = 5  # siblings; fewer say nothing on what is usual
_MOST = 0.9


def find_heading_faults(rulebook: Rulebook) -> Iterator[Finding]:
    """Every fault of the headings of ``rulebook``."""
    yield from _twice(rulebook)
    yield from _cards_twice(rulebook)
    yield from _letters_twice(rulebook)
    yield from _case(rulebook)
    yield from _empty(rulebook)


def _found(rulebook: Rulebook, entry: Entry, kind: FindingKind, certainty: Certainty, why: str, meant: str | None = None) -> Finding:
    return Finding(rulebook.edition.id, entry.lines.first, kind, shorten(entry.heading), meant, certainty, why)


def _groups(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Entries under one parent with one name, where there are several of them; each of the glossary, else each of one kind."""
    found: dict[tuple[str | None, str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.kind not in (*_CARDS, Kind.RULE) and key(entry.heading):
            kind = "glossary" if entry.kind in _GLOSSARY else entry.kind.value
            found[entry.parent, kind, key(entry.heading)].append(entry)
    yield from (group for group in found.values() if len(group) > 1)


def _twice(rulebook: Rulebook) -> Iterator[Finding]:
    texts: dict[str, list[str]] = defaultdict(list)
    for passage in rulebook.passages:
        texts[passage.entry].append(key(passage.display))
    anything = LAYOUTS[rulebook.edition.layout].references is ReferenceStyle.ANY
    for first, *others in _groups(rulebook.entries):
        if anything and len(others) >= _PATTERN:
            continue
        for entry in others:
            same = texts[first.id] == texts[entry.id]
            why = f"line {first.lines.first} has this heading already, with {'the same' if same else 'another'} text"
            yield _found(rulebook, entry, FindingKind.DUPLICATE_HEADING, Certainty.LIKELY, why)


def _cards_twice(rulebook: Rulebook) -> Iterator[Finding]:
    """One card at two places of the questions or of the corrections: entries of it that do not follow each other."""
    last: dict[tuple[str, ...], int] = {}
    cards = [e for e in rulebook.entries if e.kind in _CARDS or e.kind is Kind.SECTION]
    for at, entry in enumerate(cards):
        if entry.kind not in _CARDS or entry.number is None:
            continue
        card = (entry.kind.value, entry.parent or "", key(entry.card or entry.heading), key(entry.product or ""), entry.number)
        if (before := last.get(card)) is not None and before != at - 1:
            why = f"line {cards[before].lines.first} has this card already, with other cards between"
            yield _found(rulebook, entry, FindingKind.DUPLICATE_HEADING, Certainty.LIKELY, why)
        last[card] = at


def _letters_twice(rulebook: Rulebook) -> Iterator[Finding]:
    """Parts that print their number or letter, where one has the number of its neighbour before."""
    before: dict[str | None, tuple[str, Entry]] = {}
    for entry in rulebook.entries:
        if entry.kind is not Kind.SUBSECTION:
            continue
        match = _NUMBERED.match(entry.heading)
        if match is None:
            continue
        number, last = match.group(1), before.get(entry.parent)
        if last is not None and last[0] == number:
            why = f"the part at line {last[1].lines.first} has the number {number} too"
            yield _found(rulebook, entry, FindingKind.NUMBER_TWICE, Certainty.LIKELY, why)
        before[entry.parent] = (number, entry)


def _letters(heading: str) -> str:
    return "".join(c for c in _CODE.sub("", heading) if c.isalpha())


def _case(rulebook: Rulebook) -> Iterator[Finding]:
    """A heading in capitals among others that are not, or with a small letter among capitals."""
    siblings: dict[tuple[str | None, Kind], list[Entry]] = defaultdict(list)
    for entry in rulebook.entries:
        if entry.kind in (Kind.TERM, Kind.REDIRECT, Kind.SECTION) and len(_letters(entry.heading)) > 3:
            kind = Kind.TERM if entry.kind is Kind.REDIRECT else entry.kind
            siblings[entry.parent, kind].append(entry)
    for group in siblings.values():
        if LAYOUTS[rulebook.edition.layout].references is ReferenceStyle.ANY:
            group = [e for e in group if e is not rulebook.entries[0]]  # the title
        capitals = [e for e in group if _letters(e.heading).isupper()]
        if len(group) < _FEW:
            continue
        if len(capitals) >= _MOST * len(group):
            odd, why = [e for e in group if e not in capitals], "the headings around it are in capitals"
        elif len(group) - len(capitals) >= _MOST * len(group):
            odd, why = capitals, "in capitals, unlike the headings around it"
        else:
            continue
        for entry in odd:
            yield _found(rulebook, entry, FindingKind.HEADING, Certainty.LIKELY, why)


def _empty(rulebook: Rulebook) -> Iterator[Finding]:
    """Entries that are but a heading; the first is the name of the rulebook."""
    filled = {p.entry for p in rulebook.passages} | {e.parent for e in rulebook.entries}
    anything = LAYOUTS[rulebook.edition.layout].references is ReferenceStyle.ANY
    begun = min((p.spans[0].start for p in rulebook.passages), default=0) if anything else 0  # before it stand titles
    for entry in rulebook.entries[1:]:
        if not entry.heading_spans or entry.id in filled or entry.spans[0].start < begun:
            continue
        if not (anything and entry.number is not None and _SENTENCE.match(entry.title.removeprefix(entry.number).strip(" ."))):
            yield _found(rulebook, entry, FindingKind.EMPTY_ENTRY, Certainty.LIKELY, "a heading without text")
