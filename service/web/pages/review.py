"""Reviewing what a model drafted: kept, edited or dropped, the worst first. All of it works without
script.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from flask import Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from corpus.errors import RegulaError
from service.answers.citations import edition_name
from service.core.i18n import N_
from service.core.problems import Problem
from service.core.snapshot import Snapshot
from service.editions.drafting.files import CannotEdit
from service.editions.drafting.review import KINDS, LONGEST, REASONS, TERM_KINDS, Outdated
from service.ops.workspace_files import NotKept
from service.web.editing import KEY_COOKIE, editable_workspace, may_edit, private_page
from service.web.pages.layout import page, pages
from service.web.pages.pagination import address_with, requested_page
from service.web.pages.preferences import local_address
from service.web.pages.review_subjects import EditionReview, ReviewSubject, TermReview
from service.web.request_context import current_snapshot, settings
from service.web.same_origin import check_same_origin

LENGTH = 20  # forms on one page


class _Row(NamedTuple):
    """What can be reviewed, and how much of it is."""

    subject: ReviewSubject
    reviewed: int
    total: int


@pages.get("/review")
def review_overview() -> Response:
    """The editions and games of which something can be reviewed."""
    home = editable_workspace()
    snapshot = current_snapshot()
    subjects: list[ReviewSubject] = [
        EditionReview(snapshot, home, edition) for edition in snapshot.library.editions
    ]
    subjects += [TermReview(snapshot, home, game) for game in snapshot.library.games]
    rows = [_Row(subject, *_read(subject.progress)) for subject in subjects]
    return private_page(page("reviews.html", snapshot, rows=[row for row in rows if row.total]))


@pages.get("/review/<edition_id>")
def review(edition_id: str) -> Response:
    """The passages of an edition with drafts, by pages, the worst first."""
    home = editable_workspace()
    snapshot = current_snapshot()
    return _review_page(snapshot, home, EditionReview(snapshot, home, snapshot.edition(edition_id)))


@pages.get("/review/terms/<game>")
def review_game_terms(game: str) -> Response:
    """The terms of a game with drafted aliases, by pages."""
    home = editable_workspace()
    snapshot = current_snapshot()
    return _review_page(snapshot, home, TermReview(snapshot, home, _known(snapshot, game)))


@pages.post("/review/<edition_id>/<fingerprint>")
def keep_review(edition_id: str, fingerprint: str) -> BaseResponse:
    """Write what was decided on one passage, and show what is to be reviewed then; 409 where it was
    changed since it was shown.
    """
    home = editable_workspace()
    snapshot = current_snapshot()
    return _keep(
        snapshot, home, EditionReview(snapshot, home, snapshot.edition(edition_id)), fingerprint
    )


@pages.post("/review/terms/<game>/<concept>")
def keep_term_review(game: str, concept: str) -> BaseResponse:
    """Write what was decided on one term, as `keep_review` does."""
    home = editable_workspace()
    snapshot = current_snapshot()
    return _keep(snapshot, home, TermReview(snapshot, home, _known(snapshot, game)), concept)


@pages.post("/review/key")
def keep_key() -> BaseResponse:
    """Keep the key of an editor in the browser, and go back."""
    check_same_origin()
    response = redirect(local_address(request.form.get("next", "")), 303)
    token = request.form.get("key", "").strip()
    if token:
        response.set_cookie(
            KEY_COOKIE, token[:200], httponly=True, samesite="Strict", secure=request.is_secure
        )
    else:
        response.delete_cookie(KEY_COOKIE, httponly=True, samesite="Strict")
    return response


@pages.app_context_processor
def _editing() -> dict[str, object]:
    """For every template: whether the reader may edit, and whether a key could change that."""
    home = settings().home
    return {
        "editing": home is not None and may_edit(),
        "editor_keys": home is not None and settings().keys is not None,
    }


def _known(snapshot: Snapshot, game: str) -> str:
    if game not in snapshot.library.games:
        raise Problem.unknown("There is no such game here; GET /v1/editions lists those there are.")
    return game


def _read(read: Callable[[], tuple[int, int]]) -> tuple[int, int]:
    """What ``read`` returns. Raises `Problem` where the file is faulty: who edits is told what is
    wrong with it.
    """
    try:
        return read()
    except RegulaError as fault:
        raise _faulty(fault) from fault


def _faulty(fault: RegulaError) -> Problem:
    return Problem(409, str(fault), page=(N_("Nothing was written"), str(fault)))


def _keep(snapshot: Snapshot, home: Path, subject: ReviewSubject, name: str) -> BaseResponse:
    """Write what the form says of the block called ``name``. Where it is another one by now, both
    are shown, with status 409.
    """
    check_same_origin()
    version = request.form.get("version", "")
    texts = None if request.form.get("do") == "drop" else _texts()
    try:
        subject.file.change(lambda text: subject.changed(text, name, version, texts))
    except Outdated as fault:
        form = subject.form_of(fault.block) if fault.block else None
        if form is None:
            raise Problem.unknown("There is nothing to review under this name any more.") from fault
        mine = [each for each in _texts().values() if each.strip()] if texts is not None else []
        return _shown(snapshot, home, subject, "review_conflict.html", 409, form=form, mine=mine)
    except (NotKept, CannotEdit) as fault:
        raise _faulty(fault) from fault
    return redirect(local_address(request.form.get("next", "")), 303)


def _texts() -> dict[str, str]:
    """The texts of the form by their slots; those that are to be dropped are empty."""
    return {
        name.removeprefix("text."): ""
        if f"drop.{name.removeprefix('text.')}" in request.form
        else value
        for name, value in request.form.items()
        if name.startswith("text.")
    }


def _review_page(snapshot: Snapshot, home: Path, subject: ReviewSubject) -> Response:
    reviewed, total = _read(subject.progress)
    listed = requested_page(subject.names(), LENGTH)
    return _shown(
        snapshot,
        home,
        subject,
        "review.html",
        listed=listed,
        forms=subject.forms(listed.items),
        reviewed=reviewed,
        total=total,
    )


def _shown(
    snapshot: Snapshot,
    home: Path,
    subject: ReviewSubject,
    template: str,
    status: int = 200,
    **values: object,
) -> Response:
    return private_page(
        page(
            template,
            snapshot,
            status,
            scope=subject.scope,
            subject=subject,
            edition_name=edition_name,
            kinds={**KINDS, **TERM_KINDS},
            reasons=REASONS,
            longest=LONGEST,
            command=f"regula build --home {home}",
            back=local_address(request.form.get("next", ""))
            if request.method == "POST"
            else address_with(),
            address_with=address_with,
            action=f"{quote(subject.address)}/",
            **values,
        )
    )
