"""The state of the rulebooks: the findings of the check by kind, each with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby

from flask import Response

from glossary.check import FINDING_TITLES, Certainty, Finding, FindingKind, Origin
from index.analysis import plain
from service.answers.citations import edition_name
from service.browse.entry_view import line_targets
from service.editions.check_results import (
    CERTAINTIES,
    ORIGINS,
    snapshot_findings,
)
from service.editions.finding_reasons import origin_reason, reason_in, reason_text
from service.web.localization import language
from service.web.pages.layout import page, pages
from service.web.pages.pagination import address_with, one_of, requested_page, search_words
from service.web.request_context import current_snapshot

FIRST = 10  # findings of each kind where all kinds are shown
LENGTH = 100  # findings on one page where one kind is shown
REFRESH_SECONDS = 3  # seconds after which the browser is to look again while the check is under way


@pages.get("/state")
def state() -> Response:
    """Show how many findings there are in each edition."""
    snapshot = current_snapshot()
    found = snapshot_findings(snapshot) or {}
    counts = {
        edition: Counter(finding.certainty for finding in findings)
        for edition, findings in found.items()
    }
    return _refresh_if(
        page(
            "state.html",
            snapshot,
            counts=counts,
            certainties=CERTAINTIES,
            edition_name=edition_name,
        ),
        any(edition.id not in found for edition in snapshot.library.editions),
    )


@pages.get("/state/<edition_id>")
def findings(edition_id: str) -> Response:
    """Show the findings in an edition: the first ones of each kind, or all of one kind by pages."""
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    found = (snapshot_findings(snapshot) or {}).get(edition_id)
    kind, certainty, origin = (
        one_of("sort", list(FindingKind)),
        one_of("certainty", list(Certainty)),
        one_of("origin", list(Origin)),
    )
    words = search_words()
    by_words = _with_words(found or (), words)
    fitting = _judged(by_words, certainty, origin)
    if kind:
        shown = requested_page([finding for finding in fitting if finding.kind == kind], LENGTH)
    else:
        shown = requested_page(fitting, max(1, len(fitting)))
    of_kind = [finding for finding in by_words if not kind or finding.kind == kind]
    kind_counts = Counter(finding.kind for finding in fitting)
    response = page(
        "findings.html",
        snapshot,
        edition=edition,
        edition_name=edition_name,
        ready=found is not None,
        total=len(found or ()),
        groups=_groups(shown.items),
        first=LENGTH if kind else FIRST,
        listed=shown,
        kinds=[
            (each, kind_counts[each]) for each in FindingKind if kind_counts[each] or each == kind
        ],
        counts=Counter(finding.certainty for finding in _judged(of_kind, "", origin)),
        origin_counts=Counter(finding.origin for finding in _judged(of_kind, certainty, "")),
        filters={"kind": kind, "certainty": certainty, "origin": origin, "words": words},
        reason=partial(reason_in, language()),
        english_reason=reason_text,
        origin_reason=partial(origin_reason, language=language()),
        targets=line_targets(snapshot.library, edition_id),
        address_with=address_with,
        certainties=CERTAINTIES,
        origins=ORIGINS,
        titles=FINDING_TITLES,
    )
    return _refresh_if(response, found is None)


def _refresh_if(response: Response, pending: bool) -> Response:
    """Return ``response``; where the check is ``pending``, the browser asks for it again."""
    if pending:
        response.headers["Refresh"] = str(REFRESH_SECONDS)
    return response


def _with_words(findings: Iterable[Finding], words: str) -> list[Finding]:
    """Return the findings with each of ``words`` in what is printed, meant or explained, or as the
    number of the line.
    """
    sought = plain(words).split()
    if not sought:
        return list(findings)
    spoken = language()

    def said(finding: Finding) -> str:
        return plain(
            " ".join(
                filter(
                    None,
                    (
                        finding.printed,
                        finding.meant,
                        reason_text(finding.why),
                        reason_in(spoken, finding.why),
                    ),
                )
            )
        )

    return [f for f in findings if all(word in said(f) or word == str(f.line) for word in sought)]


def _judged(findings: Iterable[Finding], certainty: str, origin: str) -> list[Finding]:
    """Return the findings of a ``certainty`` and an ``origin``, of any where it is the empty
    text.
    """
    return [f for f in findings if certainty in ("", f.certainty) and origin in ("", f.origin)]


def _groups(findings: Sequence[Finding]) -> list[tuple[FindingKind, list[Finding]]]:
    return [
        (kind, list(group)) for kind, group in groupby(findings, key=lambda finding: finding.kind)
    ]
