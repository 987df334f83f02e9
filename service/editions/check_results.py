"""The findings of the check in the rulebooks of a snapshot: of its build, else computed in the background by a helper, and stored."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from corpus.model import Entry
from glossary.check import Certainty, Finding, FindingKind, TieChecker, check_rulebook
from index.building.check_stage import FINDINGS
from service.core.contents import SnapshotContents
from service.core.jobs.stored_works import Preparing, Work, is_stored, stored
from service.core.problems import Problem
from service.core.snapshot import Snapshot

_LOG = logging.getLogger(__name__)

EditionFindings = Mapping[str, tuple[Finding, ...]]

_STORED_FINDINGS: TypeAdapter[EditionFindings] = TypeAdapter(dict[str, tuple[Finding, ...]])

# Findings about this project's own notes on a rulebook, which do not concern readers of the rulebook.
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


@dataclass(frozen=True)
class EntryFindings:
    """What is wrong in print in one entry: ``sure`` findings are certain or likely, ``doubtful`` ones possible.

    ``pending`` says that the check is not done yet.
    """

    sure: tuple[Finding, ...] = ()
    doubtful: tuple[Finding, ...] = ()
    pending: bool = False


def snapshot_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return the findings of each edition of ``snapshot`` by its id; None while the check runs, which the first call begins.

    Editions that could not be checked, because their document is gone or the check failed, are missing.
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
    """Return what the build has found, else what a helper process finds. Raises `Preparing` where it is not done."""

    def read() -> EditionFindings:
        if not begin and not (snapshot.folder and is_stored(snapshot.folder, FINDINGS_WORK)):
            raise Preparing
        return _STORED_FINDINGS.validate_json(stored(snapshot, FINDINGS_WORK, patience=0.0))

    built = _built_findings(snapshot)
    return snapshot.cache.get(("findings",), read) if built is None else built


def _built_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return what the build of ``snapshot`` has found; None where it has not checked, or where that cannot be read."""
    location = snapshot.location
    if not isinstance(location, Path):
        return None
    path = location / FINDINGS

    def read() -> EditionFindings | None:
        try:
            return _STORED_FINDINGS.validate_json(path.read_bytes()) if path.exists() else None
        except (OSError, ValueError) as fault:
            _LOG.warning("%s cannot be read (%s); the rulebooks are checked anew", path, fault)
            return None

    return snapshot.cache.get(("findings of the build",), read)


def _render_findings(snapshot: SnapshotContents) -> bytes:
    try:
        books = snapshot.rulebooks()
    except (LookupError, OSError) as fault:
        _LOG.warning("index %s cannot be checked: %s", snapshot.id, fault)
        books = []
    ties = TieChecker(books)
    references = [tuple(snapshot.library.references_in(book.edition.id)) for book in books]
    found = {book.edition.id: check_rulebook(book, books, here, ties) for book, here in zip(books, references, strict=True)}
    return _STORED_FINDINGS.dump_json(found)


FINDINGS_WORK: Work[bytes] = Work(("findings",), _render_findings, slow=True)


def entry_findings(snapshot: Snapshot, entry: Entry) -> EntryFindings:
    """Return the findings in the lines of ``entry``, in the order of the lines."""
    findings = snapshot_findings(snapshot)
    if findings is None:
        return EntryFindings(pending=True)
    first, last = entry.lines
    here = [f for f in findings.get(entry.edition, ()) if f.line is not None and first <= f.line <= last and f.kind not in _PROJECT_NOTES]
    here.sort(key=lambda f: f.line or 0)
    return EntryFindings(
        sure=tuple(f for f in here if f.certainty is not Certainty.POSSIBLE),
        doubtful=tuple(f for f in here if f.certainty is Certainty.POSSIBLE),
    )
