"""What readers say of answers: two buttons under each passage, thanks, and a way back; all by
forms, so that it works without script.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from flask import redirect, request
from werkzeug.wrappers import Response

from corpus.model import Passage
from service.answers.sources import marker_table
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.ops.feedback.feedback_recording import PassageReference
from service.ops.feedback.feedback_records import RECORD_ID, FeedbackOrigin, Verdict
from service.web.pages.layout import pages
from service.web.pages.preferences import local_address
from service.web.request_context import current_snapshot, feedback, feedback_of_service, settings
from service.web.same_origin import check_same_origin

GIVEN = "given"  # the cookie with what this browser has said last, so that it can be taken back
_HOUR = 3600
_REMEMBERED = 10  # verdicts in the cookie
_MARKER = 64  # digits of a marker at most
_KEY = 16  # hexadecimal digits
_GIVEN = re.compile(rf"([0-9a-f]{{{_KEY}}})\.(hit|miss)\.({RECORD_ID})")
FIELDS = (
    "question",
    "edition",
    "game",
    "document",
    "language",
    "prefer",
    "as_of",
    "context",
)  # of the form: what was asked, and where


@pages.post("/feedback")
def keep_feedback() -> Response:
    """Keep what a reader says of a passage, or take it back, and go back to the answer. Raises
    `Problem`.
    """
    check_same_origin(others=True)
    recorder, snapshot = feedback_of_service(), current_snapshot()
    marker = request.form.get("passage", "")
    given = _given()
    if undone := request.form.get("undo"):
        if not re.fullmatch(RECORD_ID, undone):
            raise Problem.unknown("There is no such feedback.", "undo")
        recorder.undo(undone, FeedbackOrigin.PAGE)
        given = {key: said for key, said in given.items() if said[1] != undone}
    else:
        verdict = request.form.get("verdict", "")
        if verdict not in (Verdict.HIT, Verdict.MISS):
            raise Problem.out_of_range("There is no such verdict.", "verdict")
        asked = {name: request.form.get(name) or None for name in FIELDS}
        key = _key(asked, marker)
        if key not in given:  # pressed twice, it is said once
            reference = PassageReference(marker)
            record = recorder.judge(
                snapshot,
                asked,
                Verdict(verdict),
                reference,
                FeedbackOrigin.PAGE,
                settings().answers_kept,
            )
            given[key] = (verdict, record.id)
    said = "~".join(
        f"{key}.{verdict}.{id}" for key, (verdict, id) in list(given.items())[-_REMEMBERED:]
    )
    back = redirect(
        f"{local_address(request.form.get('next', '')).partition('#')[0]}#{_name(marker)}", 303
    )
    back.set_cookie(GIVEN, said, max_age=_HOUR if said else 0, samesite="Strict", httponly=True)
    return back


class FeedbackForms:
    """What the forms under the answers to one question need.

    ``asked`` are the question and where to look for its answer; ``parts`` has the part of it, by
    the id of the passage, that a passage answers where it asks for several things.
    """

    def __init__(
        self, snapshot: Snapshot, asked: Mapping[str, str | None], parts: Mapping[str, str]
    ):
        self._snapshot = snapshot
        self._given = _given()
        self._asked = {name: value for name in FIELDS if (value := asked.get(name))}
        self._parts = parts

    def asked(self, passage: Passage) -> dict[str, str]:
        """What was asked where ``passage`` answers, by the names of the fields."""
        part = self._parts.get(passage.id)
        return {**self._asked, "question": part} if part else self._asked

    def marker(self, passage: Passage) -> str:
        """What names ``passage`` in the form."""
        return marker_table(self._snapshot).marker_of(passage)

    def name(self, passage: Passage) -> str:
        """The id of the form, where one is taken back to."""
        return _name(self.marker(passage))

    def given(self, passage: Passage) -> str | None:
        """The id of what this browser has said of ``passage``; None where it has said nothing."""
        said = self._given.get(_key(self.asked(passage), self.marker(passage)))
        return said[1] if said else None


def _given() -> dict[str, tuple[str, str]]:
    """What the browser has said last: verdict and id of the record by question and passage."""
    found = (_GIVEN.fullmatch(each) for each in request.cookies.get(GIVEN, "")[:2000].split("~"))
    return {each[1]: (each[2], each[3]) for each in found if each}


def _key(asked: Mapping[str, str | None], marker: str) -> str:
    """Names question and passage in the cookie, which is not to say what was asked. Forms write
    line breaks in another way.
    """
    said = [marker, *(" ".join((asked.get(name) or "").split()) for name in FIELDS)]
    return hashlib.sha256(repr(said).encode()).hexdigest()[:_KEY]


def _name(marker: str) -> str:
    return "feedback-" + re.sub("[^0-9a-f]", "", marker.removeprefix("r:"))[:_MARKER]


@pages.app_context_processor
def _template_values() -> dict[str, object]:
    """For every template: whether feedback is kept."""
    return {"feedback_kept": feedback() is not None}
