"""Check a rulebook for faults, as a publisher's proofreader would: one finding for each fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from corpus.model import Correction, Fault, Rulebook
from glossary.check import (
    edition_notes,
    pointers,
    reading,
    repeats,
    spelling,
    structure,
    terms,
    text,
)
from glossary.check.edition_notes import TieChecker, unconfirmed_products
from glossary.check.model import (
    FINDING_TITLES,
    Certainty,
    Finding,
    FindingKind,
    Origin,
    OriginWhy,
    Reason,
    Value,
    Why,
    because,
)
from glossary.check.origins import judge_origins
from glossary.check.outdated_rulings import report_outdated_rulings
from glossary.check.renderings import collect_renderings
from glossary.model import Reference

__all__ = [
    "FINDING_TITLES",
    "Certainty",
    "Finding",
    "FindingKind",
    "Origin",
    "OriginWhy",
    "Reason",
    "TieChecker",
    "Value",
    "Why",
    "because",
    "check_rulebook",
]


# Findings that repeat what a correction of the same line reports.
_COVERED_BY_CORRECTIONS: dict[FindingKind, tuple[Fault, ...]] = {
    FindingKind.BREAKS_OFF: (Fault.LOST,),
    FindingKind.LOST: (Fault.LOST,),
    FindingKind.EMPTY_ENTRY: (Fault.LOST,),
    FindingKind.HEADING: (Fault.HEADING, Fault.NOT_HEADING, Fault.TITLE),
    FindingKind.SYMBOL: (Fault.CHARACTER, Fault.TITLE),
    FindingKind.ESCAPE: (Fault.CHARACTER,),
    FindingKind.UNPAIRED: (Fault.CHARACTER, Fault.LOST),
    FindingKind.MISSPELLED: (
        Fault.CHARACTER,
        Fault.TITLE,
        Fault.REFERENCE,
        Fault.CARD,
        Fault.PRODUCT,
    ),
    FindingKind.SPELLING_VARIES: (
        Fault.CHARACTER,
        Fault.TITLE,
        Fault.REFERENCE,
        Fault.CARD,
        Fault.PRODUCT,
    ),
}
_ANYWHERE = (
    FindingKind.BREAKS_OFF,
    FindingKind.LOST,
    FindingKind.EMPTY_ENTRY,
    FindingKind.HEADING,
)  # a correction covers these wherever they are in its line


def check_rulebook(
    rulebook: Rulebook,
    rulebooks: Sequence[Rulebook],
    references: Sequence[Reference],
    ties: TieChecker | None = None,
    cards: Iterable[str] = (),
) -> tuple[Finding, ...]:
    """Return every finding in ``rulebook``, by kind and line.

    Args:
        rulebook: The rulebook to check.
        rulebooks: All rulebooks that are loaded.
        references: The references of ``rulebook``.
        ties: A `TieChecker` of ``rulebooks``. When several rulebooks are checked, pass the same one
            to all calls, so that editions are compared once.
        cards: The names of the game's cards in the language of ``rulebook``.
    """
    found = [
        *pointers.find_reference_faults(rulebook, rulebooks, references),
        *structure.find_heading_faults(rulebook),
        *structure.check_numbered_contents(rulebook),
        *structure.check_contents(rulebook, references),
        *structure.check_index_entries(rulebook),
        *structure.check_index_order(rulebook),
        *structure.check_index_letters(rulebook),
        *structure.check_rule_numbers(rulebook),
        *structure.check_list_numbers(rulebook),
        *structure.check_gaps(rulebook),
        *reading.find_unread(rulebook),
        *reading.find_strays(rulebook),
        *repeats.find_repeats(rulebook, references),
        *text.find_broken_sentences(rulebook),
        *text.find_doubled_words(rulebook),
        *text.find_missing_blanks(rulebook),
        *text.find_unpaired_signs(rulebook),
        *text.find_half_bold_marks(rulebook),
        *spelling.find_misspellings(rulebook, references),
        *spelling.find_misspelled_cards(rulebook, cards),
        *text.find_codes(rulebook),
        *text.find_unknown_symbols(rulebook),
        *text.find_lost_icons(rulebook),
        *text.find_torn_sentences(rulebook),
    ]
    found += _without_misspelled(
        found,
        list(
            terms.find_terminology_faults(
                rulebook, rulebooks, references, collect_renderings(rulebook)
            )
        ),
    )
    findings = [
        *_without_corrected(rulebook, found),
        *edition_notes.report_corrections(rulebook),
        *edition_notes.report_unmatched_headings(rulebook),
        *(ties or TieChecker(rulebooks)).find(rulebook),
        *unconfirmed_products(rulebook, rulebooks),
        *edition_notes.report_missing_phrasings(rulebook),
        *report_outdated_rulings(rulebook, rulebooks),
    ]
    return judge_origins(rulebook, rulebooks, sorted(findings, key=lambda f: f.order))


def _without_corrected(rulebook: Rulebook, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings of ``found`` that no correction already reports."""
    by_line: dict[int, list[Correction]] = {}
    unfit = set(rulebook.unfit)
    for correction in rulebook.edition.corrections:
        if correction not in unfit and not correction.settled:
            for line in range(correction.line, correction.through + 1):
                by_line.setdefault(line, []).append(correction)
    for finding in found:
        if not any(_covers(c, finding) for c in by_line.get(finding.line or 0, ())):
            yield finding


def _without_misspelled(found: Sequence[Finding], of_terms: Sequence[Finding]) -> list[Finding]:
    """Return ``of_terms`` without renderings that ``found`` already reports as misspelled."""
    misspelled = {f.printed.casefold() for f in found if f.kind is FindingKind.MISSPELLED}
    return [
        f
        for f in of_terms
        if f.kind is not FindingKind.SEVERAL_RENDERINGS
        or misspelled.isdisjoint(f.printed.casefold().split())
    ]


def _covers(correction: Correction, finding: Finding) -> bool:
    """Return whether ``correction``, for the same line, reports the same fault as ``finding``."""
    if correction.fault not in _COVERED_BY_CORRECTIONS.get(finding.kind, ()):
        return False
    if finding.kind in _ANYWHERE:
        return True
    if finding.kind is FindingKind.UNPAIRED:
        return any(sign in correction.printed + str(correction.meant) for sign in '"„“”()[]$')
    corrected, printed = correction.printed.casefold(), finding.printed.casefold()
    return corrected in printed or any(piece.strip("…") in corrected for piece in printed.split())
