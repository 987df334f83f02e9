"""The findings of the check in the rulebooks of a snapshot: of its build, else computed in the background by a helper, and stored."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from corpus.model import Entry, Rulebook
from glossary.check import Certainty, Finding, FindingKind, TieChecker, check_rulebook
from glossary.model import Reference
from index.building.check_stage import FINDINGS
from service.core.contents import SnapshotContents, SnapshotLocation
from service.core.jobs.background import BackgroundCache
from service.core.jobs.queue import JobQueue, run_job_in
from service.core.jobs.stored_files import render_once
from service.core.problems import Problem
from service.core.snapshot import Snapshot

_LOG = logging.getLogger(__name__)

EditionFindings = Mapping[str, tuple[Finding, ...]]

_PAUSE = 300.0  # seconds from a check that failed until the next try
# The check takes ten seconds for each index. It has a helper of its own, so that comparisons and exports do not wait for it.
_CHECK_QUEUE = JobQueue(idle=1.0)
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
    if (stored := _built_findings(snapshot)) is not None:
        return stored
    location = snapshot.location
    try:
        return _background(snapshot).get((), lambda: _check_snapshot(location))
    except Problem:  # logged already; the page shows everything else
        return {}


def finished_findings(snapshot: Snapshot) -> EditionFindings | None:
    """Return the same where the check is done; None where it is not. It is not begun."""
    stored = _built_findings(snapshot)
    return _background(snapshot).finished(()) if stored is None else stored


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


def _background(snapshot: Snapshot) -> BackgroundCache[EditionFindings]:
    return snapshot.cache.get(("findings",), lambda: BackgroundCache(most=1, pause=_PAUSE))


def _check_snapshot(location: SnapshotLocation) -> EditionFindings:
    if isinstance(location, Path):
        return _STORED_FINDINGS.validate_json(
            render_once(location, ("findings",), lambda: run_job_in(_CHECK_QUEUE, location, _render_findings))
        )
    try:
        books = location.rulebooks()
    except (OSError, ValueError, LookupError) as fault:
        _LOG.warning("index %s cannot be checked: %s", location.id, fault)
        return {}
    return _CHECK_QUEUE.run(_check_rulebooks, books, _references(location, books))  # in the helper, because its tables of words take 300 MB


def _render_findings(snapshot: SnapshotContents) -> bytes:
    books = snapshot.rulebooks()
    return _STORED_FINDINGS.dump_json(_check_rulebooks(books, _references(snapshot, books)))


def _references(snapshot: SnapshotContents, books: Sequence[Rulebook]) -> list[Sequence[Reference]]:
    return [tuple(snapshot.library.references_in(book.edition.id)) for book in books]


def _check_rulebooks(books: Sequence[Rulebook], references: Sequence[Sequence[Reference]]) -> EditionFindings:
    ties = TieChecker(books)
    return {book.edition.id: check_rulebook(book, books, here, ties) for book, here in zip(books, references, strict=True)}


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
