"""What belongs to a request: the one snapshot that it is answered from, the questions it puts, what
its jobs may cost.
"""

from __future__ import annotations

from flask import Flask, current_app, g, request

from index.model import Query, SearchResult
from service.assist.assistant import Assistant, AssistedResult, unassisted
from service.core.ask import ask as ask_snapshot
from service.core.i18n import N_
from service.core.jobs.budget import CURRENT_BUDGET, JobBudget
from service.core.problems import Problem
from service.core.snapshot import (
    DescribedIndexSource,
    IndexDescription,
    IndexSource,
    ManagedIndexSource,
    Snapshot,
)
from service.ops.feedback.feedback_recording import FeedbackRecorder, feedback_recorder
from service.ops.feedback.feedback_records import FeedbackOrigin
from service.ops.settings import Settings


def register(app: Flask, indexes: IndexSource, assistant: Assistant | None) -> None:
    """Answer the requests to ``app`` from ``indexes``, with the help of ``assistant`` where they
    ask for it.
    """
    app.extensions["regula"] = indexes
    app.extensions["regula-assistant"] = assistant
    app.extensions["regula-feedback"] = feedback_recorder(app.config["REGULA"])
    app.before_request(_begin)
    app.teardown_request(_end)


def _begin() -> None:
    CURRENT_BUDGET.set(JobBudget(settings().request_timeout))


def _end(fault: BaseException | None) -> None:
    CURRENT_BUDGET.set(None)


def settings() -> Settings:
    """Return the settings of the application that handles this request."""
    found: Settings = current_app.config["REGULA"]
    return found


def index_source() -> IndexSource:
    """Return where the application that handles this request has its indexes from."""
    found: IndexSource = current_app.extensions["regula"]
    return found


def current_snapshot() -> Snapshot:
    """Return the snapshot of this request, the same throughout. Raises `Problem` 503 where none is
    ready.

    Requests to the old snapshot are still being answered when another one is current.
    """
    if "snapshot" not in g:
        g.snapshot = index_source().current()
    if g.snapshot is None:
        raise Problem.not_ready()
    found: Snapshot = g.snapshot
    return found


def ask(query: Query, interactive: bool = True) -> SearchResult:
    """Put ``query`` to the snapshot of this request as `service.core.ask.ask` does, and note it for
    the log.

    Where feedback is kept, so is an ``interactive`` question that nothing answers; a batch may be
    one that measures.
    """
    found = ask_snapshot(current_snapshot(), query, interactive, settings().answers_kept)
    _note(found, interactive)
    return found


def ask_assisted(query: Query, interactive: bool = True) -> AssistedResult:
    """Put ``query`` to the snapshot of this request with the help of the owner's model; as `ask`
    where there is none.
    """
    assistant: Assistant | None = current_app.extensions["regula-assistant"]
    put = assistant.ask if assistant else unassisted
    found = put(current_snapshot(), query, interactive, settings().answers_kept)
    _note(found.result, interactive)
    return found


def _note(found: SearchResult, interactive: bool) -> None:
    """Note an answer for the log and, where feedback is kept, as a question that nothing
    answers.
    """
    g.answered, g.asked = found.answered, found.query.question
    recorder = feedback()
    if recorder and interactive:
        recorder.note_unanswered(
            current_snapshot(),
            found,
            FeedbackOrigin.API if request.path.startswith("/v1/") else FeedbackOrigin.PAGE,
        )


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


def assistant_server() -> str | None:
    """Return the host that questions are sent to where they are looked up by a model, "" where they
    stay on this machine.

    None where there is no model, or it may not be asked.
    """
    assistant: Assistant | None = current_app.extensions["regula-assistant"]
    return assistant.client.endpoint.foreign_host if assistant else None


def index_description() -> IndexDescription | None:
    """Return what the index of this request says of itself; None where that is not known."""
    source = index_source()
    return (
        source.description(current_snapshot().id)
        if isinstance(source, DescribedIndexSource)
        else None
    )


def managed_indexes() -> ManagedIndexSource:
    """Return the indexes on the disk. Raises `Problem` 404 where they are kept elsewhere."""
    source = index_source()
    if not isinstance(source, ManagedIndexSource):
        raise Problem.unknown(N_("The indexes of this service are not kept on its disk."))
    return source
