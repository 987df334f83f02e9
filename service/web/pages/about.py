"""About: what is loaded, the findings of the check, and the keys that the pages know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import NamedTuple

from flask import Response, current_app

from corpus.model import Edition
from glossary.check import FINDING_TITLES, Certainty, Finding, FindingKind, Origin
from index.analysis import plain
from index.building.version_lookup import previous_version
from index.library.library import Library, SourceDocument
from service.answers.citations import edition_name
from service.browse.entry_view import line_targets
from service.core.i18n import N_
from service.core.snapshot import IndexDescription
from service.editions.findings import (
    CERTAINTIES,
    ORIGINS,
    origin_reason,
    reason_in,
    reason_text,
    snapshot_findings,
)
from service.web.localization import language
from service.web.pages.layout import address_with, one_of, page, pages, requested_page, search_words
from service.web.request_context import current_snapshot, index_description


@dataclass(frozen=True)
class LoadedEdition:
    """An edition and its document; ``size`` in bytes if it is known, ``previous`` the version
    before it if it is loaded.
    """

    edition: Edition
    source: SourceDocument
    size: int | None
    entries: int
    passages: int
    references: int
    previous: Edition | None


@pages.get("/about")
def about() -> Response:
    """Show what Regula is, and what is loaded here."""
    snapshot = current_snapshot()
    library = snapshot.library
    description = index_description()
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    return page(
        "about.html",
        snapshot,
        loaded=_loaded_editions(library, description),
        description=description,
        when=built,
        age=max(datetime.now(UTC) - built, timedelta()),
        edition_name=edition_name,
        served={rule.rule for rule in current_app.url_map.iter_rules()},
    )


def _loaded_editions(library: Library, description: IndexDescription | None) -> list[LoadedEdition]:
    found = []
    for book in library.rulebooks:
        edition, source = book.edition, library.sources[book.edition.id]
        previous = previous_version(
            edition, [other for other in library.rulebooks if other is not book]
        )
        found.append(
            LoadedEdition(
                edition=edition,
                source=source,
                size=description.sizes.get(source.sha256) if description else None,
                entries=len(book.entries),
                passages=len(book.passages),
                references=len(library.references_in(edition.id)),
                previous=previous.edition if previous else None,
            )
        )
    return found


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
    if pending:
        response.headers["Refresh"] = str(REFRESH_SECONDS)
    return response


def _with_words(findings: Iterable[Finding], words: str) -> list[Finding]:
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
    return [f for f in findings if certainty in ("", f.certainty) and origin in ("", f.origin)]


def _groups(findings: Sequence[Finding]) -> list[tuple[FindingKind, list[Finding]]]:
    return [
        (kind, list(group)) for kind, group in groupby(findings, key=lambda finding: finding.kind)
    ]


class KeyGroup(NamedTuple):
    """Where the ``keys`` do something, and what each does; several names for one press stand
    together.
    """

    title: str
    keys: tuple[tuple[tuple[str, ...], str], ...]


KEY_GROUPS = (
    KeyGroup(
        N_("On every page"),
        (
            (("/",), N_("Go to the question")),
            (("?",), N_("Show these keys")),
            (("Tab",), N_("Go to the next link or button")),
        ),
    ),
    KeyGroup(
        N_("Suggestions"),
        (
            (("↓", "↑"), N_("Choose one")),
            (("Enter",), N_("Open what is chosen, or ask")),
            (("Esc",), N_("Close the list")),
        ),
    ),
    KeyGroup(
        N_("Answers"),
        (
            (("↓", "↑"), N_("Next and previous passage")),
            (("Enter",), N_("Open the whole entry")),
            (("c",), N_("Copy the citation")),
        ),
    ),
    KeyGroup(N_("Reading an entry"), ((("j", "k"), N_("Next and previous entry")),)),
    KeyGroup(
        N_("Searching in a rulebook or an entry"),
        ((("Enter",), N_("Next match; with Shift the previous one")),),
    ),
    KeyGroup(
        N_("Whole screen"),
        (
            (("→", "←"), N_("Next and previous passage")),
            (("f",), N_("Fill the screen")),
            (("Esc",), N_("Back to the page")),
        ),
    ),
)


@pages.get("/keys")
def list_keys() -> Response:
    """What can be done by key."""
    return page("keys.html", current_snapshot(), groups=KEY_GROUPS)
