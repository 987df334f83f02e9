"""Objects of the current request: snapshot, settings, questions, links and ruling sheets."""

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
    """Answer requests to ``app`` from ``indexes``, with ``assistant`` for requests that ask for
    it.
    """
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
    """Return the source of the application's indexes."""
    found: IndexSource = current_app.extensions["regula"]
    return found


def managed_indexes() -> ManagedIndexSource:
    """Return the manager of indexes on the disk. Raises `Problem` 404 if there is none."""
    source = index_source()
    if not isinstance(source, ManagedIndexSource):
        raise Problem.unknown(N_("The indexes of this service are not kept on its disk."))
    return source


def current_snapshot() -> Snapshot:
    """Return the snapshot of this request. It stays the same when another one becomes current.

    Raises `Problem` 503 if none is ready.
    """
    if "snapshot" not in g:
        g.snapshot = index_source().current()
    if g.snapshot is None:
        raise Problem.not_ready()
    found: Snapshot = g.snapshot
    return found


def index_description() -> IndexDescription | None:
    """Return the description of this request's index; None if there is none."""
    source = index_source()
    if not isinstance(source, DescribedIndexSource):
        return None
    return source.description(current_snapshot().id)


def ask(query: Query, interactive: bool = True) -> SearchResult:
    """Ask the snapshot of this request with `service.core.ask.ask`.

    If feedback is on, an unanswered ``interactive`` question is recorded. Batches are not, since
    they may be measurements.
    """
    found = ask_snapshot(current_snapshot(), query, interactive, settings().answers_kept)
    _note(found, interactive)
    return found


def ask_assisted(query: Query, interactive: bool = True) -> AssistedResult:
    """Ask as `ask` does, with the help of the owner's model if there is one."""
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
    """Return the host of the model that looks questions up, "" for this machine, None without a
    model.
    """
    assistant: Assistant | None = current_app.extensions["regula-assistant"]
    return assistant.client.endpoint.foreign_host if assistant else None


def feedback() -> FeedbackRecorder | None:
    """Return the recorder of feedback; None if it is switched off."""
    found: FeedbackRecorder | None = current_app.extensions["regula-feedback"]
    return found


def feedback_of_service() -> FeedbackRecorder:
    """Return the recorder of feedback. Raises `Problem` 404 if it is switched off."""
    found = feedback()
    if found is None:
        raise Problem.unknown(N_("This service keeps no feedback; its owner can switch that on."))
    return found


# Links


def base_address(settings: Settings, called: str) -> str | None:
    """Return the start of links: ``public_url``, else ``called`` if its host belongs to the
    service, else None.

    Hosts of the service are the names in ``hosts``, the address it listens at, names of this
    machine, and addresses in networks outside the Internet. A client can write any other name into
    the header Host.
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
    # Rebuilt from its parts: browsers parse some addresses, such as http://foreign\@localhost,
    # differently from Python.
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
    """Return today's date in ISO 8601."""
    return datetime.now(UTC).date().isoformat()


def made_day(text: str) -> str:
    """Return the day that a link was made; "" for an invalid or future day."""
    try:
        day = date.fromisoformat(text).isoformat()
    except ValueError:
        return ""
    return day if day <= today() else ""


def with_words(snapshot: Snapshot, link: SheetLink) -> SheetLink:
    """Return ``link`` with a hash of the words of every passage. If one is missing, take the
    present words, or the last known words of a passage that is gone, and today's date.

    Raises `Problem` (404) if such a passage never existed.
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
    """Return the current result for the question of ``link``, None if it has none.

    If the edition or document it was limited to is gone, all rulebooks of its game are searched,
    if there are any.
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
