"""Report what the project knows about an edition: corrections, headings of concepts, passages
without query variants, links to other editions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.layouts import LAYOUTS
from corpus.model import Correction, Entry, Fault, Rulebook
from corpus.titles import key
from glossary.check.model import (
    Certainty,
    Finding,
    FindingKind,
    Why,
    because,
    report,
    shorten,
)
from glossary.concepts import load_concepts, tie_entries
from glossary.concepts.product_names import ProductNames
from glossary.matching.tie_proposals import EntryComparer, WeighedTie
from glossary.query_variants import attach_query_variants, load_query_variants
from glossary.references import find as find_references

_KINDS = {
    Fault.FURNITURE: FindingKind.STRAY,
    Fault.NOT_HEADING: FindingKind.HEADING,
    Fault.HEADING: FindingKind.HEADING,
    Fault.TORN: FindingKind.TORN,
    Fault.TITLE: FindingKind.MISPRINT,
    Fault.NUMBER: FindingKind.NUMBER_LOST,
    Fault.PRODUCT: FindingKind.MISPRINT,
    Fault.CARD: FindingKind.MISPRINT,
    Fault.PAGE: FindingKind.INDEX_PAGE,
    Fault.CHARACTER: FindingKind.MISPRINT,
    Fault.LOST: FindingKind.LOST,
    Fault.BELONGS: FindingKind.MISPLACED,
}  # a misprinted reference is reported with the references


def report_corrections(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield one finding for each correction: the fault that it corrects if it applies, else the
    correction itself.
    """
    unfit = set(rulebook.unfit)
    for correction in rulebook.edition.corrections:
        kind = _KINDS.get(correction.fault)
        if correction in unfit:
            kind, why = FindingKind.CORRECTION_UNFIT, because(Why.LINE_CHANGED)
            why += because(Why.NOTE, note=f"{correction.fault.value}: {correction.why}")
        elif kind is None or correction.settled or _is_style(rulebook, correction):
            continue
        else:
            why = because(Why.NOTE, note=correction.why)
        printed, meant = correction.printed, _meant(correction)
        if correction.fault is Fault.TITLE and kind is FindingKind.MISPRINT:
            printed = next(
                (e.heading for e in rulebook.entries if e.lines.first == correction.line), printed
            )
        if correction.through > correction.line:
            why += because(Why.TO_LINE, line=correction.through)
        yield report(
            rulebook, correction.line, kind, why, printed, meant=meant, certainty=Certainty.CERTAIN
        )


def _meant(correction: Correction) -> str | None:
    """Return the right text, or None if ``meant`` of the correction is no text."""
    if correction.meant is None or correction.fault in (
        Fault.TORN,
        Fault.HEADING,
        Fault.NOT_HEADING,
        Fault.FURNITURE,
    ):
        return None
    meant = str(correction.meant).strip()
    if correction.fault is Fault.BELONGS:
        return f"under {meant}"
    return meant if meant != correction.printed.strip() else None


def _is_style(rulebook: Rulebook, correction: Correction) -> bool:
    """Return whether a correction only changes case for readers: then the print is right."""
    if correction.fault is not Fault.TITLE:
        return False
    headings = [e.heading for e in rulebook.entries if e.lines.first == correction.line]
    wanted = _folded(str(correction.meant))
    return any(_folded(heading) == wanted for heading in headings)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def report_unmatched_headings(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield headings that the concepts' data file names for the edition, but that no entry has."""
    for unfit in tie_entries(load_concepts(rulebook.edition.game), [rulebook]).unmatched:
        yield report(
            rulebook,
            None,
            FindingKind.CONCEPT_UNFIT,
            Why.NOTHING_HEADED_SO,
            unfit.heading,
            certainty=Certainty.CERTAIN,
            quoted=unfit.concept,
        )


def report_missing_phrasings(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield a finding that counts passages without query variants, and variants without a
    passage.
    """
    known = load_query_variants(rulebook.edition.id) if rulebook.edition.known else ()
    if not known:
        return
    found = attach_query_variants(known, rulebook.passages)
    parts = [
        (len(found.missing), "passages have none"),
        (len(found.orphaned), "are for a passage that is no longer there"),
    ]
    counts = ", ".join(f"{many} {what}" for many, what in parts if many)
    if counts:
        yield report(
            rulebook,
            None,
            FindingKind.NO_PHRASINGS,
            because(Why.PHRASINGS_MISSING) + because(Why.SEE_PHRASINGS),
            counts,
            certainty=Certainty.CERTAIN,
        )


class TieChecker:
    """Checks which entries are aligned between editions; compares each pair of ``rulebooks``
    once.
    """

    def __init__(self, rulebooks: Sequence[Rulebook]):
        self._rulebooks = rulebooks
        self._between: dict[tuple[str, str], tuple[list[WeighedTie], list[WeighedTie]]] = {}

    def find(self, rulebook: Rulebook) -> Iterator[Finding]:
        """Yield alignments of ``rulebook`` with its sister editions that somebody should check.

        A document with one entry is skipped: it is assigned by its heading alone.
        """
        if LAYOUTS[rulebook.edition.layout].excerpt or not load_concepts(rulebook.edition.game):
            return
        for sister in self._rulebooks:
            same_game = sister is not rulebook and sister.edition.game == rulebook.edition.game
            if same_game and not LAYOUTS[sister.edition.layout].excerpt:
                left, right = (
                    (rulebook, sister)
                    if rulebook.edition.id < sister.edition.id
                    else (sister, rulebook)
                )
                for found, kind, code, certainty in zip(
                    self._compare(left, right),
                    (FindingKind.TIE_PROPOSED, FindingKind.TIE_DOUBTFUL),
                    (Why.SEEMS_THE_SAME, Why.NOTHING_IN_COMMON),
                    (Certainty.LIKELY, Certainty.POSSIBLE),
                    strict=True,
                ):
                    for one, other, weight in found:
                        mine, their = (one, other) if rulebook is left else (other, one)
                        why = because(
                            code,
                            quoted=shorten(their.title),
                            line=their.lines.first,
                            edition=their.edition,
                        ) + because(Why.WEIGHT, number=str(weight))
                        meant = their.title if kind is FindingKind.TIE_PROPOSED else None
                        yield report(rulebook, mine, kind, why, meant=meant, certainty=certainty)

    def _compare(
        self, left: Rulebook, right: Rulebook
    ) -> tuple[list[WeighedTie], list[WeighedTie]]:
        """Return the alignments that seem to be missing, and the doubtful ones."""
        pair = left.edition.id, right.edition.id
        if pair not in self._between:
            concepts = load_concepts(left.edition.game)
            tied = tie_entries(concepts, [left, right]).by_entry
            references = [
                *find_references(left, self._rulebooks),
                *find_references(right, self._rulebooks),
            ]
            comparer = EntryComparer(left, right, references, tied, concepts)
            self._between[pair] = comparer.proposed(), list(comparer.doubtful())
        return self._between[pair]


def unconfirmed_products(rulebook: Rulebook, rulebooks: Sequence[Rulebook]) -> Iterator[Finding]:
    """Yield products of ``rulebook`` that were assigned, by their cards, to a name in another
    language that nobody has confirmed.
    """
    printed: dict[str, Entry] = {}
    for entry in rulebook.entries:
        printed.setdefault(key(entry.product or ""), entry)
    if set(printed) == {""}:
        return
    language = rulebook.edition.language
    for proposal in ProductNames(
        rulebook.edition.game, [b for b in rulebooks if b.edition.game == rulebook.edition.game]
    ).proposals:
        for mine, other in ((proposal.one, proposal.other), (proposal.other, proposal.one)):
            if mine.language == language and mine.key in printed:
                entry = printed[mine.key]
                why = because(Why.SAME_CARDS, quoted=other.key, language=other.language) + because(
                    Why.WEIGHT, number=str(proposal.weight)
                )
                name = entry.product or ""
                yield report(rulebook, entry.lines.first, FindingKind.PRODUCT_PROPOSED, why, name)
