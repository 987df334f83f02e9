"""Check large rulebooks while they are indexed, so that their misprints are known before anybody
opens a page.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from corpus.model import Rulebook
from glossary.check import TieChecker, check_rulebook
from glossary.model import Reference
from index.building.reuse import UnchangedEditions, companions
from index.building.subprocess_task import run_in_subprocess
from index.library.library import Library

FINDINGS = "findings.json"  # of an index: the findings of each edition by its id
CHECKED_PASSAGES = 2_000  # size from which the check takes too long to wait for
_NICE = 10  # how much lower its priority is than that of the build

_LOG = logging.getLogger(__name__)


@contextmanager
def checking(
    place: Path,
    rulebooks: Sequence[Rulebook],
    library: Library,
    unchanged: UnchangedEditions,
) -> Iterator[Callable[[], None]]:
    """Check ``rulebooks`` in another process, for the index at ``place``; yields a function that
    waits for its end.

    A small library is left out: pages check its rulebooks in the background within seconds. The
    results for ``unchanged`` editions are copied. A check that fails is logged, and the build goes
    on.
    """
    if len(library.passages) < CHECKED_PASSAGES:
        yield lambda: None
        return
    before = json.loads(unchanged.read(FINDINGS) or "{}")
    known = {id: before[id] for id in unchanged.in_company if id in before}
    new = [book for book in rulebooks if book.edition.id not in known]
    references = [tuple(library.references_in(book.edition.id)) for book in new]
    with run_in_subprocess(
        bool(new), _findings, new, companions(new, rulebooks), references
    ) as finish:

        def wait() -> None:
            try:
                found = known | finish()
            except Exception:
                _LOG.warning(
                    "the rulebooks could not be checked; pages have it done when they are read",
                    exc_info=True,
                )
                return
            here = {book.edition.id: found[book.edition.id] for book in rulebooks}
            (place / FINDINGS).write_text(json.dumps(here, ensure_ascii=False), encoding="utf-8")

        yield wait


def _findings(
    rulebooks: Sequence[Rulebook],
    company: Sequence[Rulebook],
    references: Sequence[Sequence[Reference]],
) -> dict[str, list[dict[str, Any]]]:
    """Check each of ``rulebooks`` and return the findings as JSON; ``company`` are all rulebooks
    that they are read together with.
    """
    if not rulebooks:
        return {}
    os.nice(_NICE)
    ties = TieChecker(company)
    return {
        book.edition.id: [asdict(finding) for finding in check_rulebook(book, company, here, ties)]
        for book, here in zip(rulebooks, references, strict=True)
    }
