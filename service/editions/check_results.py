"""The findings of the check: of a build or computed in the background, for pages, programs and
terminals.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pydantic import TypeAdapter

from corpus.model import Entry, Rulebook
from glossary.check import (
    FINDING_TITLES,
    Certainty,
    Finding,
    FindingKind,
    Origin,
    TieChecker,
    check_rulebook,
)
from glossary.references import find as find_references
from index.building.check_stage import FINDINGS
from service.core.i18n import N_
from service.core.jobs.stored_works import Preparing, Work, is_stored, stored
from service.core.problems import Problem
from service.core.snapshot import Snapshot, SnapshotContents
from service.editions.finding_reasons import origin_reason, reason_text
from service.schemas.comparisons import FindingOut

_LOG = logging.getLogger(__name__)
EditionFindings = Mapping[str, tuple[Finding, ...]]
_STORED_FINDINGS: TypeAdapter[EditionFindings] = TypeAdapter(dict[str, tuple[Finding, ...]])
# Findings about this project's own notes on a rulebook, which do not concern readers of the
# rulebook.
_PROJECT_NOTES = frozenset(
    [
        FindingKind.CORRECTION_UNFIT,
        FindingKind.CONCEPT_UNFIT,
        FindingKind.TIE_PROPOSED,
        FindingKind.TIE_DOUBTFUL,
        FindingKind.PRODUCT_PROPOSED,
        FindingKind.NO_PHRASINGS,
    ]
)
CERTAINTIES = {
    Certainty.CERTAIN: N_("certain"),
    Certainty.LIKELY: N_("likely"),
    Certainty.POSSIBLE: N_("possible"),
}
ORIGINS = {
    Origin.PRINT: N_("print"),
    Origin.EXTRACTION: N_("scan or conversion"),
    Origin.UNCLEAR: N_("unclear"),
}


def check_editions(
    rulebooks: Sequence[Rulebook], edition: str | None = None, origin: Origin | None = None
) -> Iterator[tuple[Rulebook, tuple[Finding, ...]]]:
    """Yield each of ``rulebooks``, or the one of ``edition``, with its findings, all of them or
    those of one ``origin``.
    """
    ties = TieChecker(rulebooks)
    for rulebook in rulebooks:
        if edition in (None, rulebook.edition.id):
            found = check_rulebook(rulebook, rulebooks, find_references(rulebook, rulebooks), ties)
            yield rulebook, tuple(finding for finding in found if origin in (None, finding.origin))


def finding_out(finding: Finding) -> FindingOut:
    """Return something that is wrong in print."""
    return FindingOut(
        edition=finding.edition,
        line=finding.line,
        sort=finding.kind,
        printed=finding.printed,
        meant=finding.meant,
        certainty=finding.certainty,
        why=reason_text(finding.why),
        origin=finding.origin,
        origin_why=origin_reason(finding.origin_why),
    )


def findings_text(rulebook: Rulebook, found: Sequence[Finding]) -> str:
    """Return the findings of one rulebook by kind: line, certainty, what is printed, what is meant,
    why, and the origin.
    """
    edition = rulebook.edition
    counts = Counter(finding.certainty for finding in found)
    summary = ", ".join(f"{counts[c]} {c.value}" for c in Certainty if counts[c]) or "nothing found"
    lines = [f"{edition.full_title} ({edition.id}, from {rulebook.document.file}): {summary}"]
    for kind, group in groupby(found, key=lambda finding: finding.kind):
        here = list(group)
        lines += ["", f"  {FINDING_TITLES[kind]} ({len(here)})"]
        for finding in here:
            place = f"{finding.line:6}" if finding.line is not None else "      "
            meant = f" → {finding.meant}" if finding.meant is not None else ""
            lines.append(
                f"  {place}  {finding.certainty.value:8}  {finding.printed}{meant}  ({reason_text(finding.why)}) [{finding.origin.value}]"
            )
    return "\n".join(lines)


@dataclass(frozen=True)
class EntryFindings:
    """What is wrong in print in one entry: ``sure`` findings are certain or likely, ``doubtful``
    ones possible.

    ``pending`` says that the check is not done yet.
    """

    sure: tuple[Finding, ...] = ()
    doubtful: tuple[Finding, ...] = ()
    pending: bool = False


def snapshot_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return the findings of each edition of ``snapshot`` by its id; None while the check runs,
    which the first call begins.

    Editions that could not be checked, because their document is gone or the check failed, are
    missing.
    """
    try:
        return _checked(snapshot, begin=True)
    except Preparing:
        return None
    except Problem:  # logged already; the page shows everything else
        return {}


def finished_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return the same where the check is done; None where it is not. It is not begun."""
    try:
        return _checked(snapshot, begin=False)
    except Problem:
        return None


def _checked(snapshot: Snapshot, begin: bool) -> EditionFindings:
    """Return what the build has found, else what a helper process finds. Raises `Preparing` where
    it is not done.
    """

    def read_built() -> EditionFindings | None:
        location = snapshot.location
        path = location / FINDINGS if isinstance(location, Path) else None
        try:
            return (
                _STORED_FINDINGS.validate_json(path.read_bytes())
                if path and path.exists()
                else None
            )
        except (OSError, ValueError) as fault:
            _LOG.warning("%s cannot be read (%s); the rulebooks are checked anew", path, fault)
            return None

    def read() -> EditionFindings:
        if not begin and not (snapshot.folder and is_stored(snapshot.folder, FINDINGS_WORK)):
            raise Preparing
        return _STORED_FINDINGS.validate_json(stored(snapshot, FINDINGS_WORK, patience=0.0))

    built = snapshot.cache.get(("findings of the build",), read_built)
    return snapshot.cache.get(("findings",), read) if built is None else built


def _render_findings(snapshot: SnapshotContents) -> bytes:
    try:
        books = snapshot.rulebooks()
    except (LookupError, OSError) as fault:
        _LOG.warning("index %s cannot be checked: %s", snapshot.id, fault)
        books = []
    ties = TieChecker(books)
    references = [tuple(snapshot.library.references_in(book.edition.id)) for book in books]
    found = {
        book.edition.id: check_rulebook(book, books, here, ties)
        for book, here in zip(books, references, strict=True)
    }
    return _STORED_FINDINGS.dump_json(found)


FINDINGS_WORK: Work[bytes] = Work(("findings",), _render_findings, slow=True)


def entry_findings(snapshot: Snapshot, entry: Entry) -> EntryFindings:
    """Return the findings in the lines of ``entry``, in the order of the lines."""
    findings = snapshot_findings(snapshot)
    if findings is None:
        return EntryFindings(pending=True)
    first, last = entry.lines
    here = [
        f
        for f in findings.get(entry.edition, ())
        if f.line is not None and first <= f.line <= last and f.kind not in _PROJECT_NOTES
    ]
    here.sort(key=lambda f: f.line or 0)
    return EntryFindings(
        sure=tuple(f for f in here if f.certainty is not Certainty.POSSIBLE),
        doubtful=tuple(f for f in here if f.certainty is Certainty.POSSIBLE),
    )
