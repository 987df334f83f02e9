"""Pages on the service: what is loaded, findings of the check, keyboard shortcuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby

from flask import Response, current_app, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from corpus.dates import today
from corpus.model import Edition
from glossary.check import FINDING_TITLES, Certainty, Finding, FindingKind, Origin
from glossary.comparison.reviews import LONGEST_NAME, LONGEST_NOTE, Reviewer
from index.analysis import plain
from index.building.version_lookup import previous_version
from index.library.library import SourceDocument
from service.answers.citations import edition_name
from service.browse.entry_view import line_targets
from service.core.i18n import N_
from service.core.problems import Problem
from service.editions.findings import (
    CERTAINTIES,
    ORIGINS,
    edition_findings,
    origin_reason,
    reason_in,
    reason_text,
)
from service.editions.ignored_findings import NotIgnored, new_ignored
from service.ops.comparison_reviews import drop_ignored, keep_ignored
from service.ops.workspace import NotKept
from service.web.editing import (
    check_same_origin,
    editable_workspace,
    editor_key,
    ignored_of,
    may_edit,
)
from service.web.headers import private_page
from service.web.localization import language
from service.web.pages.layout import (
    HEAD,
    PAGE,
    local_address,
    one_of,
    page,
    pages,
    requested_page,
    search_words,
)
from service.web.request_context import current_snapshot, index_description

_NOTHING = N_("Nothing was written")
# Grouped by where they work; several names of one key are listed together.
_KEYS = (
    (
        N_("On every page"),
        ("/", N_("Go to the question")),
        ("?", N_("Show these keys")),
        ("Tab", N_("Go to the next link or button")),
    ),
    (
        N_("Suggestions"),
        ("↓ ↑", N_("Choose one")),
        ("Enter", N_("Open what is chosen, or ask")),
        ("Esc", N_("Close the list")),
    ),
    (
        N_("Answers"),
        ("↓ ↑", N_("Next and previous passage")),
        ("Enter", N_("Open the whole entry")),
        ("c", N_("Copy the citation")),
    ),
    (N_("Reading an entry"), ("j k", N_("Next and previous entry"))),
    (
        N_("Searching in a rulebook or an entry"),
        ("Enter", N_("Next match; with Shift the previous one")),
    ),
    (
        N_("Whole screen"),
        ("→ ←", N_("Next and previous passage")),
        ("f", N_("Fill the screen")),
        ("Esc", N_("Back to the page")),
    ),
)


@dataclass(frozen=True)
class LoadedEdition:
    """An edition and its document, of ``size`` bytes; ``previous`` is a loaded earlier version."""

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
    library, description = snapshot.library, index_description()
    built = snapshot.built if snapshot.built.tzinfo else snapshot.built.replace(tzinfo=UTC)
    loaded = []
    for book in library.rulebooks:
        edition, source = book.edition, library.sources[book.edition.id]
        others = [other for other in library.rulebooks if other is not book]
        previous = previous_version(edition, others)
        loaded.append(
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
    return page(
        "about.html",
        snapshot,
        loaded=loaded,
        description=description,
        when=built,
        age=max(datetime.now(UTC) - built, timedelta()),
        edition_name=edition_name,
        served={rule.rule for rule in current_app.url_map.iter_rules()},
    )


@pages.get("/keys")
def list_keys() -> Response:
    """List the keyboard shortcuts."""
    return page("keys.html", current_snapshot(), groups=_KEYS)


@pages.get("/state")
def state() -> Response:
    """Show how many findings there are in each edition."""
    snapshot = current_snapshot()
    counts = {}
    for edition in snapshot.library.editions:
        found = edition_findings(snapshot, edition, ignored_of(edition.game))
        if found is not None:
            counts[edition.id] = Counter(f.certainty for _, f, ignored in found if not ignored)
    response = page(
        "state.html", snapshot, counts=counts, certainties=CERTAINTIES, edition_name=edition_name
    )
    return _refresh_if(response, any(each.id not in counts for each in snapshot.library.editions))


@pages.get("/state/<edition_id>")
def findings(edition_id: str) -> Response:
    """Show the findings in an edition by pages."""
    snapshot = current_snapshot()
    edition = snapshot.edition(edition_id)
    judged = edition_findings(snapshot, edition, ignored_of(edition.game))
    by_finding = {id(each.finding): each for each in judged or ()}
    ignored = bool(one_of("ignored", ("1",)))
    found = None if judged is None else [f for _, f, by in judged if bool(by) is ignored]
    kind = one_of("sort", list(FindingKind))
    certainty, origin = one_of("certainty", list(Certainty)), one_of("origin", list(Origin))
    words = search_words()
    by_words = _with_words(found or (), words)
    fitting = _judged(by_words, certainty, origin)
    by_kind = Counter(each.kind for each in fitting)
    shown = requested_page(
        [each for each in fitting if kind in ("", each.kind)], PAGE, _finding_size
    )
    of_kind = [each for each in by_words if not kind or each.kind == kind]
    response = page(
        "findings.html",
        snapshot,
        edition=edition,
        edition_name=edition_name,
        ready=found is not None,
        total=len(judged or ()),
        ignored=sum(each.ignored is not None for each in judged or ()),
        judged=lambda finding: by_finding[id(finding)],
        editing=may_edit(),
        longest={"note": LONGEST_NOTE, "name": LONGEST_NAME},
        named=key.name if (key := editor_key()) else "",
        groups=[(each, list(all)) for each, all in groupby(shown.items, lambda each: each.kind)],
        listed=shown,
        kinds=by_kind,
        counts=Counter(each.certainty for each in _judged(of_kind, "", origin)),
        origin_counts=Counter(each.origin for each in _judged(of_kind, certainty, "")),
        filters={
            "ignored": ignored,
            "kind": kind,
            "certainty": certainty,
            "origin": origin,
            "words": words,
        },
        reason=partial(reason_in, language()),
        english_reason=reason_text,
        origin_reason=partial(origin_reason, language=language()),
        targets=line_targets(snapshot.library, edition_id),
        certainties=CERTAINTIES,
        origins=ORIGINS,
        titles=FINDING_TITLES,
    )
    return _refresh_if(private_page(response) if may_edit() else response, found is None)


@pages.post("/state/<edition_id>/ignored")
def keep_ignored_finding(edition_id: str) -> BaseResponse:
    """Save that a finding is ignored, or no longer ignored, and go back."""
    home = editable_workspace()
    check_same_origin()
    snapshot = current_snapshot()
    edition, form = snapshot.edition(edition_id), request.form
    named, key = editor_key(), form.get("key", "")
    judged = edition_findings(snapshot, edition, ignored_of(edition.game)) or ()
    found = next((each for each in judged if each.key == key), None)
    if found is None:
        raise Problem.unknown("There is no such finding in this edition any more.")
    by = Reviewer(named.name if named else form.get("reviewer", ""), today())
    try:
        if form.get("do") == "restore":
            drop_ignored(home, edition.game, key)
        else:
            because = form.get("because", "").replace("\r\n", "\n")
            said = new_ignored(key, edition.id, found.finding.kind, because, by)
            keep_ignored(home, edition.game, said)
    except NotIgnored as fault:
        why = N_("Say why it is ignored, in at most 2,000 characters, and who says so.")
        raise Problem(422, why, page=(_NOTHING, why)) from fault
    except NotKept as fault:
        raise Problem(409, str(fault), page=(_NOTHING, str(fault))) from fault
    return redirect(local_address(form.get("next", "")), 303)


def _finding_size(finding: Finding) -> int:
    return HEAD + len(finding.printed) + len(finding.meant or "")


def _refresh_if(response: Response, pending: bool) -> Response:
    if pending:  # the check is under way; the browser asks again after so many seconds
        response.headers["Refresh"] = "3"
    return response


def _with_words(findings: Iterable[Finding], words: str) -> list[Finding]:
    """Return the findings that have each of ``words`` in their texts or as line number."""
    sought, spoken = plain(words).split(), language()

    def fits(each: Finding) -> bool:
        texts = (each.printed, each.meant, reason_text(each.why), reason_in(spoken, each.why))
        said = plain(" ".join(filter(None, texts)))
        return all(word in said or word == str(each.line) for word in sought)

    return [each for each in findings if fits(each)] if sought else list(findings)


def _judged(findings: Iterable[Finding], certainty: str, origin: str) -> list[Finding]:
    """Return the findings with this ``certainty`` and ``origin``; "" stands for any."""
    return [f for f in findings if certainty in ("", f.certainty) and origin in ("", f.origin)]
