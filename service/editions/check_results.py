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
from index.building.snapshots import Snapshots
from index.building.version_lookup import documents, opened
from service.core.contents import Contents
from service.core.jobs.background import Background
from service.core.jobs.queue import Jobs, Source, run_by, source
from service.core.jobs.stored_files import rendered
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.web.request_context import Desk, desk

Faults = Mapping[str, tuple[Finding, ...]]

_PAUSE = 300.0  # seconds after a check that failed until it is tried again
# The check takes ten seconds, once for each index: comparisons and exports have another helper, and do not wait for it.
_CHECKS = Jobs(idle=1.0)
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
    here, place = desk(), source(snapshot)
    background: Background[Faults] = here.kept("faults", lambda _: Background(most=1, pause=_PAUSE))
    try:
        return background.get((snapshot.id,), lambda: _worked_out(here, place))
    except Problem:  # which was logged; a page shows what else there is to show
        return {}


def _worked_out(desk: Desk, place: Source) -> Faults:
    if isinstance(place, Path):
        return _STORED.validate_json(rendered(place, ("faults",), lambda: run_by(_CHECKS, place, _render, place)))
    try:
        books = desk.rulebooks(place.id)
    except (OSError, ValueError, KeyError) as fault:
        logging.getLogger(__name__).warning("index %s cannot be checked: %s", place.id, fault)
        return {}
    return _CHECKS.run(_checked, books, _references(place, books))  # the tables of words that it needs would stay: 300 MB


def _render(snapshot: Contents, folder: Path) -> bytes:
    books = [book for document in documents(Snapshots(folder.parent), folder.name) if (book := opened(document))]
    return _STORED.dump_json(_checked(books, _references(snapshot, books)))


def _references(snapshot: Contents, books: Sequence[Rulebook]) -> list[Sequence[Reference]]:
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
