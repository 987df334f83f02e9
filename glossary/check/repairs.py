"""What the project knows about an edition: its corrections, those that no longer fit, passages that nobody has phrased yet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.model import Correction, Fault, Role, Rulebook
from glossary.check.model import Certainty, Finding, FindingKind, shorten
from glossary.concepts import load_concepts, tie_entries
from glossary.phrasings import attach_phrasings, load_phrasings

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

_SIGN = re.compile(r"[-•➤▶✦»>*\s]*")
_OPEN = re.compile(r"[^\W_]-?[,\"“”»«’)\]*_ ]*$")


def report_corrections(rulebook: Rulebook) -> Iterator[Finding]:
    """One finding for each correction: what it corrects where it fits, itself where it does not."""
    unfit = set(rulebook.unfit)
    for correction in rulebook.edition.corrections:
        kind = _KINDS.get(correction.fault)
        if correction in unfit:
            kind, why = FindingKind.CORRECTION_UNFIT, f"the line no longer has this; {correction.fault.value}: {correction.why}"
        elif kind is None or correction.settled or _is_style(rulebook, correction):
            continue
        else:
            why = correction.why
        printed, meant = correction.printed, _meant(correction)
        if correction.fault is Fault.TITLE and kind is FindingKind.MISPRINT:
            printed = next((e.heading for e in rulebook.entries if e.lines.first == correction.line), printed)
        if correction.through > correction.line:
            why += f"; to line {correction.through}"
        yield Finding(rulebook.edition.id, correction.line, kind, shorten(printed), meant, Certainty.CERTAIN, why)


def _meant(correction: Correction) -> str | None:
    """What should stand there, for faults whose ``meant`` says so."""
    if correction.meant is None or correction.fault in (Fault.TORN, Fault.HEADING, Fault.NOT_HEADING, Fault.FURNITURE):
        return None
    meant = str(correction.meant).strip()
    if correction.fault is Fault.BELONGS:
        return f"under {meant}"
    return shorten(meant) if meant != correction.printed.strip() else None


def _is_style(rulebook: Rulebook, correction: Correction) -> bool:
    """Whether a correction only chooses capitals or small letters for readers: nothing is wrong in print."""
    if correction.fault is not Fault.TITLE:
        return False
    headings = [e.heading for e in rulebook.entries if e.lines.first == correction.line]
    wanted = _folded(str(correction.meant))
    return any(_folded(heading) == wanted for heading in headings)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def report_unmatched_headings(rulebook: Rulebook) -> Iterator[Finding]:
    """Headings that the data file of concepts gives for the edition and that none of its entries has."""
    for unfit in tie_entries(load_concepts(rulebook.edition.game), [rulebook]).unmatched:
        why = f"no entry is headed so, so nothing is tied to the concept {unfit.concept!r}"
        yield Finding(rulebook.edition.id, None, FindingKind.CONCEPT_UNFIT, shorten(unfit.heading), None, Certainty.CERTAIN, why)


def report_missing_phrasings(rulebook: Rulebook) -> Iterator[Finding]:
    """How many passages have no player phrasings, where the edition has any."""
    known = load_phrasings(rulebook.edition.id) if rulebook.edition.known else ()
    if not known:
        return
    found = attach_phrasings(known, rulebook.passages)
    parts = [(len(found.missing), "passages have none"), (len(found.orphaned), "are for a passage that is no longer there")]
    counts = ", ".join(f"{many} {what}" for many, what in parts if many)
    if counts:
        why = "what players type when a passage is what they need is not written down for all of them; see 'regula phrasings missing'"
        yield Finding(rulebook.edition.id, None, FindingKind.NO_PHRASINGS, counts, None, Certainty.CERTAIN, why)


def find_torn_sentences(rulebook: Rulebook) -> Iterator[Finding]:
    """Sentences that a caption or the sign of a bullet tears apart; what only a page break divides is no fault of the text."""
    known = {c.line for c in rulebook.edition.corrections if c.fault is Fault.TORN}
    for passage in rulebook.passages:
        if passage.role is not Role.TEXT:
            continue
        for (start, end), (after, last) in zip(passage.spans, passage.spans[1:], strict=False):
            text = rulebook.document.text
            between = text[end:after].strip()
            line = rulebook.document.line_at(after)
            if between and line not in known and _OPEN.search(text[max(start, end - 12) : end]):
                sign = _SIGN.fullmatch(between) is not None
                why = "a sentence goes on as if it were a bullet of its own" if sign else f"{shorten(between)!r} stands inside a sentence"
                yield Finding(rulebook.edition.id, line, FindingKind.TORN, shorten(text[after:last]), None, Certainty.LIKELY, why)
