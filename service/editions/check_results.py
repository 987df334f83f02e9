"""What `regula check` finds in the rulebooks of a snapshot, worked out in the background by the helper and stored."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from corpus.model import Entry, Rulebook
from glossary.check import Certainty, Finding, Sort, check
from glossary.model import Reference
from service.core.contents import SnapshotContents, SnapshotLocation
from service.core.jobs.background import BackgroundCache
from service.core.jobs.queue import JobQueue, run_job_in
from service.core.jobs.stored_files import render_once
from service.core.problems import Problem
from service.core.snapshot import Snapshot

Faults = Mapping[str, tuple[Finding, ...]]

_PAUSE = 300.0  # seconds after a check that failed until it is tried again
# The check takes ten seconds, once for each index: comparisons and exports have another helper, and do not wait for it.
_CHECKS = JobQueue(idle=1.0)
_STORED: TypeAdapter[Faults] = TypeAdapter(dict[str, tuple[Finding, ...]])

# What speaks of this project's notes on a rulebook is nothing that its readers have to know.
_OURS = frozenset(
    [
        Sort.CORRECTION_UNFIT,
        Sort.CONCEPT_UNFIT,
        Sort.TIE_PROPOSED,
        Sort.TIE_DOUBTFUL,
        Sort.PRODUCT_PROPOSED,
        Sort.NO_PHRASINGS,
    ]
)


@dataclass(frozen=True)
class Known:
    """What is wrong in print at one entry: ``sure`` is wrong or nearly always wrong, ``doubtful`` is worth a look.

    ``pending`` says that the check is still under way.
    """

    sure: tuple[Finding, ...] = ()
    doubtful: tuple[Finding, ...] = ()
    pending: bool = False


def faults_of(snapshot: Snapshot) -> Faults | None:
    """The findings of each edition of ``snapshot`` by its id; None while they are being worked out, which the first call begins.

    An edition that could not be checked, because its document is no longer there or the check failed, is missing.
    """
    location = snapshot.location
    background: BackgroundCache[Faults] = snapshot.cache.get(("faults",), lambda: BackgroundCache(most=1, pause=_PAUSE))
    try:
        return background.get((), lambda: _worked_out(location))
    except Problem:  # which was logged; a page shows what else there is to show
        return {}


def _worked_out(location: SnapshotLocation) -> Faults:
    if isinstance(location, Path):
        return _STORED.validate_json(render_once(location, ("faults",), lambda: run_job_in(_CHECKS, location, _render)))
    try:
        books = location.rulebooks()
    except (OSError, ValueError, LookupError) as fault:
        logging.getLogger(__name__).warning("index %s cannot be checked: %s", location.id, fault)
        return {}
    return _CHECKS.run(_checked, books, _references(location, books))  # the tables of words that it needs would stay: 300 MB


def _render(snapshot: SnapshotContents) -> bytes:
    books = snapshot.rulebooks()
    return _STORED.dump_json(_checked(books, _references(snapshot, books)))


def _references(snapshot: SnapshotContents, books: Sequence[Rulebook]) -> list[Sequence[Reference]]:
    return [tuple(snapshot.library.references_in(book.edition.id)) for book in books]


def _checked(books: Sequence[Rulebook], references: Sequence[Sequence[Reference]]) -> Faults:
    return {book.edition.id: check(book, books, here) for book, here in zip(books, references, strict=True)}


def faults_at(snapshot: Snapshot, entry: Entry) -> Known:
    """What is known to be wrong in the lines of ``entry``, in the order of print."""
    faults = faults_of(snapshot)
    if faults is None:
        return Known(pending=True)
    first, last = entry.lines
    here = [f for f in faults.get(entry.edition, ()) if f.line is not None and first <= f.line <= last and f.sort not in _OURS]
    here.sort(key=lambda f: f.line or 0)
    return Known(
        tuple(f for f in here if f.certainty is not Certainty.POSSIBLE), tuple(f for f in here if f.certainty is Certainty.POSSIBLE)
    )
