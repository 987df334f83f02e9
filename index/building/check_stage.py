"""Checks large rulebooks while they are indexed, so that what is wrong in print is known when the first page of an entry is read."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from corpus.model import Rulebook
from glossary.check import TieChecker, check_rulebook
from glossary.model import Reference
from index.building.subprocess_task import run_in_subprocess
from index.library.library import Library

FINDINGS = "findings.json"  # of an index: the findings of each edition by its id
CHECKED_PASSAGES = 2_000  # from which on the check takes so long that nobody should have to wait for it
_NICE = 10  # how much the priority is below that of the rest of the build

_LOG = logging.getLogger(__name__)


@contextmanager
def checking(place: Path, rulebooks: Sequence[Rulebook], library: Library) -> Iterator[Callable[[], None]]:
    """Check ``rulebooks`` in another process, for the index at ``place``; yields a function that waits for its end.

    Small ones are left out: their pages have them checked in the background within seconds. A check that fails is logged, and all
    else goes on.
    """
    if len(library.passages) < CHECKED_PASSAGES:
        yield lambda: None
        return
    references = [tuple(library.references_in(book.edition.id)) for book in rulebooks]
    with run_in_subprocess(True, _write_findings, place, tuple(rulebooks), references) as finish:

        def wait() -> None:
            try:
                finish()
            except Exception:
                _LOG.warning("the rulebooks could not be checked; pages have it done when they are read", exc_info=True)

        yield wait


def _write_findings(place: Path, rulebooks: Sequence[Rulebook], references: Sequence[Sequence[Reference]]) -> None:
    os.nice(_NICE)
    ties = TieChecker(rulebooks)
    found = {
        book.edition.id: [asdict(finding) for finding in check_rulebook(book, rulebooks, here, ties)]
        for book, here in zip(rulebooks, references, strict=True)
    }
    (place / FINDINGS).write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
