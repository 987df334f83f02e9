"""The state of the rulebooks: what the check finds wrong in them, by sort, each with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from flask import Response

from glossary.check import FINDING_TITLES, Certainty, Finding, FindingKind
from index.analysis import plain
from service.answers.citations import edition_name
from service.browse.line_lookup import line_targets
from service.core.problems import Problem
from service.editions.check_results import snapshot_findings
from service.editions.finding_names import CERTAINTIES
from service.web.pages.layout import page, pages
from service.web.pages.pagination import address_with, one_of, requested_page, search_words
from service.web.request_context import current_snapshot

FIRST = 10  # findings of a sort that are shown among the others
LENGTH = 100  # findings of one sort on one page
REFRESH_SECONDS = 3  # seconds after which the browser is to look again while the check is under way


@pages.get("/state")
def state() -> Response:
    """How much the check finds in each edition."""
    snapshot = current_snapshot()
    found = snapshot_findings(snapshot) or {}
    counts = {edition: Counter(finding.certainty for finding in findings) for edition, findings in found.items()}
    return _refresh_if(
        page("state.html", snapshot, counts=counts, certainties=CERTAINTIES, edition_name=edition_name),
        any(edition.id not in found for edition in snapshot.library.editions),
    )


@pages.get("/state/<edition>")
def findings(edition: str) -> Response:
    """What the check finds in an edition: by sort, the first of each; or one sort by pages."""
    snapshot = current_snapshot()
    library = snapshot.library
    if edition not in library.edition:
        raise Problem.unknown("There is no such edition here; GET /v1/editions lists those there are.")
    found = (snapshot_findings(snapshot) or {}).get(edition)
    sort, certainty, words = one_of("sort", list(FindingKind)), one_of("certainty", list(Certainty)), search_words()
    matching = _matching(found or (), words)
    certain = [finding for finding in matching if not certainty or finding.certainty == certainty]
    shown = requested_page(
        [finding for finding in certain if finding.kind == sort] if sort else certain, LENGTH if sort else max(1, len(certain))
    )
    made = page(
        "findings.html",
        snapshot,
        edition=library.edition[edition],
        edition_name=edition_name,
        ready=found is not None,
        total=len(found or ()),
        groups=_groups(shown.items),
        first=LENGTH if sort else FIRST,
        listed=shown,
        sorts=[(each, count) for each in FindingKind if (count := sum(finding.kind == each for finding in certain)) or each == sort],
        counts=Counter(finding.certainty for finding in matching if not sort or finding.kind == sort),
        wanted={"sort": sort, "certainty": certainty, "q": words},
        spots=line_targets(snapshot, edition),
        address_with=address_with,
        certainties=CERTAINTIES,
        titles=FINDING_TITLES,
    )
    return _refresh_if(made, found is None)


def _refresh_if(response: Response, wanting: bool) -> Response:
    """Return ``response``; where something is ``wanting``, the browser asks for it again."""
    if wanting:
        response.headers["Refresh"] = str(REFRESH_SECONDS)
    return response


def _matching(found: Iterable[Finding], words: str) -> list[Finding]:
    """Return the findings with every word ``sought`` in what is printed, meant or explained; a number is a line too."""
    wanted = plain(words).split()
    if not wanted:
        return list(found)
    return [f for f in found if all(word in plain(f"{f.printed} {f.meant or ''} {f.why}") or word == str(f.line) for word in wanted)]


def _groups(found: Sequence[Finding]) -> list[tuple[FindingKind, list[Finding]]]:
    return [(sort, list(group)) for sort, group in groupby(found, key=lambda finding: finding.kind)]
