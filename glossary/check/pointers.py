"""Check references: no target, a wrong number or title, several targets, the entry itself, or twice
in one list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpus.languages import any_of
from corpus.layouts import LAYOUTS, ReferenceStyle
from corpus.model import Entry, Fault, Kind, Role, Rulebook
from corpus.titles import key
from glossary.check.model import (
    Certainty,
    Finding,
    FindingKind,
    Why,
    because,
    reference_lines,
    report,
)
from glossary.model import Reference, ReferenceKind, ReferenceProblem

_HERE = re.compile(
    rf"{any_of('references.see')}\s+{any_of('references.above', 'references.below')}", re.IGNORECASE
)
_PAGE_BETWEEN = re.compile(
    r"[\"“”„«»]*[^\W\d]{0,12}\.?\d{1,4}[,;][\"“”„«»]*"
)  # "on page 7," between two quoted names
_NEAR = 20  # characters between two references side by side
_WHY = {
    ReferenceProblem.MISSING: Why.NO_TARGET,
    ReferenceProblem.WRONG_NUMBER: Why.OTHER_NUMBER,
    ReferenceProblem.TITLE_DIFFERS: Why.TARGET_HEADED_OTHERWISE,
    ReferenceProblem.AMBIGUOUS: Why.SEVERAL_TARGETS,
    ReferenceProblem.OUTSIDE: Why.LEADS_OUTSIDE,
}


def find_reference_faults(
    rulebook: Rulebook, rulebooks: Sequence[Rulebook], references: Sequence[Reference]
) -> Iterator[Finding]:
    """Yield every fault of the ``references`` of ``rulebook``, one of all loaded ``rulebooks``."""
    yield from _problems(rulebook, rulebooks, references)
    for reference in references:
        listed = reference.kind in (ReferenceKind.SEE, ReferenceKind.SEE_ALSO)
        if listed and reference.target == reference.entry and not _HERE.match(reference.raw):
            kind = FindingKind.REFERS_TO_ITSELF
            yield report(rulebook, reference, kind, Why.NAMES_OWN_ENTRY)
    yield from _twice(rulebook, references)
    yield from _signs(rulebook, references)


def name(entry: Entry) -> str:
    """Return what a reference to ``entry`` should say: the title, or the number if it has none."""
    if entry.number is None or entry.kind not in (Kind.RULE, Kind.SECTION):
        return entry.title
    return entry.number if key(entry.title) == key(entry.number) else entry.title


def _problems(
    rulebook: Rulebook, rulebooks: Sequence[Rulebook], references: Sequence[Reference]
) -> Iterator[Finding]:
    """Yield references that name no entry, several entries, or a different one than they mean."""
    layout, mine = LAYOUTS[rulebook.edition.layout], rulebook.edition
    entries = {entry.id: entry for entry in rulebook.entries}
    corrections = {
        (line, c.printed): c
        for c in mine.corrections
        if c.fault is Fault.REFERENCE
        for line in range(c.line, c.through + 1)
    }
    has_sister = any(
        (other.edition.game, other.edition.language) == (mine.game, mine.language)
        and other.edition.id != mine.id
        for other in rulebooks
    )
    for reference in references:
        problem = reference.problem
        if problem is None:
            continue
        found_elsewhere = reference.target is not None or not has_sister
        if problem is ReferenceProblem.OUTSIDE and layout.excerpt and found_elsewhere:
            continue  # a document of one entry refers to others, as it must
        number = reference.raw.split(" ")[0].rstrip(".,")
        correction = corrections.get((reference.line, reference.raw)) or corrections.get(
            (reference.line, number)
        )
        nowhere = problem is ReferenceProblem.OUTSIDE and reference.target is None
        if nowhere and layout.references is ReferenceStyle.ANY and not correction:
            continue  # "§ 26 BGB" is right
        meant = entries.get(reference.meant or "")
        if meant and meant.title != meant.heading and key(reference.raw) == key(meant.title):
            continue  # the heading is misprinted
        certainty = Certainty.LIKELY
        if problem is ReferenceProblem.OUTSIDE:
            certainty = Certainty.POSSIBLE
        elif correction or (layout.numbered and problem is not ReferenceProblem.AMBIGUOUS):
            certainty = Certainty.CERTAIN
        why = because(Why.NOTE, note=correction.why) if correction else _WHY[problem]
        yield report(
            rulebook,
            reference,
            FindingKind(problem.value),
            why,
            meant=name(meant) if meant else None,
            certainty=certainty,
        )


def _twice(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield references to an entry that are repeated in one list, or side by side in the text."""
    lists = reference_lines(rulebook)
    before: dict[tuple[str, str, str], Reference] = {}
    for reference in references:
        if reference.target is None or reference.kind is ReferenceKind.CONTENTS:
            continue
        place = (reference.entry, reference.target, key(reference.raw))
        last = before.get(place)
        before[place] = reference
        if last is None or _HERE.match(reference.raw):
            continue
        if reference.line in lists and last.line in lists:
            yield report(rulebook, reference, FindingKind.LISTED_TWICE, Why.TWICE_IN_LIST)
        elif last.line == reference.line and 0 <= reference.span.start - last.span.end <= _NEAR:
            yield report(rulebook, reference, FindingKind.LISTED_TWICE, Why.TWICE_SIDE_BY_SIDE)


def _signs(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield reference lists with a separator other than a comma, or with a comma before the first
    or after the last name.
    """
    text, kind = rulebook.document.text, FindingKind.LIST_SIGNS
    for passage in rulebook.passages:
        if passage.role is not Role.SEE:
            continue
        start, end = passage.spans[0].start, passage.spans[-1].end
        inside = [
            r
            for r in references
            if start <= r.span.start and r.span.end <= end and r.entry == passage.entry
        ]
        for one, other in pairwise(inside):
            between = _plain(text[one.span.end : other.span.start])
            if between not in (",", ";") and not _PAGE_BETWEEN.fullmatch(between):
                why = Why.EMPTY_ITEM if between.startswith(",") else Why.NO_COMMA
                printed, meant = f"{one.raw}{between} {other.raw}", f"{one.raw}, {other.raw}"
                yield report(rulebook, other.line, kind, why, printed, meant=meant)
        if inside and (rest := _plain(text[inside[-1].span.end : end])).startswith(","):
            last = inside[-1]
            printed, meant = f"{last.raw}{rest}", last.raw
            yield report(rulebook, last.line, kind, Why.LAST_COMMA, printed, meant=meant)


def _plain(text: str) -> str:
    """Return the separators of a list without emphasis marks, brackets and blanks."""
    return re.sub(r"[\s*_()]+", "", text)
