"""What belongs to a request: its snapshot and settings, questions, links, ruling sheets."""

from __future__ import annotations

from datetime import UTC, date, datetime
from ipaddress import ip_address
from urllib.parse import urlsplit

from flask import Flask, current_app, g, request

from index.library.former_words import quotation_hash
from index.model import Query, SearchResult
from service.assist.assistant import Assistant, AssistedResult, unassisted
from service.core import parameters
from service.core.ask import ask as ask_snapshot
from service.core.i18n import N_
from service.core.jobs.queue import CURRENT_BUDGET, JobBudget
from service.core.problems import Problem
from service.core.snapshot import (
    DescribedIndexSource,
    IndexDescription,
    IndexSource,
    ManagedIndexSource,
    Snapshot,
)
from service.editions.sheet_history import PassageKey, SheetLink, find_cited, former_words
from service.ops.feedback.recording import (
    FeedbackRecorder,
    feedback_recorder,
)
from service.ops.feedback.records import FeedbackOrigin
from service.ops.settings import Settings


def register(app: Flask, indexes: IndexSource, assistant: Assistant | None) -> None:
    """Answer the requests to ``app`` from ``indexes``, with ``assistant`` where they ask for it."""
    app.extensions["regula"] = indexes
    app.extensions["regula-assistant"] = assistant
    app.extensions["regula-feedback"] = feedback_recorder(app.config["REGULA"])

    def begin() -> None:
        CURRENT_BUDGET.set(JobBudget(settings().request_timeout))

    def end(fault: BaseException | None) -> None:
        CURRENT_BUDGET.set(None)

    app.before_request(begin)
    app.teardown_request(end)


def settings() -> Settings:
    """Return the settings of the application that handles this request."""
    found: Settings = current_app.config["REGULA"]
    return found


def index_source() -> IndexSource:
    """Return where the application that handles this request has its indexes from."""
    found: IndexSource = current_app.extensions["regula"]
    return found


def managed_indexes() -> ManagedIndexSource:
    """Return the indexes on the disk. Raises `Problem` 404 where they are kept elsewhere."""
    source = index_source()
    if not isinstance(source, ManagedIndexSource):
        raise Problem.unknown(N_("The indexes of this service are not kept on its disk."))
    return source


def current_snapshot() -> Snapshot:
    """Return the snapshot of this request, the same throughout, also when another one is current.

    Raises `Problem` 503 where none is ready.
    """
    if "snapshot" not in g:
        g.snapshot = index_source().current()
    if g.snapshot is None:
        raise Problem.not_ready()
    found: Snapshot = g.snapshot
    return found


def index_description() -> IndexDescription | None:
    """Return what the index of this request says of itself; None where that is not known."""
    source = index_source()
    if not isinstance(source, DescribedIndexSource):
        return None
    return source.description(current_snapshot().id)


def ask(query: Query, interactive: bool = True) -> SearchResult:
    """Put ``query`` to the snapshot of this request as `service.core.ask.ask` does.

    Where feedback is kept, so is an ``interactive`` question that nothing answers; a batch may be
    one that measures.
    """
    found = ask_snapshot(current_snapshot(), query, interactive, settings().answers_kept)
    _note(found, interactive)
    return found


def ask_assisted(query: Query, interactive: bool = True) -> AssistedResult:
    """Ask as `ask` does, with the help of the owner's model where there is one."""
    assistant: Assistant | None = current_app.extensions["regula-assistant"]
    put = assistant.ask if assistant else unassisted
    found = put(current_snapshot(), query, interactive, settings().answers_kept)
    _note(found.result, interactive)
    return found


def _note(found: SearchResult, interactive: bool) -> None:
    g.answered, g.asked = found.answered, found.query.question  # for the log
    if interactive and (recorder := feedback()):
        api = request.path.startswith("/v1/")
        origin = FeedbackOrigin.API if api else FeedbackOrigin.PAGE
        recorder.note_unanswered(current_snapshot(), found, origin)


def assistant_server() -> str | None:
    """Return the host where a model looks questions up, "" for this machine, None without one."""
    assistant: Assistant | None = current_app.extensions["regula-assistant"]
    return assistant.client.endpoint.foreign_host if assistant else None


def feedback() -> FeedbackRecorder | None:
    """Return what keeps feedback; None where it is switched off."""
    found: FeedbackRecorder | None = current_app.extensions["regula-feedback"]
    return found


def feedback_of_service() -> FeedbackRecorder:
    """Return what keeps feedback. Raises `Problem` 404 where it is switched off."""
    found = feedback()
    if found is None:
        raise Problem.unknown(N_("This service keeps no feedback; its owner can switch that on."))
    return found


# Links


def base_address(settings: Settings, called: str) -> str | None:
    """Return the address that links begin with: ``public_url``, else ``called`` where its host is
    the service's own, else None.

    Its own are the names in ``hosts``, what it listens at, names of this machine, and addresses of
    networks that are not the Internet. Anybody can write any other into the header Host.
    """
    if settings.public_url is not None:
        return str(settings.public_url)
    try:
        parts = urlsplit(called)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if not _is_own(settings, host):
        return None
    # Put together anew: browsers read some addresses, such as http://foreign\@localhost, otherwise
    # than Python does.
    named = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{named}{f':{port}' if port else ''}{parts.path}"


def is_own_host(settings: Settings, called: str) -> bool:
    """Return whether the header Host ``called`` is a name of this service or of this machine."""
    try:
        return _is_own(settings, urlsplit(f"//{called}").hostname or "")
    except ValueError:
        return False


def _is_own(settings: Settings, host: str) -> bool:
    if host in (*settings.hosts, settings.host.lower(), "localhost"):
        return True
    try:
        return host.endswith(".localhost") or not ip_address(host).is_global  # RFC 6761, 6.3
    except ValueError:
        return False


# Ruling sheets


def today() -> str:
    """Return today, as ISO 8601 writes it."""
    return datetime.now(UTC).date().isoformat()


def made_day(text: str) -> str:
    """Return the day that a link was made; "" for what is no day, or has not come yet."""
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        return ""
    return day if day <= today() else ""


def with_words(snapshot: Snapshot, link: SheetLink) -> SheetLink:
    """Return ``link``; if it names passages without their words, of today, with those of now, or
    with the last ones of a passage that is gone.

    Raises `Problem` (404) where there never was such a passage.
    """
    if all(key.hash for key in link.passages):
        return link
    keys = []
    for key in link.passages:
        if not key.hash:
            if hit := find_cited(snapshot, key.id):
                key = PassageKey(key.id, quotation_hash(hit.passage.display))
            elif former := former_words(snapshot, key):
                key = PassageKey(key.id, former.hash)
            else:
                raise Problem.unknown(N_("There is no such passage here."), "passages")
        keys.append(key)
    return SheetLink(link.question, link.filters, tuple(keys), today())


def found_for(snapshot: Snapshot, link: SheetLink) -> SearchResult | None:
    """Return what the question of ``link`` brings now, None without one.

    What it was asked of may be gone; then all rulebooks of its game are asked, if that is here.
    """
    game = {"game": link.filters["game"]} if link.filters.get("game") else {}
    for filters in (link.filters, game) if link.question else ():
        try:
            fields = {"k": 5, **filters, "question": link.question}
            return ask(parameters.query_from(fields, snapshot), interactive=False)
        except Problem as problem:
            if problem.status >= 500:
                raise
    return None
