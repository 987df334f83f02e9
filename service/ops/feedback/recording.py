"""Check incoming feedback, complete it from the index that answered, and store it. No answer fails
because of it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.dates import today
from corpus.model import Passage
from index.analysis import plain
from index.model import SearchResult
from service.answers.sources import Sources, marker_table
from service.core.ask import CACHED_ANSWERS
from service.core.ask import ask as ask_snapshot
from service.core.i18n import N_
from service.core.parameters import query_from
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.ops.feedback.records import (
    FeedbackOrigin,
    FeedbackRecord,
    Verdict,
    record_of,
    undone_record,
)
from service.ops.feedback.store import (
    FeedbackNotKept,
    FeedbackQueue,
    FeedbackStorage,
    FeedbackStore,
)
from service.ops.settings import SettingError, Settings

# The rank of the judged passage is looked for among this many, as many as a page shows
_DEPTH = 20
_BRIEF = 0.1  # seconds that an answer waits until its own record is written
# Part of a month's bytes that unanswered questions may fill; the rest is for what people judge
_SHARE = 0.5
_REMEMBERED = 10_000  # questions of a day remembered so as not to be written again
_SILENCE = 60.0  # seconds between two log lines on lost records
_LOST = (N_("This could not be kept"), N_("The answer is as it was. Please try again later."))


@dataclass(frozen=True)
class PassageReference:
    """A passage as clients name it: by its ``marker``, or by the ``entry`` and ``spans`` of its
    citation.
    """

    marker: str | None = None
    entry: str | None = None
    spans: Sequence[Sequence[int]] | None = None

    def find(self, snapshot: Snapshot) -> Passage:
        """Return the passage. Raises `Problem` 422 if none is named, 404 if the index does not
        have it.
        """
        if self.marker is None and self.entry is None:
            raise Problem.out_of_range(
                N_("Name the passage by its marker, or by entry and spans of its citation."),
                "passage",
            )
        if self.marker is not None:
            marked = marker_table(snapshot).passage_of(self.marker.strip().strip("[]"))
            found = [marked] if marked else []
        else:
            printed = snapshot.library.passages_of.get(str(self.entry), ())
            spans = None if self.spans is None else [tuple(span) for span in self.spans]
            found = [
                p for p in printed if spans is None or [tuple(span) for span in p.spans] == spans
            ]
            if len(found) > 1:
                raise Problem.out_of_range(
                    N_("This entry has several passages; say with spans which of them."), "passage"
                )
        passage = next(iter(found), None)
        if passage is None:
            raise Problem.unknown(
                N_(
                    "The index that serves now has no such passage; put the question again and "
                    "judge its answer."
                ),
                "passage",
            )
        return passage


class FeedbackRecorder:
    """Stores feedback in a ``store``."""

    def __init__(self, store: FeedbackStorage):
        self._store = store
        self._noted: set[tuple[str, ...]] = set()  # unanswered questions of `_day`
        self._day = ""
        self._quiet_until = 0.0

    def judge(
        self,
        snapshot: Snapshot,
        fields: Mapping[str, object],
        verdict: Verdict,
        reference: PassageReference | None,
        origin: FeedbackOrigin,
        cached: int = CACHED_ANSWERS,
    ) -> FeedbackRecord:
        """Store a ``verdict`` on the answer to the question in ``fields``, which `query_from`
        reads, and return its record.

        Without ``reference`` the verdict is about all passages of the answer. Raises `Problem`: as
        `query_from` and `PassageReference.find`, and 503 if it cannot be stored.
        """
        query = query_from({**fields, "k": _DEPTH}, snapshot)
        if reference is None and verdict is Verdict.HIT:
            raise Problem.out_of_range(N_("Say which passage settles the question."), "passage")
        passage = reference.find(snapshot) if reference else None
        found = ask_snapshot(snapshot, query, cached=cached, counted=False)
        record = record_of(Sources(snapshot), found, snapshot.id, verdict, origin, passage)
        self._keep(record)
        return record

    def undo(self, id: str, origin: FeedbackOrigin) -> None:
        """Withdraw the record with this ``id``, which only its author knows. Raises `Problem` 503
        if that cannot be stored.
        """
        self._keep(undone_record(id, origin))

    def _keep(self, record: FeedbackRecord) -> None:
        try:
            self._store.append(record)
        except FeedbackNotKept as fault:
            self._log(fault)
            raise Problem(
                503,
                N_("This could not be kept: no room, or no permission to write. Try again later."),
                page=_LOST,
            ) from fault

    def note_unanswered(
        self, snapshot: Snapshot, found: SearchResult, origin: FeedbackOrigin
    ) -> None:
        """Store the question of ``found``, once a day, if no passage settled it. A failure to store
        it is only logged.

        Questions as of a past day are not stored: a gap in an earlier edition says nothing of what
        is missing today.
        """
        if found.answered or found.query.as_of is not None or not self._is_new(found):
            return
        query = replace(found.query, question=found.whole_question.strip())
        record = record_of(
            Sources(snapshot),
            replace(found, query=query),
            snapshot.id,
            Verdict.UNANSWERED,
            origin,
            None,
        )
        try:
            self._store.append(record, _BRIEF, _SHARE, synced=False)
        except FeedbackNotKept as fault:
            self._log(fault)

    def _is_new(self, found: SearchResult) -> bool:
        query, day = found.query, today()
        if day != self._day or len(self._noted) >= _REMEMBERED:
            self._noted, self._day = set(), day
        asked = (
            plain(found.whole_question),
            query.edition or "",
            query.game or "",
            query.document or "",
        )
        if asked in self._noted:
            return False
        self._noted.add(asked)
        return True

    def _log(self, fault: FeedbackNotKept) -> None:
        if time.monotonic() >= self._quiet_until:
            self._quiet_until = time.monotonic() + _SILENCE
            logging.getLogger("regula").error("%s", fault)


def feedback_recorder(settings: Settings) -> FeedbackRecorder | None:
    """Return the recorder of feedback; None if feedback is switched off. Raises `SettingError`
    if there is no place to store it.
    """
    if not settings.feedback:
        return None
    if queue := feedback_queue(settings):
        return FeedbackRecorder(queue)
    if settings.home is None:
        raise SettingError(
            "feedback is switched on, and there is no workspace to keep it in; name one with "
            "--home DIR or REGULA_HOME"
        )
    return FeedbackRecorder(FeedbackStore(settings.home.expanduser()))


def feedback_queue(settings: Settings) -> FeedbackQueue | None:
    """Return the queue in which feedback of several servers waits to be collected; None if
    feedback goes into the workspace. Raises `SettingError`.
    """
    if not settings.feedback_storage:
        return None
    try:
        return FeedbackQueue(settings.feedback_storage)
    except ImportError as fault:
        raise SettingError(
            "feedback_storage: Redis needs the package redis: pip install 'regula[redis]'"
        ) from fault
