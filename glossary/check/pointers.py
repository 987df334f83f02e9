"""What is wrong with references: no target, another number or title, several targets, itself, twice
in one list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from corpus.languages import any_of
from corpus.layouts import LAYOUTS, ReferenceStyle
from corpus.model import Correction, Entry, Fault, Kind, Role, Rulebook
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
_NUMBER = re.compile(r"(\d+(?:\.\d+)*)(?:\.\d+|[a-z])")  # of a part, with that of the whole
_PAGE_BETWEEN = re.compile(
    r"[\"“”„«»]*[^\W\d]{0,12}\.?\d{1,4}[,;][\"“”„«»]*"
)  # "on page 7," between two quoted names
_NEAR = 20  # characters between two references that stand side by side
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
    """Yield every fault of ``references``, which are those of ``rulebook``; ``rulebooks`` are all
    that are read together.
    """
    entries = {entry.id: entry for entry in rulebook.entries}
    corrections = {
        (line, c.printed): c
        for c in rulebook.edition.corrections
        if c.fault is Fault.REFERENCE
        for line in range(c.line, c.through + 1)
    }
    for reference in references:
        if reference.problem is not None and not _is_elsewhere(rulebook, rulebooks, reference):
            yield from _wrong(rulebook, reference, entries, _corrected(corrections, reference))
    yield from _itself(rulebook, references)
    yield from _twice(rulebook, references)
    yield from _signs(rulebook, references)


def _is_elsewhere(rulebook: Rulebook, rulebooks: Sequence[Rulebook], reference: Reference) -> bool:
    """Return whether a document of one entry refers to another, as it must, and another edition has
    it or none is there to look.
    """
    if (
        reference.problem is not ReferenceProblem.OUTSIDE
        or not LAYOUTS[rulebook.edition.layout].excerpt
    ):
        return False
    mine = rulebook.edition
    others = [
        b
        for b in rulebooks
        if (b.edition.game, b.edition.language) == (mine.game, mine.language)
        and b.edition.id != mine.id
    ]
    return reference.target is not None or not others


def _corrected(
    corrections: dict[tuple[int, str], Correction], reference: Reference
) -> Correction | None:
    number = reference.raw.split(" ")[0].rstrip(".,")
    return corrections.get((reference.line, reference.raw)) or corrections.get(
        (reference.line, number)
    )


def name(entry: Entry) -> str:
    """Return what a reference to ``entry`` should say: its number, its title, or both."""
    if entry.number is None or entry.kind not in (Kind.RULE, Kind.SECTION):
        return entry.title
    return entry.number if key(entry.title) == key(entry.number) else entry.title


def _wrong(
    rulebook: Rulebook,
    reference: Reference,
    entries: dict[str, Entry],
    correction: Correction | None,
) -> Iterator[Finding]:
    problem = reference.problem
    if problem is None:
        return
    meant = entries.get(reference.meant or "")
    if problem is ReferenceProblem.MISSING and _is_of_other_numbers(rulebook, reference, entries):
        return
    if (
        meant is not None
        and meant.title != meant.heading
        and key(reference.raw) == key(meant.title)
    ):
        return  # the heading is what is misprinted
    numbered = LAYOUTS[rulebook.edition.layout].numbered
    certainty = Certainty.LIKELY
    if problem is ReferenceProblem.OUTSIDE:
        certainty = Certainty.POSSIBLE
    elif correction is not None or (numbered and problem is not ReferenceProblem.AMBIGUOUS):
        certainty = Certainty.CERTAIN
    yield report(
        rulebook,
        reference,
        FindingKind(problem.value),
        because(Why.NOTE, note=correction.why)
        if correction is not None
        else because(_WHY[problem]),
        meant=name(meant) if meant else None,
        certainty=certainty,
    )


def _is_of_other_numbers(
    rulebook: Rulebook, reference: Reference, entries: dict[str, Entry]
) -> bool:
    """Return whether a number must be another document's: this rulebook, of any kind, has no rule
    that it could be part of.
    """
    number = _NUMBER.fullmatch(reference.raw.strip(" .()"))
    if number is None or LAYOUTS[rulebook.edition.layout].references is not ReferenceStyle.ANY:
        return False
    known = [entry.number.rstrip(".") for entry in entries.values() if entry.number is not None]
    return number.group(1) not in {*known, *(each.rpartition(".")[0] for each in known)}


def _itself(rulebook: Rulebook, references: Iterable[Reference]) -> Iterator[Finding]:
    for reference in references:
        listed = reference.kind in (ReferenceKind.SEE, ReferenceKind.SEE_ALSO)
        if listed and reference.target == reference.entry and not _HERE.match(reference.raw):
            yield report(rulebook, reference, FindingKind.REFERS_TO_ITSELF, Why.NAMES_OWN_ENTRY)


def _twice(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield references to one entry twice in one list, or side by side in the text."""
    lists = reference_lines(rulebook)
    before: dict[tuple[str, str, str], Reference] = {}
    for reference in references:
        if reference.target is None or reference.kind is ReferenceKind.CONTENTS:
            continue
        listed = reference.line in lists
        place = (reference.entry, reference.target, key(reference.raw))
        last = before.get(place)
        before[place] = reference
        if last is None or _HERE.match(reference.raw):
            continue
        if listed and last.line in lists:
            why = because(Why.TWICE_IN_LIST)
        elif last.line == reference.line and 0 <= reference.span.start - last.span.end <= _NEAR:
            why = because(Why.TWICE_SIDE_BY_SIDE)
        else:
            continue
        yield report(rulebook, reference, FindingKind.LISTED_TWICE, why)


def _signs(rulebook: Rulebook, references: Sequence[Reference]) -> Iterator[Finding]:
    """Yield lists of references with something else than a comma between two names, or a comma
    before or behind all of them.
    """
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
            between = _plain(rulebook.document.text[one.span.end : other.span.start])
            if between not in (",", ";") and not _PAGE_BETWEEN.fullmatch(between):
                why = because(Why.EMPTY_ITEM if between.startswith(",") else Why.NO_COMMA)
                printed = f"{one.raw}{between} {other.raw}"
                meant = f"{one.raw}, {other.raw}"
                yield report(
                    rulebook, other.line, FindingKind.LIST_SIGNS, why, printed, meant=meant
                )
        if inside and (
            rest := _plain(rulebook.document.text[inside[-1].span.end : end])
        ).startswith(","):
            last, why = inside[-1], because(Why.LAST_COMMA)
            printed, meant = f"{last.raw}{rest}", last.raw
            yield report(rulebook, last.line, FindingKind.LIST_SIGNS, why, printed, meant=meant)


def _plain(text: str) -> str:
    """Return the signs of a list without those of bold type, brackets and blanks."""
    return re.sub(r"[\s*_()]+", "", text)
